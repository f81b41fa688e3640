// `reduce`: what goes in, what comes out, and the two records.
#include "algorithms/reduce/parameters.hpp"
#include "core/chunking.hpp"
#include "core/hints.hpp"
#include "core/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace parallax::engine {
namespace reduce {
namespace {

/// JSON has no words for infinity and NaN: strings.
Json number(double x) {
    if (std::isfinite(x)) return x;
    return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

Json integer(const Totals& t, std::uint64_t word) {
    return is_signed(t.type) ? Json(static_cast<std::int64_t>(word)) : Json(word);
}

Json low(const Totals& t) { return is_floating(t.type) ? number(t.real_low) : integer(t, t.low); }
Json high(const Totals& t) { return is_floating(t.type) ? number(t.real_high) : integer(t, t.high); }
Json sum(const Totals& t) { return is_floating(t.type) ? number(t.real_sum.value()) : integer(t, t.sum); }

ArrayDescs infer(const Problem& problem) {
    const ArrayDesc& input = problem.inputs.at("array");
    if (!is_supported(input.type))
        throw ConfigError("/inputs/array", input.describe(), "elements of type u8, i8, u16, i16, u32, i32, f32 or f64",
                          how_to_convert(input));
    if (!input.is_dense()) throw ConfigError("/inputs/array", input.describe() + " with gaps", "a dense array");
    if (input.count() == 0 && kind_of(problem) != Kind::sum)
        throw ConfigError("/inputs/array", input.describe(), "an array with at least one element",
                          "no elements have a sum, which is 0, but no minimum, maximum or statistics");
    return {};
}

double number_of(const Json& json) {
    if (json.is_number()) return json.get<double>();
    return json == "nan" ? std::numeric_limits<double>::quiet_NaN()
                         : (json == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity();
}

/// The record of two chunks. Sums of integers wrap at 64 bits, in chunks as in the whole.
Json join(Op op, ElementType type, const Json& a, const Json& b) {
    const Json &x = a["value"], &y = b["value"];
    Json value;
    if (op != Op::sum && is_floating(type)) {
        const double p = number_of(x), q = number_of(y);
        value = number(std::isnan(p) || std::isnan(q) ? std::numeric_limits<double>::quiet_NaN()
                       : op == Op::min                ? std::min(p, q)
                                                      : std::max(p, q));
    } else if (op != Op::sum) {
        value = (op == Op::min) == (x < y) ? x : y;
    } else {
        const auto sum = static_cast<std::uint64_t>(is_signed(type) ? static_cast<std::uint64_t>(x.get<std::int64_t>()) +
                                                                          static_cast<std::uint64_t>(y.get<std::int64_t>())
                                                                    : x.get<std::uint64_t>() + y.get<std::uint64_t>());
        value = is_signed(type) ? Json(static_cast<std::int64_t>(sum)) : Json(sum);
    }
    return {{"value", value}, {"count", a["count"].get<std::uint64_t>() + b["count"].get<std::uint64_t>()}};
}

Division ways_to_cut(const Problem& problem) {
    const ArrayDesc& array = problem.inputs.at("array");
    const Op op = problem.parameters.as<ReduceParameters>().op;
    if (problem.wants("statistics")) return Division::no("its mean and variance would depend on the chunks in their last digits");
    if (op == Op::sum && is_floating(array.type))
        return Division::no("a sum of real numbers would depend on the chunks in its last digits");
    Chunking joined;
    joined.join = [op, type = array.type](const Json& a, const Json& b) { return join(op, type, a, b); };
    return along_axes(array, {}, joined);
}

}  // namespace

ParameterTable reduce_table() {
    using P = ReduceParameters;
    return TableBuilder<P>()
        .choice("op", &P::op, {{"sum", Op::sum}, {"min", Op::min}, {"max", Op::max}},
                "sum: integers in 64 bits, real numbers with an error of at most 2^-23 of the sum of magnitudes. min, max: NaN "
                "where an element is NaN.")
        .build();
}

Kind kind_of(const Problem& problem) {
    if (problem.wants("statistics")) return Kind::all;
    const Op op = problem.parameters.as<ReduceParameters>().op;
    return op == Op::sum ? Kind::sum : op == Op::min ? Kind::min : Kind::max;
}

Json value_record(const ReduceParameters& p, const Totals& t) {
    return {{"value", p.op == Op::sum ? sum(t) : p.op == Op::min ? low(t) : high(t)}, {"count", t.count}};
}

Json statistics_record(const Totals& t) {
    return {
        {"min", low(t)}, {"max", high(t)}, {"mean", number(t.mean())}, {"variance", number(t.variance())}, {"count", t.count}};
}

}  // namespace reduce

Algorithm make_reduce() {
    Algorithm a;
    a.name = "reduce";
    a.summary = "Sum, minimum or maximum of an array's elements, and its statistics in one pass";
    a.parameters = reduce::reduce_table();
    a.inputs = {{"array", "any shape; u8, i8, u16, i16, u32, i32, f32 or f64", true, PortKind::array}};
    a.outputs = {{"value", "the sum, minimum or maximum, and the number of elements", true, PortKind::record},
                 {"statistics", "minimum, maximum, mean, variance (divided by the number of elements) and that number", false,
                  PortKind::record}};
    a.infer = reduce::infer;
    a.chunking = reduce::ways_to_cut;
    a.variants = {reduce::simd_variant(),        reduce::grid_stride_variant(), reduce::fan_in_variant(true),
                  reduce::fan_in_variant(false), reduce::row_column_variant(),  reduce::threaded_variant(),
                  reduce::reference_variant()};
    return a;
}

}  // namespace parallax::engine
