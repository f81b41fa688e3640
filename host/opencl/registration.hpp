// Drivers that are registered but broken, or there but not registered: the loader says nothing about either.
#pragma once

#include "parallax/host/device.hpp"

namespace parallax::host::opencl {

void add_registration_problems(Inventory&);

}  // namespace parallax::host::opencl
