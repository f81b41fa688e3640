// Where a study keeps what nobody reads later: a folder under a name that nobody else has, which goes with it.
#pragma once

#include <filesystem>

#include "io/transaction.hpp"

namespace parallax::engine::compare {

/// What a transaction makes that is never committed: of a study that is killed it is removed by whatever comes next to the folder,
/// as all that was begun there.
class WorkFolder {
public:
    /// Made in `out`, ".parallax-12-0-0123abcd-0-...-study", for this user alone. Throws IoError where that cannot be.
    explicit WorkFolder(const std::filesystem::path& out);

    const std::filesystem::path& path() const noexcept { return path_; }

private:
    io::Transaction transaction_;
    std::filesystem::path path_;
};

}   // namespace parallax::engine::compare
