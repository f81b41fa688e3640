#include "cuda/context.hpp"

#include "cuda/buffer.hpp"
#include "cuda/info.hpp"
#include "cuda/queue.hpp"
#include "parallax/host/error.hpp"
#include "program/backends.hpp"
#include "program/source.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::host::cuda {

PrimaryContext::PrimaryContext(std::shared_ptr<const Driver> driver, CUdevice device, const std::string& name)
    : driver_(std::move(driver)), device_(device) {
    check(*driver_, driver_->primary_ctx_retain(&context_, device), "cuDevicePrimaryCtxRetain", fmt::format("open {}", name));
}

PrimaryContext::~PrimaryContext() {
    if (!borrowed_ && !health_.abandoned()) driver_->primary_ctx_release(device_);   // which would wait for its commands
}

CudaContext::CudaContext(DeviceInfo info, std::shared_ptr<const PrimaryContext> primary, CUdevice device,
                         std::shared_ptr<const Compiler> compiler, const ContextOptions& options)
    : info_(std::move(info)),
      compiler_(std::move(compiler)),
      cache_(options.cache),
      primary_(std::move(primary)) {
    const auto size = [&](CUdevice_attribute what, int otherwise) {
        return static_cast<std::size_t>(std::max(1, device_value(this->driver(), device, what, otherwise)));
    };
    max_local_ = {size(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024), size(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024),
                  size(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64)};
    max_groups_ = {size(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647), size(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535),
                   size(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535)};
    // What CUDA promises on every device; there is nothing to probe.
    capabilities_.fp64 = true;
    capabilities_.int64_atomics = true;
    capabilities_.inline_ptx = true;
    capabilities_.event_times = true;
    capabilities_.grid_exchange = true;
    capabilities_.recordings = primary_->driver().has_graphs();
    capabilities_.warp_width = device_value(this->driver(), device, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32);
}

std::unique_ptr<Queue> CudaContext::create_queue(const QueueOptions& options) {
    return std::make_unique<CudaQueue>(shared_from_this(), options.profiled);
}

Buffer CudaContext::allocate_now(std::size_t bytes) { return Buffer(allocate_buffer(shared_from_this(), bytes)); }

std::shared_ptr<PinnedMemory> CudaContext::allocate_pinned(std::size_t bytes) {
    return cuda::allocate_pinned(shared_from_this(), bytes);
}

std::shared_ptr<Program> CudaContext::build(const ProgramSpec& spec) {
    const FlatSource source = flatten(spec.file);
    if (opencl_only(source.text))
        throw DeviceError(
            "build", 0, "", "build " + spec.file,
            "this kernel file is for OpenCL devices only; choose another variant or the OpenCL device of the same GPU");
    return programs_.get(shared_from_this(), {source.files, source.text, compiler_->options(spec)});
}

}  // namespace parallax::host::cuda
