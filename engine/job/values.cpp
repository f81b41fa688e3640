#include "job/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace parallax::engine {

std::string list(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " | ")); }

void check_object(const Json& value, const std::string& pointer, const std::string& what) {
    if (!value.is_object()) throw ConfigError(pointer, describe(value), what);
}

void check_keys(const Json& object, const std::string& pointer, const std::vector<std::string>& known) {
    for (const auto& [key, value] : object.items()) {
        if (is_comment(key) || std::find(known.begin(), known.end(), key) != known.end()) continue;
        std::string hint = did_you_mean(key, known);
        if (std::find(known.begin(), known.end(), key + "_um") != known.end()) hint = fmt::format("a length carries its unit in its key, for instance \"{}_um\"", key);
        throw ConfigError(pointer_to(pointer, key), fmt::format("the unknown key \"{}\"", key), "one of " + list(known), std::move(hint));
    }
}

std::string read_string(const Json& value, const std::string& pointer, const std::string& what) {
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) throw ConfigError(pointer, describe(value), what);
    return value.get<std::string>();
}

std::int64_t read_count(const Json& value, const std::string& pointer, std::int64_t least) {
    const bool whole = value.is_number_integer() && !(value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{1} << 62);
    if (!whole || value.get<std::int64_t>() < least) throw ConfigError(pointer, describe(value), fmt::format("an integer of at least {}", least));
    return value.get<std::int64_t>();
}

bool read_flag(const Json& value, const std::string& pointer) {
    if (!value.is_boolean()) throw ConfigError(pointer, describe(value), "true or false");
    return value.get<bool>();
}

std::string read_word(const Json& value, const std::string& pointer, const std::vector<std::string>& words) {
    const std::string text = value.is_string() ? value.get<std::string>() : std::string();
    if (std::find(words.begin(), words.end(), text) == words.end()) {
        throw ConfigError(pointer, describe(value), "one of " + list(words), did_you_mean(text, words));
    }
    return text;
}

std::vector<std::string> read_paths(const Json& value, const std::string& pointer) {
    if (value.is_string()) return {read_string(value, pointer, "a path")};
    if (!value.is_array() || value.empty()) throw ConfigError(pointer, describe(value), "a path, a pattern such as \"bg/*.tif\", or a list of them");
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < value.size(); ++i) paths.push_back(read_string(value[i], pointer_to(pointer, i), "a path"));
    return paths;
}

std::string read_name(const std::string& name, const std::string& pointer) {
    static const std::regex word("[A-Za-z_][A-Za-z0-9_-]*");
    if (!std::regex_match(name, word)) {
        throw ConfigError(pointer, fmt::format("the name \"{}\"", name), "a letter, then letters, digits, _ and -");
    }
    return name;
}

}  // namespace parallax::engine
