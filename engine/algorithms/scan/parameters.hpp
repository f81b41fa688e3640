// Parameters of `scan`, and its variants.
#pragma once

#include "core/algorithm.hpp"

namespace parallax::engine::scan {

enum class Kind { inclusive, exclusive };
enum class Op { sum, min, max };   ///< as OP in kernels_cl/scan/operator.clh

struct ScanParameters {
    Kind kind = Kind::inclusive;
    Op op = Op::sum;
};

ParameterTable scan_table();
bool is_supported(ElementType) noexcept;

Variant single_pass_variant();
Variant simd_variant();
Variant reduce_then_scan_variant();
Variant hillis_steele_variant();
Variant blelloch_variant();
Variant reference_variant();
Variant threaded_variant();

}  // namespace parallax::engine::scan
