#include "support/memory.hpp"

#include "support/control_group.hpp"
#include "support/platform.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>

#if defined(_WIN32)
#include <windows.h>
#elif defined(__linux__)
#include <sys/resource.h>
#endif

namespace parallax::host::platform {

namespace {

class Least {
public:
    void take(std::uint64_t bytes, const char* whose) {
        if (room_ && bytes >= *room_) return;
        room_ = bytes;
        whose_ = whose;
    }
    MemoryRoom result() const {
        if (!room_) return {};
        return {std::max<std::uint64_t>(*room_, 1), fmt::format("{} are left {}", human_bytes(*room_), whose_)};
    }

private:
    std::optional<std::uint64_t> room_;
    const char* whose_ = "";
};

#if defined(__linux__)

/// The value in kB behind a name of /proc/meminfo or /proc/self/status.
std::optional<std::uint64_t> kilobytes(const char* file, std::string_view name) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(name) && line.size() > name.size() && line[name.size()] == ':')
            return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10);
    return std::nullopt;
}

void take_limit(Least& least, decltype(RLIMIT_DATA) which, const char* used, const char* whose) {
    rlimit limit{};
    if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    const std::uint64_t now = kilobytes("/proc/self/status", used).value_or(0) * 1024;
    least.take(limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, now), whose);
}

#endif

}  // namespace

MemoryRoom memory_room() {
    Least least;
#if defined(_WIN32)
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    if (GlobalMemoryStatusEx(&status)) least.take(status.ullAvailPageFile, "on this machine");
#elif defined(__linux__)
    const auto free = kilobytes("/proc/meminfo", "MemAvailable"), swap = kilobytes("/proc/meminfo", "SwapFree");
    if (free) least.take((*free + swap.value_or(0)) * 1024, "on this machine");
    if (const auto left = left_by_control_groups()) least.take(*left, "in the process's control group");
    take_limit(least, RLIMIT_DATA, "VmData", "of the process's limit (--limit memory, ulimit -d)");
    take_limit(least, RLIMIT_AS, "VmSize", "of the process's limit (ulimit -v)");
#else
    if (const std::uint64_t all = physical_memory(); all > 0) least.take(all, "on this machine, were it idle");
#endif
    return least.result();
}

std::optional<std::uint64_t> memory_limit() {
    std::optional<std::uint64_t> least;
#if defined(__linux__)
    for (const auto which : {RLIMIT_DATA, RLIMIT_AS}) {
        rlimit limit{};
        if (getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            least = std::min<std::uint64_t>(limit.rlim_cur, least.value_or(limit.rlim_cur));
    }
#endif
    return least;
}

}  // namespace parallax::host::platform
