// What is told where PoCL cannot keep what it compiles.
#if defined(__unix__)
#include "opencl/pocl_cache.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST_CASE("a folder that is made under a umask that takes the user's own rights is usable, and a closed one of ours is opened") {
    const TemporaryFolder folder;
    const std::string home = folder.path().string();
    const fs::path place = home + "/parallax-pocl-" + std::to_string(geteuid());
    const ScopedVariable temporary("TMPDIR", home), cache("XDG_CACHE_HOME", "relative"), own("HOME", "relative");
    const auto owner = [&](const fs::path& of) { return fs::status(of).permissions() & fs::perms::all; };
    for (int attempt = 0; attempt < 2; ++attempt) {
        const ScopedVariable unset("POCL_CACHE_DIR", std::nullopt);
        const auto before = umask(attempt == 0 ? 0377 : 0022);
        place_pocl_cache({{"pocl.icd", "libpocl.so.2"}});
        umask(before);
        CHECK(owner(place) == fs::perms::owner_all);
        fs::permissions(place, fs::perms::none);
    }
    const ScopedVariable absolute("XDG_CACHE_HOME", home + "/a/b"), unset("POCL_CACHE_DIR", std::nullopt);
    const auto before = umask(0777);
    place_pocl_cache({{"pocl.icd", "libpocl.so.2"}});
    umask(before);
    for (const char* made : {"/a", "/a/b", "/a/b/pocl", "/a/b/pocl/kcache"}) CHECK(owner(home + made) == fs::perms::owner_all);
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
