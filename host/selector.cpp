#include "parallax/host/selector.hpp"

#include "parallax/host/enumerate.hpp"
#include "parallax/host/error.hpp"
#include "support/text.hpp"
#include "support/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace parallax::host {
namespace {

// Names that people use and drivers do not.
constexpr std::pair<std::string_view, std::string_view> aliases[] = {
    {"amd", "advanced micro devices"},
    {"pocl", "portable computing language"},
};

bool name_matches(std::string_view whole, std::string_view part) {
    if (contains_nocase(whole, part)) return true;
    return std::any_of(std::begin(aliases), std::end(aliases),
                       [&](const auto& alias) { return lower(part) == alias.first && contains_nocase(whole, alias.second); });
}

std::string compact_uuid(std::string_view text) {
    std::string uuid = lower(text);
    std::erase(uuid, '-');
    return uuid;
}

// "3b:00.0", "0000:3B:00.0" and NVIDIA's "00000000:3b:00.0" are the same place.
std::string full_pci(std::string_view text) {
    std::string address = lower(text);
    if (std::count(address.begin(), address.end(), ':') == 1) address = "0:" + address;
    const std::size_t colon = address.find(':');
    std::string domain = address.substr(0, colon);
    domain.erase(0, std::min(domain.find_first_not_of('0'), domain.size()));
    return fmt::format("{:0>4}{}", domain, address.substr(std::min(colon, address.size())));
}

// The native device is slow and exact: it must be meant, not met by accident ("type": "cpu", "name": "xeon").
bool asks_for_native(const DeviceRule& rule) {
    const auto says_native = [](const std::optional<std::string>& text) { return text && contains_nocase(*text, "native"); };
    return rule.backend == Backend::native || rule.index || says_native(rule.name) || says_native(rule.platform) ||
           says_native(rule.vendor);
}

// A simulator is thousands of times slower than what it simulates.
bool asks_for_other(const DeviceRule& rule) {
    return rule.type == DeviceType::other || rule.name || rule.platform || rule.index || rule.uuid;
}

std::string numbered(std::size_t rule, const DeviceRule& text) {
    const std::string described = text.describe();
    return described.empty() ? fmt::format("rule {}", rule + 1) : fmt::format("rule {} ({})", rule + 1, described);
}

/// Those that are marked, a device that two backends show once.
std::vector<std::shared_ptr<const Device>> each_once(const Inventory& inventory, const std::vector<bool>& marked) {
    std::vector<std::shared_ptr<const Device>> devices;
    for (std::size_t i = 0; i < marked.size(); ++i) {
        if (!marked[i]) continue;
        const DeviceInfo& info = inventory.devices[i]->info();
        const bool again = std::any_of(devices.begin(), devices.end(), [&](const auto& other) {
            return other->info().platform_index != info.platform_index && !info.pci.empty() &&
                   full_pci(other->info().pci) == full_pci(info.pci);
        });
        if (!again) devices.push_back(inventory.devices[i]);
    }
    return devices;
}

/// Rules that are tried where none before them is met.
std::size_t how_many(const std::vector<DeviceRule>& rules, bool all) {
    return all ? rules.size() : std::min<std::size_t>(1, rules.size());
}

/// Of the devices that one rule admits, those that come first: as the default's rules have it.
int place_of(DeviceType type) {
    switch (type) {
        case DeviceType::gpu: return 0;
        case DeviceType::accelerator: return 1;
        case DeviceType::cpu: return 2;
        default: return 3;
    }
}

/// The first of the best type that a rule admits; -1: none.
int first_of(const DeviceRule& rule, const Inventory& inventory) {
    int first = -1;
    const auto type_of = [&](int device) { return inventory.devices[static_cast<std::size_t>(device)]->info().type; };
    for (int i = 0; i < static_cast<int>(inventory.devices.size()); ++i) {
        if (!rule.why_not(inventory.devices[static_cast<std::size_t>(i)]->info()).empty()) continue;
        if (first < 0 || place_of(type_of(i)) < place_of(type_of(first))) first = i;
    }
    return first;
}

bool any_of(const Inventory& inventory, Backend backend) {
    return std::any_of(inventory.devices.begin(), inventory.devices.end(),
                       [backend](const auto& device) { return device->info().backend == backend; });
}

#if defined(PARALLAX_HAS_CUDA)
constexpr const char* no_cuda =
    "there is no CUDA device, and no NVIDIA driver (libcuda.so.1); devices of other drivers were not asked for";
#else
constexpr const char* no_cuda = "this program was built without CUDA; devices of other drivers were not asked for";
#endif

}  // namespace

std::string DeviceRule::describe() const {
    std::vector<std::string> parts;
    const auto text = [&](std::string_view key, const std::optional<std::string>& value) {
        if (value) parts.push_back(fmt::format("{} {}", key, *value));
    };
    if (backend) parts.push_back(fmt::format("backend {}", to_string(*backend)));
    text("vendor", vendor);
    if (type) parts.push_back(fmt::format("type {}", to_string(*type)));
    text("platform", platform);
    text("name", name);
    if (index) parts.push_back(fmt::format("index {}", *index));
    text("uuid", uuid);
    text("pci", pci);
    if (min_memory) parts.push_back(fmt::format("at least {} of memory", human_bytes(*min_memory)));
    if (!require.empty()) parts.push_back(fmt::format("requires {}", fmt::join(require, " and ")));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string DeviceRule::why_not(const DeviceInfo& info) const {
    const auto quoted = [](std::string_view what, std::string_view value) {
        return value.empty() ? fmt::format("{} is unknown", what) : fmt::format("{} is \"{}\"", what, value);
    };
    if (backend && *backend != info.backend) return fmt::format("backend is {}", to_string(info.backend));
    if (vendor && !name_matches(info.vendor, *vendor)) return quoted("vendor", info.vendor);
    if (type && *type != info.type) return fmt::format("type is {}", to_string(info.type));
    if (platform && !name_matches(info.platform, *platform)) return quoted("platform", info.platform);
    if (name && !name_matches(info.name, *name)) return quoted("name", info.name);
    if (index && !(*index == info.index || (*index == -1 && info.backend == Backend::native)))
        return fmt::format("index is {}", info.index);
    if (uuid && (info.uuid.empty() || compact_uuid(*uuid) != compact_uuid(info.uuid))) return quoted("uuid", info.uuid);
    if (pci && (info.pci.empty() || full_pci(*pci) != full_pci(info.pci))) return quoted("pci", info.pci);
    if (min_memory && info.global_memory < *min_memory)
        return fmt::format("it has {} of memory", human_bytes(info.global_memory));
    std::vector<std::string> missing;
    for (const std::string& capability : require)
        if (!info.has(capability)) missing.push_back(capability);
    if (!missing.empty()) return fmt::format("it lacks {}", fmt::join(missing, " and "));
    if (info.type == DeviceType::other && !asks_for_other(*this))
        return "a simulator is chosen only by its name, platform, uuid, type \"other\" or index";
    if (info.backend == Backend::native && !asks_for_native(*this))
        return "the native device is chosen only by \"backend\": \"native\", its name or its index";
    return {};
}

DeviceSelector::DeviceSelector() {
    for (const DeviceType type : {DeviceType::gpu, DeviceType::accelerator, DeviceType::cpu}) {
        DeviceRule rule;
        rule.type = type;
        rules_.push_back(rule);
    }
}

Selection DeviceSelector::explain(const Inventory& inventory) const {
    Selection selection;
    for (std::size_t i = 0; i < inventory.devices.size(); ++i) selection.verdicts.push_back({static_cast<int>(i), false, {}});
    const std::size_t tried = how_many(rules_, next_on_missing_ || use_several_);
    for (std::size_t r = 0; r < tried && (use_several_ || !selection.device); ++r) {
        const int first = first_of(rules_[r], inventory);
        for (DeviceVerdict& verdict : selection.verdicts) {
            const auto& device = inventory.devices[static_cast<std::size_t>(verdict.device)];
            std::string reason = rules_[r].why_not(device->info());
            if (reason.empty() && (verdict.device == first || use_several_)) {
                verdict.chosen = true;
                if (!selection.device) {
                    selection.device = device;
                    selection.rule = static_cast<int>(r);
                }
                reason = "chosen";
            } else if (reason.empty()) {
                const DeviceType preferred = inventory.devices[static_cast<std::size_t>(first)]->info().type;
                reason = preferred == device->info().type
                             ? fmt::format("admitted, but device {} comes first", first)
                             : fmt::format("admitted, but device {} comes first, a {} before a {}", first, to_string(preferred),
                                           to_string(device->info().type));
            }
            verdict.reasons.push_back(fmt::format("{}: {}", numbered(r, rules_[r]), reason));
        }
    }
    return selection;
}

Selection DeviceSelector::select(const Inventory& inventory) const {
    Selection selection = explain(inventory);
    if (selection.device) return selection;
    if (falls_back(*this, inventory)) {
        std::string why;
        for (const PlatformProblem& problem : inventory.problems)
            why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", problem.platform, problem.reason);
        warn_once(
            fmt::format("there is no OpenCL or CUDA device ({}): this runs on the native device, in plain C++, which is slow; "
                        "install pocl-opencl-icd to use this machine's processor, or the GPU's driver",
                        why));
        selection.device = inventory.native();
        selection.verdicts.back().chosen = true;
        return selection;
    }

    std::vector<std::string> reasons;
    for (const DeviceVerdict& verdict : selection.verdicts) {
        const DeviceInfo& info = inventory.devices[static_cast<std::size_t>(verdict.device)]->info();
        const std::string number = info.index >= 0 ? fmt::format(" {}", info.index) : "";
        reasons.push_back(
            fmt::format("device{} \"{}\" ({}): {}", number, info.name, info.platform, fmt::join(verdict.reasons, "; ")));
    }
    if (inventory.devices.empty()) reasons.emplace_back("no device was found at all");
    for (const PlatformProblem& problem : inventory.problems)
        reasons.push_back(
            fmt::format("platform {}: {}{}{}", problem.platform, problem.reason, problem.hint.empty() ? "" : "; ", problem.hint));
    if (!next_on_missing_ && rules_.size() > 1)
        reasons.push_back(fmt::format("the other {} not tried: \"on_missing\" is \"error\"; with \"next\" selection goes on",
                                      rules_.size() == 2 ? "rule was" : fmt::format("{} rules were", rules_.size() - 1)));
    const std::size_t tried = how_many(rules_, next_on_missing_ || use_several_);
    const auto asks = [&](Backend backend) {
        return std::any_of(rules_.begin(), rules_.begin() + static_cast<std::ptrdiff_t>(tried),
                           [&](const DeviceRule& rule) {
                               const bool native_alone = rule.index.value_or(0) < 0;
                               return !native_alone && rule.backend.value_or(backend) == backend;
                           });
    };
    const bool cuda_alone = asks(Backend::cuda) && !asks(Backend::opencl);
    if (cuda_alone && !any_of(inventory, Backend::cuda) && inventory.problems.empty()) reasons.emplace_back(no_cuda);
    if (asks(Backend::opencl) && !any_of(inventory, Backend::opencl))
        reasons.emplace_back(
            "there is no OpenCL device: install pocl-opencl-icd to use this machine's processor, or the GPU vendor's driver "
            "(NVIDIA: nvidia-opencl-icd; Intel: intel-opencl-icd; AMD: rocm-opencl-icd or mesa-opencl-icd)");
    std::vector<std::string> asked;
    for (std::size_t r = 0; r < tried; ++r) asked.push_back(numbered(r, rules_[r]));
    throw UnsupportedError(fmt::format("no device meets {}", fmt::join(asked, " or ")), std::move(reasons));
}

std::vector<std::shared_ptr<const Device>> DeviceSelector::select_all(const Inventory& inventory) const {
    if (!use_several_) return {select(inventory).device};
    std::vector<bool> used(inventory.devices.size(), false);
    for (const DeviceRule& rule : rules_) {
        DeviceSelector one;
        one.rules_ = {rule};
        if (!next_on_missing_) one.select(inventory);   // throws with every reason if there is none
        for (std::size_t i = 0; i < used.size(); ++i) used[i] = used[i] || rule.why_not(inventory.devices[i]->info()).empty();
    }
    std::vector<std::shared_ptr<const Device>> devices = each_once(inventory, used);
    if (devices.empty()) devices.push_back(select(inventory).device);   // or says why not
    return devices;
}

std::vector<std::shared_ptr<const Device>> DeviceSelector::select_equals(const Inventory& inventory) const {
    if (use_several_) return select_all(inventory);
    const Selection selection = select(inventory);
    if (selection.rule < 0) return {selection.device};
    const DeviceRule& rule = rules_[static_cast<std::size_t>(selection.rule)];
    std::vector<bool> admitted;
    for (const auto& device : inventory.devices)
        admitted.push_back(device->info().type == selection.device->info().type && rule.why_not(device->info()).empty());
    return each_once(inventory, admitted);
}

}  // namespace parallax::host
