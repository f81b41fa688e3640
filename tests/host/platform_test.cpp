#include "support/platform.hpp"

#include <doctest/doctest.h>

#ifdef __linux__
#include <sched.h>
#endif

using parallax::host::platform::processors;

TEST_CASE("processors: as many as the process is bound to") {
    CHECK(processors() >= 1);
#ifdef __linux__
    cpu_set_t before, one;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    CHECK(processors() <= CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
        if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
    }
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    const int bound = processors();
    REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
    CHECK(bound == 1);
#endif
}
