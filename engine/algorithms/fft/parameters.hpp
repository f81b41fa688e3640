// Parameters of `fft` as an algorithm of its own.
#pragma once

#include "algorithms/fft/transform.hpp"
#include "core/algorithm.hpp"

namespace parallax::engine::fft {

enum class Way { automatic, forward, inverse };   ///< automatic: forward, for c2r inverse
enum class Parity { even, odd };

struct FftParameters {
    Kind kind = Kind::c2c;
    Way direction = Way::automatic;
    int dimensions = 2;
    Parity width = Parity::even;
    Library fft = Library::automatic;
};

ParameterTable fft_table();

/// What is transformed: the real width for r2c and c2r. Leading axes are the batch.
TransformSpec spec_of(const FftParameters&, const ArrayDesc& input);
Direction direction_of(const FftParameters&);

Variant reference_variant();   ///< native, serial, double precision
Variant threaded_variant();    ///< native, all threads

}  // namespace parallax::engine::fft
