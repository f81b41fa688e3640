#include "series/manifest.hpp"

#include "io/file.hpp"
#include "io/hints.hpp"
#include "io/io.hpp"
#include "io/known_status.hpp"
#include "io/transaction.hpp"
#include "job/paths.hpp"
#include "series/checked.hpp"
#include "series/kept_file.hpp"
#include "support/file_identity.hpp"
#include "support/folder.hpp"
#include "support/octets.hpp"
#include "support/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <variant>

#if !defined(_WIN32)
#include <fcntl.h>
#endif

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

constexpr const char* header_name = "series.json";
constexpr const char* made_name = "made.json";
constexpr std::size_t files_a_line = 1000;

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
    return io::is_seen(folder / "lock") || std::any_of(files.begin(), files.end(), is_own_journal);
}

/// Of the manifest's folder, which a confined job holds.
std::string whole_name_of(const fs::path& folder) {
    fs::path name = host::without_descriptor(folder / "").lexically_normal();
    if (!name.has_filename()) name = name.parent_path();
    return to_utf8(fs::absolute(name));
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
    return exists(folder) || std::any_of(files.begin(), files.end(), is_own_journal) || !findings(folder).empty() ||
           io::is_seen(folder / made_name);
}

bool Manifest::keeps(const fs::path& name) {
    const std::string text = to_utf8(name);
    const auto begins = [&](const char* word) { return text.starts_with(word); };
    return text == header_name || text == made_name || begins("items-") || begins("found-") || begins("fold-") || begins("lock");
}

void Manifest::check_free(const fs::path& folder) {
    const fs::path header = folder / header_name;
    const bool is_there = io::is_seen(header);
    const std::optional<Json> json = is_there ? document_in(header) : std::nullopt;
    const auto has = [&](const char* word) { return json->is_object() && json->contains(word); };
    // Where a series has been at work, one of its words may be damaged.
    const bool is_ours = json ? has("parallax_series") || (has("job") && has("shared") && has_begun(folder))
                              : is_there && has_begun(folder);
    std::vector<fs::path> doubtful = findings(folder);
    if (io::is_seen(folder / made_name)) doubtful.push_back(folder / made_name);
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
    if (!io::is_seen(file)) return std::nullopt;
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

Manifest Manifest::open(const fs::path& folder, const Json& job, const std::vector<SharedFile>& shared,
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
    const Json header = header_of(job, shared);
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
        if (!is_header(before)) throw ConfigError("", "no header of a series", "one");
    } catch (const ConfigError&) {
        throw ConfigError("--manifest", fmt::format("the damaged {} in {}", header_name, io::show(folder)),
                          "the header that the series began with", "--overwrite does every item again (without --shard)");
    }
    rename_variants(before, steps);
    refuse_changes(before, header, folder);
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

void Manifest::append(const Record& record) { append_line(to_json(record), false); }

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

}  // namespace parallax::engine::series
