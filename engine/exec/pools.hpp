// Memory that goes from item to item instead of being asked for and given back each time.
#pragma once

#include "parallax/array.hpp"
#include "parallax/host/context.hpp"

#include <cstddef>
#include <map>
#include <memory>

namespace parallax::engine {

/// Host memory that the device reaches fast, as arrays. It returns when the last copy of an array goes, in any thread.
class HostPool {
public:
    explicit HostPool(host::Context& context);
    HostArray make(const ArrayDesc&);
    /// Sees to it that one lies ready: for the thread that will make it, whose time is dearer.
    void stock(const ArrayDesc&);

private:
    struct Shelf;
    host::Context& context_;
    std::shared_ptr<Shelf> shelf_;
};

/// Device memory for one thread. `keep` false: what is released is given back at once.
class DevicePool {
public:
    DevicePool(host::Context& context, bool keep) : context_(context), keep_(keep) {}
    host::Buffer acquire(std::size_t bytes);
    void release(host::Buffer);
    /// Gives back what nobody uses.
    void trim() { free_.clear(); }

private:
    host::Context& context_;
    bool keep_;
    std::multimap<std::size_t, host::Buffer> free_;
};

}  // namespace parallax::engine
