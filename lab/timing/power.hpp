// What a device draws while it works: joules a run, by its own counter and by its power added up, what it draws idle taken off.
#pragma once

#include "parallax/host/device.hpp"
#include "parallax/host/json.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace parallax::engine::compare {

/// One look at a device. Empty: it does not tell.
struct PowerReading {
    std::optional<double> joules, watts, sm_mhz, celsius;
    std::vector<std::string> throttled;
};

/// Whoever tells. May be asked from any thread.
class PowerSource {
public:
    virtual ~PowerSource() = default;
    virtual std::string name() const = 0;
    virtual PowerReading read() = 0;
};
/// NVML for NVIDIA's cards, RAPL's packages for processors; null where neither can be read.
std::unique_ptr<PowerSource> power_source_of(const host::DeviceInfo&);
/// RAPL's counters below `folder` (/sys/class/powercap), null where none can be read: systems keep them from all but root.
std::unique_ptr<PowerSource> rapl_source(const std::filesystem::path& folder);

/// Looks at a source from a thread of its own until it goes.
class PowerMonitor {
public:
    explicit PowerMonitor(PowerSource&, double period_s = 0.05);
    ~PowerMonitor();
    /// Stops, and what was seen: {"seconds": [...], "watts": [...], "sm_mhz": [...], "celsius": [...], "throttled": ["heat"]}, of
    /// at most 200 looks; null in the place of what was not told.
    Json history();
    /// Stops; the power added up by trapezoids, and the mean of it. 0 where none was told.
    double integrated_joules();
    double mean_watts();
    /// Stops; the mean power by the counter, from the first of its steps that was seen to the last. Empty where none was.
    std::optional<double> counted_watts();

private:
    void stop();

    PowerSource& source_;
    std::atomic<bool> done_ = false;
    std::vector<std::pair<double, PowerReading>> seen_;
    std::thread thread_;
};

/// Runs for `seconds` after a rest of `idle_s`: {"source", "seconds", "runs", "idle_watts", "watts", "counter_joules",
/// "integrated_joules"} (both of a run, less what the same way of telling says of the rest, null where not told) and "history".
/// Before each of the two it waits, and works, for three quarters of `idle_s`, 1.5 s at most, until what is told has settled.
Json measure_energy(PowerSource&, double seconds, double idle_s, const std::function<void()>& run);

}  // namespace parallax::engine::compare
