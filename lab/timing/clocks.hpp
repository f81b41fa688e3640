// How fast and how warm a card runs while it is measured, where a library of its vendor tells: NVML, opened at run time.
#pragma once

#include "parallax/host/device.hpp"
#include "parallax/host/json.hpp"

namespace parallax::engine::compare {

/// {"sm_mhz", "memory_mhz", "celsius", "watts"} as far as they are known; null where nothing is.
Json clocks_of(const host::DeviceInfo&);

}  // namespace parallax::engine::compare
