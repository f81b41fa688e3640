#include "algorithms/fft/parameters.hpp"

namespace parallax::engine::fft {

ParameterTable fft_table() {
    using P = FftParameters;
    return TableBuilder<P>()
        .choice(
            "kind", &P::kind, {{"c2c", Kind::c2c}, {"r2c", Kind::r2c}, {"c2r", Kind::c2r}, {"dct", Kind::dct}},
            "c2c: complex to complex. r2c: rows of w real numbers to w/2 + 1 complex ones, the other half being their "
            "conjugates. c2r: back. dct: real to real by cosines, forward of type 2, C[k] = 2 sum x[n] cos(pi k (2n + 1) / 2w), "
            "inverse of type 3, which gives x again.")
        .choice("direction", &P::direction, {{"auto", Way::automatic}, {"forward", Way::forward}, {"inverse", Way::inverse}},
                "forward: exp(-2 pi i ...), no factor; inverse: exp(+2 pi i ...) with 1/N. r2c is forward and c2r inverse; auto "
                "is forward for c2c and dct.")
        .integer("dimensions", &P::dimensions, {.min = 1, .max = 2},
                 "1: along x; 2: along y and x. Every axis before these is a batch.")
        .choice("width", &P::width, {{"even", Parity::even}, {"odd", Parity::odd}},
                "c2r: whether the real rows that m = w/2 + 1 numbers stand for have w = 2m - 2 (even) or 2m - 1 (odd) elements.")
        .choice("fft", &P::fft,
                {{"auto", Library::automatic}, {"radix", Library::radix}, {"vkfft", Library::vkfft}, {"clfft", Library::clfft}},
                "Library of the transform on a device; auto takes the fastest. The native variants have their own.")
        .build();
}

TransformSpec spec_of(const FftParameters& p, const ArrayDesc& input) {
    TransformSpec spec;
    spec.kind = p.kind;
    const auto& axes = input.axes;
    if (!axes.empty()) spec.width = axes.back().size;
    if (p.kind == Kind::c2r) spec.width = 2 * spec.width - (p.width == Parity::even ? 2 : 1);
    if (p.kind == Kind::c2r && spec.width == 0) spec.width = 1;   // one number stands for one, whatever its parity
    const std::size_t transformed = p.dimensions == 2 && axes.size() >= 2 ? 2 : 1;
    if (transformed == 2) spec.height = axes[axes.size() - 2].size;
    spec.single_row = spec.kind == Kind::dct && transformed == 2 && spec.height == 1;
    for (std::size_t i = 0; i + transformed < axes.size(); ++i) spec.batch *= axes[i].size;
    return spec;
}

Direction direction_of(const FftParameters& p) {
    if (p.direction == Way::automatic) return p.kind == Kind::c2r ? Direction::inverse : Direction::forward;
    return p.direction == Way::inverse ? Direction::inverse : Direction::forward;
}

}  // namespace parallax::engine::fft
