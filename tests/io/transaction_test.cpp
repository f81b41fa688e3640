// Several transactions in one folder at the same moment: none takes another, which has only begun, for what a dead process has
// left.
#include "io/copied_moves.hpp"
#include "io/pointer.hpp"
#include "io/transaction.hpp"
#include "support/birth_time.hpp"

#include <atomic>
#include <ctime>
#include <memory>
#include <thread>

#include "parallax/host/json.hpp"
#include "journal_text.hpp"
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
#endif

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("transactions: those that begin at once in a new folder leave each other alone") {
#if !defined(_WIN32)
    // The pointer to a journal, as it is between being made and being written.
    const Folder folder;
    fs::create_directory(folder / "deep");
    const std::string name = ".parallax-12-0-0123abcd";
    put(folder / "deep" / (name + ".base"), "");
    put(folder / "deep" / (name + "-0-a.npy"), "being written");
    io::recover(folder / "deep");
    CHECK(folder.entries() == 3);
#endif
    for (int turn = 0; turn < 40; ++turn) {
        const Folder out;
        std::atomic<int> waiting{4};
        std::vector<std::string> problems(4);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                try {
                    --waiting;
                    while (waiting > 0) std::this_thread::yield();
                    for (int i = 0; i < 3; ++i) {
                        io::Transaction files(out / "results", {false, false, false});
                        for (const char* const sub : {"a", "b"})
                            files.add(out / "results" / sub / (std::to_string(t) + "-" + std::to_string(i)),
                                      [](const fs::path& path) { put(path, "text"); });
                        files.commit();
                    }
                } catch (const std::exception& error) {
                    problems[static_cast<std::size_t>(t)] = error.what();
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        for (const std::string& problem : problems) CHECK(problem == "");
        CHECK(out.entries() == 3 + 4 * 3 * 2);
    }
}

TEST_CASE("transactions: one that fails takes no folder along in which another has begun") {
    for (const bool strict : {false, true})
        for (int turn = 0; turn < 200; ++turn) {
            const Folder out;
            const fs::path deep = fs::canonical(out / ".") / "results/deep/er";
            std::atomic<int> waiting{2};
            const auto run = [&](const fs::path& base, const char* name, bool fails) {
                --waiting;
                while (waiting > 0) std::this_thread::yield();
                io::Transaction files(base, {false, false, strict});
                files.add(deep / name, [&](const fs::path& path) {
                    if (fails) throw IoError(path.string(), "is about to fail");
                    put(path, "text");
                });
                files.commit();
            };
            std::string problem;
            const fs::path base = turn % 2 == 0 ? deep : deep.parent_path().parent_path();
            std::thread other([&] { CHECK_THROWS_AS(run(base, "a", true), IoError); });
            try {
                run(base, "b", false);
            } catch (const std::exception& error) {
                problem = error.what();
            }
            other.join();
            CHECK(problem == "");
            CHECK(get(deep / "b") == "text");
        }
}

#if !defined(_WIN32)

namespace {

/// The journal of a transaction that moves one file in the folder "mine", or was about to undo that.
void put_journal(const Folder& folder, const std::string& part, const std::string& old, bool undo) {
    const auto identity = host::identity_of(folder / "mine/a.npy");
    Json move{{"folder", "mine"}, {"part", part}, {"name", "a.npy"}, {"old", old}};
    move["inode"] = identity->inode;
    move["bytes"] = identity->bytes;
    const Json commit{{"commit", Json::array({move})}, {"overwrite", true}};
    std::string lines;
    for (const Json& json : undo ? std::vector<Json>{commit, {{"undo", true}}} : std::vector<Json>{commit})
        lines += journal_line(json);
    put_journal_text(folder / ".parallax-12-0-0123abcd.journal", lines);
}

/// Kept to the end: a folder is looked at again after some seconds only.
const Folder& folder_with_files() {
    static std::vector<std::unique_ptr<Folder>> folders;
    const Folder& folder = *folders.emplace_back(std::make_unique<Folder>());
    fs::create_directory(folder / "mine");
    put(folder / "mine/a.npy", "mine");
    put(folder / "mine/b.npy", "other");
    return folder;
}

}   // namespace

TEST_CASE("transactions: a journal moves what bears its name, and nothing else") {
    for (const bool undo : {false, true}) {
        const Folder& folder = folder_with_files();
        put_journal(folder, undo ? ".parallax-12-0-0123abcd-0-a.npy" : "b.npy", undo ? "b.npy" : "", undo);
        io::recover(folder / ".");
        CHECK(get(folder / "mine/a.npy") == "mine");
        CHECK(get(folder / "mine/b.npy") == "other");
    }
}

TEST_CASE("transactions: what is left in the folder of the process is found by no path at all") {
    const Folder& folder = folder_with_files();
    put_journal(folder, ".parallax-12-0-0123abcd-0-a.npy", "", true);   // it says that it has made a.npy
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    io::recover("");
    fs::current_path(before);
    CHECK(!fs::exists(folder / "mine/a.npy"));
    CHECK(folder.entries() == 2);
}

TEST_CASE("transactions: what thousands of processes seem to have left goes in time that its number bounds") {
    const auto seconds = [](int count) {
        const Folder folder;
        put(folder / "mine", "mine");
        for (int i = 1; i <= count; ++i) {
            const std::string dead = ".parallax-" + std::to_string(i) + "-0-0123abcd";
            put(folder / (dead + ".journal"), "");
            put(folder / (dead + "-0-a.npy"), "part");
        }
        const std::clock_t before = std::clock();
        io::recover(folder.path());
        const double took = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
        CHECK(folder.entries() == 1);
        return took;
    };
    const double few = seconds(400), many = seconds(3200);   // with the square 64 times as long
    CAPTURE(few);
    CAPTURE(many);
    CHECK(many < 24 * few + 0.1);
}

TEST_CASE("transactions: another user's journal in a folder that is neither's is left alone") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make another user's file");
        return;
    }
    for (const bool other : {true, false}) {
        const Folder& folder = folder_with_files();
        put_journal(folder, ".parallax-12-0-0123abcd-0-a.npy", "", true);   // it says that it has made a.npy
        const fs::path journal = folder / ".parallax-12-0-0123abcd.journal";
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
        put_journal(folder, ".parallax-12-0-0123abcd-0-a.npy", "", true);
        const fs::path journal = folder / ".parallax-12-0-0123abcd.journal";
        REQUIRE(::chmod(journal.c_str(), one.journal) == 0);
        REQUIRE(::chmod((folder / "mine").c_str(), one.mine) == 0);
        REQUIRE(::chmod((folder / ".").c_str(), one.folder) == 0);
        io::recover(folder / ".");
        CHECK(fs::exists(folder / "mine/a.npy") != one.done);
        CHECK(fs::exists(journal) != one.done);
    }
}

TEST_CASE("transactions: of a folder elsewhere a journal that others may have written says what its pointer, which they may not, says too") {
    const std::string dead = ".parallax-12-0-0123abcd", part = dead + "-1-r.json";
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

#if defined(__linux__)
TEST_CASE("transactions: where what one makes becomes somebody else's, his journal is one's own") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make another user's file");
        return;
    }
    for (const bool mapped : {false, true}) {
        const Folder& folder = folder_with_files();
        put_journal(folder, ".parallax-12-0-0123abcd-0-a.npy", "", true);
        const fs::path journal = folder / ".parallax-12-0-0123abcd.journal";
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
    const std::string dead = ".parallax-12-0-0123abcd";
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
        put_journal(folder, ".parallax-12-0-0123abcd-0-a.npy", "", true);
        const fs::path journal = folder / ".parallax-12-0-0123abcd.journal";
        REQUIRE(::chown(journal.c_str(), 65534, 65534) == 0);
        REQUIRE(::chown((folder / ".").c_str(), 65534, 65534) == 0);
        if (his) REQUIRE(::chown((folder / "mine").c_str(), 65534, 65534) == 0);
        io::recover(folder / ".");
        CHECK(fs::exists(folder / "mine/a.npy") != his);
        CHECK(fs::exists(journal) != his);
    }
}


namespace {

const std::string dead = ".parallax-12-0-0123abcd";

/// A journal of lines.
void put_lines(const fs::path& folder, const std::vector<Json>& lines) {
    std::string text;
    for (const Json& json : lines) text += journal_line(json);
    put_journal_text(folder / (dead + ".journal"), text);
}

std::uint64_t number_of(const fs::path& path) { return host::identity_of(path)->inode; }

void put_store(const fs::path& folder, const std::string& text) {
    fs::create_directories(folder / "0/0");
    put(folder / "0/0/0", text);
    put(folder / ".zgroup", text);
}

/// What stands in a folder, by names: the text of a store, or of a file.
std::string told(const fs::path& path) {
    return !fs::exists(path) ? "" : fs::is_directory(path) ? get(path / "0/0/0") : get(path);
}

}   // namespace

TEST_CASE("transactions: a folder that replaces another is finished, or undone, from each step on") {
    const std::string part = dead + "-0-a.zarr", old = dead + "-old-0";
    // Which name the new and the old one have, where the process ended.
    struct Row {
        const char* what;
        std::string is_new, is_old;
    };
    for (const Row& row : {Row{"before", part, "a.zarr"}, Row{"exchanged", "a.zarr", part},
                           Row{"nothing has the name", part, old}, Row{"in its place", "a.zarr", old}}) {
        for (const bool undo : {false, true}) {
            for (const bool old_file : {false, true}) {
                CAPTURE(std::string(row.what));
                CAPTURE(undo);
                CAPTURE(old_file);
                const Folder& folder = folder_with_files();
                put_store(folder / row.is_new, "new");
                if (old_file) put(folder / row.is_old, "old");
                else put_store(folder / row.is_old, "old");
                Json move{{"folder", "."}, {"part", part}, {"name", "a.zarr"}, {"old", old}};
                move["inode"] = number_of(folder / row.is_new);
                move["bytes"] = std::uint64_t{0};
                move["folder_of_files"] = true;
                std::vector<Json> lines{Json{{"tree", number_of(folder / row.is_new)}}};
                if (!old_file) lines.push_back({{"tree", number_of(folder / row.is_old)}});
                lines.push_back({{"commit", Json::array({move})}, {"overwrite", true}});
                if (undo) lines.push_back({{"undo", true}});
                put_lines(folder.path(), lines);
                io::recover(folder / ".");
                CHECK(told(folder / "a.zarr") == (undo ? "old" : "new"));
                CHECK(folder.entries() == (undo && old_file ? 1 : 5) + 3);
            }
        }
    }
}

TEST_CASE("transactions: an old folder whose name somebody has taken meanwhile is not removed") {
    const std::string part = dead + "-0-a.zarr", old = dead + "-old-0";
    const Folder& folder = folder_with_files();
    put_store(folder / part, "new");
    put_store(folder / old, "old");
    put_store(folder / "a.zarr", "somebody's");
    Json move{{"folder", "."}, {"part", part}, {"name", "a.zarr"}, {"old", old}, {"inode", number_of(folder / part)},
              {"bytes", 0}};
    move["folder_of_files"] = true;
    put_lines(folder.path(), {Json{{"tree", number_of(folder / part)}}, Json{{"tree", number_of(folder / old)}},
                              Json{{"commit", Json::array({move})}, {"overwrite", true}}, Json{{"undo", true}}});
    io::recover(folder / ".");
    CHECK(told(folder / "a.zarr") == "somebody's");
    CHECK(told(folder / old) == "old");
    // With the name free again, the next who comes brings it back.
    fs::remove_all(folder / "a.zarr");
    io::recover(folder.path());   // by another name: what was looked at a moment ago is not looked at again
    CHECK(told(folder / "a.zarr") == "old");
    CHECK(!fs::exists(folder / old));
}

TEST_CASE("transactions: what somebody has put there since stays, whatever number it has been given") {
    SUBCASE("a file in the place of a folder that was made") {
        const Folder& folder = folder_with_files();
        put(folder / "sub", "mine");
        put_lines(folder.path(), {Json{{"made", "sub"}}});
        io::recover(folder / ".");
        CHECK(get(folder / "sub") == "mine");
    }
    SUBCASE("an old store that is another by now, or holds other things") {
        const std::string part = dead + "-0-a.zarr", old = dead + "-old-0";
        for (const bool is_another : {false, true}) {
            CAPTURE(is_another);
            const Folder folder;
            put_store(folder / part, "new");
            fs::create_directory(folder / "a.zarr");
            if (is_another) put_store(folder / "a.zarr", "mine");
            else put(folder / "a.zarr/thesis.txt", "mine");
            Json move{{"folder", "."}, {"part", part}, {"name", "a.zarr"}, {"old", old}, {"inode", number_of(folder / part)},
                      {"bytes", 0}};
            move["folder_of_files"] = true;
            move["was"] = {number_of(folder / "a.zarr"), is_another ? 12345 : host::birth_time(folder / "a.zarr")};
            put_lines(folder.path(), {Json{{"tree", number_of(folder / part)}}, Json{{"tree", number_of(folder / "a.zarr")}},
                                      Json{{"commit", Json::array({move})}, {"overwrite", true}}});
            io::recover(folder / ".");
            if (!is_another) CHECK(get(folder / "a.zarr/thesis.txt") == "mine");
            else if (host::birth_time(folder / "a.zarr") != 0) CHECK(told(folder / "a.zarr") == "mine");
        }
    }
    SUBCASE("a file of the number and length of one that goes back") {
        const Folder folder;
        put(folder / "a.npy", "mine");
        Json move{{"folder", "."}, {"part", dead + "-0-a.npy"}, {"name", "a.npy"}, {"old", ""}, {"inode", number_of(folder / "a.npy")},
                  {"bytes", 4}};
        const std::int64_t hour = 3'600'000'000'000;
        for (const bool is_ours : {false, true}) {
            move["modified"] = host::identity_of(folder / "a.npy")->modified - (is_ours ? 0 : hour);
            put_lines(folder.path(), {Json{{"commit", Json::array({move})}, {"overwrite", false}}, Json{{"undo", true}}});
            io::recover(is_ours ? folder.path() : folder / ".");   // by another name: what was looked at a moment ago is not looked at again
            CHECK(fs::exists(folder / "a.npy") == !is_ours);
        }
    }
}

TEST_CASE("transactions: a folder of somebody's that comes while files are written stays, with what is in it") {
    const Folder out;
    {
        io::Transaction files(out.path(), {true, false, false});
        files.add(out / "a.zarr", [](const fs::path& path) { put_store(path, "new"); }, io::Transaction::Form::folder);
        fs::create_directory(out / "a.zarr");
        put(out / "a.zarr/mine", "mine");
        CHECK(io_error(out / "a.zarr", [&] { files.commit(); }).problem == "is a folder and no Zarr store");
    }
    CHECK(get(out / "a.zarr/mine") == "mine");
    CHECK(out.entries() == 2);
}

TEST_CASE("transactions: only folders that the journal names by their number go with all that is in them") {
    for (const bool named : {false, true}) {
        const Folder& folder = folder_with_files();
        put_store(folder / (dead + "-0-a.zarr"), "new");
        put_store(folder / (dead + "-1-theirs"), "somebody has given it this name");
        put_lines(folder.path(), {Json{{"tree", named ? number_of(folder / (dead + "-0-a.zarr")) : std::uint64_t{1}}}});
        io::recover(folder / ".");
        CHECK(fs::exists(folder / (dead + "-0-a.zarr")) != named);
        CHECK(told(folder / (dead + "-1-theirs")) == "somebody has given it this name");
    }
}

#if defined(__linux__)
TEST_CASE("transactions: where a journal may not be written, that files wait is told") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can become another user");
        return;
    }
    for (const bool lives : {false, true}) {
        const Folder& folder = folder_with_files();
        host::take_warnings();
        put(folder / "mine" / (dead + "-0-a.npy"), "new");
        const Json move{{"folder", "mine"}, {"part", dead + "-0-a.npy"}, {"name", "a.npy"}, {"old", ""}, {"inode", 1u}, {"bytes", 3u}};
        put_lines(folder.path(), {Json{{"commit", Json::array({move})}, {"overwrite", true}}});
        const fs::path journal = folder / (dead + ".journal");
        REQUIRE((::chown((folder / ".").c_str(), 65533, 65533) == 0 && ::chmod((folder / ".").c_str(), 0755) == 0));
        REQUIRE((::chown(journal.c_str(), 65533, 65533) == 0 && ::chmod(journal.c_str(), 0644) == 0));
        const int held = ::open(journal.c_str(), O_RDWR | O_CLOEXEC);
        REQUIRE((!lives || ::flock(held, LOCK_EX) == 0));
        ::setfsuid(65534);   // who opens what may not be written, be it root
        io::recover(folder / ".");
        ::setfsuid(0);
        ::close(held);
        CHECK(get(folder / "mine/a.npy") == "mine");
        bool told = false;
        for (const std::string& warning : host::take_warnings()) told = told || warning.find("side by side") != std::string::npos;
        CHECK(told != lives);
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

TEST_CASE("transactions: a store that takes another's place at once has another time, also where times are of two seconds") {
    const Folder out;
    const auto time_of = [&] { return host::identity_of(out / "a.zarr")->modified / 2'000'000'000; };
    std::int64_t before = 0;
    for (int i = 0; i < 5; ++i) {
        io::Transaction files(out.path(), {true, false, false});
        files.add(out / "a.zarr", [](const fs::path& path) { put_store(path, "text"); }, io::Transaction::Form::folder);
        files.commit();
        CHECK(time_of() != before);
        before = time_of();
    }
}

TEST_CASE("transactions: a journal whose number has come again is known by those of its parts") {
    const Folder& folder = folder_with_files();
    put(folder / (dead + "-0-a"), "new");
    const io::FolderOf here = [&](const fs::path&) { return host::Folder::open(folder.path()); };
    io::Done done;
    done.moves = {{".", dead + "-0-a", "a", "", number_of(folder / (dead + "-0-a")), 3}};
    done.number = "25 0";
    CHECK_FALSE(io::has_other_numbers(done, here));
    ++done.moves->front().inode;
    CHECK(io::has_other_numbers(done, here));
    done.moves->front().part = dead + "-0-b";   // it has been moved: nothing is known of it
    CHECK_FALSE(io::has_other_numbers(done, here));
    done.moves->front().part = dead + "-0-a";
    done.number = "25 1795816139000000000";   // nobody else's
    CHECK_FALSE(io::has_other_numbers(done, here));
}

TEST_CASE("transactions: folders that are written and replaced at once, each whole and one of theirs") {
    const Folder out;
    std::vector<std::thread> threads;
    std::atomic<int> errors{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 25; ++i) {
                try {
                    io::Transaction files(out.path(), {true, false, false});
                    const auto produce = [&](const fs::path& path) { put_store(path, std::to_string(t)); };
                    files.add(out / "a.zarr", produce, io::Transaction::Form::folder);
                    files.commit();
                } catch (const std::exception& error) {
                    ++errors;
                    MESSAGE(std::string(error.what()));
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(errors == 0);
    CHECK(get(out / "a.zarr/.zgroup") == get(out / "a.zarr/0/0/0"));
    CHECK(out.entries() == 5);
}

TEST_CASE("transactions: the limit on outputs counts all files of a folder") {
    for (const bool overwrite : {false, true}) {   // where nothing is to be replaced, too
        CAPTURE(overwrite);
        const Folder out;
        io::Transaction::limit(5);
        {
            io::Transaction files(out.path(), {overwrite, false, false});
            const auto produce = [&](const fs::path& path) { put_store(path, "abc"); };
            const auto add = [&] { files.add(out / "a.zarr", produce, io::Transaction::Form::folder); };
            const IoError error = io_error(out / "a.zarr", add);
            CHECK(error.problem.find("has 6 bytes") != std::string::npos);
        }
        io::Transaction::limit(std::numeric_limits<std::uint64_t>::max());
        CHECK(out.entries() == 0);
    }
}

#endif
