#include "support/writers.hpp"

#if defined(_WIN32)

namespace parallax::host {

Writers writers_of(int) noexcept { return {}; }
bool may_change(const Writers&, const Folder&, const Folder&) { return true; }

}  // namespace parallax::host

#else

#include <sys/stat.h>

#include <algorithm>
#include <vector>

namespace parallax::host {

namespace fs = std::filesystem;

namespace {

bool is_same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

/// The folder, and those that it is in, up to the root. Ends before one that cannot be looked at.
std::vector<struct stat> way_up(const Folder& folder) {
    constexpr std::size_t most = 256;
    std::vector<struct stat> way;
    struct stat status{};
    for (fs::path up = "."; way.size() < most && ::stat((folder / up).c_str(), &status) == 0; up /= "..") {
        if (!way.empty() && is_same(way.back(), status)) break;
        way.push_back(status);
    }
    return way;
}

/// Who is in a folder's group has its group's rights, be those less than everybody's.
bool have(const Writers& writers, const struct stat& folder, mode_t of_group, mode_t of_all) {
    const bool group = (folder.st_mode & of_group) == of_group, all = group && (folder.st_mode & of_all) == of_all;
    return (!writers.are_group || (folder.st_gid == writers.group ? group : all)) && (!writers.are_all || all);
}

}  // namespace

Writers writers_of(int descriptor) noexcept {
    struct stat file{};
    if (::fstat(descriptor, &file) != 0) return {.group = 0, .are_group = true, .are_all = true};
    return {.group = file.st_gid, .are_group = (file.st_mode & S_IWGRP) != 0, .are_all = (file.st_mode & S_IWOTH) != 0};
}

bool may_change(const Writers& writers, const Folder& folder, const Folder& from) {
    if (!writers) return true;
    const std::vector<struct stat> way = way_up(folder), known = way_up(from);
    if (way.empty() || (way.front().st_mode & S_ISVTX) != 0 || !have(writers, way.front(), S_IWGRP | S_IXGRP, S_IWOTH | S_IXOTH))
        return false;
    for (const struct stat& there : way) {
        if (std::any_of(known.begin(), known.end(), [&](const struct stat& one) { return is_same(one, there); })) return true;
        if (!have(writers, there, S_IXGRP, S_IXOTH)) return false;
    }
    return false;   // too deep, or it cannot be seen how it hangs together
}

}  // namespace parallax::host

#endif
