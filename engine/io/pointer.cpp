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
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace parallax::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest = 1 << 16;   // paths that systems know are shorter

struct Pointer {
    std::string text;
    bool is_mine = false;
};

/// One look: what is read is what the owner is asked of. Nothing: there is none.
std::optional<Pointer> read_pointer(const fs::path& path) {
    Pointer pointer{std::string(longest, '\0')};
#if defined(_WIN32)
    std::ifstream file(path, std::ios::binary);
    file.read(pointer.text.data(), static_cast<std::streamsize>(pointer.text.size()));
    pointer.text.resize(static_cast<std::size_t>(file.gcount()));
    pointer.is_mine = true;
#else
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return std::nullopt;
    struct stat status{};
    const bool is_file = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    const ::ssize_t got = is_file ? ::pread(file, pointer.text.data(), pointer.text.size(), 0) : 0;
    ::close(file);
    pointer.text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    pointer.is_mine = is_file && status.st_uid == ::geteuid();
#endif
    return pointer;
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
    const std::optional<Pointer> pointer = read_pointer(folder / (transaction + base_ending));
    if (!pointer || !pointer->text.ends_with('\n')) return std::nullopt;
    const std::string text = pointer->text.substr(0, pointer->text.size() - 1);
    const fs::path path(std::u8string(text.begin(), text.end()));
    if (path.is_absolute()) return pointer->is_mine ? std::optional(path) : std::nullopt;
    fs::path up = ".";
    const int levels = std::atoi(text.c_str());
    for (int i = 0; i < std::clamp(levels, 0, 256); ++i) up /= "..";
    return folder / up;
}

}  // namespace parallax::io
