// `image`: the row pass reads an OpenCL image, one plane after the other; the other axes are passes over buffers.
// The host runtime has no images: this one is made and read through OpenCL's own handles.
#include "algorithms/box_filter/passes.hpp"
#include "core/long_loops.hpp"
#include "core/make_variant.hpp"
#include "opencl/native.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <memory>
#include <type_traits>
#include <vector>

namespace parallax::engine::box_filter {
namespace {

namespace cl = host::opencl;

struct ReleaseMemory {
    void operator()(cl_mem memory) const noexcept { clReleaseMemObject(memory); }
};
using Image = std::unique_ptr<std::remove_pointer_t<cl_mem>, ReleaseMemory>;

/// One channel of the image's elements.
cl_image_format format_of(const BoxSpec& spec) {
    return {CL_R, static_cast<cl_channel_type>(spec.is_float()                ? CL_FLOAT
                                               : spec.type == ElementType::u8 ? CL_UNSIGNED_INT8
                                                                              : CL_UNSIGNED_INT16)};
}

Image create_image(host::Context& context, const BoxSpec& spec) {
    const cl_image_format format = format_of(spec);
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = static_cast<std::size_t>(spec.width);
    desc.image_height = static_cast<std::size_t>(spec.height);
    cl_int status = CL_SUCCESS;
    Image image(clCreateImage(cl::context_handle(context), CL_MEM_READ_WRITE, &format, &desc, nullptr, &status));
    cl::check(status, "clCreateImage", fmt::format("make an image of {} x {}", spec.width, spec.height));
    return image;
}

class ImagePlan final : public Plan {
public:
    ImagePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : spec_(spec_of(problem)), image_(create_image(builder.context(), spec_)) {
        const BoxSpec& spec = spec_;
        const std::int64_t group = pass_group(builder, policy.at("work_group_size"));
        require_rounds(builder.context(), spec.window[0]);
        const bool last = spec.window[1] == 1 && spec.window[2] == 1;
        const host::ProgramSpec program{"box_filter/image_rows.cl", defines_of(spec, true, last)};
        fill_ = builder.kernel(program, "to_image", 64);
        rows_ = builder.kernel(program, "image_rows", 64);
        std::vector<AxisPass> rest = passes_of(spec);
        if (spec.window[0] > 1 || last) rest.erase(rest.begin());
        for (AxisPass& pass : rest) {
            pass.first = false;
            sums_.push_back(builder.scratch(static_cast<std::size_t>(spec.count()) * sum_bytes(spec)));
            kernels_.emplace_back(builder, spec, pass, Walk::pixel, group, 1);
        }
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        rows(x, arrays.input("image"), kernels_.empty() ? arrays.output("image") : x.buffer(sums_[0]));
        for (std::size_t i = 0; i < kernels_.size(); ++i)
            kernels_[i].enqueue(x, x.buffer(sums_[i]),
                                i + 1 == kernels_.size() ? arrays.output("image") : x.buffer(sums_[i + 1]));
    }

private:
    void rows(Execution& x, const host::Buffer& in, const host::Buffer& out) {
        const cl_mem from = cl::memory_handle(in), to = cl::memory_handle(out), image = image_.get();
        const auto width = static_cast<cl_int>(spec_.width), height = static_cast<cl_int>(spec_.height),
                   window = static_cast<cl_int>(spec_.window[0]);
        const host::Arg border = border_argument(spec_), fill = fill_argument(spec_, 1), divisor = divisor_argument(spec_);
        for (std::int64_t plane = 0; plane < spec_.count(); plane += spec_.width * spec_.height) {
            const auto first = static_cast<cl_ulong>(plane);
            launch(x, "image", *fill_,
                   {{sizeof from, &from},
                    {sizeof first, &first},
                    {sizeof image, &image},
                    {sizeof width, &width},
                    {sizeof height, &height}});
            launch(x, "x", *rows_,
                   {{sizeof image, &image},
                    {sizeof to, &to},
                    {sizeof first, &first},
                    {sizeof width, &width},
                    {sizeof height, &height},
                    {sizeof window, &window},
                    {border.size(), border.value()},
                    {fill.size(), fill.value()},
                    {divisor.size(), divisor.value()}});
        }
    }

    struct Argument {
        std::size_t size;
        const void* value;
    };
    /// host::Launch takes no images.
    void launch(Execution& x, const char* stage, host::Kernel& kernel, std::initializer_list<Argument> arguments) {
        cl_uint index = 0;
        for (const Argument& a : arguments)
            cl::check(clSetKernelArg(cl::kernel_handle(kernel), index++, a.size, a.value), "clSetKernelArg", stage);
        const std::size_t local[2] = {16, 4};
        const std::size_t global[2] = {static_cast<std::size_t>(divided_up(spec_.width, 16) * 16),
                                       static_cast<std::size_t>(divided_up(spec_.height, 4) * 4)};
        cl_event done = nullptr;
        cl::check_command(x.queue(),
                          clEnqueueNDRangeKernel(cl::queue_handle(x.queue()), cl::kernel_handle(kernel), 2, nullptr, global,
                                                 local, 0, nullptr, &done),
                          "clEnqueueNDRangeKernel", stage);
        x.external(stage, cl::make_event(x.queue(), done, stage));
    }

    BoxSpec spec_;
    Image image_;
    std::unique_ptr<host::Kernel> fill_, rows_;
    std::vector<PassKernel> kernels_;
    std::vector<Scratch> sums_;
};

Support image_support(const Problem& problem, host::Context& context) {
    const BoxSpec spec = spec_of(problem);
    if (!context.info().images) return Support::no("the device has no images");
    if (context.info().max_work_group < 64)
        return Support::no(fmt::format("needs work-groups of 64; the device has {}", context.info().max_work_group));
    if (spec.channels != 1) return Support::no(fmt::format("takes one channel; this image has {}", spec.channels));
    std::size_t width = 0, height = 0;
    clGetDeviceInfo(cl::device_handle(context), CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof width, &width, nullptr);
    clGetDeviceInfo(cl::device_handle(context), CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof height, &height, nullptr);
    if (static_cast<std::size_t>(spec.width) > width || static_cast<std::size_t>(spec.height) > height)
        return Support::no(fmt::format("the device's images hold {} x {} pixels", width, height));
    cl_uint count = 0;
    clGetSupportedImageFormats(cl::context_handle(context), CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count);
    std::vector<cl_image_format> formats(count);
    clGetSupportedImageFormats(cl::context_handle(context), CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, count, formats.data(),
                               nullptr);
    const cl_image_format wanted = format_of(spec);
    for (const cl_image_format& format : formats)
        if (format.image_channel_order == wanted.image_channel_order &&
            format.image_channel_data_type == wanted.image_channel_data_type)
            return Support::yes();
    return Support::no(fmt::format("the device has no images of one channel of type {}", to_string(spec.type)));
}

}  // namespace

Variant image_variant() {
    return make_variant<ImagePlan>({
        .name = "image",
        .summary = "the source papers' third: rows are read from an image through the texture cache, the other axes as in pixel",
        .role = Role::baseline,
        .backends = {host::Backend::opencl},
        .policy = {{"work_group_size",
                    0,
                    {0, 1, 16, 32, 64, 128, 256},
                    "work-items of a group of the later passes; 0: 16 on CPUs, 128 elsewhere"}},
        .supports = image_support,
    });
}

}  // namespace parallax::engine::box_filter
