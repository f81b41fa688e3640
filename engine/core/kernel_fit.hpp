// Whether a device runs a kernel as it was planned. A plan is made from what the device reports; what a kernel takes is known
// once it is built: drivers add to the local memory that it declares (NVIDIA's OpenCL 16 bytes), and allow groups by its
// registers.
#pragma once

#include "parallax/host/device_info.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/program.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace parallax::engine {

/// A built kernel takes more than its device has. make_plan() then plans again, for less.
class KernelMisfit : public UnsupportedError {
public:
    enum class Of { local_memory, work_group };
    KernelMisfit(Of, std::string kernel, std::uint64_t taken, std::uint64_t allowed, const host::DeviceInfo&);

    Of of;
    std::string kernel;
    std::uint64_t taken, allowed;
    bool is_same(const KernelMisfit& other) const noexcept {
        return of == other.of && kernel == other.kernel && taken == other.taken;
    }
};

/// Bytes of local memory that a work-group takes.
std::uint64_t local_memory_of(const host::Kernel&) noexcept;
/// Bytes that a work-item keeps in memory because there are too few registers; 0 where the driver does not say.
std::uint64_t spilled_by(const host::Kernel&) noexcept;
/// Throws KernelMisfit. `group`: work-items of the groups that the kernel is launched in; 0: it is compiled for one shape.
void require_fit(const host::Kernel&, std::size_t group, const host::DeviceInfo&);
/// Limits for which that kernel is planned smaller, but for those that variants may count on. `urgency`: how often it was done
/// before.
host::DeviceInfo narrowed(host::DeviceInfo limits, const KernelMisfit&, int urgency);

}  // namespace parallax::engine
