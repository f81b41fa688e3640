// Compiling in a child first: most OpenCL compilers run in the process that calls them, and some abort it (PoCL 6.0 on an
// unrolled loop between barriers). What a child has compiled is loaded from its binary; what has ended a child is refused.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace parallax::host::opencl {

class ClContext;
struct ProgramText;

/// The device as a child finds it. Not `available` without the helper program, for drivers that are known to be sound, and where
/// the driver's library or the device's place in it cannot be told.
struct DevicePlace {
    std::string library, platform, name;
    std::size_t index = 0;
    bool available = false;
    bool at_launch = false;   ///< the driver compiles a kernel when it is launched, for that size of work-groups (PoCL)
};
DevicePlace place_of(const ClContext&);

struct ChildBuild {
    enum class Outcome {
        built,     ///< the driver has compiled it; `binary` may be empty all the same
        failed,    ///< the driver refuses it, and says why to whoever builds it again
        lost,      ///< the driver has ended the child, or has not come to an end: see `reason`
        untried,   ///< there was no child to ask
    };
    Outcome outcome = Outcome::untried;
    std::vector<unsigned char> binary;
    std::string reason;
    bool lasting = false;   ///< lost by what the compiler did, not by what somebody else did to the child
    double took_s = 0;      ///< of the child's own time, until it was lost
};

/// Children are kept for the next program and leave after 20 s without one; threads that build at once have one each.
ChildBuild build_in_child(const DevicePlace&, const ProgramText&);

/// A kernel of a program as it is launched; a driver that compiles at launch makes other code for each.
struct KernelLaunch {
    std::string kernel;
    std::array<std::size_t, 3> local{}, global{};
};

/// Has what the driver compiles at such a launch compiled, and the kernel not run. `binary` is what build_in_child() made.
/// `built`: the driver has it in its own cache now.
ChildBuild launch_in_child(const DevicePlace&, const std::vector<unsigned char>& binary, const std::string& options,
                           const KernelLaunch&);

}  // namespace parallax::host::opencl
