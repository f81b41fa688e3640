// The platforms and devices of the driver that is on trial.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

namespace driver {

std::string text_of(cl_platform_id, cl_platform_info);
std::string text_of(cl_device_id, cl_device_info);
std::vector<cl_platform_id> platforms();
std::vector<cl_device_id> devices_of(cl_platform_id);
cl_context open_context(cl_platform_id, cl_device_id);

}  // namespace driver
