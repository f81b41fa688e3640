// Timing: warm-ups, samples, medians; wall clock and the device's own clock side by side.
#pragma once

#include "core/plan.hpp"
#include "core/session.hpp"
#include "options.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace parallax::bench {

double median(std::vector<double>);

struct Timing {
    double wall = 0;                    ///< seconds, median
    std::optional<double> device;       ///< sum of the kernels' event times, median; none where the driver has none
    std::vector<double> walls;
};

/// `run` enqueues, waits, and gives the device's seconds (below zero: not known).
Timing measure(const Options&, const std::function<double()>& run);
/// Sum of the kernel stages, below zero where some of them were not measured.
double kernel_seconds(engine::Profiler&);

/// Bytes a second that a copy reads and writes, the better of the driver's copy and a kernel's: the median of ten.
double copy_bandwidth(host::Context&, host::Queue&);

/// A row of the table; `floor_bytes` over the copy bandwidth is the shortest time that memory allows.
struct Row {
    std::string size, name, detail;
    Timing timing;
    double floor_bytes = 0, plan_seconds = 0, error = 0;
};

void print_header();
void print(const Row&, double bandwidth);
void print_refusal(const std::string& size, const std::string& name, const std::string& reason);
Json to_json(const Row&, double bandwidth);

}  // namespace parallax::bench
