// Searches beside a worker that is made up: what becomes of them when it is lost, or when the user wants them to end.
#include "core/tuning.hpp"
#include "jobs/support.hpp"
#include "tune/tournament.hpp"
#include "peers/peers.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::engine;

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Answers requests in a shell: "problem", "reference" and "measure" may be scripts, which find the number of the process in
/// $started and of the measurement in $measured. All candidates are as fast.
class MadeUpWorker {
public:
    MadeUpWorker(const std::string& measure, const std::string& reference = "", const std::string& problem = "") {
        write_text(folder_ / "worker.sh",
                   "cd \"$(dirname \"$0\")\"\necho $$ >> processes\nstarted=$(wc -l < processes)\nmeasured=0\nwhile read -r "
                   "line; do case \"$line\" in\n"
                   "*'\"do\":\"problem\"'*) " +
                       problem +
                       "\n echo '{\"type\":\"u32\",\"size\":\"small\"}';;\n"
                       "*'\"do\":\"reference\"'*) " +
                       reference +
                       "\n echo '{}';;\n"
                       "*'\"do\":\"measure\"'*) measured=$((measured+1))\n " +
                       measure +
                       "\n echo '{\"outcome\":\"timed\",\"seconds\":0.001,\"reason\":\"\",\"clock\":\"device\"}';;\n"
                       "*'\"do\":\"why_not\"'*) echo '{\"reason\":\"\"}';;\n*) echo '{}';;\nesac; done\n");
    }
    std::vector<std::string> command() const { return {"/bin/sh", (folder_ / "worker.sh").string()}; }
    const TempFolder& folder() const { return folder_; }
    pid_t last_process() const {
        const std::string list = read_text(folder_ / "processes");
        return static_cast<pid_t>(std::stol(list.substr(list.rfind('\n', list.size() - 2) + 1)));
    }

private:
    TempFolder folder_;
};

const tune::ProblemSet& small_scan() {
    const auto& sets = tune::problem_sets();
    return *std::find_if(sets.begin(), sets.end(),
                         [](const tune::ProblemSet& s) { return s.algorithm == "scan" && s.work.size == "small"; });
}

/// A variant with many policies.
const Variant& variant() {
    static const Registry registry = registry_with_peers();
    const auto& variants = registry.get("scan").variants;
    return *std::find_if(variants.begin(), variants.end(),
                         [](const Variant& v) { return tune::Space::of(v.policy).size() >= 12; });
}

}  // namespace

TEST_CASE("tune: references, and processes that were lost, take no time from a search") {
    const MadeUpWorker made_up("[ $started = 1 ] && [ $measured = 3 ] && exit 1", "sleep 0.7");
    compare::DeviceWorker worker(Json::object(), {made_up.command(), {}, {}, {}, false, {}});
    tune::TuneOptions options;
    options.budget = {0.6, 12};
    tune::Tournament contest(worker, small_scan(), options);
    const auto finding = contest.search(variant(), {}, {});
    CHECK(finding.lost.size() == 1);
    CHECK(worker.starts() == 2);
    CHECK(finding.found.at("ended") == "candidates");
    CHECK(finding.found.at("seconds") < 0.6);
}

TEST_CASE("tune: a problem of another class is noticed, too, where the process was lost when it was first made") {
    const MadeUpWorker made_up("", "", R"([ $started = 1 ] && exit 1; echo '{"type":"u32","size":"large"}'; continue)");
    compare::DeviceWorker worker(Json::object(), {made_up.command(), {}, {}, {}, false, {}});
    const tune::TuneOptions options;
    tune::Tournament contest(worker, small_scan(), options);
    CHECK_THROWS_AS(contest.trial(), compare::WorkerLost);
    CHECK(contains(error_of<Error>([&] { contest.trial(); }).what(), "u32 large, not u32 small"));
}

TEST_CASE("tune: a stop ends the worker at once, and the same command goes on with what was found") {
    const MadeUpWorker made_up("[ $measured = $(cat hang) ] && touch waiting && exec sleep 60");
    const TempFolder& folder = made_up.folder();
    host::DeviceInfo device;
    device.backend = host::Backend::opencl;
    device.name = "made up";
    const Registry registry = registry_with_peers();
    tune::TuneOptions options;
    options.worker = made_up.command();
    options.algorithms = {"scan"};
    options.sizes = {"small"};
    options.budget = {60, 1};
    options.out = folder / "found";
    std::optional<Clock::time_point> stopped;
    options.cancelled = [&] {
        if (!stopped && fs::exists(folder / "waiting")) stopped = Clock::now();
        return stopped.has_value();
    };
    const auto entries = [&] { return TuningFile::parse(read_text(folder / "found/scan.json"), "scan.json").entries; };
    const auto best = [&] {
        const auto all = entries();
        return std::count_if(all.begin(), all.end(), [](const TunedPolicy& entry) { return entry.best; });
    };
    const auto run_until = [&](std::size_t measurement) {
        write_text(folder / "hang", std::to_string(measurement));
        const tune::Tuned tuned = tune::run(device, registry, options);
        REQUIRE(stopped);
        CHECK(seconds_since(*stopped) < 2);
        CHECK(tuned.ended == "interrupted");
        CHECK(kill(made_up.last_process(), 0) == -1);
        fs::remove(folder / "waiting");
        stopped.reset();
        return tuned.results.size();
    };
    const std::size_t searches = tune::tasks_of(device, registry, options).size();
    REQUIRE(searches > 2);
    CHECK(run_until(2) == 1);   // in the second search
    CHECK(entries().size() == 1);
    CHECK(run_until(searches) == searches - 1);   // among the variants
    CHECK(entries().size() == searches);
    CHECK(best() == 0);
    write_text(folder / "hang", "0");
    CHECK(tune::run(device, registry, options).ended.empty());
    CHECK(best() == 1);
}
