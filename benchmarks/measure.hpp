// Timing: warm-ups, samples, medians; wall clock and the device's own clock side by side.
#pragma once

#include "core/plan.hpp"
#include "core/session.hpp"
#include "options.hpp"
#include "parallax/host/error.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace parallax::bench {

struct Timing {
    double wall = 0;                    ///< seconds, median
    std::optional<double> device;       ///< sum of the kernels' event times, median; none where the driver has none
    std::vector<double> walls;
};

/// `run` enqueues, waits, and gives the device's seconds (below zero: not known).
Timing measure(const Options&, const std::function<double()>& run);
/// Sum of the kernel stages, below zero where some of them were not measured.
double kernel_seconds(engine::Profiler&);
/// Milliseconds of each kernel by name, of the run that the profiler holds.
Json kernel_milliseconds(engine::Profiler&);

/// A row of the table; `floor_bytes` over the copy bandwidth is the shortest time that memory allows.
struct Row {
    std::string size, name, detail;
    Timing timing;
    double floor_bytes = 0, plan_seconds = 0, error = 0;
    Json kernels = nullptr;             ///< milliseconds of each kernel, of one run
};

void print_header();
void print(const Row&, double bandwidth);
void print_refusal(const std::string& size, const std::string& name, const std::string& reason);
/// `what` comes before the first reason.
void print_refusal(const std::string& size, const std::string& name, const UnsupportedError&, const std::string& what = {});
Json to_json(const Row&, double bandwidth);

/// The device that was asked for, at what it copies, and the report of it. Prints what the device is.
struct Bench {
    explicit Bench(const Options&);
    const host::DeviceInfo& device() const { return engine.device(); }
    /// Those that are wanted and have this device's backend.
    std::vector<const engine::Variant*> variants(const engine::Algorithm&) const;
    /// Of runs into the outputs of one before.
    Timing time(const engine::Call&, const engine::CallResult& into);
    /// Prints a row and reports it, with `more` of its own.
    void add(const Row&, const Json& more = Json::object());

    const Options& options;
    engine::Engine engine;
    engine::Session session;
    double bandwidth;   ///< bytes a second
    Json report;
};

}  // namespace parallax::bench
