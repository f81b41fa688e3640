#include "devices.hpp"

namespace driver {
namespace {

template <class Get, class Object>
std::string text(Get get_info, Object object, cl_uint what) {
    std::size_t size = 0;
    if (get_info(object, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
    std::string text(size, '\0');
    if (get_info(object, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
    const std::size_t first = text.find_first_not_of(" \t\r\n\0"), last = text.find_last_not_of(std::string(" \t\r\n\0", 5));
    return first == std::string::npos || last == std::string::npos ? std::string() : text.substr(first, last + 1 - first);
}

}  // namespace

std::string text_of(cl_platform_id platform, cl_platform_info what) { return text(clGetPlatformInfo, platform, what); }
std::string text_of(cl_device_id device, cl_device_info what) { return text(clGetDeviceInfo, device, what); }

std::vector<cl_platform_id> platforms() {
    cl_uint count = 0;
    if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
    std::vector<cl_platform_id> list(count);
    if (count > 0 && clGetPlatformIDs(count, list.data(), nullptr) != CL_SUCCESS) return {};
    return list;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
    std::vector<cl_device_id> list(count);
    if (count > 0 && clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, list.data(), nullptr) != CL_SUCCESS) return {};
    return list;
}

cl_context open_context(cl_platform_id platform, cl_device_id device) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform), 0};
    return clCreateContext(properties, 1, &device, nullptr, nullptr, nullptr);
}

}  // namespace driver
