// The time of a process that ends while it is asked for.
#include "support/own_time.hpp"

#include <doctest/doctest.h>

#if defined(__linux__)
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

TEST_CASE("own time: a process that ends between two looks, or within one, is no error") {
    for (int turn = 0; turn < 300; ++turn) {
        const pid_t child = fork();
        if (child == 0) _exit(0);
        REQUIRE(child > 0);
        std::atomic<bool> gone{false};
        std::thread waiting([&] {
            int status = 0;
            waitpid(child, &status, 0);
            gone = true;
        });
        parallax::host::OwnTime time(child);
        int after = 0;
        while (after < 3) {
            CHECK_NOTHROW(time.so_far());
            after += gone ? 1 : 0;
        }
        waiting.join();
    }
}
#endif
