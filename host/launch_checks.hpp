// What is wrong with a launch, in the words of every backend; each adds its call and its code.
#pragma once

#include "parallax/host/device.hpp"
#include "parallax/host/queue.hpp"

#include <array>
#include <optional>
#include <string>

namespace parallax::host {

/// "blur (kernel rows)", or "launch rows" where the step has no name.
std::string step_of(const Launch&);
/// "16 x 8 x 1".
std::string shape_of(const std::array<std::size_t, 3>&);

enum class GroupFault { axis, items, local_memory };
struct WrongGroup {
    GroupFault fault;
    std::string why;
};
/// A work-group that a device cannot run: more work-items on an axis than `most` or none; more in all than `most_items`, what the
/// kernel allows there; a kernel that uses more local memory than there is.
std::optional<WrongGroup> wrong_group(const std::array<std::size_t, 3>& local, const std::array<std::size_t, 3>& most,
                                      std::size_t most_items, std::uint64_t local_memory, const DeviceInfo&);
/// Of a launch whose argument `i` is no buffer of its own context.
std::string wrong_buffer(const Launch&, std::size_t i);
std::string wrong_argument_count(const Launch&, std::size_t expected);

}  // namespace parallax::host
