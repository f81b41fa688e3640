// `scan`: what goes in and what comes out.
#include "algorithms/scan/parameters.hpp"
#include "core/hints.hpp"
#include "core/plan.hpp"

namespace parallax::engine {
namespace scan {
namespace {

ArrayDescs infer(const Problem& problem) {
    const ArrayDesc& input = problem.inputs.at("array");
    if (!is_supported(input.type))
        throw ConfigError("/inputs/array", input.describe(), "elements of type u32, i32, u64 or f32", how_to_convert(input));
    if (input.axes.size() != 1) throw ConfigError("/inputs/array", input.describe(), "an array of one axis");
    if (!input.is_dense()) throw ConfigError("/inputs/array", input.describe() + " with gaps", "a dense array");
    return {{"array", input}};
}

}  // namespace

bool is_supported(ElementType type) noexcept {
    return type == ElementType::u32 || type == ElementType::i32 || type == ElementType::u64 || type == ElementType::f32;
}

ParameterTable scan_table() {
    using P = ScanParameters;
    return TableBuilder<P>()
        .choice("kind", &P::kind, {{"inclusive", Kind::inclusive}, {"exclusive", Kind::exclusive}},
                "inclusive: element i joins the elements up to i itself; exclusive: those before i, and element 0 is 0, the "
                "largest or the smallest number.")
        .choice("op", &P::op, {{"sum", Op::sum}, {"min", Op::min}, {"max", Op::max}},
                "What elements are joined by. Sums of integers wrap; minima and maxima are NaN from the first NaN on.")
        .build();
}

}  // namespace scan

Algorithm make_scan() {
    Algorithm a;
    a.name = "scan";
    a.summary = "Running sums, minima or maxima of an array";
    a.parameters = scan::scan_table();
    a.inputs = {{"array", "one axis of any length; u32, i32, u64 or f32", true, PortKind::array}};
    a.outputs = {{"array", "of the same shape and type", true, PortKind::array}};
    a.infer = scan::infer;
    a.chunking = [](const Problem&) { return Division::no("every element depends on all before it"); };
    a.variants = {scan::single_pass_variant(),   scan::simd_variant(),     scan::reduce_then_scan_variant(),
                  scan::hillis_steele_variant(), scan::blelloch_variant(), scan::threaded_variant(),
                  scan::reference_variant()};
    return a;
}

}  // namespace parallax::engine
