// NVIDIA GPUs through the CUDA driver.
#pragma once

#include "parallax/host/device.hpp"

namespace parallax::host::cuda {

/// Appends every CUDA device. No driver is no problem; a driver that fails, or no NVRTC beside a GPU, is listed as one.
/// Their indices are -1 unless OpenCL's devices, which come before them, are `counted`.
void add_devices(Inventory&, bool counted);

}  // namespace parallax::host::cuda
