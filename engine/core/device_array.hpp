// Arrays in a device's memory.
#pragma once

#include "parallax/array.hpp"
#include "parallax/host/buffer.hpp"

namespace parallax {

/// An array in a device's memory.
struct DeviceArray {
    ArrayDesc desc;
    Metadata metadata;
    host::Buffer buffer;
};

}  // namespace parallax
