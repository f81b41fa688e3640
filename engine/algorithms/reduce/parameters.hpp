// Parameters of `reduce`, and what its files share.
#pragma once

#include "algorithms/reduce/totals.hpp"
#include "core/algorithm.hpp"

namespace parallax::engine::reduce {

enum class Op { sum, min, max };

struct ReduceParameters {
    Op op = Op::sum;
};

ParameterTable reduce_table();

/// What the problem's outputs need: one number, or all of them where the statistics are wanted.
Kind kind_of(const Problem&);
/// The records "value" and "statistics" of `totals`; wants() of `problem` says which.
Json value_record(const ReduceParameters&, const Totals&);
Json statistics_record(const Totals&);

Variant grid_stride_variant();
Variant simd_variant();
Variant fan_in_variant(bool adjacent);
Variant row_column_variant();
Variant reference_variant();
Variant threaded_variant();

}  // namespace parallax::engine::reduce
