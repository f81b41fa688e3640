#include "series/first_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/clock.hpp"

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

/// Whether files have come before the watch was ended.
bool wait_for_arrivals(const Watch& watch, std::vector<Arrival>& arrivals) {
    auto began = std::chrono::steady_clock::now();
    for (;;) {
        arrivals = watch.folder->wait(std::chrono::milliseconds(100));
        for (const std::string& news : watch.folder->news()) {
            began = std::chrono::steady_clock::now();
            if (watch.tell) watch.tell(news);
        }
        watch.first.insert(watch.first.end(), arrivals.begin(), arrivals.end());
        if (!arrivals.empty()) return true;
        if (watch.idle_s > 0 && !watch.folder->expects() && seconds_since(began) > watch.idle_s) return false;
        if (watch.cancelled && watch.cancelled()) return false;
    }
}

using Numbers = std::map<fs::path, std::size_t>;

/// The numbers of what came; one that was closed twice is told of twice.
std::vector<std::size_t> add(const ItemList& list, Numbers& numbers, const std::vector<Arrival>& arrivals) {
    std::vector<std::size_t> came;
    for (const Arrival& arrival : arrivals) {
        const auto [known, fresh] = numbers.try_emplace(arrival.file, list.size());
        if (fresh) list.add({{arrival.file, static_cast<std::int64_t>(known->second), std::nullopt}});
        if (std::find(came.begin(), came.end(), known->second) == came.end()) came.push_back(known->second);
    }
    return came;
}

}   // namespace

Items first_items(const PreparedSeries& series) {
    const ForEachSource& source = series.job.for_each->sources.front();
    const Watch& watch = *series.options.watch;
    std::vector<Arrival> arrivals;
    if (!wait_for_arrivals(watch, arrivals)) {
        const std::vector<std::string> gone = watch.folder->gone();
        const bool cancelled = watch.cancelled && watch.cancelled();
        throw ConfigError(source.pointer,
                          gone.empty() ? "no file that came" : fmt::format("no file that came: {}", fmt::join(gone, ", ")),
                          "files that are written or renamed into the folder",
                          cancelled ? std::string() : fmt::format("--idle {:g} ended the wait", watch.idle_s));
    }
    Items items = items_of_files(series.job, series.where, {});
    Numbers numbers;
    add(items.list, numbers, arrivals);
    return items;
}

void try_items(const PreparedSeries& series, const std::function<void(std::size_t)>& use) {
    const ItemList& list = series.items.list;
    const Watch* const watch = series.options.watch ? &*series.options.watch : nullptr;
    const bool goes_on = series.items.for_each.continue_on_error;
    Numbers numbers;
    std::deque<std::size_t> untried;
    for (std::size_t i = 0; i < list.size(); ++i) {
        untried.push_back(i);
        if (watch) numbers[list.at(i).front().file] = i;
    }
    std::string failed;
    for (;;) {
        const std::size_t item = untried.front();
        untried.pop_front();
        try {
            return use(item);
        } catch (const DeviceError&) {
            throw;
        } catch (const IoError& error) {
            const bool comes = watch && watch->folder->give_back(list.at(item).front().file);
            if (!comes && !goes_on) throw;
            if (!comes) failed = error.what();
            if (!untried.empty()) continue;
            if (!watch) throw;
            if (!failed.empty() && watch->tell) watch->tell(fmt::format("{}: other files are waited for", failed));
            failed.clear();
            std::vector<Arrival> arrivals;
            if (!wait_for_arrivals(*watch, arrivals)) throw;
            for (const std::size_t number : add(list, numbers, arrivals)) untried.push_back(number);
        } catch (const Error&) {   // the job, or its kind of data: no other file mends it
            if (!goes_on || untried.empty()) throw;
        }
    }
}

}   // namespace parallax::engine::series
