#include "support/temporary_folder.hpp"

#include "support/entries.hpp"
#include "support/platform.hpp"

#include <string>
#include <system_error>
#include <utility>

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace parallax::host {

namespace fs = std::filesystem;

namespace {

#if defined(_WIN32)
void remove_left(const fs::path&, const std::string&) {}   // without locks of folders nobody knows whose is in use
#else
bool is_own(const fs::path& folder) {
    struct stat found {};
    return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid();
}

void remove_left(const fs::path& place, const std::string& prefix) {
    std::error_code ignored;
    for (const fs::path& name : names_of(place, ignored)) {
        const std::string text = name.string();
        if (!text.starts_with(prefix)) continue;
        const std::string_view suffix = std::string_view(text).substr(prefix.size());
        if (!platform::is_unique_suffix(suffix) || !is_own(place / name)) continue;
        const auto nobodys = FileLock::take_folder(place / name, FileLock::Kind::exclusive);
        if (nobodys && nobodys->is_held()) fs::remove_all(place / name, ignored);
    }
}
#endif

}  // namespace

TemporaryFolder::TemporaryFolder(std::string_view purpose) {
    const fs::path place = fs::temp_directory_path();
    const std::string prefix = "parallax-" + std::string(purpose) + "-";
    remove_left(place, prefix);
    for (;;) {
        path_ = place / (prefix + platform::unique_suffix());
        std::error_code problem;
        const bool made = platform::create_private_folder(path_, problem);
        if (problem) throw fs::filesystem_error("cannot be made", path_, problem);
        if (!made) continue;   // somebody else's
        std::optional<FileLock> lock = FileLock::take_folder(path_, FileLock::Kind::exclusive);
        if (!lock || !fs::exists(path_, problem)) continue;   // taken for one that was left, before it was locked
        in_use_.emplace(std::move(*lock));
        return;
    }
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace parallax::host
