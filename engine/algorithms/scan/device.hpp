// What the variants that run kernels have in common.
#pragma once

#include "algorithms/scan/parameters.hpp"
#include "core/integers.hpp"
#include "core/plan.hpp"

#include <cstdint>
#include <string>

namespace parallax::engine::scan {

inline host::NDRange range(std::int64_t x) { return {static_cast<std::size_t>(x), 1, 1}; }

enum class Word { u32, i32, u64, f32 };   ///< as TYPE in kernels_cl/scan/operator.clh
/// TYPE and OP of kernels_cl/scan/operator.clh.
host::Defines defines_of(const Problem&);

}  // namespace parallax::engine::scan
