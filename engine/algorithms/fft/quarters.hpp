// The turns of kernels_cl/fft/mirror.clh as a table.
#pragma once

#include "algorithms/fft/radices.hpp"

#include <complex>
#include <cstdint>
#include <vector>

namespace parallax::engine::fft {

/// exp(-i pi k / 2n) for the first `count` k.
inline std::vector<std::complex<float>> quarters(std::int64_t n, std::int64_t count) {
    std::vector<std::complex<float>> table;
    for (std::int64_t k = 0; k < count; ++k)
        table.emplace_back(unit_root(static_cast<std::uint64_t>(k), 4 * static_cast<std::uint64_t>(n)));
    return table;
}

}   // namespace parallax::engine::fft
