#include "measure.hpp"

#include "algorithms/hologram/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace parallax::bench {

using Clock = std::chrono::steady_clock;
using engine::Profiler;
using engine::Stage;
using engine::StageKind;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

Timing measure(const Options& options, const std::function<double()>& run) {
    for (int i = 0; i < options.warmups; ++i) run();
    Timing timing;
    std::vector<double> device;
    for (int i = 0; i < options.samples; ++i) {
        const auto start = Clock::now();
        const double seconds = run();
        timing.walls.push_back(std::chrono::duration<double>(Clock::now() - start).count());
        if (seconds >= 0) device.push_back(seconds);
    }
    timing.wall = median(timing.walls);
    if (device.size() == timing.walls.size()) timing.device = median(std::move(device));
    return timing;
}

namespace {

bool add_kernels(const std::vector<Stage>& stages, double& seconds) {
    bool measured = true;
    for (const Stage& stage : stages) {
        if (!stage.children.empty()) {
            measured = add_kernels(stage.children, seconds) && measured;
        } else if (stage.kind == StageKind::kernel) {
            measured = stage.measured && measured;
            seconds += stage.seconds;
        }
    }
    return measured;
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Of `seconds()`, after two that do not count.
template <class Seconds>
double median_of_ten(const Seconds& seconds) {
    std::vector<double> values;
    for (int i = 0; i < 12; ++i) {
        const double value = seconds();
        if (i >= 2) values.push_back(value);
    }
    return median(std::move(values));
}

double copy_by_threads(const host::Buffer& from, const host::Buffer& to, std::size_t bytes) {
    const auto start = Clock::now();
    engine::hologram::for_rows(static_cast<std::int64_t>(bytes), 0, [&](std::int64_t first, std::int64_t end) {
        std::memcpy(to.host_pointer() + first, from.host_pointer() + first, static_cast<std::size_t>(end - first));
    });
    return seconds_since(start);
}

}  // namespace

double kernel_seconds(Profiler& profiler) {
    double seconds = 0;
    return add_kernels(profiler.collect(), seconds) ? seconds : -1;
}

double copy_bandwidth(host::Context& context, host::Queue& queue) {
    const std::size_t bytes = std::min<std::size_t>(std::size_t{512} << 20, context.info().max_allocation / 2) / 4096 * 4096;
    const host::Buffer a = context.allocate(bytes), b = context.allocate(bytes);
    const double moved = 2.0 * static_cast<double>(bytes);
    if (context.info().backend == host::Backend::native) return moved / median_of_ten([&] { return copy_by_threads(a, b, bytes); });
    const auto program = context.build({"benchmark/copy.cl", {}});
    const auto kernel = program->kernel("copy");
    const std::uint64_t count = bytes / 16;
    const std::size_t local = std::min<std::size_t>(256, kernel->max_work_group());
    const host::Arg args[]{a, b, count};
    const auto timed = [&](const auto& enqueue) {
        return median_of_ten([&] {
            const auto start = Clock::now();
            const host::Event event = enqueue();
            queue.finish();
            const auto times = event.times();
            return times && times->ended > times->started ? times->seconds() : seconds_since(start);
        });
    };
    const double by_driver = timed([&] { return queue.copy(a, 0, b, 0, bytes, "copy"); });
    const double by_kernel = timed([&] {
        return queue.launch({.kernel = *kernel, .groups = {(count + local - 1) / local}, .local = {local}, .args = args, .step = "copy"});
    });
    return moved / std::min(by_driver, by_kernel);
}

void print_header() {
    fmt::print("{:>10} {:<14} {:>10} {:>10} {:>7} {:>8} {:>9}  {}\n", "size", "row", "device ms", "wall ms", "copy %", "plan s", "error", "detail");
}

void print(const Row& row, double bandwidth) {
    const double seconds = row.timing.device.value_or(row.timing.wall);
    const std::string device = row.timing.device ? fmt::format("{:.3f}", *row.timing.device * 1e3) : "-";
    fmt::print("{:>10} {:<14} {:>10} {:>10.3f} {:>7.1f} {:>8.2f} {:>9.1e}  {}\n", row.size, row.name, device, row.timing.wall * 1e3,
               100 * row.floor_bytes / bandwidth / seconds, row.plan_seconds, row.error, row.detail);
}

void print_refusal(const std::string& size, const std::string& name, const std::string& reason) { fmt::print("{:>10} {:<14} {}\n", size, name, reason); }

Json to_json(const Row& row, double bandwidth) {
    Json json{{"size", row.size}, {"row", row.name}, {"detail", row.detail}, {"wall_ms", row.timing.wall * 1e3}};
    json["device_ms"] = row.timing.device ? Json(*row.timing.device * 1e3) : Json(nullptr);
    json["floor_ms"] = row.floor_bytes / bandwidth * 1e3;
    json["plan_s"] = row.plan_seconds;
    json["error"] = row.error;
    json["walls_s"] = row.timing.walls;
    return json;
}

}  // namespace parallax::bench
