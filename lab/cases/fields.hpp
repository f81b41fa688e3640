// One JSON object, read key by key: a key that nobody knows is an error with the nearest right one.
#pragma once

#include "core/parameters.hpp"

#include <optional>
#include <string>
#include <vector>

namespace parallax::engine::compare {

class Fields {
public:
    /// Throws ConfigError unless `value` is an object that has known keys only.
    Fields(const Json& value, std::string pointer, const std::string& expected, const std::vector<std::string>& known);

    bool has(const std::string& key) const { return value_.contains(key) && !value_[key].is_null(); }
    const Json& at(const std::string& key) const { return value_[key]; }
    std::string pointer(const std::string& key) const { return pointer_to(pointer_, key); }

    /// Not empty. Throws where it is missing and there is no default.
    std::string text(const std::string& key, const std::optional<std::string>& otherwise = std::nullopt) const;
    double number(const std::string& key, double otherwise, double least, double most) const;
    int integer(const std::string& key, int otherwise, int least, int most) const;
    bool flag(const std::string& key, bool otherwise) const;
    std::string word(const std::string& key, const std::vector<std::string>& words, const std::optional<std::string>& otherwise = std::nullopt) const;
    /// A string, or a list of them; empty where it is missing.
    std::vector<std::string> texts(const std::string& key) const;
    /// An object or a list; an empty one where it is missing.
    const Json& object(const std::string& key) const;
    const Json& list(const std::string& key) const;

private:
    const Json& value_;
    std::string pointer_;
};

}  // namespace parallax::engine::compare
