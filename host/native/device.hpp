// The host processor as a device of its own: C++ functions on plain memory.
#pragma once

#include "parallax/host/device.hpp"

namespace parallax::host::native {

/// Appends the one native device. Its index is -1 unless all before it are `counted`.
void add_device(Inventory&, bool counted);

}  // namespace parallax::host::native
