// The private door to CUDA's own handles, for the engine's wrappers of cuFFT, CUB and NPP. Handles are borrowed: they live
// as long as the object they come from. Null where the object is not of a CUDA device.
#pragma once

#include "parallax/host/context.hpp"

#include <cuda.h>

#include <functional>
#include <memory>
#include <string_view>

namespace parallax::host::cuda {

class PrimaryContext;

/// The device's primary context.
CUcontext context_handle(Context&);
/// For a part of a buffer the address of its first byte.
CUdeviceptr memory_handle(const Buffer&);

/// The device's number as the runtime API counts devices, and what the driver says of it. The context is of a CUDA device.
int device_number(Context&);
int device_attribute(Context&, CUdevice_attribute);

/// Keeps the primary context alive, for a library's objects that must be destroyed while it is the thread's own.
class ContextHold {
public:
    explicit ContextHold(Context&);
    /// Does nothing where the context is gone; `work` must not throw.
    void run(const std::function<void()>& work) const noexcept;

private:
    std::shared_ptr<const PrimaryContext> primary_;
};

/// Calls `work` with the queue's stream while the context is the thread's own, as the CUDA runtime's libraries need it
/// (making a cuFFT plan too). What it enqueues there is one command with times of its own. DeviceError where the queue is
/// not of a CUDA device.
Event enqueue(Queue&, std::string_view step, const std::function<void(CUstream)>& work);

}  // namespace parallax::host::cuda
