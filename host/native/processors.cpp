#include "parallax/host/processors.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace parallax::host {

namespace {

/// 0 where the system does not say. std::thread::hardware_concurrency counts the machine's, bound to or not.
int bound_to() {
#ifdef __linux__
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);   // fails beyond 1,024 processors
#endif
    return 0;
}

/// "QUOTA PERIOD" in microseconds, or "max PERIOD"; 0 where there is none.
int quota() {
    std::ifstream file("/sys/fs/cgroup/cpu.max");
    double time = 0, period = 0;
    if (!(file >> time >> period) || period <= 0) return 0;
    return std::max(1, static_cast<int>(std::ceil(time / period)));
}

}  // namespace

int processors() {
    int count = bound_to();
    if (count == 0) count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    static const int allowed = quota();   // a file to read, for the life of the process
    return allowed > 0 ? std::min(count, allowed) : count;
}

}  // namespace parallax::host
