#include "native/memory.hpp"

#include "parallax/host/error.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace parallax::host::native {
namespace {

constexpr std::align_val_t alignment{64};

class NativeMemory final : public BufferStorage, public std::enable_shared_from_this<NativeMemory> {
public:
    NativeMemory(std::size_t bytes, Usage usage)
        : bytes_(bytes),
          usage_(std::move(usage)),
          data_(static_cast<std::byte*>(::operator new(std::max<std::size_t>(bytes, 1), alignment))) {
        *usage_ += bytes_;
    }
    ~NativeMemory() override {
        ::operator delete(data_, alignment);
        *usage_ -= bytes_;
    }
    NativeMemory(const NativeMemory&) = delete;
    NativeMemory& operator=(const NativeMemory&) = delete;

    std::size_t bytes() const noexcept override { return bytes_; }
    std::byte* host_pointer() const noexcept override { return data_; }
    std::shared_ptr<BufferStorage> sub(std::size_t offset, std::size_t bytes) override;

private:
    std::size_t bytes_;
    Usage usage_;
    std::byte* data_;
};

class NativeView final : public BufferStorage {
public:
    NativeView(std::shared_ptr<BufferStorage> whole, std::size_t offset, std::size_t bytes)
        : whole_(std::move(whole)), data_(whole_->host_pointer() + offset), bytes_(bytes) {}
    std::size_t bytes() const noexcept override { return bytes_; }
    std::byte* host_pointer() const noexcept override { return data_; }
    std::shared_ptr<BufferStorage> sub(std::size_t offset, std::size_t bytes) override;

private:
    std::shared_ptr<BufferStorage> whole_;
    std::byte* data_;
    std::size_t bytes_;
};

std::shared_ptr<BufferStorage> view(std::shared_ptr<BufferStorage> whole, std::size_t base, std::size_t limit, std::size_t offset,
                                    std::size_t bytes) {
    if (offset > limit || bytes > limit - offset)
        throw DeviceError("sub-buffer", 0, "", "",
                          fmt::format("{} bytes at offset {} do not lie within the buffer's {} bytes", bytes, offset, limit));
    if ((base + offset) % static_cast<std::size_t>(alignment) != 0)
        throw DeviceError("sub-buffer", 0, "", "",
                          fmt::format("offset {} is not a multiple of {}", offset, static_cast<std::size_t>(alignment)));
    return std::make_shared<NativeView>(std::move(whole), base + offset, bytes);
}

std::shared_ptr<BufferStorage> NativeMemory::sub(std::size_t offset, std::size_t bytes) {
    return view(shared_from_this(), 0, bytes_, offset, bytes);
}

std::shared_ptr<BufferStorage> NativeView::sub(std::size_t offset, std::size_t bytes) {
    return view(whole_, static_cast<std::size_t>(data_ - whole_->host_pointer()), bytes_, offset, bytes);
}

}  // namespace

std::shared_ptr<BufferStorage> allocate_storage(std::size_t bytes, const Usage& usage) {
    try {
        return std::make_shared<NativeMemory>(bytes, usage);
    } catch (const std::bad_alloc&) {
        throw DeviceError("allocation", 0, "", fmt::format("allocate {}", human_bytes(bytes)),
                          fmt::format("{} are in use already; use smaller tiles, close other programs, or allow more (--limit memory, ulimit)",
                                      human_bytes(*usage)));
    }
}

}  // namespace parallax::host::native
