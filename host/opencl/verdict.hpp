// What children have found out about a driver's compiler, kept in the program cache.
#pragma once

#include "parallax/host/program.hpp"

#include <optional>
#include <string>

namespace parallax::host::opencl {

/// Nothing: nobody knows. Empty: the driver has compiled it. Else: why it is refused.
std::optional<std::string> known_verdict(ProgramCache*, const std::string& key);
/// An empty reason: the driver has compiled it.
void keep_verdict(ProgramCache*, const std::string& key, const std::string& reason);
/// Throws UnsupportedError for what has ended a child. `what` is told in it: the file, or a kernel of it.
[[noreturn]] void refuse(const std::string& file, const std::string& what, const std::string& options, const std::string& reason);
/// The reason of a verdict that was kept, with where.
std::string kept_reason(const ProgramCache&, const std::string& reason);

}  // namespace parallax::host::opencl
