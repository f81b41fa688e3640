// Drivers on trial: each is loaded by a child first, since what is loaded here can end this process, or stop it for ever.
#pragma once

#include "opencl/registration.hpp"

namespace parallax::host::opencl {

/// Loads those that this process has not loaded already, all at once, in a child each (parallax-driver), and returns the ones
/// that ended it or did not come to an end within PARALLAX_DRIVER_TIMEOUT_S (30) of their own time (Child::own_time), or ten
/// times that by the clock. A verdict is kept in the program cache: a good one for as long as driver, system and environment are
/// the same, a bad one for ten minutes under the same circumstances (circumstances.hpp), and one of a driver that was given up
/// for a minute, unless the limit is raised; none where somebody else has ended the child. Without the helper program none is
/// tried, and none is returned.
std::vector<LeftOut> try_drivers(const std::vector<Registration>&);

}  // namespace parallax::host::opencl
