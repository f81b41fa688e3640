#include "launch.hpp"

#include "idle_kernels.hpp"

namespace driver {
namespace {

/// Memory that is nowhere, or nothing in so many bytes: whatever the kernel takes.
bool set_argument(cl_kernel kernel, cl_uint index) {
    static constexpr std::array<std::size_t, 7> sizes{4, 8, 16, 1, 2, 32, 64};
    static constexpr std::array<unsigned char, 64> zeros{};
    if (clSetKernelArg(kernel, index, sizeof(cl_mem), nullptr) == CL_SUCCESS) return true;
    for (const std::size_t size : sizes)
        if (clSetKernelArg(kernel, index, size, zeros.data()) == CL_SUCCESS) return true;
    return false;
}

}  // namespace

bool Launcher::enqueue(cl_kernel kernel, const Launch& launch) {
    const IdleKernels idle;
    const cl_int status =
        clEnqueueNDRangeKernel(queue_, kernel, 3, nullptr, launch.global.data(), launch.local.data(), 0, nullptr, nullptr);
    return clFinish(queue_) == CL_SUCCESS && status == CL_SUCCESS;
}

/// A kernel that would leave a mark.
bool Launcher::idles() {
    static constexpr const char* text = "__kernel void mark(__global int* place) { place[0] = 1; }";
    const std::size_t size = std::char_traits<char>::length(text);
    int mark = 0;
    bool compiled = false;
    cl_int status = CL_SUCCESS;
    const cl_program program = clCreateProgramWithSource(device_.context, 1, const_cast<const char**>(&text), &size, &status);
    const cl_mem place = clCreateBuffer(device_.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof mark, &mark, nullptr);
    if (program != nullptr && place != nullptr && clBuildProgram(program, 1, &device_.id, "", nullptr, nullptr) == CL_SUCCESS) {
        const cl_kernel kernel = clCreateKernel(program, "mark", nullptr);
        compiled = kernel != nullptr && clSetKernelArg(kernel, 0, sizeof place, static_cast<const void*>(&place)) == CL_SUCCESS &&
                   enqueue(kernel, {{}, {}, {}, {1, 1, 1}, {1, 1, 1}}) &&
                   clEnqueueReadBuffer(queue_, place, CL_TRUE, 0, sizeof mark, &mark, 0, nullptr, nullptr) == CL_SUCCESS;
        if (kernel != nullptr) clReleaseKernel(kernel);
    }
    if (place != nullptr) clReleaseMemObject(place);
    if (program != nullptr) clReleaseProgram(program);
    return compiled && mark == 0;
}

bool Launcher::compile(const Launch& launch) {
    if (queue_ == nullptr) queue_ = clCreateCommandQueue(device_.context, device_.id, 0, nullptr);
    if (queue_ == nullptr) return false;
    if (idles_ == Idles::unknown) idles_ = idles() ? Idles::yes : Idles::no;
    if (idles_ == Idles::no) return false;
    const cl_program program = load(device_, launch.binary, launch.options);
    if (program == nullptr) return false;
    const cl_kernel kernel = clCreateKernel(program, launch.kernel.c_str(), nullptr);
    cl_uint arguments = 0;
    bool compiled =
        kernel != nullptr && clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr) == CL_SUCCESS;
    for (cl_uint i = 0; compiled && i < arguments; ++i) compiled = set_argument(kernel, i);
    compiled = compiled && enqueue(kernel, launch);
    if (kernel != nullptr) clReleaseKernel(kernel);
    clReleaseProgram(program);
    return compiled;
}

}  // namespace driver
