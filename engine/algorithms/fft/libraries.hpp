// The implementations that make_transform() chooses from. Each has a why_not (empty: it can) and a maker, which
// is only called where why_not said nothing.
#pragma once

#include "algorithms/fft/transform.hpp"

#include <memory>
#include <string>

namespace parallax::engine::fft {

/// Stockham passes of our own and Bluestein for large primes: any size on any OpenCL or CUDA device.
std::string radix_why_not(const TransformSpec&, host::Context&);
std::unique_ptr<Transform> make_radix(PlanBuilder&, const TransformSpec&);

/// The source paper's radix-2 butterflies: powers of two, c2c.
std::string radix2_why_not(const TransformSpec&, host::Context&);
std::unique_ptr<Transform> make_radix2(PlanBuilder&, const TransformSpec&);

/// Wide vectors, one line of SIMD lanes a work-item: for CPUs (simd.cpp).
std::string simd_why_not(const TransformSpec&, host::Context&);
std::unique_ptr<Transform> make_simd(PlanBuilder&, const TransformSpec&);

#ifdef PARALLAX_HAS_VKFFT
std::string vkfft_why_not(const TransformSpec&, host::Context&);
std::unique_ptr<Transform> make_vkfft(PlanBuilder&, const TransformSpec&);
#endif

#ifdef PARALLAX_HAS_CLFFT
std::string clfft_why_not(const TransformSpec&, host::Context&);
std::unique_ptr<Transform> make_clfft(PlanBuilder&, const TransformSpec&);
#endif

#ifdef PARALLAX_HAS_CUFFT
/// NVIDIA's cuFFT on CUDA devices, for comparison (cufft.cpp).
std::string cufft_why_not(const TransformSpec&, host::Context&);
std::unique_ptr<Transform> make_cufft(PlanBuilder&, const TransformSpec&);
#endif

}  // namespace parallax::engine::fft
