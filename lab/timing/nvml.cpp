#include "timing/nvml.hpp"

#include "support/platform.hpp"

#include <type_traits>

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
    int (*power)(Handle, unsigned* milliwatts) = nullptr;
    int (*energy)(Handle, unsigned long long* millijoules) = nullptr;   // since Volta
    int (*throttle)(Handle, unsigned long long* reasons) = nullptr;
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
        find(nvml.energy, "nvmlDeviceGetTotalEnergyConsumption");
        find(nvml.throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
        return nvml;
    }
};

constexpr int sm_clock = 1, memory_clock = 2, gpu_sensor = 0;

template <class Function, class... Arguments>
std::optional<double> asked(Function function, double unit, Arguments... arguments) {
    unsigned value = 0;
    return function(arguments..., &value) == 0 ? std::optional(value * unit) : std::nullopt;
}

}  // namespace

std::optional<NvmlCard> NvmlCard::find(const host::DeviceInfo& info) {
    if (info.vendor.find("NVIDIA") == std::string::npos || !Nvml::get().works) return std::nullopt;
    Nvml::Handle device = nullptr;
    const bool found = (!info.pci.empty() && Nvml::get().by_pci(info.pci.c_str(), &device) == 0) ||
                       (!info.uuid.empty() && Nvml::get().by_uuid(("GPU-" + info.uuid).c_str(), &device) == 0);
    return found ? std::optional(NvmlCard(device)) : std::nullopt;
}

std::optional<double> NvmlCard::sm_mhz() const { return asked(Nvml::get().clock, 1, handle_, sm_clock); }
std::optional<double> NvmlCard::memory_mhz() const { return asked(Nvml::get().clock, 1, handle_, memory_clock); }
std::optional<double> NvmlCard::celsius() const { return asked(Nvml::get().temperature, 1, handle_, gpu_sensor); }
std::optional<double> NvmlCard::watts() const { return asked(Nvml::get().power, 1e-3, handle_); }

std::optional<double> NvmlCard::joules() const {
    unsigned long long value = 0;
    if (Nvml::get().energy == nullptr || Nvml::get().energy(handle_, &value) != 0) return std::nullopt;
    return static_cast<double>(value) * 1e-3;
}

std::vector<std::string> NvmlCard::throttled() const {
    constexpr unsigned long long power = 0x4 | 0x80, heat = 0x20 | 0x40, hardware = 0x8;   // nvmlClocksThrottleReason*
    unsigned long long reasons = 0;
    std::vector<std::string> words;
    if (Nvml::get().throttle == nullptr || Nvml::get().throttle(handle_, &reasons) != 0) return words;
    if ((reasons & power) != 0) words.emplace_back("power");
    if ((reasons & heat) != 0) words.emplace_back("heat");
    if ((reasons & hardware) != 0) words.emplace_back("hardware");
    return words;
}

}  // namespace parallax::engine::compare
