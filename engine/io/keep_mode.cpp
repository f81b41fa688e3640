#include "io/keep_mode.hpp"

#include <string>
#include <system_error>

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <cerrno>
#include <sys/xattr.h>
#endif

namespace parallax::io {

namespace fs = std::filesystem;

namespace {

constexpr fs::perms of_others = fs::perms::group_all | fs::perms::others_all;

#if defined(__linux__)
constexpr const char* access_list = "system.posix_acl_access";

/// Of a list whose entry for the group speaks of another group by now: that, and others, have what both had.
void join_group_and_others(std::string& list) {
    constexpr std::size_t header = 4, entry = 8, rights = 2;   // bytes of it, each entry's lowest first: what it is for, its rights, who
    constexpr char of_group = 0x04, of_others = 0x20;
    char *group = nullptr, *others = nullptr;
    for (std::size_t i = header; i + entry <= list.size(); i += entry) {
        if (list[i] == of_group) group = &list[i + rights];
        if (list[i] == of_others) others = &list[i + rights];
    }
    if (group && others) *group = *others = static_cast<char>(*group & *others);
}
#endif

#if defined(_WIN32)
bool have_one_group(const fs::path&, const fs::path&) { return true; }
bool keep_group(const fs::path&, const fs::path&) { return true; }
#else
bool have_one_group(const fs::path& a, const fs::path& b) {
    struct stat of_a{}, of_b{};
    return ::lstat(a.c_str(), &of_a) == 0 && ::lstat(b.c_str(), &of_b) == 0 && of_a.st_gid == of_b.st_gid;
}

/// Whether the new one has the group of the old one, which it is given where this user may.
bool keep_group(const fs::path& old, const fs::path& part) {
    if (have_one_group(old, part)) return true;
    struct stat was{};
    if (::lstat(old.c_str(), &was) != 0) return false;
    return ::lchown(part.c_str(), static_cast<uid_t>(-1), was.st_gid) == 0 && have_one_group(old, part);
}
#endif

/// What the group and others have both, for each of them: so nobody has more than before, whichever group he is in.
fs::perms of_both(fs::perms rights) {
    const unsigned bits = static_cast<unsigned>(rights), both = bits >> 3 & bits & 07;
    return static_cast<fs::perms>(both << 3 | both);
}

enum class List { none, kept, lost };

/// lost: the old one had a list, and the new one cannot have it.
List keep_list([[maybe_unused]] const fs::path& old, [[maybe_unused]] const fs::path& part, [[maybe_unused]] bool same_group) {
#if defined(__linux__)
    std::string text(1 << 16, '\0');
    const ssize_t length = ::lgetxattr(old.c_str(), access_list, text.data(), text.size());
    if (length >= 0) {
        text.resize(static_cast<std::size_t>(length));
        if (!same_group) join_group_and_others(text);
        return ::lsetxattr(part.c_str(), access_list, text.data(), text.size(), 0) == 0 ? List::kept : List::lost;
    }
    if (errno != ENODATA) return errno == ENOTSUP || errno == ENOSYS ? List::none : List::lost;
    ::lremovexattr(part.c_str(), access_list);   // of the folder's own giving
#endif
    return List::none;
}

/// To others no more than these rights.
void restrict_to(const fs::path& part, fs::perms rights) {
    std::error_code ignored;
#if defined(__linux__)
    ::lremovexattr(part.c_str(), access_list);
#endif
    const fs::file_status is = fs::symlink_status(part, ignored);
    fs::permissions(part, is.permissions() & (~of_others | rights), ignored);
}

}   // namespace

void keep_mode(const fs::path& old, const fs::path& part) {
    std::error_code ignored;
    const fs::file_status was = fs::symlink_status(old, ignored);
    if (!fs::exists(was) || fs::is_symlink(was)) return;
    const auto now = [&] { return fs::symlink_status(part, ignored).permissions(); };
    const bool same_group = keep_group(old, part);
    const fs::perms own = now() & ~of_others;
    fs::perms rights = same_group ? was.permissions() & of_others : of_both(was.permissions());
    const List list = keep_list(old, part, same_group);
    if (list == List::kept) rights = now() & of_others;
    // The group's bits of a file with a list are the most that the list gives to anybody.
    if (list == List::lost) rights &= fs::perms::others_all;
    if ((own | rights) != now()) fs::permissions(part, own | rights, ignored);
}

void keep_modes_of_tree(const fs::path& old, const fs::path& part, fs::perms given) {
    std::error_code ignored;
    if (!fs::is_directory(fs::symlink_status(old, ignored))) return fs::permissions(part, given, ignored);
    fs::perms of_files = of_others, of_folders = of_others;
    bool one_group = true;
    for (fs::recursive_directory_iterator at(old, ignored), end; !ignored && at != end; at.increment(ignored)) {
        const fs::file_status was = at->symlink_status(ignored);
        one_group = one_group && have_one_group(old, at->path());
        if (fs::is_directory(was)) of_folders &= was.permissions();
        else if (fs::is_regular_file(was)) of_files &= was.permissions();
    }
    if (ignored) of_files = of_folders = fs::perms::none;   // not all were seen
    for (fs::recursive_directory_iterator at(part, ignored), end; !ignored && at != end; at.increment(ignored)) {
        const fs::path same = old / at->path().lexically_relative(part);
        std::error_code unknown;
        const fs::file_status was = fs::symlink_status(same, unknown);
        if (fs::exists(was) && !fs::is_symlink(was)) {
            keep_mode(same, at->path());
            continue;
        }
        const fs::perms rights = at->is_directory(unknown) ? of_folders : of_files;
        restrict_to(at->path(), keep_group(old, at->path()) && one_group ? rights : of_both(rights));
    }
    keep_mode(old, part);
}

fs::perms close_to_others(const fs::path& folder) {
    std::error_code ignored;
    const fs::perms given = fs::symlink_status(folder, ignored).permissions();
    fs::permissions(folder, of_others, fs::perm_options::remove, ignored);
    return given;
}

}   // namespace parallax::io
