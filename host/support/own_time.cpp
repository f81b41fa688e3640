#include "support/own_time.hpp"

#include "support/entries.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace parallax::host {
namespace fs = std::filesystem;
namespace {

struct Activity {
    double computed_s = 0;      ///< by every thread, also by those that have ended
    bool would_go_on = false;   ///< a thread waits for a processor or a disk, or is stopped; or computes right now
    bool ended = false;         ///< and nobody has asked how yet
};

struct Stat {
    char state = 0;
    double computed_s = 0;   ///< with the children that it has waited for
};

/// Of "PID (NAME) STATE PARENT ...", the file `stat` of a process or thread.
std::optional<Stat> stat_of(const fs::path& folder) {
    std::ifstream file(folder / "stat");
    std::string text;   // by getline(), which does not throw where the process ends between opening and reading
    std::getline(file, text, '\0');
    const std::size_t name_end = text.rfind(')');   // a name may hold anything
    if (name_end == std::string::npos) return std::nullopt;
    std::istringstream fields(text.substr(name_end + 1));
    Stat stat;
    std::string passed;
    fields >> stat.state;
    for (int field = 0; field < 10; ++field) fields >> passed;
    double ticks = 0;
    for (int field = 0; field < 4; ++field) {   // by the process and by the system for it, and the same for its children
        double count = 0;
        fields >> count;
        ticks += count;
    }
    constexpr double ticks_a_second = 100;   // what Linux tells programs in, whatever its clock
    stat.computed_s = ticks / ticks_a_second;
    return fields ? std::optional(stat) : std::nullopt;
}

constexpr int generations = 4;

/// Adds a process and those that it has started. False where the system does not tell.
bool add(Activity& activity, const std::string& process, int depth = generations) {
    const fs::path folder = fs::path("/proc") / process;
    const auto all = stat_of(folder);
    if (!all) return false;
    if (depth == generations) activity.ended = all->state == 'Z';
    activity.computed_s += all->computed_s;
    std::error_code problem;
    for (const fs::path& thread : entries_of(folder / "task", problem)) {
        const auto one = stat_of(thread);
        if (one && std::string("RDTt").find(one->state) != std::string::npos) activity.would_go_on = true;
        std::ifstream children(thread / "children");
        for (std::string child; depth > 0 && children >> child;) add(activity, child, depth - 1);
    }
    return !problem;
}

}  // namespace

std::chrono::duration<double> OwnTime::so_far() {
    const auto now = Clock::now();
    const double passed_s = std::min(std::chrono::duration<double>(now - looked_).count(), .25);
    looked_ = now;
    Activity activity;
    if (!add(activity, std::to_string(process_))) {
        own_s_ += passed_s;
    } else if (!activity.ended) {
        // A child that nobody waits for takes what it has computed along.
        const double computed_s = std::max(activity.computed_s - computed_s_, 0.0);
        computed_s_ = activity.computed_s;
        own_s_ += activity.would_go_on ? std::min(computed_s, passed_s) : passed_s;   // threads compute beside each other
    }
    return std::chrono::duration<double>(own_s_);
}

}  // namespace parallax::host
