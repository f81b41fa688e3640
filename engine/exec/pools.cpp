#include "exec/pools.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>

namespace parallax::engine {

/// Arrays may outlive the pool: what they need for coming back is shared.
struct HostPool::Shelf {
    using Memory = std::shared_ptr<host::PinnedMemory>;

    std::mutex mutex;
    std::condition_variable came;
    std::multimap<std::size_t, Memory> free;
    std::map<std::size_t, int> being_made;   ///< by stock(), of each size that is

    /// Waits for what is being made: making one more would take as long, behind the others. Null: none is, and none lies here.
    Memory take(std::size_t bytes) {
        std::unique_lock lock(mutex);
        came.wait(lock, [&] { return free.contains(bytes) || !being_made.contains(bytes); });
        const auto found = free.find(bytes);
        if (found == free.end()) return nullptr;
        Memory memory = std::move(found->second);
        free.erase(found);
        return memory;
    }
    /// False: one lies ready, or enough are being made.
    bool begin_to_make(std::size_t bytes) {
        constexpr int most_makers = 2;   // one clears pages while the driver, which takes one at a time, pins another's
        const std::lock_guard lock(mutex);
        if (free.contains(bytes)) return false;
        int& makers = being_made[bytes];
        if (makers >= most_makers) return false;
        ++makers;
        return true;
    }
    void end_making(std::size_t bytes) {
        const std::lock_guard lock(mutex);
        if (--being_made[bytes] == 0) being_made.erase(bytes);
        came.notify_all();
    }
    void put(std::size_t bytes, Memory memory) {
        constexpr std::size_t most = 64;   // items of many sizes must not pile up
        const std::lock_guard lock(mutex);
        if (free.size() >= most) free.erase(free.begin());
        try {
            free.emplace(bytes, std::move(memory));
        } catch (const std::bad_alloc&) {   // it goes instead
        }
        came.notify_all();
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
    if (bytes == 0 || !shelf_->begin_to_make(bytes)) return;
    try {
        shelf_->put(bytes, context_.allocate_pinned(bytes));
    } catch (const std::exception&) {   // who needs it waits until some is free, or says so
    }
    shelf_->end_making(bytes);
}

host::Buffer DevicePool::acquire(std::size_t bytes) {
    const auto found = free_.find(bytes);
    if (found == free_.end()) return context_.allocate(bytes);
    host::Buffer buffer = std::move(found->second);
    free_.erase(found);
    return buffer;
}

void DevicePool::release(host::Buffer buffer) {
    if (!keep_ || !buffer) return;
    const std::size_t bytes = buffer.bytes();
    try {
        free_.emplace(bytes, std::move(buffer));
    } catch (const std::bad_alloc&) {   // it goes instead
    }
}

}  // namespace parallax::engine
