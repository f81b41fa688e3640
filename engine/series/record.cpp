#include "series/record.hpp"

#include "io/io.hpp"
#include "support/json_outline.hpp"
#include "support/octets.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace parallax::engine::series {

namespace {

constexpr std::size_t checksum_length = 16;
constexpr std::int64_t last_sequence = std::int64_t{1} << 62;   // room for what is recorded later

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

Word word_of(const Json& json, const std::string& kind) {
    Word word{kind, {}, sequence_of(json)};
    for (const Json& file : json.at(kind)) word.files.push_back(path_in_record(file));
    return word;
}

}  // namespace

std::string folder_in_record(const Json& json) { return json.contains("manifest") ? path_in_record(json.at("manifest")) : std::string(); }

Json to_json(const Record& record) {
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

}  // namespace parallax::engine::series
