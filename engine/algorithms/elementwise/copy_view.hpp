// A part of an array, copied into an array without gaps (kernels_cl/elementwise/copy_view.cl).
#pragma once

#include "algorithms/elementwise/elementwise.hpp"

namespace parallax::engine::elementwise {

/// Rows of words, and the axes that say where each begins.
struct Rows {
    std::size_t word_bytes = 1;
    std::uint64_t offset = 0, count = 0, length = 0, stride = 1;    ///< in words
    std::vector<std::uint64_t> axes;                                ///< sizes, slowest first, then strides; at least one axis
};
/// Neighbouring axes become one where no gap is between them, and elements larger words where all of it stays aligned.
Rows rows_of(const ArrayDesc& view);

/// `view_of` gives what of the input is taken, by offset, sizes and strides; the output is that, dense.
using ViewOf = std::function<ArrayDesc(const Problem&)>;
Variant copy_view_variant(ViewOf);
Variant copy_view_reference(ViewOf);

}  // namespace parallax::engine::elementwise
