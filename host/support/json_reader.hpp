// Documents that people write, read value by value: each is what it has to be, or a ConfigError says where it stands, what it is
// instead and what may stand there. The one reader for jobs, studies, device rules, tuning files and reports.
//
//   const JsonObject raw(value, R"(an object such as {"type": "u16", "shape": [480, 640]})", {"type", "shape", "offset"});
//   const std::string type = raw.at("type").word({"u8", "u16"});
//   for (const JsonValue& size : raw.at("shape").list("a list of sizes")) sizes.push_back(size.count(1));
//   if (raw.has("offset")) offset = raw.at("offset").count();
#pragma once

#include "parallax/host/error.hpp"
#include "support/json_words.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parallax {

/// A value with the JSON pointer of its place. It refers to the document, which must stay.
class JsonValue {
public:
    JsonValue(const Json& value, std::string pointer) : value_(&value), pointer_(std::move(pointer)) {}

    const Json& json() const noexcept { return *value_; }
    const std::string& pointer() const noexcept { return pointer_; }
    /// Throws ConfigError: this value is not what is expected.
    [[noreturn]] void refuse(const std::string& expected, const std::string& hint = {}) const;

    /// Not empty.
    std::string text(const std::string& expected = "a text") const;
    std::string word(const std::vector<std::string>& words) const;
    bool flag() const;
    std::int64_t count(std::int64_t least = 0) const;
    int integer(int least, int most) const;
    double number(double least, double most) const;
    /// Of a file or a folder: at most 4096 bytes, more than systems take.
    std::string path() const;
    /// A path or a list of them.
    std::vector<std::string> paths() const;
    /// Of an array, a step, an axis: a letter or _, then letters, digits, _ and -, 100 characters at most.
    std::string name(const std::string& expected = "a name") const;
    /// The elements of a list.
    std::vector<JsonValue> list(const std::string& expected) const;
    std::vector<JsonValue> list_of(std::size_t count, const std::string& expected) const;

private:
    const Json* value_;
    std::string pointer_;
};

/// A name that stands as a key: the same rule as JsonValue::name().
std::string check_name(const std::string& name, const std::string& pointer);
bool is_name(std::string_view) noexcept;

/// An object, key by key.
class JsonObject {
public:
    /// Throws ConfigError unless it is an object.
    JsonObject(const JsonValue&, const std::string& expected);
    /// And unless it has known keys only, comments aside.
    JsonObject(const JsonValue&, const std::string& expected, const std::vector<std::string>& known);

    const std::string& pointer() const noexcept { return value_.pointer(); }
    std::string pointer(const std::string& key) const { return pointer_to(value_.pointer(), key); }
    const Json& json() const noexcept { return value_.json(); }
    bool contains(const std::string& key) const { return json().contains(key); }
    /// The same, but what is null is not there.
    bool has(const std::string& key) const;
    /// Throws where it is missing.
    JsonValue at(const std::string& key) const;
    /// All, comments aside.
    std::vector<std::pair<std::string, JsonValue>> members() const;
    [[noreturn]] void refuse_key(const std::string& key, const std::vector<std::string>& known) const;

    // With something in the place of what is missing.
    std::string text(const std::string& key) const;
    std::string text(const std::string& key, const std::string& otherwise) const { return has(key) ? at(key).text() : otherwise; }
    std::string word(const std::string& key, const std::vector<std::string>& words) const { return at(key).word(words); }
    std::string word(const std::string& key, const std::vector<std::string>& words, const std::string& otherwise) const;
    double number(const std::string& key, double otherwise, double least, double most) const {
        return has(key) ? at(key).number(least, most) : otherwise;
    }
    int integer(const std::string& key, int otherwise, int least, int most) const {
        return has(key) ? at(key).integer(least, most) : otherwise;
    }
    bool flag(const std::string& key, bool otherwise) const { return has(key) ? at(key).flag() : otherwise; }
    /// A text, or a list of them; empty where it is missing.
    std::vector<std::string> texts(const std::string& key) const;
    /// An object or a list; an empty one where it is missing.
    const Json& object(const std::string& key) const;
    const Json& list(const std::string& key) const;

private:
    JsonValue value_;
};

}  // namespace parallax
