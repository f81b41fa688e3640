// Whose word counts: journals of other users, those that others may have written, and those that were made elsewhere.
#include "io/journal.hpp"
#include "io/pointer.hpp"
#include "io/transaction.hpp"

#include "left_behind.hpp"
#include "support.hpp"
#include "support/file_identity.hpp"
#include "support/warnings.hpp"

#if !defined(_WIN32)
#if defined(__linux__)
#include <sys/fsuid.h>
#endif
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("transactions: another user's journal in a folder that is neither's is left alone") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make another user's file");
        return;
    }
    for (const bool other : {true, false}) {
        const Folder& folder = folder_with_files();
        put_journal(folder, dead + "-0-a.npy", "", true);   // it says that it has made a.npy
        const fs::path journal = folder / (dead + ".journal");
        if (other) REQUIRE((::chmod(journal.c_str(), 0666) == 0 && ::chown(journal.c_str(), 65534, 65534) == 0));
        io::recover(folder / ".");
        CHECK(fs::exists(folder / "mine/a.npy") == other);
        CHECK(fs::exists(journal) == other);
    }
}

TEST_CASE("transactions: a journal that others may have written does where they may change everything what it says, and nothing else") {
    struct Case {
        mode_t journal, folder, mine;
        bool done;
    };
    const Case cases[] = {{0644, 0755, 0755, true},  {0600, 01777, 0700, true}, {0664, 0775, 0775, true},   {0666, 0777, 0777, true},
                          {0664, 0775, 0755, false}, {0664, 0755, 0775, false}, {0664, 01777, 0775, false}, {0664, 0775, 01775, false},
                          {0666, 0775, 0777, false}, {0666, 0777, 0775, false}};
    for (const Case& one : cases) {
        CAPTURE(one.journal);
        CAPTURE(one.folder);
        CAPTURE(one.mine);
        const Folder& folder = folder_with_files();
        put_journal(folder, dead + "-0-a.npy", "", true);
        const fs::path journal = folder / (dead + ".journal");
        REQUIRE(::chmod(journal.c_str(), one.journal) == 0);
        REQUIRE(::chmod((folder / "mine").c_str(), one.mine) == 0);
        REQUIRE(::chmod((folder / ".").c_str(), one.folder) == 0);
        io::recover(folder / ".");
        CHECK(fs::exists(folder / "mine/a.npy") != one.done);
        CHECK(fs::exists(journal) != one.done);
    }
}

TEST_CASE("transactions: of a folder elsewhere a journal that others may have written says what its pointer, which they may not, says too") {
    const std::string part = dead + "-1-r.json";
    for (const mode_t pointer : {mode_t{0600}, mode_t{0660}})
        for (const bool noted : {false, true}) {
            CAPTURE(pointer);
            CAPTURE(noted);
            const Folder base, elsewhere;
            const fs::path there = fs::canonical(elsewhere / "."), here = fs::canonical(base / ".");
            put(there / part, "report");
            const Json move{{"folder", there.string()}, {"part", part}, {"name", "r.json"}, {"old", ""},
                            {"inode", host::identity_of(there / part)->inode}, {"bytes", fs::file_size(there / part)}};
            std::string lines;
            for (const Json& json : {Json{{"place", there.string()}}, Json{{"commit", Json::array({move})}, {"overwrite", true}}})
                lines += journal_line(json);
            put_journal_text(here / (dead + ".journal"), lines);
            put(there / (dead + ".base"), here.string() + '\n' + (noted ? io::said_in_pointer(part, "r.json", true) + '\n' : ""));
            REQUIRE((::chmod((here / (dead + ".journal")).c_str(), 0664) == 0 && ::chmod(here.c_str(), 0775) == 0));
            REQUIRE((::chmod((there / (dead + ".base")).c_str(), pointer) == 0 && ::chmod(there.c_str(), 0755) == 0));
            io::recover(here);
            CHECK(fs::exists(there / "r.json") == (noted && pointer == 0600));
        }
}

TEST_CASE("transactions: in a folder that who may write the journal may not change, its pointer says which names its files are to get") {
    const Folder base;
    fs::create_directory(base / "mine");
    REQUIRE((::chmod((base / ".").c_str(), 0775) == 0 && ::chmod((base / "mine").c_str(), 0755) == 0));
    const mode_t before = ::umask(002);
    {
        io::Transaction files(base.path(), {.overwrite = true});
        for (const bool below : {false, true})
            files.add(base / (below ? "mine/a.npy" : "a.npy"), [&](const fs::path& path) {
                put(path, "new");
                const std::string part = path.filename().string(), transaction = io::transaction_of(part).value();
                if (below)
                    CHECK(io::noted_in_own_pointer(host::Folder::open(base / "mine"), transaction) ==
                          std::set<std::string>{io::said_in_pointer(part, "a.npy", true)});
            });
        files.commit();
    }
    ::umask(before);
    CHECK(get(base / "mine/a.npy") == "new");
    CHECK(base.entries() == 3);
    // And of a process that has ended. Where the pointer has gone with all the rest, nothing is to be done there.
    const std::string part = dead + "-1-a.npy";
    enum class Left { noted, unsaid, nothing };
    for (const Left left : {Left::noted, Left::unsaid, Left::nothing}) {
        CAPTURE(static_cast<int>(left));
        const Folder& folder = folder_with_files();
        const fs::path mine = folder / "mine";
        Json move{{"folder", "mine"}, {"part", part}, {"name", "a.npy"}, {"old", ""}, {"inode", 1u}, {"bytes", 3u}};
        if (left != Left::nothing) {
            put(mine / part, "new");
            move["inode"] = host::identity_of(mine / part)->inode;
            put(mine / (dead + ".base"), "1\n" + (left == Left::noted ? io::said_in_pointer(part, "a.npy", true) + "\n" : ""));
            REQUIRE(::chmod((mine / (dead + ".base")).c_str(), 0600) == 0);
        }
        put_journal_text(folder / (dead + ".journal"),
                         journal_line({{"place", "mine"}}) + journal_line({{"commit", Json::array({move})}, {"overwrite", true}}));
        REQUIRE((::chmod((folder / (dead + ".journal")).c_str(), 0664) == 0 && ::chmod((folder / ".").c_str(), 0775) == 0));
        REQUIRE(::chmod(mine.c_str(), 0755) == 0);
        io::recover(folder / ".");
        CHECK(get(mine / "a.npy") == (left == Left::noted ? "new" : "mine"));
        CHECK(fs::exists(folder / (dead + ".journal")) == (left == Left::unsaid));
        CHECK(fs::exists(mine / part) == (left == Left::unsaid));
    }
}

#if defined(__linux__)
TEST_CASE("transactions: where what one makes becomes somebody else's, his journal is one's own") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make another user's file");
        return;
    }
    for (const bool mapped : {false, true}) {
        const Folder& folder = folder_with_files();
        put_journal(folder, dead + "-0-a.npy", "", true);
        const fs::path journal = folder / (dead + ".journal");
        REQUIRE(::chown(journal.c_str(), 65534, 65534) == 0);
        for (const fs::path& open : {journal, folder / ".", folder / "mine"}) REQUIRE(::chmod(open.c_str(), 0777) == 0);
        const std::size_t before = folder.entries();
        if (mapped) ::setfsuid(65534);   // as a server that squashes users does: geteuid() knows nothing of it
        io::recover(folder / ".");
        ::setfsuid(0);
        CHECK(fs::exists(folder / "mine/a.npy") != mapped);
        CHECK(fs::exists(journal) != mapped);
        CHECK(folder.entries() == (mapped ? before - 2 : before));
    }
}
#endif

TEST_CASE("transactions: the pointer in a folder elsewhere says which names its files are to get") {
    const Folder base, elsewhere;
    const std::string name = "r\nr \xff.json";   // of any bytes
    io::Transaction files(base.path(), {.overwrite = true});
    files.add(base / "a.npy", [](const fs::path& path) { put(path, "new"); });
    files.add_beside(fs::canonical(elsewhere.path()) / name, true, [&](const fs::path& path) {
        put(path, "report");
        const std::string part = path.filename().string(), transaction = part.substr(0, part.find("-1-"));
        const auto notes = io::noted_in_own_pointer(host::Folder::open(elsewhere.path()), transaction);
        REQUIRE(notes);
        CHECK(*notes == std::set<std::string>{io::said_in_pointer(part, name, true)});
        CHECK(io::pointed_to(host::Folder::open(elsewhere.path()), transaction)->path == fs::canonical(base.path()));
    });
    files.commit();
    CHECK(get(elsewhere / name) == "report");
    CHECK(elsewhere.entries() == 1);
}

#if defined(__linux__)
TEST_CASE("transactions: where what one makes becomes somebody else's, reports in a folder elsewhere are finished, too") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make another user's file");
        return;
    }
    for (const bool mapped : {false, true}) {
        CAPTURE(mapped);
        const Folder base, elsewhere;
        const fs::path there = fs::canonical(elsewhere / "."), here = fs::canonical(base / ".");
        put(here / (dead + "-0-a.npy"), "new");
        put(there / (dead + "-1-r.json"), "report");
        Json moves = Json::array();
        const auto move = [&](const fs::path& folder, const std::string& in, const std::string& part, const std::string& name) {
            moves.push_back({{"folder", in}, {"part", part}, {"name", name}, {"old", ""},
                             {"inode", host::identity_of(folder / part)->inode}, {"bytes", fs::file_size(folder / part)}});
        };
        move(here, ".", dead + "-0-a.npy", "a.npy");
        move(there, there.string(), dead + "-1-r.json", "r.json");
        std::string lines;
        for (const Json& json : {Json{{"place", there.string()}}, Json{{"commit", moves}, {"overwrite", true}}})
            lines += journal_line(json);
        put_journal_text(here / (dead + ".journal"), lines);
        put(there / (dead + ".base"), here.string() + '\n');
        // The folders are a third one's, in which anybody may make a file.
        for (const fs::path& folder : {here, there}) REQUIRE((::chown(folder.c_str(), 65533, 65533) == 0 && ::chmod(folder.c_str(), 0777) == 0));
        for (const fs::path& file : {here / (dead + ".journal"), there / (dead + ".base")})
            REQUIRE((::chown(file.c_str(), 65534, 65534) == 0 && ::chmod(file.c_str(), 0666) == 0));
        if (mapped) ::setfsuid(65534);   // geteuid() knows nothing of it
        io::recover(elsewhere / ".");
        ::setfsuid(0);
        CHECK(fs::exists(here / "a.npy") == mapped);
        CHECK(fs::exists(there / "r.json") == mapped);
        CHECK(base.entries() == (mapped ? 1 : 2));
        CHECK(elsewhere.entries() == (mapped ? 1 : 2));
    }
}
#endif

TEST_CASE("transactions: a journal in a stranger's folder does nothing in folders below it that are not his") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make another user's file");
        return;
    }
    for (const bool his : {false, true}) {
        const Folder& folder = folder_with_files();
        put_journal(folder, dead + "-0-a.npy", "", true);
        const fs::path journal = folder / (dead + ".journal");
        REQUIRE(::chown(journal.c_str(), 65534, 65534) == 0);
        REQUIRE(::chown((folder / ".").c_str(), 65534, 65534) == 0);
        if (his) REQUIRE(::chown((folder / "mine").c_str(), 65534, 65534) == 0);
        io::recover(folder / ".");
        CHECK(fs::exists(folder / "mine/a.npy") != his);
        CHECK(fs::exists(journal) != his);
    }
}

#if defined(__linux__)
TEST_CASE("transactions: where a journal may not be written, that files wait is told") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can become another user");
        return;
    }
    enum class Whose { dead, alive, third };
    for (const Whose whose : {Whose::dead, Whose::alive, Whose::third}) {
        CAPTURE(static_cast<int>(whose));
        const Folder& folder = folder_with_files();
        host::take_warnings();
        put(folder / "mine" / (dead + "-0-a.npy"), "new");
        const Json move{{"folder", "mine"}, {"part", dead + "-0-a.npy"}, {"name", "a.npy"}, {"old", ""}, {"inode", 1u}, {"bytes", 3u}};
        put_lines(folder.path(), {Json{{"commit", Json::array({move})}, {"overwrite", true}}});
        const fs::path journal = folder / (dead + ".journal");
        REQUIRE((::chown((folder / ".").c_str(), 65533, 65533) == 0 && ::chmod((folder / ".").c_str(), 0755) == 0));
        const uid_t owner = whose == Whose::third ? 65532 : 65533;
        REQUIRE((::chown(journal.c_str(), owner, owner) == 0 && ::chmod(journal.c_str(), 0644) == 0));
        const int held = ::open(journal.c_str(), O_RDWR | O_CLOEXEC);
        REQUIRE((whose != Whose::alive || ::flock(held, LOCK_EX) == 0));
        ::setfsuid(65534);   // who opens what may not be written, be it root
        io::recover(folder / ".");
        ::setfsuid(0);
        ::close(held);
        CHECK(get(folder / "mine/a.npy") == "mine");
        bool told = false;
        for (const std::string& warning : host::take_warnings()) told = told || warning.find("side by side") != std::string::npos;
        CHECK(told == (whose == Whose::dead));
    }
}
#endif

TEST_CASE("transactions: a journal that came with an archive replaces no file that it does not know") {
    for (const bool undo : {false, true})
        for (const char* const number : {"", "12 34"}) {
            CAPTURE(undo);
            CAPTURE(number);
            const Folder& folder = folder_with_files();
            const std::string part = dead + "-0-a.npy", old = undo ? dead + "-old-0" : "";
            put(folder / "mine" / (undo ? old : part), "theirs");
            const Json move{{"folder", "mine"}, {"part", part}, {"name", "a.npy"}, {"old", old}, {"inode", 0u}, {"bytes", 0u}};
            std::string lines = *number != '\0' ? journal_line({{"number", number}}) : "";
            lines += journal_line({{"commit", Json::array({move})}, {"overwrite", true}});
            put(folder / (dead + ".journal"), lines + (undo ? journal_line({{"undo", true}}) : ""));
            io::recover(folder / ".");
            CHECK(get(folder / "mine/a.npy") == "mine");
        }
}

TEST_CASE("transactions: of a stranger's folders only his are gone into") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make another user's file");
        return;
    }
    const Folder& folder = folder_with_files();
    const fs::path part = folder / (dead + "-0-a.zarr");
    put_store(part, "his");
    put_store(part / "mine", "mine");
    put_lines(folder.path(), {Json{{"tree", number_of(part)}}});
    for (const fs::path& his : {folder / ".", folder / (dead + ".journal"), part, part / "0", part / "0/0"})
        REQUIRE(::chown(his.c_str(), 65534, 65534) == 0);
    io::recover(folder / ".");
    CHECK(told(folder / (dead + "-0-a.zarr-going/mine")) == "mine");
    CHECK_FALSE(fs::exists(folder / (dead + "-0-a.zarr-going/0")));
}

TEST_CASE("transactions: of a journal that others may have written only folders are gone into that they may change") {
    for (const bool open : {false, true}) {
        const Folder& folder = folder_with_files();
        const fs::path part = folder / (dead + "-0-a.zarr");
        put_store(part, "theirs");
        put_store(part / "mine", "mine");
        put_lines(folder.path(), {Json{{"tree", number_of(part)}}});
        for (const auto& entry : fs::recursive_directory_iterator(part))
            if (entry.is_directory()) REQUIRE(::chmod(entry.path().c_str(), 0775) == 0);
        REQUIRE(::chmod((part / "mine").c_str(), open ? 0775 : 0755) == 0);
        REQUIRE((::chmod(part.c_str(), 0775) == 0 && ::chmod((folder / ".").c_str(), 0775) == 0));
        REQUIRE(::chmod((folder / (dead + ".journal")).c_str(), 0664) == 0);
        io::recover(folder / ".");
        CHECK(fs::exists(folder / (dead + "-0-a.zarr-going/mine")) != open);
        CHECK_FALSE(fs::exists(folder / (dead + "-0-a.zarr-going/0")));
    }
}

#endif
