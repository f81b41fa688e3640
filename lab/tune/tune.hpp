// parallax tune: for each variant and class of work the policy that is fastest on a device, verified, timed against the defaults,
// and written to the tuning files that Tuning reads.
#pragma once

#include "core/algorithm.hpp"
#include "core/tuning.hpp"
#include "tune/problems.hpp"
#include "tune/search.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine::tune {

/// A policy becomes an entry only where all of the 95% interval of its gain lies above this.
inline constexpr double least_gain = 1.02;

struct TuneOptions {
    std::optional<std::vector<ProblemSet>> own;  ///< problems instead of problem_sets()

    // What to tune of them; an empty list means all.
    std::vector<std::string> algorithms, variants;
    std::vector<std::string> types;              ///< "f32", "u8"
    std::vector<std::string> sizes;              ///< of size_classes()
    std::vector<Role> roles{Role::best, Role::plain, Role::baseline};

    Budget budget;   ///< of each search; as much again, at most, goes into the comparison with the defaults
    std::filesystem::path out;                   ///< folder of <algorithm>.json; made where it is missing
    bool again = false;                          ///< false: what this device, driver and engine have an entry for is left out
    int builders = 1;                            ///< programs that are compiled at the same time

    std::vector<std::string> worker;             ///< program and arguments that serve() of worker.hpp runs under
    double limit_s = 120;                        ///< a candidate that does not answer for so long has hung

    std::function<void(const std::string& what, double done)> progress;
    std::function<bool()> cancelled;
};

/// One variant on one class of work: what `--list` shows.
struct Task {
    const Algorithm* algorithm = nullptr;
    const Variant* variant = nullptr;
    const ProblemSet* set = nullptr;
    bool present = false;                        ///< there is an entry already
};

/// Throws IoError or ConfigError where tuning files cannot be written to `out`. run() does the same, first of all.
void require_writable(const TuneOptions&);

/// What is to be searched on the device: medium sizes, then large, then small ones. Throws ConfigError for names that do not
/// exist, with the nearest ("--type" and so on as pointers), and for tuning files in `out` that are none. The registry outlives
/// the tasks.
std::vector<Task> tasks_of(const host::DeviceInfo&, const Registry&, const TuneOptions&);

enum class Verdict { tuned, defaults, refused, failed };
std::string_view to_string(Verdict) noexcept;

/// What became of a task.
struct Result {
    Task task;
    Verdict verdict = Verdict::failed;
    std::string reason;                          ///< refused, failed: why; defaults: what came nearest
    double default_s = 0, tuned_s = 0;
    double gain = 1;
    Json policy = Json::object();
    bool best = false;                           ///< the fastest variant of its algorithm for this work
    std::vector<std::string> lost;               ///< candidates that took their process down, and how
};

struct Tuned {
    std::vector<Result> results;
    std::string ended;                           ///< empty: all was done; else why not
    double seconds = 0;
};

/// Searches every task. Candidates run in a worker process: one that crashes or hangs its driver is passed over, and the search
/// goes on in a new process. After each task its algorithm's file is written anew, complete or not at all: what has been found
/// outlives an interruption. Throws IoError or ConfigError before the first search where `out` cannot be written,
/// UnsupportedError where the worker does not find the device.
///
/// An entry holds the policy and, in "found", how it was found. Where no policy beat the defaults its policy is {}: jobs then
/// take the defaults and say that nothing faster was found.
Tuned run(const host::DeviceInfo& device, const Registry&, const TuneOptions&);
Json to_json(const Tuned&, const host::DeviceInfo&);

/// Throws ConfigError ("--device") for one without policies.
void require_policies(const host::DeviceInfo&);
/// Programs that are best compiled at the same time on this machine.
int builders_here();

}  // namespace parallax::engine::tune
