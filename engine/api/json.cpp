// JSON of parameter structs. Numbers are written so that they read back as the same ones.
#include "parallax/held.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/json.hpp"
#include "parallax/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace parallax::detail {

namespace {

/// `pointer` is made when the number is refused.
template <class... Parts>
Json finite(double number, fmt::format_string<Parts...> pointer, Parts&&... parts) {
    if (std::isfinite(number)) return number;
    throw ConfigError(fmt::format(pointer, std::forward<Parts>(parts)...), std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf",
                      "a finite number", "leave it out for its default");
}

}   // namespace

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

void JsonObject::add_object(std::string_view key, const std::function<std::string()>& json) {
    try {
        add_text(key, json());
    } catch (const ConfigError& error) {
        throw ConfigError(fmt::format("/{}{}", key, error.pointer), error.found, error.expected, error.hint);
    }
}

void JsonObject::add(std::string_view key, double value) { add_text(key, finite(value, "/{}", key).dump()); }
void JsonObject::add(std::string_view key, int value) { add_text(key, Json(value).dump()); }
void JsonObject::add(std::string_view key, bool value) { add_text(key, value ? "true" : "false"); }
void JsonObject::add(std::string_view key, std::string_view text) {
    add_text(key, Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}
void JsonObject::add(std::string_view key, Pair pair) {
    add_text(key, Json{finite(pair.x, "/{}/0", key), finite(pair.y, "/{}/1", key)}.dump());
}
void JsonObject::add(std::string_view key, const Sweep& sweep) {
    if (sweep.step != 0 && sweep.values.size() == 2) {
        add_text(key, Json{{"from", finite(sweep.values[0], "/{}/from", key)},
                           {"to", finite(sweep.values[1], "/{}/to", key)},
                           {"step", finite(sweep.step, "/{}/step", key)}}.dump());
    } else if (sweep.values.size() == 1) {
        add(key, sweep.values[0]);
    } else {
        Json list = Json::array();
        for (const double value : sweep.values) list.push_back(finite(value, "/{}/{}", key, list.size()));
        add_text(key, list.dump());
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
