// `box_filter`: what goes in and what comes out.
#include "algorithms/box_filter/parameters.hpp"

namespace parallax::engine {

Algorithm make_box_filter() {
    using namespace box_filter;
    Algorithm a;
    a.name = "box_filter";
    a.summary = "Means of windows: a blur at a cost that does not depend on its radius";
    a.parameters = box_table();
    a.inputs = {{"image", "u8, u16 or f32 (..., y, x), with channels (..., y, x, c), or a volume (..., z, y, x)", true, PortKind::array}};
    a.outputs = {{"image", "of the same shape and type", true, PortKind::array}};
    a.infer = [](const Problem& problem) -> ArrayDescs {
        spec_of(problem);
        return {{"image", problem.inputs.at("image")}};
    };
    a.chunking = [](const Problem&) { return Chunking{}; };
    a.variants = {lanes_variant(), fused_variant(), strip_variant(), pixel_variant(), image_variant(), threaded_variant(), box_filter::reference_variant()};
    return a;
}

}  // namespace parallax::engine
