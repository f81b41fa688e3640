#include "io/real_paths.hpp"

#include <system_error>

namespace parallax::io {

namespace fs = std::filesystem;

fs::path RealPaths::of(const fs::path& file) {
    const bool is_named = file.has_filename() && file.filename() != "." && file.filename() != "..";
    const fs::path path = is_named ? file : fs::absolute(file).lexically_normal();
    const auto [known, fresh] = folders_.try_emplace(path.parent_path().native());
    if (fresh) {
        const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
        std::error_code error;
        known->second = fs::weakly_canonical(folder, error);
        known->second = error ? folder : mounts_.first_path(known->second);
    }
    return known->second / path.filename();
}

}  // namespace parallax::io
