// Parallax in the middle of a host application's own OpenCL work: its context, its queue, its memory; nothing crosses the bus.
//
//   host writes an image -> Parallax blurs it -> a kernel of the host's thresholds it -> host reads
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <parallax/parallax.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::size_t width = 640, height = 480, bytes = width * height * sizeof(float);
const char* const threshold = "__kernel void threshold(__global float* image, float level) {"
                              "  size_t i = get_global_id(0); image[i] = image[i] > level ? 1.0f : 0.0f; }";

void check(cl_int status, const char* call) {
    if (status != CL_SUCCESS) throw std::runtime_error(std::string(call) + " gave " + std::to_string(status));
}

}  // namespace

int main() {
    try {
        // What the host application has anyway.
        cl_platform_id platform = nullptr;
        cl_device_id device = nullptr;
        check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
        cl_int status = CL_SUCCESS;
        cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
        check(status, "clCreateContext");
        cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
        check(status, "clCreateCommandQueue");
        cl_mem raw = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
        check(status, "clCreateBuffer");
        cl_mem blurred = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
        check(status, "clCreateBuffer");
        cl_program program = clCreateProgramWithSource(context, 1, const_cast<const char**>(&threshold), nullptr, &status);
        check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
        cl_kernel kernel = clCreateKernel(program, "threshold", &status);
        check(status, "clCreateKernel");

        // Parallax on the same context and queue. Its objects hold references: either side may let go first.
        const auto engine = parallax::Engine::from_opencl(context, device);
        auto session = parallax::Session::from_queue(engine, queue);
        const auto layout = parallax::ArrayDesc::dense(parallax::ElementType::f32, {{'y', height}, {'x', width}});
        const parallax::Array in = session.wrap(raw, layout), out = session.wrap(blurred, layout);

        std::vector<float> image(width * height, 0.0f);
        image[240 * width + 320] = 81.0f;   // one bright point: a blur of radius 4 spreads it over 9 x 9 pixels
        check(clEnqueueWriteBuffer(queue, raw, CL_FALSE, 0, bytes, image.data(), 0, nullptr, nullptr), "clEnqueueWriteBuffer");
        session.submit(parallax::call(parallax::BoxFilterParameters{.radius = {4}}, {{"image", in}}, {.into = {{"image", out}}}));
        const float level = 0.5f;
        check(clSetKernelArg(kernel, 0, sizeof blurred, &blurred), "clSetKernelArg");
        check(clSetKernelArg(kernel, 1, sizeof level, &level), "clSetKernelArg");
        const std::size_t items = width * height;
        check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
        check(clEnqueueReadBuffer(queue, blurred, CL_TRUE, 0, bytes, image.data(), 0, nullptr, nullptr), "clEnqueueReadBuffer");

        int bright = 0;
        for (const float value : image) bright += value == 1.0f ? 1 : 0;
        std::printf("%d bright pixels on %s\n", bright, engine.device().name.c_str());

        clReleaseKernel(kernel);
        clReleaseProgram(program);
        clReleaseMemObject(raw);
        clReleaseMemObject(blurred);
        clReleaseCommandQueue(queue);
        clReleaseContext(context);
        return bright == 81 ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
