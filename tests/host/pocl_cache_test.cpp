// What is told where PoCL cannot keep what it compiles.
#if defined(__unix__)
#include "opencl/pocl_cache.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>

using namespace parallax::host::opencl;

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
#endif
