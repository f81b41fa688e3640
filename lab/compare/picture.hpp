// A small picture of an array, for reports that show results.
#pragma once

#include "parallax/array.hpp"
#include "parallax/host/json.hpp"

namespace parallax::engine::compare {

/// {"width", "height", "low", "high", "pixels": base64 of u8}: the array's range spread over 0 to 255; of more than two axes the
/// middle slice; at most 512 pixels a side, larger arrays cut to their middle. Complex arrays by their moduli.
Json picture_of(const HostArray&);

}  // namespace parallax::engine::compare
