#include "opencl/context.hpp"

#include "opencl/buffer.hpp"
#include "opencl/errors.hpp"
#include "opencl/info.hpp"
#include "opencl/probe.hpp"
#include "opencl/queue.hpp"
#include "parallax/host/error.hpp"
#include "program/source.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace parallax::host::opencl {
namespace {

cl::Context create_context(const DeviceInfo& info, cl_platform_id platform, cl_device_id device) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform), 0};
    cl_int status = CL_SUCCESS;
    const cl_context context = clCreateContext(properties, 1, &device, nullptr, nullptr, &status);
    check(status, "clCreateContext", fmt::format("open {}", info.name));
    return cl::Context(context);
}

constexpr std::int64_t registers_of_a_unit = 65536;   // of NVIDIA's GPUs since 2012

// Texts that every kernel of the project is built with. No fast-math, and division and square root rounded correctly wherever the
// device can (the default is 2.5 and 3 ULP): results must agree between devices, and with CUDA, which is built alike.
std::string build_options(const ProgramSpec& spec, const DeviceInfo& device, bool rounds_correctly) {
    std::string options =
        "-cl-std=CL1.2 -w";   // PoCL's clang counts warnings on the stderr of whoever called it ("4 warnings generated.")
    if (rounds_correctly) options += " -cl-fp32-correctly-rounded-divide-sqrt";
    const auto& extensions = device.extensions;
    if (spec.resident_items > 0 && std::find(extensions.begin(), extensions.end(), "cl_nv_compiler_options") != extensions.end())
        options += fmt::format(" -cl-nv-maxrregcount={} -DHELD_REGISTERS=1", registers_of_a_unit / spec.resident_items / 8 * 8);
    const std::string list = spec.defines.options();
    return list.empty() ? options : options + " " + list;
}

}  // namespace

ClContext::ClContext(DeviceInfo info, cl_platform_id platform, cl_device_id device, const ContextOptions& options)
    : ClContext(info, platform, device, create_context(info, platform, device), false, options) {}

ClContext::ClContext(DeviceInfo info, cl_platform_id platform, cl_device_id device, cl::Context context, bool borrowed,
                     const ContextOptions& options)
    : info_(std::move(info)),
      platform_(platform),
      device_(device),
      cache_(options.cache),
      retained_(device, true),
      context_(std::move(context)),
      borrowed_(borrowed) {
    std::array<std::size_t, 3> items{};
    if (clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items.data(), nullptr) == CL_SUCCESS)
        max_items_ = items;
    else
        max_items_.fill(info_.max_work_group);
    rounds_correctly_ =
        (device_value<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG, 0) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    const cl_uint bits = device_value<cl_uint>(device, CL_DEVICE_ADDRESS_BITS, 64);
    max_global_ = bits >= 64 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << bits) - 1;
}

void ClContext::abandon(const std::string& why) {
    if (health_.abandoned()) return;
    health_.abandon(why);
    // To let go of the last reference might wait for the commands: one is kept for good.
    clRetainContext(handle());
    const std::lock_guard lock(mutex_);
    if (transfer_queue_) clRetainCommandQueue((*transfer_queue_)());
}

void ClContext::require_sound(const char* call, std::string_view step) const {
    if (health_.failed())
        throw DeviceError(
            call, CL_INVALID_CONTEXT, code_name(CL_INVALID_CONTEXT), std::string(step),
            fmt::format("{} failed before and is not used again ({}): open the device anew", info_.name, health_.failure()));
}

void ClContext::note_failure(cl_int code, const char* call, std::string_view step) {
    // In a context of the host application's the command that ours waited for may be one of its own.
    if (borrowed_ && code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) return;
    health_.fail(fmt::format("{}: {} gave {}", step, call, code_name(code)));
}

void ClContext::check_command(cl_int code, const char* call, std::string_view step, std::string_view hint) {
    if (code == CL_SUCCESS) return;
    if (is_fatal(code)) note_failure(code, call, step);
    fail(call, code, step, std::string(hint));
}

void ClContext::check_wait(cl_int code, const char* call, std::string_view step) {
    if (code == CL_SUCCESS) return;
    note_failure(code, call, step);
    fail(call, code, step);
}

const Capabilities& ClContext::capabilities() {
    // Two threads that ask at once may both probe; the probes are harmless and the first result stays.
    {
        const std::lock_guard lock(mutex_);
        if (capabilities_) return *capabilities_;
    }
    const Capabilities probed = probe(*this);
    const std::lock_guard lock(mutex_);
    if (!capabilities_) capabilities_ = probed;
    return *capabilities_;
}

std::unique_ptr<Queue> ClContext::create_queue(const QueueOptions& options) {
    require_sound("clCreateCommandQueue", "open a queue");
    return std::make_unique<ClQueue>(shared_from_this(), options.profiled);
}

Buffer ClContext::allocate_now(std::size_t bytes) {
    const std::string step = "allocate " + human_bytes(bytes);
    require_sound("clCreateBuffer", step);
    // Drivers hand memory out when it is first used, where the failure would name an innocent command.
    const std::uint64_t used = allocated();
    if (info_.global_memory != 0 && (bytes > info_.global_memory || used > info_.global_memory - bytes))
        fail("clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, step,
             fmt::format("{} has {} of memory, {} are in use already: use smaller tiles or a device with more memory", info_.name,
                         human_bytes(info_.global_memory), human_bytes(used)));
    return Buffer(allocate_buffer(shared_from_this(), bytes, step));
}

std::shared_ptr<PinnedMemory> ClContext::allocate_pinned(std::size_t bytes) {
    require_sound("clCreateBuffer", "allocate pinned memory");
    return opencl::allocate_pinned(shared_from_this(), bytes);
}

std::shared_ptr<Program> ClContext::build(const ProgramSpec& spec) {
    require_sound("clBuildProgram", "build " + spec.file);
    const FlatSource source = flatten(spec.file);
    return programs_.get(shared_from_this(), {source.files, source.text, build_options(spec, info_, rounds_correctly_)});
}

std::shared_ptr<Program> ClContext::build_text(const std::string& name, const std::string& text, const std::string& options) {
    return programs_.get(shared_from_this(), {{name}, text, options});
}

void ClContext::meet_first_launch(cl_kernel kernel, cl_uint dimensions, const std::size_t* global, const std::size_t* local) {
    if (local == nullptr || !place().at_launch) return;
    cl_program program = nullptr;
    std::size_t size = 0;
    check(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, static_cast<void*>(&program), nullptr), "clGetKernelInfo",
          "ask about a kernel");
    const auto built = programs_.find(program);
    if (!built) return;
    check(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, nullptr, &size), "clGetKernelInfo", "ask about a kernel");
    std::string name(size, '\0');
    check(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, size, name.data(), nullptr), "clGetKernelInfo", "ask about a kernel");
    std::array<std::size_t, 3> whole{1, 1, 1}, group{1, 1, 1};
    std::copy_n(global, dimensions, whole.begin());
    std::copy_n(local, dimensions, group.begin());
    opencl::meet_first_launch(*this, *built, trim(name), whole, group);
}

const DevicePlace& ClContext::place() const {
    std::call_once(place_known_, [this] { place_ = place_of(*this); });
    return place_;
}

const SharedQueue& ClContext::transfer_queue() {
    const std::lock_guard lock(mutex_);
    if (!transfer_queue_) {
        cl_int status = CL_SUCCESS;
        const cl_command_queue queue = clCreateCommandQueue(handle(), device_, 0, &status);
        check(status, "clCreateCommandQueue", "open a queue for pinned memory");
        transfer_queue_ = std::make_shared<const cl::CommandQueue>(queue);
    }
    return transfer_queue_;
}

}  // namespace parallax::host::opencl
