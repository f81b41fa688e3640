// Parameters of `noise`, what they come to for an image, and the variants.
#pragma once

#include "core/algorithm.hpp"

#include <cstdint>

namespace parallax::engine::noise {

enum class Kind { gaussian, speckle, salt_and_pepper };   ///< as KIND in kernels_cl/noise/add.cl

struct NoiseParameters {
    Kind kind = Kind::gaussian;
    double variance = 0.01;    ///< of a full scale of 1
    double density = 0.05;     ///< share of pixels that salt and pepper replace
    double full_scale = 0;     ///< 0: 255, 65535, and 1 for f32
    bool clip = true;
    int seed = 1;
};

ParameterTable noise_table();

/// What a kernel or a loop needs.
struct NoiseSpec {
    Kind kind = Kind::gaussian;
    ElementType type = ElementType::f32;
    std::uint64_t count = 0, seed = 1, threshold = 0;
    float scale = 0, full = 1;
    bool clip = true;

    /// Whether the image may have levels that are cut off although nobody put noise on them.
    bool may_cut() const noexcept {
        return clip && kind != Kind::salt_and_pepper && (type == ElementType::f32 || full < static_cast<float>(levels()));
    }
    /// Largest grey level of the type, 0 for f32.
    int levels() const noexcept { return type == ElementType::u8 ? 255 : type == ElementType::u16 ? 65535 : 0; }
};

/// Throws ConfigError for an image that noise cannot be put on.
NoiseSpec spec_of(const Problem&);

/// What is to be told where levels lie outside 0 to full scale.
Json told(bool beyond, const NoiseSpec&);

Variant device_variant();
Variant reference_variant();

}  // namespace parallax::engine::noise
