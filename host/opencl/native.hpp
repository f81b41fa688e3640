// The private door to OpenCL's own handles, for the engine's wrappers of VkFFT and clFFT. Handles are borrowed: they
// live as long as the object they come from. Null where the object is not of an OpenCL device.
#pragma once

#include "opencl/entries.hpp"
#include "opencl/errors.hpp"   // check(), fail() and code_name() belong to the door
#include "parallax/host/context.hpp"

#include <string>
#include <string_view>

namespace parallax::host::opencl {

cl_context context_handle(Context&);
cl_platform_id platform_handle(Context&);
cl_device_id device_handle(Context&);
cl_command_queue queue_handle(Queue&);
/// For a sub-buffer the handle of the part: its first byte is byte 0.
cl_mem memory_handle(const Buffer&);
cl_kernel kernel_handle(Kernel&);
cl_program program_handle(Program&);

/// Before a kernel of a program that build_text() made is enqueued: a driver that compiles at launches (PoCL) does so in a child
/// first. Throws UnsupportedError for what ends that.
void meet_first_launch(Context&, cl_kernel, cl_uint dimensions, const std::size_t* global, const std::size_t* local);

/// Bytes of local memory that a work-group of such a kernel takes.
std::uint64_t local_memory_use(Context&, cl_kernel);

/// check() for a command of `queue`: what only a broken device answers marks the queue's context as failed.
void check_command(Queue& queue, cl_int code, const char* call, std::string_view step);
/// Takes ownership of one reference to `event`; `queue` is the one that it was enqueued on.
Event make_event(Queue& queue, cl_event event, std::string_view step);
/// Null if the event is no OpenCL event.
cl_event event_handle(const Event&);

/// Builds a library's own kernel text through the program cache. `name` stands for the file in errors and reports.
/// Throws BuildError; DeviceError where the context is not of an OpenCL device.
std::shared_ptr<Program> build_text(Context&, const std::string& name, const std::string& text, const std::string& options);

}  // namespace parallax::host::opencl
