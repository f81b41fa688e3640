#include "launch_checks.hpp"

#include <fmt/format.h>

namespace parallax::host {

std::string step_of(const Launch& launch) {
    if (launch.step.empty()) return "launch " + launch.kernel.name();
    return fmt::format("{} (kernel {})", launch.step, launch.kernel.name());
}

std::string shape_of(const std::array<std::size_t, 3>& size) { return fmt::format("{} x {} x {}", size[0], size[1], size[2]); }

std::optional<WrongGroup> wrong_group(const std::array<std::size_t, 3>& local, const std::array<std::size_t, 3>& most,
                                      std::size_t most_items, std::uint64_t local_memory, const DeviceInfo& device) {
    for (std::size_t i = 0; i < 3; ++i)
        if (local[i] == 0 || local[i] > most[i])
            return WrongGroup{GroupFault::axis, fmt::format("a work-group of {} on {}, whose limits are {} and at least 1",
                                                            shape_of(local), device.name, shape_of(most))};
    const std::size_t items = local[0] * local[1] * local[2];
    if (items > most_items)
        return WrongGroup{GroupFault::items,
                          fmt::format("{} work-items in a group; on {} this kernel allows {}: use a smaller work_group_size",
                                      items, device.name, most_items)};
    if (local_memory > device.local_memory)
        return WrongGroup{GroupFault::local_memory,
                          fmt::format("the kernel uses {} bytes of local memory, {} has {}: use a smaller work_group_size",
                                      local_memory, device.name, device.local_memory)};
    return std::nullopt;
}

std::string wrong_buffer(const Launch& launch, std::size_t i) {
    return fmt::format("argument {} of kernel {} is {}", i, launch.kernel.name(),
                       launch.args[i].buffer() == nullptr ? "an empty buffer" : "a buffer of another device or context");
}

std::string wrong_argument_count(const Launch& launch, std::size_t expected) {
    return fmt::format("kernel {} takes {} arguments, {} were given", launch.kernel.name(), expected, launch.args.size());
}

}  // namespace parallax::host
