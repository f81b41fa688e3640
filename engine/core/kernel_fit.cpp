#include "core/kernel_fit.hpp"

#include "parallax/host/built_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace parallax::engine {

namespace {

std::string reason_of(KernelMisfit::Of of, const std::string& kernel, std::uint64_t taken, std::uint64_t allowed) {
    return of == KernelMisfit::Of::local_memory
               ? fmt::format("kernel {} takes {} bytes of local memory, and the device has {}", kernel, taken, allowed)
               : fmt::format("kernel {} is planned for work-groups of {}, and the driver allows it {}", kernel, taken, allowed);
}

}  // namespace

KernelMisfit::KernelMisfit(Of of_, std::string kernel_, std::uint64_t taken_, std::uint64_t allowed_,
                           const host::DeviceInfo& device)
    : UnsupportedError(
          fmt::format("{} does not run what was built for it; a smaller work_group_size or tile may do", device.name),
          {reason_of(of_, kernel_, taken_, allowed_)}),
      of(of_),
      kernel(std::move(kernel_)),
      taken(taken_),
      allowed(allowed_) {}

std::uint64_t local_memory_of(const host::Kernel& kernel) noexcept {
    const auto* const built = dynamic_cast<const host::BuiltKernel*>(&kernel);
    return built != nullptr ? built->local_memory() : 0;
}

std::uint64_t spilled_by(const host::Kernel& kernel) noexcept {
    const auto* const built = dynamic_cast<const host::BuiltKernel*>(&kernel);
    return built != nullptr ? built->spilled() : 0;
}

void require_fit(const host::Kernel& kernel, std::size_t group, const host::DeviceInfo& device) {
    if (const std::uint64_t taken = local_memory_of(kernel); taken > device.local_memory)
        throw KernelMisfit(KernelMisfit::Of::local_memory, kernel.name(), taken, device.local_memory, device);
    const std::size_t allowed = std::min<std::size_t>(kernel.max_work_group(), device.max_work_group);
    if (group > allowed) throw KernelMisfit(KernelMisfit::Of::work_group, kernel.name(), group, allowed, device);
}

host::DeviceInfo narrowed(host::DeviceInfo limits, const KernelMisfit& misfit, int urgency) {
    // Plans may count on what supports() has asked the device for, which is at most this.
    constexpr std::uint32_t least_group = 256;
    constexpr std::uint64_t least_memory = 32768;
    if (misfit.of == KernelMisfit::Of::work_group) {
        const auto allowed = static_cast<std::uint32_t>(std::min<std::uint64_t>(misfit.allowed, limits.max_work_group));
        limits.max_work_group = std::max(allowed, std::min(limits.max_work_group, least_group));
    } else {
        // What was too much, and more each time: shapes shrink in steps that are not known here.
        const std::uint64_t least = std::min(limits.local_memory, least_memory), less = (misfit.taken - misfit.allowed)
                                                                                        << std::min(urgency, 16);
        limits.local_memory = std::max(limits.local_memory - std::min(limits.local_memory, less), least);
    }
    return limits;
}

}  // namespace parallax::engine
