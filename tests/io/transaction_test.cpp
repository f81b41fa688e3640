// Several transactions in one folder at the same moment: none takes another, which has only begun, for what a dead process has
// left.
#include "io/transaction.hpp"

#include <atomic>
#include <thread>

#include "support.hpp"

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
