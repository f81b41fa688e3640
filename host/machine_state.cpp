#include "machine_state.hpp"

#include "support/platform.hpp"
#include "program/key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <vector>

#if !defined(_WIN32)
#include <sys/stat.h>
extern char** environ;
#endif

namespace parallax::host {
namespace fs = std::filesystem;
namespace {

#if !defined(_WIN32)
/// What shells, terminals and launchers of jobs set anew for each process.
bool is_noise(std::string_view variable) {
    constexpr std::array<std::string_view, 10> names{"_",     "PWD",  "OLDPWD", "SHLVL",     "COLUMNS",
                                                     "LINES", "TERM", "PS1",    "LS_COLORS", "INVOCATION_ID"};
    constexpr std::array<std::string_view, 12> beginnings{"PARALLAX_",   "OMPI_", "PMI",  "PRTE_",  "SLURM_",  "SSH_",
                                                          "XDG_SESSION", "DBUS_", "TMUX", "CTEST_", "PYTEST_", "JOURNAL_"};
    return std::find(names.begin(), names.end(), variable) != names.end() ||
           std::any_of(beginnings.begin(), beginnings.end(),
                       [&](std::string_view beginning) { return variable.starts_with(beginning); });
}
#endif

std::string environment() {
    std::vector<std::string> list;
#if !defined(_WIN32)
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (!is_noise(text.substr(0, text.find('=')))) list.emplace_back(text);
    }
#endif
    std::sort(list.begin(), list.end());
    std::string all;
    for (const std::string& entry : list) all += entry + '\0';
    return all;
}

std::string first_line(const fs::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

}  // namespace

std::string file_state(const fs::path& path) {
    std::error_code problem;
    const std::uintmax_t bytes = fs::file_size(path, problem);
    if (problem) return {};
    const auto written = fs::last_write_time(path, problem);
    if (problem) return {};
    std::string state = fmt::format("{} bytes of {}", bytes, written.time_since_epoch().count());
#if defined(__linux__)
    struct stat found {};   // a copy of the same length may have been given the same time
    if (stat(path.c_str(), &found) == 0)
        state += fmt::format(", number {}, changed at {}.{:09}", found.st_ino, found.st_ctim.tv_sec, found.st_ctim.tv_nsec);
#endif
    return state;
}

std::string machine_state() {
    std::error_code problem;
    // A start of the system, a container, its view of devices, and the linker's table, which is written anew when a library
    // changes.
    const std::string container = fs::read_symlink("/proc/self/ns/mnt", problem).string();
    const bool shows_devices = fs::exists("/sys/devices", problem);
    return hash_parts({first_line("/proc/sys/kernel/random/boot_id"), container, shows_devices ? "devices" : "",
                       file_state("/etc/ld.so.cache"), platform::nvidia_driver_version(), environment()});
}

}  // namespace parallax::host
