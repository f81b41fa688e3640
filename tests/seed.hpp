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

/// PARALLAX_TEST_DRAWS, or so many as the quick suite has time for.
inline int drawn_count(int usual) {
    const char* const given = std::getenv("PARALLAX_TEST_DRAWS");
    return given != nullptr ? std::atoi(given) : usual;
}

}  // namespace parallax::tests
