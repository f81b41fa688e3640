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

MovedFiles::MovedFiles(const PreparedSeries& series) : records_(series.options.manifest), is_confined_(series.where.confined) {}

void MovedFiles::add(const FileState& file, const std::string& folder) {
    if (is_confined_ || folder.empty()) return;
    const auto [known, is_new] = has_moved_.try_emplace(folder, false);
    if (is_new) known->second = RecordedFiles::place_of(path_from(folder), false) != RecordedFiles::place_of(records_, false);
    const fs::path way = path_from(file.path).lexically_relative(path_from(folder));
    if (known->second && !way.empty()) files_.emplace(whole(records_ / way), file);
}

bool MovedFiles::has(const fs::path& output) const {
    const auto [first, end] = files_.equal_range(whole(output));
    return std::any_of(first, end, [&](const auto& file) { return unchanged_at(output, file.second); });
}

MadeOfAll::MadeOfAll(const PreparedSeries& series, const fs::path& records) : series_(series), moved_(series) {
    if (records.empty()) return;
    try {
        const std::optional<Manifest::Made> made = Manifest::made_in(records);
        if (!made) return;
        for (const FileState& output : made->outputs) {
            places_.insert(RecordedFiles::place_of(path_from(output.path), series.where.confined));
            moved_.add(output, made->manifest);
        }
    } catch (const ConfigError&) {   // nobody knows which they were
        damaged_ = true;
    }
}

bool MadeOfAll::has(const fs::path& gathered) const {
    return places_.contains(RecordedFiles::place_of(gathered, series_.where.confined)) || moved_.has(gathered);
}

OwnFiles::OwnFiles(const PreparedSeries& series, const fs::path& records) : is_confined_(series.where.confined), moved_(series) {
    if (records.empty()) return;
    const Manifest::Owned owned = Manifest::owned_in(records);
    if (Manifest::exists(records)) done_ = owned.done;
    for (const std::string& file : owned.all()) files_.insert(whole(path_from(file)));
    for (const auto& [file, folder] : owned.elsewhere) moved_.add(file, folder);
}

bool OwnFiles::has(const fs::path& output) const {
    const fs::path here = whole(output);
    if (files_.contains(here) || moved_.has(output)) return true;
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
