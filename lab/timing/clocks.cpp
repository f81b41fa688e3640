#include "timing/clocks.hpp"

#include "support/platform.hpp"

namespace parallax::engine::compare {

namespace {

/// The few functions of nvml.h that are needed, by its ABI: 0 is success.
struct Nvml {
    using Handle = void*;
    int (*init)() = nullptr;
    int (*by_pci)(const char*, Handle*) = nullptr;
    int (*by_uuid)(const char*, Handle*) = nullptr;
    int (*clock)(Handle, int type, unsigned*) = nullptr;
    int (*temperature)(Handle, int sensor, unsigned*) = nullptr;
    int (*power)(Handle, unsigned*) = nullptr;
    bool works = false;

    static const Nvml& get() {
        static const Nvml library = open();
        return library;
    }

private:
    static Nvml open() {
        Nvml nvml;
        std::string problem;
        const auto library = host::platform::SharedLibrary::open("libnvidia-ml.so.1", problem);
        if (!library) return nvml;
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.symbol(name));
            return function != nullptr;
        };
        nvml.works = find(nvml.init, "nvmlInit_v2") && find(nvml.by_pci, "nvmlDeviceGetHandleByPciBusId_v2") &&
                     find(nvml.by_uuid, "nvmlDeviceGetHandleByUUID") && find(nvml.clock, "nvmlDeviceGetClockInfo") &&
                     find(nvml.temperature, "nvmlDeviceGetTemperature") && find(nvml.power, "nvmlDeviceGetPowerUsage") &&
                     nvml.init() == 0;
        return nvml;
    }
};

constexpr int sm_clock = 1, memory_clock = 2, gpu_sensor = 0;

}  // namespace

Json clocks_of(const host::DeviceInfo& info) {
    if (info.vendor.find("NVIDIA") == std::string::npos || !Nvml::get().works) return nullptr;
    const Nvml& nvml = Nvml::get();
    Nvml::Handle device = nullptr;
    const bool found = (!info.pci.empty() && nvml.by_pci(info.pci.c_str(), &device) == 0) ||
                       (!info.uuid.empty() && nvml.by_uuid(("GPU-" + info.uuid).c_str(), &device) == 0);
    if (!found) return nullptr;
    Json json = Json::object();
    unsigned value = 0;
    if (nvml.clock(device, sm_clock, &value) == 0) json["sm_mhz"] = value;
    if (nvml.clock(device, memory_clock, &value) == 0) json["memory_mhz"] = value;
    if (nvml.temperature(device, gpu_sensor, &value) == 0) json["celsius"] = value;
    if (nvml.power(device, &value) == 0) json["watts"] = value / 1000.0;
    return json;
}

}  // namespace parallax::engine::compare
