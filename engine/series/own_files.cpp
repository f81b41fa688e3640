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

/// Of a name such as "lock-2-of-3".
std::optional<Shard> shard_in(const std::string& name, std::string_view what, std::string (*name_of)(const Shard&)) {
    std::istringstream text(name);
    Shard shard;
    const auto word = [&](std::string_view wanted) {
        return std::all_of(wanted.begin(), wanted.end(), [&](char c) { return text.get() == c; });
    };
    const bool good = word(what) && word("-") && text >> shard.number && word("-of-") && text >> shard.count;
    if (!good || name != name_of(shard)) return std::nullopt;
    return shard;
}

}  // namespace

std::string lock_of(const Shard& shard) { return fmt::format("lock-{}-of-{}", shard.number, shard.count); }
std::string begun_by(const Shard& shard) { return fmt::format("begun-{}-of-{}", shard.number, shard.count); }
std::optional<Shard> shard_of_lock(const std::string& name) { return shard_in(name, "lock", lock_of); }
std::optional<Shard> shard_that_began(const std::string& name) { return shard_in(name, "begun", begun_by); }

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

OwnFiles::OwnFiles(const fs::path& records) {
    if (records.empty()) return;
    any_begun_ = Manifest::exists(records);
    for (const auto& [name, record] : Manifest::contents_of(records).records) done_.emplace(name, record.done);
    std::error_code ignored;
    for (const fs::path& entry : host::entries_of(records, ignored)) {
        const std::optional<Shard> shard = shard_that_began(to_utf8(entry.filename()));
        if (shard && shard->count > 0) begun_.push_back(*shard);
    }
}

bool OwnFiles::may_have_written(std::size_t item, const std::string& name) const {
    if (done_.contains(name)) return true;
    return std::any_of(begun_.begin(), begun_.end(),
                       [&](const Shard& shard) { return item % shard.count + 1 == shard.number; });
}

bool OwnFiles::has_done(const std::string& name) const {
    const auto record = done_.find(name);
    return any_begun_ && record != done_.end() && record->second;
}

bool is_report(const fs::path& file) { return begins_with(file, "{\"parallax_series_report\":"); }
bool is_trace(const fs::path& file) { return begins_with(file, "{\"parallax_series_trace\":"); }

bool replaces_trace(const PreparedSeries& series, const fs::path& trace) {
    return series.options.overwrite || (series.options.resume && is_trace(trace));
}

}  // namespace parallax::engine::series
