// Objects of the host application as ours. Each is retained for as long as ours lives, so that either may go first.
// Handles are OpenCL's own, by the names of parallax/handles.hpp.
#pragma once

#include "parallax/handles.hpp"
#include "parallax/host/context.hpp"

namespace parallax::host::opencl {

/// Throws ConfigError for null handles and for a device that the context does not have, DeviceError for what the driver refuses.
std::shared_ptr<Context> borrow_context(_cl_context*, _cl_device_id*, const ContextOptions&);
/// Throws ConfigError where the queue belongs to another context or device.
std::unique_ptr<Queue> borrow_queue(Context&, _cl_command_queue*);
/// Throws ConfigError for an image, and for memory of another context.
Buffer borrow_memory(Context&, _cl_mem*);
/// Throws ConfigError for an event of another context.
Event borrow_event(Context&, _cl_event*);

}  // namespace parallax::host::opencl
