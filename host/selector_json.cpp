// Device rules from JSON and back. Strict: what is not understood is an error that says where.
#include "parallax/host/error.hpp"
#include "parallax/host/selector.hpp"
#include "support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace parallax::host {
namespace {

constexpr std::array<std::string_view, 11> rule_keys{"type",  "vendor", "platform",      "name",          "backend", "index",
                                                     "uuid",  "pci",    "min_memory_mb", "min_memory_gb", "require"};
constexpr std::array<std::string_view, 3> list_keys{"prefer", "on_missing", "use"};
constexpr std::array<std::string_view, 4> types{"gpu", "cpu", "accelerator", "other"};
constexpr std::array<std::string_view, 3> backends{"opencl", "cuda", "native"};
constexpr std::array<std::string_view, 2> on_missing_words{"error", "next"};
constexpr std::array<std::string_view, 5> capability_words{"images", "fp64", "int64_atomics", "unified_memory", "subgroups"};

std::string child(const std::string& pointer, std::string_view key) {
    std::string escaped;
    for (const char c : key) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return pointer + "/" + escaped;
}

std::string found(const Json& value) {
    if (value.is_null()) return "null";
    if (value.is_object()) return "an object";
    if (value.is_array()) return value.empty() ? "an empty list" : "a list";
    if (value.is_string()) return fmt::format("the string {}", value.dump(-1, ' ', false, Json::error_handler_t::replace));
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    return fmt::format("the number {}", value.dump());
}

std::string one_of(std::span<const std::string_view> words) { return fmt::format("one of \"{}\"", fmt::join(words, "\", \"")); }

std::string did_you_mean(std::string_view word, std::span<const std::string_view> words) {
    const std::string_view near = nearest(word, words);
    return near.empty() ? std::string() : fmt::format("did you mean \"{}\"?", near);
}

std::string text(const Json& value, const std::string& pointer, const char* expected = "a string that is not empty") {
    if (!value.is_string() || trim(value.get_ref<const std::string&>()).empty()) throw ConfigError(pointer, found(value), expected);
    return trim(value.get_ref<const std::string&>());
}

std::size_t word(const Json& value, const std::string& pointer, std::span<const std::string_view> words) {
    if (value.is_string()) {
        const std::string given = lower(value.get_ref<const std::string&>());
        const auto match = std::find(words.begin(), words.end(), given);
        if (match != words.end()) return static_cast<std::size_t>(match - words.begin());
        throw ConfigError(pointer, found(value), one_of(words), did_you_mean(given, words));
    }
    throw ConfigError(pointer, found(value), one_of(words));
}

bool is_hex(std::string_view digits) {
    return !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string uuid(const Json& value, const std::string& pointer) {
    const char* expected = "a UUID of 32 hexadecimal digits, with or without dashes";
    const std::string given = text(value, pointer, expected);
    std::string digits = lower(given);
    std::erase(digits, '-');
    if (digits.size() != 32 || !is_hex(digits)) throw ConfigError(pointer, found(value), expected, "parallax devices shows each device's");
    return given;
}

std::string pci(const Json& value, const std::string& pointer) {
    const char* expected = "a PCI address such as \"3b:00.0\" or \"0000:3b:00.0\"";
    const std::string given = text(value, pointer, expected);
    const std::string address = lower(given);
    const std::size_t dot = address.rfind('.'), colon = address.rfind(':');
    const std::size_t first = colon == std::string::npos || colon == 0 ? std::string::npos : address.rfind(':', colon - 1);
    const std::size_t bus = first == std::string::npos ? 0 : first + 1;
    const bool sound = colon != std::string::npos && dot != std::string::npos && dot > colon && is_hex(std::string_view(address).substr(bus, colon - bus)) &&
                       is_hex(std::string_view(address).substr(colon + 1, dot - colon - 1)) && is_hex(std::string_view(address).substr(dot + 1)) &&
                       (first == std::string::npos || is_hex(std::string_view(address).substr(0, first)));
    if (!sound) throw ConfigError(pointer, found(value), expected, "parallax devices shows each device's");
    return given;
}

int index(const Json& value, const std::string& pointer) {
    const bool sound = value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= 65535) &&
                       value.get<std::int64_t>() >= -1 && value.get<std::int64_t>() <= 65535;
    if (!sound) throw ConfigError(pointer, found(value), "the index of a device, 0 and up, or -1 for the native device", "parallax devices lists them");
    return value.get<int>();
}

// Powers of ten, as memory is sold: a card of "24 GB" reports a little more than 24e9 bytes.
std::uint64_t memory(const Json& value, const std::string& pointer, double unit) {
    const double amount = value.is_number() ? value.get<double>() * unit : -1;
    if (!(amount >= 0) || amount > 1e18) throw ConfigError(pointer, found(value), "an amount of memory, 0 or more");
    return static_cast<std::uint64_t>(std::ceil(amount));
}

std::vector<std::string> require(const Json& value, const std::string& pointer) {
    if (!value.is_array()) throw ConfigError(pointer, found(value), "a list of capabilities, " + one_of(capability_words));
    std::vector<std::string> list;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const std::string capability(capability_words[word(value[i], fmt::format("{}/{}", pointer, i), capability_words)]);
        if (std::find(list.begin(), list.end(), capability) == list.end()) list.push_back(capability);
    }
    return list;
}

DeviceRule parse_rule(const Json& json, const std::string& pointer) {
    if (!json.is_object()) throw ConfigError(pointer, found(json), "a device rule: an object such as {\"type\": \"gpu\"}");
    DeviceRule rule;
    for (const auto& [key, value] : json.items()) {
        const std::string at = child(pointer, key);
        if (key == "type") rule.type = static_cast<DeviceType>(word(value, at, types));
        else if (key == "backend") rule.backend = static_cast<Backend>(word(value, at, backends));
        else if (key == "vendor") rule.vendor = text(value, at);
        else if (key == "platform") rule.platform = text(value, at);
        else if (key == "name") rule.name = text(value, at);
        else if (key == "index") rule.index = index(value, at);
        else if (key == "uuid") rule.uuid = uuid(value, at);
        else if (key == "pci") rule.pci = pci(value, at);
        else if (key == "min_memory_mb" || key == "min_memory_gb") {
            if (rule.min_memory) throw ConfigError(at, "a second amount of memory", "either \"min_memory_mb\" or \"min_memory_gb\"");
            rule.min_memory = memory(value, at, key == "min_memory_mb" ? 1e6 : 1e9);
        } else if (key == "require") rule.require = require(value, at);
        else if (std::find(list_keys.begin(), list_keys.end(), key) != list_keys.end())
            throw ConfigError(at, fmt::format("the key \"{}\" in a rule", key), one_of(rule_keys), "it belongs beside \"prefer\"");
        else throw ConfigError(at, fmt::format("the unknown key \"{}\"", key), one_of(rule_keys), did_you_mean(key, rule_keys));
    }
    return rule;
}

Json rule_to_json(const DeviceRule& rule) {
    Json json = Json::object();
    const auto put = [&](const char* key, const std::optional<std::string>& value) {
        if (value) json[key] = *value;
    };
    if (rule.backend) json["backend"] = to_string(*rule.backend);
    put("vendor", rule.vendor);
    if (rule.type) json["type"] = to_string(*rule.type);
    put("platform", rule.platform);
    put("name", rule.name);
    if (rule.index) json["index"] = *rule.index;
    put("uuid", rule.uuid);
    put("pci", rule.pci);
    if (rule.min_memory) {
        if (*rule.min_memory % 1000000 == 0) json["min_memory_mb"] = *rule.min_memory / 1000000;
        else json["min_memory_mb"] = static_cast<double>(*rule.min_memory) / 1e6;
    }
    if (!rule.require.empty()) json["require"] = rule.require;
    return json;
}

}  // namespace

DeviceSelector DeviceSelector::parse(const Json& json, const std::string& pointer) {
    if (!json.is_object())
        throw ConfigError(pointer, found(json), "an object: a device rule such as {\"type\": \"gpu\"}, or {\"prefer\": [rules], \"on_missing\": \"error\" or \"next\"}, or {\"use\": [rules]}");
    DeviceSelector selector;
    selector.rules_.clear();
    selector.next_on_missing_ = false;
    if (json.contains("use")) return parse_use(json, pointer);
    if (!json.contains("prefer") && !json.contains("on_missing")) {
        // A misspelt "prefer" must not be explained as a misspelt rule.
        for (const auto& [key, value] : json.items())
            if (const std::string_view near = nearest(key, list_keys); !near.empty() && nearest(key, rule_keys).empty())
                throw ConfigError(child(pointer, key), fmt::format("the unknown key \"{}\"", key), one_of(list_keys), fmt::format("did you mean \"{}\"?", near));
        selector.rules_.push_back(parse_rule(json, pointer));
        return selector;
    }
    for (const auto& [key, value] : json.items()) {
        const std::string at = child(pointer, key);
        if (key == "on_missing") {
            selector.next_on_missing_ = word(value, at, on_missing_words) == 1;
        } else if (key == "prefer") {
            if (!value.is_array() || value.empty()) throw ConfigError(at, found(value), "a list of at least one device rule");
            for (std::size_t i = 0; i < value.size(); ++i) selector.rules_.push_back(parse_rule(value[i], fmt::format("{}/{}", at, i)));
        } else if (std::find(rule_keys.begin(), rule_keys.end(), key) != rule_keys.end()) {
            throw ConfigError(at, fmt::format("the key \"{}\" beside \"{}\"", key, json.contains("prefer") ? "prefer" : "on_missing"), one_of(list_keys),
                              "put it into a rule of \"prefer\"");
        } else {
            throw ConfigError(at, fmt::format("the unknown key \"{}\"", key), one_of(list_keys), did_you_mean(key, list_keys));
        }
    }
    if (selector.rules_.empty()) throw ConfigError(child(pointer, "prefer"), "nothing", "a list of at least one device rule");
    return selector;
}

DeviceSelector DeviceSelector::parse_use(const Json& json, const std::string& pointer) {
    for (const auto& [key, value] : json.items()) {
        if (key != "use") throw ConfigError(child(pointer, key), fmt::format("the key \"{}\" beside \"use\"", key), "\"use\" alone", "a rule of \"use\" may hold it");
    }
    const std::string at = child(pointer, "use");
    const Json& use = json["use"];
    DeviceSelector selector;   // its rules by default: every gpu, accelerator and cpu
    selector.use_several_ = true;
    if (use == "all") return selector;
    if (!use.is_array() || use.empty()) throw ConfigError(at, found(use), "\"all\", or a list of at least one device rule");
    selector.rules_.clear();
    selector.next_on_missing_ = false;
    for (std::size_t i = 0; i < use.size(); ++i) selector.rules_.push_back(parse_rule(use[i], fmt::format("{}/{}", at, i)));
    return selector;
}

DeviceSelector DeviceSelector::parse_spec(const std::string& spec) {
    const std::string given = trim(spec);
    if (given.empty()) throw ConfigError("--device", "nothing", "cpu, gpu, native, an index, part of a device's name, or JSON");
    if (given.front() == '{') {
        const Json json = Json::parse(given, nullptr, false);
        if (json.is_discarded())
            throw ConfigError("--device", "text that begins with { and is not JSON", "a JSON object such as {\"type\": \"gpu\"}", "a shell needs it in single quotes");
        return parse(json, "");
    }
    if (lower(given) == "all") return parse({{"use", "all"}}, "");
    DeviceSelector selector;
    selector.rules_.assign(1, DeviceRule{});
    DeviceRule& rule = selector.rules_.front();
    const std::string key = lower(given);
    if (const auto type = std::find(types.begin(), types.end(), key); type != types.end()) rule.type = static_cast<DeviceType>(type - types.begin());
    else if (const auto backend = std::find(backends.begin(), backends.end(), key); backend != backends.end())
        rule.backend = static_cast<Backend>(backend - backends.begin());
    else if (given == "-1" || (given.size() <= 5 && std::all_of(given.begin(), given.end(), [](char c) { return c >= '0' && c <= '9'; })))
        rule.index = std::stoi(given);
    else {
        rule.name = given;
        DeviceRule by_platform;
        by_platform.platform = given;   // "pocl" and "rusticl" are names of platforms, not of devices
        selector.rules_.push_back(by_platform);
    }
    selector.next_on_missing_ = true;
    return selector;
}

Json DeviceSelector::to_json() const {
    Json rules = Json::array();
    for (const DeviceRule& rule : rules_) rules.push_back(rule_to_json(rule));
    if (use_several_) return {{"use", next_on_missing_ ? Json("all") : rules}};
    return {{"prefer", rules}, {"on_missing", next_on_missing_ ? "next" : "error"}};
}

Json DeviceSelector::schema() {
    const auto string_of = [](const char* description) { return Json{{"type", "string"}, {"minLength", 1}, {"description", description}}; };
    const auto words_of = [](std::span<const std::string_view> words, const char* description) {
        return Json{{"enum", std::vector<std::string>(words.begin(), words.end())}, {"description", description}};
    };
    const auto amount = [](const char* description) { return Json{{"type", "number"}, {"minimum", 0}, {"description", description}}; };
    Json properties;
    properties["type"] = words_of(types, "kind of device");
    properties["vendor"] = string_of("part of the vendor's name, in any case; \"amd\" is understood");
    properties["platform"] = string_of("part of the platform's name, in any case; \"pocl\" is understood");
    properties["name"] = string_of("part of the device's name, in any case");
    properties["backend"] = words_of(backends, "the native device must be asked for");
    properties["index"] = {{"type", "integer"}, {"minimum", -1}, {"maximum", 65535}, {"description", "position in the list of `parallax devices`; -1: the native device"}};
    properties["uuid"] = {{"type", "string"}, {"pattern", "^([0-9a-fA-F]-?){32}$"}, {"description", "the device's UUID, dashes optional"}};
    properties["pci"] = {{"type", "string"}, {"pattern", "^([0-9a-fA-F]+:)?[0-9a-fA-F]+:[0-9a-fA-F]+\\.[0-9a-fA-F]+$"}, {"description", "PCI address, domain optional"}};
    properties["min_memory_mb"] = amount("least device memory in units of 10^6 bytes");
    properties["min_memory_gb"] = amount("least device memory in units of 10^9 bytes");
    properties["require"] = {{"type", "array"}, {"items", words_of(capability_words, "a capability")}, {"description", "capabilities that the device must report"}};
    const Json rule = {{"type", "object"},
                       {"description", "every field that is given must hold"},
                       {"properties", properties},
                       {"additionalProperties", false},
                       {"not", {{"required", {"min_memory_mb", "min_memory_gb"}}}}};
    const Json list = {{"type", "object"},
                       {"description", "rules in order of preference"},
                       {"properties",
                        {{"prefer", {{"type", "array"}, {"minItems", 1}, {"items", rule}}},
                         {"on_missing", words_of(on_missing_words, "error (default): the first rule must be met; next: go on to the next rule")}}},
                       {"required", Json::array({"prefer"})},
                       {"additionalProperties", false}};
    const Json several = {{"type", "object"},
                          {"description", "several devices that share the items of a series"},
                          {"properties", {{"use", {{"anyOf", Json::array({Json{{"const", "all"}}, Json{{"type", "array"}, {"minItems", 1}, {"items", rule}}})}}}}},
                          {"required", Json::array({"use"})},
                          {"additionalProperties", false}};
    return {{"oneOf", Json::array({list, rule, several})}};
}

}  // namespace parallax::host
