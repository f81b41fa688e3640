#include "exec/pools.hpp"

#include "parallax/host/error.hpp"

#include <mutex>

namespace parallax::engine {

/// Arrays may outlive the pool: what they need for coming back is shared.
struct HostPool::Shelf {
    std::mutex mutex;
    std::multimap<std::size_t, std::shared_ptr<host::PinnedMemory>> free;

    std::shared_ptr<host::PinnedMemory> take(std::size_t bytes) {
        const std::lock_guard lock(mutex);
        const auto found = free.find(bytes);
        if (found == free.end()) return nullptr;
        std::shared_ptr<host::PinnedMemory> memory = std::move(found->second);
        free.erase(found);
        return memory;
    }
    bool has(std::size_t bytes) {
        const std::lock_guard lock(mutex);
        return free.contains(bytes);
    }
    void put(std::size_t bytes, std::shared_ptr<host::PinnedMemory> memory) {
        constexpr std::size_t most = 64;   // items of many sizes must not pile up
        const std::lock_guard lock(mutex);
        if (free.size() >= most) free.erase(free.begin());
        free.emplace(bytes, std::move(memory));
    }
};

HostPool::HostPool(host::Context& context) : context_(context), shelf_(std::make_shared<Shelf>()) {}

HostArray HostPool::make(const ArrayDesc& desc) {
    const std::size_t bytes = desc.dense_bytes();
    if (bytes == 0) return HostArray::make(desc);
    std::shared_ptr<host::PinnedMemory> memory = shelf_->take(bytes);
    if (!memory) memory = context_.allocate_pinned(bytes);
    std::byte* const data = memory->bytes().data();
    const std::weak_ptr<Shelf> shelf = shelf_;
    return {desc, {}, std::shared_ptr<std::byte[]>(data, [memory, shelf, bytes](std::byte*) {
                if (const auto home = shelf.lock()) home->put(bytes, memory);
            })};
}

void HostPool::stock(const ArrayDesc& desc) {
    const std::size_t bytes = desc.dense_bytes();
    if (bytes == 0 || shelf_->has(bytes)) return;
    try {
        shelf_->put(bytes, context_.allocate_pinned(bytes));
    } catch (const DeviceError&) {   // who needs it waits until some is free, or says so
    }
}

host::Buffer DevicePool::acquire(std::size_t bytes) {
    const auto found = free_.find(bytes);
    if (found == free_.end()) return context_.allocate(bytes);
    host::Buffer buffer = std::move(found->second);
    free_.erase(found);
    return buffer;
}

void DevicePool::release(host::Buffer buffer) {
    if (keep_ && buffer) free_.emplace(buffer.bytes(), std::move(buffer));
}

}  // namespace parallax::engine
