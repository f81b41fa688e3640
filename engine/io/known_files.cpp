#include "io/known_files.hpp"

#include "support/file_identity.hpp"

namespace parallax::io {

void KnownFiles::add(const std::filesystem::path& file) {
    if (const auto identity = host::identity_of(file); identity && identity->inode != 0)
        numbers_.emplace(identity->device, identity->inode);
}

bool KnownFiles::has(const std::filesystem::path& file) const {
    const auto identity = host::identity_of(file);
    return identity && numbers_.contains({identity->device, identity->inode});
}

}  // namespace parallax::io
