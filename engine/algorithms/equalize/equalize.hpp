// `equalize`: what is asked for, the serial reference, and the variants.
#pragma once

#include "core/algorithm.hpp"
#include "algorithms/histogram/parameters.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace parallax::engine::equalize {

enum class Formula { opencv, classic, skimage };

struct EqualizeParameters {
    Formula formula = Formula::opencv;
};

/// A bin for each level: 256 for u8, 65536 for u16. Throws ConfigError for an image that it cannot take.
histogram::HistogramSpec spec_of(const ArrayDesc& image);

/// What each level of a channel becomes: levels, or fractions of one for skimage. `counts`: the channel's histogram, with
/// at least one pixel. Formulas: kernels_cl/equalize/levels.clh.
std::vector<float> reference_table(Formula, std::span<const std::uint32_t> counts);

/// Elements of spec.type, or f32 for skimage; `out` has room for spec.count() of them. threads 0: as many as there are.
void reference_equalize(Formula, const histogram::HistogramSpec&, const std::byte* image, std::byte* out, int threads = 1);

Variant device_variant();
Variant threaded_variant();
Variant reference_variant();

}  // namespace parallax::engine::equalize
