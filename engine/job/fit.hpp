// Whether a job fits a device.
#pragma once

#include "core/session.hpp"
#include "job/prepare.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace parallax::engine {

/// Chooses the variant of every step and checks that all arrays fit. Throws ConfigError and UnsupportedError.
std::vector<Choice> choose_variants(const Prepared&, Session&);
/// Throws UnsupportedError if what is allocated by now is more than the job's memory_limit.
void check_limit(const Job&, std::uint64_t allocated);

}  // namespace parallax::engine
