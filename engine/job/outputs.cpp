#include "job/outputs.hpp"

#include "job/paths.hpp"
#include "support/platform.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

namespace parallax::engine {

namespace fs = std::filesystem;

OutputSet::~OutputSet() {
    if (!committed_) roll_back();
}

fs::path OutputSet::add(const fs::path& target, const std::function<void(const fs::path&)>& produce) {
    const fs::path folder = fs::absolute(target).parent_path();
    std::vector<fs::path> missing;
    for (fs::path at = folder; !fs::exists(at) && at.has_relative_path(); at = at.parent_path()) missing.push_back(at);
    for (auto at = missing.rbegin(); at != missing.rend(); ++at) {
        std::error_code error;
        fs::create_directory(*at, error);
        if (error)
            throw IoError(to_utf8(*at), "the folder cannot be made: " + error.message(), "choose another folder with --out");
        folders_.push_back(*at);
    }
    const std::string name = ".partial-" + host::platform::unique_suffix() + "-" + to_utf8(target.filename());
    entries_.push_back({target, folder / path_from(name), {}, false});   // before it exists: rolling back finds it in any case
    const fs::path temporary = entries_.back().temporary;
    produce(temporary);
    return temporary;
}

void OutputSet::commit() {
    for (Entry& entry : entries_) {
        std::error_code error;
        if (fs::exists(fs::symlink_status(entry.target, error))) {
            if (!overwrite_)
                throw IoError(to_utf8(entry.target), "has appeared while the job ran", "use --overwrite to replace it");
            const fs::path backup = entry.temporary.parent_path() / path_from(".previous-" + host::platform::unique_suffix() +
                                                                              "-" + to_utf8(entry.target.filename()));
            fs::rename(entry.target, backup, error);
            if (error) throw IoError(to_utf8(entry.target), "cannot be replaced: " + error.message());
            entry.backup = backup;
        }
        fs::rename(entry.temporary, entry.target, error);
        if (error) throw IoError(to_utf8(entry.target), "cannot be written: " + error.message());
        entry.moved = true;
    }
    committed_ = true;
    for (const Entry& entry : entries_) {
        std::error_code ignored;   // the new file is in its place; an old one that stays behind under a dot is no failure
        if (!entry.backup.empty()) fs::remove(entry.backup, ignored);
    }
}

void OutputSet::roll_back() noexcept {
    std::error_code ignored;
    for (const Entry& entry : entries_) {
        fs::remove(entry.temporary, ignored);
        if (entry.moved) fs::remove(entry.target, ignored);
        if (!entry.backup.empty()) fs::rename(entry.backup, entry.target, ignored);
    }
    for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) fs::remove(*folder, ignored);
}

namespace {

constexpr std::string_view decimal = "0123456789", hexadecimal = "0123456789abcdef";

/// Takes `count` characters of a set off the front, of 0 as many as there are but one at least, and `end` behind them.
bool take(std::string_view& text, std::string_view set, std::size_t count, std::string_view end) {
    const std::size_t there = std::min(text.find_first_not_of(set), text.size());
    if (there == 0 || (count != 0 && there != count) || !text.substr(there).starts_with(end)) return false;
    text.remove_prefix(there + end.size());
    return true;
}

}  // namespace

std::optional<std::string> leftover_target(const std::string& name) {
    // ".partial-12-34-0123abcd-NAME"; while it is written, with a dot before and ".0123456789abcdef.part" behind.
    std::string_view rest = name;
    if (rest.starts_with("..")) rest.remove_prefix(1);
    const std::size_t word = rest.starts_with(".partial-") ? 9 : rest.starts_with(".previous-") ? 10 : 0;
    if (word == 0) return std::nullopt;
    rest.remove_prefix(word);
    if (!take(rest, decimal, 0, "-") || !take(rest, decimal, 0, "-") || !take(rest, hexadecimal, 8, "-")) return std::nullopt;
    constexpr std::size_t mark = 22;   // of a dot, 16 digits and ".part"
    if (rest.size() > mark) {
        std::string_view end = rest.substr(rest.size() - mark);
        if (end.front() == '.') {
            end.remove_prefix(1);
            if (take(end, hexadecimal, 16, ".part") && end.empty()) rest.remove_suffix(mark);
        }
    }
    return rest.empty() ? std::nullopt : std::optional<std::string>(rest);
}

}  // namespace parallax::engine
