#include "opencl/command_buffer.hpp"

#include "opencl/context.hpp"
#include "opencl/first_launch.hpp"
#include "opencl/info.hpp"
#include "opencl/launch.hpp"
#include "opencl/program.hpp"

#include <algorithm>

namespace parallax::host::opencl {
namespace {

using Handle = CommandBufferCalls::Handle;

// Values of the extension's specification.
constexpr cl_device_info capabilities = 0x12A9;              // CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR
constexpr cl_bitfield simultaneous_use_capability = 1 << 2;  // CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR
constexpr std::uint64_t flags = 0x1293;                      // CL_COMMAND_BUFFER_FLAGS_KHR
constexpr std::uint64_t simultaneous_use = 1 << 0;           // CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR

struct RecordingCalls : CommandBufferCalls {
    Handle(CL_API_CALL* create)(cl_uint, const cl_command_queue*, const std::uint64_t*, cl_int*) = nullptr;
    cl_int(CL_API_CALL* launch)(Handle, cl_command_queue, const std::uint64_t*, cl_kernel, cl_uint, const std::size_t*,
                                const std::size_t*, const std::size_t*, cl_uint, const cl_uint*, cl_uint*, void**) = nullptr;
    cl_int(CL_API_CALL* finalize)(Handle) = nullptr;
    bool all() const { return enqueue && release && create && launch && finalize; }
};

RecordingCalls calls_of(cl_platform_id platform) {
    RecordingCalls calls;
    const auto find = [platform]<class Function>(Function& function, const char* name) {
        function = reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(platform, name));
    };
    find(calls.enqueue, "clEnqueueCommandBufferKHR");
    find(calls.release, "clReleaseCommandBufferKHR");
    find(calls.create, "clCreateCommandBufferKHR");
    find(calls.launch, "clCommandNDRangeKernelKHR");
    find(calls.finalize, "clFinalizeCommandBufferKHR");
    return calls;
}

/// A recorded launch has a kernel of its own: PoCL 3.1 replays with the arguments that the kernel has by then.
cl::Kernel another(const Kernel& kernel) {
    const cl_kernel handle = dynamic_cast<const ClKernel&>(kernel).handle();
    cl_program program = nullptr;
    cl_int status = clGetKernelInfo(handle, CL_KERNEL_PROGRAM, sizeof program, static_cast<void*>(&program), nullptr);
    const cl_kernel made = status == CL_SUCCESS ? clCreateKernel(program, kernel.name().c_str(), &status) : nullptr;
    return cl::Kernel(status == CL_SUCCESS ? made : nullptr);
}

}  // namespace

bool has_command_buffers(const ClContext& context) {
    const auto& extensions = context.info().extensions;
    if (std::find(extensions.begin(), extensions.end(), "cl_khr_command_buffer") == extensions.end()) return false;
    if ((device_value<cl_bitfield>(context.device(), capabilities, 0) & simultaneous_use_capability) == 0) return false;
    return calls_of(context.platform()).all();
}

std::unique_ptr<CommandBuffer> make_command_buffer(ClContext& context, cl_command_queue queue, std::span<const Launch> launches) {
    const RecordingCalls calls = calls_of(context.platform());
    // A remembered probe does not say that they are there: a layer may stand between now.
    if (!calls.all() || launches.empty()) return nullptr;
    const std::uint64_t properties[] = {flags, simultaneous_use, 0};
    cl_int status = CL_SUCCESS;
    const Handle handle = calls.create(1, &queue, properties, &status);
    if (status != CL_SUCCESS || handle == nullptr) return nullptr;
    auto recording = std::make_unique<CommandBuffer>(calls, handle);
    for (const Launch& launch : launches) {
        cl::Kernel own = another(launch.kernel);
        if (own() == nullptr) return nullptr;
        const PreparedLaunch prepared = prepare(launch, context, own());
        if (prepared.empty) continue;
        recording->keep(std::move(own));
        meet_first_launch(context, *prepared.program, launch.kernel.name(), prepared.global, prepared.local);
        status = calls.launch(handle, nullptr, nullptr, prepared.kernel, 3, nullptr, prepared.global.data(),
                              prepared.local.data(), 0, nullptr, nullptr, nullptr);
        if (status != CL_SUCCESS) return nullptr;
    }
    return calls.finalize(handle) == CL_SUCCESS ? std::move(recording) : nullptr;
}

}  // namespace parallax::host::opencl
