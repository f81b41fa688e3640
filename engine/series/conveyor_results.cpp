// Writers of a series, and the books that are kept of items: done, failed, warnings, times, progress.
#include "core/clock.hpp"
#include "io/transaction.hpp"
#include "series/conveyor_belt.hpp"
#include "series/reads.hpp"
#include "series/table.hpp"
#include "series/window.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::series {

namespace {

constexpr std::size_t most_warnings = 100;

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

}  // namespace

void Conveyor::write(int writer) {
    while (std::optional<WorkPtr> next = computed_->pop()) {
        try {
            (*next)->writer = writer;
            write_item(**next);
        } catch (...) {   // whatever the caller's own functions throw, too
            break_off(std::current_exception());
        }
    }
}

void Conveyor::write_item(Work& work) {
    try {
        folds_.check(work);
        io::Transaction files = transaction_of(*work.prepared);
        stage_work(work, files);
        folders_.look();
        announced_.begin(work.number);
        commit(work.number, files);
    } catch (const std::exception& error) {
        folders_.look();   // where they have gone nothing is any item's fault
        return fail_item(work.number, error);
    }
    folders_.learn();   // the first item may have made the folder of outputs
    finish_item(work);
}

void Conveyor::commit(std::size_t item, io::Transaction& files) {
    try {
        files.commit();
    } catch (const std::exception&) {
        if (files.may_be_there()) announced_.end(item);   // they are its own, though it has failed
        throw;
    }
}

void Conveyor::finish_item(Work& work) {
    const std::vector<Stage> stages = work.profiler.collect();
    Record record;
    record.item = series_.items.name(work.number);
    record.done = true;
    record.window = hash_of_window(work.window);
    record.reads = hash_of_reads(*work.prepared, series_.where);
    for (const InputReport& input : work.input_reports) {
        for (const FileReport& file : input.files) {
            record.inputs.push_back(state_of_input(file));
            if (!record.window.empty()) record.inputs.back().of = input.name;   // neighbours will ask what was read of it
        }
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
    for (const InputWarning& warning : work.input_warnings) note(warning.in_words());
    for (const DataWarning& warning : work.warnings)
        note(fmt::format("step \"{}\": {}", work.prepared->job.steps[warning.step].id, warning.text));
    for (const OutputReport& output : work.output_reports)
        for (const std::string& warning : output.warnings) note(fmt::format("output \"{}\": {}", output.name, warning));
    for (std::string& warning : folds_.unlike(work)) note(std::move(warning));
    folds_.add(work, record);
    manifest_.append(record);
    announced_.end(work.number);
    folds_.save_now_and_then();
    trace_.add(record.item, work.profiler,
               {work.belt, work.reader, work.writer, belts_[static_cast<std::size_t>(work.belt)]->engine.device().backend});
    add_up(work, stages);
    if (series_.options.watch) {
        bool again = false;
        {
            const std::lock_guard lock(mutex_);
            again = again_.erase(work.number) > 0;
            dones_[work.number] = done_of(record, false);
            if (const auto since = complete_.find(work.number); since != complete_.end()) {
                latencies_.push_back(seconds_since(since->second));
                complete_.erase(since);
            }
        }
        if (again) do_again_if_changed(work.number);
    }
    report_progress();
}

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

namespace {

std::string words_of(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) == nullptr) return error.what();
    return "the system gives no more memory for it: raise the limit (--limit memory, ulimit -v, a container's), or let fewer be read "
           "and written at once (--readers, --writers)";
}

}  // namespace

void Conveyor::fail_item(std::size_t item, const std::exception& error, bool unread) {
    {
        const std::lock_guard lock(mutex_);
        const bool more = again_.erase(item) > 0;   // of the file, half of which may have been read
        if ((more || unread) && watching_ && !stop_ && !left_.contains(item)) {
            tried_again_.erase(item);
            if (more)
                todo_.push_back(item);
            else
                unread_[item] = {words_of(error)};
            came_.notify_all();
            return;
        }
    }
    record_failure(item, words_of(error));
}

void Conveyor::record_failure(std::size_t item, const std::string& error, bool stops) {
    Record record;
    record.error = error;
    record_failure(item, std::move(record), stops);
}

void Conveyor::record_failure(std::size_t item, Record record, bool stops) {
    record.item = series_.items.name(item);
    {
        const std::lock_guard lock(mutex_);
        failed_.push_back({item, record.item, record.error});
        tried_again_.erase(item);
        if (stops && !series_.items.for_each.continue_on_error) stop_ = true;
        came_.notify_all();
    }
    try {
        for (const Element& element : series_.items.list.at(item))
            record.files.push_back(to_utf8(std::filesystem::absolute(element.file)));
        announced_.fail(item, [&] { manifest_.append(record); });
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
