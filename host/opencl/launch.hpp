// Everything about a launch that can be told to be wrong before the driver sees it.
#pragma once

#include "opencl/api.hpp"
#include "parallax/host/queue.hpp"

#include <array>
#include <string>
#include <vector>

namespace parallax::host::opencl {

class ClContext;
struct BuiltProgram;

struct PreparedLaunch {
    cl_kernel kernel = nullptr;
    const BuiltProgram* program = nullptr;
    std::array<std::size_t, 3> global{}, local{};
    std::string_view step;
    bool empty = false;   ///< a dimension has no groups
};

/// Checks sizes and arguments against kernel and device, and sets the arguments: of the launch's kernel, or of `own`, which is
/// another of that function. Throws DeviceError.
PreparedLaunch prepare(const Launch&, const ClContext&, cl_kernel own = nullptr);
/// Handles for a command of `queue` to wait for; events of another context are waited for here and now.
std::vector<cl_event> wait_list(std::span<const Event>, const ClContext&, cl_command_queue queue);
/// Throws where the driver refused all the same.
void check_launch(const Launch&, ClContext&, cl_int status);

}  // namespace parallax::host::opencl
