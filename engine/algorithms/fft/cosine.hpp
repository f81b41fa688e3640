// Kind dct of `radix`.
#pragma once

#include "algorithms/fft/transform.hpp"

#include <memory>

namespace parallax::engine::fft {

/// Cosine transforms along the rows, then along the columns, of every image: forward of type 2, C[k] = 2 sum x[n] cos(pi k (2n +
/// 1) / 2N), inverse of type 3 with 1/2N, which gives x again. Real arrays; in and out may be the same.
std::unique_ptr<Transform> make_cosine(PlanBuilder&, const TransformSpec&);

}   // namespace parallax::engine::fft
