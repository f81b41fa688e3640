// Kinds of parameter fields: what each admits, how it is read and how it is written.
#include "core/plain_field.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <string_view>

namespace parallax::engine::detail {

namespace {

struct Unit {
    const char* name;
    double per_metre;   // a whole number, so that value / per_metre is correctly rounded
};
constexpr std::array<Unit, 5> units{{{"nm", 1e9}, {"um", 1e6}, {"mm", 1e3}, {"cm", 1e2}, {"m", 1}}};

double per_metre(const std::string& unit) {
    for (const Unit& u : units) {
        if (unit == u.name) return u.per_metre;
    }
    throw std::logic_error("no unit of length is called \"" + unit + "\"");
}

std::string unit_of_key(const std::string& key) { return key.substr(key.rfind('_') + 1); }

/// "above 0 and at most 64", empty without bounds. `factor` turns the rule's numbers into those of the key.
std::string bounds(const NumberRule& rule, double factor = 1, const std::string& unit = {}) {
    const std::string suffix = unit.empty() ? "" : ' ' + unit;
    const auto text = [&](double value) {
        const double scaled = value * factor, whole = std::round(scaled);
        const bool plain = std::abs(scaled - whole) <= 1e-9 * std::abs(whole) && std::abs(whole) < 1e15;   // 1000000, not 1e+06
        return (plain ? fmt::format("{:.0f}", whole) : fmt::format("{:g}", scaled)) + (whole == 0 && plain ? "" : suffix);
    };
    if (std::isfinite(rule.min) && std::isfinite(rule.max)) return fmt::format("{} to {}", text(rule.min), text(rule.max));
    std::vector<std::string> parts;
    if (std::isfinite(rule.min)) parts.push_back("at least " + text(rule.min));
    if (std::isfinite(rule.above)) parts.push_back("above " + text(rule.above));
    if (std::isfinite(rule.max)) parts.push_back("at most " + text(rule.max));
    if (std::isfinite(rule.below)) parts.push_back("below " + text(rule.below));
    return fmt::format("{}", fmt::join(parts, " and "));
}

bool admits(const NumberRule& rule, double value) {
    return std::isfinite(value) && value >= rule.min && value <= rule.max && value > rule.above && value < rule.below;
}

/// For a number that is written as a text: "532", "532 nm".
std::string unquoted(const Json& value) {
    if (!value.is_string()) return {};
    const std::string& text = value.get_ref<const std::string&>();
    const auto found = host::leading_number(text);
    if (!found || !std::isfinite(found->number)) return {};
    const std::string_view rest = std::string_view(text).substr(found->used);   // "0x1B", "1d5", "1_000": a number that JSON has not
    if (rest.size() > 1 && (host::lower(rest[0]) == 'x' || host::is_digit(rest[1]))) return {};
    const std::string written = text.substr(0, found->used),
                      right = Json::accept(written) ? written : Json(found->number).dump();   // ".6": 0.6
    return found->used < text.size() ? fmt::format("write the number alone, without quotes: {}", right)
           : written == right        ? fmt::format("write it without quotes: {}", right)
                                     : fmt::format("JSON has it as {}", right);
}

std::string with_bounds(const std::string& what, const std::string& bounds) {
    return bounds.empty() ? what : what + ' ' + bounds;
}

Json number_schema(const char* type, const NumberRule& rule, double factor = 1) {
    Json schema{{"type", type}};
    const auto bound = [&](const char* word, double value) {
        if (!std::isfinite(value)) return;
        const double scaled = value * factor;
        if (scaled == std::floor(scaled) && std::abs(scaled) < 1e15) schema[word] = static_cast<std::int64_t>(scaled);
        else schema[word] = scaled;
    };
    bound("minimum", rule.min);
    bound("exclusiveMinimum", rule.above);
    bound("maximum", rule.max);
    bound("exclusiveMaximum", rule.below);
    return schema;
}

template <class MakeSchema>
ParameterField any_length_field(std::string name, std::string type, const NumberRule& rule, std::string doc,
                                MakeSchema make_schema) {
    per_metre(rule.unit);
    ParameterField field;
    for (const Unit& unit : units) {
        field.keys.push_back(name + '_' + unit.name);
        field.schemas.push_back(make_schema(number_schema("number", rule, unit.per_metre)));
    }
    field.canonical_key = name + '_' + rule.unit;
    field.name = std::move(name);
    field.type = std::move(type);
    field.doc = std::move(doc);
    return field;
}

std::string length_type(const NumberRule& rule) { return with_bounds("length", bounds(rule, per_metre(rule.unit), rule.unit)); }

std::string expected_length(const NumberRule& rule, const std::string& unit) {
    return with_bounds("a length in " + unit, bounds(rule, per_metre(unit)));
}

/// Metres of a finite number in the unit of `key` that the rule admits.
double checked_length(double value, const Json& written, const NumberRule& rule, const std::string& key,
                      const std::string& pointer) {
    const std::string unit = unit_of_key(key);
    const double metres = value / per_metre(unit);
    if (!std::isfinite(value) || !admits(rule, metres))
        throw ConfigError(pointer, describe(written), expected_length(rule, unit));
    constexpr double least = 1e-30, most = 1e30;   // beyond, squares and quotients of lengths are infinite
    if (metres != 0 && !(std::abs(metres) >= least && std::abs(metres) <= most))
        throw ConfigError(pointer, describe(written), "a length from 1e-30 to 1e30 m");
    return metres;
}

LengthSweep expand(const Json& value, const NumberRule& rule, const std::string& key, const std::string& pointer) {
    static const auto& known = *new std::vector<std::string>{"from", "to", "step"};
    std::map<std::string, double> given;
    for (const auto& [name, number] : value.items()) {
        if (is_comment(name)) continue;
        const std::string here = pointer_to(pointer, name);
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            throw ConfigError(here, fmt::format("the unknown key \"{}\"", name), "from, to and step", did_you_mean(name, known));
        }
        if (!number.is_number() || !std::isfinite(number.get<double>())) {
            throw ConfigError(here, describe(number), "a number in " + unit_of_key(key));
        }
        given[name] = number.get<double>();
    }
    for (const std::string& name : known) {
        if (!given.count(name)) {
            throw ConfigError(pointer, fmt::format("a range without \"{}\"", name), "from, to and step",
                              R"(for instance {"from": 800, "to": 1200, "step": 10})");
        }
    }
    const double from = given["from"], to = given["to"], step = given["step"];
    checked_length(from, value["from"], rule, key, pointer_to(pointer, "from"));
    checked_length(to, value["to"], rule, key, pointer_to(pointer, "to"));
    if (from == to) return {{from / per_metre(unit_of_key(key))}};
    if (step == 0 || (to > from) != (step > 0)) {
        throw ConfigError(
            pointer_to(pointer, "step"), describe(value["step"]),
            fmt::format("a step {} 0, as the range goes from {:g} to {:g}", to > from ? "above" : "below", from, to));
    }
    // `to` belongs to the range although steps such as .1 add up to a little less or more.
    const double steps = std::floor((to - from) / step * (1 + 1e-12) + 1e-9);
    if (!(steps < static_cast<double>(max_sweep_values))) {
        throw ConfigError(pointer, fmt::format("a range of {:.0f} values", steps + 1),
                          fmt::format("at most {} values", max_sweep_values), "take a larger step, or a shorter range");
    }
    LengthSweep sweep;
    for (double i = 0; i <= steps; ++i) {
        const double length = std::abs(from + i * step - to) < std::abs(step) * 1e-6 ? to : from + i * step;
        sweep.values.push_back(length / per_metre(unit_of_key(key)));
    }
    return sweep;
}

}  // namespace

ParameterField plain_field(std::string name, std::string type, Json schema, std::string doc) {
    ParameterField field;
    field.keys = {name};
    field.canonical_key = name;
    field.name = std::move(name);
    field.type = std::move(type);
    field.doc = std::move(doc);
    field.schemas = {std::move(schema)};
    return field;
}

double read_number(const Json& value, const NumberRule& rule, const std::string& pointer) {
    if (!value.is_number() || !admits(rule, value.get<double>())) {
        throw ConfigError(pointer, describe(value), with_bounds("a number", bounds(rule)), unquoted(value));
    }
    return value.get<double>();
}

int read_integer(const Json& value, const NumberRule& rule, const std::string& pointer) {
    const double number = value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
    const bool fits =
        number == std::floor(number) && number >= std::numeric_limits<int>::min() && number <= std::numeric_limits<int>::max();
    if (!fits || !admits(rule, number)) {
        NumberRule said = rule;   // a whole number has the bounds of 32 bits where it has none of its own
        if (number == std::floor(number) && !fits) {
            if (!std::isfinite(rule.min)) said.min = std::numeric_limits<int>::min();
            if (!std::isfinite(rule.max)) said.max = std::numeric_limits<int>::max();
        }
        throw ConfigError(pointer, describe(value), with_bounds("an integer", bounds(said)), unquoted(value));
    }
    return static_cast<int>(number);
}

bool read_boolean(const Json& value, const std::string& pointer) {
    if (!value.is_boolean()) throw ConfigError(pointer, describe(value), "true or false");
    return value.get<bool>();
}

std::string read_text(const Json& value, const std::string& pointer) {
    if (!value.is_string()) throw ConfigError(pointer, describe(value), "a string");
    return value.get<std::string>();
}

std::size_t read_choice(const Json& value, const std::vector<std::string>& words, const std::string& pointer) {
    const std::string expected = fmt::format("one of {}", fmt::join(words, " | "));
    if (!value.is_string()) throw ConfigError(pointer, describe(value), expected);
    const auto word = std::find(words.begin(), words.end(), value.get_ref<const std::string&>());
    if (word == words.end()) throw ConfigError(pointer, describe(value), expected, did_you_mean(value.get<std::string>(), words));
    return static_cast<std::size_t>(word - words.begin());
}

double read_length(const Json& value, const NumberRule& rule, const std::string& key, const std::string& pointer) {
    if (!value.is_number()) throw ConfigError(pointer, describe(value), expected_length(rule, unit_of_key(key)), unquoted(value));
    return checked_length(value.get<double>(), value, rule, key, pointer);
}

std::array<double, 2> read_length_pair(const Json& value, const NumberRule& rule, const std::string& key,
                                       const std::string& pointer) {
    if (!value.is_array()) {
        if (!value.is_number()) {
            throw ConfigError(pointer, describe(value), expected_length(rule, unit_of_key(key)) + ", or two as [x, y]",
                              unquoted(value));
        }
        const double both = read_length(value, rule, key, pointer);
        return {both, both};
    }
    if (value.size() != 2) throw ConfigError(pointer, describe(value), "a number, or two as [x, y]");
    return {read_length(value[0], rule, key, pointer_to(pointer, std::size_t{0})),
            read_length(value[1], rule, key, pointer_to(pointer, std::size_t{1}))};
}

LengthSweep read_length_sweep(const Json& value, const NumberRule& rule, const std::string& key, const std::string& pointer) {
    if (value.is_object()) return expand(value, rule, key, pointer);
    if (value.is_number()) return {{read_length(value, rule, key, pointer)}};
    if (!value.is_array() || value.empty()) {
        throw ConfigError(pointer, describe(value),
                          expected_length(rule, unit_of_key(key)) + ", a list of them, or {from, to, step}", unquoted(value));
    }
    if (value.size() > max_sweep_values)
        throw ConfigError(pointer, describe(value), fmt::format("at most {} values", max_sweep_values));
    LengthSweep sweep;
    for (std::size_t i = 0; i < value.size(); ++i)
        sweep.values.push_back(read_length(value[i], rule, key, pointer_to(pointer, i)));
    return sweep;
}

bool read_integers(const Json& value, const NumberRule& rule, const std::string& pointer, std::span<int> into) {
    if (value.is_null()) return false;
    if (!value.is_array() || value.size() != into.size()) {
        throw ConfigError(pointer, describe(value), fmt::format("a list of {} integers, or null", into.size()),
                          value.is_number() ? fmt::format("for instance [{}]",
                                                          fmt::join(std::vector<std::string>(into.size(), value.dump()), ", "))
                                            : "");
    }
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = read_integer(value[i], rule, pointer_to(pointer, i));
    return true;
}

std::vector<int> read_integer_list(const Json& value, std::size_t most, const NumberRule& rule, const std::string& pointer) {
    if (value.is_null()) return {};
    if (!value.is_array()) {
        if (!value.is_number())
            throw ConfigError(pointer, describe(value), fmt::format("an integer, a list of up to {}, or null", most),
                              unquoted(value));
        return {read_integer(value, rule, pointer)};
    }
    if (value.empty() || value.size() > most)
        throw ConfigError(pointer, describe(value), fmt::format("a list of 1 to {} integers", most));
    std::vector<int> list;
    for (std::size_t i = 0; i < value.size(); ++i) list.push_back(read_integer(value[i], rule, pointer_to(pointer, i)));
    return list;
}

std::size_t read_word_or_object(const Json& value, const std::vector<std::string>& words, const std::string& pointer) {
    if (value.is_object()) return words.size();
    std::string expected = "an object or null";
    if (!words.empty()) expected = fmt::format("\"{}\", {}", fmt::join(words, "\", \""), expected);
    if (!value.is_string()) throw ConfigError(pointer, describe(value), expected);
    const auto word = std::find(words.begin(), words.end(), value.get_ref<const std::string&>());
    if (word == words.end()) throw ConfigError(pointer, describe(value), expected, did_you_mean(value.get<std::string>(), words));
    return static_cast<std::size_t>(word - words.begin());
}

Json write_length(double metres, const std::string& unit) {
    if (std::isnan(metres)) return nullptr;   // not set
    const double scale = per_metre(unit);
    for (int digits = 15; digits <= 17; ++digits) {
        const auto read = host::leading_number(fmt::format("{:.{}g}", metres * scale, digits));
        const double value = read ? read->number : metres * scale;
        if (value / scale != metres) continue;
        if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
        return value;
    }
    return metres * scale;
}

Json write_length_pair(const std::array<double, 2>& metres, const std::string& unit) {
    if (metres[0] == metres[1]) return write_length(metres[0], unit);
    return Json::array({write_length(metres[0], unit), write_length(metres[1], unit)});
}

Json write_length_sweep(const LengthSweep& sweep, const std::string& unit) {
    if (sweep.values.empty()) return nullptr;   // not set
    if (sweep.values.size() == 1) return write_length(sweep.values.front(), unit);
    Json list = Json::array();
    for (const double metres : sweep.values) list.push_back(write_length(metres, unit));
    return list;
}

ParameterField integer_field(std::string name, const NumberRule& rule, std::string doc) {
    NumberRule said = rule;   // what is at least 0, say, ends where 32 bits do
    if (std::isfinite(rule.min) && !std::isfinite(rule.max) && !std::isfinite(rule.below))
        said.max = std::numeric_limits<int>::max();
    return plain_field(std::move(name), with_bounds("integer", bounds(said)), number_schema("integer", rule), std::move(doc));
}

ParameterField number_field(std::string name, const NumberRule& rule, std::string doc) {
    return plain_field(std::move(name), with_bounds("number", bounds(rule)), number_schema("number", rule), std::move(doc));
}

ParameterField boolean_field(std::string name, std::string doc) {
    return plain_field(std::move(name), "true or false", {{"type", "boolean"}}, std::move(doc));
}

ParameterField text_field(std::string name, std::string doc) {
    return plain_field(std::move(name), "text", {{"type", "string"}}, std::move(doc));
}

ParameterField choice_field(std::string name, const std::vector<std::string>& words, std::string doc) {
    return plain_field(std::move(name), fmt::format("one of {}", fmt::join(words, " | ")), {{"enum", words}}, std::move(doc));
}

ParameterField length_field(std::string name, const NumberRule& rule, std::string doc) {
    return any_length_field(std::move(name), length_type(rule), rule, std::move(doc), [](Json number) { return number; });
}

ParameterField length_pair_field(std::string name, const NumberRule& rule, std::string doc) {
    return any_length_field(std::move(name), length_type(rule) + ", or [x, y]", rule, std::move(doc), [](const Json& number) {
        const Json pair{{"type", "array"}, {"items", number}, {"minItems", 2}, {"maxItems", 2}};
        return Json{{"anyOf", Json::array({number, pair})}};
    });
}

ParameterField length_sweep_field(std::string name, const NumberRule& rule, std::string doc) {
    return any_length_field(std::move(name), length_type(rule) + ", a list, or {from, to, step}", rule, std::move(doc),
                            [](const Json& number) {
        const Json list{{"type", "array"}, {"items", number}, {"minItems", 1}, {"maxItems", max_sweep_values}};
        const Json range{{"type", "object"},
                         {"properties", {{"from", number}, {"to", number}, {"step", {{"type", "number"}}}}},
                         {"required", {"from", "to", "step"}},
                         {"patternProperties", {{"^//", true}}},
                         {"additionalProperties", false}};
        return Json{{"anyOf", Json::array({number, list, range})}};
    });
}

ParameterField integers_field(std::string name, std::size_t count, const NumberRule& rule, std::string doc) {
    const Json list{{"type", "array"}, {"items", number_schema("integer", rule)}, {"minItems", count}, {"maxItems", count}};
    return plain_field(std::move(name), fmt::format("{} integers, or null", count),
                       {{"anyOf", Json::array({list, Json{{"type", "null"}}})}}, std::move(doc));
}

ParameterField integer_list_field(std::string name, std::size_t most, const NumberRule& rule, std::string doc) {
    const Json number = number_schema("integer", rule);
    const Json list{{"type", "array"}, {"items", number}, {"minItems", 1}, {"maxItems", most}};
    return plain_field(std::move(name), with_bounds("integer", bounds(rule)) + fmt::format(", a list of up to {}, or null", most),
                       {{"anyOf", Json::array({number, list, Json{{"type", "null"}}})}}, std::move(doc));
}

ParameterField object_field(std::string name, const ParameterTable& table, const std::vector<std::string>& words,
                            std::string doc) {
    Json any = Json::array({table.schema(), Json{{"type", "null"}}});
    if (!words.empty()) any.push_back({{"enum", words}});
    std::vector<std::string> keys;
    for (const ParameterField& field : table.fields()) keys.push_back(field.canonical_key);
    std::string type = fmt::format("object of {}, or null", fmt::join(keys, ", "));
    if (!words.empty()) type = fmt::format("\"{}\", {}", fmt::join(words, "\", \""), type);
    return plain_field(std::move(name), std::move(type), {{"anyOf", std::move(any)}}, std::move(doc));
}

void check_unique_keys(const std::vector<ParameterField>& fields) {
    std::set<std::string> seen;
    for (const ParameterField& field : fields) {
        for (const std::string& key : field.keys) {
            if (!seen.insert(key).second) throw std::logic_error("two parameters answer to \"" + key + "\"");
        }
    }
}

}  // namespace parallax::engine::detail
