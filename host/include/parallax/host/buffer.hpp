// Memory of a device, by reference count; a part of a buffer keeps the whole alive.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace parallax::host {

/// What a backend keeps for a buffer.
class BufferStorage {
public:
    virtual ~BufferStorage() = default;
    virtual std::size_t bytes() const noexcept = 0;
    /// Of no other storage in this process, before or after: an address comes again.
    std::uint64_t number() const noexcept { return number_; }
    /// The memory itself on the native device, null elsewhere.
    virtual std::byte* host_pointer() const noexcept { return nullptr; }
    /// A view of [offset, offset + bytes); offset must be a multiple of DeviceInfo::base_align.
    virtual std::shared_ptr<BufferStorage> sub(std::size_t offset, std::size_t bytes) = 0;

private:
    static inline std::atomic<std::uint64_t> made_{0};
    std::uint64_t number_ = ++made_;
};

class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::shared_ptr<BufferStorage> storage) : storage_(std::move(storage)) {}
    explicit operator bool() const noexcept { return storage_ != nullptr; }
    std::size_t bytes() const noexcept { return storage_ ? storage_->bytes() : 0; }
    std::byte* host_pointer() const noexcept { return storage_ ? storage_->host_pointer() : nullptr; }
    Buffer sub(std::size_t offset, std::size_t bytes) const { return Buffer(storage_->sub(offset, bytes)); }
    BufferStorage* storage() const noexcept { return storage_.get(); }
    bool operator==(const Buffer& other) const noexcept { return storage_ == other.storage_; }

private:
    std::shared_ptr<BufferStorage> storage_;
};

/// Host memory that the device can reach fast: page-locked and mapped where the backend has it.
class PinnedMemory {
public:
    virtual ~PinnedMemory() = default;
    virtual std::span<std::byte> bytes() noexcept = 0;
};

}  // namespace parallax::host
