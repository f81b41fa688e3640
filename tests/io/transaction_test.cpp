// Several transactions in one folder at the same moment: none takes another, which has only begun, for what a dead process has
// left.
#include "io/copied_moves.hpp"
#include "io/transaction.hpp"
#include "support/birth_time.hpp"

#include <atomic>
#include <ctime>
#include <memory>
#include <thread>

#include "parallax/host/json.hpp"
#include "left_behind.hpp"
#include "support.hpp"
#include "support/file_identity.hpp"

#if !defined(_WIN32)
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

TEST_CASE("transactions: a journal moves what bears its name, and nothing else") {
    for (const bool undo : {false, true}) {
        const Folder& folder = folder_with_files();
        put_journal(folder, undo ? dead + "-0-a.npy" : "b.npy", undo ? "b.npy" : "", undo);
        io::recover(folder / ".");
        CHECK(get(folder / "mine/a.npy") == "mine");
        CHECK(get(folder / "mine/b.npy") == "other");
    }
}

TEST_CASE("transactions: what is left in the folder of the process is found by no path at all") {
    const Folder& folder = folder_with_files();
    put_journal(folder, dead + "-0-a.npy", "", true);   // it says that it has made a.npy
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
