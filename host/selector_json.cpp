// Device rules from JSON and back. Strict: what is not understood is an error that says where.
#include "parallax/host/error.hpp"
#include "parallax/host/selector.hpp"
#include "support/json_outline.hpp"
#include "support/json_reader.hpp"
#include "support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace parallax::host {
namespace {

using Words = std::vector<std::string>;

const auto& rule_keys = *new Words{"type", "vendor", "platform",      "name",          "backend", "index",
                                   "uuid", "pci",    "min_memory_mb", "min_memory_gb", "require"};
const auto& list_keys = *new Words{"prefer", "on_missing", "use"};
const auto& types = *new Words{"gpu", "cpu", "accelerator", "other"};
const auto& backends = *new Words{"opencl", "cuda", "native"};
const auto& on_missing_words = *new Words{"error", "next"};
const auto& capability_words = *new Words{"images", "fp64", "int64_atomics", "unified_memory", "subgroups"};

std::string one_of(const Words& words) { return fmt::format("one of \"{}\"", fmt::join(words, "\", \"")); }

[[noreturn]] void refuse_key(const JsonObject& object, const std::string& key, const Words& known) {
    throw ConfigError(object.pointer(key), fmt::format("the unknown key \"{}\"", key), one_of(known), did_you_mean(key, known));
}

bool has(const Words& words, const std::string& word) { return std::find(words.begin(), words.end(), word) != words.end(); }

std::string text(const JsonValue& value, const char* expected = "a string that is not empty") {
    const std::string given = trim(value.text(expected));
    if (given.empty()) value.refuse(expected);
    return given;
}

/// The number of a word, whose case does not matter.
std::size_t word(const JsonValue& value, const Words& words) {
    const Json& json = value.json();
    const std::string given = json.is_string() ? lower(json.get_ref<const std::string&>()) : std::string();
    const auto match = std::find(words.begin(), words.end(), given);
    if (match == words.end()) value.refuse(one_of(words), json.is_string() ? did_you_mean(given, words) : std::string());
    return static_cast<std::size_t>(match - words.begin());
}

bool is_hex(std::string_view digits) {
    return !digits.empty() &&
           std::all_of(digits.begin(), digits.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

std::string uuid(const JsonValue& value) {
    const char* expected = "a UUID of 32 hexadecimal digits, with or without dashes";
    const std::string given = text(value, expected);
    std::string digits = lower(given);
    std::erase(digits, '-');
    if (digits.size() != 32 || !is_hex(digits)) value.refuse(expected, "parallax devices shows each device's");
    return given;
}

std::string pci(const JsonValue& value) {
    const char* expected = "a PCI address such as \"3b:00.0\" or \"0000:3b:00.0\"";
    const std::string given = text(value, expected);
    const std::string address = lower(given);
    const std::size_t dot = address.rfind('.'), colon = address.rfind(':');
    const std::size_t first = colon == std::string::npos || colon == 0 ? std::string::npos : address.rfind(':', colon - 1);
    const std::size_t bus = first == std::string::npos ? 0 : first + 1;
    const bool sound = colon != std::string::npos && dot != std::string::npos && dot > colon &&
                       is_hex(std::string_view(address).substr(bus, colon - bus)) &&
                       is_hex(std::string_view(address).substr(colon + 1, dot - colon - 1)) &&
                       is_hex(std::string_view(address).substr(dot + 1)) &&
                       (first == std::string::npos || is_hex(std::string_view(address).substr(0, first)));
    if (!sound) value.refuse(expected, "parallax devices shows each device's");
    return given;
}

int index(const JsonValue& value) {
    const Json& json = value.json();
    const bool sound = json.is_number_integer() && (!json.is_number_unsigned() || json.get<std::uint64_t>() <= 65535) &&
                       json.get<std::int64_t>() >= -1 && json.get<std::int64_t>() <= 65535;
    if (!sound) value.refuse("the index of a device, 0 and up, or -1 for the native device", "parallax devices lists them");
    return json.get<int>();
}

// Powers of ten, as memory is sold: a card of "24 GB" reports a little more than 24e9 bytes.
std::uint64_t memory(const JsonValue& value, double unit) {
    const double amount = value.json().is_number() ? value.json().get<double>() * unit : -1;
    if (!(amount >= 0) || amount > 1e18) value.refuse("an amount of memory, 0 or more");
    return static_cast<std::uint64_t>(std::ceil(amount));
}

std::vector<std::string> require(const JsonValue& value) {
    std::vector<std::string> all;
    for (const JsonValue& one : value.list("a list of capabilities, " + one_of(capability_words))) {
        const std::string& capability = capability_words[word(one, capability_words)];
        if (!has(all, capability)) all.push_back(capability);
    }
    return all;
}

/// Words that --device takes are rules in JSON.
JsonObject object_of(const JsonValue& value, const char* expected) {
    const Json& json = value.json();
    const std::string given = json.is_string() ? lower(trim(json.get_ref<const std::string&>())) : std::string();
    const char* const key = has(types, given) ? "type" : has(backends, given) ? "backend" : given == "all" ? "use" : nullptr;
    if (key != nullptr) value.refuse(expected, fmt::format("write {{\"{}\": \"{}\"}}", key, given));
    return {value, expected};
}

DeviceRule parse_rule(const JsonValue& json) {
    const JsonObject object = object_of(json, "a device rule: an object such as {\"type\": \"gpu\"}");
    DeviceRule rule;
    for (const auto& [key, value] : object.json().items()) {
        const JsonValue at = object.at(key);
        if (key == "type") rule.type = static_cast<DeviceType>(word(at, types));
        else if (key == "backend") rule.backend = static_cast<Backend>(word(at, backends));
        else if (key == "vendor") rule.vendor = text(at);
        else if (key == "platform") rule.platform = text(at);
        else if (key == "name") rule.name = text(at);
        else if (key == "index") rule.index = index(at);
        else if (key == "uuid") rule.uuid = uuid(at);
        else if (key == "pci") rule.pci = pci(at);
        else if (key == "min_memory_mb" || key == "min_memory_gb") {
            if (rule.min_memory)
                throw ConfigError(at.pointer(), "a second amount of memory", "either \"min_memory_mb\" or \"min_memory_gb\"");
            rule.min_memory = memory(at, key == "min_memory_mb" ? 1e6 : 1e9);
        } else if (key == "require") rule.require = require(at);
        else if (has(list_keys, key))
            throw ConfigError(at.pointer(), fmt::format("the key \"{}\" in a rule", key), one_of(rule_keys),
                              "it belongs beside \"prefer\"");
        else refuse_key(object, key, rule_keys);
    }
    return rule;
}

std::vector<DeviceRule> parse_rules(const JsonValue& value, const char* expected) {
    std::vector<DeviceRule> rules;
    for (const JsonValue& rule : value.list(expected)) rules.push_back(parse_rule(rule));
    if (rules.empty()) value.refuse(expected);
    return rules;
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
    const JsonObject object =
        object_of(JsonValue(json, pointer), "an object: a device rule such as {\"type\": \"gpu\"}, or {\"prefer\": [rules], "
                                            "\"on_missing\": \"error\" or \"next\"}, or {\"use\": [rules]}");
    DeviceSelector selector;
    selector.rules_.clear();
    selector.next_on_missing_ = false;
    if (object.contains("use")) return parse_use(json, pointer);
    if (!object.contains("prefer") && !object.contains("on_missing")) {
        // A misspelt "prefer" must not be explained as a misspelt rule.
        for (const auto& [key, value] : json.items())
            if (!nearest(key, list_keys).empty() && nearest(key, rule_keys).empty()) refuse_key(object, key, list_keys);
        selector.rules_.push_back(parse_rule({json, pointer}));
        return selector;
    }
    const char* const rules = "a list of at least one device rule";
    for (const auto& [key, value] : json.items()) {
        if (key == "on_missing") selector.next_on_missing_ = word(object.at(key), on_missing_words) == 1;
        else if (key == "prefer") selector.rules_ = parse_rules(object.at(key), rules);
        else if (has(rule_keys, key))
            throw ConfigError(
                object.pointer(key),
                fmt::format("the key \"{}\" beside \"{}\"", key, object.contains("prefer") ? "prefer" : "on_missing"),
                one_of(list_keys), "put it into a rule of \"prefer\"");
        else refuse_key(object, key, list_keys);
    }
    if (selector.rules_.empty()) throw ConfigError(object.pointer("prefer"), "nothing", rules);
    return selector;
}

DeviceSelector DeviceSelector::parse_use(const Json& json, const std::string& pointer) {
    const JsonObject object(JsonValue(json, pointer), "an object");
    for (const auto& [key, value] : json.items()) {
        if (key != "use")
            throw ConfigError(object.pointer(key), fmt::format("the key \"{}\" beside \"use\"", key), "\"use\" alone",
                              "a rule of \"use\" may hold it");
    }
    DeviceSelector selector;   // its rules by default: every gpu, accelerator and cpu
    selector.use_several_ = true;
    if (object.at("use").json() == "all") return selector;
    selector.next_on_missing_ = false;
    selector.rules_ = parse_rules(object.at("use"), "\"all\", or a list of at least one device rule");
    return selector;
}

DeviceSelector DeviceSelector::parse_spec(const std::string& spec) {
    const std::string given = trim(spec);
    if (given.empty()) throw ConfigError("--device", "nothing", "cpu, gpu, native, an index, part of a device's name, or JSON");
    if (given.front() == '{') {
        if (const auto fault = fault_of(given, {.keys_once = true})) {
            if (fault->excess == JsonExcess::key_twice)   // of two the last would count
                throw ConfigError("--device", fmt::format("the key \"{}\" twice in one object", fault->key), "each key once",
                                  "remove one of the two");
            throw ConfigError("--device", "values nested too deep", "a JSON object such as {\"type\": \"gpu\"}");
        }
        const Json json = Json::parse(given, nullptr, false);
        if (json.is_discarded())
            throw ConfigError("--device", "text that begins with { and is not JSON", "a JSON object such as {\"type\": \"gpu\"}",
                              "a shell needs it in single quotes");
        return parse(json, "");
    }
    if (lower(given) == "all") return parse({{"use", "all"}}, "");
    DeviceSelector selector;
    selector.rules_.assign(1, DeviceRule{});
    DeviceRule& rule = selector.rules_.front();
    const std::string key = lower(given);
    if (const auto type = std::find(types.begin(), types.end(), key); type != types.end())
        rule.type = static_cast<DeviceType>(type - types.begin());
    else if (const auto backend = std::find(backends.begin(), backends.end(), key); backend != backends.end())
        rule.backend = static_cast<Backend>(backend - backends.begin());
    else if (given == "-1" ||
             (given.size() <= 5 && std::all_of(given.begin(), given.end(), is_digit)))
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
    const auto string_of = [](const char* description) {
        return Json{{"type", "string"}, {"minLength", 1}, {"description", description}};
    };
    const auto words_of = [](const Words& words, const char* description) {
        return Json{{"enum", words}, {"description", description}};
    };
    const auto amount = [](const char* description) {
        return Json{{"type", "number"}, {"minimum", 0}, {"description", description}};
    };
    Json properties;
    properties["type"] = words_of(types, "kind of device");
    properties["vendor"] = string_of("part of the vendor's name, in any case; \"amd\" is understood");
    properties["platform"] = string_of("part of the platform's name, in any case; \"pocl\" is understood");
    properties["name"] = string_of("part of the device's name, in any case");
    properties["backend"] = words_of(backends, "the native device must be asked for");
    properties["index"] = {{"type", "integer"},
                           {"minimum", -1},
                           {"maximum", 65535},
                           {"description", "position in the list of `parallax devices`; -1: the native device"}};
    properties["uuid"] = {
        {"type", "string"}, {"pattern", "^([0-9a-fA-F]-?){32}$"}, {"description", "the device's UUID, dashes optional"}};
    properties["pci"] = {{"type", "string"},
                         {"pattern", "^([0-9a-fA-F]+:)?[0-9a-fA-F]+:[0-9a-fA-F]+\\.[0-9a-fA-F]+$"},
                         {"description", "PCI address, domain optional"}};
    properties["min_memory_mb"] = amount("least device memory in units of 10^6 bytes");
    properties["min_memory_gb"] = amount("least device memory in units of 10^9 bytes");
    properties["require"] = {{"type", "array"},
                             {"items", words_of(capability_words, "a capability")},
                             {"description", "capabilities that the device must report"}};
    const Json rule = {{"type", "object"},
                       {"description", "every field that is given must hold"},
                       {"properties", properties},
                       {"additionalProperties", false},
                       {"not", {{"required", {"min_memory_mb", "min_memory_gb"}}}}};
    const Json list = {{"type", "object"},
                       {"description", "rules in order of preference"},
                       {"properties",
                        {{"prefer", {{"type", "array"}, {"minItems", 1}, {"items", rule}}},
                         {"on_missing", words_of(on_missing_words,
                                                 "error (default): the first rule must be met; next: go on to the next rule")}}},
                       {"required", Json::array({"prefer"})},
                       {"additionalProperties", false}};
    const Json several = {
        {"type", "object"},
        {"description", "several devices that share the items of a series"},
        {"properties",
         {{"use",
           {{"anyOf", Json::array({Json{{"const", "all"}}, Json{{"type", "array"}, {"minItems", 1}, {"items", rule}}})}}}}},
        {"required", Json::array({"use"})},
        {"additionalProperties", false}};
    return {{"oneOf", Json::array({list, rule, several})}};
}

}  // namespace parallax::host
