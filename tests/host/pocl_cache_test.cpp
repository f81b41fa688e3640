// What is told where PoCL cannot keep what it compiles.
#if defined(__unix__)
#include "opencl/pocl_cache.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

using namespace parallax::host::opencl;
using namespace parallax::tests;

TEST_CASE("where a limit on the length of files keeps PoCL from compiling, its name is told") {
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit low{1024, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &low) == 0);
    const std::string trouble = pocl_cache_trouble();
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(trouble.find("no longer than 1024 bytes") != std::string::npos);
    CHECK(trouble.find("ulimit -f") != std::string::npos);
    CHECK(pocl_cache_trouble().find("ulimit -f") == std::string::npos);
}

TEST_CASE("a relative path for PoCL's cache makes no folder in whatever folder a program is called in") {
    const TemporaryFolder folder;
    const std::string home = folder.path().string(), of_home = home + "/.cache/pocl/kcache";
    using Value = std::optional<std::string>;
    struct Row {
        Value cache, home, given;   ///< POCL_CACHE_DIR
        std::string place;          ///< begins so; empty: none is set, as PoCL finds its own
    };
    const ScopedVariable temporary("TMPDIR", home);
    const std::string temporary_place = home + "/parallax-pocl-";
    for (const Row& row : {Row{"relative", home, {}, of_home}, Row{"relative", "relative", {}, temporary_place},
                           Row{{}, "relative", {}, temporary_place}, Row{"relative", {}, {}, temporary_place},
                           Row{home, "relative", {}, ""}, Row{{}, home, {}, ""}, Row{"relative", home, "given", "given"}}) {
        CAPTURE(row.cache.value_or("none"));
        CAPTURE(row.home.value_or("none"));
        const ScopedVariable cache("XDG_CACHE_HOME", row.cache), own("HOME", row.home), set("POCL_CACHE_DIR", row.given);
        place_pocl_cache({{"pocl.icd", "libpocl.so.2"}});
        const char* const now = std::getenv("POCL_CACHE_DIR");
        CHECK(std::string(now ? now : "").starts_with(row.place));
        CHECK((now == nullptr) == row.place.empty());
        CHECK_FALSE(std::filesystem::exists("relative"));
    }
}
#endif
