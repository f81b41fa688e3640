#include "cuda/borrow.hpp"

#include "cuda/buffer.hpp"
#include "cuda/context.hpp"
#include "cuda/info.hpp"
#include "cuda/queue.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

namespace parallax::host::cuda {
namespace {

constexpr const char* step = "take over an object of the host application";

CudaContext& own_context(Context& context) {
    auto* own = dynamic_cast<CudaContext*>(&context);
    if (own == nullptr)
        throw ConfigError(
            "", fmt::format("an engine on {}, which is a {} device", context.info().name, to_string(context.info().backend)),
            "an engine on a CUDA device", "Engine::from_cuda takes the context that the object belongs to");
    return *own;
}

/// The place of a device among those that the process sees.
int ordinal_of(const Driver& driver, CUdevice device) {
    int count = 0;
    check(driver, driver.device_get_count(&count), "cuDeviceGetCount", step);
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        CUdevice one = 0;
        check(driver, driver.device_get(&one, ordinal), "cuDeviceGet", step);
        if (one == device) return ordinal;
    }
    return 0;
}

}  // namespace

std::shared_ptr<Context> borrow_context(CUcontext context, const ContextOptions& options) {
    std::string problem, hint;
    const auto driver = Driver::load(problem, hint);
    if (!driver)
        throw UnsupportedError("there is no CUDA driver", {problem.empty() ? "libcuda is not on this machine" : problem});
    if (context == nullptr) check(*driver, driver->ctx_get_current(&context), "cuCtxGetCurrent", step);
    if (context == nullptr)
        throw ConfigError("", "no CUDA context, and none is current", "a CUcontext",
                          "call cudaFree(nullptr) or cuCtxSetCurrent first");
    CUdevice device = 0;
    {
        const Current current(*driver, context, step);
        check(*driver, driver->ctx_get_device(&device), "cuCtxGetDevice", step);
    }
    DeviceInfo info = describe(*driver, device);
    info.index_in_platform = ordinal_of(*driver, device);
    auto compiler = Compiler::open(driver->version, architecture_of(*driver, device), problem, hint);
    if (!compiler) throw UnsupportedError(fmt::format("kernels cannot be compiled for {}", info.name), {problem, hint});
    auto held = std::make_shared<PrimaryContext>(driver, device, info.name);
    if (held->handle() != context) held = std::make_shared<PrimaryContext>(driver, context);
    return std::make_shared<CudaContext>(std::move(info), std::move(held), device, std::move(compiler), options);
}

std::unique_ptr<Queue> borrow_stream(Context& context, CUstream stream) {
    return std::make_unique<CudaQueue>(own_context(context).shared_from_this(), stream);
}

Buffer borrow_memory(Context& context, std::uint64_t address, std::size_t bytes) {
    if (address == 0) throw ConfigError("", "the null pointer", "an address in the memory of a CUDA device");
    return Buffer(
        std::make_shared<CudaBuffer>(own_context(context).shared_from_this(), static_cast<CUdeviceptr>(address), bytes, true));
}

std::uint64_t address_of(const Buffer& buffer) {
    const auto* own = dynamic_cast<const CudaBuffer*>(buffer.storage());
    return own != nullptr ? own->address() : 0;
}

}  // namespace parallax::host::cuda
