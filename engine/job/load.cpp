#include "job/load.hpp"

#include "io/file.hpp"
#include "io/known_status.hpp"
#include "job/json_advice.hpp"
#include "job/keys.hpp"
#include "job/paths.hpp"
#include "support/json_outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

namespace parallax::engine {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_depth = 64;
constexpr std::uintmax_t max_bytes = 64u << 20;
constexpr std::size_t max_members = 10000;   // looking one up takes as long as there are members
constexpr std::size_t max_values = 2'000'000;   // each takes up to 170 bytes
constexpr std::size_t max_blanks = 1u << 20;    // in a row: the parser's words for an error behind them have all of them, eight bytes each

std::string place_of(const std::string& text, std::size_t byte) {
    std::size_t line = 1, column = 1;
    for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
        ++column;
        if (text[i] == '\n') {
            ++line;
            column = 1;
        }
    }
    return fmt::format("line {}, column {}", line, column);
}

bool has_blanks(std::string_view text, std::size_t count) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    return std::search_n(text.begin(), text.end(), count, true, [&](char c, bool) { return is_blank(c); }) != text.end();
}

/// nlohmann keeps the last of two equal keys without a word; a person who wrote both meant something else.
void check_outline(const std::string& text, const std::string& origin) {
    if (has_blanks(text, max_blanks + 1))
        throw ConfigError("", fmt::format("{}: more than {} blanks in a row", origin, max_blanks), "JSON with fewer");
    const auto fault = fault_of(text, {.levels = max_depth, .members = max_members, .values = max_values, .keys_once = true});
    if (!fault) return;
    if (fault->excess == JsonExcess::values)
        throw ConfigError("", fmt::format("{}: more than {} values", origin, max_values),
                          fmt::format("at most {}, lists and objects counted", max_values));
    if (fault->excess == JsonExcess::levels)
        throw ConfigError("", origin + ": values nested too deep", fmt::format("at most {} levels", max_depth));
    if (fault->excess == JsonExcess::members)
        throw ConfigError("", fmt::format("{}: an object of more than {} members", origin, max_members),
                          fmt::format("at most {} in one object", max_members));
    throw ConfigError("", fmt::format("{}: the key \"{}\" twice in one object", origin, fault->key), "each key once",
                      "remove one of the two");
}

std::string unpacked(const fs::path& path, const std::string& name) {
    io::GzReader file(path);
    std::string text;
    for (std::size_t part = 1u << 20, got = part; got == part;) {
        const std::size_t before = text.size();
        text.resize(before + part);
        got = file.read_some(text.data() + before, part);
        text.resize(before + got);
        if (text.size() > max_bytes)
            throw ConfigError("", fmt::format("more than {} bytes in {}", max_bytes, name), "a JSON file of at most 64 MiB");
    }
    file.verify_to_end(0);   // all is read: its checksum
    return text;
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
    return parts;
}

std::pair<std::string, std::string> name_and_value(const std::string& setting, const std::string& option,
                                                   const std::string& form) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw ConfigError(option, fmt::format("\"{}\"", setting), form);
    }
    return {setting.substr(0, equals), setting.substr(equals + 1)};
}

/// What --set gives a key: JSON, as strict as a job's, and else the text as it is.
Json value_of(const std::string& text, const std::string& option) {
    if (!Json::accept(text)) return text;
    try {
        return parse_json(text, "the value");
    } catch (const ConfigError& error) {
        throw ConfigError(option, error.found, error.expected, error.hint);
    }
}

/// Name of a step in a job that may still be wrong anywhere.
std::string id_of(const Json& step) {
    for (const char* key : {"id", "run"}) {
        if (step.is_object() && step.contains(key) && step[key].is_string()) return step[key].get<std::string>();
    }
    return {};
}

const Algorithm* algorithm_of(const Json& step, const std::vector<Algorithm>& algorithms) {
    if (!step.is_object() || !step.contains("run")) return nullptr;
    for (const Algorithm& algorithm : algorithms) {
        if (step["run"] == algorithm.name) return &algorithm;
    }
    return nullptr;
}

/// For a --set that names no step, or none that there is.
std::string advice_on_setting(const Json& job, const std::vector<std::string>& parts, const std::string& value,
                              const std::vector<Algorithm>& algorithms, const std::vector<std::string>& known) {
    if (parts[0] == "device") return fmt::format("--device {} says that", value);
    if (parts[0] == "inputs" || parts[0] == "input")
        return fmt::format("--in {}={} says that", parts.size() > 1 ? parts[1] : "NAME", value);
    if (parts[0] == "outputs" || parts[0] == "output" || parts[0] == "out")
        return "--out DIR says where outputs go; their names stand in the job";
    if (const std::string near = did_you_mean(parts[0], known); !near.empty()) return near;
    if (!job.is_object() || !job.contains("steps") || !job["steps"].is_array()) return {};
    for (std::size_t i = 0; i < job["steps"].size(); ++i) {
        const Json& step = job["steps"][i];
        const Algorithm* const algorithm = algorithm_of(step, algorithms);
        if (!algorithm) continue;
        const bool by_key = parts.size() == 1 && algorithm->parameters.find(parts[0]);
        const bool by_algorithm = parts.size() > 1 && parts[0] == algorithm->name;
        const bool by_place = parts.size() > 2 && parts[0] == "steps" && parts[1] == std::to_string(i);
        if (!by_key && !by_algorithm && !by_place) continue;
        const std::vector<std::string> rest(parts.begin() + (by_key ? 0 : by_algorithm ? 1 : 2), parts.end());
        return fmt::format("--set {}.{}={}", id_of(step), fmt::join(rest, "."), value);
    }
    return {};
}

}  // namespace

Json parse_json(const std::string& text, const std::string& origin) {
    check_outline(text, origin);
    try {
        Json json = Json::parse(text);
        if (const std::size_t end = text.find('\0'); end != std::string::npos)   // where nlohmann stops reading
            throw ConfigError("", fmt::format("no JSON in {}, {}: a byte 0 behind the value", origin, place_of(text, end + 1)),
                              "one value, and nothing behind it");
        return json;
    } catch (const Json::parse_error& error) {
        const JsonAdvice advice = advice_on_json(text, error.byte);
        throw ConfigError("", fmt::format("no JSON in {}, {}: {}", origin, place_of(text, error.byte), advice.found),
                          advice.expected, advice.hint);
    } catch (const Json::exception& error) {   // "... number overflow parsing '1e999'"
        const std::string_view what = error.what();
        const std::size_t quote = what.find('\'');
        throw ConfigError(
            "", fmt::format("no JSON in {}: the number {}", origin, what.substr(quote == what.npos ? what.size() : quote)),
            "a number of at most 1.8e308");
    }
}

Json load_json(const fs::path& path) {
    const std::string name = io::show(path);
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (error && !io::leads_nowhere(error) && error != std::errc::permission_denied && error != std::errc::filename_too_long)
        throw IoError(name, "cannot be looked at: " + error.message(), "see whether the disk or the network drive is well");
    if (!fs::exists(status))
        throw ConfigError("", fmt::format("no file {}", name), "a JSON file",
                          path == "-" ? "JSON on standard input is the file /dev/stdin" : near_file(path));
    if (fs::is_directory(status)) throw ConfigError("", fmt::format("the folder {}", name), "a JSON file");
    if (fs::is_regular_file(status)) {
        const std::uintmax_t bytes = fs::file_size(path, error);
        if (!error && bytes > max_bytes)
            throw ConfigError("", fmt::format("{} bytes in {}", bytes, name), "a JSON file of at most 64 MiB");
    }
    if (path.extension() == ".gz") return parse_json(unpacked(path, name), name);
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw ConfigError("",
                          fmt::format("the file {}, which cannot be opened: {}", name, std::generic_category().message(errno)),
                          "a JSON file that may be read");
    std::string text;
    for (std::string part(1u << 20, '\0'); file && text.size() <= max_bytes;) {   // a pipe has no size, a device no end
        file.read(part.data(), static_cast<std::streamsize>(part.size()));
        text.append(part, 0, static_cast<std::size_t>(file.gcount()));
    }
    if (file.bad()) throw IoError(name, "cannot be read to its end", "see whether the disk or the network drive is well");
    if (text.size() > max_bytes)
        throw ConfigError("", fmt::format("more than {} bytes in {}", max_bytes, name), "a JSON file of at most 64 MiB");
    return parse_json(text, name);
}

Json without_comments(const Json& json) {
    if (json.is_array()) {
        Json list = Json::array();
        for (const Json& element : json) list.push_back(without_comments(element));
        return list;
    }
    if (!json.is_object()) return json;
    Json object = Json::object();
    for (const auto& [key, value] : json.items()) {
        if (!is_comment(key)) object[key] = without_comments(value);
    }
    return object;
}

std::string apply_setting(Json& job, const std::string& setting, const std::vector<Algorithm>& algorithms) {
    const auto [name, text] = name_and_value(setting, "--set", "step.key=value");
    const std::string option = "--set " + name;
    Json value = value_of(text, option);

    const std::vector<std::string> parts = split(name, '.');
    if (parts.size() == 1) {
        static const auto& settable =
            *new std::vector<std::string>{"non_finite", "memory_limit", "retry", "step_timeout_s", "comment"};
        if (std::find(settable.begin(), settable.end(), parts[0]) == settable.end()) {
            throw ConfigError(option, fmt::format("\"{}\"", parts[0]),
                              "step.key=value, or one of " + fmt::format("{}", fmt::join(settable, " | ")),
                              advice_on_setting(job, parts, text, algorithms, settable));
        }
        job[parts[0]] = std::move(value);
        return name;
    }

    std::vector<std::string> ids;
    Json* step = nullptr;
    if (job.is_object() && job.contains("steps") && job["steps"].is_array()) {
        for (Json& candidate : job["steps"]) {
            ids.push_back(id_of(candidate));
            if (ids.back() == parts[0]) step = &candidate;
        }
    }
    if (!step) {
        throw ConfigError(option, fmt::format("the unknown step \"{}\"", parts[0]),
                          fmt::format("one of the steps {}", fmt::join(ids, ", ")),
                          advice_on_setting(job, parts, text, algorithms, ids));
    }
    const std::string& key = parts[1];
    std::string quantity = name;
    if (const Algorithm* algorithm = algorithm_of(*step, algorithms)) {
        const ParameterField* field = algorithm->parameters.find(key);
        if (!field && std::find(step_keys.begin(), step_keys.end(), key) == step_keys.end()) {
            try {
                algorithm->parameters.parse(Json{{key, value}}, "", step_keys);   // it knows best what to say
            } catch (const ConfigError& error) {
                throw ConfigError(option, error.found, error.expected, error.hint);
            }
        }
        if (field) {
            for (const std::string& other : field->keys) {
                if (other != key) step->erase(other);
            }
            if (parts.size() == 2) quantity = parts[0] + "." + field->name;
        }
    }
    Json* target = step;
    for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
        target = &(*target)[parts[i]];
        if (!target->is_object()) *target = Json::object();   // a null or a word such as "auto" gives way to an object
    }
    (*target)[parts.back()] = std::move(value);
    return quantity;
}

void apply_input(Json& job, const std::string& setting, const std::vector<Algorithm>& algorithms) {
    const auto both = name_and_value(setting, "--in", "name=file");
    const std::string &name = both.first, &file = both.second;
    if (!job.is_object()) return;   // parse_job() has the words for it
    std::vector<std::string> known;
    if (job.contains("inputs") && job["inputs"].is_object()) {
        for (const auto& [key, value] : job["inputs"].items()) known.push_back(key);
    }
    const auto is_known = [&] { return std::find(known.begin(), known.end(), name) != known.end(); };
    const bool replaces = is_known();
    if (job.contains("steps") && job["steps"].is_array()) {
        for (const Json& step : job["steps"]) {
            if (const Algorithm* algorithm = algorithm_of(step, algorithms)) {
                for (const Port& port : algorithm->inputs) {
                    if (std::find(known.begin(), known.end(), port.name) == known.end()) known.push_back(port.name);
                }
            }
        }
    }
    if (!is_known()) {
        throw ConfigError("--in " + name, fmt::format("the unknown input \"{}\"", name),
                          fmt::format("one of {}", fmt::join(known, ", ")), did_you_mean(name, known));
    }
    if (file.empty()) throw ConfigError("--in " + name, "an empty path", "the path of a file");
    // Roots ("data:a.tif") stay as they are; anything else is relative to the current folder.
    const fs::path path = path_from(file);
    const bool rooted = file.find(':') != std::string::npos && file.find(':') > 1 && !fs::exists(path);
    const std::string text = rooted ? file : to_utf8(whole_path(path));
    Json& input = job["inputs"][name];
    if (replaces && input.is_object()) {
        for (const char* key : {"file", "files", "combine"}) input.erase(key);
        input["file"] = text;
    } else {
        input = text;
    }
}

}  // namespace parallax::engine
