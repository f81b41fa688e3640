#include "cases/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parallax::engine::compare {

Fields::Fields(const Json& value, std::string pointer, const std::string& expected, const std::vector<std::string>& known)
    : value_(value), pointer_(std::move(pointer)) {
    if (!value.is_object()) throw ConfigError(pointer_, describe(value), expected);
    for (const auto& [key, ignored] : value.items()) {
        if (is_comment(key) || std::find(known.begin(), known.end(), key) != known.end()) continue;
        throw ConfigError(this->pointer(key), fmt::format("the unknown key \"{}\"", key), fmt::format("one of {}", fmt::join(known, " | ")),
                          did_you_mean(key, known));
    }
}

std::string Fields::text(const std::string& key, const std::optional<std::string>& otherwise) const {
    if (!has(key)) {
        if (otherwise) return *otherwise;
        throw ConfigError(pointer_, fmt::format("no \"{}\"", key), fmt::format("\"{}\": a text", key));
    }
    const Json& value = at(key);
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) throw ConfigError(pointer(key), describe(value), "a text");
    return value.get<std::string>();
}

double Fields::number(const std::string& key, double otherwise, double least, double most) const {
    if (!has(key)) return otherwise;
    const Json& value = at(key);
    if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most))
        throw ConfigError(pointer(key), describe(value), fmt::format("a number from {:g} to {:g}", least, most));
    return value.get<double>();
}

int Fields::integer(const std::string& key, int otherwise, int least, int most) const {
    if (!has(key)) return otherwise;
    const Json& value = at(key);
    if (!value.is_number_integer() || value.get<double>() < least || value.get<double>() > most)
        throw ConfigError(pointer(key), describe(value), fmt::format("an integer from {} to {}", least, most));
    return value.get<int>();
}

bool Fields::flag(const std::string& key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!at(key).is_boolean()) throw ConfigError(pointer(key), describe(at(key)), "true or false");
    return at(key).get<bool>();
}

std::string Fields::word(const std::string& key, const std::vector<std::string>& words, const std::optional<std::string>& otherwise) const {
    const std::string found = text(key, otherwise);
    if (std::find(words.begin(), words.end(), found) != words.end()) return found;
    throw ConfigError(pointer(key), describe(at(key)), fmt::format("one of {}", fmt::join(words, " | ")), did_you_mean(found, words));
}

std::vector<std::string> Fields::texts(const std::string& key) const {
    if (!has(key)) return {};
    const Json& value = at(key);
    if (value.is_string()) return {text(key)};
    if (!value.is_array()) throw ConfigError(pointer(key), describe(value), "a text, or a list of texts");
    std::vector<std::string> found;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (!value[i].is_string()) throw ConfigError(pointer_to(pointer(key), i), describe(value[i]), "a text");
        found.push_back(value[i].get<std::string>());
    }
    return found;
}

const Json& Fields::object(const std::string& key) const {
    static const Json none = Json::object();
    if (!has(key)) return none;
    if (!at(key).is_object()) throw ConfigError(pointer(key), describe(at(key)), "an object");
    return at(key);
}

const Json& Fields::list(const std::string& key) const {
    static const Json none = Json::array();
    if (!has(key)) return none;
    if (!at(key).is_array()) throw ConfigError(pointer(key), describe(at(key)), "a list");
    return at(key);
}

}  // namespace parallax::engine::compare
