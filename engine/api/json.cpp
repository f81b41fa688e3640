// JSON of parameter structs. Numbers are written so that they read back as the same ones.
#include "parallax/held.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/json.hpp"
#include "parallax/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace parallax::detail {

void used_after_move() { throw ConfigError("", "an object that was moved from", "the object that it was moved to"); }

const char* word(std::span<const char* const> words, int value) {
    if (value >= 0 && static_cast<std::size_t>(value) < words.size()) return words[static_cast<std::size_t>(value)];
    throw ConfigError("", fmt::format("the number {} for a choice", value), fmt::format("one of {}", fmt::join(words, ", ")));
}

void JsonObject::add_text(std::string_view key, std::string_view json) {
    text_ += text_.empty() ? "{" : ", ";
    text_ += Json(key).dump();
    text_ += ": ";
    text_ += json;
}

void JsonObject::add(std::string_view key, double value) { add_text(key, Json(value).dump()); }
void JsonObject::add(std::string_view key, int value) { add_text(key, Json(value).dump()); }
void JsonObject::add(std::string_view key, bool value) { add_text(key, value ? "true" : "false"); }
void JsonObject::add(std::string_view key, std::string_view text) {
    add_text(key, Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}
void JsonObject::add(std::string_view key, Pair pair) { add_text(key, Json{pair.x, pair.y}.dump()); }
void JsonObject::add(std::string_view key, const Sweep& sweep) {
    if (sweep.step != 0 && sweep.values.size() == 2) {
        add_text(key, Json{{"from", sweep.values[0]}, {"to", sweep.values[1]}, {"step", sweep.step}}.dump());
    } else if (sweep.values.size() == 1) {
        add(key, sweep.values[0]);
    } else {
        add_text(key, Json(sweep.values).dump());
    }
}
void JsonObject::add(std::string_view key, const std::vector<Label>& labels) {
    const bool named = std::any_of(labels.begin(), labels.end(), [](const Label& label) { return !label.name.empty(); });
    Json json = labels.empty() ? Json(nullptr) : named ? Json::object() : Json::array();
    for (const Label& label : labels) {
        if (named) json[std::to_string(label.value)] = label.name;
        else json.push_back(label.value);
    }
    add_text(key, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}
void JsonObject::add(std::string_view key, const std::vector<int>& list) {
    add_text(key, list.empty() ? "null" : Json(list).dump());
}

}  // namespace parallax::detail
