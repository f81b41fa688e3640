#include "parallax/host/program.hpp"
#include "program/lock.hpp"
#include "support.hpp"
#include "support/warnings.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#if !defined(_WIN32)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace parallax::host;
using namespace parallax::tests;

namespace {

using Bytes = std::vector<unsigned char>;

Bytes pattern(std::size_t size, unsigned seed) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>((i * 31 + seed * 17 + 5) & 0xFF);
    return bytes;
}

fs::path only_file(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    REQUIRE(files.size() == 1);
    return files.front();
}

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("an entry comes back as it was stored, in another cache object too") {
    const TemporaryFolder folder;
    const auto cache = ProgramCache::open(folder.path().string());
    CHECK(cache->folder() == folder.path().string());
    CHECK(cache->load("key").empty());
    for (const std::size_t size : {1u, 7u, 100000u}) {
        const Bytes bytes = pattern(size, 1);
        cache->store("key", bytes);
        CHECK(cache->load("key") == bytes);
        CHECK(ProgramCache::open(folder.path().string())->load("key") == bytes);
    }
    CHECK(cache->load("other").empty());
    CHECK(files_in(folder.path()) == 1);   // replaced, and no temporary file left
    cache->forget("key");
    CHECK(cache->load("key").empty());
    cache->forget("key");
}

TEST_CASE("every damage to an entry makes it as if it were not there, and storing again repairs it") {
    const TemporaryFolder folder;
    const auto cache = ProgramCache::open(folder.path().string());
    const Bytes bytes = pattern(300, 2);
    cache->store("key", bytes);
    const fs::path path = only_file(folder.path());
    const std::string sound = read_text(path);
    REQUIRE(sound.size() == 40 + 3 + 300);

    for (std::size_t size = 0; size < sound.size(); ++size) {
        write_text(path, sound.substr(0, size));
        REQUIRE(cache->load("key").empty());
    }
    for (std::size_t i = 0; i < sound.size(); ++i) {
        std::string flipped = sound;
        flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
        write_text(path, flipped);
        REQUIRE(cache->load("key").empty());
    }
    write_text(path, sound + "x");
    CHECK(cache->load("key").empty());
    write_text(path, "not a cache entry at all, but long enough to hold a header of forty bytes");
    CHECK(cache->load("key").empty());
    cache->store("key", bytes);
    CHECK(cache->load("key") == bytes);

    // A sound entry under another name: its own key speaks against it.
    cache->store("yek", bytes);
    fs::remove(path);
    fs::rename(only_file(folder.path()), path);
    CHECK(cache->load("key").empty());

    fs::remove(path);
    fs::create_directory(path);   // not even a file
    CHECK(cache->load("key").empty());
    cache->store("key", bytes);
}

TEST_CASE("a place that cannot be written means memory only") {
    const TemporaryFolder folder;
    write_text(folder.path() / "file", "x");
    const auto cache = ProgramCache::open((folder.path() / "file" / "below").string());
    CHECK(cache->folder().empty());
    cache->store("key", pattern(10, 3));
    CHECK(cache->load("key") == pattern(10, 3));
    cache->forget("key");
    CHECK(cache->load("key").empty());
    CHECK(ProgramCache::open("off")->folder().empty());
}

TEST_CASE("a place that cannot be written is warned of once, by who needs it, with the remedy") {
    const TemporaryFolder folder;
    write_text(folder.path() / "file", "x");
    take_warnings();
    const std::string place = (folder.path() / "file").string();
    const auto cache = ProgramCache::open(place);
    CHECK(take_warnings().empty());
    cache->load("key");
    cache->load("other");
    ProgramCache::open(place)->load("key");
    const auto warnings = take_warnings();
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find(place) != std::string::npos);
    CHECK(warnings[0].find("PARALLAX_CACHE_DIR") != std::string::npos);
    ProgramCache::open("off")->load("key");
    CHECK(take_warnings().empty());
}

TEST_CASE("of several who need the same program one has the lock, and its end is heard") {
    using namespace std::chrono_literals;
    const TemporaryFolder folder;
    const auto cache = ProgramCache::open(folder.path().string());
    {
        const BuildLock first(cache.get(), "key");
        CHECK(first.held());
        CHECK(BuildLock(cache.get(), "other").held());
        const auto start = std::chrono::steady_clock::now();
        CHECK_FALSE(BuildLock(cache.get(), "key", 200ms).held());   // it does not wait for ever
        CHECK(std::chrono::steady_clock::now() - start >= 200ms);
    }
    CHECK(BuildLock(cache.get(), "key").held());
    CHECK(files_in(folder.path()) == 0);
    int inside = 0, most = 0, had = 0;
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < 20; ++round) {
                const BuildLock lock(cache.get(), "key");
                {
                    const std::lock_guard guard(mutex);
                    had += lock.held() ? 1 : 0;
                    most = std::max(most, ++inside);
                }
                std::this_thread::sleep_for(100us);
                const std::lock_guard guard(mutex);
                --inside;
            }
        });
    for (std::thread& thread : threads) thread.join();
#if !defined(_WIN32)
    CHECK(most == 1);
    CHECK(had == 80);
#endif
    CHECK(files_in(folder.path()) == 0);
    CHECK_FALSE(BuildLock(ProgramCache::open("off").get(), "key").held());
    CHECK_FALSE(BuildLock(nullptr, "key").held());
}

#if !defined(_WIN32)
TEST_CASE("the lock of a process that was killed is free") {
    const TemporaryFolder folder;
    const auto cache = ProgramCache::open(folder.path().string());
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const BuildLock lock(cache.get(), "key");
        write_text(folder.path() / "ready", "");
        for (;;) pause();
    }
    while (!fs::exists(folder.path() / "ready")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK_FALSE(BuildLock(cache.get(), "key", std::chrono::milliseconds(50)).held());
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(BuildLock(cache.get(), "key").held());
}
#endif

TEST_CASE("a folder that disappears while the cache is open costs nothing but the entries") {
    const TemporaryFolder folder;
    const auto cache = ProgramCache::open((folder.path() / "sub").string());
    cache->store("key", pattern(10, 1));
    fs::remove_all(folder.path() / "sub");
    CHECK(cache->load("key").empty());
    cache->store("key", pattern(10, 1));
    CHECK(cache->load("key").empty());
}

TEST_CASE("PARALLAX_CACHE_DIR names the folder; the user's cache folder otherwise") {
    const TemporaryFolder folder;
    {
        const ScopedVariable variable("PARALLAX_CACHE_DIR", (folder.path() / "deep" / "er").string());
        CHECK(ProgramCache::open()->folder() == (folder.path() / "deep" / "er").string());
    }
    {
        const ScopedVariable variable("PARALLAX_CACHE_DIR", "off");
        CHECK(ProgramCache::open()->folder().empty());
    }
#if !defined(_WIN32) && !defined(__APPLE__)
    const ScopedVariable none("PARALLAX_CACHE_DIR", std::nullopt);
    const ScopedVariable home("HOME", folder.path().string());
    const ScopedVariable xdg("XDG_CACHE_HOME", std::nullopt);
    CHECK(ProgramCache::open()->folder() == (folder.path() / ".cache" / "parallax").string());
    const ScopedVariable cache("XDG_CACHE_HOME", (folder.path() / "xdg").string());
    CHECK(ProgramCache::open()->folder() == (folder.path() / "xdg" / "parallax").string());
    const ScopedVariable relative("XDG_CACHE_HOME", "relative");
    CHECK(ProgramCache::open()->folder() == (folder.path() / ".cache" / "parallax").string());
    CHECK((fs::status(folder.path() / "xdg" / "parallax").permissions() & fs::perms::others_all) == fs::perms::none);
#endif
}

TEST_CASE("old temporary files are swept away, young ones and foreign files stay") {
    const TemporaryFolder folder;
    for (const char* name : {"a.bin.tmp-1", "b.bin.tmp-2", "notes.txt"}) write_text(folder.path() / name, "x");
    fs::last_write_time(folder.path() / "a.bin.tmp-1", fs::file_time_type::clock::now() - std::chrono::hours(3));
    fs::last_write_time(folder.path() / "notes.txt", fs::file_time_type::clock::now() - std::chrono::hours(3));
    ProgramCache::open(folder.path().string());
    CHECK_FALSE(fs::exists(folder.path() / "a.bin.tmp-1"));
    CHECK(fs::exists(folder.path() / "b.bin.tmp-2"));
    CHECK(fs::exists(folder.path() / "notes.txt"));
}

namespace {

// Writers of several contents under few keys, readers beside them: a reader sees a whole content or nothing.
bool hammer(ProgramCache& cache, unsigned seed) {
    for (unsigned round = 0; round < 200; ++round) {
        const std::string key = "key" + std::to_string((seed + round) % 3);
        if (round % 2 == 0) cache.store(key, pattern(5000 + seed, seed));
        if (round % 17 == 0) cache.forget(key);
        const Bytes read = cache.load(key);
        if (!read.empty() && (read.size() < 5000 || read.size() >= 5008 ||
                              read != pattern(read.size(), static_cast<unsigned>(read.size() - 5000))))
            return false;
    }
    return true;
}

}  // namespace

TEST_CASE("threads share a cache folder") {
    const TemporaryFolder folder;
    const auto shared = ProgramCache::open(folder.path().string());
    std::vector<int> good(4, 0);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < good.size(); ++i)
        threads.emplace_back([&, i] {
            const auto own = ProgramCache::open(folder.path().string());
            good[i] = hammer(i % 2 == 0 ? *shared : *own, i) ? 1 : 0;
        });
    for (std::thread& thread : threads) thread.join();
    for (const int result : good) CHECK(result == 1);
    for (const auto& entry : fs::directory_iterator(folder.path())) CHECK(entry.path().extension() == ".bin");
}

#if !defined(_WIN32)
TEST_CASE("processes share a cache folder") {
    const TemporaryFolder folder;
    std::vector<pid_t> children;
    for (unsigned i = 0; i < 4; ++i) {
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) _exit(hammer(*ProgramCache::open(folder.path().string()), i) ? 0 : 1);
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
    for (const auto& entry : fs::directory_iterator(folder.path())) CHECK(entry.path().extension() == ".bin");
}
#endif
