#include "cuda/launch.hpp"

#include "cuda/buffer.hpp"
#include "cuda/context.hpp"
#include "launch_checks.hpp"

#include <fmt/format.h>

namespace parallax::host::cuda {
namespace {

constexpr const char* call = "cuLaunchKernel";
constexpr std::size_t most_arguments = 64;
alignas(16) constexpr std::array<std::byte, 16> nothing{};

void check_local(const Launch& launch, const CudaKernel& kernel, const CudaContext& context,
                 const std::array<std::size_t, 3>& local) {
    const KernelLimits& limits = kernel.limits();
    if (const auto wrong = wrong_group(local, context.max_local(), limits.work_group, limits.local_memory, context.info()))
        fail(context.driver(), call, CUDA_ERROR_INVALID_VALUE, step_of(launch), wrong->why);
}

void check_groups(const Launch& launch, const CudaContext& context, const std::array<std::size_t, 3>& groups) {
    for (std::size_t i = 0; i < 3; ++i)
        if (groups[i] > context.max_groups()[i])
            fail(context.driver(), call, CUDA_ERROR_INVALID_VALUE, step_of(launch),
                 fmt::format("{} groups in dimension {}; CUDA counts at most {} there: use smaller tiles{}", groups[i], i,
                             context.max_groups()[i], i == 0 ? "" : ", or the OpenCL device of the same GPU"));
}

// cuLaunchKernel reads as many arguments as the kernel has, whatever it is given: counts and sizes must agree.
void add_arguments(PreparedLaunch& prepared, const Launch& launch, const CudaKernel& kernel, const CudaContext& context) {
    const Driver& driver = context.driver();
    const auto& expected = kernel.limits().arguments;
    if (expected && launch.args.size() != expected->size())
        fail(driver, call, CUDA_ERROR_INVALID_VALUE, step_of(launch), wrong_argument_count(launch, expected->size()));
    prepared.addresses.reserve(launch.args.size());   // pointers into it are kept
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
        const Arg& arg = launch.args[i];
        std::size_t size = arg.size();
        if (arg.is_buffer()) {
            const auto* storage = dynamic_cast<const CudaBuffer*>(arg.buffer());
            if (storage == nullptr || &storage->context() != &context)
                fail(driver, call, CUDA_ERROR_INVALID_VALUE, step_of(launch), wrong_buffer(launch, i));
            prepared.addresses.push_back(storage->address());
            prepared.arguments.push_back(&prepared.addresses.back());
            size = sizeof(CUdeviceptr);
        } else {
            prepared.arguments.push_back(const_cast<void*>(arg.value()));   // read only, says the manual
        }
        if (expected && (*expected)[i] != size)
            fail(driver, call, CUDA_ERROR_INVALID_VALUE, step_of(launch),
                 arg.is_buffer() ? fmt::format("argument {} of kernel {} was given a buffer; it is a value of {} bytes", i,
                                               kernel.name(), (*expected)[i])
                                 : fmt::format("argument {} of kernel {} was given a value of {} bytes; it has {}", i,
                                               kernel.name(), size, (*expected)[i]));
    }
    // Where the driver does not tell how many the kernel has, those that are missing must at least be memory.
    if (!expected)
        while (prepared.arguments.size() < most_arguments) prepared.arguments.push_back(const_cast<std::byte*>(nothing.data()));
}

}  // namespace

PreparedLaunch prepare(const Launch& launch, const CudaContext& context) {
    const auto* kernel = dynamic_cast<const CudaKernel*>(&launch.kernel);
    if (kernel == nullptr || &kernel->context() != &context)
        fail(context.driver(), call, CUDA_ERROR_INVALID_HANDLE, step_of(launch),
             "the kernel was built for another device or context");

    PreparedLaunch prepared;
    prepared.kernel = kernel->handle();
    prepared.step = launch.step.empty() ? std::string_view(kernel->name()) : launch.step;
    const std::array<std::size_t, 3> local{launch.local.x, launch.local.y, launch.local.z};
    const std::array<std::size_t, 3> groups{launch.groups.x, launch.groups.y, launch.groups.z};
    check_local(launch, *kernel, context, local);
    check_groups(launch, context, groups);
    for (std::size_t i = 0; i < 3; ++i) {
        prepared.local[i] = static_cast<unsigned>(local[i]);
        prepared.groups[i] = static_cast<unsigned>(groups[i]);
        prepared.empty = prepared.empty || groups[i] == 0;
    }
    add_arguments(prepared, launch, *kernel, context);
    return prepared;
}

void fail_launch(const Launch& launch, const CudaContext& context, CUresult status) {
    std::string hint;
    if (status == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES || status == CUDA_ERROR_INVALID_VALUE)
        hint = fmt::format("{} groups of {} x {} x {} work-items on {}: use a smaller work_group_size", launch.groups.count(),
                           launch.local.x, launch.local.y, launch.local.z, context.info().name);
    fail(context.driver(), call, status, step_of(launch), hint);
}

}  // namespace parallax::host::cuda
