#include "report/contribution.hpp"

#include "io/file.hpp"
#include "io/io.hpp"
#include "io/one_name.hpp"
#include "job/files_of_run.hpp"
#include "job/paths.hpp"
#include "parallax/host/error.hpp"
#include "report/report.hpp"
#include "support/platform.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::compare {

namespace fs = std::filesystem;

namespace {

// What is not named here is not given away.
const auto& device_keys = *new std::vector<std::string>{"index",         "name",           "backend",        "type",
                                                        "vendor",        "platform",       "version",        "driver",
                                                        "global_memory", "max_allocation", "local_memory",   "compute_units",
                                                        "clock_mhz",     "unified_memory", "max_work_group", "capabilities"};
const auto& environment_keys =
    *new std::vector<std::string>{"processor", "threads", "memory",   "system", "engine",        "revision",
                                  "compiler",  "build",   "governor", "load",   "nvidia_driver", "note"};
const auto& session_keys = *new std::vector<std::string>{"rates", "probed", "problems", "budget"};
const auto& row_keys = *new std::vector<std::string>{
    "id",      "case",      "grid",   "variables",   "way",       "device",    "session", "outcome",    "reason",      "work",
    "variant", "steps",     "policy", "policy_from", "reference", "agreement", "hashes",  "records",    "evaluations", "memory",
    "compile", "sustained", "energy", "samples",     "clocks",    "history",   "run_s",   "expected_s", "note"};

Json only(const Json& object, const std::vector<std::string>& keys) {
    Json kept = Json::object();
    for (const std::string& key : keys) {
        if (object.contains(key)) kept[key] = object[key];
    }
    return kept;
}

/// What a name in a path may begin with: letters of any language, hidden files' dots.
bool begins_name(char c) { return host::is_word(c) || c == '.' || c == '-' || static_cast<unsigned char>(c) >= 0x80; }

bool path_begins_at(const std::string& text, std::size_t at) {
    if (at > 0 && host::is_word(text[at - 1])) return false;   // a single "/" divides words, as in "GB/s"
    const auto next = [&](std::size_t i) { return at + i < text.size() ? text[at + i] : ' '; };
    const bool drive = host::is_letter(text[at]) && next(1) == ':' && (next(2) == '\\' || next(2) == '/');
    return drive || (text[at] == '/' && begins_name(next(1))) || (text[at] == '\\' && next(1) == '\\' && begins_name(next(2)));
}

/// Where it ends: with its quotation mark, or with the last word that is part of it, for names may have blanks in them. A word
/// behind a blank is where it divides folders, or has a file's ending.
std::size_t path_end(const std::string& text, std::size_t at) {
    const char before = at > 0 ? text[at - 1] : ' ';
    if (before == '"' || before == '\'') return std::min(text.find(before, at), text.size());
    const auto word_end = [&](std::size_t from) { return std::min(text.find_first_of(" \"',;", from), text.size()); };
    std::size_t end = word_end(at);
    while (end < text.size() && text[end] == ' ') {
        const std::size_t last = word_end(end + 1);
        const std::string word = text.substr(end + 1, last - end - 1);
        const std::size_t dot = word.rfind('.');
        const bool is_file = dot != std::string::npos && dot > 0 && dot + 1 < word.size() && host::is_letter(word[dot + 1]);
        if (!is_file && word.find_first_of("/\\") == std::string::npos) break;
        end = last;
    }
    return end;
}

/// "/home/ada/x.tif" and "C:\\Users\\ada" -> "(a path)".
std::string without_paths(const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        if (!path_begins_at(text, at)) {
            result += text[at++];
            continue;
        }
        at = path_end(text, at);
        result += "(a path)";
    }
    return result;
}

/// Whole words only: a user may be called "al".
std::string without_names(std::string text, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (name.size() < 3 || name == "root") continue;
        for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
            const bool whole =
                (at == 0 || !host::is_word(text[at - 1])) && (at + name.size() == text.size() || !host::is_word(text[at + name.size()]));
            if (whole) text.replace(at, name.size(), "(a name)");
        }
    }
    return text;
}

/// Every text in it, keys of objects as well.
Json cleaned(const Json& json, const std::vector<std::string>& names) {
    if (json.is_string()) return without_names(without_paths(json.get<std::string>()), names);
    Json result = json.is_object() ? Json::object() : json.is_array() ? Json::array() : json;
    if (json.is_object())
        for (const auto& [key, value] : json.items()) result[without_names(key, names)] = cleaned(value, names);
    if (json.is_array())
        for (const Json& value : json) result.push_back(cleaned(value, names));
    return result;
}

bool is_file(const Json& input) { return input.is_string() || !(input.contains("make") || input.contains("run")); }
/// "data:brain.nii" of a study says where its data are; any other name is somebody's.
bool is_public(const Json& input) { return input.is_string() && input.get_ref<const std::string&>().starts_with("data:"); }

/// Names of files go; whether the study had some is told.
bool hide_files(Json& study) {
    bool hidden = false;
    int count = 0;
    for (Json& one : study["cases"]) {
        if (!one.contains("inputs") || !one["inputs"].is_object()) continue;
        for (auto& [name, input] : one["inputs"].items()) {
            if (!is_file(input)) continue;
            hidden = true;
            if (!is_public(input)) input = fmt::format("data:file-{}", ++count);
        }
    }
    return hidden;
}

}  // namespace

Json contribution_of(const Json& report, const std::vector<std::string>& private_names) {
    Json given{{"parallax_comparison", 1}, {"study", report["study"]}, {"quick", report.value("quick", false)}};
    const bool of_files = hide_files(given["study"]);
    if (of_files && given["study"]["cases"].size() == 1 && given["study"]["cases"][0]["id"] == "job")
        given["study"]["title"] = "A job on every device";   // its comment is somebody's
    given["devices"] = given["sessions"] = given["rows"] = Json::array();
    for (const Json& device : report["devices"]) {
        given["devices"].push_back({{"label", device["label"]}, {"info", only(device["info"], device_keys)}});
        if (device.contains("machine")) given["devices"].back()["machine"] = device["machine"];
    }
    for (const Json& session : report["sessions"]) {
        Json kept = only(session, session_keys);
        if (session.contains("started") && session["started"].is_string())
            kept["started"] = session["started"].get<std::string>().substr(0, 10);
        kept["environment"] = only(session.value("environment", Json::object()), environment_keys);
        given["sessions"].push_back(std::move(kept));
    }
    for (const Json& row : report["rows"]) {
        Json kept = only(row, row_keys);
        if (of_files)
            for (const char* key : {"hashes", "records", "evaluations"}) kept.erase(key);
        given["rows"].push_back(std::move(kept));
    }
    return cleaned(given, private_names);
}

void check_contribution(const fs::path& file, bool overwrite, FilesOfRun& read, const fs::path& folder, const std::string& advice) {
    const std::string own = "a file of its own";
    if (const auto found = read.at(file))
        throw ConfigError("--contribute", fmt::format("{}, {}", to_utf8(file), found->in_words()), own);
    std::vector<fs::path> names = report_names();
    for (const char* name : {"journal.jsonl", "logs"}) names.emplace_back(name);
    for (const fs::path& name : names) {
        if (io::lead_to_one(folder / name, file))
            throw ConfigError("--contribute", fmt::format("{}, which is the report's own {}", to_utf8(file), to_utf8(name)), own);
    }
    std::error_code unknown;
    // Where "out/../x" will lead, once there is a folder "out".
    const fs::path place = fs::weakly_canonical(fs::absolute(file), unknown);
    if (io::lies_in(place, fs::weakly_canonical(fs::absolute(folder / "logs"), unknown)))
        throw ConfigError("--contribute", fmt::format("{}, which lies among the report's logs", to_utf8(file)), own);
    if ((fs::exists(file, unknown) || fs::exists(place, unknown)) && !overwrite)
        throw ConfigError("--contribute", fmt::format("the existing file {}", to_utf8(file)), "a file that is not there yet", advice);
    io::check_target(file, overwrite);
}

void write_contribution(const Json& report, const fs::path& file, bool overwrite) {
    if (fs::exists(file) && !overwrite)
        throw ConfigError("--contribute", fmt::format("the existing file {}", to_utf8(file)), "a file that is not there yet",
                          "use --overwrite to replace it");
    const std::string text =
        contribution_of(report, host::platform::private_names()).dump(-1, ' ', false, Json::error_handler_t::replace);
    if (file.extension() != ".gz") return io::write_text(file, text, overwrite);
    io::write_atomically(file, overwrite, [&](const fs::path& temporary) {
        io::GzWriter packed(temporary);
        packed.write(text.data(), text.size());
        packed.close();
    });
}

std::string how_to_contribute(const fs::path& file) {
    return fmt::format(
        "{} holds devices, drivers, the processor's name, times and agreement; no name of a machine or a user, no path, no "
        "serial number and no "
        "image. Look at it before you give it away. To offer it, put it into results/MACHINE/STUDY/report.json.gz of the "
        "repository, with a line in "
        "results/README.md, and open a pull request; or attach it to an issue.",
        to_utf8(file));
}

}  // namespace parallax::engine::compare
