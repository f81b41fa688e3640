// Ordered rules -> one device, and for every other device the reason why not.
//
//   { "prefer": [ {"vendor": "nvidia", "type": "gpu"}, {"type": "gpu"}, {"type": "cpu"} ],
//     "on_missing": "next" }
//
// Rules are tried in order; of the devices that a rule admits the first gpu wins, else the first accelerator, else the first cpu.
// on_missing "error" (default): the FIRST rule must be met, later ones are not tried, and the error
// lists every device with its reason. "next": go on to the next rule; none met is an error all the same.
// { "use": [rules] } or { "use": "all" } is for work that several devices share: every device that one of the rules
// admits, each once; "all": every gpu, accelerator and cpu. A rule that admits none is an error.
//
// The native device is only chosen by a rule that says "backend": "native" (or names it).
#pragma once

#include "parallax/host/device.hpp"
#include "parallax/host/json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace parallax::host {

/// One rule; every field that is set must hold. Strings compare without case.
struct DeviceRule {
    std::optional<Backend> backend;
    std::optional<DeviceType> type;
    std::optional<std::string> vendor;      ///< substring of the vendor's name ("amd" also finds "Advanced Micro Devices")
    std::optional<std::string> platform;    ///< substring
    std::optional<std::string> name;        ///< substring
    std::optional<int> index;               ///< position in enumerate()
    std::optional<std::string> uuid;        ///< whole, dashes optional
    std::optional<std::string> pci;         ///< whole, domain optional
    std::optional<std::uint64_t> min_memory; ///< bytes ("min_memory_mb", "min_memory_gb")
    std::vector<std::string> require;       ///< capabilities

    /// Empty if the device is admitted, else the first reason why not.
    std::string why_not(const DeviceInfo&) const;
    std::string describe() const;
};

struct DeviceVerdict {
    int device = 0;                    ///< index in the inventory
    bool chosen = false;
    std::vector<std::string> reasons;  ///< one a rule, "rule 1 (vendor nvidia): vendor is \"The pocl project\""
};

struct Selection {
    std::shared_ptr<const Device> device;   ///< null: none was admitted
    int rule = -1;                          ///< the rule that chose it
    std::vector<DeviceVerdict> verdicts;
};

class DeviceSelector {
public:
    /// Default: an OpenCL or CUDA gpu, then an accelerator, then a cpu; never the native device.
    DeviceSelector();
    /// From the "device" object of a job or a file in configs/devices. `pointer` is where it stands, for errors.
    static DeviceSelector parse(const Json&, const std::string& pointer = "/device");
    /// From the command line's --device: "cpu", "gpu", "native", an index, a name substring, or JSON text.
    static DeviceSelector parse_spec(const std::string& spec);
    /// JSON Schema of what parse() takes.
    static Json schema();

    /// Never throws for a missing device: explain() and select() share it.
    Selection explain(const Inventory&) const;
    /// The chosen device, or UnsupportedError with every device's reasons, platform problems and what to install.
    Selection select(const Inventory&) const;

    /// Every device of "use", in enumeration order, or the one that select() chooses. One that two backends show is used once.
    std::vector<std::shared_ptr<const Device>> select_all(const Inventory&) const;

    /// Devices that are as good as the one that select() chooses: all of its type that its rule admits, or all of
    /// "use"; one that two backends show once. For processes that choose one each.
    std::vector<std::shared_ptr<const Device>> select_equals(const Inventory&) const;

    Json to_json() const;

private:
    static DeviceSelector parse_use(const Json&, const std::string& pointer);

    std::vector<DeviceRule> rules_;
    bool next_on_missing_ = true;
    bool use_several_ = false;
};

}  // namespace parallax::host
