#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace parallax::bench {

using engine::Profiler;
using engine::Stage;
using engine::StageKind;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

Timing measure(const Options& options, const std::function<double()>& run) {
    using Clock = std::chrono::steady_clock;
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

}  // namespace

double kernel_seconds(Profiler& profiler) {
    double seconds = 0;
    return add_kernels(profiler.collect(), seconds) ? seconds : -1;
}

double copy_bandwidth(host::Context& context, host::Queue& queue) {
    using Clock = std::chrono::steady_clock;
    const std::size_t bytes = std::min<std::size_t>(std::size_t{512} << 20, context.info().max_allocation / 2) / 4096 * 4096;
    const host::Buffer a = context.allocate(bytes), b = context.allocate(bytes);
    const auto program = context.build({"benchmark/copy.cl", {}});
    const auto kernel = program->kernel("copy");
    const std::uint64_t count = bytes / 16;
    const std::size_t local = std::min<std::size_t>(256, kernel->max_work_group());
    const host::Arg args[]{a, b, count};
    const auto timed = [&](const auto& enqueue) {
        std::vector<double> seconds;
        for (int i = 0; i < 12; ++i) {
            const auto start = Clock::now();
            const host::Event event = enqueue();
            queue.finish();
            const double wall = std::chrono::duration<double>(Clock::now() - start).count();
            const auto times = event.times();
            if (i >= 2) seconds.push_back(times && times->ended > times->started ? times->seconds() : wall);
        }
        return median(std::move(seconds));
    };
    const double by_driver = timed([&] { return queue.copy(a, 0, b, 0, bytes, "copy"); });
    const double by_kernel = timed([&] {
        return queue.launch({.kernel = *kernel, .groups = {(count + local - 1) / local}, .local = {local}, .args = args, .step = "copy"});
    });
    return 2.0 * static_cast<double>(bytes) / std::min(by_driver, by_kernel);
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
