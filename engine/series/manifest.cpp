#include "series/manifest.hpp"

#include "io/file.hpp"
#include "io/hints.hpp"
#include "io/io.hpp"
#include "io/known_status.hpp"
#include "io/transaction.hpp"
#include "io/tree.hpp"
#include "job/paths.hpp"
#include "series/checked.hpp"
#include "series/kept_file.hpp"
#include "support/file_identity.hpp"
#include "support/folder.hpp"
#include "support/octets.hpp"
#include "support/platform.hpp"
#include "support/json_outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#if !defined(_WIN32)
#include <fcntl.h>
#endif

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

/// What records name is looked at. Of nothing there is no path, and the system would end one at a zero byte.
std::string path_in_record(const Json& json) {
    auto path = json.get<std::string>();
    if (path.empty() || path.find('\0') != std::string::npos)
        throw ConfigError("", fmt::format("the path {} in a record", json.dump(-1, ' ', true, Json::error_handler_t::replace)), "one of a file");
    return path;
}

/// Of a folder that versions before did not say.
std::string folder_in_record(const Json& json) { return json.contains("manifest") ? path_in_record(json.at("manifest")) : std::string(); }

}  // namespace

// Whole numbers: get<>() takes a real, too, which need not fit.
FileState file_from(const Json& json) {
    return {path_in_record(json.at("path")), json.at("bytes").get_ref<const std::uint64_t&>(),
            json.at("modified").get_ref<const std::int64_t&>(), json.at("xxh3_128").get<std::string>(),
            json.contains("inode") ? json.at("inode").get_ref<const std::uint64_t&>() : 0, json.value("of", std::string()),
            json.contains("changed") ? json.at("changed").get_ref<const std::int64_t&>() : 0};
}

Json to_json(const std::vector<FileState>& files) {
    Json list = Json::array();
    for (const FileState& file : files) {
        list.push_back({{"path", file.path}, {"bytes", file.bytes}, {"modified", file.modified}, {"xxh3_128", file.hash},
                        {"inode", file.inode}});
        if (!file.of.empty()) list.back()["of"] = file.of;
        if (file.changed != 0) list.back()["changed"] = file.changed;
    }
    return list;
}

namespace {

constexpr const char* header_name = "series.json";
constexpr const char* made_name = "made.json";
constexpr std::size_t checksum_length = 16;
constexpr std::int64_t last_sequence = std::int64_t{1} << 62;   // room for what is recorded later

Json json_of(const Record& record) {
    Json json{{"item", record.item}, {"state", record.done ? "done" : "failed"}};
    if (!record.done) json["error"] = record.error;
    if (!record.files.empty()) json["files"] = record.files;
    if (!record.window.empty()) json["window"] = record.window;
    if (!record.reads.empty()) json["reads"] = record.reads;
    json["inputs"] = to_json(record.inputs);
    json["outputs"] = to_json(record.outputs);
    if (!record.rows.empty()) json["rows"] = record.rows;
    if (!record.warnings.empty()) json["warnings"] = record.warnings;
    if (!record.times.empty()) json["times"] = record.times;
    return json;
}

std::string line_of(Json json) {
    const std::string text = host::with_octets_as_text(std::move(json)).dump(-1, ' ', false, Json::error_handler_t::replace);
    return io::hash_text(text).substr(0, checksum_length) + ' ' + text + '\n';
}

/// Inputs that all items have, as a header has them.
bool are_shared(const Json& files) {
    return files.is_array() && std::all_of(files.begin(), files.end(), [](const Json& file) {
               const auto has = [&](const char* key) { return file.contains(key) && file.at(key).is_string(); };
               return file.is_object() && has("path") && has("xxh3_128");
           });
}

/// Rows of a table: an object, or a list of them.
bool is_rows(const Json& json) {
    return json.is_object() ||
           (json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& row) { return row.is_object(); }));
}

std::int64_t sequence_of(const Json& json) {
    const std::int64_t sequence = json.contains("sequence") ? json.at("sequence").get_ref<const std::int64_t&>() : 0;
    if (sequence < 0 || sequence > last_sequence) throw Error("a number that no record gets");
    return sequence;
}

/// Throws where the document has another form.
Record record_of(const Json& json) {
    Record record;
    record.item = json.at("item").get<std::string>();
    record.done = json.at("state") == "done";
    record.error = json.value("error", std::string());
    record.window = json.value("window", std::string());
    record.reads = json.value("reads", std::string());
    record.at = json.at("at").get_ref<const std::int64_t&>();
    record.sequence = sequence_of(json);
    for (const Json& file : json.at("inputs")) record.inputs.push_back(file_from(file));
    for (const Json& file : json.at("outputs")) record.outputs.push_back(file_from(file));
    record.files = json.value("files", std::vector<std::string>());
    for (const std::string& file : record.files) path_in_record(file);
    record.rows = json.value("rows", Json::object());
    record.warnings = json.value("warnings", std::vector<std::string>());
    record.times = json.value("times", Json::object());
    record.manifest = folder_in_record(json);
    if (!record.rows.is_object() || !std::all_of(record.rows.begin(), record.rows.end(), is_rows))
        throw Error("rows that are none");
    if (!record.times.is_object()) throw Error("times that are none");
    return record;
}

/// What a line holds; nothing where it is damaged.
std::optional<Json> document_of(const std::string& line) {
    if (line.size() <= checksum_length + 1 || line[checksum_length] != ' ') return std::nullopt;
    const std::string text = line.substr(checksum_length + 1);
    if (io::hash_text(text).compare(0, checksum_length, line, 0, checksum_length) != 0) return std::nullopt;
    const std::optional<Json> json = parse_shallow(text);
    if (!json) return std::nullopt;
    return host::with_text_as_octets(*json);
}

constexpr std::array kinds_of_word{"begun", "left", "standing"};
constexpr std::size_t files_a_line = 1000;

/// What is said of files.
struct Word {
    std::string kind;
    std::vector<std::string> files;
    std::int64_t sequence = 0;
};

Word word_of(const Json& json, const std::string& kind) {
    Word word{kind, {}, sequence_of(json)};
    for (const Json& file : json.at(kind)) word.files.push_back(path_in_record(file));
    return word;
}

/// What a line says: a record, or whose files may be where.
std::optional<std::variant<Record, Word>> said_in(const std::string& line) {
    try {
        const std::optional<Json> json = document_of(line);
        if (!json || !json->is_object()) return std::nullopt;
        for (const char* const kind : kinds_of_word)
            if (json->contains(kind)) return word_of(*json, kind);
        return record_of(*json);
    } catch (const Json::exception&) {   // another program's, whose checksum is right all the same
        return std::nullopt;
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::vector<fs::path> files_named(const fs::path& folder, const char* start, const char* end_of_name) {
    std::vector<fs::path> files;
    for (const fs::path& entry : kept_in(folder)) {
        const std::string name = to_utf8(entry.filename());
        if (name.starts_with(start) && name.ends_with(end_of_name)) files.push_back(entry);
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<fs::path> journals(const fs::path& folder) { return files_named(folder, "items-", ".jsonl"); }

/// found-<n>.json.
std::vector<fs::path> findings(const fs::path& folder) {
    std::vector<fs::path> files = files_named(folder, "found-", ".json");
    std::erase_if(files, [](const fs::path& file) {
        const std::string number = to_utf8(file.stem()).substr(std::strlen("found-"));
        return number.empty() || number.find_first_not_of("0123456789") != std::string::npos;
    });
    return files;
}

/// Nothing where there is none. Throws IoError where that is not known.
std::optional<Json> document_in(const fs::path& file) {
    try {
        return load_document(file);
    } catch (const ConfigError&) {
        return std::nullopt;
    }
}

/// Calls `visit` with each whole line of a file; one that is longer than any record is none, and nothing is what has been cut off
/// before its end. Whoever writes in the folder may have put a link, a pipe or a device without end there: that has no lines.
/// Throws IoError where they cannot be read.
void for_each_line(const fs::path& path, const std::function<void(std::optional<std::string>)>& visit) {
    constexpr std::size_t longest = std::size_t{64} << 20;
    const std::optional<host::OpenedFile> opened = open_kept(path);
    if (!opened) return visit(std::nullopt);
    io::File file = io::File::open(opened->path(), fs::file_size(opened->path()), io::show(path));
    std::vector<char> some(std::size_t{1} << 18);
    std::string line;
    bool too_long = false;
    while (const std::size_t got = file.read_some(some.data(), some.size())) {
        std::string_view left(some.data(), got);
        for (std::size_t end = 0; (end = left.find('\n')) != std::string_view::npos; left.remove_prefix(end + 1)) {
            line += left.substr(0, end);
            visit(too_long ? std::nullopt : std::optional(std::move(line)));
            line.clear();
            too_long = false;
        }
        too_long = too_long || line.size() + left.size() > longest;
        if (too_long) line.clear();
        else line += left;
    }
    if (file.has_failed())
        throw IoError(io::show(path), fmt::format("cannot be read: {}", std::strerror(errno)), "--resume goes on when it can");
}

/// By its name, or by a record in it. Whoever names the folder of a manifest may keep files of his own there.
bool is_own_journal(const fs::path& file) {
    const std::string name = to_utf8(file.stem()).substr(std::strlen("items-"));
    if (host::platform::is_unique_suffix(name)) return true;
    bool own = false;
    for_each_line(file, [&](const std::optional<std::string>& line) { own = own || (line && said_in(*line)); });
    return own;
}

/// Of made.json and found-<n>.json. Where a series has been at work, what is no JSON is one of its that was damaged, and so is what
/// has some of their words and is not as it was written.
bool is_record_of_ours(const fs::path& file, bool of_a_series) {
    const std::optional<Json> json = document_in(file);
    if (!json) return of_a_series;
    if (!json->is_object() || !(of_a_series || is_as_written(*json, "format"))) return false;
    const auto has = [&](const char* word) { return json->contains(word); };
    return has("format") || has("record") || has("outputs");
}

/// Whether a series has been at work in a folder, whose header nobody can read.
bool has_begun(const fs::path& folder) {
    const std::vector<fs::path> files = journals(folder);
    std::error_code error;
    return fs::exists(fs::symlink_status(folder / "lock", error)) || std::any_of(files.begin(), files.end(), is_own_journal);
}

/// Of the manifest's folder, which a confined job holds.
std::string whole_name_of(const fs::path& folder) {
    fs::path name = host::without_descriptor(folder / "").lexically_normal();
    if (!name.has_filename()) name = name.parent_path();
    return to_utf8(fs::absolute(name));
}

/// Inputs that all items have: which file is another now, and not where in the manifest that stands.
void refuse_other_files(const Json& before, const Json& now, const fs::path& folder) {
    const Json nothing = {{"path", "no such file"}, {"xxh3_128", ""}};
    for (std::size_t i = 0; i < std::max(before.size(), now.size()); ++i) {
        const Json &was = i < before.size() ? before[i] : nothing, &is = i < now.size() ? now[i] : nothing;
        if (was == is) continue;
        const std::string file = is.value("path", std::string()), other = was.value("path", std::string());
        const bool same_place = file == other;
        const char* const what = same_place ? "which has changed since" : "another input of all items than as";
        throw ConfigError("--manifest", fmt::format("{}, {} {} began", file, what, io::show(folder)),
                          same_place ? "the file as it was" : other,
                          "--overwrite does every item again (without --shard); --manifest DIR keeps both; with the file of before --resume "
                          "goes on");
    }
}

/// The first place where two documents differ; nothing: they do not. Json::diff() finds all, in time with their square.
std::optional<Json::json_pointer> first_change(const Json& before, const Json& now, const Json::json_pointer& at = Json::json_pointer{}) {
    if (before == now) return std::nullopt;
    if (before.is_object() && now.is_object()) {
        for (const auto& [key, value] : before.items()) {
            if (!now.contains(key)) return at / key;
            if (const auto change = first_change(value, now.at(key), at / key)) return change;
        }
        for (const auto& [key, value] : now.items())
            if (!before.contains(key)) return at / key;
    }
    if (before.is_array() && now.is_array()) {
        for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i)
            if (const auto change = first_change(before[i], now[i], at / i)) return change;
        return at / std::min(before.size(), now.size());
    }
    return at;
}

/// The first place where two documents differ, as a pointer and what stands there in each.
void refuse_changes(const Json& before, const Json& now, const fs::path& folder) {
    const std::optional<Json::json_pointer> change = first_change(before, now);
    if (!change) return;
    const std::string pointer = change->to_string();
    if (pointer.starts_with("/shared")) refuse_other_files(before.value("shared", Json::array()), now.at("shared"), folder);
    // Manifests keep lengths in one unit, which need not be that of the job's text or of --set.
    const std::string key = pointer.substr(pointer.rfind('/') + 1);
    const std::size_t unit = key.rfind('_');
    static const auto& units = *new std::set<std::string>{"nm", "um", "mm", "cm", "m"};
    const bool length = unit != std::string::npos && units.contains(key.substr(unit + 1));
    const auto text = [&](const Json& document) {
        const Json::json_pointer at(pointer);
        if (!document.contains(at)) return std::string("nothing");
        return length ? fmt::format("{} of {} {}", key.substr(0, unit), document.at(at).dump(), key.substr(unit + 1))
                      : document.at(at).dump();
    };
    throw ConfigError(pointer.starts_with("/job/") ? pointer.substr(4) : pointer,
                      fmt::format("{}, another job than that of {}", text(now), io::show(folder)), text(before),
                      "--overwrite does every item again (without --shard); --manifest DIR keeps both");
}

/// What of a header the results hang on. The rest is in it, too, and in hashes that are made of it.
Json bearing_on_results(const Json& header) {
    Json json = without_comments(header);
    Json& job = json["job"];
    for (const char* key : {"retry", "step_timeout_s"})
        if (job.is_object()) job.erase(key);
    return json;
}

/// Names that variants had become those that they have.
void rename_variants(Json& header, const std::vector<StepSpec>& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Json::json_pointer at(fmt::format("/job/steps/{}/variant", i));
        if (!header.contains(at) || !header[at].is_string()) continue;
        header[at] = steps[i].algorithm->present_name(header[at].get<std::string>());
    }
}

}  // namespace

struct Manifest::Journal {
    std::mutex mutex;
    std::FILE* file = nullptr;
    fs::path path;
    std::optional<host::FileIdentity> identity;
    std::chrono::steady_clock::time_point synced;
    bool is_named = false;        ///< its name is on the disk, too
    std::int64_t sequence = -1;   ///< the highest that was seen; -1: nobody has looked

    ~Journal() {
        if (!file) return;
        host::platform::sync(file);
        std::fclose(file);
    }
};

Manifest::Manifest(fs::path folder) : folder_(std::move(folder)), journal_(std::make_unique<Journal>()) {}
Manifest::~Manifest() = default;
Manifest::Manifest(Manifest&&) noexcept = default;

Manifest::Contents Manifest::contents_of(const fs::path& folder) { return Manifest(folder).contents(); }

bool Manifest::exists(const fs::path& folder) {
    std::error_code error;
    const bool there = fs::exists(fs::symlink_status(folder / header_name, error));
    if (error && !io::says_absent(error))
        throw IoError(to_utf8(folder), "cannot be looked into: " + error.message(), "see to its permissions");
    return there;
}

bool Manifest::is_begun(const fs::path& folder) {
    const std::vector<fs::path> files = journals(folder);
    std::error_code error;
    return exists(folder) || std::any_of(files.begin(), files.end(), is_own_journal) || !findings(folder).empty() ||
           fs::exists(fs::symlink_status(folder / made_name, error));
}

bool Manifest::keeps(const fs::path& name) {
    const std::string text = to_utf8(name);
    const auto begins = [&](const char* word) { return text.starts_with(word); };
    return text == header_name || text == made_name || begins("items-") || begins("found-") || begins("fold-") || begins("lock");
}

void Manifest::check_free(const fs::path& folder) {
    const fs::path header = folder / header_name;
    std::error_code error;
    const bool is_there = fs::exists(fs::symlink_status(header, error));
    const std::optional<Json> json = is_there ? document_in(header) : std::nullopt;
    const auto has = [&](const char* word) { return json->is_object() && json->contains(word); };
    // Where a series has been at work, one of its words may be damaged.
    const bool is_ours = json ? has("parallax_series") || (has("job") && has("shared") && has_begun(folder))
                              : is_there && has_begun(folder);
    std::vector<fs::path> doubtful = findings(folder);
    if (fs::exists(fs::symlink_status(folder / made_name, error))) doubtful.push_back(folder / made_name);
    std::erase_if(doubtful, [&](const fs::path& file) { return is_record_of_ours(file, is_ours); });
    if (is_there && !is_ours) doubtful.insert(doubtful.begin(), header);
    if (doubtful.empty()) return;
    throw ConfigError("--manifest", fmt::format("{}, in which {} is no record of a series", io::show(folder),
                                                io::show(doubtful.front().filename())),
                      "a folder for records alone, which would replace that", "name another folder, or give the file another name");
}

void Manifest::clear(const fs::path& folder, const std::set<std::string>& standing, bool synced) {
    std::vector<fs::path> files = journals(folder);
    std::erase_if(files, [](const fs::path& file) { return !is_own_journal(file); });
    Manifest next(folder);   // in a journal of its own, before the others go
    next.let_replace(standing, synced);
    for (const fs::path& file : files) fs::remove(file);
    for (const fs::path& file : findings(folder)) fs::remove(file);
    fs::remove(folder / header_name);
}

fs::path Manifest::place_of_made(const fs::path& folder) { return folder / made_name; }

void Manifest::write_made(const fs::path& file, const std::vector<FileState>& outputs) {
    const Json json = host::with_octets_as_text(
        {{"outputs", to_json(outputs)}, {"manifest", whole_name_of(file.parent_path())}, {"format", 1}});
    io::write_json(file, with_checksum(json), false);
}

std::optional<Manifest::Made> Manifest::made_in(const fs::path& folder) {
    const fs::path file = place_of_made(folder);
    if (std::error_code error; !fs::exists(fs::symlink_status(file, error))) return std::nullopt;
    Made made;
    try {
        const Json written = load_document(file);
        if (!is_as_written(written, "format")) throw Error("another than was written");
        const Json json = host::with_text_as_octets(written);
        for (const Json& output : json.at("outputs")) made.outputs.push_back(file_from(output));
        made.manifest = folder_in_record(json);
    } catch (const IoError&) {
        throw;
    } catch (const std::exception&) {
        throw ConfigError("", fmt::format("the damaged {}", io::show(file)), "what was made of all items");
    }
    return made;
}

Manifest Manifest::open(const fs::path& folder, const Json& job, const std::vector<FileState>& shared,
                        const std::vector<StepSpec>& steps) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw IoError(io::show(folder), "the manifest's folder cannot be made: " + error.message(),
                      "choose another place with --out, or with --manifest");
    if (const fs::path path = host::without_descriptor(folder); path != folder)   // held, since the job is confined
        io::recover_below(host::Folder::open(folder), ".", path);
    else
        io::recover(folder);
    Json files = Json::array();
    for (const FileState& file : shared) files.push_back({{"path", file.path}, {"xxh3_128", file.hash}});
    const Json header = host::with_octets_as_text({{"parallax_series", 1}, {"job", job}, {"shared", std::move(files)}});
    const fs::path path = folder / header_name;
    if (!exists(folder)) {
        try {
            write_document(path, header, false);
        } catch (const IoError&) {   // another shard may have been faster
            if (!exists(folder)) throw;
        }
    }
    Json before;
    try {
        before = load_document(path);
        if (!before.is_object() || !before.contains("job") || !are_shared(before.value("shared", Json::array())))
            throw ConfigError("", "no header of a series", "one");
    } catch (const ConfigError&) {
        throw ConfigError("--manifest", fmt::format("the damaged {} in {}", header_name, io::show(folder)),
                          "the header that the series began with", "--overwrite does every item again (without --shard)");
    }
    rename_variants(before, steps);
    refuse_changes(bearing_on_results(before), bearing_on_results(header), folder);
    Manifest manifest(folder);
    manifest.about_ = io::hash_text(before.dump(-1, ' ', false, Json::error_handler_t::replace));   // as it began
    return manifest;
}

Manifest::Owned Manifest::owned_in(const fs::path& folder) {
    Owned owned;
    const std::string here = whole_name_of(folder);
    std::map<std::string, std::tuple<std::int64_t, std::int64_t, bool>> latest;
    for (const fs::path& path : journals(folder)) {
        std::set<std::string> begun;   // a process takes back what it has said itself
        for_each_line(path, [&](const std::optional<std::string>& line) {
            const auto said = line ? said_in(*line) : std::nullopt;
            if (!said) return;
            if (const auto* const record = std::get_if<Record>(&*said)) {
                auto& known = latest[record->item];
                known = std::max(known, {record->sequence, record->at, record->done});
                for (const FileState& file : record->outputs) {
                    owned.recorded.insert(file.path);
                    if (!record->manifest.empty() && record->manifest != here) owned.elsewhere.emplace_back(file, record->manifest);
                }
                return;
            }
            const Word& word = std::get<Word>(*said);
            for (const std::string& file : word.files) {
                if (word.kind == "left") begun.erase(file);
                else (word.kind == "begun" ? begun : owned.standing).insert(file);
            }
        });
        owned.begun.merge(begun);
    }
    for (const auto& [item, record] : latest)
        if (std::get<bool>(record)) owned.done.insert(item);
    return owned;
}

std::set<std::string> Manifest::Owned::all() const {
    std::set<std::string> files = recorded;
    files.insert(begun.begin(), begun.end());
    files.insert(standing.begin(), standing.end());
    return files;
}

Manifest::Contents Manifest::contents() const {
    Contents all;
    for (const fs::path& path : journals(folder_)) {
        for_each_line(path, [&](const std::optional<std::string>& line) {
            auto said = line ? said_in(*line) : std::nullopt;
            if (!said) {
                ++all.damaged;
            } else if (const auto* const word = std::get_if<Word>(&*said)) {
                all.sequence = std::max(all.sequence, word->sequence);
            } else {
                Record& record = std::get<Record>(*said);
                Record& known = all.records[record.item];
                all.sequence = std::max(all.sequence, record.sequence);
                if (std::pair(record.sequence, record.at) >= std::pair(known.sequence, known.at)) known = std::move(record);
            }
        });
    }
    return all;
}

std::map<std::string, Record> Manifest::load() const {
    Contents all = contents();
    const std::lock_guard lock(journal_->mutex);
    journal_->sequence = std::max(journal_->sequence, all.sequence);
    return std::move(all.records);
}

void Manifest::append(const Record& record) { append_line(json_of(record), false); }

void Manifest::begin(const std::vector<std::string>& files, bool synced) { append_line({{"begun", files}}, synced); }

void Manifest::let_replace(const std::set<std::string>& files, bool synced) {
    for (auto file = files.begin(); file != files.end();) {
        std::vector<std::string> some;
        for (; file != files.end() && some.size() < files_a_line; ++file) some.push_back(*file);
        append_line({{"standing", some}}, synced);
    }
}

// Not counted: where the limit on outputs has ended the series it is to be said all the same.
void Manifest::leave(const std::vector<std::string>& files) { append_line({{"left", files}}, false, false); }

void Manifest::append_line(Json json, bool synced, bool counted) {
    json["at"] =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    const std::lock_guard lock(journal_->mutex);
    if (journal_->sequence < 0) journal_->sequence = contents().sequence;   // what comes now is later than all that is there
    json["sequence"] = ++journal_->sequence;
    json["manifest"] = whole_name_of(folder_);
    const std::string line = line_of(std::move(json));
    if (!journal_->file) journal_->path = folder_ / path_from("items-" + host::platform::unique_suffix() + ".jsonl");
    if (counted) io::Transaction::count(journal_->path, line.size(), limit_hint);
    const auto fail = [&](const char* what, int code) {
        throw IoError(to_utf8(journal_->path), fmt::format("{}: {}", what, std::strerror(code)),
                      fmt::format("what is done cannot be recorded: {}, then --resume", io::write_hint_for(code)));
    };
    if (!journal_->file) {
#if defined(_WIN32)
        journal_->file = _wfopen(journal_->path.c_str(), L"ab");
#else
        const int made = ::open(journal_->path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);   // no link's end
        journal_->file = made < 0 ? nullptr : ::fdopen(made, "ab");
#endif
        if (!journal_->file) fail("cannot be made", errno);
        journal_->identity = host::identity_of(journal_->path);
        std::setvbuf(journal_->file, nullptr, _IOFBF, 1u << 20);   // so that a line is written in one piece
    }
    if (const auto there = host::identity_of(journal_->path);
        !there || !journal_->identity || there->device != journal_->identity->device || there->inode != journal_->identity->inode)
        throw IoError(io::show(journal_->path), "has gone while the series ran, with the records in it",
                      "--overwrite does every item again; --resume replaces no file of which there is no word any more");
    if (std::fwrite(line.data(), 1, line.size(), journal_->file) != line.size() || std::fflush(journal_->file) != 0) {
        const int code = errno;
        std::fclose(journal_->file);   // its last line may be torn: go on in another file, should anyone go on
        journal_->file = nullptr;
        fail("cannot be written", code);
    }
    const auto now = std::chrono::steady_clock::now();
    if (!synced && now - journal_->synced < std::chrono::seconds(1)) return;   // a killed process loses nothing, a power cut a second
    journal_->synced = now;
    host::platform::sync(journal_->file);
    if (!synced || std::exchange(journal_->is_named, true)) return;
    try {
        host::Folder::open(folder_).sync();   // its name, too
    } catch (const std::system_error& error) {
        fail("cannot be put on the disk", error.code().value());
    }
}

Json identity_of(const Job& job) {
    Json json = engine::to_json(job);
    for (const char* key : {"device", "comment", "memory_limit", "for_each"}) json.erase(key);
    return json;
}

FileState state_of(const FileReport& report) {
    return {report.path, report.bytes, report.identity ? report.identity->modified : 0, report.hash,
            report.identity ? report.identity->inode : 0};
}

FileState state_of_input(const FileReport& report) {
    FileState state = state_of(report);
    if (!report.certain) state.modified = 0;
    if (report.identity) state.changed = report.identity->changed;
    return state;
}

fs::path place_of(const fs::path& file) {
    std::error_code failed;
    const fs::path whole = fs::absolute(file), place = fs::weakly_canonical(whole, failed);
    return failed ? whole.lexically_normal() : place;
}

const std::string& KnownHashes::of(const fs::path& path, const host::FileIdentity& identity) {
    // By the numbers of what is open, where it is held, and by its path where the system has no numbers.
    const std::string name = identity.inode == 0 ? to_utf8(path) : std::string();
    const auto [known, is_new] =
        hashes_.try_emplace({identity.device, identity.inode, identity.bytes, identity.modified, identity.changed, name}, std::string());
    if (is_new) known->second = io::hash_of_tree(path);
    return known->second;
}

bool unchanged(const FileState& file, KnownHashes* hashes) {
    return unchanged_at(place_of(path_from(file.path)), file, hashes);   // a folder that it leads through and out of again may be gone
}

bool unchanged_at(const fs::path& path, const FileState& file, KnownHashes* hashes) {
    return renewed_at(path, file, hashes).has_value();
}

std::optional<FileState> renewed_at(const fs::path& path, const FileState& file, KnownHashes* hashes) {
    const auto now = io::identity_of_tree(path);
    if (!now || now->bytes != file.bytes) return std::nullopt;
    const bool as_it_was = file.modified != 0 && now->modified == file.modified && (file.inode == 0 || now->inode == file.inode) &&
                           (file.changed == 0 || now->changed == 0 || now->changed == file.changed);
    if (as_it_was) return file;
    if ((hashes ? hashes->of(path, *now) : io::hash_of_tree(path)) != file.hash) return std::nullopt;
    FileState renewed = file;
    if (!host::may_change_unseen(*now)) renewed.modified = now->modified, renewed.inode = now->inode, renewed.changed = now->changed;
    return renewed;
}

}  // namespace parallax::engine::series
