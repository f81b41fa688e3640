// The private door to CUDA's own handles, for the engine's wrappers of cuFFT, CUB and NPP. Handles are borrowed: they live
// as long as the object they come from. Null where the object is not of a CUDA device.
#pragma once

#include "parallax/host/context.hpp"

#include <cuda.h>

#include <functional>
#include <string_view>

namespace parallax::host::cuda {

/// The device's primary context.
CUcontext context_handle(Context&);
CUstream stream_handle(Queue&);
/// For a part of a buffer the address of its first byte.
CUdeviceptr memory_handle(const Buffer&);

/// Calls `work` with the queue's stream while the context is the thread's own, as the CUDA runtime's libraries need it
/// (making a cuFFT plan too). What it enqueues there is one command with times of its own. DeviceError where the queue is
/// not of a CUDA device.
Event enqueue(Queue&, std::string_view step, const std::function<void(CUstream)>& work);

}  // namespace parallax::host::cuda
