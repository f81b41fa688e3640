#include "series/own_files.hpp"

#include "series/recorded_files.hpp"

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

fs::path whole(const fs::path& path) { return whole_path(path).lexically_normal(); }

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
        const bool confined = series.where.confined;
        for (const FileState& output : made->outputs) places_.insert(RecordedFiles::place_of(path_from(output.path), confined));
        if (confined || made->manifest.empty()) return;   // whether a file is as it was would have to be read
        const fs::path folder = path_from(made->manifest);
        if (RecordedFiles::place_of(folder, false) == RecordedFiles::place_of(series.options.manifest, false)) return;
        for (const FileState& output : made->outputs) {
            const fs::path way = path_from(output.path).lexically_relative(folder);
            if (!way.empty()) moved_.emplace(whole(series.options.manifest / way), output);
        }
    } catch (const ConfigError&) {   // nobody knows which they were
        damaged_ = true;
    }
}

bool MadeOfAll::has(const fs::path& gathered) const {
    if (places_.contains(RecordedFiles::place_of(gathered, series_.where.confined))) return true;
    const auto [first, end] = moved_.equal_range(whole(gathered));
    return std::any_of(first, end, [&](const auto& file) { return unchanged_at(gathered, file.second); });
}

OwnFiles::OwnFiles(const PreparedSeries& series, const fs::path& records) : is_confined_(series.where.confined) {
    if (records.empty()) return;
    const Manifest::Owned owned = Manifest::owned_in(records);
    if (Manifest::exists(records)) done_ = owned.done;
    for (const std::string& file : owned.all()) files_.insert(whole(path_from(file)));
    if (is_confined_) return;   // whether a file is as it was would have to be read
    const fs::path here = RecordedFiles::place_of(series.options.manifest, false);
    std::map<std::string, bool> has_moved;   // by the folder of records then
    for (const auto& [file, folder] : owned.elsewhere) {
        const auto [known, is_new] = has_moved.try_emplace(folder, false);
        if (is_new) known->second = RecordedFiles::place_of(path_from(folder), false) != here;
        const fs::path way = path_from(file.path).lexically_relative(path_from(folder));
        if (known->second && !way.empty()) moved_.emplace(whole(series.options.manifest / way), file);
    }
}

bool OwnFiles::has(const fs::path& output) const {
    const fs::path here = whole(output);
    if (files_.contains(here)) return true;
    const auto [first, end] = moved_.equal_range(here);
    if (std::any_of(first, end, [&](const auto& file) { return unchanged_at(output, file.second); })) return true;
    std::call_once(once_, [&] {
        for (const fs::path& file : files_) real_.insert(RecordedFiles::place_of(file, is_confined_));
    });
    return real_.contains(RecordedFiles::place_of(here, is_confined_));
}

bool is_report(const fs::path& file) { return begins_with(file, "{\"parallax_series_report\":"); }
bool is_trace(const fs::path& file) { return begins_with(file, "{\"parallax_series_trace\":"); }

bool replaces_trace(const PreparedSeries& series, const fs::path& trace) {
    return series.options.overwrite || (series.options.resume && is_trace(trace));
}

}  // namespace parallax::engine::series
