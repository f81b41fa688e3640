// Readers of a series: from the next item's number to its arrays in memory.
#include "job/hashing.hpp"
#include "job/read.hpp"
#include "series/conveyor_belt.hpp"
#include "series/settle.hpp"
#include "series/window.hpp"

namespace parallax::engine::series {

void Conveyor::read_shared(const SharedInputs& inputs) {
    InputWarnings warnings;
    for (std::size_t i = 0; i < series_.job.inputs.size(); ++i) {
        const InputSpec& input = series_.job.inputs[i];
        if (input.each) continue;
        std::vector<FileReport> files;
        shared_.emplace(i, read_input(input, series_.shared.at(input.name), series_.job.non_finite, {}, warnings, &files));
        inputs.check(input.name, files);
    }
    folds_.share(shared_);
    const std::string first = series_.items.size() > 0 ? series_.items.name(0) : "";   // a watched folder may be empty yet
    for (const InputWarning& warning : warnings) tell(warning.in_words(), first);
}

Frame Conveyor::read_neighbour(std::size_t input, std::size_t item) const {
    const InputSpec spec = spec_of_frame(series_, input, item);
    const PreparedInput prepared = prepare_input(spec, series_.where);
    InputWarnings none;   // what a file says alone has been told, and it is combined later
    std::vector<FileReport> files;
    HostArray array = read_input(spec, prepared, series_.job.non_finite, {}, none, &files);
    return {std::move(array), contents_of(Hashing(spec, prepared, std::move(files)).finish())};
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

bool Conveyor::is_once_more(std::size_t item) {
    const std::lock_guard lock(mutex_);
    return once_more_.contains(item);
}

void Conveyor::read(Belt& belt, int reader) {
    try {
        read_items(belt, reader);
    } catch (...) {   // memory, mostly, or whatever the caller's own functions throw
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
            const std::int64_t width = series_.job.inputs[input].running;
            std::size_t number = taken_around(*item, width, neighbours_.at(input)->items()).first;
            std::vector<HostArray> arrays;
            for (Frame& frame : neighbours_.at(input)->around(*item, width)) {
                add_frame(work->window, series_.items.name(number++), frame.contents);
                arrays.push_back(std::move(frame.array));
            }
            return arrays;
        };
        try {
            {
                const HostTimer timer(work->profiler, "prepare");
                work->take(std::make_shared<const Prepared>(series_.prepare_item(*item, is_once_more(*item))));
            }
            read_work(*work, hooks);
            finish_reading(*work);
            hold_against_found(series_, *work);
            has_been_read(*item);
            if (!belt.pins_ahead) belt.resident.stock(*work->pipeline);
        } catch (const IoError& error) {
            fail_item(*item, error, true);
            continue;
        } catch (const std::exception& error) {
            fail_item(*item, error);
            continue;
        }
        const std::shared_ptr<const Resolved> pipeline = work->pipeline;
        belt.decoded->push(std::move(work));
        if (belt.pins_ahead) belt.resident.stock(*pipeline);   // while the device is at work
    }
}

}  // namespace parallax::engine::series
