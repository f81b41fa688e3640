#include "io/readers/zarr_type.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>

#include "io/half.hpp"

namespace parallax::io::readers::zarr {
namespace {

/// As version 2 states floats. Texts beyond these three, "0x7fc00000" of version 3 among them, it has none.
std::optional<double> number_of(const Json& value) {
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (value.is_number()) return value.get<double>();
    if (value == "NaN") return NAN;
    if (value == "Infinity") return INFINITY;
    if (value == "-Infinity") return -INFINITY;
    return std::nullopt;
}

/// A whole number that the type holds, as its lowest bytes.
std::optional<std::uint64_t> whole_of(const Json& value, const Type& type) {
    const bool has_sign = type.name[0] == 'i';
    const std::uint64_t most = ~std::uint64_t{0} >> (64 - 8 * type.bytes + (has_sign ? 1 : 0));
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        return number <= most ? std::optional(number) : std::nullopt;
    }
    const std::optional<double> number = number_of(value);
    std::int64_t whole = 0;
    if (value.is_number_integer()) whole = value.get<std::int64_t>();
    else if (number && std::abs(*number) < 0x1p53 && *number == std::floor(*number)) whole = static_cast<std::int64_t>(*number);
    else return std::nullopt;
    const bool fits = whole >= 0 ? static_cast<std::uint64_t>(whole) <= most
                                 : has_sign && static_cast<std::uint64_t>(-(whole + 1)) <= most;
    return fits ? std::optional(static_cast<std::uint64_t>(whole)) : std::nullopt;
}

template <class T>
void put(std::vector<char>& element, std::size_t at, T value, std::size_t bytes = sizeof(T)) {
    std::memcpy(element.data() + at, &value, bytes);
}

/// A number of the size of a part of the type.
void put_float(std::vector<char>& element, std::size_t at, double number, std::size_t bytes) {
    if (bytes == 2) put(element, at, narrow_half(number));
    else if (bytes == 4) put(element, at, static_cast<float>(number));
    else put(element, at, number);
}

/// Whether the value is one of the type.
bool put_value(std::vector<char>& element, const Json& value, const Type& type) {
    const bool complex = type.name[0] == 'c', floating = complex || type.name[0] == 'f';
    if (!floating && std::strcmp(type.name, "bool") != 0) {
        const std::optional<std::uint64_t> whole = whole_of(value, type);
        if (whole) put(element, 0, *whole, type.bytes);
        return whole.has_value();
    }
    const bool pair = complex && value.is_array() && value.size() == 2;   // its real and its imaginary part
    const std::optional<double> number = number_of(pair ? value[0] : value), imaginary = pair ? number_of(value[1]) : 0.0;
    if (!number || !imaginary) return false;
    if (!floating) put(element, 0, static_cast<std::uint8_t>(*number != 0));
    else put_float(element, 0, *number, type.part);
    if (complex) put_float(element, type.part, *imaginary, type.part);
    return true;
}

}   // namespace

Type type_of(const std::string& dtype) {
    static const std::map<std::string, Type> types = {
        {"b1", {"bool", 1, 1}},      {"u1", {"u8", 1, 1}},  {"i1", {"i8", 1, 1}},  {"u2", {"u16", 2, 2}},   {"i2", {"i16", 2, 2}},
        {"u4", {"u32", 4, 4}},       {"i4", {"i32", 4, 4}}, {"u8", {"u64", 8, 8}}, {"i8", {"i64", 8, 8}},   {"f4", {"f32", 4, 4}},
        {"f2", {"f32", 2, 2, true}}, {"f8", {"f64", 8, 8}}, {"c8", {"c64", 8, 4}}, {"c16", {"c128", 16, 8}}};
    const auto found = dtype.size() < 3 ? types.end() : types.find(dtype.substr(1));
    if (found == types.end())
        throw Problem{"holds elements of the type \"" + dtype + "\", which is not read", "write it as integers or floats"};
    return found->second;
}

Fill fill_of(const Json& value, const Type& type) {
    Fill fill;
    fill.element.assign(type.bytes, '\0');
    if (!value.is_null() && !put_value(fill.element, value, type))
        fill.why_none = "lacks chunks and fills them with " + value.dump() + ", which is no " + type.name;
    return fill;
}

}   // namespace parallax::io::readers::zarr
