#include "support/json_reader.hpp"

#include "support/given_path.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace parallax {

namespace {

/// 4.0 and 1e3 are integers, too.
bool is_whole(const Json& value) {
    return value.is_number_integer() || (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>() &&
                                         std::isfinite(value.get<double>()));
}

}  // namespace

void JsonValue::refuse(const std::string& expected, const std::string& hint) const {
    throw ConfigError(pointer_, describe(*value_), expected, hint);
}

std::string JsonValue::text(const std::string& expected) const {
    if (!value_->is_string() || value_->get_ref<const std::string&>().empty()) refuse(expected);
    return value_->get<std::string>();
}

std::string JsonValue::word(const std::vector<std::string>& words) const {
    std::string given = value_->is_string() ? value_->get<std::string>() : std::string();
    if (!value_->is_string() || std::find(words.begin(), words.end(), given) == words.end())
        refuse("one of " + parallax::list(words), value_->is_string() ? did_you_mean(given, words) : std::string());
    return given;
}

bool JsonValue::flag() const {
    if (!value_->is_boolean()) refuse("true or false");
    return value_->get<bool>();
}

std::int64_t JsonValue::count(std::int64_t least) const {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    if (!is_whole(*value_)) refuse(fmt::format("an integer of at least {}", least));
    if (value_->get<double>() > static_cast<double>(most)) refuse(fmt::format("an integer from {} to {}", least, most));
    if (value_->get<double>() < -static_cast<double>(most) || value_->get<std::int64_t>() < least)
        refuse(fmt::format("an integer of at least {}", least));
    return value_->get<std::int64_t>();
}

int JsonValue::integer(int least, int most) const {
    if (!is_whole(*value_) || value_->get<double>() < least || value_->get<double>() > most)
        refuse(fmt::format("an integer from {} to {}", least, most));
    return value_->get<int>();
}

double JsonValue::number(double least, double most) const {
    if (!value_->is_number() || !(value_->get<double>() >= least && value_->get<double>() <= most))
        refuse(fmt::format("a number from {:g} to {:g}", least, most));
    return value_->get<double>();
}

std::string JsonValue::path() const {
    constexpr std::size_t most = 4096;
    const std::string given = text("the path of a file");
    if (given.size() > most)
        throw ConfigError(pointer_, fmt::format("a path of {} bytes", given.size()), fmt::format("at most {} bytes", most));
    return host::check_path(given, pointer_);
}

std::vector<std::string> JsonValue::paths() const {
    if (value_->is_string()) return {path()};
    const char* const expected = "a path, a pattern such as \"bg/*.tif\", or a list of them";
    std::vector<std::string> all;
    for (const JsonValue& one : list(expected)) all.push_back(one.path());
    if (all.empty()) refuse(expected);
    return all;
}

std::string JsonValue::name(const std::string& expected) const { return check_name(text(expected), pointer_); }

std::vector<JsonValue> JsonValue::list(const std::string& expected) const {
    if (!value_->is_array()) refuse(expected);
    std::vector<JsonValue> elements;
    for (std::size_t i = 0; i < value_->size(); ++i) elements.emplace_back((*value_)[i], pointer_to(pointer_, i));
    return elements;
}

std::vector<JsonValue> JsonValue::list_of(std::size_t count, const std::string& expected) const {
    if (!value_->is_array() || value_->size() != count) refuse(expected);
    return list(expected);
}

bool is_name(std::string_view text) noexcept {
    const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
    const auto inside = [letter](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; };
    return !text.empty() && letter(text.front()) && std::all_of(text.begin(), text.end(), inside);
}

std::string check_name(const std::string& name, const std::string& pointer) {
    constexpr std::size_t most = 100;
    if (name.size() > most)
        throw ConfigError(pointer, fmt::format("a name of {} characters", name.size()),
                          fmt::format("at most {} characters", most));
    if (!is_name(name))
        throw ConfigError(pointer, fmt::format("the name \"{}\"", name), "a letter, then letters, digits, _ and -");
    return name;
}

JsonObject::JsonObject(const JsonValue& value, const std::string& expected) : value_(value) {
    if (!value.json().is_object()) value.refuse(expected);
}

JsonObject::JsonObject(const JsonValue& value, const std::string& expected, const std::vector<std::string>& known)
    : JsonObject(value, expected) {
    for (const auto& [key, ignored] : json().items())
        if (!is_comment(key) && std::find(known.begin(), known.end(), key) == known.end()) refuse_key(key, known);
}

void JsonObject::refuse_key(const std::string& key, const std::vector<std::string>& known) const {
    std::string hint = did_you_mean(key, known);
    if (std::find(known.begin(), known.end(), key + "_um") != known.end())
        hint = fmt::format("a length carries its unit in its key, for instance \"{}_um\"", key);
    throw ConfigError(pointer(key), fmt::format("the unknown key \"{}\"", key), "one of " + parallax::list(known),
                      std::move(hint));
}

bool JsonObject::has(const std::string& key) const {
    const auto found = json().find(key);
    return found != json().end() && !found->is_null();
}

JsonValue JsonObject::at(const std::string& key) const {
    const auto found = json().find(key);
    if (found == json().end())
        throw ConfigError(pointer(), fmt::format("no \"{}\"", key), fmt::format("\"{}\" beside the others", key));
    return {*found, pointer(key)};
}

std::vector<std::pair<std::string, JsonValue>> JsonObject::members() const {
    std::vector<std::pair<std::string, JsonValue>> all;
    for (const auto& [key, value] : json().items())
        if (!is_comment(key)) all.emplace_back(key, JsonValue(value, pointer(key)));
    return all;
}

std::string JsonObject::text(const std::string& key) const {
    if (!has(key)) throw ConfigError(pointer(), fmt::format("no \"{}\"", key), fmt::format("\"{}\": a text", key));
    return at(key).text();
}

std::string JsonObject::word(const std::string& key, const std::vector<std::string>& words, const std::string& otherwise) const {
    return has(key) ? at(key).word(words) : otherwise;
}

std::vector<std::string> JsonObject::texts(const std::string& key) const {
    if (!has(key)) return {};
    const JsonValue value = at(key);
    if (value.json().is_string()) return {value.text()};
    std::vector<std::string> all;
    for (const JsonValue& one : value.list("a text, or a list of texts")) {
        if (!one.json().is_string()) one.refuse("a text");
        all.push_back(one.json().get<std::string>());
    }
    return all;
}

const Json& JsonObject::object(const std::string& key) const {
    static const Json& none = *new Json(Json::object());   // to the end: objects may read after main()
    if (!has(key)) return none;
    if (!at(key).json().is_object()) at(key).refuse("an object");
    return json()[key];
}

const Json& JsonObject::list(const std::string& key) const {
    static const Json& none = *new Json(Json::array());
    if (!has(key)) return none;
    if (!at(key).json().is_array()) at(key).refuse("a list");
    return json()[key];
}

}  // namespace parallax
