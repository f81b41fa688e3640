// Devices that tests run on: all that are there, the native one included, so that no implementation is tested by name.
#pragma once

#include "parallax/host/context.hpp"
#include "parallax/host/device.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::tests {

using DevicePtr = std::shared_ptr<const host::Device>;

namespace detail {

inline bool occurs(std::string_view part, std::string_view whole) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    return std::search(whole.begin(), whole.end(), part.begin(), part.end(), same) != whole.end();
}

}  // namespace detail

/// "llvmpipe (LLVM 15.0.6, 256 bits) [rusticl]": for INFO and CAPTURE.
inline std::string device_label(const host::Device& device) { return device.info().name + " [" + device.info().platform + "]"; }

/// Every device, narrowed by PARALLAX_TEST_DEVICES: parts of device, platform or version names, separated by commas, in any case.
/// The name of a backend ("cuda") means the devices of that backend alone.
/// No device at all is a failure, so that a broken installation does not look like a pass.
inline std::vector<DevicePtr> devices_under_test() {
    const host::Inventory inventory = host::enumerate();
    const char* const chosen = std::getenv("PARALLAX_TEST_DEVICES");
    std::vector<std::string> parts;
    std::istringstream list(chosen != nullptr ? chosen : "");
    for (std::string part; std::getline(list, part, ',');) {
        part.erase(0, std::min(part.find_first_not_of(' '), part.size()));
        part.erase(part.find_last_not_of(' ') + 1);
        if (!part.empty()) parts.push_back(part);
    }
    std::vector<DevicePtr> devices;
    for (const DevicePtr& device : inventory.devices)
        if (parts.empty() || std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
                const host::DeviceInfo& info = device->info();   // PoCL names itself in the version only
                for (const host::Backend backend : {host::Backend::opencl, host::Backend::cuda, host::Backend::native})
                    if (detail::occurs(part, to_string(backend)) && part.size() == to_string(backend).size())
                        return info.backend == backend;
                return detail::occurs(part, info.name) || detail::occurs(part, info.platform) ||
                       detail::occurs(part, info.version);
            }))
            devices.push_back(device);
    if (devices.empty()) {
        std::string message =
            "no device to test on; PARALLAX_TEST_DEVICES is \"" + std::string(chosen != nullptr ? chosen : "") + "\"";
        for (const DevicePtr& device : inventory.devices) message += "\n  there is " + device_label(*device);
        for (const host::PlatformProblem& problem : inventory.problems)
            message += "\n  " + problem.platform + ": " + problem.reason;
        throw std::runtime_error(message);
    }
    return devices;
}

/// Those of them that run kernels. Where the native device alone was asked for by name, the list is empty; where
/// nothing was asked for and there is no other device, that is a failure.
inline std::vector<DevicePtr> kernel_devices_under_test() {
    std::vector<DevicePtr> devices = devices_under_test();
    std::erase_if(devices, [](const DevicePtr& device) { return device->info().backend == host::Backend::native; });
    const char* const chosen = std::getenv("PARALLAX_TEST_DEVICES");
    if (devices.empty() && (chosen == nullptr || *chosen == '\0'))
        throw std::runtime_error("no device that runs kernels: install pocl-opencl-icd");
    return devices;
}

/// Oclgrind 21.10 crashes when two threads enqueue at once: tests of threads leave it out, and say so.
inline bool bears_threads(const host::Device& device) { return device.info().platform != "Oclgrind"; }

/// A context whose programs are kept on disk, so that a second run of the tests compiles nothing.
inline std::shared_ptr<host::Context> open_for_test(const DevicePtr& device) {
    return device->open({host::ProgramCache::open()});
}

}  // namespace parallax::tests
