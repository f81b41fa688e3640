#include "io/readers/zarr_type.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>

#include "io/half.hpp"

namespace parallax::io::readers::zarr {
namespace {

/// The 16 bits that mean this number; one of them does where a header states it.
std::uint16_t half_of(double number) {
    std::uint16_t nearest = 0x7e00;   // NaN
    for (std::uint32_t bits = 0; bits < 0x10000 && !std::isnan(number); ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const double value = parallax::io::widen_half(half);
        if (value == number) return half;
        if (!std::isnan(value) &&
            (nearest == 0x7e00 || std::abs(value - number) < std::abs(parallax::io::widen_half(nearest) - number)))
            nearest = half;
    }
    return nearest;
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
    const std::string name = type.name;
    const double number = value.is_number()      ? value.get<double>()
                          : value == "NaN"       ? NAN
                          : value == "Infinity"  ? INFINITY
                          : value == "-Infinity" ? -INFINITY
                                                 : 0;
    const auto put = [&](auto v) {   // the lowest bytes
        std::memcpy(fill.element.data(), &v, std::min(sizeof v, fill.element.size()));
    };
    if (value.is_null() || value == false) return fill;
    if (type.half)
        put(half_of(number));
    else if (name == "f32" || name == "c64")
        put(static_cast<float>(number));
    else if (name == "f64" || name == "c128")
        put(number);
    else if (value.is_number_unsigned())
        put(value.get<std::uint64_t>());
    else if (value.is_number_integer())
        put(value.get<std::int64_t>());
    else if (value == true)
        put(std::uint8_t{1});
    else if (std::abs(number) < 0x1p53 && number == std::floor(number) && value.is_number())   // 3.0
        put(static_cast<std::int64_t>(number));
    else
        fill.why_none = "lacks chunks and fills them with " + value.dump() + ", which is no " + name;
    return fill;
}

}   // namespace parallax::io::readers::zarr
