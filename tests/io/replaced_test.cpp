// What a file may not replace is found before work is done for it, and again before anything is put in place.
#include "io/one_name.hpp"
#include "io/part_file.hpp"
#include "io/real_paths.hpp"
#include "io/transaction.hpp"
#include "parallax/host/json.hpp"
#include "journal_text.hpp"
#include "support.hpp"

#include <functional>

#if !defined(_WIN32)
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#if defined(__linux__)
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/xattr.h>
#endif

using namespace parallax;
using namespace parallax::tests;

namespace {

/// Something that stands in an output's place, and goes with the object.
struct Obstacle {
    const char* says;
    std::function<bool(const fs::path&)> put;   ///< false: this machine does not let us
    std::function<void(const fs::path&)> take_away = [](const fs::path&) {};
};

#if defined(__linux__)
bool mark(const fs::path& path, bool set, int flag = FS_IMMUTABLE_FL) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    int flags = 0;
    const bool known = file >= 0 && ::ioctl(file, FS_IOC_GETFLAGS, &flags) == 0;
    flags = set ? flags | flag : flags & ~flag;
    const bool done = known && ::ioctl(file, FS_IOC_SETFLAGS, &flags) == 0;
    if (file >= 0) ::close(file);
    return done;
}
#endif

std::vector<Obstacle> obstacles() {
    const auto put_file = [](const fs::path& path) { put(path, "mine"); };
    std::vector<Obstacle> all{
        {"is a folder", [](const fs::path& path) { return fs::create_directory(path); }},
        {"is a device or a pipe", [](const fs::path& path) { return ::mkfifo(path.c_str(), 0600) == 0; }},
        {"is a device or a pipe", [](const fs::path& path) { return ::mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0; }},
        {"is a device or a pipe",
         [](const fs::path& path) {
             sockaddr_un address{AF_UNIX, {}};
             const fs::path before = fs::current_path();
             fs::current_path(path.parent_path());   // the address is short
             std::strncpy(address.sun_path, path.filename().c_str(), sizeof address.sun_path - 1);
             const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
             const bool bound = ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
             ::close(listener);
             fs::current_path(before);
             return bound;
         }},
        {"is write-protected", [put_file](const fs::path& path) {
             put_file(path);
             return ::chmod(path.c_str(), 0444) == 0 && ::geteuid() != 0;
         }}};
#if defined(__linux__)
    all.push_back({"is a mount point",
                   [put_file](const fs::path& path) {
                       put_file(path);
                       return ::mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) == 0;
                   },
                   [](const fs::path& path) { ::umount(path.c_str()); }});
    all.push_back({"is marked by chattr",
                   [put_file](const fs::path& path) {
                       put_file(path);
                       return mark(path, true);
                   },
                   [](const fs::path& path) { mark(path, false); }});
#endif
    return all;
}

bool can_be_written(const fs::path& path, const ArrayDesc& desc) {
    try {
        io::check_writable(path, desc);
        return true;
    } catch (const IoError&) {
        return false;
    }
}

}   // namespace

TEST_CASE("outputs: what may not be replaced is found before anything is written, and after") {
    int tried = 0;
    for (const Obstacle& obstacle : obstacles()) {
        for (const bool meanwhile : {false, true}) {
            CAPTURE(obstacle.says);
            CAPTURE(meanwhile);
            const Folder folder;
            put(folder / "a.npy", "old");
            const fs::path place = folder / "b.npy";
            const auto put_there = [&] {
                if (obstacle.put(place)) return true;
                fs::remove(place);
                return false;
            };
            bool there = !meanwhile && put_there(), written = false;
            if (!meanwhile && !there) continue;
            std::string problem;
            try {
                io::Transaction files(folder.path(), {.overwrite = true});
                files.add(folder / "a.npy", [](const fs::path& path) { put(path, "new"); });
                files.add(place, [&](const fs::path& path) {
                    written = true;
                    put(path, "new");
                });
                if (meanwhile) there = put_there();
                if (there) files.commit();
            } catch (const IoError& error) {
                problem = error.problem;
            }
            const bool stands = fs::exists(fs::symlink_status(place));
            const bool regular = fs::is_regular_file(fs::symlink_status(place));
            const std::string text = regular ? get(place) : "mine";
            obstacle.take_away(place);
            if (!there) continue;
            ++tried;
            CHECK(problem.find(obstacle.says) == 0);
            CHECK(written == meanwhile);
            CHECK(get(folder / "a.npy") == "old");
            CHECK(stands);
            CHECK(text == "mine");
            CHECK(folder.entries() == 2);
        }
    }
    CHECK(tried >= 6);
}

#if defined(__linux__)
TEST_CASE("outputs: a folder that loses no names is found before anything is written") {
    const Folder folder;
    if (!mark(folder.path(), true, FS_APPEND_FL)) {
        MESSAGE("skipped: chattr +a is not to be had here");
        return;
    }
    std::string problem;
    try {
        io::check_writable(folder / "a.npy", ArrayDesc::dense(ElementType::u8, {{'x', 3}}));
    } catch (const IoError& error) {
        problem = error.problem;
    }
    REQUIRE(mark(folder.path(), false, FS_APPEND_FL));
    CHECK_MESSAGE(problem.find("is marked by chattr as one that loses no names") != std::string::npos, problem);
}
#endif

TEST_CASE("outputs: a file of a folder in which each user has his own is not another's to replace") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make other users' files");
        return;
    }
    const Folder folder;
    put(folder / "a.npy", "mine");
    REQUIRE(::chmod(folder.path().c_str(), 01777) == 0);
    REQUIRE(::seteuid(65534) == 0);
    std::string problem;
    try {
        io::check_replaceable(folder / "a.npy");
    } catch (const IoError& error) {
        problem = error.problem;
    }
    REQUIRE(::seteuid(0) == 0);
    CHECK(problem.find("is ") == 0);
    REQUIRE(::chmod((folder / "a.npy").c_str(), 0666) == 0);
    REQUIRE(::seteuid(65534) == 0);
    try {
        io::check_replaceable(folder / "a.npy");
    } catch (const IoError& error) {
        problem = error.problem;
    }
    REQUIRE(::seteuid(0) == 0);
    CHECK(problem.find("is another user's") == 0);
}

TEST_CASE("outputs: what replaces a file that others may not read is closed to them from its first byte on, in every format") {
    const Folder folder;
    const HostArray array = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 24}, {'x', 32}}));
    struct stat empty {}, full {};
    int tried = 0;
    for (const char* const name :
         {"a.npy", "a.tif", "a.ome.tif", "a.png", "a.jpg", "a.gif", "a.nii", "a.nii.gz", "a.nrrd", "a.mha", "a.h5", "a.mp4"}) {
        const fs::path path = folder / name;
        if (!can_be_written(path, array.desc)) continue;   // a library or a program is missing
        for (const mode_t mode : {0600, 0640, 0660}) {
            CAPTURE(name);
            CAPTURE(mode);
            put(path, "old");
            REQUIRE(::chmod(path.c_str(), mode) == 0);
            io::Transaction transaction(folder.path(), {.overwrite = true});
            transaction.add(path, [&](const fs::path& part) {
                REQUIRE(::stat(part.c_str(), &empty) == 0);   // there before the format is asked to fill it
                io::write(part, array);
                REQUIRE(::stat(part.c_str(), &full) == 0);
            });
            transaction.commit();
            CHECK((empty.st_mode & 0077 & ~mode) == 0);
            CHECK(full.st_mode == empty.st_mode);
            CHECK(full.st_ino == empty.st_ino);
            CHECK((fs::status(path).permissions() & fs::perms::mask) == static_cast<fs::perms>(mode));
            CHECK(io::info(path).desc.size('x') == 32);
            ++tried;
        }
        fs::remove(path);
    }
    CHECK(tried >= 27);   // nine formats are always there
}

#if defined(__linux__)
TEST_CASE("outputs: where new files belong to somebody else (vfat, NFS that maps root) none is made before it is written") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make others' files");
        return;
    }
    const Folder folder;
    put(folder / "a.npy", "old");
    REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
    const fs::path part = folder / ".parallax-12-0-0123abcd-0-a.npy";
    for (const bool theirs : {true, false}) {
        if (theirs) ::setfsuid(65534);   // of this thread: what it makes is nobody's
        io::make_part_as_closed(folder / "a.npy", part);
        const bool made = fs::exists(part);
        const int file = io::create_descriptor(part);
        ::setfsuid(0);
        CHECK(made != theirs);
        CHECK(file >= 0);
        if (file >= 0) ::close(file);
        fs::remove(part);
    }
}
#endif

TEST_CASE("outputs: nothing that stands under the name of a part is written through") {
    const Folder folder;
    put(folder / "theirs", "theirs");
    const HostArray array = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 24}, {'x', 32}}));
    for (const char* const name : {"a.npy", "a.tif", "a.nii.gz", "a.h5", "a.gif", "a.mp4"}) {
        if (!can_be_written(folder / name, array.desc)) continue;
        for (const bool link : {true, false}) {
            CAPTURE(name);
            CAPTURE(link);
            const fs::path part = folder / (".parallax-12-0-0123abcd-0-" + std::string(name));
            if (link) fs::create_symlink("theirs", part);
            else put(part, "theirs");
            CHECK_THROWS_AS(io::write(part, array), IoError);
            CHECK(get(folder / "theirs") == "theirs");
            CHECK(get(part) == "theirs");
            fs::remove(part);
        }
    }
}

TEST_CASE("outputs: a journal of a dead process puts no file in the place of a pipe") {
    static const Folder folder;   // kept: a folder is looked at again after some seconds only
    const std::string dead = ".parallax-12-0-0123abcd";
    put(folder / (dead + "-1-b.npy"), "new b");
    put(folder / "a.npy", "new a");   // was in its place by then
    REQUIRE(::mkfifo((folder / "b.npy").c_str(), 0600) == 0);
    put(folder / (dead + "-old-0"), "old a");
    Json moves = Json::array();
    for (const char* const name : {"a.npy", "b.npy"}) {
        const bool first = name[0] == 'a';
        struct stat state {};
        REQUIRE(::stat((first ? folder / "a.npy" : folder / (dead + "-1-b.npy")).c_str(), &state) == 0);
        moves.push_back({{"folder", "."},
                         {"part", dead + (first ? "-0-a.npy" : "-1-b.npy")},
                         {"name", name},
                         {"old", first ? dead + "-old-0" : ""}});
        moves.back()["inode"] = static_cast<std::uint64_t>(state.st_ino);
        moves.back()["bytes"] = static_cast<std::uint64_t>(state.st_size);
    }
    put_journal_text(folder / (dead + ".journal"), journal_line({{"commit", moves}, {"overwrite", true}}));
    io::recover(folder.path());
    CHECK(get(folder / "a.npy") == "old a");
    CHECK(fs::is_fifo(folder / "b.npy"));
    CHECK(folder.entries() == 2);
}
#if defined(__linux__)
TEST_CASE("outputs: what is mounted in an old store stays, and the store with it") {
    for (const bool meanwhile : {false, true}) {
        CAPTURE(meanwhile);
        const Folder folder, elsewhere;
        put(elsewhere / "thesis.txt", "all of it");
        fs::create_directories(folder / "a.zarr/labels");
        put(folder / "a.zarr/.zgroup", "old");
        const fs::path place = folder / "a.zarr/labels";
        const auto put_there = [&] { return ::mount(elsewhere.path().c_str(), place.c_str(), nullptr, MS_BIND, nullptr) == 0; };
        if (!meanwhile && !put_there()) {
            MESSAGE("skipped: nothing can be mounted here");
            return;
        }
        std::string problem;
        try {
            io::Transaction files(folder.path(), {.overwrite = true});
            files.add(folder / "a.zarr", [](const fs::path& path) { put(path / ".zgroup", "new"); }, io::Transaction::Form::folder);
            if (meanwhile) REQUIRE(put_there());
            files.commit();
        } catch (const IoError& error) {
            problem = error.problem;
        }
        CHECK(fs::exists(elsewhere / "thesis.txt"));
        CHECK_MESSAGE(problem.find("in which something is mounted") != std::string::npos, problem);
        CHECK(get(folder / "a.zarr/.zgroup") == "old");
        ::umount2(place.c_str(), MNT_DETACH);
        io::recover(folder.path());
        for (const auto& entry : fs::directory_iterator(folder.path())) CHECK(entry.path().filename() == "a.zarr");
    }
}

TEST_CASE("outputs: an old store goes, however deep the folders in it, with few files open") {
    const Folder folder;
    fs::create_directory(folder / "a.zarr");
    put(folder / "a.zarr/.zgroup", "old");
    int inner = ::open((folder / "a.zarr").c_str(), O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 3000; ++i) {   // longer than any path may be
        REQUIRE(::mkdirat(inner, "n", 0755) == 0);
        const int next = ::openat(inner, "n", O_RDONLY | O_DIRECTORY);
        ::close(inner);
        inner = next;
    }
    ::close(inner);
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    rlimit few = before;
    few.rlim_cur = 400;
    ::setrlimit(RLIMIT_NOFILE, &few);
    {
        io::Transaction files(folder.path(), {.overwrite = true});
        files.add(folder / "a.zarr", [](const fs::path& path) { put(path / ".zgroup", "new"); }, io::Transaction::Form::folder);
        files.commit();
    }
    ::setrlimit(RLIMIT_NOFILE, &before);
    CHECK(get(folder / "a.zarr/.zgroup") == "new");
    CHECK(folder.entries() == 2);
}

TEST_CASE("outputs: a folder that is mounted twice takes no two files of one name") {
    for (const bool over_old : {false, true}) {
        CAPTURE(over_old);
        const Folder folder;
        for (const char* const name : {"a", "b"}) fs::create_directory(folder / name);
        if (::mount((folder / "a").c_str(), (folder / "b").c_str(), nullptr, MS_BIND, nullptr) != 0) {
            MESSAGE("skipped: nothing can be mounted here");
            return;
        }
        if (over_old) put(folder / "a/x.npy", "old");
        CHECK(io::lead_to_one(folder / "a/new/y.npy", folder / "b/new/y.npy"));
        CHECK(!io::lead_to_one(folder / "a/new/y.npy", folder / "b/y.npy"));
        io::RealPaths real;
        CHECK(real.of(folder / "b/new/y.npy") == real.of(folder / "a/new/y.npy"));
        {
            io::Transaction files(folder.path(), {.overwrite = true});
            for (const char* const name : {"a", "b"})
                files.add(folder / name / "x.npy", [&](const fs::path& path) { put(path, name); });
            CHECK_THROWS_AS(files.commit(), IoError);
        }
        if (over_old) CHECK(get(folder / "a/x.npy") == "old");
        else CHECK(!fs::exists(folder / "a/x.npy"));
        ::umount2((folder / "b").c_str(), MNT_DETACH);
    }
}

TEST_CASE("outputs: a store in a layer below of an overlay, which no system renames, stays as it is, and is told of") {
    const Folder top;
    for (const char* const name : {"lower", "upper", "work", "both"}) fs::create_directory(top / name);
    fs::create_directory(top / "lower/a.zarr");
    put(top / "lower/a.zarr/.zgroup", "old");
    put(top / "lower/b.npy", "old");
    const std::string options = "lowerdir=" + (top / "lower").string() + ",upperdir=" + (top / "upper").string() +
                                ",workdir=" + (top / "work").string();
    if (::mount("overlay", (top / "both").c_str(), "overlay", 0, options.c_str()) != 0) {
        MESSAGE("skipped: no overlay can be mounted here");
        return;
    }
    const fs::path both = top / "both";
    std::string hint;
    try {
        io::Transaction files(both, {.overwrite = true});
        files.add(both / "b.npy", [](const fs::path& path) { put(path, "new"); });
        files.add(both / "a.zarr", [](const fs::path& path) { put(path / ".zgroup", "new"); }, io::Transaction::Form::folder);
        files.commit();
    } catch (const IoError& error) {
        hint = error.hint;
    }
    // A kernel that renames such folders (redirect_dir) replaces both; any other neither.
    const std::string store = get(both / "a.zarr/.zgroup"), file = get(both / "b.npy");
    const auto entries = std::distance(fs::directory_iterator(both), fs::directory_iterator());
    ::umount2(both.c_str(), MNT_DETACH);
    CHECK(store == (hint.empty() ? "new" : "old"));
    CHECK(file == store);
    CHECK(entries == 2);
    if (!hint.empty()) CHECK(hint.find("layer below") != std::string::npos);
}
#endif
#endif

#if defined(__linux__)
namespace {

/// user::, user:65534:r, group::, mask, other:: as the system keeps them.
std::string access_list(unsigned group, unsigned mask) {
    std::string list("\2\0\0\0", 4);
    const auto entry = [&](std::uint16_t tag, std::uint16_t rights, std::uint32_t id) {
        list.append(reinterpret_cast<const char*>(&tag), 2).append(reinterpret_cast<const char*>(&rights), 2);
        list.append(reinterpret_cast<const char*>(&id), 4);
    };
    constexpr std::uint32_t nobody_in_particular = 0xffffffff;
    entry(0x01, 6, nobody_in_particular);
    entry(0x02, 4, 65534);
    entry(0x04, static_cast<std::uint16_t>(group), nobody_in_particular);
    entry(0x10, static_cast<std::uint16_t>(mask), nobody_in_particular);
    entry(0x20, 0, nobody_in_particular);
    return list;
}

std::string list_of(const fs::path& file, const char* name = "system.posix_acl_access") {
    std::string text(4096, '\0');
    const ssize_t length = ::getxattr(file.c_str(), name, text.data(), text.size());
    return length < 0 ? "" : text.substr(0, static_cast<std::size_t>(length));
}

void replace(const fs::path& file) {
    io::Transaction files(file.parent_path(), {.overwrite = true});
    files.add(file, [](const fs::path& part) { put(part, "new"); });
    files.commit();
    CHECK(get(file) == "new");
}

}   // namespace

TEST_CASE("outputs: what replaces a file has its list of users and groups, or none where that had none") {
    const Folder folder;
    put(folder / "a", "old"), put(folder / "b", "old");
    const std::string list = access_list(0, 4);
    if (::setxattr((folder / "a").c_str(), "system.posix_acl_access", list.data(), list.size(), 0) != 0) {
        MESSAGE("skipped: this file system keeps no lists");
        return;
    }
    const std::string had = list_of(folder / "a");
    replace(folder / "a");
    CHECK(list_of(folder / "a") == had);
    // The folder gives new files more than the old one of this name had.
    fs::permissions(folder / "b", fs::perms(0640));
    const std::string given = access_list(6, 6);
    REQUIRE(::setxattr(folder.path().c_str(), "system.posix_acl_default", given.data(), given.size(), 0) == 0);
    replace(folder / "b");
    CHECK(list_of(folder / "b").empty());
    CHECK((fs::status(folder / "b").permissions() & fs::perms::mask) == fs::perms(0640));
    replace(folder / "c");   // which nothing was before
    CHECK_FALSE(list_of(folder / "c").empty());
}

namespace {

/// By a user whom root becomes for that time; what went wrong.
std::string replaced_by_another(const fs::path& file) {
    REQUIRE(::seteuid(65534) == 0);
    std::string problem;
    try {
        replace(file);
    } catch (const std::exception& error) {
        problem = error.what();
    }
    REQUIRE(::seteuid(0) == 0);
    return problem;
}

}   // namespace

TEST_CASE("outputs: what replaces a file has its group or, where that may not be given, nothing that the group alone had") {
    constexpr gid_t lab = 4242;
    const Folder folder;
    put(folder / "a", "old");
    if (::geteuid() != 0 || ::lchown((folder / "a").c_str(), static_cast<uid_t>(-1), lab) != 0) {
        MESSAGE("skipped: only root can give a file to any group");
        return;
    }
    const auto rights = [](const fs::path& path) { return static_cast<unsigned>(fs::status(path).permissions() & fs::perms::mask); };
    const auto group = [](const fs::path& path) {
        struct stat is {};
        REQUIRE(::stat(path.c_str(), &is) == 0);
        return is.st_gid;
    };
    fs::permissions(folder / "a", fs::perms(0640));
    replace(folder / "a");
    CHECK(group(folder / "a") == lab);
    CHECK(rights(folder / "a") == 0640);
    const auto write = [&](int side) {
        io::write(folder / "a.zarr", pattern(ArrayDesc::dense(ElementType::u8, {{'y', side}, {'x', side}})), {.overwrite = true});
    };
    const auto each = [&](const auto& work) {
        work(folder / "a.zarr", true);
        for (const auto& entry : fs::recursive_directory_iterator(folder / "a.zarr")) work(entry.path(), entry.is_directory());
    };
    write(40);
    each([](const fs::path& path, bool is_folder) {
        REQUIRE(::lchown(path.c_str(), static_cast<uid_t>(-1), lab) == 0);
        fs::permissions(path, fs::perms(is_folder ? 0750 : 0640));
    });
    write(3000);   // more of them than before
    each([&](const fs::path& path, bool is_folder) {
        CAPTURE(path.string());
        CHECK(group(path) == lab);
        CHECK(rights(path) == (is_folder ? 0750u : 0640u));
    });
    // One who is not in that group; with root's rights goes that of giving files to any.
    fs::permissions(folder.path(), fs::perms(0777));
    struct Row {
        unsigned was, is;
    };
    for (const Row& row : {Row{0640, 0600}, Row{0660, 0600}, Row{0644, 0644}, Row{0664, 0644}, Row{0604, 0600}}) {
        CAPTURE(row.was);
        put(folder / "b", "old");
        REQUIRE(::lchown((folder / "b").c_str(), 65534, lab) == 0);
        fs::permissions(folder / "b", fs::perms(row.was));
        CHECK(replaced_by_another(folder / "b") == "");
        CHECK(group(folder / "b") != lab);
        CHECK(rights(folder / "b") == row.is);
    }
    const std::string list = access_list(4, 6);   // its own group may read, and a user besides
    put(folder / "c", "old");
    REQUIRE(::lchown((folder / "c").c_str(), 65534, lab) == 0);
    if (::setxattr((folder / "c").c_str(), "system.posix_acl_access", list.data(), list.size(), 0) != 0) return;
    CHECK(replaced_by_another(folder / "c") == "");
    CHECK(list_of(folder / "c") == access_list(0, 6));
}
#endif

TEST_CASE("outputs: what is in a store that replaces another is as closed to others as what was in that") {
    const Folder folder;
    const fs::path store = folder / "a.zarr";
    const auto write = [&](int side) {
        io::write(store, pattern(ArrayDesc::dense(ElementType::u8, {{'y', side}, {'x', side}})), {.overwrite = true});
    };
    const auto each = [&](const auto& work) {
        for (const auto& entry : fs::recursive_directory_iterator(store)) work(entry.path(), entry.is_directory());
    };
    write(40);
    each([](const fs::path& path, bool is_folder) { fs::permissions(path, fs::perms(is_folder ? 0711 : 0600)); });
    fs::permissions(store, fs::perms(0750));
    write(3000);   // more of them than before
    int seen = 0;
    each([&](const fs::path& path, bool is_folder) {
        CAPTURE(path.string());
        CHECK((fs::status(path).permissions() & fs::perms::mask) == fs::perms(is_folder ? 0711 : 0600));
        ++seen;
    });
    CHECK(seen > 6);
    CHECK((fs::status(store).permissions() & fs::perms::mask) == fs::perms(0750));
}

TEST_CASE("outputs: a store in the place of a file is open as any new folder") {
    const Folder folder;
    const HostArray array = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 40}, {'x', 40}}));
    io::write(folder / "new.zarr", array);
    put(folder / "a.zarr", "a file");
    io::write(folder / "a.zarr", array, {.overwrite = true});
    CHECK(fs::status(folder / "a.zarr").permissions() == fs::status(folder / "new.zarr").permissions());
}
