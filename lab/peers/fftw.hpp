#pragma once

#include "core/algorithm.hpp"

namespace parallax::engine::peers {

/// Appends `fftw` to fft. FFTW is GPL: its module is built for tests and benchmarks and never installed.
void add_fftw(Algorithm&);

}  // namespace parallax::engine::peers
