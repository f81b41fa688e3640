// Parameters of `box_filter`, and what they mean for an image.
#pragma once

#include "core/algorithm.hpp"
#include "core/parameters.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace parallax::engine::box_filter {

enum class Border { reflect_101, reflect, replicate, constant };   ///< as in kernels_cl/box_filter/border.clh

struct BoxParameters {
    std::vector<int> radius;   ///< one number for every axis, or x, y and, of a volume, z; empty: 1 unless there is a size
    std::vector<int> size;     ///< the same for whole windows
    Border border = Border::reflect_101;
    double value = 0;
};

ParameterTable box_table();

/// The largest radius that a job may ask for.
inline constexpr int largest_radius = 1000000;

/// What is filtered. In memory [outer][depth][middle][height][width][channels], dense.
struct BoxSpec {
    ElementType type = ElementType::f32;              ///< u8, u16 or f32
    std::int64_t outer = 1, depth = 1, middle = 1, height = 1, width = 1, channels = 1;
    std::array<std::int64_t, 3> window{1, 1, 1};      ///< elements along x, y, z
    Border border = Border::reflect_101;
    double value = 0;

    std::int64_t count() const noexcept { return outer * depth * middle * height * width * channels; }
    std::int64_t taps() const noexcept { return window[0] * window[1] * window[2]; }
    /// What stands outside the image; 0 where the border is no constant, and none is read.
    double fill() const noexcept { return border == Border::constant ? value : 0; }
    bool is_float() const noexcept { return type == ElementType::f32; }
    /// Whether sums of integers need 64 bits.
    bool is_wide() const noexcept;
    /// The largest number of the type, of integers.
    std::uint64_t largest() const noexcept { return type == ElementType::u8 ? 255 : 65535; }
};

/// Everything checked; throws ConfigError at the input or parameter that is wrong.
BoxSpec spec_of(const Problem&);

/// Index in [0, n) of the element that stands at `i` of the array extended by a border; -1: the constant.
std::int64_t border_index(Border, std::int64_t i, std::int64_t n) noexcept;

Variant simd_variant();
Variant packed_variant();
Variant fused_variant();
Variant strip_variant();
Variant pixel_variant();
Variant image_variant();
Variant threaded_variant();
Variant reference_variant();

}  // namespace parallax::engine::box_filter
