// What is written down of an array beside its elements: another process goes on with it.
#pragma once

#include "parallax/array.hpp"
#include "parallax/host/json.hpp"

namespace parallax::engine::series {

/// {"type": "u16", "unit": "um", "axes": [["y", 480, 0.5], ["x", 640, 0.5]], "affine": [16 numbers], "notes": {...},
/// "channels": [...]}; the last three where there are any. Text is as the file has it, which need not be UTF-8.
Json described(const HostArray&);
/// An array without elements. Throws an exception for what described() does not write.
HostArray described_in(const Json&);

}  // namespace parallax::engine::series
