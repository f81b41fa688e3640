// What the parameter structs of parallax/algorithms.hpp are made of.
#pragma once

#include "parallax/export.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parallax {

/// One length for both axes, or {x, y}.
struct Pair {
    double x = 0, y = 0;
    constexpr Pair() = default;
    constexpr Pair(double both) : x(both), y(both) {}
    constexpr Pair(double x_, double y_) : x(x_), y(y_) {}
    bool operator==(const Pair&) const = default;
};

/// One length, a list of them, or Sweep::range(from, to, step) with `to` included.
struct Sweep {
    std::vector<double> values;
    double step = 0;     ///< not 0: values are {from, to}
    Sweep(double value = 0) : values{value} {}
    Sweep(std::initializer_list<double> list) : values(list) {}
    Sweep(std::vector<double> list) : values(std::move(list)) {}
    static Sweep range(double from, double to, double step) {
        Sweep sweep{from, to};
        sweep.step = step;
        return sweep;
    }
    bool operator==(const Sweep&) const = default;
};

/// An integer that elements are compared with, and perhaps the name that people know it by: {3, "thalamus"}, or 3.
struct Label {
    std::int64_t value = 0;
    std::string name;
    Label() = default;
    Label(std::int64_t v, std::string n = {}) : value(v), name(std::move(n)) {}
    bool operator==(const Label&) const = default;
};

/// Nothing, a T, or a word that stands for one, such as "auto".
template <class T>
struct Optional {
    std::optional<T> value;
    std::string word;
    Optional() = default;
    Optional(T v) : value(std::move(v)) {}
    Optional(const char* w) : word(w) {}
    bool operator==(const Optional&) const = default;
};

namespace detail {

/// The word of a choice. Throws ConfigError for a number that is none of them.
PARALLAX_API const char* word(std::span<const char* const> words, int value);

/// Writes one JSON object, member by member. Throws ConfigError for a number that is not finite: JSON has none, and `null` would
/// be a field that was left out.
class PARALLAX_API JsonObject {
public:
    void add(std::string_view key, double);
    void add(std::string_view key, const std::optional<double>& number) {
        if (number) add(key, *number);
        else add_text(key, "null");
    }
    void add(std::string_view key, int);
    void add(std::string_view key, bool);
    void add(std::string_view key, std::string_view);
    void add(std::string_view key, const char* text) { add(key, std::string_view(text)); }
    void add(std::string_view key, const std::string& text) { add(key, std::string_view(text)); }
    void add(std::string_view key, Pair);
    void add(std::string_view key, const Sweep&);
    void add(std::string_view key, const std::vector<int>&);
    void add(std::string_view key, const std::vector<Label>&);
    template <std::size_t N>
    void add(std::string_view key, const std::optional<std::array<int, N>>& list) {
        if (list) add(key, std::vector<int>(list->begin(), list->end()));
        else add_text(key, "null");
    }
    template <class T>
    void add(std::string_view key, const Optional<T>& object) {
        if (object.value) add_object(key, [&object] { return object.value->json(); });
        else if (object.word.empty()) add_text(key, "null");
        else add(key, std::string_view(object.word));
    }
    std::string text() const { return text_.empty() ? "{}" : text_ + "}"; }

private:
    void add_text(std::string_view key, std::string_view json);
    /// Errors of its members are told of by their path.
    void add_object(std::string_view key, const std::function<std::string()>& json);
    std::string text_;
};

}  // namespace detail
}  // namespace parallax
