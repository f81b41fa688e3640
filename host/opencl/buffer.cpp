#include "opencl/buffer.hpp"

#include "opencl/context.hpp"
#include "opencl/errors.hpp"
#include "opencl/event.hpp"
#include "opencl/probe.hpp"
#include "support/large_pages.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace parallax::host::opencl {
namespace {

/// A buffer of page-locked memory that stays mapped. `pages`: those that it is made of; null: it is the driver's own.
class ClPinned final : public PinnedMemory {
public:
    ClPinned(std::shared_ptr<ClContext> context, std::unique_ptr<LargePages> pages, cl::Buffer memory, std::size_t bytes)
        : context_(std::move(context)), pages_(std::move(pages)), memory_(std::move(memory)), bytes_(bytes) {
        // Not blocking, so that a device that hangs is noticed: to map memory of the host there is nothing to compute.
        constexpr std::chrono::minutes limit{1};
        const std::string step = fmt::format("map {} of pinned memory", human_bytes(bytes));
        const SharedQueue& queue = context_->transfer_queue();
        cl_int status = CL_SUCCESS;
        cl_event mapped = nullptr;
        data_ = static_cast<std::byte*>(clEnqueueMapBuffer((*queue)(), memory_(), CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                                           std::max<std::size_t>(bytes, 1), 0, nullptr, &mapped, &status));
        context_->check_command(status, "clEnqueueMapBuffer", step);
        ClEvent(context_, queue, cl::Event(mapped), step, false, limit).wait();
    }
    ~ClPinned() override {
        if (context_->abandoned()) {
            clRetainMemObject(memory_());   // for good: commands may still use it, and letting go might wait for them
            if (pages_) pages_->leave();
            return;
        }
        // Nothing can be done about a failure here; the driver drops the mapping with the buffer.
        const cl_command_queue queue = (*context_->transfer_queue())();
        if (clEnqueueUnmapMemObject(queue, memory_(), data_, 0, nullptr, nullptr) == CL_SUCCESS) clFinish(queue);
    }
    ClPinned(const ClPinned&) = delete;
    ClPinned& operator=(const ClPinned&) = delete;
    std::span<std::byte> bytes() noexcept override { return {data_, bytes_}; }

private:
    std::shared_ptr<ClContext> context_;
    std::unique_ptr<LargePages> pages_;   // goes after the buffer
    cl::Buffer memory_;
    std::size_t bytes_;
    std::byte* data_ = nullptr;
};

cl::Buffer create(const ClContext& context, cl_mem_flags flags, std::size_t bytes, const std::string& step) {
    cl_int status = CL_SUCCESS;
    const cl_mem memory = clCreateBuffer(context.handle(), flags, std::max<std::size_t>(bytes, 1), nullptr, &status);
    if (status != CL_SUCCESS)
        fail("clCreateBuffer", status, step,
             status == CL_INVALID_BUFFER_SIZE || status == CL_MEM_OBJECT_ALLOCATION_FAILURE
                 ? fmt::format("the largest single allocation of {} is {}, {} are in use already: use smaller tiles",
                               context.info().name, human_bytes(context.info().max_allocation), human_bytes(context.allocated()))
                 : std::string());
    return cl::Buffer(memory);
}

}  // namespace

ClBuffer::ClBuffer(std::shared_ptr<ClContext> context, cl::Buffer memory, std::size_t bytes, bool borrowed)
    : context_(std::move(context)), memory_(std::move(memory)), bytes_(bytes), borrowed_(borrowed) {
    if (!borrowed_) context_->add_allocated(bytes_);
}

ClBuffer::ClBuffer(std::shared_ptr<ClBuffer> root, cl::Buffer memory, std::size_t offset, std::size_t bytes)
    : context_(root->context_), root_(std::move(root)), memory_(std::move(memory)), offset_(offset), bytes_(bytes) {}

ClBuffer::~ClBuffer() {
    if (!root_ && !borrowed_) context_->remove_allocated(bytes_);
    if (context_->abandoned()) clRetainMemObject(memory_());   // for good: letting go might wait
}

std::shared_ptr<BufferStorage> ClBuffer::sub(std::size_t offset, std::size_t bytes) {
    const std::string step = fmt::format("take {} bytes at offset {} of a buffer of {} bytes", bytes, offset, bytes_);
    if (offset > bytes_ || bytes > bytes_ - offset)
        fail("clCreateSubBuffer", CL_INVALID_VALUE, step, "the part must lie within the buffer");
    const std::shared_ptr<ClBuffer> root = root_ ? root_ : shared_from_this();
    const std::size_t begin = offset_ + offset;
    if (begin % context_->info().base_align != 0)
        fail("clCreateSubBuffer", CL_MISALIGNED_SUB_BUFFER_OFFSET, step,
             fmt::format("offsets on {} must be multiples of {} bytes", context_->info().name, context_->info().base_align));
    if (bytes == 0) {
        check(clRetainMemObject(root->handle()), "clRetainMemObject", step);
        return std::make_shared<ClBuffer>(root, cl::Buffer(root->handle()), begin, 0);
    }
    const cl_buffer_region region{begin, bytes};
    cl_int status = CL_SUCCESS;
    const cl_mem part = clCreateSubBuffer(root->handle(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    check(status, "clCreateSubBuffer", step);
    return std::make_shared<ClBuffer>(root, cl::Buffer(part), begin, bytes);
}

std::shared_ptr<ClBuffer> allocate_buffer(std::shared_ptr<ClContext> context, std::size_t bytes, const std::string& step) {
    cl::Buffer memory = create(*context, CL_MEM_READ_WRITE, bytes, step);
    return std::make_shared<ClBuffer>(std::move(context), std::move(memory), bytes);
}

std::shared_ptr<PinnedMemory> allocate_pinned(std::shared_ptr<ClContext> context, std::size_t bytes) {
    // NVIDIA pins what it is given, other drivers copy it.
    if (auto pages = is_nvidia(context->info()) ? LargePages::make(bytes) : nullptr) {
        cl_int status = CL_SUCCESS;
        cl::Buffer memory(
            clCreateBuffer(context->handle(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, pages->bytes(), pages->data(), &status));
        if (status == CL_SUCCESS)
            return std::make_shared<ClPinned>(std::move(context), std::move(pages), std::move(memory), bytes);
    }
    cl::Buffer memory = create(*context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes,
                               fmt::format("allocate {} of pinned memory", human_bytes(bytes)));
    return std::make_shared<ClPinned>(std::move(context), nullptr, std::move(memory), bytes);
}

}  // namespace parallax::host::opencl
