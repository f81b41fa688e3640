// Which files can hold an array, by the endings of their names.
#pragma once

#include "job/job.hpp"

#include <filesystem>

namespace parallax::engine {

/// Throws ConfigError where the output's file, which will lie in `folder`, cannot hold such an array.
void check_format(const OutputSpec&, const std::filesystem::path& folder, const ArrayDesc&);

}  // namespace parallax::engine
