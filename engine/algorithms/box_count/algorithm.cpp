// `box_count`: what goes in and what comes out.
#include "algorithms/box_count/box_count.hpp"

namespace parallax::engine {
namespace {

ArrayDescs infer(const Problem& problem) {
    box_count::spec_of(problem);
    return {};
}

}  // namespace

Algorithm make_box_count() {
    Algorithm a;
    a.name = "box_count";
    a.summary = "Counts boxes of edge 1, 2, 4 ... that a structure touches or fills: its fractal dimension";
    a.parameters = box_count::box_count_table();
    a.inputs = {{"volume", "(z, y, x) or (y, x); bool, u8 to u64, i8 to i64, f32 or f64", false, PortKind::array},
                {"image", "the same, in place of a volume", false, PortKind::array}};
    a.outputs = {{"counts", "boxes of every size, the dimension, its standard error and the range of the fit; for each label",
                  true, PortKind::record},
                 {"plot", "the numbers of boxes by edge and the line through them, an SVG", false, PortKind::drawing}};
    a.infer = infer;
    a.chunking = [](const Problem&) { return Division::no("boxes lie across every cut; variants that take slabs do without"); };
    a.elements = [](const Problem& problem) {
        const box_count::BoxCountSpec spec = box_count::spec_of(problem);
        return std::string(spec.packed || !spec.as_it_is() || spec.extents || problem.slab > 0 ? "bits" : "");
    };
    a.variants = {box_count::simd_variant(),     box_count::pyramid_variant(),      box_count::hou_variant(),
                  box_count::threaded_variant(), box_count::hou_threaded_variant(), box_count::hou_serial_variant(),
                  box_count::reference_variant()};
    return a;
}

}  // namespace parallax::engine
