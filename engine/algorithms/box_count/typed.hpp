// Voxels by their type.
#pragma once

#include "algorithms/box_count/box_count.hpp"

#include <cstddef>
#include <cstdint>
#include <variant>

namespace parallax::engine::box_count {

/// body(pointer to the voxels in their type).
template <class Body>
auto with_type(ElementType type, const std::byte* voxels, const Body& body) {
    switch (type) {
        case ElementType::i8: return body(reinterpret_cast<const std::int8_t*>(voxels));
        case ElementType::u16: return body(reinterpret_cast<const std::uint16_t*>(voxels));
        case ElementType::i16: return body(reinterpret_cast<const std::int16_t*>(voxels));
        case ElementType::u32: return body(reinterpret_cast<const std::uint32_t*>(voxels));
        case ElementType::i32: return body(reinterpret_cast<const std::int32_t*>(voxels));
        case ElementType::u64: return body(reinterpret_cast<const std::uint64_t*>(voxels));
        case ElementType::i64: return body(reinterpret_cast<const std::int64_t*>(voxels));
        case ElementType::f64: return body(reinterpret_cast<const double*>(voxels));
        case ElementType::f32: return body(reinterpret_cast<const float*>(voxels));
        default: return body(reinterpret_cast<const std::uint8_t*>(voxels));   // spec_of() admits u8 and bool beside those
    }
}

/// A value of a band in the voxels' own type.
template <class T>
T value_as(const Number& value) {
    return std::visit([](auto v) { return static_cast<T>(v); }, value);
}

/// A band in the voxels' own type.
template <class T>
struct TypedBand {
    explicit TypedBand(const Band& b) : low(value_as<T>(b.low)), high(value_as<T>(b.high)) {}
    bool holds(T v) const noexcept { return (v >= low) & (v <= high); }
    T low, high;
};

}  // namespace parallax::engine::box_count
