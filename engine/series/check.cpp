#include "series/check.hpp"

#include "io/file.hpp"
#include "io/io.hpp"
#include "io/journal.hpp"
#include "io/known_status.hpp"
#include "io/real_paths.hpp"
#include "io/tree.hpp"
#include "job/paths.hpp"
#include "series/checked.hpp"
#include "series/manifest.hpp"
#include "support/entries.hpp"
#include "support/file_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_told = 20;

/// Files of items that have gone, while others of their folder are there: with a drive that is away all would have gone.
class Gone {
public:
    explicit Gone(const std::map<std::string, Record>& records) : records_(records) {}
    /// Whether an item cannot be done again.
    bool has_gone(const Record& record) {
        if (there_.empty() && gone_.empty()) look();   // at all of them, which a series without damage need not do
        const auto is_gone = [&](const std::string& file) {
            return gone_.contains(path_from(file)) && there_.contains(path_from(file).parent_path());
        };
        return std::any_of(record.files.begin(), record.files.end(), is_gone) ||
               std::any_of(record.inputs.begin(), record.inputs.end(), [&](const FileState& input) { return is_gone(input.path); });
    }

private:
    void look() {
        for (const auto& [name, record] : records_) {
            for (const FileState& input : record.inputs) look(path_from(input.path));
            for (const std::string& file : record.files) look(path_from(file));
        }
    }
    void look(const fs::path& file) {
        std::error_code error;
        if (fs::exists(fs::status(file, error))) there_.insert(file.parent_path());
        else if (io::says_absent(error)) gone_.insert(file);
    }
    const std::map<std::string, Record>& records_;
    std::set<fs::path> there_, gone_;
};

/// Throws IoError and std::system_error where it cannot be read.
std::string difference_of(const FileState& file, bool hashes) {
    const fs::path path = path_from(file.path);
    const auto now = io::identity_of_tree(path, file.bytes);
    if (!now && fs::is_directory(io::known_status(path))) return "is a folder of which not all can be looked at";
    if (!now) return "is missing";
    if (now->bytes > file.bytes) return fmt::format("has more than the {} bytes that it had", file.bytes);
    if (now->bytes < file.bytes) return fmt::format("has {} bytes, and had {}", now->bytes, file.bytes);
    const bool as_it_was = file.modified != 0 && now->modified == file.modified;
    if ((!hashes && as_it_was) || io::hash_of_tree(path) == file.hash) return {};
    return as_it_was ? "holds something else than was written, with its size and time, by which --resume goes (remove it first)"
                     : "holds something else than was written";
}

/// Why an output is not, or may not be, what was recorded; empty: it is.
std::string problem_of(const FileState& file, bool hashes) {
    constexpr const char* words = "cannot be read ({}; or remove it)";
    try {
        return difference_of(file, hashes);
    } catch (const IoError& error) {
        return fmt::format(words, error.what());
    } catch (const std::system_error& error) {
        return fmt::format(words, error.code().message());
    }
}

/// Transactions that nobody has ended, beside a file.
void find_unfinished(const fs::path& folder, std::set<std::string>& found) {
    std::error_code ignored;
    for (const fs::path& entry : host::entries_of(folder, ignored))
        if (const auto transaction = io::transaction_of(to_utf8(entry.filename()))) found.insert(to_utf8(folder / *transaction));
}

/// Records have whole paths. Of a folder that was copied or moved with its manifest in it the files beside that are meant, not
/// those where it was, which may still be there.
class Moved {
public:
    explicit Moved(const fs::path& manifest) : now_(place_of(manifest)) {}
    /// Looks at an output, and whether it is where the folder is now.
    void look(const FileState& file, const std::string& manifest) {
        if (!from_.empty()) return;
        const std::optional<fs::path> here = beside(file, manifest);
        if (!here || !io::is_seen(*here)) return;
        from_ = manifest;
    }
    /// Where it was; empty: nothing of it is here, or it has not moved.
    const std::string& from() const noexcept { return from_; }
    FileState there(FileState file, const std::string& manifest) const {
        const std::optional<fs::path> here = from_.empty() ? std::nullopt : beside(file, manifest);
        if (here) file.path = to_utf8(*here);
        return file;
    }

private:
    std::optional<fs::path> beside(const FileState& file, const std::string& manifest) const {
        if (manifest.empty()) return std::nullopt;
        const auto [known, is_new] = is_here_.try_emplace(manifest, false);
        if (is_new) known->second = place_of(path_from(manifest)) == now_;
        if (known->second) return std::nullopt;
        const fs::path way = path_from(file.path).lexically_relative(path_from(manifest));
        const auto up = std::count(way.begin(), way.end(), "..");
        if (way.empty() || up != 1) return std::nullopt;
        return (now_ / way).lexically_normal();
    }
    fs::path now_;
    std::string from_;
    mutable std::map<std::string, bool> is_here_;   ///< whether a record's folder is this one
};

/// Nothing where it is not there, or damaged.
std::optional<Manifest::Made> find_made(const fs::path& manifest, Check& check) {
    try {
        return Manifest::made_in(manifest);
    } catch (const ConfigError&) {
        check.problems.push_back("made.json is damaged: move what is made of all items away, and --resume makes it again");
        check.made = 0;
        return std::nullopt;
    }
}

/// Looks at what was made of all items, and adds the folders of it.
void check_made(const Manifest::Made& made, const Moved& moved, bool hashes, Check& check, std::set<fs::path>& folders) {
    check.made = made.outputs.size();
    for (const FileState& recorded : made.outputs) {
        const FileState file = moved.there(recorded, made.manifest);
        folders.insert(path_from(file.path).parent_path());
        const std::string problem = problem_of(file, hashes);
        if (!problem.empty())
            check.problems.push_back(fmt::format("{}, made of all items, {}: --resume writes it again", file.path, problem));
    }
}

/// Which record speaks of an output, where several do: frames that come and go give their names to other items, which write to the
/// same files.
class LastWriters {
public:
    LastWriters(const std::map<std::string, Record>& records, const Moved& moved) : moved_(moved) {
        for (const auto& [name, record] : records)
            for (const FileState& file : record.outputs) {
                const Record*& last = last_[place_of(record, file)];
                if (!last || std::pair(last->sequence, last->at) < std::pair(record.sequence, record.at)) last = &record;
            }
    }
    bool has_written(const Record& record, const FileState& file) { return last_.at(place_of(record, file)) == &record; }
    /// Others have written all that it did.
    bool is_replaced(const Record& record) {
        return !record.outputs.empty() && std::none_of(record.outputs.begin(), record.outputs.end(),
                                                       [&](const FileState& file) { return has_written(record, file); });
    }

private:
    fs::path place_of(const Record& record, const FileState& file) {
        return real_.of(path_from(moved_.there(file, record.manifest).path));
    }

    const Moved& moved_;
    io::RealPaths real_;
    std::map<fs::path, const Record*> last_;
};

/// Whether the job of a manifest makes anything of all items.
bool makes_of_all(const Json& header) {
    const Json outputs = header.value(Json::json_pointer("/job/outputs"), Json::object());
    return std::any_of(outputs.begin(), outputs.end(), [](const Json& output) {
        return output.is_object() && (output.contains("table") || output.contains("combine"));
    });
}

}  // namespace

Json to_json(const Check& check) {
    return {{"whole", check.whole()},
            {"done", check.done},
            {"failed", check.failed},
            {"gone", check.gone},
            {"damaged_lines", check.damaged_lines},
            {"made", check.made ? Json(*check.made) : Json(nullptr)},
            {"moved_from", check.moved_from.empty() ? Json(nullptr) : Json(check.moved_from)},
            {"problems", check.problems}};
}

Check check(const fs::path& manifest, bool hashes) {
    if (!Manifest::exists(manifest))
        throw ConfigError("", fmt::format("{}, in which no series has been begun", to_utf8(manifest)),
                          "a manifest: JOB.series below --out");
    Check check;
    try {
        const Json header = load_document(manifest / "series.json");
        if (!header.contains("job")) throw ConfigError("", "", "");
        check.makes_of_all = makes_of_all(header);
    } catch (const std::exception&) {
        check.problems.push_back("series.json is damaged: --overwrite does every item again");
    }
    const Manifest::Contents contents = Manifest::contents_of(manifest);
    check.damaged_lines = contents.damaged;
    const std::optional<Manifest::Made> made = find_made(manifest, check);
    Moved moved(manifest);
    for (const auto& [name, record] : contents.records)
        for (const FileState& file : record.outputs) moved.look(file, record.manifest);
    if (made)
        for (const FileState& file : made->outputs) moved.look(file, made->manifest);
    check.moved_from = moved.from();
    std::set<fs::path> folders{manifest};
    LastWriters writers(contents.records, moved);
    Gone frames(contents.records);
    std::size_t wrong = 0;
    for (const auto& [name, record] : contents.records) {
        if (writers.is_replaced(record)) continue;
        // In a folder that was moved, who knows where they are now?
        const auto has_gone = [&, &record = record] { return check.moved_from.empty() && frames.has_gone(record); };
        (record.done ? check.done : has_gone() ? check.gone : check.failed) += 1;
        if (!record.done) continue;
        for (const FileState& recorded : record.outputs) {
            if (!writers.has_written(record, recorded)) continue;
            const FileState file = moved.there(recorded, record.manifest);
            folders.insert(path_from(file.path).parent_path());
            const std::string problem = problem_of(file, hashes);
            if (!problem.empty() && ++wrong <= most_told)
                check.problems.push_back(fmt::format("{} of {} {}: {}", file.path, name, problem,
                                                     has_gone() ? "its own files are gone; --resume does it again once they are there"
                                                                : "--resume does the item again, if the job still has it"));
        }
    }
    if (made) check_made(*made, moved, hashes, check, folders);
    if (wrong > most_told) check.problems.push_back(fmt::format("{} more outputs are missing or changed", wrong - most_told));
    std::set<std::string> unfinished;
    for (const fs::path& folder : folders) find_unfinished(folder, unfinished);
    for (const std::string& transaction : unfinished)
        check.problems.push_back(
            fmt::format("{}: outputs that are being written, or that a process which was ended has left: the next "
                        "run in that folder finishes or removes them",
                        transaction));
    return check;
}

}  // namespace parallax::engine::series
