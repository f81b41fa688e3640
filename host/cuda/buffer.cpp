#include "cuda/buffer.hpp"

#include "cuda/context.hpp"
#include "support/large_pages.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::host::cuda {
namespace {

/// Large pages that the driver has pinned; else memory of its own.
class CudaPinned final : public PinnedMemory {
public:
    CudaPinned(std::shared_ptr<CudaContext> context, std::size_t bytes) : context_(std::move(context)), bytes_(bytes) {
        const std::string step = fmt::format("allocate {} of pinned memory", human_bytes(bytes));
        const Current current = context_->current(step);
        if (pin_large_pages()) return;
        check(context_->driver(),
              context_->driver().mem_host_alloc(&data_, std::max<std::size_t>(bytes, 1), CU_MEMHOSTALLOC_PORTABLE),
              "cuMemHostAlloc", step,
              "this machine has too little memory that can be page-locked: use smaller tiles or close other programs");
    }
    ~CudaPinned() override {
        const Current current = context_->current_or_gone();
        if (current && pages_) context_->driver().mem_host_unregister(data_);
        else if (current) context_->driver().mem_free_host(data_);
        else if (pages_) pages_->leave();   // its commands may still write there
    }
    CudaPinned(const CudaPinned&) = delete;
    CudaPinned& operator=(const CudaPinned&) = delete;
    std::span<std::byte> bytes() noexcept override { return {static_cast<std::byte*>(data_), bytes_}; }

private:
    bool pin_large_pages() {
        const Driver& driver = context_->driver();
        if (driver.mem_host_register == nullptr || driver.mem_host_unregister == nullptr) return false;
        pages_ = LargePages::make(bytes_);
        if (pages_ && driver.mem_host_register(pages_->data(), pages_->bytes(), CU_MEMHOSTREGISTER_PORTABLE) != CUDA_SUCCESS)
            pages_.reset();
        data_ = pages_ ? pages_->data() : nullptr;
        return pages_ != nullptr;
    }

    std::shared_ptr<CudaContext> context_;
    std::unique_ptr<LargePages> pages_;
    void* data_ = nullptr;
    std::size_t bytes_;
};

std::string memory_hint(const CudaContext& context) {
    std::size_t available = 0, total = 0;
    const std::string own = fmt::format("{} are in use already", human_bytes(context.allocated()));
    if (context.driver().mem_get_info(&available, &total) != CUDA_SUCCESS) return own + ": use smaller tiles";
    return fmt::format("{} has {} of memory, {} are free, {}: use smaller tiles or a device with more memory",
                       context.info().name, human_bytes(total), human_bytes(available), own);
}

}  // namespace

CudaBuffer::CudaBuffer(std::shared_ptr<CudaContext> context, CUdeviceptr address, std::size_t bytes, bool borrowed)
    : context_(std::move(context)), address_(address), bytes_(bytes), borrowed_(borrowed) {
    if (!borrowed_) context_->add_allocated(bytes_);
}

CudaBuffer::CudaBuffer(std::shared_ptr<CudaBuffer> root, std::size_t offset, std::size_t bytes)
    : context_(root->context_), root_(std::move(root)), address_(root_->address_ + offset), bytes_(bytes) {}

CudaBuffer::~CudaBuffer() {
    if (root_ || borrowed_) return;
    context_->remove_allocated(bytes_);
    // Waits for the commands that still use the memory.
    if (const Current current = context_->current_or_gone()) context_->driver().mem_free(address_);
}

std::shared_ptr<BufferStorage> CudaBuffer::sub(std::size_t offset, std::size_t bytes) {
    const Driver& driver = context_->driver();
    const auto step = [&] { return fmt::format("take {} bytes at offset {} of a buffer of {} bytes", bytes, offset, bytes_); };
    if (offset > bytes_ || bytes > bytes_ - offset)
        fail(driver, "sub-buffer", CUDA_ERROR_INVALID_VALUE, step(), "the part must lie within the buffer");
    const std::shared_ptr<CudaBuffer> root = root_ ? root_ : shared_from_this();
    const std::size_t begin = static_cast<std::size_t>(address_ - root->address_) + offset;
    if (begin % context_->info().base_align != 0)
        fail(driver, "sub-buffer", CUDA_ERROR_MISALIGNED_ADDRESS, step(),
             fmt::format("offsets on {} must be multiples of {} bytes", context_->info().name, context_->info().base_align));
    return std::make_shared<CudaBuffer>(root, begin, bytes);
}

std::shared_ptr<CudaBuffer> allocate_buffer(std::shared_ptr<CudaContext> context, std::size_t bytes) {
    const Driver& driver = context->driver();
    const std::string step = "allocate " + human_bytes(bytes);
    const Current current = context->current(step);
    CUdeviceptr address = 0;
    const CUresult status = driver.mem_alloc(&address, std::max<std::size_t>(bytes, 1));
    if (status != CUDA_SUCCESS)
        fail(driver, "cuMemAlloc", status, step,
             status == CUDA_ERROR_OUT_OF_MEMORY || status == CUDA_ERROR_INVALID_VALUE ? memory_hint(*context) : std::string());
    return std::make_shared<CudaBuffer>(std::move(context), address, bytes);
}

std::shared_ptr<PinnedMemory> allocate_pinned(std::shared_ptr<CudaContext> context, std::size_t bytes) {
    return std::make_shared<CudaPinned>(std::move(context), bytes);
}

}  // namespace parallax::host::cuda
