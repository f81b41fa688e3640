#include "series/first_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

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

bool has(const ItemList& list, const fs::path& file) {
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list.at(i).front().file == file) return true;
    return false;
}

/// One that was closed twice is told of twice.
void add(const ItemList& list, const std::vector<Arrival>& arrivals) {
    for (const Arrival& arrival : arrivals)
        if (!has(list, arrival.file)) list.add({{arrival.file, static_cast<std::int64_t>(list.size()), std::nullopt}});
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
    add(items.list, arrivals);
    return items;
}

bool wait_for_others(const PreparedSeries& series, const Error& error) {
    const Watch& watch = *series.options.watch;
    bool awaited = false;
    for (std::size_t i = 0; i < series.items.size(); ++i)
        awaited |= watch.folder->give_back(series.items.list.at(i).front().file);
    if (!awaited) {
        if (!series.items.for_each.continue_on_error || dynamic_cast<const IoError*>(&error) == nullptr) return false;
        if (watch.tell) watch.tell(fmt::format("{}: other files are waited for", error.what()));
    }
    std::vector<Arrival> arrivals;
    if (!wait_for_arrivals(watch, arrivals)) return false;
    add(series.items.list, arrivals);
    return true;
}

}   // namespace parallax::engine::series
