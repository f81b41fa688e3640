// The host processor as a device of its own: C++ functions on plain memory.
#pragma once

#include "parallax/host/device.hpp"

namespace parallax::host::native {

/// Appends the one native device.
void add_device(Inventory&);

}  // namespace parallax::host::native
