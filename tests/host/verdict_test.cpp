// What ended a compiler's child may have been the fault of the moment: how long a verdict is believed, and by whom.
#include "opencl/verdict.hpp"

#include "circumstances.hpp"
#include "failure.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <chrono>

#if !defined(_WIN32)
#include <sys/resource.h>
#endif

using namespace parallax;
using namespace parallax::host;
using namespace parallax::host::opencl;
using namespace parallax::tests;

namespace {

std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// As it is kept: found so many seconds ago, so many times in a row.
void write_bad(ProgramCache& cache, std::int64_t age_s, int times, const std::string& where = circumstances()) {
    const std::string text =
        Json{{"reason", "signal 6"}, {"failure", Failure{where, now() - age_s, times, 0}.to_json()}}.dump();
    cache.store("tried", {text.begin(), text.end()});
}

}  // namespace

TEST_CASE("a bad verdict holds for ten minutes, six times as long each time that it is found again, and thirty days at most") {
    const TemporaryFolder folder;
    const auto cache = ProgramCache::open(folder.path().string());
    CHECK(!known_verdict(cache.get(), "tried"));
    for (const auto& [times, seconds] :
         {std::pair<int, std::int64_t>{1, 600}, {2, 3600}, {3, 21600}, {6, 30 * 86400}, {1000, 30 * 86400}}) {
        CAPTURE(times);
        write_bad(*cache, seconds - 30, times);
        CHECK(known_verdict(cache.get(), "tried").value_or("").starts_with("signal 6"));
        write_bad(*cache, seconds + 1, times);
        CHECK(!known_verdict(cache.get(), "tried"));
    }
    write_bad(*cache, -60, 1);   // of a clock that was wrong
    CHECK(!known_verdict(cache.get(), "tried"));
}

TEST_CASE("what is found again in the same circumstances is counted, in others it begins anew") {
    const TemporaryFolder folder;
    const auto cache = ProgramCache::open(folder.path().string());
    const auto times = [&] {
        const auto text = cache->load("tried");
        return Json::parse(text)["failure"]["times"].get<int>();
    };
    for (const int expected : {1, 2, 3}) {
        keep_failure(cache.get(), "tried", "signal 6", 0);
        CHECK(times() == expected);
    }
    write_bad(*cache, 60, 7, "others");
    keep_failure(cache.get(), "tried", "signal 6", 0);
    CHECK(times() == 1);
    // What took half an hour to find is not tried every ten minutes.
    CHECK(Failure{{}, 0, 1, 1800}.until() == 6 * 3600);
}

TEST_CASE("a bad verdict of a process with less memory, fewer files or another PATH is none, nor is one of an earlier format") {
    const TemporaryFolder folder;
    const auto cache = ProgramCache::open(folder.path().string());
    keep_failure(cache.get(), "tried", "signal 6", 0);
    CHECK(known_verdict(cache.get(), "tried"));
    {
        const ScopedVariable path("PATH", "/nowhere");
        CHECK(!known_verdict(cache.get(), "tried"));
    }
    CHECK(known_verdict(cache.get(), "tried"));
#if !defined(_WIN32)
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit fewer{before.rlim_cur - 1, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &fewer) == 0);
    CHECK(!known_verdict(cache.get(), "tried"));
    setrlimit(RLIMIT_NOFILE, &before);
#endif
    const std::string earlier = "the driver's compiler ended the process that tried it: signal 6";
    cache->store("tried", {earlier.begin(), earlier.end()});
    CHECK(!known_verdict(cache.get(), "tried"));
    keep_sound(cache.get(), "tried");
    CHECK(known_verdict(cache.get(), "tried") == std::string());
}

TEST_CASE("a verdict says where it is kept, how long, and what tries at once") {
    const TemporaryFolder folder;
    const auto cache = ProgramCache::open(folder.path().string());
    const std::string first = keep_failure(cache.get(), "tried", "signal 6", 0);
    CHECK(first == known_verdict(cache.get(), "tried"));
    for (const std::string& word :
         {folder.path().string(), std::string("UTC at the latest"), std::string("PARALLAX_CACHE_DIR=off")})
        CHECK(first.find(word) != std::string::npos);
    CHECK(keep_failure(nullptr, "tried", "signal 6", 0) == "signal 6");
}
