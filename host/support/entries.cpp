#include "support/entries.hpp"

namespace parallax::host {

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, std::error_code& code) {
    std::vector<std::filesystem::path> entries = names_of(folder, code);
    for (std::filesystem::path& entry : entries) entry = folder / entry;
    return entries;
}

}   // namespace parallax::host

#if defined(_WIN32)

namespace parallax::host {

std::vector<std::filesystem::path> names_of(const std::filesystem::path& folder, std::error_code& code) {
    std::vector<std::filesystem::path> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder, code)) names.push_back(entry.path().filename());
    return names;
}

}   // namespace parallax::host

#else

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace parallax::host {

std::vector<std::filesystem::path> names_of(const std::filesystem::path& folder, std::error_code& code) {
    code.clear();
    struct Close {
        void operator()(DIR* open) const noexcept { closedir(open); }
    };
    const std::unique_ptr<DIR, Close> open(opendir(folder.c_str()));
    std::vector<std::filesystem::path> names;
    if (!open) {
        code.assign(errno, std::generic_category());
        return names;
    }
    errno = 0;
    while (const dirent* const entry = readdir(open.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
        errno = 0;
    }
    if (errno != 0) code.assign(errno, std::generic_category());
    return names;
}

}   // namespace parallax::host

#endif
