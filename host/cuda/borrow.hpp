// Objects of the host application as ours, by the driver's handles. CUDA counts no references but those of a device's
// primary context, which is retained; any other context, streams and memory are the host's to keep alive.
#pragma once

#include "parallax/handles.hpp"
#include "parallax/host/context.hpp"

#include <cstdint>

namespace parallax::host::cuda {

/// Null: the calling thread's current context. Throws UnsupportedError without a driver, ConfigError without a context.
std::shared_ptr<Context> borrow_context(CUctx_st*, const ContextOptions&);
/// Null is the context's default stream. Throws ConfigError where the context is not of a CUDA device.
std::unique_ptr<Queue> borrow_stream(Context&, CUstream_st*);
/// `address` is not freed. Throws ConfigError for null.
Buffer borrow_memory(Context&, std::uint64_t address, std::size_t bytes);
/// Address of a buffer, 0 if it is not of a CUDA device.
std::uint64_t address_of(const Buffer&);

}  // namespace parallax::host::cuda
