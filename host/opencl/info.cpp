#include "opencl/info.hpp"

#include "opencl/errors.hpp"
#include "support/text.hpp"

#include <CL/cl_ext.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <sstream>

namespace parallax::host::opencl {
namespace {

// Queries of vendors' extensions that Debian's headers leave out.
constexpr cl_device_info nv_pci_bus = 0x4008, nv_pci_slot = 0x4009, nv_pci_domain = 0x400A;

bool has_extension(const DeviceInfo& info, std::string_view name) {
    return std::find(info.extensions.begin(), info.extensions.end(), name) != info.extensions.end();
}

// A device that claims to be of several types at once (Oclgrind) is none of them, but a simulator: it is taken where it is asked
// for.
DeviceType type_of(cl_device_type type) {
    if (std::popcount(type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_ACCELERATOR)) > 1)
        return DeviceType::other;
    if ((type & CL_DEVICE_TYPE_GPU) != 0) return DeviceType::gpu;
    if ((type & CL_DEVICE_TYPE_CPU) != 0) return DeviceType::cpu;
    if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return DeviceType::accelerator;
    return DeviceType::other;
}

std::string uuid_of(cl_device_id device, const DeviceInfo& info) {
    std::array<cl_uchar, 16> bytes{};
    if (!has_extension(info, "cl_khr_device_uuid") ||
        clGetDeviceInfo(device, CL_DEVICE_UUID_KHR, sizeof bytes, bytes.data(), nullptr) != CL_SUCCESS ||
        std::all_of(bytes.begin(), bytes.end(), [](cl_uchar byte) { return byte == 0; }))
        return {};
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += fmt::format("{:02x}", bytes[i]);
    }
    return text;
}

std::string pci_of(cl_device_id device, const DeviceInfo& info) {
    if (has_extension(info, "cl_khr_pci_bus_info")) {
        cl_device_pci_bus_info_khr pci{};
        if (clGetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof pci, &pci, nullptr) == CL_SUCCESS)
            return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.pci_domain, pci.pci_bus, pci.pci_device, pci.pci_function);
    }
    if (has_extension(info, "cl_nv_device_attribute_query")) {
        cl_uint bus = 0, slot = 0;
        if (clGetDeviceInfo(device, nv_pci_bus, sizeof bus, &bus, nullptr) == CL_SUCCESS &&
            clGetDeviceInfo(device, nv_pci_slot, sizeof slot, &slot, nullptr) == CL_SUCCESS)
            return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", device_value<cl_uint>(device, nv_pci_domain, 0), bus, slot >> 3,
                               slot & 7);
    }
    return {};
}

}  // namespace

std::string platform_string(cl_platform_id platform, cl_platform_info what) {
    std::size_t size = 0;
    if (clGetPlatformInfo(platform, what, 0, nullptr, &size) != CL_SUCCESS) return {};
    std::string text(size, '\0');
    if (clGetPlatformInfo(platform, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
    return trim(text);
}

std::string device_string(cl_device_id device, cl_device_info what) {
    std::size_t size = 0;
    if (clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS) return {};
    std::string text(size, '\0');
    if (clGetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
    return trim(text);
}

DeviceInfo describe(cl_device_id device, const std::string& platform) {
    DeviceInfo info;
    std::size_t size = 0;
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, 0, nullptr, &size), "clGetDeviceInfo", "describe a device of " + platform);
    info.backend = Backend::opencl;
    info.type = type_of(device_value<cl_device_type>(device, CL_DEVICE_TYPE, 0));
    info.name = device_string(device, CL_DEVICE_NAME);
    info.vendor = device_string(device, CL_DEVICE_VENDOR);
    info.platform = platform;
    info.version = device_string(device, CL_DEVICE_VERSION);
    info.driver = device_string(device, CL_DRIVER_VERSION);

    std::istringstream extensions(device_string(device, CL_DEVICE_EXTENSIONS));
    for (std::string name; extensions >> name;) info.extensions.push_back(name);
    info.uuid = uuid_of(device, info);
    info.pci = pci_of(device, info);

    info.global_memory = device_value<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE, 0);
    info.max_allocation = device_value<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0);
    info.local_memory = device_value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE, 0);
    info.compute_units = device_value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS, 1);
    info.max_work_group = static_cast<std::uint32_t>(device_value<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1));
    info.clock_mhz = device_value<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY, 0);
    info.base_align = std::max(1u, device_value<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024) / 8);   // told in bits
    info.timer_ns = static_cast<std::uint32_t>(device_value<std::size_t>(device, CL_DEVICE_PROFILING_TIMER_RESOLUTION, 1));
    info.unified_memory = device_value<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE) == CL_TRUE;
    info.images = device_value<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT, CL_FALSE) == CL_TRUE;

    if (info.images) info.capabilities.emplace_back("images");
    if (has_extension(info, "cl_khr_fp64")) info.capabilities.emplace_back("fp64");
    if (has_extension(info, "cl_khr_int64_base_atomics")) info.capabilities.emplace_back("int64_atomics");
    if (info.unified_memory) info.capabilities.emplace_back("unified_memory");
    if (has_extension(info, "cl_khr_subgroups") || has_extension(info, "cl_intel_subgroups"))
        info.capabilities.emplace_back("subgroups");
    return info;
}

int reported_warp_width(cl_device_id device, const DeviceInfo& info) {
    constexpr cl_device_info nv_warp_size = 0x4003, amd_wavefront_width = 0x4043;
    if (has_extension(info, "cl_nv_device_attribute_query"))
        return static_cast<int>(device_value<cl_uint>(device, nv_warp_size, 1));
    if (has_extension(info, "cl_amd_device_attribute_query"))
        return static_cast<int>(device_value<cl_uint>(device, amd_wavefront_width, 1));
    return 1;
}

}  // namespace parallax::host::opencl
