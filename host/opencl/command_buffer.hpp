// A chain of launches as a command buffer of OpenCL (cl_khr_command_buffer), which the driver starts by one call.
#pragma once

#include "opencl/api.hpp"
#include "parallax/host/queue.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace parallax::host::opencl {

class ClContext;

/// The extension's functions, by their own types: headers before 2022 lack them, and later ones hide them as beta.
struct CommandBufferCalls {
    using Handle = struct Opaque*;
    cl_int(CL_API_CALL* enqueue)(cl_uint, cl_command_queue*, Handle, cl_uint, const cl_event*, cl_event*) = nullptr;
    cl_int(CL_API_CALL* release)(Handle) = nullptr;
};

class CommandBuffer final : public Recording {
public:
    CommandBuffer(const CommandBufferCalls& calls, CommandBufferCalls::Handle handle) : calls_(calls), handle_(handle) {}
    ~CommandBuffer() override { calls_.release(handle_); }
    /// Holds a kernel that a launch was recorded with.
    void keep(cl::Kernel kernel) { kernels_.push_back(std::move(kernel)); }
    CommandBuffer(const CommandBuffer&) = delete;
    CommandBuffer& operator=(const CommandBuffer&) = delete;

    cl_int enqueue(cl_event* done) { return calls_.enqueue(0, nullptr, handle_, 0, nullptr, done); }

private:
    CommandBufferCalls calls_;
    CommandBufferCalls::Handle handle_;
    std::vector<cl::Kernel> kernels_;
};

/// Whether the device says that it has them, and that one may be enqueued again before it has ended.
bool has_command_buffers(const ClContext&);
/// For a queue in order. Null where the driver refuses. Throws DeviceError for what would be wrong with a launch, too.
std::unique_ptr<CommandBuffer> make_command_buffer(ClContext&, cl_command_queue, std::span<const Launch>);

}  // namespace parallax::host::opencl
