#include "support/entries.hpp"

#if defined(_WIN32)

namespace parallax::host {

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, std::error_code& code) {
    std::vector<std::filesystem::path> entries;
    for (const auto& entry : std::filesystem::directory_iterator(folder, code)) entries.push_back(entry.path());
    return entries;
}

}   // namespace parallax::host

#else

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace parallax::host {

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, std::error_code& code) {
    code.clear();
    struct Close {
        void operator()(DIR* open) const noexcept { closedir(open); }
    };
    const std::unique_ptr<DIR, Close> open(opendir(folder.c_str()));
    std::vector<std::filesystem::path> entries;
    if (!open) {
        code.assign(errno, std::generic_category());
        return entries;
    }
    errno = 0;
    while (const dirent* const entry = readdir(open.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") entries.push_back(folder / name);
        errno = 0;
    }
    if (errno != 0) code.assign(errno, std::generic_category());
    return entries;
}

}   // namespace parallax::host

#endif
