// What `arithmetic` does to each element.
#pragma once

namespace parallax::engine::arithmetic {

enum class Op { add, subtract, multiply, divide, log, exp, abs, sqrt, clamp };   ///< as OP in kernels_cl/arithmetic/arithmetic.cl

}  // namespace parallax::engine::arithmetic
