// Where memory lies. Two handles of a driver may be parts of one memory, so that handles alone do not tell.
#pragma once

#include "parallax/host/buffer.hpp"

#include <cstdint>

namespace parallax::host {

struct Place {
    std::uintptr_t memory = 0;    ///< OpenCL's handle of the whole; 0: `first` is an address
    std::uint64_t first = 0, bytes = 0;

    bool overlaps(const Place& other) const noexcept {
        return memory == other.memory && bytes > 0 && other.bytes > 0 && first < other.first + other.bytes &&
               other.first < first + bytes;
    }
};

/// Of all of a buffer.
Place place_of(const Buffer&) noexcept;

}  // namespace parallax::host
