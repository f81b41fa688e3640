#include "parallax/host/program.hpp"
#include "program/key.hpp"
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
#include <sys/stat.h>
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

#if defined(__linux__)
TEST_CASE("entries of another user's that can be neither read nor replaced are one warning") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make another user's files");
        return;
    }
    const TemporaryFolder folder;
    const auto theirs = ProgramCache::open(folder.path().string());
    for (const char* const key : {"one", "two"}) theirs->store(key, pattern(10, 3));
    for (const fs::path& entry : fs::directory_iterator(folder.path())) REQUIRE(::chmod(entry.c_str(), 0600) == 0);
    REQUIRE(::chmod(folder.path().c_str(), 01777) == 0);
    take_warnings();
    REQUIRE(::seteuid(65534) == 0);
    const auto ours = ProgramCache::open(folder.path().string());
    for (const char* const key : {"one", "two"}) {
        CHECK(ours->load(key).empty());
        ours->store(key, pattern(10, 3));
    }
    REQUIRE(::seteuid(0) == 0);
    const auto warnings = take_warnings();
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("another user's") != std::string::npos);
}
#endif

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
    {
        const ScopedVariable relative_home("HOME", "relative");
        CHECK(ProgramCache::open()->folder().empty());
    }
    CHECK((fs::status(folder.path() / "xdg" / "parallax").permissions() & fs::perms::others_all) == fs::perms::none);
#endif
}

TEST_CASE("old temporary files and locks are swept away, young ones and foreign files stay") {
    const TemporaryFolder folder;
    const std::string hash(32, 'a');
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(3);
    const auto write_old = [&](const std::string& name, const std::string& text) {
        write_text(folder.path() / name, text);
        fs::last_write_time(folder.path() / name, old);
    };
    const std::string unique = ".tmp-" + platform::unique_suffix();
    for (const std::string& name :
         {hash + unique, "launch-" + hash + "-fft-64x1x1" + unique, "selftest-" + hash + unique, "probe" + unique})
        write_old(name, "x");
    const std::vector<std::string> locks{hash + ".lock", "launch-" + hash + "-fft-64x1x1.lock", "selftest-" + hash + ".lock"};
    for (const std::string& name : locks) write_old(name, "");
    const std::string young = hash + ".tmp-" + platform::unique_suffix();
    write_text(folder.path() / young, "x");
    // The user may have named a folder that others use, too.
    const std::vector<std::string> foreign{"notes.txt",
                                           "thesis.tmp-1",
                                           "theirs.lock",
                                           "poetry-" + hash + ".lock",
                                           hash + hash + ".lock",
                                           "photo.tmp-" + hash + ".jpg",
                                           "probe.tmp-results.csv",
                                           "probe" + unique + ".csv",
                                           hash + ".tmp-backup",
                                           "b" + hash.substr(1) + ".lock"};   // with something in it: no lock of ours
    for (const std::string& name : foreign) write_old(name, "x");
    const std::string empty = "c" + hash.substr(1) + ".lock";
    fs::create_directory(folder.path() / empty);
    fs::last_write_time(folder.path() / empty, old);
    ProgramCache::open(folder.path().string());
    CHECK(fs::exists(folder.path() / young));
    for (const std::string& name : foreign) {
        CAPTURE(name);
        CHECK(fs::exists(folder.path() / name));
    }
    CHECK(fs::exists(folder.path() / empty));
#if defined(_WIN32)
    CHECK(files_in(folder.path()) == foreign.size() + 2 + locks.size());   // which are none there
#else
    CHECK(files_in(folder.path()) == foreign.size() + 2);
#endif
}

#if !defined(_WIN32)
TEST_CASE("a lock that somebody has is not swept away, however long they have had it") {
    const TemporaryFolder folder;
    const std::string hash(32, 'a');
    const auto cache = ProgramCache::open(folder.path().string());
    const BuildLock lock(cache.get(), hash);
    REQUIRE(lock.held());
    fs::last_write_time(only_file(folder.path()), fs::file_time_type::clock::now() - std::chrono::hours(3));
    ProgramCache::open(folder.path().string());
    CHECK(files_in(folder.path()) == 1);
    CHECK_FALSE(BuildLock(cache.get(), hash, std::chrono::milliseconds(50)).held());
}
#endif

TEST_CASE("a folder takes no more than its limit: what was not used for longest goes, and nothing of others") {
    const TemporaryFolder folder;
    const ScopedVariable limit("PARALLAX_CACHE_LIMIT", "200 kB");
    const auto cache = ProgramCache::open(folder.path().string());
    const auto key = [](int i) { return hash_parts({"an image of a size of its own", std::to_string(i)}); };
    const auto file = [&](const std::string& of) { return folder.path() / (of + ".bin"); };
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(50);
    const auto make_old = [&](const fs::path& path) { fs::last_write_time(path, old); };

    const std::string verdict = "selftest-" + key(-1);
    const Bytes bytes = pattern(4000, 1);
    for (const std::string& one : {verdict, key(0), key(1)}) {
        cache->store(one, bytes);
        make_old(file(one));
    }
    write_text(folder.path() / "measurement.bin", std::string(5000, 'x'));   // not ours, whatever its name
    make_old(folder.path() / "measurement.bin");
    CHECK(cache->load(key(0)) == bytes);   // used now: its turn comes last
    for (int i = 2; i < 40; ++i) cache->store(key(i), bytes);   // 160 kB: nothing has to go
    CHECK(cache->load(key(1)) == bytes);
    make_old(file(key(1)));

    std::uintmax_t most = 0;
    for (int i = 40; i < 400; ++i) {
        cache->store(key(i), bytes);
        std::uintmax_t total = 0;
        for (const auto& entry : fs::directory_iterator(folder.path())) total += entry.file_size();
        most = std::max(most, total);
    }
    CHECK(most < 600000);   // 1.6 MB were stored; room is made at one store in sixteen
    CHECK(cache->load(key(1)).empty());
    CHECK(cache->load(key(399)) == bytes);
    CHECK(cache->load(verdict) == bytes);
    CHECK(fs::exists(folder.path() / "measurement.bin"));
}

TEST_CASE("the last used of a full folder stay") {
    const TemporaryFolder folder;
    const auto key = [](int i) { return hash_parts({"by age", std::to_string(i)}); };
    const auto now = fs::file_time_type::clock::now();
    {
        const auto cache = ProgramCache::open(folder.path().string());
        for (int i = 0; i < 100; ++i) {
            cache->store(key(i), pattern(4000, 2));
            fs::last_write_time(folder.path() / (key(i) + ".bin"), now - std::chrono::hours(100 + i));
        }
        for (int i = 90; i < 100; ++i) CHECK_FALSE(cache->load(key(i)).empty());   // the oldest, but in use
    }
    const ScopedVariable limit("PARALLAX_CACHE_LIMIT", "202 kB");
    const auto cache = ProgramCache::open(folder.path().string());
    for (int i = 1000; i < 1010 || files_in(folder.path()) > 100; ++i) {
        REQUIRE(i < 1400);
        cache->store(key(i), pattern(4, 3));
    }
    for (int i = 90; i < 100; ++i) CHECK_FALSE(cache->load(key(i)).empty());
    for (int i = 0; i < 30; ++i) CHECK_FALSE(cache->load(key(i)).empty());
    for (int i = 50; i < 90; ++i) CHECK(cache->load(key(i)).empty());
}

TEST_CASE("in memory, too") {
    const ScopedVariable limit("PARALLAX_CACHE_LIMIT", "40 kB");
    const auto cache = ProgramCache::open("off");
    for (int i = 0; i < 100; ++i) {
        cache->store(std::to_string(i), pattern(4000, 1));
        CHECK_FALSE(cache->load("0").empty());   // always in use
    }
    CHECK_FALSE(cache->load("99").empty());
    CHECK(cache->load("50").empty());
    cache->store("99", pattern(2, 1));   // a smaller one in its place
    cache->forget("0");
    for (int i = 0; i < 9; ++i) cache->store("again" + std::to_string(i), pattern(4000, 1));
    for (int i = 0; i < 9; ++i) CHECK_FALSE(cache->load("again" + std::to_string(i)).empty());
    cache->store("huge", pattern(100000, 1));   // above the limit by itself: kept, alone
    CHECK(cache->load("huge").size() == 100000);
    CHECK(cache->load("again8").empty());
}

TEST_CASE("a limit that is no amount is told, and 1 GiB taken") {
    const TemporaryFolder folder;
    take_warnings();
    for (const char* text : {"many", "-1 GB", "12", "1e6 B", "nan"}) {
        CAPTURE(text);
        const ScopedVariable limit("PARALLAX_CACHE_LIMIT", text);
        const auto cache = ProgramCache::open(folder.path().string());
        const auto told = take_warnings();
        REQUIRE(told.size() == 1);
        CHECK(told.front().find(text) != std::string::npos);
        CHECK(told.front().find("1GiB") != std::string::npos);
        for (int i = 0; i < 40; ++i) cache->store(hash_parts({text, std::to_string(i)}), pattern(400, 1));
    }
    CHECK(files_in(folder.path()) == 200);
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
