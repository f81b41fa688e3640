// The typed parts of TableBuilder; what needs no type is in parameters.cpp.
#pragma once

#include "core/parameters.hpp"

#include <algorithm>
#include <concepts>
#include <span>
#include <stdexcept>

namespace parallax::engine {

namespace detail {

// Readers throw ConfigError at `pointer`; lengths take their unit from the end of `key`.
double read_number(const Json&, const NumberRule&, const std::string& pointer);
int read_integer(const Json&, const NumberRule&, const std::string& pointer);
bool read_boolean(const Json&, const std::string& pointer);
std::string read_text(const Json&, const std::string& pointer);
std::size_t read_choice(const Json&, const std::vector<std::string>& words, const std::string& pointer);
double read_length(const Json&, const NumberRule&, const std::string& key, const std::string& pointer);
std::array<double, 2> read_length_pair(const Json&, const NumberRule&, const std::string& key, const std::string& pointer);
LengthSweep read_length_sweep(const Json&, const NumberRule&, const std::string& key, const std::string& pointer);
/// False for null, else fills `into`.
bool read_integers(const Json&, const NumberRule&, const std::string& pointer, std::span<int> into);
/// Empty for null.
std::vector<int> read_integer_list(const Json&, std::size_t most, const NumberRule&, const std::string& pointer);
/// Index of the word that stands for a whole object, or `words.size()` if `value` is an object. Throws otherwise.
std::size_t read_word_or_object(const Json& value, const std::vector<std::string>& words, const std::string& pointer);

/// The shortest number in `unit` that reads back as exactly this many metres.
Json write_length(double metres, const std::string& unit);
Json write_length_pair(const std::array<double, 2>& metres, const std::string& unit);
Json write_length_sweep(const LengthSweep&, const std::string& unit);

// Fields with everything but read and write.
ParameterField integer_field(std::string name, const NumberRule&, std::string doc);
ParameterField number_field(std::string name, const NumberRule&, std::string doc);
ParameterField boolean_field(std::string name, std::string doc);
ParameterField text_field(std::string name, std::string doc);
ParameterField choice_field(std::string name, const std::vector<std::string>& words, std::string doc);
ParameterField length_field(std::string name, const NumberRule&, std::string doc);
ParameterField length_pair_field(std::string name, const NumberRule&, std::string doc);
ParameterField length_sweep_field(std::string name, const NumberRule&, std::string doc);
ParameterField integers_field(std::string name, std::size_t count, const NumberRule&, std::string doc);
ParameterField integer_list_field(std::string name, std::size_t most, const NumberRule&, std::string doc);
ParameterField object_field(std::string name, const ParameterTable&, const std::vector<std::string>& words, std::string doc);

void check_unique_keys(const std::vector<ParameterField>&);

template <class T>
std::vector<std::string> words_of(const std::vector<std::pair<std::string, T>>& pairs) {
    std::vector<std::string> words;
    for (const auto& [word, value] : pairs) words.push_back(word);
    return words;
}

}  // namespace detail

template <class P>
TableBuilder<P>::TableBuilder() {
    table_.make_ = [] { return std::static_pointer_cast<void>(std::make_shared<P>()); };
}

template <class P>
TableBuilder<P>& TableBuilder<P>::integer(std::string name, int P::*member, NumberRule rule, std::string doc) {
    ParameterField field = detail::integer_field(std::move(name), rule, std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string&, const std::string& pointer) {
        static_cast<P*>(object)->*member = detail::read_integer(value, rule, pointer);
    };
    field.write = [=](const void* object) { return Json(static_cast<const P*>(object)->*member); };
    table_.fields_.push_back(std::move(field));
    return *this;
}

template <class P>
TableBuilder<P>& TableBuilder<P>::number(std::string name, double P::*member, NumberRule rule, std::string doc) {
    ParameterField field = detail::number_field(std::move(name), rule, std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string&, const std::string& pointer) {
        static_cast<P*>(object)->*member = detail::read_number(value, rule, pointer);
    };
    field.write = [=](const void* object) { return Json(static_cast<const P*>(object)->*member); };
    table_.fields_.push_back(std::move(field));
    return *this;
}

template <class P>
TableBuilder<P>& TableBuilder<P>::boolean(std::string name, bool P::*member, std::string doc) {
    ParameterField field = detail::boolean_field(std::move(name), std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string&, const std::string& pointer) {
        static_cast<P*>(object)->*member = detail::read_boolean(value, pointer);
    };
    field.write = [=](const void* object) { return Json(static_cast<const P*>(object)->*member); };
    table_.fields_.push_back(std::move(field));
    return *this;
}

template <class P>
TableBuilder<P>& TableBuilder<P>::text(std::string name, std::string P::*member, std::string doc) {
    ParameterField field = detail::text_field(std::move(name), std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string&, const std::string& pointer) {
        static_cast<P*>(object)->*member = detail::read_text(value, pointer);
    };
    field.write = [=](const void* object) { return Json(static_cast<const P*>(object)->*member); };
    table_.fields_.push_back(std::move(field));
    return *this;
}

template <class P>
template <class E>
TableBuilder<P>& TableBuilder<P>::choice(std::string name, E P::*member, std::vector<std::pair<std::string, E>> choices,
                                         std::string doc) {
    const std::vector<std::string> words = detail::words_of(choices);
    ParameterField field = detail::choice_field(std::move(name), words, std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string&, const std::string& pointer) {
        static_cast<P*>(object)->*member = choices[detail::read_choice(value, words, pointer)].second;
    };
    field.write = [=](const void* object) {
        const E value = static_cast<const P*>(object)->*member;
        for (const auto& [word, choice] : choices) {
            if (choice == value) return Json(word);
        }
        throw std::logic_error("a parameter holds a value that is none of its choices");
    };
    table_.fields_.push_back(std::move(field));
    return *this;
}

template <class P>
TableBuilder<P>& TableBuilder<P>::length(std::string name, double P::*member, NumberRule rule, std::string doc) {
    ParameterField field = detail::length_field(std::move(name), rule, std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string& key, const std::string& pointer) {
        static_cast<P*>(object)->*member = detail::read_length(value, rule, key, pointer);
    };
    field.write = [=](const void* object) { return detail::write_length(static_cast<const P*>(object)->*member, rule.unit); };
    table_.fields_.push_back(std::move(field));
    return *this;
}

template <class P>
TableBuilder<P>& TableBuilder<P>::length_pair(std::string name, std::array<double, 2> P::*member, NumberRule rule,
                                              std::string doc) {
    ParameterField field = detail::length_pair_field(std::move(name), rule, std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string& key, const std::string& pointer) {
        static_cast<P*>(object)->*member = detail::read_length_pair(value, rule, key, pointer);
    };
    field.write = [=](const void* object) {
        return detail::write_length_pair(static_cast<const P*>(object)->*member, rule.unit);
    };
    table_.fields_.push_back(std::move(field));
    return *this;
}

template <class P>
TableBuilder<P>& TableBuilder<P>::length_sweep(std::string name, LengthSweep P::*member, NumberRule rule, std::string doc) {
    ParameterField field = detail::length_sweep_field(std::move(name), rule, std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string& key, const std::string& pointer) {
        static_cast<P*>(object)->*member = detail::read_length_sweep(value, rule, key, pointer);
    };
    field.write = [=](const void* object) {
        return detail::write_length_sweep(static_cast<const P*>(object)->*member, rule.unit);
    };
    table_.fields_.push_back(std::move(field));
    return *this;
}

template <class P>
template <std::size_t N>
TableBuilder<P>& TableBuilder<P>::integers(std::string name, std::optional<std::array<int, N>> P::*member, NumberRule rule,
                                           std::string doc) {
    ParameterField field = detail::integers_field(std::move(name), N, rule, std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string&, const std::string& pointer) {
        std::array<int, N> read{};
        auto& target = static_cast<P*>(object)->*member;
        target = detail::read_integers(value, rule, pointer, read) ? std::optional(read) : std::nullopt;
    };
    field.write = [=](const void* object) {
        const auto& value = static_cast<const P*>(object)->*member;
        return value ? Json(*value) : Json(nullptr);
    };
    table_.fields_.push_back(std::move(field));
    return *this;
}

template <class P>
TableBuilder<P>& TableBuilder<P>::integer_list(std::string name, std::vector<int> P::*member, std::size_t most, NumberRule rule,
                                               std::string doc) {
    ParameterField field = detail::integer_list_field(std::move(name), most, rule, std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string&, const std::string& pointer) {
        static_cast<P*>(object)->*member = detail::read_integer_list(value, most, rule, pointer);
    };
    field.write = [=](const void* object) {
        const std::vector<int>& list = static_cast<const P*>(object)->*member;
        return list.empty() ? Json(nullptr) : list.size() == 1 ? Json(list.front()) : Json(list);
    };
    table_.fields_.push_back(std::move(field));
    return *this;
}

template <class P>
template <class Q>
TableBuilder<P>& TableBuilder<P>::object(std::string name, std::optional<Q> P::*member, const ParameterTable& table,
                                         std::vector<std::pair<std::string, Q>> objects, std::string doc) {
    static_assert(std::equality_comparable<Q>, "give the nested struct a defaulted operator==");
    const std::vector<std::string> words = detail::words_of(objects);
    ParameterField field = detail::object_field(std::move(name), table, words, std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string&, const std::string& pointer) {
        std::optional<Q>& target = static_cast<P*>(object)->*member;
        if (value.is_null()) {
            target.reset();
            return;
        }
        const std::size_t word = detail::read_word_or_object(value, words, pointer);
        target = word < objects.size() ? objects[word].second : table.parse(value, pointer).template as<Q>();
    };
    field.write = [=](const void* object) {
        const std::optional<Q>& value = static_cast<const P*>(object)->*member;
        if (!value) return Json(nullptr);
        for (const auto& [word, stands_for] : objects) {
            if (stands_for == *value) return Json(word);
        }
        return Parameters(&table, std::make_shared<Q>(*value)).to_json();
    };
    table_.fields_.push_back(std::move(field));
    return *this;
}

template <class P>
TableBuilder<P>& TableBuilder<P>::runtime() {
    if (table_.fields_.empty()) throw std::logic_error("runtime() marks the field before it, and there is none");
    table_.fields_.back().runtime = true;
    return *this;
}

template <class P>
ParameterTable TableBuilder<P>::build() {
    detail::check_unique_keys(table_.fields_);
    return std::move(table_);
}

}  // namespace parallax::engine
