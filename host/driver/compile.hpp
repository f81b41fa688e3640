#pragma once

#include <cstddef>
#include <string>

namespace driver {

/// Compiles what it is asked to, until nothing comes any more. One of these devices compiles `at_launch` as well: PoCL's.
int compile(const std::string& platform, std::size_t index, bool at_launch);

}  // namespace driver
