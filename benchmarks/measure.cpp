#include "measure.hpp"

#include "timing/rates.hpp"
#include "timing/statistics.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace parallax::bench {

using Clock = std::chrono::steady_clock;
using engine::Profiler;
using engine::Stage;
using engine::StageKind;
using engine::compare::median;

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

void list_kernels(const std::vector<Stage>& stages, Json& list) {
    for (const Stage& stage : stages) {
        if (!stage.children.empty()) list_kernels(stage.children, list);
        else if (stage.kind == StageKind::kernel && stage.measured)
            list[stage.name] = list.value(stage.name, 0.0) + stage.seconds * 1e3;
    }
}

}  // namespace

Json kernel_milliseconds(Profiler& profiler) {
    Json list = Json::object();
    list_kernels(profiler.collect(), list);
    return list;
}

double kernel_seconds(Profiler& profiler) {
    double seconds = 0;
    return add_kernels(profiler.collect(), seconds) ? seconds : -1;
}

void print_header() {
    fmt::print("{:>10} {:<14} {:>10} {:>10} {:>7} {:>8} {:>9}  {}\n", "size", "row", "device ms", "wall ms", "copy %", "plan s",
               "error", "detail");
}

void print(const Row& row, double bandwidth) {
    const double seconds = row.timing.device.value_or(row.timing.wall);
    const std::string device = row.timing.device ? fmt::format("{:.3f}", *row.timing.device * 1e3) : "-";
    fmt::print("{:>10} {:<14} {:>10} {:>10.3f} {:>7.1f} {:>8.2f} {:>9.1e}  {}\n", row.size, row.name, device,
               row.timing.wall * 1e3, 100 * row.floor_bytes / bandwidth / seconds, row.plan_seconds, row.error, row.detail);
}

void print_refusal(const std::string& size, const std::string& name, const std::string& reason) {
    fmt::print("{:>10} {:<14} {}\n", size, name, reason);
}

void print_refusal(const std::string& size, const std::string& name, const UnsupportedError& error, const std::string& what) {
    print_refusal(size, name, what + (error.reasons.empty() ? error.what() : error.reasons.front()));
}

Json to_json(const Row& row, double bandwidth) {
    Json json{{"size", row.size}, {"row", row.name}, {"detail", row.detail}, {"wall_ms", row.timing.wall * 1e3}};
    json["device_ms"] = row.timing.device ? Json(*row.timing.device * 1e3) : Json(nullptr);
    json["floor_ms"] = row.floor_bytes / bandwidth * 1e3;
    json["plan_s"] = row.plan_seconds;
    json["error"] = row.error;
    if (!row.kernels.is_null()) json["kernels_ms"] = row.kernels;
    json["walls_s"] = row.timing.walls;
    return json;
}

Bench::Bench(const Options& given)
    : options(given),
      engine(*select_device(given), engine::registry_with_peers(), {host::ProgramCache::open()}),
      session(engine),
      bandwidth(engine::compare::copy_bandwidth(engine.context(), session.queue())),
      report{{"device", describe_device(engine.device())}, {"copy_bytes_per_second", bandwidth}, {"rows", Json::array()}} {
    if (options.replay) session.replay(engine::Replay::short_ones);
}

std::vector<const engine::Variant*> Bench::variants(const engine::Algorithm& algorithm) const {
    std::vector<const engine::Variant*> some;
    for (const engine::Variant& variant : algorithm.variants) {
        const auto& backends = variant.backends;
        if (options.wants(variant.name) && std::find(backends.begin(), backends.end(), engine.device().backend) != backends.end())
            some.push_back(&variant);
    }
    return some;
}

Timing Bench::time(const engine::Call& call, const engine::CallResult& into) {
    return measure(options, [&] {
        session.profiler().clear();
        session.run(call, into.outputs);
        return kernel_seconds(session.profiler());
    });
}

void Bench::add(const Row& row, const Json& more) {
    print(row, bandwidth);
    Json json = to_json(row, bandwidth);
    json.update(more);
    report["rows"].push_back(std::move(json));
}

}  // namespace parallax::bench
