#pragma once

#include "cuda/api.hpp"
#include "parallax/host/buffer.hpp"

#include <memory>

namespace parallax::host::cuda {

class CudaContext;

/// A buffer or a part of one. One of zero bytes is backed by memory that no command touches.
class CudaBuffer final : public BufferStorage, public std::enable_shared_from_this<CudaBuffer> {
public:
    /// Owns `address`, unless it is borrowed.
    CudaBuffer(std::shared_ptr<CudaContext>, CUdeviceptr address, std::size_t bytes, bool borrowed = false);
    /// A part of `root`, which stays alive as long.
    CudaBuffer(std::shared_ptr<CudaBuffer> root, std::size_t offset, std::size_t bytes);
    ~CudaBuffer() override;
    CudaBuffer(const CudaBuffer&) = delete;
    CudaBuffer& operator=(const CudaBuffer&) = delete;

    std::size_t bytes() const noexcept override { return bytes_; }
    std::shared_ptr<BufferStorage> sub(std::size_t offset, std::size_t bytes) override;

    CUdeviceptr address() const noexcept { return address_; }
    const CudaContext& context() const noexcept { return *context_; }

private:
    std::shared_ptr<CudaContext> context_;
    std::shared_ptr<CudaBuffer> root_;   ///< null in the root itself
    CUdeviceptr address_;
    std::size_t bytes_;
    bool borrowed_ = false;
};

std::shared_ptr<CudaBuffer> allocate_buffer(std::shared_ptr<CudaContext>, std::size_t bytes);
std::shared_ptr<PinnedMemory> allocate_pinned(std::shared_ptr<CudaContext>, std::size_t bytes);

}  // namespace parallax::host::cuda
