// Something that parameters ask to be found in the data, and that a series finds once for all its items: an item that is computed
// by itself, later or elsewhere, must not find something else.
#pragma once

#include "core/algorithm.hpp"

#include <functional>
#include <string>

namespace parallax::engine::series {

struct Finding {
    std::string record;                                                    ///< the output that tells what was found
    std::function<bool(const Parameters&)> needed;                         ///< whether these parameters ask for it
    std::function<Json(const Json& parameters, const Json& record)> fix;   ///< parameters that state what was found
};

/// What the algorithm of this name can be asked to find; null: nothing.
const Finding* finding_of(const std::string& algorithm);

}  // namespace parallax::engine::series
