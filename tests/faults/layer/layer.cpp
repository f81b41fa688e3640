// An OpenCL layer (OPENCL_LAYERS) that stands between Parallax and the driver. It counts calls and live references,
// and fails the n-th call with a chosen code, once or from then on. A stalled device is simulated, too: its commands
// never end, and so is a smaller one: less local memory, smaller work-groups; and a slower one, whose waits (waits.hpp) or
// kernels (longer.hpp) take longer. Steered by the functions of layer.h, which a test finds in the loaded library.
#include "layer.h"

#include <CL/cl_layer.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>

#include "longer.hpp"
#include "waits.hpp"

namespace {

// Every entry point that Parallax, VkFFT or clFFT uses. A release that fails has released all the same.
#define PARALLAX_CALLS(X)                                                                                                    \
    X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo) X(clCreateContext) X(clRetainContext)       \
    X(clReleaseContext) X(clGetContextInfo) X(clCreateCommandQueue) X(clRetainCommandQueue) X(clReleaseCommandQueue)          \
    X(clGetCommandQueueInfo) X(clCreateBuffer) X(clCreateSubBuffer) X(clCreateImage) X(clRetainMemObject)                     \
    X(clReleaseMemObject) X(clGetSupportedImageFormats) X(clGetMemObjectInfo) X(clCreateProgramWithSource)                    \
    X(clCreateProgramWithBinary) X(clRetainProgram) X(clReleaseProgram) X(clBuildProgram) X(clGetProgramInfo)                 \
    X(clGetProgramBuildInfo) X(clCreateKernel) X(clRetainKernel) X(clReleaseKernel) X(clSetKernelArg) X(clGetKernelInfo)      \
    X(clGetKernelWorkGroupInfo) X(clWaitForEvents) X(clGetEventInfo) X(clRetainEvent) X(clReleaseEvent)                       \
    X(clGetEventProfilingInfo) X(clFlush) X(clFinish) X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer)   \
    X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject) X(clEnqueueNDRangeKernel) X(clEnqueueMarkerWithWaitList)

#define PARALLAX_NAME(name) #name,
constexpr std::array<std::string_view, 46> names{PARALLAX_CALLS(PARALLAX_NAME)};
#undef PARALLAX_NAME
#define PARALLAX_NAME(name) name,
namespace call {
enum Call : std::size_t { PARALLAX_CALLS(PARALLAX_NAME) count };
}
using call::Call;
#undef PARALLAX_NAME
static_assert(names.size() == call::count);

cl_icd_dispatch driver{};
cl_icd_dispatch layer{};
parallax_slower::Longer longer(driver);

std::atomic<long> calls{0}, fail_at{0};
std::atomic<int> fail_code{0}, mode{parallax_faults_once};
std::atomic<std::size_t> last_failed{call::count};
std::atomic<bool> stalled{false};
std::array<std::atomic<long>, parallax_faults_kinds> live{};

/// The code that this call shall fail with, CL_SUCCESS for none.
cl_int fault(Call which) {
    const long number = ++calls, wanted = fail_at;
    const bool hit = wanted > 0 && (mode == parallax_faults_once ? number == wanted : number >= wanted);
    if (!hit) return CL_SUCCESS;
    if (number == wanted) last_failed = which;
    return fail_code;
}

template <class T> constexpr int kind_of() {
    if constexpr (std::is_same_v<T, cl_context>) return parallax_faults_contexts;
    else if constexpr (std::is_same_v<T, cl_command_queue>) return parallax_faults_queues;
    else if constexpr (std::is_same_v<T, cl_mem>) return parallax_faults_memory;
    else if constexpr (std::is_same_v<T, cl_program>) return parallax_faults_programs;
    else if constexpr (std::is_same_v<T, cl_kernel>) return parallax_faults_kernels;
    else return parallax_faults_events;
}

template <class A> void count_event(A argument) {
    if constexpr (std::is_same_v<A, cl_event*>) {
        if (argument != nullptr) ++live[parallax_faults_events];
    } else {
        static_cast<void>(argument);
    }
}

void wait_while_stalled() {
    while (stalled) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// The limits of a smaller device.
struct Limits {
    std::size_t local_memory = 0, added = 0, group = 0;
    std::string kernels;
};
std::mutex limits_mutex;
Limits limits;
std::atomic<long> refused{0};

Limits limits_now() {
    const std::lock_guard lock(limits_mutex);
    return limits;
}

void set_limits(Limits wanted) {
    const std::lock_guard lock(limits_mutex);
    limits = std::move(wanted);
    refused = 0;
}

/// "49152,16,256" or "49152,16,64,scan".
void take_limits_of_environment() {
    const char* const text = std::getenv("PARALLAX_FAULTS_LIMITS");
    if (text == nullptr) return;
    Limits wanted;
    int end = 0;
    if (std::sscanf(text, "%zu,%zu,%zu%n", &wanted.local_memory, &wanted.added, &wanted.group, &end) != 3) {
        std::fprintf(stderr, "PARALLAX_FAULTS_LIMITS: \"%s\", not local_memory,added,group[,kernels]\n", text);
        std::abort();
    }
    if (text[end] == ',') wanted.kernels = text + end + 1;
    set_limits(std::move(wanted));
}

/// A kernel that was compiled for one shape runs in that shape, or would not have been compiled.
bool is_of_one_shape(cl_kernel kernel) {
    std::array<std::size_t, 3> shape{};
    return driver.clGetKernelWorkGroupInfo(kernel, nullptr, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof shape, shape.data(),
                                           nullptr) == CL_SUCCESS &&
           shape[0] != 0;
}

std::size_t group_limit(cl_kernel kernel, const Limits& now) {
    if (now.group == 0 || is_of_one_shape(kernel)) return 0;
    std::array<char, 256> name{};
    driver.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, name.size() - 1, name.data(), nullptr);
    return std::string_view(name.data()).find(now.kernels) != std::string_view::npos ? now.group : 0;
}

/// Local memory of a kernel with what this device adds.
cl_ulong with_added(cl_ulong declared, const Limits& now) { return declared > 0 ? declared + now.added : 0; }

void lower_device(cl_device_info what, void* value, const Limits& now) {
    if (what != CL_DEVICE_LOCAL_MEM_SIZE || now.local_memory == 0 || value == nullptr) return;
    cl_ulong& bytes = *static_cast<cl_ulong*>(value);
    if (bytes > now.local_memory) bytes = now.local_memory;
}

void lower_kernel(cl_kernel kernel, cl_kernel_work_group_info what, void* value, const Limits& now) {
    if (value == nullptr) return;
    if (what == CL_KERNEL_LOCAL_MEM_SIZE) *static_cast<cl_ulong*>(value) = with_added(*static_cast<cl_ulong*>(value), now);
    if (what != CL_KERNEL_WORK_GROUP_SIZE) return;
    const std::size_t most = group_limit(kernel, now);
    std::size_t& items = *static_cast<std::size_t*>(value);
    if (most != 0 && items > most) items = most;
}

/// What the device would say to a launch.
cl_int refusal(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t* local, const Limits& now) {
    cl_int code = CL_SUCCESS;
    std::size_t items = 1;
    for (cl_uint i = 0; local != nullptr && i < dimensions; ++i) items *= local[i];
    if (const std::size_t most = group_limit(kernel, now); most != 0 && items > most) code = CL_INVALID_WORK_GROUP_SIZE;
    cl_device_id device = nullptr;
    cl_ulong bytes = 0;
    if (now.local_memory != 0 &&
        driver.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr) == CL_SUCCESS &&
        driver.clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr) == CL_SUCCESS &&
        with_added(bytes, now) > now.local_memory)
        code = CL_OUT_OF_RESOURCES;
    if (code != CL_SUCCESS) ++refused;
    return code;
}

template <class Last> Last last_of(Last last) { return last; }
template <class First, class... Rest> auto last_of(First, Rest... rest) { return last_of(rest...); }

template <Call which, auto entry> struct Wrapped;

/// Calls that return a code.
template <Call which, class... A, cl_int(CL_API_CALL* cl_icd_dispatch::*entry)(A...)> struct Wrapped<which, entry> {
    static cl_int CL_API_CALL run(A... arguments) {
        constexpr bool releases = names[which].starts_with("clRelease"), retains = names[which].starts_with("clRetain");
        const cl_int code = fault(which);
        if (code != CL_SUCCESS && !releases) return code;
        if constexpr (which == call::clFinish || which == call::clWaitForEvents) wait_while_stalled();
        if constexpr (which == call::clEnqueueNDRangeKernel)
            if (const cl_int why = refuse(arguments...); why != CL_SUCCESS) return why;
        if constexpr (names[which].starts_with("clEnqueue")) parallax_slower::waits().begin();
        if constexpr (which == call::clReleaseEvent)
            if (parallax_slower::Longer::wanted()) longer.let_go(arguments...);
        const cl_int status = forward(arguments...);
        if constexpr (which == call::clFinish || which == call::clWaitForEvents) parallax_slower::waits().end();
        if (status != CL_SUCCESS) return status;
        if constexpr (retains) ++live[kind_of<A...>()];
        else if constexpr (releases) --live[kind_of<A...>()];
        else (count_event(arguments), ...);
        if constexpr (which == call::clGetEventInfo) pretend(arguments...);
        if constexpr (which == call::clGetDeviceInfo) lower(arguments...);
        if constexpr (which == call::clGetKernelWorkGroupInfo) lower(arguments...);
        return code;
    }
    static cl_int forward(A... arguments) {
        if constexpr (which == call::clEnqueueNDRangeKernel)
            if (parallax_slower::Longer::wanted()) return longer.launch(arguments...);
        if constexpr (which == call::clGetEventProfilingInfo)
            if (parallax_slower::Longer::wanted()) return from_its_beginning(arguments...);
        return (driver.*entry)(arguments...);
    }
    static cl_int from_its_beginning(cl_event event, cl_profiling_info what, std::size_t bytes, void* value, std::size_t* size) {
        return driver.clGetEventProfilingInfo(what == CL_PROFILING_COMMAND_END ? event : longer.first_of(event), what, bytes,
                                              value, size);
    }
    static void lower(cl_device_id, cl_device_info what, std::size_t, void* value, std::size_t*) {
        lower_device(what, value, limits_now());
    }
    static void lower(cl_kernel kernel, cl_device_id, cl_kernel_work_group_info what, std::size_t, void* value, std::size_t*) {
        lower_kernel(kernel, what, value, limits_now());
    }
    static cl_int refuse(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t*, const std::size_t*,
                         const std::size_t* local, cl_uint, const cl_event*, cl_event*) {
        return refusal(queue, kernel, dimensions, local, limits_now());
    }
    static void pretend(cl_event, cl_event_info what, std::size_t, void* value, std::size_t*) {
        if (stalled && what == CL_EVENT_COMMAND_EXECUTION_STATUS) *static_cast<cl_int*>(value) = CL_RUNNING;
    }
};

/// Calls that return an object, or a mapping, and leave the code behind their last argument.
template <Call which, class R, class... A, R(CL_API_CALL* cl_icd_dispatch::*entry)(A...)>
    requires std::is_pointer_v<R>
struct Wrapped<which, entry> {
    static R CL_API_CALL run(A... arguments) {
        if (const cl_int code = fault(which); code != CL_SUCCESS) {
            if (cl_int* status = last_of(arguments...); status != nullptr) *status = code;
            return nullptr;
        }
        if constexpr (which == call::clEnqueueMapBuffer) wait_while_stalled();
        const R object = (driver.*entry)(arguments...);
        if (object == nullptr) return object;
        if constexpr (which != call::clEnqueueMapBuffer) ++live[kind_of<R>()];
        (count_event(arguments), ...);
        return object;
    }
};

}  // namespace

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t bytes, void* value, size_t* size) {
    static constexpr char name[] = "Parallax fault layer";
    static constexpr cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void* from = what == CL_LAYER_NAME ? static_cast<const void*>(name) : &version;
    const size_t needed = what == CL_LAYER_NAME ? sizeof name : sizeof version;
    if (what != CL_LAYER_NAME && what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
    if (value != nullptr && bytes < needed) return CL_INVALID_VALUE;
    if (value != nullptr) std::memcpy(value, from, needed);
    if (size != nullptr) *size = needed;
    return CL_SUCCESS;
}

/// Command buffers would go past the layer, with events that nobody counts: there are none.
void* CL_API_CALL function_that_is_counted(cl_platform_id platform, const char* name) {
    if (std::strstr(name, "CommandBuffer") != nullptr) return nullptr;
    return driver.clGetExtensionFunctionAddressForPlatform(platform, name);
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target, cl_uint* entries_of_layer,
                                            const cl_icd_dispatch** dispatch) {
    if (target == nullptr || entries_of_layer == nullptr || dispatch == nullptr) return CL_INVALID_VALUE;
    constexpr cl_uint known = sizeof(cl_icd_dispatch) / sizeof(void*);
    std::memcpy(&driver, target, (entries < known ? entries : known) * sizeof(void*));
    layer = driver;
#define PARALLAX_WRAP(name) layer.name = &Wrapped<call::name, &cl_icd_dispatch::name>::run;
    PARALLAX_CALLS(PARALLAX_WRAP)
#undef PARALLAX_WRAP
    layer.clGetExtensionFunctionAddressForPlatform = function_that_is_counted;
    take_limits_of_environment();
    *entries_of_layer = known;
    *dispatch = &layer;
    return CL_SUCCESS;
}

void parallax_faults_arm(long nth, int code, int new_mode) {
    calls = 0;
    last_failed = call::count;
    fail_code = code;
    mode = new_mode;
    fail_at = nth;
}
long parallax_faults_calls(void) { return calls; }
const char* parallax_faults_failed(void) {
    const std::size_t which = last_failed;
    return which < call::count ? names[which].data() : "";
}
long parallax_faults_live(int kind) { return live[static_cast<std::size_t>(kind)]; }
void parallax_faults_limit(unsigned long local_memory, unsigned long added, unsigned long group, const char* kernels) {
    set_limits({local_memory, added, group, kernels != nullptr ? kernels : ""});
}
long parallax_faults_refused(void) { return refused; }
void parallax_faults_stall(int on) { stalled = on != 0; }
}
