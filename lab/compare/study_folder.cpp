#include "compare/study_folder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compare/report_names.hpp"
#include "io/file.hpp"
#include "io/io.hpp"
#include "io/transaction.hpp"
#include "job/load.hpp"
#include "job/paths.hpp"
#include "report/report.hpp"

namespace parallax::engine::compare {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> names_of(const std::vector<std::string>& logs) {
    std::vector<fs::path> names = report_names();
    for (const std::string& log : logs) names.push_back(fs::path("logs") / path_from(log + ".log"));
    return names;
}

/// As it is, into a file of a transaction, whose mode stays.
void copy_into(const fs::path& part, const fs::path& from) {
    io::File source = io::File::open(from, fs::file_size(from), to_utf8(from)), to = io::File::create(part);
    std::vector<char> piece(1 << 16);
    while (const std::size_t bytes = source.read_some(piece.data(), piece.size())) to.write(piece.data(), bytes);
    if (source.has_failed()) throw IoError(to_utf8(from), "cannot be read to its end", "see whether the disk is well");
    to.close();
}

/// Of what a file holds, which may be nothing: a log of a process that had nothing to say.
std::string hash_of(const fs::path& file) { return fs::file_size(file) == 0 ? "empty" : io::hash_file(file); }

}   // namespace

StudyFolder::StudyFolder(const CompareOptions& options, const Json& header, const std::vector<std::string>& logs)
    : options_(options), names_(names_of(logs)), journal_(options.out / "journal.jsonl"), made_(journal_.said("made")) {
    finish_earlier(options.out);   // once more under the lock: from here on nobody else's are put in their places
    const bool goes_on = options.resume && !options.overwrite && journal_.is_begun();
    replace_ = options.overwrite || (goes_on && journal_.said("replaces") == true);
    if (journal_.is_begun() && !goes_on && !options.overwrite) {
        if (!is_complete())
            throw ConfigError("--out", fmt::format("an interrupted study in {}", to_utf8(options.out / "journal.jsonl")),
                              "a folder without one", "--resume to go on with it, --overwrite to begin anew");
        journal_.forget();   // its study had no time to remove it
    }
    if (!goes_on) made_ = Json();
    check_free();
    if (goes_on) {
        journal_.go_on(header);
    } else {
        journal_.begin(header);
        if (replace_) journal_.append({{"replaces", true}});   // for whoever goes on with it
    }
    work_.emplace(options.out);
    fs::create_directory(work() / "logs");
}

fs::path StudyFolder::log(const std::string& name) const { return work() / "logs" / path_from(name + ".log"); }

/// Whether a file is what this study's journal says that it has put there.
bool StudyFolder::is_made(const fs::path& name) const {
    const std::string known = made_.is_object() ? made_.value(to_utf8(name), std::string()) : std::string();
    std::error_code error;
    return !known.empty() && fs::is_regular_file(fs::symlink_status(options_.out / name, error)) &&
           hash_of(options_.out / name) == known;
}

bool StudyFolder::is_complete() const {
    const std::vector<fs::path> reports = report_names();
    return std::all_of(reports.begin(), reports.end(), [&](const fs::path& name) { return is_made(name); });
}

void StudyFolder::check_free() const {
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(options_.out / "logs", error)))
        throw ConfigError("--out", fmt::format("{}, which is a link", to_utf8(options_.out / "logs")),
                          "a folder of its own, or none yet", "choose another --out, or give it another name");
    for (const fs::path& name : names_) {
        if (!is_made(name)) check_name(options_.out, name, replace_, options_.resume);
    }
}

std::optional<Json> StudyFolder::written() const {
    return is_complete() ? std::optional(load_json(options_.out / "report.json")) : std::nullopt;
}

void StudyFolder::write(const Json& report) {
    // What an earlier run has put there is this study's own.
    const bool replace = replace_ || made_.is_object();
    io::Transaction files(options_.out, {.overwrite = replace});
    add_report(report, options_.out, files);
    for (const fs::path& log : names_) {   // where there is none its process was not needed
        if (std::error_code none; fs::exists(work() / log, none))
            files.add(options_.out / log, [&](const fs::path& part) { copy_into(part, work() / log); });
    }
    Json hashes = Json::object();
    for (const fs::path& name : names_) {
        if (const fs::path part = files.staged(options_.out / name); part != options_.out / name)
            hashes[to_utf8(name)] = hash_of(part);
    }
    if (options_.along) options_.along(report, files);
    files.sync();
    journal_.append({{"made", std::move(hashes)}});   // before they are: whoever finds them knows whose they are
    files.commit();
    work_.reset();   // before the journal: without one nobody would look for it
    journal_.remove();
}

void StudyFolder::finish(const Json& report) {
    io::Transaction files(options_.out, {.overwrite = false});
    if (options_.along) options_.along(report, files);
    files.commit();
    work_.reset();
    journal_.remove();
}

}   // namespace parallax::engine::compare
