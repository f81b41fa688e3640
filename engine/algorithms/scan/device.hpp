// What the variants that run kernels have in common.
#pragma once

#include "algorithms/scan/parameters.hpp"
#include "core/plan.hpp"

#include <cstdint>
#include <string>

namespace parallax::engine::scan {

inline std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
inline std::uint64_t u64(std::int64_t v) { return static_cast<std::uint64_t>(v); }
inline host::NDRange range(std::int64_t x) { return {static_cast<std::size_t>(x), 1, 1}; }

/// TYPE and OP of kernels_cl/scan/operator.clh.
host::Defines defines_of(const Problem&);
/// A Variant of OpenCL and CUDA with everything but its policy and plan.
Variant device_variant(std::string name, std::string summary, Role, std::string file);

}  // namespace parallax::engine::scan
