#include "longer.hpp"

#include <cstdio>
#include <map>
#include <mutex>

#include "waits.hpp"

namespace parallax_slower {

namespace {

// Nanoseconds on NVIDIA's devices, counts of the processor's clock elsewhere: of both a share is taken.
constexpr const char* source = R"(
#ifdef __NV_CL_C_VERSION
ulong now(void) { ulong t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
#else
ulong now(void) { return __builtin_readcyclecounter(); }
#endif
__kernel void mark(__global volatile ulong* slot) { slot[0] = now(); }
__kernel void spin(__global volatile ulong* slot, float share) {
    const ulong arrived = now(), until = arrived + (ulong)((float)(arrived - slot[0]) * share);
    while (now() < until) {
    }
}
)";

struct Pair {
    cl_kernel mark = nullptr, spin = nullptr;
};

std::mutex mutex;
std::map<cl_command_queue, Pair> pairs;   ///< kept: a queue is made once a session
std::map<cl_event, cl_event> firsts;      ///< the spinning's event -> the kernel's

/// Empty where the device's compiler has no clock for us, which is said once.
Pair make_pair(const cl_icd_dispatch& driver, cl_command_queue queue) {
    cl_context context = nullptr;
    cl_device_id device = nullptr;
    driver.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
    driver.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
    const char* text = source;
    const cl_program program = driver.clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
    if (program == nullptr || driver.clBuildProgram(program, 1, &device, "", nullptr, nullptr) != CL_SUCCESS) {
        std::fputs("PARALLAX_FAULTS_SLOWER_KERNELS: this device's compiler has no clock: its kernels are as they were\n", stderr);
        return {};
    }
    Pair pair{driver.clCreateKernel(program, "mark", nullptr), driver.clCreateKernel(program, "spin", nullptr)};
    const cl_mem slot = driver.clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_ulong), nullptr, nullptr);
    const auto share = static_cast<cl_float>(share_of("PARALLAX_FAULTS_SLOWER_KERNELS"));
    driver.clSetKernelArg(pair.mark, 0, sizeof slot, &slot);
    driver.clSetKernelArg(pair.spin, 0, sizeof slot, &slot);
    driver.clSetKernelArg(pair.spin, 1, sizeof share, &share);
    return pair;
}

}   // namespace

bool Longer::wanted() {
    static const bool is = share_of("PARALLAX_FAULTS_SLOWER_KERNELS") > 0;
    return is;
}

cl_int Longer::launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t* offset,
                      const std::size_t* global, const std::size_t* local, cl_uint waits, const cl_event* wait, cl_event* event) {
    constexpr std::size_t one = 1;
    const std::lock_guard lock(mutex);
    auto at = pairs.find(queue);
    if (at == pairs.end()) at = pairs.emplace(queue, make_pair(driver_, queue)).first;
    const Pair pair = at->second;
    if (pair.spin == nullptr)
        return driver_.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, wait, event);
    cl_int status = driver_.clEnqueueNDRangeKernel(queue, pair.mark, 1, nullptr, &one, &one, waits, wait, nullptr);
    cl_event first = nullptr;
    if (status == CL_SUCCESS)
        status = driver_.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, nullptr,
                                                event != nullptr ? &first : nullptr);
    if (status == CL_SUCCESS)
        status = driver_.clEnqueueNDRangeKernel(queue, pair.spin, 1, nullptr, &one, &one, 0, nullptr, event);
    if (first == nullptr) return status;
    if (status == CL_SUCCESS)
        firsts[*event] = first;
    else
        driver_.clReleaseEvent(first);
    return status;
}

cl_event Longer::first_of(cl_event event) {
    const std::lock_guard lock(mutex);
    const auto at = firsts.find(event);
    return at == firsts.end() ? event : at->second;
}

void Longer::let_go(cl_event event) {
    cl_uint references = 0;
    if (driver_.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, nullptr) != CL_SUCCESS) return;
    const std::lock_guard lock(mutex);
    const auto at = firsts.find(event);
    if (at == firsts.end() || references > 1) return;
    driver_.clReleaseEvent(at->second);
    firsts.erase(at);
}

}   // namespace parallax_slower
