#include "job/values.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::string read_path(const Json& value, const std::string& pointer) {
    constexpr std::size_t most = 4096;
    std::string path = read_string(value, pointer, "the path of a file");
    if (path.size() > most) throw ConfigError(pointer, fmt::format("a path of {} bytes", path.size()), fmt::format("at most {} bytes", most));
    return path;
}

std::vector<std::string> read_paths(const Json& value, const std::string& pointer) {
    if (value.is_string()) return {read_path(value, pointer)};
    if (!value.is_array() || value.empty()) throw ConfigError(pointer, describe(value), "a path, a pattern such as \"bg/*.tif\", or a list of them");
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < value.size(); ++i) paths.push_back(read_path(value[i], pointer_to(pointer, i)));
    return paths;
}

bool is_name(std::string_view text) noexcept {
    const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
    const auto inside = [letter](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; };
    return !text.empty() && letter(text.front()) && std::all_of(text.begin(), text.end(), inside);
}

std::string read_name(const std::string& name, const std::string& pointer) {
    constexpr std::size_t most = 100;
    if (name.size() > most) throw ConfigError(pointer, fmt::format("a name of {} characters", name.size()), fmt::format("at most {} characters", most));
    if (!is_name(name)) throw ConfigError(pointer, fmt::format("the name \"{}\"", name), "a letter, then letters, digits, _ and -");
    return name;
}

}  // namespace parallax::engine
