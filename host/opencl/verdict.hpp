// What children have found out about a driver's compiler, kept in the program cache: that it compiles something for as long as
// the entry is there, that it does not for as long as a failure is believed (failure.hpp).
#pragma once

#include "parallax/host/program.hpp"

#include <optional>
#include <string>

namespace parallax::host::opencl {

/// Nothing: nobody knows. Empty: the driver has compiled it. Else: why it is refused, with where that is kept and how long.
std::optional<std::string> known_verdict(ProgramCache*, const std::string& key);
/// The driver has compiled it.
void keep_sound(ProgramCache*, const std::string& key);
/// It has ended the child, and nobody else has; what that took. Returns the reason, with where that is kept and how long.
std::string keep_failure(ProgramCache*, const std::string& key, const std::string& reason, double took_s);
/// Throws UnsupportedError for what has ended a child. `what` is told in it: the file, or a kernel of it.
[[noreturn]] void refuse(const std::string& file, const std::string& what, const std::string& options, const std::string& reason);

}  // namespace parallax::host::opencl
