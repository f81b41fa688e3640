#include "series/conveyor.hpp"

#include "core/clock.hpp"
#include "exec/host_memory.hpp"
#include "job/packing.hpp"
#include "job/read.hpp"
#include "support/memory.hpp"
#include "support/platform.hpp"
#include "series/settle.hpp"
#include "series/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <semaphore>
#include <system_error>
#include <thread>

namespace parallax::engine::series {

namespace {

constexpr std::ptrdiff_t most_tickets = 4096;

/// Seconds by kind, as tables have them.
Json times_of(const std::vector<Stage>& stages) {
    Json times{{"read", 0.0}, {"upload", 0.0}, {"kernels", 0.0}, {"download", 0.0}, {"write", 0.0}};
    for (const Stage& stage : stages) {
        if (stage.kind == StageKind::compile) continue;
        const std::string name = times.contains(stage.name) ? stage.name : stage.name == "hash" ? "read" : "kernels";
        times[name] = times[name].get<double>() + stage.seconds;
    }
    return times;
}

/// The first memory that is pinned takes a driver tens of milliseconds: one array of each input and output, to be used again. Not
/// of items so large that this is nothing beside them, or that memory may not hold, which is found out later.
void begin_pinning(Resident& resident, const PreparedSeries& series) noexcept {
    constexpr std::uint64_t most = std::uint64_t{256} << 20;
    try {
        const Resolved& resolved = series.sample.resolved;
        const std::uint64_t bytes = host_bytes_of_item(resolved), room = host::platform::memory_room().bytes;
        if (bytes > most || bytes > room / 4) return;
        for (std::size_t i = 0; i < resolved.inputs.size(); ++i)
            if (series.job.inputs[i].each) resident.host_array(resolved.inputs[i].desc.to_dense());
        resident.stock(resolved);
    } catch (const std::exception&) {   // who needs it says so
    }
}

}  // namespace

/// A device with its threads.
struct Conveyor::Belt {
    Belt(Engine& e, int n) : engine(e), number(n), resident(e, Resident::overlapped), tickets(0) {}

    Engine& engine;
    int number;
    Resident resident;
    ConveyorShape shape;
    std::counting_semaphore<most_tickets> tickets;
    std::unique_ptr<Channel<WorkPtr>> decoded;
    std::atomic<int> reading{0};
    std::atomic<bool> lost{false};

    // Guarded by Conveyor::mutex_.
    std::size_t items = 0;
    double kernel_seconds = 0;
    std::uint64_t first_start = 0, last_end = 0;
};

void Conveyor::Return::operator()(Work* work) const {
    delete work;
    if (belt) belt->tickets.release();
}

FileWork file_work_of(const PreparedSeries& series) {
    FileWork work;
    for (std::size_t i = 0; i < series.job.inputs.size(); ++i) {
        if (!series.job.inputs[i].each) continue;
        for (const io::FileInfo& info : series.sample.inputs[i].infos)
            work.unpacks = work.unpacks || info.file_bytes < info.desc.dense_bytes();
    }
    work.packs = !without_packing(series.job.outputs).empty();
    work.writes = std::any_of(series.job.outputs.begin(), series.job.outputs.end(), [](const OutputSpec& output) {
        return output.form == OutputForm::array && !output.of_series();
    });
    return work;
}

ConveyorShape threads_for(int cores, FileWork work) {
    ConveyorShape shape;
    shape.readers = std::clamp(cores / (work.unpacks || !work.writes ? 2 : 4), 1, 16);
    shape.writers = work.packs ? cores : std::max(cores - shape.readers, std::min(cores, 2));
    return shape;
}

ConveyorShape shape_of(const PreparedSeries& series, const Engine& engine, const RunSeriesOptions& options,
                       std::uint64_t kept_bytes, std::size_t devices) {
    const int cores = std::clamp(host::platform::processors(), 1, 32);
    ConveyorShape shape = threads_for(cores, file_work_of(series));
    if (options.readers > 0) shape.readers = options.readers;
    if (options.writers > 0) shape.writers = options.writers;
    const std::uint64_t item = std::max<std::uint64_t>(series.sample.resolved.array_bytes(), 1);
    const std::uint64_t limit = budget_of(series.sample.resolved.pipeline, engine).total;
    const std::uint64_t fit = limit > kept_bytes ? (limit - kept_bytes) / item : 1;
    shape.in_flight =
        static_cast<int>(std::clamp<std::uint64_t>(fit, 1, static_cast<std::uint64_t>(std::max(options.in_flight, 1))));
    // Each thread has one in its hands, and as many as the device has at once wait on either side of it. More would only have
    // more memory taken, which a driver gives slowly.
    shape.items_in_memory = static_cast<std::size_t>(shape.readers + 3 * shape.in_flight + shape.writers);
    shape.items_in_memory = std::min<std::size_t>(shape.items_in_memory, most_tickets);
    // As many as the host holds; the rest of its memory is for tables, statistics and what files are decoded with.
    const std::uint64_t on_host = host_bytes_of_item(series.sample.resolved) + (is_the_host(engine.device()) ? item : 0);
    check_host(on_host, "an item of the series");
    if (const std::uint64_t room = host::platform::memory_room().bytes; room > 0)
        shape.items_in_memory = static_cast<std::size_t>(std::clamp<std::uint64_t>(
            room / 4 * 3 / devices / std::max<std::uint64_t>(on_host, 1), 1, shape.items_in_memory));
    shape.in_flight = std::min(shape.in_flight, static_cast<int>(shape.items_in_memory));
    return shape;
}

Conveyor::Conveyor(const PreparedSeries& series, const std::vector<Engine*>& engines, const RunSeriesOptions& options,
                   Manifest& manifest, Folds& folds, std::vector<std::size_t> todo)
    : series_(series),
      options_(options),
      manifest_(manifest),
      folds_(folds),
      trace_(!options.trace.empty()),
      todo_(todo.begin(), todo.end()),
      total_(todo.size()) {
    for (std::size_t i = 0; i < engines.size() && (i < std::max<std::size_t>(todo.size(), 1) || series.options.watch); ++i) {
        auto belt = std::make_unique<Belt>(*engines[i], static_cast<int>(i));
        std::jthread pinning;   // beside the plans, which take as long; ends with this round
        try {
            pinning = std::jthread([&belt, &series] { begin_pinning(belt->resident, series); });
        } catch (const std::system_error&) {   // no thread to be had: then later
        }
        belt->resident.plan(series.sample.resolved);
        if (pinning.joinable()) pinning.join();
        belt->shape = shape_of(series, *engines[i], options, engines[i]->context().allocated(), engines.size());
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

void Conveyor::run(SeriesResult& result) {
    started_ = std::chrono::steady_clock::now();
    watching_ = series_.options.watch.has_value();
    if (todo_.empty() && !watching_) return;
    read_shared();
    for (std::size_t i = 0; watching_ && i < series_.items.size(); ++i) numbers_[to_utf8(series_.items.list.at(i).front().file)] = i;
    if (watching_) add_earlier();
    for (std::size_t i = 0; watching_ && i < series_.options.watch->first.size(); ++i) {
        const Arrival& arrival = series_.options.watch->first[i];
        const auto number = numbers_.find(to_utf8(arrival.file));
        if (number != numbers_.end()) complete_at(number->second, arrival);
    }
    run_threads();
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
    if (!options_.trace.empty()) trace_.write(options_.trace, series_.where.confined);
    if (broken_) std::rethrow_exception(broken_);
}

/// What earlier runs have done, with the files that were read then.
void Conveyor::add_earlier() {
    const std::set<std::size_t> todo(todo_.begin(), todo_.end());
    const std::map<std::string, Record> records = manifest_.load();
    for (std::size_t i = 0; i < series_.items.size(); ++i) {
        const auto record = records.find(series_.items.name(i));
        if (record != records.end() && record->second.done && !todo.contains(i)) dones_[i] = {record->second.inputs, true};
    }
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
            Error("the system gives no thread to read, compute or write in: end other programs, or raise the limit (ulimit -u)"));
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

void Conveyor::read_shared() {
    for (std::size_t i = 0; i < series_.job.inputs.size(); ++i) {
        const InputSpec& input = series_.job.inputs[i];
        if (input.each) continue;
        shared_.emplace(i, read_input(input, series_.shared.at(input.name), series_.job.non_finite, {}));
    }
}

HostArray Conveyor::read_neighbour(std::size_t input, std::size_t item) const {
    InputSpec spec = job_of(series_.job, series_.items, item).inputs[input];
    spec.combine.clear();
    spec.running = 0;
    return read_input(spec, prepare_input(spec, series_.where), series_.job.non_finite, {});
}

std::optional<std::size_t> Conveyor::next_item() {
    const bool cancelled = options_.cancelled && options_.cancelled();
    std::unique_lock lock(mutex_);
    if (cancelled && !series_.options.watch) stop_ = true;
    came_.wait(lock, [this] { return stop_ || (!todo_.empty() && !is_held()) || !watching_; });
    if (stop_ || todo_.empty()) return std::nullopt;
    const std::size_t item = todo_.front();
    todo_.pop_front();
    return item;
}

/// Where the first item that fails ends the series, no other is begun while it is open whether one has failed. mutex_ is held.
bool Conveyor::is_held() const {
    return !series_.items.for_each.continue_on_error &&
           std::any_of(unread_.begin(), unread_.end(), [](const auto& item) { return !item.second.away; });
}

/// Until nothing has come for as long as was said, somebody has stopped it, or something has.
void Conveyor::watch() {
    try {
        do {
            take_arrivals(series_.options.watch->folder->wait(std::chrono::milliseconds(100)));
            tell_of_folders();
            see_to_unread();
        } while (!end_watching());
    } catch (const std::exception&) {   // memory
        break_off(std::current_exception());
    }
    for (const std::string& file : series_.options.watch->folder->incomplete())
        tell("it was empty, or still being written, when the watch ended", file);
    std::map<std::size_t, Unread> unread;
    {
        const std::lock_guard lock(mutex_);
        watching_ = false;
        unread.swap(unread_);
    }
    came_.notify_all();
    for (const auto& [number, item] : unread) record_failure(number, item.error);
}

/// A file that failed is tried again when it has been written further, or the watch takes it for complete. It has failed where
/// it is the same by then.
void Conveyor::see_to_unread() {
    std::map<std::size_t, Unread> unread;
    {
        const std::lock_guard lock(mutex_);
        unread = unread_;
    }
    FolderWatch& folder = *series_.options.watch->folder;
    for (const auto& [number, item] : unread) {
        const std::filesystem::path file = series_.items.list.at(number).front().file;
        const bool comes = folder.give_back(file);
        if (!comes) record_failure(number, item.error);   // which may end the series, before others are let go
        {
            const std::lock_guard lock(mutex_);
            if (comes)
                unread_[number].away = folder.is_away(file);
            else
                unread_.erase(number);
        }
        came_.notify_all();
    }
}

void Conveyor::take_arrivals(const std::vector<Arrival>& arrivals) {
    if (arrivals.empty()) return;
    std::vector<std::size_t> done;
    {
        const std::lock_guard lock(mutex_);
        for (const Arrival& arrival : arrivals) {
            const auto [known, fresh] = numbers_.try_emplace(to_utf8(arrival.file), series_.items.size());
            const std::size_t number = known->second;
            if (fresh) {
                series_.items.list.add({{arrival.file, static_cast<std::int64_t>(number), std::nullopt}});
                ++total_;
            } else if (left_.contains(number)) {
                continue;
            } else if (unread_.erase(number) > 0) {   // it was taken too early; others may be held up by it
                complete_at(number, arrival);
                todo_.push_front(number);
                continue;
            } else {   // it was taken too early where it failed
                const auto failure =
                    std::find_if(failed_.begin(), failed_.end(), [&](const Failure& f) { return f.number == number; });
                if (failure == failed_.end()) {
                    if (dones_.contains(number))
                        done.push_back(number);
                    else
                        again_.insert(number);
                    complete_at(number, arrival);
                    continue;
                }
                failed_.erase(failure);
            }
            complete_at(number, arrival);
            todo_.push_back(number);
        }
        last_arrival_ = std::chrono::steady_clock::now();
    }
    came_.notify_all();
    for (const std::size_t number : done) do_again_if_changed(number);
}

/// An item counts as done with the file that was read, and with no other that has its name by now. Results are replaced where
/// that is allowed, and arrays combined of items have no way to take one back: else it fails, and is left to --resume.
void Conveyor::do_again_if_changed(std::size_t number) {
    Done done;
    {
        const std::lock_guard lock(mutex_);
        const auto known = dones_.find(number);
        if (known == dones_.end()) return;
        done = known->second;
    }
    bool changed = true;
    try {
        changed = !std::all_of(done.inputs.begin(), done.inputs.end(), unchanged);   // reads it where its time is another
    } catch (const IoError&) {   // not to be read now: who does it again, or --resume, says why
    }
    const bool replaces = series_.options.overwrite || series_.options.resume;
    bool again = false;
    {
        const std::lock_guard lock(mutex_);
        if (!changed) {
            complete_.erase(number);
            return;
        }
        if (dones_.erase(number) == 0) return;
        if (done.earlier)
            ++total_, ++taken_up_;
        else
            --done_;
        again = replaces && folds_.empty() && watching_ && !stop_;
        if (again)
            todo_.push_back(number), came_.notify_all();
        else
            left_.insert(number);
    }
    constexpr const char* came = "another file of its name came after it was done";
    if (again)
        tell(fmt::format("{}: it is done again, and its results are replaced", came), series_.items.name(number));
    else
        record_failure(number,
                       fmt::format("{}{}: --resume does it again", came,
                                   replaces ? "" : ", and results are replaced beside --overwrite or --resume alone"),
                       false);
}

void Conveyor::complete_at(std::size_t number, const Arrival& arrival) {
    if (arrival.at != std::chrono::steady_clock::time_point()) complete_[number] = arrival.at;
}

void Conveyor::tell_of_folders() {
    for (const std::string& news : series_.options.watch->folder->news()) {
        const std::lock_guard lock(mutex_);
        last_arrival_ = std::chrono::steady_clock::now();
        if (series_.options.watch->tell) series_.options.watch->tell(news);
    }
}

bool Conveyor::end_watching() {
    const std::lock_guard lock(mutex_);
    if (stop_) return true;
    if (options_.cancelled && options_.cancelled()) {   // what came before is left to --resume where it has not begun
        if (!todo_.empty()) stop_ = true;
        return true;
    }
    std::size_t away = 0;
    for (const auto& [number, item] : unread_) away += item.away ? 1 : 0;
    const bool busy = done_ + failed_.size() + away < total_ || series_.options.watch->folder->expects();
    if (busy) last_arrival_ = std::chrono::steady_clock::now();
    const double idle = series_.options.watch->idle_s;
    return idle > 0 && !busy && seconds_since(last_arrival_) > idle;
}

void Conveyor::read(Belt& belt, int reader) {
    try {
        read_items(belt, reader);
    } catch (const std::exception&) {   // memory, mostly
        break_off(std::current_exception());
    }
    if (--belt.reading == 0) belt.decoded->close();
}

void Conveyor::read_items(Belt& belt, int reader) {
    ReadHooks hooks;
    hooks.memory = [&belt](const ArrayDesc& desc) { return belt.resident.host_array(desc); };
    hooks.on_device = [this](std::size_t input) { return shared_.count(input) > 0; };
    for (;;) {
        belt.tickets.acquire();
        std::optional<std::size_t> item;
        WorkPtr work(nullptr, Return{&belt});
        try {
            item = belt.lost ? std::nullopt : next_item();
            if (item) work.reset(new Work);
        } catch (...) {
            belt.tickets.release();
            throw;
        }
        if (!item) {
            belt.tickets.release();
            break;
        }
        work->number = *item;
        work->belt = belt.number;
        work->reader = reader;
        hooks.neighbours = [&](std::size_t input) {
            return neighbours_.at(input)->around(*item, series_.job.inputs[input].running);
        };
        try {
            {
                const HostTimer timer(work->profiler, "prepare");
                work->take(std::make_shared<const Prepared>(series_.prepare_item(*item)));
            }
            read_work(*work, hooks);
            finish_reading(*work);
            hold_against_found(series_, *work);
        } catch (const IoError& error) {
            fail_item(*item, error, true);
            continue;
        } catch (const std::exception& error) {
            fail_item(*item, error);
            continue;
        }
        const std::shared_ptr<const Resolved> pipeline = work->pipeline;
        belt.decoded->push(std::move(work));
        belt.resident.stock(*pipeline);   // while the device is at work
    }
}

void Conveyor::feed(Belt& belt) {
    std::deque<WorkPtr> flying;
    try {
        for (const auto& [input, array] : shared_) {
            Profiler profiler;
            belt.resident.keep(input, array, profiler);
        }
        for (;;) {
            while (flying.size() < static_cast<std::size_t>(belt.shape.in_flight)) {
                std::optional<WorkPtr> next = flying.empty() ? belt.decoded->pop() : belt.decoded->try_pop();
                if (!next) break;
                if (!submit(belt, flying, std::move(*next))) return;
            }
            if (flying.empty()) return;
            retire(belt, flying);
            if (belt.lost) return;
        }
    } catch (const std::exception&) {
        break_off(std::current_exception());
        try {
            lose(belt, flying, nullptr);
        } catch (const std::bad_alloc&) {   // what it had is not handed on: the series has been broken off
            belt.lost = true;
        }
    }
}

/// False once the device is lost.
bool Conveyor::submit(Belt& belt, std::deque<WorkPtr>& flying, WorkPtr work) {
    for (;;) {
        try {
            belt.resident.submit(*work);
            flying.push_back(std::move(work));
            return true;
        } catch (const DeviceError& error) {
            if (!error.is_shortage()) {
                if (belts_.size() == 1) break_off(std::current_exception());
                lose(belt, flying, std::move(work));
                return false;
            }
            if (flying.empty()) {
                fail_item(work->number, error);
                return true;
            }
        } catch (const std::exception& error) {
            fail_item(work->number, error);
            return true;
        }
        while (!flying.empty() && !belt.lost) retire(belt, flying);   // then there is more room
        belt.resident.trim();
        if (belt.lost) return false;
    }
}

void Conveyor::retire(Belt& belt, std::deque<WorkPtr>& flying) {
    WorkPtr work = std::move(flying.front());
    flying.pop_front();
    try {
        belt.resident.finish(*work);
    } catch (const DeviceError&) {
        if (belts_.size() == 1) break_off(std::current_exception());
        lose(belt, flying, std::move(work));
        return;
    } catch (const std::exception& error) {   // a record that cannot be made
        fail_item(work->number, error);
        return;
    }
    // What only the device needed goes back to the readers at once.
    if (!gathers_inputs_) work->inputs.clear();
    computed_->push(std::move(work));
}

/// A device that has failed is not used again: what it had goes to the others.
void Conveyor::lose(Belt& belt, std::deque<WorkPtr>& flying, WorkPtr work) {
    belt.lost = true;
    std::vector<std::size_t> back;
    if (work) back.push_back(work->number);
    for (const WorkPtr& other : flying) back.push_back(other->number);
    work.reset();
    flying.clear();
    while (std::optional<WorkPtr> other = belt.decoded->pop()) back.push_back((*other)->number);
    const std::lock_guard lock(mutex_);
    todo_.insert(todo_.begin(), back.begin(), back.end());
    came_.notify_all();
}

void Conveyor::write(int writer) {
    while (std::optional<WorkPtr> next = computed_->pop()) {
        try {
            (*next)->writer = writer;
            write_item(**next);
        } catch (const std::exception&) {
            break_off(std::current_exception());
        }
    }
}

void Conveyor::write_item(Work& work) {
    try {
        folds_.check(work);
        write_work(work);
    } catch (const std::exception& error) {
        return fail_item(work.number, error);
    }
    finish_item(work);
}

void Conveyor::finish_item(Work& work) {
    const std::vector<Stage> stages = work.profiler.collect();
    Record record;
    record.item = series_.items.name(work.number);
    record.done = true;
    for (const InputReport& input : work.input_reports) {
        for (const FileReport& file : input.files) record.inputs.push_back(state_of(file));
    }
    for (const OutputReport& output : work.output_reports) record.outputs.push_back(state_of(output.file));
    for (const OutputSpec& output : work.prepared->job.outputs) {
        if (output.form != OutputForm::table) continue;
        Rows rows = to_rows(record_of(work, output));
        record.rows[output.name] = rows.rows.size() == 1 ? std::move(rows.rows.front()) : std::move(rows.rows);
        const std::lock_guard lock(mutex_);
        left_out_[output.name].insert(rows.left_out.begin(), rows.left_out.end());
    }
    record.times = times_of(stages);
    const auto note = [&](std::string text) {
        tell(text, record.item);
        record.warnings.push_back(std::move(text));
    };
    for (const DataWarning& warning : work.warnings)
        note(fmt::format("step \"{}\": {}", work.prepared->job.steps[warning.step].id, warning.text));
    for (const OutputReport& output : work.output_reports)
        for (const std::string& warning : output.warnings) note(fmt::format("output \"{}\": {}", output.name, warning));
    folds_.add(work, record.item);
    manifest_.append(record);
    folds_.save_now_and_then();
    trace_.add(record.item, work.profiler,
               {work.belt, work.reader, work.writer, belts_[static_cast<std::size_t>(work.belt)]->engine.device().backend});
    add_up(work, stages);
    if (series_.options.watch) {
        bool again = false;
        {
            const std::lock_guard lock(mutex_);
            again = again_.erase(work.number) > 0;
            dones_[work.number] = {record.inputs, false};
            if (const auto since = complete_.find(work.number); since != complete_.end()) {
                latencies_.push_back(seconds_since(since->second));
                complete_.erase(since);
            }
        }
        if (again) do_again_if_changed(work.number);
    }
    report_progress();
}

constexpr std::size_t most_warnings = 100;

void Conveyor::tell(const std::string& text, const std::string& item) {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(warnings_.begin(), warnings_.end(), [&](const SeriesWarning& w) { return w.text == text; });
    if (known != warnings_.end()) ++known->items;
    else if (warnings_.size() < most_warnings) warnings_.push_back({text, item, 1});
}

void Conveyor::add_up(const Work& work, const std::vector<Stage>& stages) {
    double seconds = 0;
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    for (const Profiler::Entry& entry : work.profiler.entries()) {
        if (entry.kind != StageKind::kernel || !entry.event) continue;
        const auto times = entry.event.times();
        if (!times || times->ended == 0) continue;
        seconds += times->seconds();
        first = std::min(first, times->started);
        last = std::max(last, times->ended);
    }
    const std::lock_guard lock(mutex_);
    Belt& belt = *belts_[static_cast<std::size_t>(work.belt)];
    ++belt.items;
    if (last > 0) {
        belt.kernel_seconds += seconds;
        belt.first_start = belt.last_end == 0 ? first : std::min(belt.first_start, first);
        belt.last_end = std::max(belt.last_end, last);
    }
    merge(stages_, stages);
    ++done_;
}

void Conveyor::fail_item(std::size_t item, const std::exception& error, bool unread) {
    {
        const std::lock_guard lock(mutex_);
        const bool more = again_.erase(item) > 0;   // of the file, half of which may have been read
        if ((more || unread) && watching_ && !stop_ && !left_.contains(item)) {
            if (more)
                todo_.push_back(item), came_.notify_all();
            else
                unread_[item] = {error.what()};
            return;
        }
    }
    record_failure(item, error.what());
}

void Conveyor::record_failure(std::size_t item, const std::string& error, bool stops) {
    Record record;
    record.item = series_.items.name(item);
    record.error = error;
    {
        const std::lock_guard lock(mutex_);
        failed_.push_back({item, record.item, record.error});
        if (stops && !series_.items.for_each.continue_on_error) stop_ = true, came_.notify_all();
    }
    try {
        manifest_.append(record);
    } catch (const std::exception&) {
        break_off(std::current_exception());
    }
    report_progress();
}

void Conveyor::break_off(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!broken_) broken_ = std::move(error);
    stop_ = true;
    came_.notify_all();
}

void Conveyor::report_progress() {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    Progress progress;
    progress.finished = done_ + failed_.size();
    progress.failed = failed_.size();
    progress.total = total_;
    const double seconds = seconds_since(started_);
    progress.items_per_second = seconds > 0 ? static_cast<double>(progress.finished) / seconds : 0;
    if (progress.items_per_second > 0)
        progress.seconds_left = static_cast<double>(total_ - progress.finished) / progress.items_per_second;
    options_.progress(progress);
}

}  // namespace parallax::engine::series
