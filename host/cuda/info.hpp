// What the driver says about a device, as a DeviceInfo.
#pragma once

#include "cuda/driver.hpp"
#include "parallax/host/device.hpp"

namespace parallax::host::cuda {

/// A number, or `otherwise` where the driver does not know the question.
int device_value(const Driver&, CUdevice, CUdevice_attribute, int otherwise);
/// 90 for compute capability 9.0. Throws DeviceError.
int architecture_of(const Driver&, CUdevice);
/// Throws DeviceError where the driver does not even tell the device's name.
DeviceInfo describe(const Driver&, CUdevice);

}  // namespace parallax::host::cuda
