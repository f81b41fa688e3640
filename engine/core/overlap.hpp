// Outputs that the caller has a place for: none may lie where it spoils what is still to be read.
#pragma once

#include "core/algorithm.hpp"
#include "core/device_array.hpp"

#include <map>
#include <string>

namespace parallax::engine {

using NamedArrays = std::map<std::string, DeviceArray, std::less<>>;

/// Whether an output may be the very memory of an input (Algorithm::in_place).
bool works_in_place(const Algorithm&, const ArrayDesc& input, const ArrayDesc& output);

/// Throws ConfigError at `pointer`/into/PORT where an array of `into` shares bytes with an input or another output, but for what
/// works_in_place().
void check_overlaps(const Algorithm&, const NamedArrays& inputs, const NamedArrays& outputs, const NamedArrays& into,
                    const std::string& pointer);

}  // namespace parallax::engine
