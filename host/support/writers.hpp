// Who may write a file beside its user: what such a file asks for is done only where they could do it themselves.
#pragma once

#include "support/folder.hpp"

namespace parallax::host {

struct Writers {
    unsigned group = 0;   ///< the file's
    bool are_group = false, are_all = false;
    explicit operator bool() const noexcept { return are_group || are_all; }
};

/// Of an open file. Where a system has no such rights: nobody.
Writers writers_of(int descriptor) noexcept;

/// Whether all of them may rename and remove what is in the folder, and come to it from `from`, where they are.
bool may_change(const Writers&, const Folder& folder, const Folder& from);

}  // namespace parallax::host
