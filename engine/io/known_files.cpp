#include "io/known_files.hpp"

#include "support/file_identity.hpp"

#include <system_error>

namespace parallax::io {

namespace fs = std::filesystem;

fs::path KnownFiles::real(const fs::path& path) {
    std::error_code error;
    if (!fs::is_symlink(path, error)) return real_.of(path);
    fs::path place = fs::weakly_canonical(fs::absolute(path), error);
    return error ? path : real_.of(place);
}

void KnownFiles::add(const fs::path& file) {
    if (const auto identity = host::identity_of(file); identity && identity->inode != 0)
        numbers_.emplace(identity->device, identity->inode);
    places_.add(real(file), file);
}

bool KnownFiles::has(const fs::path& file) {
    const auto identity = host::identity_of(file);
    return identity && (numbers_.contains({identity->device, identity->inode}) || places_.find(real(file)) != nullptr);
}

const fs::path* KnownFiles::inside(const fs::path& folder) { return places_.inside(real(folder)); }

const fs::path* KnownFiles::around(const fs::path& file) {
    for (fs::path above = real(file).parent_path(); above.has_relative_path(); above = above.parent_path())
        if (const fs::path* const folder = places_.find(above)) return folder;
    return nullptr;
}

}  // namespace parallax::io
