// Is this a report that can be read? Held against report_schema(), with the place of what is wrong.
#include <fmt/format.h>

#include <algorithm>

#include "parallax/host/error.hpp"
#include "report/report.hpp"
#include "study/claims.hpp"
#include "support/json_words.hpp"

namespace parallax::engine::compare {

namespace {

bool has_type(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "number") return value.is_number();
    if (type == "integer") return value.is_number_integer();
    if (type == "boolean") return value.is_boolean();
    return value.is_null();
}

std::string words_for(const Json& type) {
    const auto word = [](const std::string& name) -> std::string {
        if (name == "object" || name == "integer") return "an " + name;
        if (name == "array") return "a list";
        return name == "string" ? "a text" : name == "null" ? name : "a " + name;
    };
    if (type.is_string()) return word(type.get<std::string>());
    std::vector<std::string> words;
    for (const Json& one : type) words.push_back(word(one.get<std::string>()));
    return fmt::format("{}", fmt::join(words, " or "));
}

/// The part of JSON Schema that report_schema() uses.
void check(const Json& schema, const Json& value, const std::string& pointer, const std::string& name) {
    const auto refuse = [&](const std::string& at, const std::string& found, const std::string& expected) {
        throw ConfigError(at, fmt::format("{} in {}", found, name), expected,
                          "a report.json as parallax compare writes it can be read");
    };
    if (schema.contains("type")) {
        const Json& type = schema["type"];
        const bool good =
            type.is_string()
                ? has_type(value, type.get<std::string>())
                : std::any_of(type.begin(), type.end(), [&](const Json& one) { return has_type(value, one.get<std::string>()); });
        if (!good) refuse(pointer, describe(value), words_for(type));
    }
    if (const Json words = schema.value("enum", Json::array()); !words.empty() && std::count(words.begin(), words.end(), value) == 0)
        refuse(pointer, describe(value), "one of " + words.dump());
    if (schema.contains("minimum") && value.is_number() && value < schema["minimum"])
        refuse(pointer, describe(value), "at least " + schema["minimum"].dump());
    if (schema.contains("maximum") && value.is_number() && value > schema["maximum"])
        refuse(pointer, describe(value), "at most " + schema["maximum"].dump());
    for (const Json& key : schema.value("required", Json::array())) {
        const std::string word = key.get<std::string>();
        if (!value.contains(word))
            refuse(pointer_to(pointer, word), "nothing", words_for(schema["properties"][word].value("type", Json("object"))));
    }
    if (value.is_object()) {
        const Json properties = schema.value("properties", Json::object());
        for (const auto& [key, inner] : value.items()) {
            if (properties.contains(key)) check(properties[key], inner, pointer_to(pointer, key), name);
            else if (schema.contains("additionalProperties"))
                check(schema["additionalProperties"], inner, pointer_to(pointer, key), name);
        }
    }
    if (value.is_array() && schema.contains("items"))
        for (std::size_t i = 0; i < value.size(); ++i) check(schema["items"], value[i], pointer_to(pointer, i), name);
}

}  // namespace

void check_report(const Json& json, const std::string& name) {
    if (!json.is_object() || !json.contains("parallax_comparison"))
        throw ConfigError("", fmt::format("no comparison in {}", name), "a report.json of parallax compare");
    if (json["parallax_comparison"] != 1)
        throw ConfigError("/parallax_comparison", json["parallax_comparison"].dump(), "1, the version that this program reads",
                          "read it with the Parallax that wrote it, or one that is newer");
    static const auto& schema = *new Json(report_schema());
    check(schema, json, "", name);
    if (json["devices"].size() > most_devices)
        throw ConfigError("/devices", fmt::format("{} devices in {}", json["devices"].size(), name),
                          fmt::format("at most {}", most_devices));
    check_claims(json["study"].value("claims", Json::array()), "/study/claims");
    for (std::size_t i = 0; i < json["rows"].size(); ++i) {
        for (const auto& [key, list] : {std::pair{"device", "devices"}, std::pair{"session", "sessions"}}) {
            if (json["rows"][i][key] >= json[list].size())
                throw ConfigError(fmt::format("/rows/{}/{}", i, key), fmt::format("{} in {}", json["rows"][i][key].dump(), name),
                                  fmt::format("one of {} {}, from 0", json[list].size(), list));
        }
    }
}

}  // namespace parallax::engine::compare
