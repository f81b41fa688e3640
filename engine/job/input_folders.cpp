#include "job/input_folders.hpp"

#include "io/transaction.hpp"

#include <system_error>

namespace parallax::engine {

namespace fs = std::filesystem;

bool InputFolders::recover(const fs::path& folder) {
    if (!known_.insert(folder.native()).second) return false;
    if (confinement_ != nullptr) confinement_->recover(folder);
    else io::recover(folder);
    return true;
}

InputFolders::Followed InputFolders::follow(const fs::path& file) {
    constexpr int most_links = 40;   // as the system
    Followed followed;
    fs::path at = file.has_filename() ? file : file.parent_path();   // "a.zarr/" is "a.zarr"
    for (int links = 0; links < most_links; ++links) {
        followed.any_new = recover(at.parent_path()) || followed.any_new;
        if (confinement_ != nullptr) break;
        std::error_code unknown;
        const fs::file_status status = fs::symlink_status(at, unknown);
        if (links == 0) followed.first = status;
        if (!fs::is_symlink(status)) break;
        const fs::path target = fs::read_symlink(at, unknown);
        if (target.empty()) break;
        at = at.parent_path() / target;
    }
    return followed;
}

fs::file_status InputFolders::status_of(const fs::path& file, std::error_code& error) {
    const Followed followed = follow(file);
    error.clear();
    // One look at each is enough of files by the hundred thousand.
    if (fs::is_regular_file(followed.first) && file.has_filename()) return followed.first;
    return fs::status(file, error);
}

}  // namespace parallax::engine
