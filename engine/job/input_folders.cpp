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

bool InputFolders::recover_of(const fs::path& file) {
    constexpr int most_links = 40;   // as the system
    bool any = false;
    fs::path at = file.has_filename() ? file : file.parent_path();   // "a.zarr/" is "a.zarr"
    for (int links = 0; links < most_links; ++links) {
        any = recover(at.parent_path()) || any;
        std::error_code unknown;
        if (confinement_ != nullptr || !fs::is_symlink(fs::symlink_status(at, unknown))) break;
        const fs::path target = fs::read_symlink(at, unknown);
        if (target.empty()) break;
        at = at.parent_path() / target;
    }
    return any;
}

}  // namespace parallax::engine
