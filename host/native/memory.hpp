#pragma once

#include "native/context.hpp"

namespace parallax::host::native {

/// Cache-line aligned memory. Throws DeviceError naming the size where there is none.
std::shared_ptr<BufferStorage> allocate_storage(std::size_t bytes, const Usage&);

}  // namespace parallax::host::native
