// Which devices a study takes, and what they are called in reports.
#include "compare/compare.hpp"
#include "parallax/host/implementation.hpp"
#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::compare {

namespace {

/// "pthread-skylake-avx512-Intel(R) Xeon(R) Processor" -> "Intel(R) Xeon(R) Processor": PoCL puts what it compiles for before it.
std::string plain_name(const host::DeviceInfo& info) {
    const std::size_t dash = info.name.rfind('-', info.name.find(' '));
    return is_pocl(info) && dash != std::string::npos && info.name.find(' ') != std::string::npos ? info.name.substr(dash + 1)
                                                                                                  : info.name;
}

std::string without_marks(std::string name) {
    for (const std::string mark : {"(R)", "(TM)", "(r)", "(tm)"}) {
        for (std::size_t at = name.find(mark); at != std::string::npos; at = name.find(mark)) name.erase(at, mark.size());
    }
    return name;
}

/// Whose OpenCL it is, where a device has several: a processor's may be PoCL's or Intel's.
std::string implementation_of(const host::DeviceInfo& info) {
    if (is_pocl(info)) return "PoCL";
    if (info.platform.starts_with("Intel(R)")) return "Intel's OpenCL";
    if (info.platform == "rusticl" || info.platform == "Oclgrind") return info.platform;
    return "OpenCL";
}

std::string label_of(const host::DeviceInfo& info) {
    if (info.backend == host::Backend::native) return without_marks(info.name);
    const std::string how = info.backend == host::Backend::cuda ? "CUDA" : implementation_of(info);
    return fmt::format("{}, {}", without_marks(plain_name(info)), how);
}

bool admits(const host::DeviceSelector& selector, const std::shared_ptr<const host::Device>& device) {
    return selector.explain({{device}, {}}).device != nullptr;
}

}  // namespace

std::vector<StudyDevice> devices_of(const Study& study, const host::Inventory& inventory,
                                    const std::optional<host::DeviceSelector>& only) {
    std::vector<StudyDevice> devices;
    std::vector<const host::Device*> taken;
    for (const DeviceChoice& choice : study.devices) {
        for (const auto& device : inventory.devices) {
            const host::DeviceInfo& info = device->info();
            if (!choice.rule.is_null() && !admits(host::DeviceSelector::parse(choice.rule, "/devices"), device)) continue;
            if (only && !admits(*only, device)) continue;
            const bool again = std::find(taken.begin(), taken.end(), device.get()) != taken.end();
            if (again && choice.label.empty()) continue;
            taken.push_back(device.get());
            std::string label = choice.label.empty() ? label_of(info) : choice.label;
            const std::string wanted = label;
            for (int n = 2; std::any_of(devices.begin(), devices.end(), [&](const StudyDevice& d) { return d.label == label; });
                 ++n)
                label = fmt::format("{} #{}", wanted, n);
            devices.push_back({std::move(label), info});
        }
    }
    if (devices.size() > most_devices)
        throw ConfigError("/devices", fmt::format("{} devices", devices.size()), fmt::format("at most {}", most_devices),
                          "choose fewer, by --device or by the study's \"devices\"");
    if (!devices.empty()) return devices;
    std::vector<std::string> reasons;
    for (const auto& device : inventory.devices)
        reasons.push_back(fmt::format("{} ({}) is not among {}", device->info().name, device->info().platform,
                                      only && !admits(*only, device) ? "those that were asked for" : "the study's \"devices\""));
    for (const host::PlatformProblem& problem : inventory.problems) reasons.push_back(problem.platform + ": " + problem.reason);
    throw UnsupportedError("the study takes none of this machine's devices", reasons);
}

}  // namespace parallax::engine::compare
