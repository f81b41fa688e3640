#include "series/conveyor.hpp"

#include "core/clock.hpp"
#include "exec/host_memory.hpp"
#include "series/conveyor_belt.hpp"
#include "support/memory.hpp"
#include "support/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <thread>

namespace parallax::engine::series {

namespace {

/// Whether memory may be taken for more items than are there: not for items so large that pinning is nothing beside them, nor for
/// those that memory may not hold, which is found out later.
bool may_pin_ahead(const Resolved& item) {
    constexpr std::uint64_t most = std::uint64_t{256} << 20;
    const std::uint64_t bytes = host_bytes_of_item(item), room = host::platform::memory_room().bytes;
    return bytes <= most && (room == 0 || bytes <= room / 4);
}

/// The first memory that is pinned takes a driver tens of milliseconds: one array of each size of inputs and of each output, to
/// be used again.
void begin_pinning(Resident& resident, const PreparedSeries& series) noexcept {
    try {
        const Resolved& resolved = series.sample.resolved;
        for (std::size_t i = 0; i < resolved.inputs.size(); ++i)
            if (series.job.inputs[i].each) resident.host_array(resolved.inputs[i].desc.to_dense());
        resident.stock(resolved);
    } catch (const std::exception&) {   // who needs it says so
    }
}

}  // namespace

void Conveyor::Return::operator()(Work* work) const {
    delete work;
    if (belt) belt->tickets.release();
}

Conveyor::Conveyor(const PreparedSeries& series, const std::vector<Engine*>& engines, const RunSeriesOptions& options,
                   Manifest& manifest, Folds& folds, KnownFolders& folders, std::vector<std::size_t> todo)
    : series_(series),
      options_(options),
      manifest_(manifest),
      folds_(folds),
      folders_(folders),
      files_(series.where),
      announced_(series, manifest, todo),
      trace_(!options.trace.empty()),
      todo_(todo.begin(), todo.end()),
      total_(todo.size()) {
    const std::size_t used = series.options.watch ? engines.size() : devices_used(engines.size(), todo.size());
    for (std::size_t i = 0; i < used; ++i) {
        auto belt = std::make_unique<Belt>(*engines[i], static_cast<int>(i));
        belt->pins_ahead = may_pin_ahead(series.sample.resolved);
        std::jthread pinning;   // beside the plans, which take as long; ends with this round
        try {
            if (belt->pins_ahead) pinning = std::jthread([&belt, &series] { begin_pinning(belt->resident, series); });
        } catch (const std::system_error&) {   // no thread to be had: then later
        }
        belt->resident.plan(series.sample.resolved);
        if (pinning.joinable()) pinning.join();
        belt->shape = shape_of(series, *engines[i], options, engines.size());
        belt->tickets.release(static_cast<std::ptrdiff_t>(belt->shape.items_in_memory));
        belt->decoded = std::make_unique<Channel<WorkPtr>>(static_cast<std::size_t>(belt->shape.in_flight));
        trace_.name_device(belt->number, fmt::format("device {}: {}", engines[i]->device().index, engines[i]->device().name));
        belts_.push_back(std::move(belt));
    }
    gathers_inputs_ = std::any_of(series.job.outputs.begin(), series.job.outputs.end(),
                                  [](const OutputSpec& output) { return !output.source.step; });
    std::size_t in_memory = 0, in_flight = 0;
    for (const auto& belt : belts_) {
        in_memory += belt->shape.items_in_memory;
        in_flight += static_cast<std::size_t>(belt->shape.in_flight);
    }
    computed_ = std::make_unique<Channel<WorkPtr>>(std::max<std::size_t>(in_flight, 1));
    for (std::size_t i = 0; i < series.job.inputs.size(); ++i) {
        const std::int64_t window = series.job.inputs[i].running;
        if (window == 0) continue;
        neighbours_[i] = std::make_unique<Neighbours>([this, i](std::size_t item) { return read_neighbour(i, item); },
                                                      series.items.size(), static_cast<std::size_t>(window) + in_memory);
    }
}

Conveyor::~Conveyor() = default;

void Conveyor::run(const SharedInputs& inputs, SeriesResult& result) {
    started_ = std::chrono::steady_clock::now();
    watching_ = series_.options.watch.has_value();
    if (todo_.empty() && !watching_) return;
    read_shared(inputs);
    for (std::size_t i = 0; watching_ && i < series_.items.size(); ++i)
        numbers_[to_utf8(series_.items.list.at(i).front().file)] = i;
    if (watching_) add_earlier();
    for (std::size_t i = 0; watching_ && i < series_.options.watch->first.size(); ++i) {
        const Arrival& arrival = series_.options.watch->first[i];
        const auto number = numbers_.find(to_utf8(arrival.file));
        if (number != numbers_.end()) complete_at(number->second, arrival);
    }
    began_ = true;
    run_threads();
    announced_.end_all();
    if (series_.options.watch) result.gone = series_.options.watch->folder->gone();

    result.seconds = seconds_since(started_);
    result.done = done_;
    result.skipped -= taken_up_;
    result.items_per_second = result.seconds > 0 ? static_cast<double>(done_) / result.seconds : 0;
    if (!todo_.empty() && !broken_ && !stop_ && !(options_.cancelled && options_.cancelled())) {
        broken_ = std::make_exception_ptr(Error(fmt::format("{} items were left when the last device was gone", todo_.size())));
    }
    result.stopped = !todo_.empty() || stop_;
    std::sort(failed_.begin(), failed_.end(), [](const Failure& a, const Failure& b) { return a.number < b.number; });
    result.failed = std::move(failed_);
    for (SeriesWarning& warning : warnings_) result.warnings.push_back(std::move(warning));
    result.left_out = std::move(left_out_);
    result.stages = std::move(stages_);
    std::sort(latencies_.begin(), latencies_.end());
    result.latencies = std::move(latencies_);
    result.steps = belts_.front()->resident.steps();
    result.writers = belts_.front()->shape.writers;
    for (const auto& belt : belts_) {
        result.readers += belt->shape.readers;
        DeviceShare share;
        share.device = belt->engine.device();
        share.items = belt->items;
        share.in_flight = belt->shape.in_flight;
        share.peak_bytes = belt->resident.peak_bytes();
        const double span = static_cast<double>(belt->last_end - belt->first_start) * 1e-9;
        if (span > 0) share.busy = std::min(1.0, belt->kernel_seconds / span);
        result.devices.push_back(std::move(share));
    }
    if (broken_) std::rethrow_exception(broken_);
}

/// The system may give fewer threads than are wanted: the work needs a writer, and a feeder and a reader for each device.
void Conveyor::run_threads() {
    std::vector<std::thread> readers, feeders, writers;
    const auto begin = [](std::vector<std::thread>& threads, auto work) {
        try {
            threads.emplace_back(std::move(work));
            return true;
        } catch (const std::system_error&) {
            return false;
        } catch (const std::bad_alloc&) {
            return false;
        }
    };
    const auto none = [] {
        return std::make_exception_ptr(
            Error("the system gives no thread to read, compute or write in: end other programs, or raise the limit (ulimit -u; their "
                  "stacks count for --limit memory and ulimit -d)"));
    };
    for (int w = 0; w < belts_.front()->shape.writers; ++w) begin(writers, [this, w] { write(w); });
    if (writers.empty()) std::rethrow_exception(none());
    for (const auto& belt : belts_) {
        if (!begin(feeders, [this, &belt] { feed(*belt); })) {
            break_off(none());
            continue;
        }
        belt->reading = belt->shape.readers;
        int begun = 0;
        for (int r = 0; r < belt->shape.readers; ++r) begun += begin(readers, [this, &belt, r] { read(*belt, r); }) ? 1 : 0;
        if (begun == 0) break_off(none());
        const int missing = belt->shape.readers - begun;
        if (missing > 0 && (belt->reading -= missing) == 0) belt->decoded->close();
    }
    if (watching_) watch();
    for (std::thread& thread : readers) thread.join();
    for (std::thread& thread : feeders) thread.join();
    computed_->close();
    for (std::thread& thread : writers) thread.join();
}

}  // namespace parallax::engine::series
