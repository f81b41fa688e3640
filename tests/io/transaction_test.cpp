// Several transactions in one folder at the same moment: none takes another, which has only begun, for what a dead process has
// left.
#include "io/transaction.hpp"

#include <atomic>
#include <memory>
#include <thread>

#include "parallax/host/json.hpp"
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
        lines += io::hash_text(json.dump()).substr(0, 16) + ' ' + json.dump() + '\n';
    put(folder / ".parallax-12-0-0123abcd.journal", lines);
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

TEST_CASE("transactions: another user's journal in a folder that is neither's is left alone") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make another user's file");
        return;
    }
    for (const bool other : {true, false}) {
        const Folder& folder = folder_with_files();
        put_journal(folder, ".parallax-12-0-0123abcd-0-a.npy", "", true);   // it says that it has made a.npy
        const fs::path journal = folder / ".parallax-12-0-0123abcd.journal";
        REQUIRE(::chmod(journal.c_str(), 0666) == 0);
        if (other) REQUIRE(::chown(journal.c_str(), 65534, 65534) == 0);
        io::recover(folder / ".");
        CHECK(fs::exists(folder / "mine/a.npy") == other);
        CHECK(fs::exists(journal) == other);
    }
}

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

#endif
