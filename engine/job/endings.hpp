// Which files can hold an array, by the endings of their names.
#pragma once

#include "job/job.hpp"

namespace parallax::engine {

/// Throws ConfigError where the output's file cannot hold such an array.
void check_format(const OutputSpec&, const ArrayDesc&);

}  // namespace parallax::engine
