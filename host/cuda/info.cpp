#include "cuda/info.hpp"

#include "cuda/errors.hpp"
#include "support/platform.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace parallax::host::cuda {
namespace {

std::string uuid_of(const Driver& driver, CUdevice device) {
    CUuuid uuid{};
    if (driver.device_get_uuid(&uuid, device) != CUDA_SUCCESS) return {};
    std::string text;
    for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
    }
    return text;
}

std::string pci_of(const Driver& driver, CUdevice device) {
    std::array<char, 32> text{};
    if (driver.device_get_pci_bus_id(text.data(), static_cast<int>(text.size()) - 1, device) != CUDA_SUCCESS) return {};
    return lower(trim(text.data()));
}

std::string driver_version(const Driver& driver) {
    const std::string cuda = fmt::format("CUDA {}.{}", driver.version / 1000, driver.version % 1000 / 10);
    const std::string own = platform::nvidia_driver_version();
    return own.empty() ? cuda : fmt::format("{} ({})", own, cuda);
}

}  // namespace

int device_value(const Driver& driver, CUdevice device, CUdevice_attribute what, int otherwise) {
    int value = 0;
    return driver.device_get_attribute(&value, what, device) == CUDA_SUCCESS ? value : otherwise;
}

int architecture_of(const Driver& driver, CUdevice device) {
    int major = 0, minor = 0;
    check(driver, driver.device_get_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
          "cuDeviceGetAttribute", "describe a device");
    check(driver, driver.device_get_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
          "cuDeviceGetAttribute", "describe a device");
    return 10 * major + minor;
}

DeviceInfo describe(const Driver& driver, CUdevice device) {
    const auto value = [&](CUdevice_attribute what, int otherwise) {
        return static_cast<std::uint32_t>(std::max(0, device_value(driver, device, what, otherwise)));
    };
    std::array<char, 256> name{};
    check(driver, driver.device_get_name(name.data(), static_cast<int>(name.size()) - 1, device), "cuDeviceGetName",
          "describe a device");
    const int architecture = architecture_of(driver, device);
    DeviceInfo info;
    info.backend = Backend::cuda;
    info.type = DeviceType::gpu;
    info.name = trim(name.data());
    info.vendor = "NVIDIA Corporation";   // as the OpenCL driver says it
    info.platform = "CUDA";
    info.version = fmt::format("compute capability {}.{}", architecture / 10, architecture % 10);
    info.driver = driver_version(driver);
    info.uuid = uuid_of(driver, device);
    info.pci = pci_of(driver, device);

    std::size_t memory = 0;
    check(driver, driver.device_total_mem(&memory, device), "cuDeviceTotalMem", "describe " + info.name);
    info.global_memory = info.max_allocation = memory;   // one allocation may take all there is
    info.local_memory = value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024);
    info.compute_units = value(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1);
    info.max_work_group = value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024);
    info.clock_mhz = value(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0) / 1000;
    info.base_align = 256;   // as cuMemAlloc aligns: a part of a buffer is as good a place as a buffer
    info.timer_ns = 500;     // "around 0.5 microseconds", says the manual
    info.unified_memory = value(CU_DEVICE_ATTRIBUTE_INTEGRATED, 0) != 0;
    info.capabilities = {"fp64", "int64_atomics"};
    if (info.unified_memory) info.capabilities.emplace_back("unified_memory");
    return info;
}

}  // namespace parallax::host::cuda
