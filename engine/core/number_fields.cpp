#include "core/number_fields.hpp"

#include "core/plain_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace parallax::engine {
namespace {

/// 1.0 and 1e3 are integers, too.
std::optional<Number> whole(const Json& value) {
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        return number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                   ? Number(static_cast<std::int64_t>(number))
                   : Number(number);
    }
    if (value.is_number_integer()) return Number(value.get<std::int64_t>());
    if (!value.is_number_float()) return std::nullopt;
    const double number = value.get<double>();
    if (number != std::floor(number) || number < -0x1p63 || number >= 0x1p64) return std::nullopt;
    return number < 0x1p63 ? Number(static_cast<std::int64_t>(number)) : Number(static_cast<std::uint64_t>(number));
}

/// The integer that a key spells, sign and digits alone.
std::optional<Number> spelled(const std::string& key) {
    const char *first = key.data(), *end = first + key.size();
    std::int64_t number = 0;
    if (const auto read = std::from_chars(first, end, number); read.ec == std::errc() && read.ptr == end) return Number(number);
    std::uint64_t large = 0;
    if (const auto read = std::from_chars(first, end, large); read.ec == std::errc() && read.ptr == end) return Number(large);
    return std::nullopt;
}

}  // namespace

double to_double(const Number& number) noexcept {
    return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

Json to_json(const Number& number) {
    return std::visit([](auto value) { return Json(value); }, number);
}

Number read_exact_number(const Json& value, const std::string& pointer) {
    const bool integer = value.is_number_integer();   // of either sign
    if (!integer && (!value.is_number() || !std::isfinite(value.get<double>())))
        throw ConfigError(pointer, describe(value), "a number");
    return integer ? *whole(value) : Number(value.get<double>());
}

std::vector<Label> read_labels(const Json& value, std::size_t most, const std::string& pointer) {
    if (value.is_null()) return {};
    const auto integer = [](const Json& one, const std::string& here) {
        if (const std::optional<Number> number = whole(one)) return Label{*number, {}};
        throw ConfigError(here, describe(one), "an integer from -2^63 to 2^64 - 1");
    };
    if (value.is_number()) return {integer(value, pointer)};
    const std::string expected =
        fmt::format("an integer, a list of up to {}, or names by integer such as {{\"3\": \"thalamus\"}}", most);
    if (!value.is_structured() || value.empty() || value.size() > most) throw ConfigError(pointer, describe(value), expected);
    std::vector<Label> labels;
    if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) labels.push_back(integer(value[i], pointer_to(pointer, i)));
        return labels;
    }
    for (const auto& [key, name] : value.items()) {
        if (is_comment(key)) continue;
        const std::string here = pointer_to(pointer, key);
        const std::optional<Number> number = spelled(key);
        if (!number)
            throw ConfigError(here, fmt::format("the key \"{}\"", key), "an integer, whose name follows",
                              "names by integer are such as {\"3\": \"thalamus\"}");
        if (!name.is_string()) throw ConfigError(here, describe(name), "a name");
        labels.push_back({*number, name.get<std::string>()});
    }
    if (labels.empty()) throw ConfigError(pointer, describe(value), expected);
    std::vector<Number> values;   // "7" and "07" are one
    for (const Label& label : labels) values.push_back(label.value);
    std::sort(values.begin(), values.end());
    const auto twice = std::adjacent_find(values.begin(), values.end());
    if (twice != values.end()) throw ConfigError(pointer, fmt::format("two names for {}", to_json(*twice).dump()), "one");
    return labels;
}

Json write_labels(const std::vector<Label>& labels) {
    if (labels.empty()) return nullptr;
    if (std::any_of(labels.begin(), labels.end(), [](const Label& label) { return !label.name.empty(); })) {
        Json names = Json::object();
        for (const Label& label : labels) names[to_json(label.value).dump()] = label.name;
        return names;
    }
    if (labels.size() == 1) return to_json(labels.front().value);
    Json list = Json::array();
    for (const Label& label : labels) list.push_back(to_json(label.value));
    return list;
}

ParameterField exact_number_field(std::string name, std::string doc) {
    return detail::plain_field(std::move(name), "number", {{"type", "number"}}, std::move(doc));
}

ParameterField optional_number_field(std::string name, std::string doc) {
    return detail::plain_field(std::move(name), "number, or null",
                               {{"anyOf", Json::array({Json{{"type", "number"}}, Json{{"type", "null"}}})}}, std::move(doc));
}

ParameterField labels_field(std::string name, std::size_t most, std::string doc) {
    const Json integer{{"type", "integer"}};
    const Json list{{"type", "array"}, {"items", integer}, {"minItems", 1}, {"maxItems", most}};
    const Json names{{"type", "object"},
                     {"patternProperties", {{"^-?[0-9]+$", {{"type", "string"}}}, {"^//", true}}},
                     {"minProperties", 1},
                     {"additionalProperties", false}};
    return detail::plain_field(std::move(name), fmt::format("integer, a list of up to {}, names by integer, or null", most),
                       {{"anyOf", Json::array({integer, list, names, Json{{"type", "null"}}})}}, std::move(doc));
}

}  // namespace parallax::engine
