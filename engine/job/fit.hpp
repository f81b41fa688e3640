// Whether a job fits a device.
#pragma once

#include "core/session.hpp"
#include "job/prepare.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace parallax::engine {

/// Inputs that are never in memory as a whole: slices at a time, 0 for those that are.
struct Slabs {
    std::vector<std::int64_t> by_input, by_step;
    std::uint64_t workspace = 0;   ///< bytes for the workspace of a step in slabs
};
/// Those that the job wants so, and those that would not fit where a step can take them so. Throws ConfigError where a job wants
/// what cannot be.
Slabs choose_slabs(const Prepared&, const host::DeviceInfo&);
/// Bytes of all arrays together, of slabs two at a time.
std::uint64_t array_bytes(const Prepared&, const Slabs&);
/// Chooses the variant of every step and checks that all arrays fit. Throws ConfigError and UnsupportedError.
std::vector<Choice> choose_variants(const Prepared&, Session&, const Slabs&);
/// Throws UnsupportedError if what is allocated by now is more than the job's memory_limit.
void check_limit(const Job&, std::uint64_t allocated);

}  // namespace parallax::engine
