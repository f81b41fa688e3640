#include "parallax/host/enumerate.hpp"

#if defined(PARALLAX_HAS_CUDA)
#include "cuda/device.hpp"
#endif
#include "native/device.hpp"
#include "opencl/device.hpp"

#include <algorithm>

namespace parallax::host {
namespace {

Inventory inventory_of(bool opencl, [[maybe_unused]] bool cuda) {
    Inventory inventory;
    if (opencl) opencl::add_devices(inventory);
#if defined(PARALLAX_HAS_CUDA)
    if (cuda) cuda::add_devices(inventory, opencl);
    native::add_device(inventory, opencl && cuda);
#else
    native::add_device(inventory, opencl);
#endif
    return inventory;
}

/// Whether a backend's devices have to be known to find those that a rule admits.
bool asks(const Json& rule, std::string_view backend) {
    const int index = rule.value("index", 0);
    if (index < 0) return backend == "native";
    const std::string wanted = rule.value("backend", std::string());
    return wanted.empty() || wanted == backend ||
           (rule.contains("index") && backend == "opencl");   // OpenCL's devices come first in the list
}

/// Those that may be tried, in order.
Json rules_of(const DeviceSelector& selector) {
    Json all = selector.to_json();
    if (all.contains("use")) return all["use"].is_array() ? all["use"] : DeviceSelector().to_json()["prefer"];
    if (all["on_missing"] == "next" || all["prefer"].empty()) return all["prefer"];
    return Json::array({all["prefer"].front()});
}

}  // namespace

Inventory enumerate() { return inventory_of(true, true); }

Inventory enumerate(const DeviceSelector& selector, bool every) {
    every = every || selector.to_json().contains("use");
    bool opencl = false, cuda = false;
    Inventory inventory = inventory_of(opencl, cuda);
    for (const Json& rule : rules_of(selector)) {
        const bool more = (asks(rule, "opencl") && !opencl) || (asks(rule, "cuda") && !cuda);
        opencl = opencl || asks(rule, "opencl");
        cuda = cuda || asks(rule, "cuda");
        if (more) inventory = inventory_of(opencl, cuda);
        if (!every && DeviceSelector::parse(rule).explain(inventory).device) break;
    }
    return inventory;
}

std::shared_ptr<const Device> native_device() { return inventory_of(false, false).native(); }

bool falls_back(const DeviceSelector& selector, const Inventory& inventory) {
    const Json any = DeviceSelector().to_json()["prefer"], asked = selector.to_json();
    const Json rules = rules_of(selector);
    const bool takes_any = (asked.contains("use") ? asked["use"] == "all" : asked["on_missing"] == "next") &&
                           std::all_of(any.begin(), any.end(), [&](const Json& rule) {
                               return std::find(rules.begin(), rules.end(), rule) != rules.end();
                           });
    const auto& devices = inventory.devices;
    return takes_any && !devices.empty() && devices.back()->info().backend == Backend::native &&
           std::all_of(devices.begin(), devices.end(), [](const auto& device) {
               return device->info().backend == Backend::native || device->info().type == DeviceType::other;
           });
}

}  // namespace parallax::host
