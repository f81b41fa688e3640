// `box_filter`: what goes in and what comes out.
#include "algorithms/box_filter/parameters.hpp"
#include "core/chunking.hpp"

#include <numeric>

namespace parallax::engine {
namespace {

/// Along an axis that is filtered, chunks overlap by half a window and begin where blocks of sums do (see docs/box_filter.md).
Division ways_to_cut(const Problem& problem) {
    const box_filter::BoxSpec spec = box_filter::spec_of(problem);
    Division division = along_axes(problem.inputs.at("image"), "xyzc");
    for (const auto& [axis, window] : {std::pair{'z', spec.window[2]}, {'y', spec.window[1]}, {'x', spec.window[0]}}) {
        if (problem.inputs.at("image").size(axis) > 1)
            division.ways.push_back(
                {.axis = axis, .halo = window / 2, .align = spec.is_float() ? std::lcm(window, std::int64_t{8}) : 1});
    }
    return division;
}

}  // namespace

Algorithm make_box_filter() {
    using namespace box_filter;
    Algorithm a;
    a.name = "box_filter";
    a.summary = "Means of windows: a blur at a cost that does not depend on its radius";
    a.parameters = box_table();
    a.inputs = {
        {"image", "u8, u16 or f32 (..., y, x), with channels (..., y, x, c), or a volume (..., z, y, x)", true, PortKind::array}};
    a.outputs = {{"image", "of the same shape and type", true, PortKind::array}};
    a.infer = [](const Problem& problem) -> ArrayDescs {
        spec_of(problem);
        return {{"image", problem.inputs.at("image")}};
    };
    a.chunking = ways_to_cut;
    a.variants = {simd_variant(),
                  packed_variant(),
                  fused_variant(),
                  strip_variant(),
                  pixel_variant(),
                  image_variant(),
                  threaded_variant(),
                  box_filter::reference_variant()};
    return a;
}

}  // namespace parallax::engine
