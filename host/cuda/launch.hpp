// Everything about a launch that can be told to be wrong before the driver sees it.
#pragma once

#include "cuda/api.hpp"
#include "parallax/host/queue.hpp"

#include <array>
#include <vector>

namespace parallax::host::cuda {

class CudaContext;

struct PreparedLaunch {
    CUfunction kernel = nullptr;
    std::array<unsigned, 3> groups{}, local{};
    std::string_view step;
    std::vector<CUdeviceptr> addresses;   ///< of the arguments that are buffers
    std::vector<void*> arguments;         ///< where each argument's value lies: in `addresses` or in the launch
    bool empty = false;                   ///< a dimension has no groups
};

/// Checks sizes and arguments against kernel and device. Throws DeviceError. The launch must outlive the result.
PreparedLaunch prepare(const Launch&, const CudaContext&);
/// The driver refused all the same.
[[noreturn]] void fail_launch(const Launch&, const CudaContext&, CUresult);

}  // namespace parallax::host::cuda
