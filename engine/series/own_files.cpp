#include "series/own_files.hpp"

#include "series/recorded_files.hpp"
#include "support/entries.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

/// White space apart. A pipe is not opened: that would wait for who writes into it.
bool begins_with(const fs::path& file, std::string_view words) {
    std::error_code unknown;
    if (!fs::is_regular_file(fs::symlink_status(file, unknown))) return false;
    std::ifstream text(file, std::ios::binary);
    return std::all_of(words.begin(), words.end(), [&](char wanted) {
        char c = 0;
        return text >> c && c == wanted;
    });
}

/// Folders are told by their paths, and else by where these lead.
fs::path whole(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

bool is_same_place(const fs::path& a, const fs::path& b, bool confined) {
    const fs::path first = whole(a), second = whole(b);
    return first == second || RecordedFiles::place_of(first, confined) == RecordedFiles::place_of(second, confined);
}

}  // namespace

std::string lock_of(const Shard& shard) { return fmt::format("lock-{}-of-{}", shard.number, shard.count); }

std::optional<Shard> shard_of_lock(const std::string& name) {
    std::istringstream text(name);
    Shard shard;
    const auto word = [&](std::string_view wanted) {
        return std::all_of(wanted.begin(), wanted.end(), [&](char c) { return text.get() == c; });
    };
    const bool good = word("lock-") && text >> shard.number && word("-of-") && text >> shard.count;
    if (!good || name != lock_of(shard)) return std::nullopt;
    return shard;
}

MadeOfAll::MadeOfAll(const PreparedSeries& series, const fs::path& records) : series_(series) {
    if (records.empty()) return;
    try {
        const std::optional<Manifest::Made> made = Manifest::made_in(records);
        if (!made) return;
        const auto place = [&](const fs::path& file) { return RecordedFiles::place_of(file, series.where.confined); };
        for (const FileState& output : made->outputs) {
            const fs::path file = path_from(output.path);
            places_.insert(place(file));
            if (made->manifest.empty()) continue;   // else in a folder that was moved with its records, too
            const fs::path way = file.lexically_relative(path_from(made->manifest));
            if (!way.empty()) places_.insert(place((fs::absolute(series.options.manifest) / way).lexically_normal()));
        }
    } catch (const ConfigError&) {   // damaged: what is made of all items appears at once, so that all of it was
        all_ = true;
    }
}

bool MadeOfAll::has(const fs::path& gathered) const {
    return all_ || places_.contains(RecordedFiles::place_of(gathered, series_.where.confined));
}

OwnFiles::OwnFiles(const PreparedSeries& series, const fs::path& records)
    : is_confined_(series.where.confined), out_(series.where.out), folder_(series.options.manifest) {
    if (records.empty()) return;
    const Manifest::Contents there = Manifest::contents_of(records);
    const bool has_header = Manifest::exists(records);
    for (const auto* const list : {&there.records, &there.written}) {
        for (const auto& [item, record] : *list) {
            if (has_header && record.done && list == &there.records) done_.insert(item);
            add(record);
        }
    }
    std::map<std::string, bool> is_here;   // by the folder of outputs: as a rule there is one
    for (const auto* const items : {&there.begun, &there.standing}) {
        for (const auto& [item, begun] : *items) {
            const auto [known, is_new] = is_here.try_emplace(begun.out + '\n' + begun.manifest, false);
            if (is_new) {
                const std::optional<fs::path> now = moved(begun.out, begun.manifest);
                known->second = is_same_place(path_from(begun.out), out_, is_confined_) || (now && is_same_place(*now, out_, is_confined_));
            }
            if (known->second) begun_.insert(item);
        }
    }
}

void OwnFiles::add(const Record& record) {
    for (const FileState& file : record.outputs) {
        written_.insert(whole(path_from(file.path)));
        if (is_confined_ || record.manifest.empty()) continue;   // confined: whether it is as it was would have to be read
        const auto [known, is_new] = has_moved_.try_emplace(record.manifest, false);
        if (is_new) known->second = !is_same_place(path_from(record.manifest), folder_, false);
        if (!known->second) continue;
        if (const auto now = moved(file.path, record.manifest)) moved_.emplace(whole(*now), file);
    }
}

/// Where something is by now if its folder was moved together with that of its records; nothing: it was not in one with it.
std::optional<fs::path> OwnFiles::moved(const std::string& then, const std::string& records_then) const {
    if (records_then.empty()) return std::nullopt;
    const fs::path way = path_from(then).lexically_relative(path_from(records_then));
    return way.empty() ? std::nullopt : std::optional(whole(fs::absolute(folder_) / way));
}

bool OwnFiles::has(const std::string& item, const fs::path& output) const {
    const fs::path here = whole(output);
    if (begun_.contains(item) || written_.contains(here)) return true;
    if (const auto file = moved_.find(here); file != moved_.end() && unchanged_at(output, file->second)) return true;
    std::call_once(once_, [&] {
        for (const fs::path& file : written_) real_.insert(RecordedFiles::place_of(file, is_confined_));
    });
    return real_.contains(RecordedFiles::place_of(here, is_confined_));
}

bool OwnFiles::has_done(const std::string& item) const { return done_.contains(item); }

bool is_report(const fs::path& file) { return begins_with(file, "{\"parallax_series_report\":"); }
bool is_trace(const fs::path& file) { return begins_with(file, "{\"parallax_series_trace\":"); }

bool replaces_trace(const PreparedSeries& series, const fs::path& trace) {
    return series.options.overwrite || (series.options.resume && is_trace(trace));
}

}  // namespace parallax::engine::series
