#include "support/mounts.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/stat.h>
#endif

namespace parallax::host {

namespace fs = std::filesystem;

namespace {

/// A path of mountinfo, in which spaces and the like stand as three octal digits behind a backslash.
std::string unescaped(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string digits(text.substr(std::min(text.size(), i + 1), 3));
        const bool octal = text[i] == '\\' && digits.size() == 3 && digits.find_first_not_of("01234567") == std::string::npos;
        result += octal ? static_cast<char>(std::stoi(digits, nullptr, 8)) : text[i];
        if (octal) i += 3;
    }
    return result;
}

/// The way from a folder to a path in it, or to the folder itself; nothing: it lies elsewhere.
std::optional<fs::path> below(const fs::path& path, const fs::path& folder) {
    const std::string all = path.string(), first = folder.string();
    if (first == "/") return path.relative_path();
    if (!all.starts_with(first) || (all.size() > first.size() && all[first.size()] != '/')) return std::nullopt;
    return fs::path(all.substr(std::min(all.size(), first.size() + 1)));
}

fs::path joined(const fs::path& folder, const fs::path& way) { return way.empty() ? folder : folder / way; }

}   // namespace

std::vector<Mount> mounts(const fs::path& root) {
    std::vector<Mount> all;
    std::ifstream lines(root / "proc/self/mountinfo");
    for (std::string line; std::getline(lines, line);) {   // id, parent, device, top, point, ... - type, source, options
        std::vector<std::string> words;   // of which a source may be empty
        std::istringstream stream(line);
        for (std::string word; std::getline(stream, word, ' ');) words.push_back(word);
        const auto dash = std::find(words.begin(), words.end(), "-");
        if (words.size() < 5 || words.end() - dash < 4) continue;
        all.push_back({words[2], unescaped(words[3]), unescaped(words[4]), dash[1], dash[3]});
    }
    return all;
}

#if defined(__linux__)
std::uint64_t marks_of(const fs::path& path, bool follow) noexcept {
    struct statx state{};
    const int how = (follow ? 0 : AT_SYMLINK_NOFOLLOW) | AT_NO_AUTOMOUNT;
    return ::statx(AT_FDCWD, path.c_str(), how, STATX_BASIC_STATS, &state) == 0 ? state.stx_attributes : 0;
}
bool is_mount_point(const fs::path& path) noexcept { return (marks_of(path, false) & STATX_ATTR_MOUNT_ROOT) != 0; }
#else
std::uint64_t marks_of(const fs::path&, bool) noexcept { return 0; }
bool is_mount_point(const fs::path&) noexcept { return false; }
#endif

const Mount* Mounts::holding(const fs::path& real) const {
    // What is mounted later lies above, what is inside another is later than that.
    for (auto one = all_.rbegin(); one != all_.rend(); ++one)
        if (below(real, one->point)) return &*one;
    return nullptr;
}

fs::path Mounts::first_path(const fs::path& real) const {
    const Mount* const held = real.is_absolute() ? holding(real) : nullptr;
    if (!held) return real;
    const fs::path place = joined(held->top, *below(real, held->point));
    for (const Mount& one : all_) {
        if (&one == held) break;
        if (one.device != held->device) continue;
        const auto way = below(place, one.top);
        if (!way) continue;
        const fs::path path = joined(one.point, *way);
        if (holding(path) == &one) return path;   // and nothing is mounted above it
    }
    return real;
}

fs::path Mounts::inside(const fs::path& real) const {
    if (!real.is_absolute()) return {};   // what has gone has no real path
    for (const Mount& one : all_) {
        const auto way = below(one.point, real);
        if (way && !way->empty()) return one.point;
    }
    return {};
}

}   // namespace parallax::host
