#include "algorithms/diffusion_lb/texture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace parallax::engine::diffusion_lb {
namespace {

using host::opencl::check;

constexpr cl_image_format formats[2] = {{CL_R, CL_FLOAT}, {CL_RGBA, CL_FLOAT}};

}  // namespace

Texture::Texture(host::Context& context, std::int64_t width, std::int64_t height, bool four) {
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = static_cast<std::size_t>(width);
    desc.image_height = static_cast<std::size_t>(height);
    cl_int status = CL_SUCCESS;
    memory_ =
        clCreateImage(host::opencl::context_handle(context), CL_MEM_READ_WRITE, &formats[four ? 1 : 0], &desc, nullptr, &status);
    check(status, "clCreateImage", "diffusion_lb",
          fmt::format("an image of {} x {} with {} floats a texel; take the variant fused", width, height, four ? 4 : 1));
}

Texture::~Texture() {
    if (memory_ != nullptr) clReleaseMemObject(memory_);
}

std::string textures_why_not(host::Context& context, std::int64_t width, std::int64_t height) {
    if (!context.info().images) return "the device has no images";
    std::size_t largest[2] = {0, 0};
    const cl_device_id device = host::opencl::device_handle(context);
    if (clGetDeviceInfo(device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof largest[0], &largest[0], nullptr) != CL_SUCCESS ||
        clGetDeviceInfo(device, CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof largest[1], &largest[1], nullptr) != CL_SUCCESS)
        return "the device does not say how large its images may be";
    if (static_cast<std::size_t>(width) > largest[0] || static_cast<std::size_t>(height) > largest[1])
        return fmt::format("images of the device hold {} x {} pixels, this is {} x {}", largest[0], largest[1], width, height);
    cl_uint count = 0;
    if (clGetSupportedImageFormats(host::opencl::context_handle(context), CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr,
                                   &count) != CL_SUCCESS)
        return "the device does not say which images it has";
    std::vector<cl_image_format> found(count);
    if (count > 0 && clGetSupportedImageFormats(host::opencl::context_handle(context), CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D,
                                                count, found.data(), nullptr) != CL_SUCCESS)
        return "the device does not say which images it has";
    for (const cl_image_format& wanted : formats)
        if (std::none_of(found.begin(), found.end(), [&](const cl_image_format& f) {
                return f.image_channel_order == wanted.image_channel_order &&
                       f.image_channel_data_type == wanted.image_channel_data_type;
            }))
            return "the device has no images of one and of four floats a pixel";
    return {};
}

void launch_with_textures(Execution& x, std::string_view stage, host::Kernel& kernel, host::NDRange groups, host::NDRange local,
                          std::initializer_list<TextureArg> args) {
    const cl_kernel handle = host::opencl::kernel_handle(kernel);
    cl_uint index = 0;
    for (const TextureArg& arg : args) check(clSetKernelArg(handle, index++, arg.size, arg.value()), "clSetKernelArg", stage);
    const std::size_t global_size[2] = {groups.x * local.x, groups.y * local.y}, local_size[2] = {local.x, local.y};
    cl_event event = nullptr;
    host::opencl::check_command(x.queue(),
                                clEnqueueNDRangeKernel(host::opencl::queue_handle(x.queue()), handle, 2, nullptr, global_size,
                                                       local_size, 0, nullptr, &event),
                                "clEnqueueNDRangeKernel", stage);
    x.external(stage, host::opencl::make_event(x.queue(), event, stage));
}

}  // namespace parallax::engine::diffusion_lb
