// How much this process has read, as Linux counts it.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace parallax::tests {

/// Bytes of all its files, as it asked for them.
inline std::uint64_t bytes_read() {
    std::ifstream in("/proc/self/io");
    std::string word;
    std::uint64_t count = 0;
    in >> word >> count;
    REQUIRE(word == "rchar:");
    return count;
}

}   // namespace parallax::tests
