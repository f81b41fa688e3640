#include "io/pointer.hpp"

#include "io/file.hpp"
#include "io/journal.hpp"
#include "parallax/host/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace parallax::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest = 1 << 16;   // paths that systems know are shorter

bool is_mine(const fs::path& file) {
#if defined(_WIN32)
    static_cast<void>(file);
    return true;
#else
    struct stat status{};
    return ::lstat(file.c_str(), &status) == 0 && status.st_uid == ::geteuid();
#endif
}

}  // namespace

void write_pointer(const host::Folder& folder, const std::string& transaction, const fs::path& place, const host::Folder& base,
                   bool synced) {
    std::u8string path;
    if (place.is_absolute()) path = fs::canonical(base / ".").generic_u8string();
    const std::string text = (place.is_absolute() ? std::string(path.begin(), path.end())
                                                  : std::to_string(std::distance(place.begin(), place.end()))) +
                             '\n';
    File file = File::create(folder / (transaction + base_ending));
    file.write(text.data(), text.size());
    file.close();
    if (place.is_absolute() && synced) host::sync_file(folder / (transaction + base_ending));
}

bool has_pointer(const host::Folder& folder, const std::string& transaction) {
    std::error_code ignored;
    return fs::is_regular_file(fs::symlink_status(folder / (transaction + base_ending), ignored));
}

std::optional<fs::path> pointed_to(const host::Folder& folder, const std::string& transaction) {
    const fs::path pointer = folder / (transaction + base_ending);
    std::ifstream file(pointer, std::ios::binary);
    std::string text(longest, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (!text.ends_with('\n')) return std::nullopt;
    text.pop_back();
    const fs::path path(std::u8string(text.begin(), text.end()));
    if (path.is_absolute()) return is_mine(pointer) ? std::optional(path) : std::nullopt;
    fs::path up = ".";
    const int levels = std::atoi(text.c_str());
    for (int i = 0; i < std::clamp(levels, 0, 256); ++i) up /= "..";
    return folder / up;
}

}  // namespace parallax::io
