// Where a test's random numbers begin.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace parallax::tests {

/// PARALLAX_TEST_SEED, or another one each time: MESSAGE("PARALLAX_TEST_SEED=" << seed), so that a failure can be had again.
inline std::uint64_t drawn_seed() {
    const char* const given = std::getenv("PARALLAX_TEST_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

}  // namespace parallax::tests
