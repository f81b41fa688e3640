// Fields of numbers that must stay what was written: exact numbers, those that may be missing, and labels with or without names.
#pragma once

#include "core/parameters.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace parallax::engine {

/// A number as it was written: integers of 64 bits stay exact, where a double would skip some from 2^53 on.
using Number = std::variant<double, std::int64_t, std::uint64_t>;
double to_double(const Number&) noexcept;
Json to_json(const Number&);

/// A value of the array's that stands for a structure, with the name that people know it by; empty: none.
struct Label {
    Number value;                          ///< an integer; unsigned only from 2^63 on
    std::string name;
    bool operator==(const Label&) const = default;
};

Number read_exact_number(const Json&, const std::string& pointer);
/// An integer, a list of up to `most`, or an object of names by integer such as {"3": "thalamus"}; empty for null.
std::vector<Label> read_labels(const Json&, std::size_t most, const std::string& pointer);
Json write_labels(const std::vector<Label>&);

// With everything but read and write.
ParameterField exact_number_field(std::string name, std::string doc);
ParameterField optional_number_field(std::string name, std::string doc);
ParameterField labels_field(std::string name, std::size_t most, std::string doc);

/// A kind of field that TableBuilder does not know, put into a table that it has built.
struct OwnField;
template <>
class TableBuilder<OwnField> {
public:
    static void insert(ParameterTable& table, std::size_t at, ParameterField field) {
        table.fields_.insert(table.fields_.begin() + static_cast<std::ptrdiff_t>(at), std::move(field));
    }
};

/// Fields of these kinds in a struct P.
template <class P>
ParameterField exact_number(std::string name, Number P::*member, std::string doc) {
    ParameterField field = exact_number_field(std::move(name), std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string&, const std::string& pointer) {
        static_cast<P*>(object)->*member = read_exact_number(value, pointer);
    };
    field.write = [=](const void* object) { return to_json(static_cast<const P*>(object)->*member); };
    return field;
}

/// Empty: null, and not given.
template <class P>
ParameterField optional_number(std::string name, std::optional<double> P::*member, std::string doc) {
    ParameterField field = optional_number_field(std::move(name), std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string&, const std::string& pointer) {
        static_cast<P*>(object)->*member =
            value.is_null() ? std::nullopt : std::optional(detail::read_number(value, NumberRule(), pointer));
    };
    field.write = [=](const void* object) {
        const auto& value = static_cast<const P*>(object)->*member;
        return value ? Json(*value) : Json(nullptr);
    };
    return field;
}

template <class P>
ParameterField labels(std::string name, std::vector<Label> P::*member, std::size_t most, std::string doc) {
    ParameterField field = labels_field(std::move(name), most, std::move(doc));
    field.read = [=](void* object, const Json& value, const std::string&, const std::string& pointer) {
        static_cast<P*>(object)->*member = read_labels(value, most, pointer);
    };
    field.write = [=](const void* object) { return write_labels(static_cast<const P*>(object)->*member); };
    return field;
}

}  // namespace parallax::engine
