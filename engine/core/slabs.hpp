// An array that goes to the device slab by slab: one is read while the device has the one before.
#pragma once

#include "core/profiler.hpp"
#include "parallax/host/context.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace parallax::engine {

/// Slices [first, end) along the slowest axis of an array.
struct Slices {
    std::int64_t first = 0, end = 0;
    std::int64_t count() const noexcept { return end - first; }
};

/// Reads slices of an array, dense, into `to`. Fastest in order: to go back may be to begin again.
using ReadSlices = std::function<void(Slices, std::byte* to)>;

/// Memory of two slabs on either side, which take turns. Commands use it until the queue has finished.
struct SlabMemory {
    std::array<std::byte*, 2> host;
    std::array<host::Buffer, 2> device;
    std::int64_t slab;         ///< slices of each
    std::size_t slice_bytes;
    std::array<host::Event, 2> up{};
    std::size_t turn = 0;
};

/// Reads and sends slices, a slab at a time; `use` enqueues what is to be done with one. `name` is that of the array in reports.
void send_slabs(host::Queue&, Profiler&, const std::string& name, Slices wanted, SlabMemory&, const ReadSlices&,
                const std::function<void(const host::Buffer&, Slices)>& use);

}  // namespace parallax::engine
