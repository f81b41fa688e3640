// What the self-test found wrong on a device, kept in the program cache: variants that are not chosen there, until they pass, the
// driver, the program or their kernels change, or somebody forgets it.
#pragma once

#include "core/algorithm.hpp"
#include "parallax/host/device_info.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::engine {

/// The variant that all others are held against. It is not judged: there is nothing to judge it by.
constexpr std::string_view oracle = "reference";

struct Verdict {
    std::string algorithm, variant;
    std::string type;                 ///< of the largest input's elements, as WorkClass has it
    std::string problem, reason;      ///< the row that failed
    std::string kernels;              ///< hash_of_kernels()
};

/// Hash of the text of all kernels: a plan may take any of them.
const std::string& hash_of_kernels();

/// Nothing where none are kept, or what is kept is of no use.
std::vector<Verdict> load_verdicts(const host::DeviceInfo&);
/// Has what is kept replaced by what `change` makes of it, while no other process does the same; an empty list removes it.
/// Returns what is kept now.
std::vector<Verdict> change_verdicts(const host::DeviceInfo&,
                                     const std::function<std::vector<Verdict>(std::vector<Verdict>)>& change);

/// Empty, or why a variant is not to be trusted with elements of this type on this device. Read once a device and process.
std::string verdict_on(const host::DeviceInfo&, std::string_view algorithm, const Variant&, std::string_view type);
/// From now on verdict_on() knows of nothing: for the self-test, which judges anew.
void ignore_verdicts() noexcept;

}  // namespace parallax::engine
