// A series that watches a folder: items come while it runs, come again, or cannot be read yet.
#include "core/clock.hpp"
#include "series/conveyor.hpp"
#include "series/name_order.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::series {

Conveyor::Done Conveyor::done_of(const Record& record, bool earlier) {
    return {record.inputs, earlier, record.rows, record.times};
}

/// What earlier runs have done, with the files that were read then.
void Conveyor::add_earlier() {
    const std::set<std::size_t> todo(todo_.begin(), todo_.end());
    const std::map<std::string, Record> records = manifest_.load();
    for (std::size_t i = 0; i < series_.items.size(); ++i) {
        const auto record = records.find(series_.items.name(i));
        if (record != records.end() && record->second.done && !todo.contains(i)) dones_[i] = done_of(record->second, true);
    }
}

/// Where the first item that fails ends the series, no other is begun while it is open whether one has failed. mutex_ is held.
bool Conveyor::is_held() const {
    if (series_.items.for_each.continue_on_error) return false;
    if (std::any_of(unread_.begin(), unread_.end(), [](const auto& item) { return !item.second.away; })) return true;
    return !tried_again_.empty() && !tried_again_.contains(todo_.front());
}

void Conveyor::has_been_read(std::size_t item) {
    const std::lock_guard lock(mutex_);
    if (tried_again_.erase(item) > 0) came_.notify_all();
}

/// Tables and stacks are put together in the order of names.
void Conveyor::tell_of_order() {
    if (!order_shows(series_.job)) return;
    std::vector<std::filesystem::path> files;
    for (std::size_t i = 0; i < series_.items.size(); ++i) files.push_back(series_.items.list.at(i).front().file);
    std::sort(files.begin(), files.end());
    if (const auto pair = out_of_number(files))
        tell(told_of_order(series_.items.for_each.sources.front().variable, *pair, true), to_utf8(pair->first));
}

/// Until nothing has come for as long as was said, somebody has stopped it, or something has.
void Conveyor::watch() {
    try {
        do {
            take_arrivals(series_.options.watch->folder->wait(std::chrono::milliseconds(100)));
            tell_of_folders();
            see_to_unread();
        } while (!end_watching());
    } catch (...) {   // memory, or whatever the caller's own functions throw
        break_off(std::current_exception());
    }
    for (const std::string& file : series_.options.watch->folder->incomplete())
        tell("it was empty, or still being written, when the watch ended", file);
    try {
        tell_of_order();
    } catch (const std::exception&) {   // memory: threads are yet to be joined
        break_off(std::current_exception());
    }
    std::map<std::size_t, Unread> unread;
    {
        const std::lock_guard lock(mutex_);
        watching_ = false;
        unread.swap(unread_);
    }
    came_.notify_all();
    try {
        for (const auto& [number, item] : unread) record_failure(number, item.error);
    } catch (...) {
        break_off(std::current_exception());
    }
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
                announced_.add(number);
            } else if (left_.contains(number)) {
                continue;
            } else if (unread_.erase(number) > 0) {   // it was taken too early; others may be held up by it
                complete_at(number, arrival);
                tried_again_.insert(number);
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
                announced_.add(number);
            }
            complete_at(number, arrival);
            todo_.push_back(number);
        }
        last_arrival_ = std::chrono::steady_clock::now();
    }
    came_.notify_all();
    for (const std::size_t number : done) {   // each may have to be read
        if (options_.cancelled && options_.cancelled()) return;
        do_again_if_changed(number);
    }
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
        changed = !files_.unchanged(done.inputs);   // reads it where its time is another
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
            todo_.push_back(number), once_more_.insert(number), came_.notify_all();
        else
            left_.insert(number);
    }
    constexpr const char* came = "another file of its name came after it was done";
    if (again)
        tell(fmt::format("{}: it is done again, and its results are replaced", came), series_.items.name(number));
    else {
        Record record;   // with the row of the file before: what is combined of the items holds that file, too
        record.error = fmt::format("{}{}: --resume does it again, and until then its results are of the file before", came,
                                   replaces ? "" : ", and results are replaced beside --overwrite or --resume alone");
        record.inputs = std::move(done.inputs);
        record.rows = std::move(done.rows);
        record.times = std::move(done.times);
        record_failure(number, std::move(record), false);
    }
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
    if (options_.cut_off && options_.cut_off()) return stop_ = true;
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

}  // namespace parallax::engine::series
