#include "exec/memory_plan.hpp"
#include "exec/resident.hpp"
#include "job/runner.hpp"
#include "series/conveyor.hpp"
#include "series/statistic.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace parallax::engine::series {

Load load_of(const SeriesResult& result) {
    double reading = 0, writing = 0, busy = 0;
    for (const Stage& stage : result.stages) {
        if (stage.name == "prepare" || stage.name == "read" || stage.name == "hash") reading += stage.seconds;
        if (stage.name == "write") writing += stage.seconds;
    }
    for (const DeviceShare& share : result.devices) busy = std::max(busy, share.busy);
    const auto share = [&](double seconds, int threads) {
        return threads > 0 && result.seconds > 0 ? std::min(1.0, seconds / (threads * result.seconds)) : 0.0;
    };
    return {share(reading, result.readers), busy, share(writing, result.writers)};
}

double percentile_of(const std::vector<double>& sorted, double percent) {
    const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
    return sorted.at(static_cast<std::size_t>(std::max(rank, 1.0)) - 1);
}

Json to_json(const SeriesResult& result, const PreparedSeries& series) {
    Json failed = Json::array(), devices = Json::array(), steps = Json::array(), outputs = Json::object(), stages = Json::array();
    for (const Failure& failure : result.failed)
        failed.push_back({{"number", failure.number}, {"item", failure.item}, {"error", failure.error}});
    for (const DeviceShare& share : result.devices) {
        Json device = engine::to_json(share.device);
        device["items"] = share.items;
        device["in_flight"] = share.in_flight;
        device["busy"] = share.busy > 0 ? Json(share.busy) : Json(nullptr);
        device["peak_bytes"] = share.peak_bytes;
        devices.push_back(std::move(device));
    }
    for (const StepReport& step : result.steps) steps.push_back(engine::to_json(step));
    for (const OutputReport& output : result.gathered) {
        outputs[output.name] = engine::to_json(output.file);
        if (!output.array.empty()) outputs[output.name]["array"] = output.array;
        if (!output.left_out.empty()) outputs[output.name]["left_out"] = output.left_out;
    }
    Json warnings = Json::array();
    for (const SeriesWarning& warning : result.warnings)
        warnings.push_back({{"text", warning.text}, {"first", warning.first}, {"items", warning.items}});
    for (const Stage& stage : result.stages) stages.push_back(stage.to_json());
    Json latency;
    if (!result.latencies.empty())
        latency = {{"files", result.latencies.size()},
                   {"median", percentile_of(result.latencies, 50)},
                   {"p99", percentile_of(result.latencies, 99)},
                   {"longest", result.latencies.back()}};
    return {{"parallax_series_report", 1},
            {"engine", {{"version", PARALLAX_VERSION}}},
            {"finished", utc_now()},
            {"job", engine::to_json(series.job)},
            {"manifest", to_utf8(series.options.manifest)},
            {"shard", {{"number", series.options.shard.number}, {"count", series.options.shard.count}}},
            {"items",
             {{"all", series.items.size()},
              {"mine", result.total},
              {"done", result.done},
              {"before", result.skipped},
              {"failed", failed.size()}}},
            {"failed", std::move(failed)},
            {"warnings", std::move(warnings)},
            {"found", result.found},
            {"stopped", result.stopped},
            {"complete", result.complete},
            {"seconds", result.seconds},
            {"items_per_second", result.items_per_second},
            {"load",
             {{"readers", result.readers},
              {"writers", result.writers},
              {"reading", load_of(result).reading},
              {"device", load_of(result).device},
              {"writing", load_of(result).writing}}},
            {"latency_seconds", std::move(latency)},
            {"folders_gone", result.gone},
            {"devices", std::move(devices)},
            {"steps", std::move(steps)},
            {"outputs", std::move(outputs)},
            {"stages", std::move(stages)}};
}

namespace {

/// As the conveyor will have it: it makes the same plans, and what these take is no room for items.
ConveyorShape shape_with_plans(const PreparedSeries& series, Engine& engine, const RunSeriesOptions& options, std::size_t devices) {
    Resident resident(engine, Resident::overlapped);
    resident.plan(series.sample.resolved);
    check_limit(series.sample.resolved.pipeline.limits, resident.bytes_with_one(series.sample.resolved));
    return shape_of(series, engine, options, devices);
}

}  // namespace

Json describe_series(const PreparedSeries& series, const std::vector<Engine*>& engines, const RunSeriesOptions& options) {
    Json plan, devices = Json::array();
    std::size_t items_in_memory = 0;
    int readers = 0, writers = 0;
    for (std::size_t i = 0; i < devices_used(engines.size(), series.items.size()); ++i) {
        const ConveyorShape shape = shape_with_plans(series, *engines[i], options, engines.size());
        Json here = describe_item(series.sample, *engines[i]);
        const std::uint64_t kept = here["workspace_bytes"].get<std::uint64_t>() + here["state_bytes"].get<std::uint64_t>();
        here["upper_bound_bytes"] = static_cast<std::uint64_t>(shape.in_flight) * here["array_bytes"].get<std::uint64_t>() + kept;
        devices.push_back(
            {{"device", here["device"]}, {"in_flight", shape.in_flight}, {"upper_bound_bytes", here["upper_bound_bytes"]}});
        items_in_memory += shape.items_in_memory;
        readers += shape.readers;
        if (writers == 0) writers = shape.writers;   // all devices share them
        if (plan.is_null()) plan = std::move(here);
    }

    std::uint64_t item = 0, memory = 0, disk = 0;   // of the host
    const std::int64_t around = [&] {
        std::int64_t most = 0;
        const auto items = static_cast<std::int64_t>(series.items.size());   // a window is of no more
        for (const InputSpec& input : series.job.inputs) most = std::max(most, std::min(input.running, items));
        return most;
    }();
    for (std::size_t i = 0; i < series.job.inputs.size(); ++i) {
        const std::uint64_t bytes = series.sample.inputs[i].desc.dense_bytes();
        if (!series.job.inputs[i].each) memory += bytes;
        else item += bytes;
        if (series.job.inputs[i].running > 0) memory += (static_cast<std::uint64_t>(around) + items_in_memory) * bytes;
    }
    std::set<Source> down;
    for (const OutputSpec& output : series.job.outputs) {
        if (output.form != OutputForm::array) continue;
        const ArrayDesc& desc = series.sample.resolved.desc(output.source);
        if (output.source.step && down.insert(output.source).second) item += desc.dense_bytes();
        if (output.combine.empty()) continue;
        const StatisticCost cost = cost_of(output.combine, desc, series.items.size());
        memory += cost.memory;
        disk += cost.disk;
    }
    plan["series"] = {{"items", series.items.size()},
                      {"first", series.items.name(0)},
                      {"last", series.items.name(series.items.size() - 1)},
                      {"devices", std::move(devices)},
                      {"readers", readers},
                      {"writers", writers},
                      {"items_in_memory", items_in_memory},
                      {"host_bytes", memory + items_in_memory * item},
                      {"disk_bytes", disk},
                      {"manifest", to_utf8(series.options.manifest)}};
    return plan;
}

}  // namespace parallax::engine::series
