#pragma once

#include "opencl/api.hpp"
#include "parallax/host/buffer.hpp"

#include <string>

namespace parallax::host::opencl {

class ClContext;

/// A buffer or a sub-buffer. Nothing of zero bytes exists in OpenCL: such a one is backed by memory that no command touches.
class ClBuffer final : public BufferStorage, public std::enable_shared_from_this<ClBuffer> {
public:
    /// Memory that the host application owns (`borrowed`) is not counted as allocated.
    ClBuffer(std::shared_ptr<ClContext>, cl::Buffer, std::size_t bytes, bool borrowed = false);
    /// A part of `root`, which stays alive as long.
    ClBuffer(std::shared_ptr<ClBuffer> root, cl::Buffer, std::size_t offset, std::size_t bytes);
    ~ClBuffer() override;
    ClBuffer(const ClBuffer&) = delete;
    ClBuffer& operator=(const ClBuffer&) = delete;

    std::size_t bytes() const noexcept override { return bytes_; }
    std::shared_ptr<BufferStorage> sub(std::size_t offset, std::size_t bytes) override;

    cl_mem handle() const noexcept { return memory_(); }
    const ClContext& context() const noexcept { return *context_; }

private:
    std::shared_ptr<ClContext> context_;
    std::shared_ptr<ClBuffer> root_;   ///< null in the root itself
    cl::Buffer memory_;
    std::size_t offset_ = 0;           ///< within the root: OpenCL has no sub-buffers of sub-buffers
    std::size_t bytes_;
    bool borrowed_ = false;
};

std::shared_ptr<ClBuffer> allocate_buffer(std::shared_ptr<ClContext>, std::size_t bytes, const std::string& step);
std::shared_ptr<PinnedMemory> allocate_pinned(std::shared_ptr<ClContext>, std::size_t bytes);

}  // namespace parallax::host::opencl
