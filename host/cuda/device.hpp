// NVIDIA GPUs through the CUDA driver.
#pragma once

#include "parallax/host/device.hpp"

namespace parallax::host::cuda {

/// Appends every CUDA device. No driver is no problem; a driver that fails, or no NVRTC beside a GPU, is listed as one.
void add_devices(Inventory&);

}  // namespace parallax::host::cuda
