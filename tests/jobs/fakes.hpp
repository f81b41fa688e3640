// Algorithms that need no device: names, ports and parameters are enough to parse and link jobs.
#pragma once

#include "core/algorithm.hpp"

#include <vector>

namespace parallax::tests {

struct MakeParameters {
    int size = 8;
};
struct BlurParameters {
    int radius = 1;
    double width = 2e-6;
};

/// make: -> image. blur: image, optional mask -> image, stats (a record), edges (optional).
inline std::vector<engine::Algorithm> fake_algorithms() {
    using namespace engine;
    Algorithm make;
    make.name = "make";
    make.summary = "Makes an image";
    make.parameters = TableBuilder<MakeParameters>().integer("size", &MakeParameters::size, {.min = 1}, "Size.").build();
    make.outputs = {{"image", "f32", true, PortKind::array}};
    Variant plain;
    plain.name = "plain";
    plain.policy = {{"work_group_size", 64, {32, 64}, "Items."}};
    make.variants = {plain};

    Algorithm blur;
    blur.name = "blur";
    blur.summary = "Blurs an image";
    blur.parameters = TableBuilder<BlurParameters>()
                          .integer("radius", &BlurParameters::radius, {.min = 0, .max = 64}, "Radius.")
                          .length("width", &BlurParameters::width, {.above = 0}, "Width.")
                          .build();
    blur.inputs = {{"image", "f32", true, PortKind::array}, {"mask", "u8", false, PortKind::array}};
    blur.outputs = {{"image", "f32", true, PortKind::array},
                    {"stats", "sums", false, PortKind::record},
                    {"edges", "f32", false, PortKind::array}};
    return {make, blur};
}

}  // namespace parallax::tests
