// What a driver says about a device, as a DeviceInfo.
#pragma once

#include "opencl/api.hpp"
#include "parallax/host/device.hpp"

namespace parallax::host::opencl {

std::string platform_string(cl_platform_id, cl_platform_info);
std::string device_string(cl_device_id, cl_device_info);

/// A number, or `otherwise` where the driver does not know the question.
template <class T>
T device_value(cl_device_id device, cl_device_info what, T otherwise) {
    T value{};
    return clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

/// Throws DeviceError where the driver does not even tell the device's name.
DeviceInfo describe(cl_device_id, const std::string& platform);

/// Work-items that the driver says run together (NVIDIA's warp, AMD's wavefront), 1 where it says nothing.
int reported_warp_width(cl_device_id, const DeviceInfo&);

}  // namespace parallax::host::opencl
