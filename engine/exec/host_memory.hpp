// What a pipeline takes of the host's memory: planned as the device's is, so that a job that cannot end is refused before it
// begins.
#pragma once

#include "exec/memory_plan.hpp"

#include <cstdint>

namespace parallax::engine {

/// Bytes at any one time, at most: arrays that come up and go down, or that wait between the steps of a pipeline that spills;
/// what reading an input takes beside its array; and the device's own where the device is the host (native, a CPU).
std::uint64_t host_bytes(const Resolved&, const MemoryPlan&, const Engine&);
/// The device's memory is the host's: native, a CPU.
bool is_the_host(const host::DeviceInfo&);
/// For one item of a series: its inputs and what comes down.
std::uint64_t host_bytes_of_item(const Resolved&);

/// Throws UnsupportedError with the numbers if `bytes` are more than the process may still take.
void check_host(std::uint64_t bytes, const std::string& what);

}  // namespace parallax::engine
