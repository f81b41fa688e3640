// VkFFT (MIT), through its OpenCL backend. The header is a library in itself: it is included here and nowhere else, and
// six names are replaced while it is read. Its programs then come from Parallax's program cache (its own way to keep
// binaries fails on PoCL), build errors are ours instead of text on stdout, every kernel that it enqueues yields an
// event with times, CPUs look smaller to it than they are, and the process keeps its locale.
#ifdef PARALLAX_HAS_VKFFT

#include "algorithms/fft/libraries.hpp"

#include "core/kernel_fit.hpp"
#include "opencl/native.hpp"
#include "parallax/host/error.hpp"
#include "support/plain_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace {

/// What VkFFT's calls need of us while it runs on this thread; its API has no room for a user's pointer.
struct VkfftHooks {
    parallax::host::Context* context = nullptr;
    const parallax::host::DeviceInfo* limits = nullptr;   ///< while it plans: what it may take of the device
    std::exception_ptr error;          ///< must not travel through VkFFT: it would leave its allocations behind
    std::vector<cl_event> events;      ///< of the kernels enqueued
    cl_int status = CL_SUCCESS;        ///< of the kernel that could not be
};
thread_local VkfftHooks* vkfft_hooks = nullptr;

class VkfftScope {
public:
    explicit VkfftScope(VkfftHooks& hooks) { vkfft_hooks = &hooks; }
    ~VkfftScope() { vkfft_hooks = nullptr; }
    VkfftScope(const VkfftScope&) = delete;
    VkfftScope& operator=(const VkfftScope&) = delete;
};

cl_program vkfft_create_program(cl_context, cl_uint, const char** text, const std::size_t* size, cl_int* status) {
    try {
        const auto program =
            parallax::host::opencl::build_text(*vkfft_hooks->context, "vkfft", std::string(text[0], size[0]), "");
        cl_program handle = parallax::host::opencl::program_handle(*program);
        *status = clRetainProgram(handle);
        return *status == CL_SUCCESS ? handle : nullptr;   // VkFFT releases whatever it gets
    } catch (...) {
        vkfft_hooks->error = std::current_exception();
        *status = CL_BUILD_PROGRAM_FAILURE;
        return nullptr;
    }
}

// The program is built already.
cl_int vkfft_build_program(cl_program, cl_uint, const cl_device_id*, const char*, void*, void*) { return CL_SUCCESS; }

// Throws KernelMisfit for a built kernel that takes more local memory than there is: drivers add to what the text declares.
void require_vkfft_fit(cl_kernel kernel) {
    using parallax::engine::KernelMisfit;
    const parallax::host::DeviceInfo& device = vkfft_hooks->context->info();
    const std::uint64_t taken = parallax::host::opencl::local_memory_use(*vkfft_hooks->context, kernel);
    if (taken > device.local_memory)
        throw KernelMisfit(KernelMisfit::Of::local_memory, "vkfft", taken, device.local_memory, device);
}

cl_int vkfft_enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t* offset,
                            const std::size_t* global, const std::size_t* local, cl_uint, const cl_event*, cl_event*) {
    try {
        if (vkfft_hooks->limits != nullptr) require_vkfft_fit(kernel);
        parallax::host::opencl::meet_first_launch(*vkfft_hooks->context, kernel, dimensions, global, local);
    } catch (...) {
        vkfft_hooks->error = std::current_exception();
        return CL_OUT_OF_RESOURCES;
    }
    cl_event event = nullptr;
    const cl_int status = clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, nullptr, &event);
    if (status == CL_SUCCESS) vkfft_hooks->events.push_back(event);
    else vkfft_hooks->status = status;
    return status;
}

// PoCL offers work-groups of 4096 and 2 MiB of local memory; kernels that use them to the full overflow its threads' stacks.
cl_int vkfft_device_info(cl_device_id device, cl_device_info what, std::size_t bytes, void* value, std::size_t* size) {
    constexpr std::size_t group_limit = 256;
    constexpr cl_ulong local_limit = 64 << 10;
    const cl_int status = clGetDeviceInfo(device, what, bytes, value, size);
    if (status != CL_SUCCESS) return status;
    if (vkfft_hooks->limits != nullptr && what == CL_DEVICE_LOCAL_MEM_SIZE)
        *static_cast<cl_ulong*>(value) = std::min<cl_ulong>(*static_cast<cl_ulong*>(value), vkfft_hooks->limits->local_memory);
    if (vkfft_hooks->context->info().type != parallax::host::DeviceType::cpu) return status;
    if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE)
        *static_cast<std::size_t*>(value) = std::min(*static_cast<std::size_t*>(value), group_limit);
    if (what == CL_DEVICE_LOCAL_MEM_SIZE) *static_cast<cl_ulong*>(value) = std::min(*static_cast<cl_ulong*>(value), local_limit);
    return status;
}

int vkfft_print(const char*, ...) { return 0; }

// It would set the whole process's locale to "C" and, in 1.2, not find the old one again. PlainNumbers is this thread's alone,
// where there is such a thing.
#if !defined(_WIN32)
[[maybe_unused]] char* vkfft_set_locale(int, const char*) { return nullptr; }   // VkFFT 1.3 leaves it alone
#endif

}  // namespace

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wpedantic"
#elif defined(_MSC_VER)
#pragma warning(push, 0)
#endif
#define VKFFT_BACKEND 3
#undef clCreateProgramWithSource
#undef clBuildProgram
#undef clGetDeviceInfo
#undef clEnqueueNDRangeKernel
#define clCreateProgramWithSource(...) vkfft_create_program(__VA_ARGS__)
#define clBuildProgram(...) vkfft_build_program(__VA_ARGS__)
#define clGetDeviceInfo(...) vkfft_device_info(__VA_ARGS__)
#define clEnqueueNDRangeKernel(...) vkfft_enqueue_kernel(__VA_ARGS__)
#define printf(...) vkfft_print(__VA_ARGS__)
#if !defined(_WIN32)
#define setlocale(...) vkfft_set_locale(__VA_ARGS__)
#endif
#include <vkFFT.h>
#undef clCreateProgramWithSource   // and it stays so: what is below calls none of them
#undef clBuildProgram
#undef clGetDeviceInfo
#undef clEnqueueNDRangeKernel
#undef printf
#undef setlocale
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#elif defined(_MSC_VER)
#pragma warning(pop)
#endif

namespace parallax::engine::fft {
namespace {

constexpr std::int64_t direct_factor = 13;   // larger prime factors go through its Bluestein code

std::int64_t largest_factor(std::int64_t n) {
    std::int64_t largest = 1;
    for (std::int64_t p = 2; p * p <= n; ++p)
        for (; n % p == 0; n /= p) largest = p;
    return n > 1 ? n : largest;
}

class VkfftTransform final : public Transform {
public:
    VkfftTransform(PlanBuilder& builder, const TransformSpec& spec)
        : spec_(spec),
          device_(host::opencl::device_handle(builder.context())),
          context_(host::opencl::context_handle(builder.context())),
          reals_(4 * static_cast<std::uint64_t>(spec.width * spec.height * spec.batch)),
          spectrum_(8 * static_cast<std::uint64_t>((spec.kind == Kind::c2c ? spec.width : spec.width / 2 + 1) * spec.height *
                                                   spec.batch)) {
        hooks_.context = &builder.context();
        hooks_.limits = &builder.device();
        VkFFTConfiguration wanted{};
        wanted.FFTdim = spec.height > 1 ? 2 : 1;
        wanted.size[0] = static_cast<std::uint64_t>(spec.width);
        wanted.size[1] = static_cast<std::uint64_t>(spec.height);
        wanted.size[2] = 1;
        wanted.numberBatches = static_cast<std::uint64_t>(spec.batch);
        wanted.device = &device_;
        wanted.context = &context_;
        wanted.normalize = 1;
        wanted.bufferSize = &spectrum_;
        wanted.isInputFormatted = 1;   // out of place; one buffer given twice is in place
        const std::uint64_t half_width = wanted.size[0] / 2 + 1;
        const auto strides = [&](auto& stride, std::uint64_t row) {   // three of them in VkFFT 1.2, four in 1.3
            stride[0] = row;
            std::fill(std::begin(stride) + 1, std::end(stride), row * wanted.size[1]);   // from one batch to the next
        };
        switch (spec.kind) {
        case Kind::c2c: wanted.inputBufferSize = &spectrum_; break;
        case Kind::r2c:
            wanted.performR2C = 1;
            wanted.makeForwardPlanOnly = 1;
            wanted.inputBufferSize = &reals_;
            strides(wanted.inputBufferStride, wanted.size[0]);
            break;
        case Kind::c2r:
            wanted.performR2C = 1;
            wanted.makeInversePlanOnly = 1;
            if (spec.height > 1) {
                wanted.inputBufferSize = &spectrum_;
                strides(wanted.inputBufferStride, half_width);
            } else {
                wanted.isInputFormatted = 0;   // long rows would be read from the buffer all the same
            }
            wanted.isOutputFormatted = 1;
            wanted.outputBufferSize = &reals_;
            strides(wanted.outputBufferStride, wanted.size[0]);
            work_ = builder.scratch(spectrum_);   // its last pass starts from here, so that the input stays as it is
            break;
        case Kind::dct:
            break;   // refused
        }
        {
            const VkfftScope scope(hooks_);
            const host::PlainNumbers numbers;   // it prints its tables into kernels
            // A failed initializeVkFFT() has freed what it had made.
            const VkFFTResult result = initializeVkFFT(&application_, wanted);
            if (hooks_.error) std::rethrow_exception(hooks_.error);
            if (result != VKFFT_SUCCESS)
                throw DeviceError("initializeVkFFT", result, fmt::format("VkFFTResult {}", static_cast<int>(result)),
                                  "plan " + describe(), "use \"fft\": \"radix\"");
        }
        try {
            run_once(builder);
        } catch (...) {
            deleteVkFFT(&application_);
            throw;
        }
        hooks_.limits = nullptr;
    }

    ~VkfftTransform() override { deleteVkFFT(&application_); }
    VkfftTransform(const VkfftTransform&) = delete;
    VkfftTransform& operator=(const VkfftTransform&) = delete;

    void enqueue(Execution& execution, const host::Buffer& in, const host::Buffer& out, Direction direction) override {
        const host::Buffer work = spec_.kind == Kind::c2r ? execution.buffer(work_) : host::Buffer();
        if (spec_.kind == Kind::c2r && spec_.height == 1) execution.copy("fft vkfft copy", in, work, spectrum_);
        for (host::Event& event : append(execution.queue(), in, out, work, direction))
            execution.external("fft vkfft", std::move(event));
    }

    std::string describe() const override {
        const bool bluestein = largest_factor(spec_.width) > direct_factor || largest_factor(spec_.height) > direct_factor;
        return fmt::format("vkfft ({} x {}{})", spec_.width, spec_.height, bluestein ? ", Bluestein" : "");
    }

private:
    std::vector<host::Event> append(host::Queue& queue, const host::Buffer& in, const host::Buffer& out, const host::Buffer& work,
                                    Direction direction) {
        cl_command_queue queue_handle = host::opencl::queue_handle(queue);
        cl_mem input = host::opencl::memory_handle(in), output = host::opencl::memory_handle(out), buffer = output;
        VkFFTLaunchParams launch{};
        launch.commandQueue = &queue_handle;
        launch.inputBuffer = &input;
        if (spec_.kind == Kind::c2r) {
            buffer = host::opencl::memory_handle(work);
            launch.outputBuffer = &output;
        }
        launch.buffer = &buffer;
        VkFFTResult result;
        {
            const VkfftScope scope(hooks_);
            result = VkFFTAppend(&application_, direction == Direction::inverse ? 1 : -1, &launch);
        }
        std::vector<host::Event> events;
        for (const cl_event event : hooks_.events) events.push_back(host::opencl::make_event(queue, event, "fft vkfft"));
        hooks_.events.clear();
        if (hooks_.error) std::rethrow_exception(std::exchange(hooks_.error, nullptr));
        host::opencl::check_command(queue, std::exchange(hooks_.status, CL_SUCCESS), "clEnqueueNDRangeKernel",
                                    "launch " + describe());
        if (result != VKFFT_SUCCESS)
            throw DeviceError("VkFFTAppend", result, fmt::format("VkFFTResult {}", static_cast<int>(result)),
                              "launch " + describe(), "use \"fft\": \"radix\"");
        return events;
    }

    // Drivers compile at the first launch.
    void run_once(PlanBuilder& builder) {
        const bool real_in = spec_.kind == Kind::r2c, real_out = spec_.kind == Kind::c2r;
        const host::Buffer in = builder.context().allocate(real_in ? reals_ : spectrum_);
        const host::Buffer out = builder.context().allocate(real_out ? reals_ : spectrum_);
        const host::Buffer work = real_out ? builder.context().allocate(spectrum_) : host::Buffer();
        if (!real_out) append(builder.queue(), in, out, work, Direction::forward);
        if (!real_in) append(builder.queue(), in, out, work, Direction::inverse);
        builder.queue().finish();
    }

    TransformSpec spec_;
    cl_device_id device_;      // VkFFT keeps pointers to these four
    cl_context context_;
    std::uint64_t reals_, spectrum_;
    VkfftHooks hooks_;
    VkFFTApplication application_{};
    Scratch work_;
};

}  // namespace

std::string vkfft_why_not(const TransformSpec& spec, host::Context& context) {
    if (context.info().backend != host::Backend::opencl)
        return fmt::format("vkfft is built for OpenCL; the device is {}", host::to_string(context.info().backend));
    if (spec.kind == Kind::dct) return "vkfft is not asked for cosine transforms here";
    // Both found by tests: garbage without an error code.
    if (spec.kind != Kind::c2c && spec.height > 1 && spec.batch > 1)
        return "vkfft's real transforms of several planes at once are not reliable";
    if (spec.kind != Kind::c2c)
        for (const std::int64_t length : {spec.width, spec.height})
            if (const std::int64_t factor = largest_factor(length); factor > direct_factor)
                return fmt::format("vkfft's real transforms of lengths with a prime factor above {} are not reliable; {} has {}",
                                   direct_factor, length, factor);
    if (spec.width < 2) return "vkfft takes rows of 2 elements or more";
    constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
    if (spec.width * spec.height * spec.batch > limit)
        return fmt::format("vkfft counts elements in 32 bits; {} x {} x {} is too many", spec.batch, spec.height, spec.width);
    return {};
}

std::unique_ptr<Transform> make_vkfft(PlanBuilder& builder, const TransformSpec& spec) {
    const auto refusal = [&](const std::string& why) {
        return UnsupportedError(
            fmt::format("VkFFT cannot plan a transform of {} x {} on {}", spec.width, spec.height, builder.device().name),
            {fmt::format("vkfft: {} on this driver; use \"fft\": \"radix\"", why)});
    };
    try {
        return std::make_unique<VkfftTransform>(builder, spec);
    } catch (const BuildError& error) {
        throw refusal(fmt::format("its kernel does not compile ({})",
                                  std::string(error.what()).substr(0, std::string(error.what()).find('\n'))));
    } catch (const DeviceError& error) {
        if (error.call == "clCreateBuffer" || !builder.context().failure().empty()) throw;   // ours: no memory, no device
        throw refusal(fmt::format("{} gave {}", error.call, error.code_name));
    }
}

}  // namespace parallax::engine::fft

#endif
