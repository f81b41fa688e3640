#include "timing/power.hpp"

#include "core/clock.hpp"
#include "timing/nvml.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>

namespace parallax::engine::compare {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

class NvmlSource : public PowerSource {
public:
    explicit NvmlSource(NvmlCard card) : card_(card) {}
    std::string name() const override { return "NVML"; }
    PowerReading read() override { return {card_.joules(), card_.watts(), card_.sm_mhz(), card_.celsius(), card_.throttled()}; }

private:
    NvmlCard card_;
};

/// Counters of microjoules, which begin again at their range.
class RaplSource : public PowerSource {
public:
    struct Package {
        fs::path counter;
        double range = 0, last = 0, turns = 0;
    };

    explicit RaplSource(std::vector<Package> packages) : packages_(std::move(packages)) {}
    std::string name() const override { return "RAPL"; }
    PowerReading read() override {
        const std::lock_guard lock(mutex_);
        double joules = 0;
        for (Package& package : packages_) {
            const double now = number_in(package.counter);
            if (now < package.last) package.turns += package.range;
            package.last = now;
            joules += (now + package.turns) * 1e-6;
        }
        PowerReading reading;
        const auto at = Clock::now();
        const double since = std::chrono::duration<double>(at - last_at_).count();
        if (last_joules_ > 0 && since > 0) reading.watts = (joules - last_joules_) / since;
        last_joules_ = joules;
        last_at_ = at;
        reading.joules = joules;
        return reading;
    }
    /// -1 where it cannot be read.
    static double number_in(const fs::path& file) {
        std::ifstream from(file);
        double value = -1;
        return from >> value ? value : -1;
    }

private:
    std::mutex mutex_;
    std::vector<Package> packages_;
    double last_joules_ = 0;
    Clock::time_point last_at_ = Clock::now();
};

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

std::unique_ptr<PowerSource> rapl_source(const fs::path& folder) {
    std::vector<RaplSource::Package> packages;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        std::ifstream name_file(entry.path() / "name");
        std::string name;
        name_file >> name;
        if (!name.starts_with("package")) continue;   // cores and memory are parts of it
        const fs::path counter = entry.path() / "energy_uj";
        const double now = RaplSource::number_in(counter);
        if (now >= 0) packages.push_back({counter, RaplSource::number_in(entry.path() / "max_energy_range_uj"), now, 0});
    }
    return packages.empty() ? nullptr : std::make_unique<RaplSource>(std::move(packages));
}

std::unique_ptr<PowerSource> power_source_of(const host::DeviceInfo& info) {
    if (const auto card = NvmlCard::find(info)) return std::make_unique<NvmlSource>(*card);
    if (info.type == host::DeviceType::cpu || info.backend == host::Backend::native) return rapl_source("/sys/class/powercap");
    return nullptr;
}

PowerMonitor::PowerMonitor(PowerSource& source, double period_s)
    : source_(source), thread_([this, period_s, start = Clock::now()] {
          while (!done_) {
              seen_.emplace_back(seconds_since(start), source_.read());
              std::this_thread::sleep_for(std::chrono::duration<double>(period_s));
          }
          seen_.emplace_back(seconds_since(start), source_.read());
      }) {}

PowerMonitor::~PowerMonitor() { stop(); }

void PowerMonitor::stop() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
}

Json PowerMonitor::history() {
    stop();
    Json history{{"seconds", Json::array()}, {"watts", Json::array()}, {"sm_mhz", Json::array()}, {"celsius", Json::array()}};
    std::vector<std::string> throttled;
    const std::size_t step = std::max<std::size_t>(1, (seen_.size() + 199) / 200);
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        const auto& [at, reading] = seen_[i];
        for (const std::string& why : reading.throttled)
            if (std::find(throttled.begin(), throttled.end(), why) == throttled.end()) throttled.push_back(why);
        if (i % step != 0) continue;
        history["seconds"].push_back(at);
        history["watts"].push_back(or_null(reading.watts));
        history["sm_mhz"].push_back(or_null(reading.sm_mhz));
        history["celsius"].push_back(or_null(reading.celsius));
    }
    history["throttled"] = throttled;
    return history;
}

double PowerMonitor::integrated_joules() {
    stop();
    double joules = 0, at_before = 0;
    std::optional<double> before;
    for (const auto& [at, reading] : seen_) {
        if (!reading.watts) continue;
        joules += before ? (*before + *reading.watts) / 2 * (at - at_before) : *reading.watts * at;
        before = reading.watts;
        at_before = at;
    }
    return joules;
}

double PowerMonitor::mean_watts() {
    stop();
    return seen_.empty() || seen_.back().first <= 0 ? 0 : integrated_joules() / seen_.back().first;
}

std::optional<double> PowerMonitor::counted_watts() {
    stop();
    // Cards move their counters on in steps of a tenth of a second: from one step to another, not from look to look.
    std::optional<std::pair<double, double>> first, last;   // when a step was seen, and what the counter said
    std::optional<double> before;
    for (const auto& [at, reading] : seen_) {
        if (!reading.joules) continue;
        if (before && *reading.joules != *before) {
            last = {at, *reading.joules};
            if (!first) first = last;
        }
        before = reading.joules;
    }
    if (!first || last->first <= first->first) return std::nullopt;
    return (last->second - first->second) / (last->first - first->first);
}

Json measure_energy(PowerSource& source, double seconds, double idle_s, const std::function<void()>& run) {
    // A card tells the mean power of its last second, and clocks rise and fall for as long: both are let pass.
    const double settle_s = std::min(1.5, 0.75 * idle_s);
    const auto rest = [](double s) { std::this_thread::sleep_for(std::chrono::duration<double>(s)); };
    rest(settle_s);
    PowerMonitor resting(source);
    rest(idle_s);
    const std::optional<double> idle_counted = resting.counted_watts();
    const double idle_watts = resting.mean_watts() > 0 ? resting.mean_watts() : idle_counted.value_or(0);

    for (const auto start = Clock::now(); seconds_since(start) < settle_s;) run();
    const auto start = Clock::now();
    PowerMonitor working(source);
    int runs = 0;
    do {
        run();
        ++runs;
    } while (seconds_since(start) < seconds);
    const double took = seconds_since(start);
    const std::optional<double> counted = working.counted_watts();
    const auto a_run = [&](double watts, double idle) { return (watts - idle) * took / runs; };
    Json energy{{"source", source.name()}, {"seconds", took}, {"runs", runs}, {"idle_watts", idle_watts}};
    const double watts = working.mean_watts();
    energy["watts"] = watts > 0 ? Json(watts) : Json();
    energy["counter_joules"] = counted ? Json(a_run(*counted, idle_counted.value_or(idle_watts))) : Json();
    energy["integrated_joules"] = watts > 0 ? Json(a_run(watts, idle_watts)) : Json();
    energy["history"] = working.history();
    return energy;
}

}  // namespace parallax::engine::compare
