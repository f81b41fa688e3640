#include "algorithms/noise/parameters.hpp"

#include "core/hints.hpp"
#include "core/observation.hpp"

#include <fmt/format.h>

#include <cmath>

namespace parallax::engine::noise {

ParameterTable noise_table() {
    using P = NoiseParameters;
    return TableBuilder<P>()
        .choice("kind", &P::kind,
                {{"gaussian", Kind::gaussian}, {"speckle", Kind::speckle}, {"salt_and_pepper", Kind::salt_and_pepper}},
                "gaussian: v + n; speckle: v + v n; salt_and_pepper: some pixels become 0 or full scale, each as often.")
        .number("variance", &P::variance, {.min = 0, .max = 100}, "gaussian, speckle: variance of n, where full scale is 1.")
        .number("density", &P::density, {.min = 0, .max = 1}, "salt_and_pepper: share of the pixels that are replaced.")
        .number("full_scale", &P::full_scale, {.min = 0, .max = 1e30},
                "Grey level that counts as 1. 0: 255 for u8, 65535 for u16, 1 for f32.")
        .boolean("clip", &P::clip, "f32: results are clipped to 0 .. full_scale, as those of integers are to their type.")
        .integer("seed", &P::seed, {.min = 0}, "One seed gives one noise, bit for bit the same on every device.")
        .build();
}

NoiseSpec spec_of(const Problem& problem) {
    const auto& p = problem.parameters.as<NoiseParameters>();
    const ArrayDesc& image = problem.inputs.at("image");
    if (image.type != ElementType::u8 && image.type != ElementType::u16 && image.type != ElementType::f32)
        throw ConfigError("/inputs/image", image.describe(), "elements of type u8, u16 or f32", how_to_convert(image));
    if (!image.is_dense()) throw ConfigError("/inputs/image", image.describe() + " with gaps", "a dense array");
    NoiseSpec spec;
    spec.kind = p.kind;
    spec.type = image.type;
    spec.count = static_cast<std::uint64_t>(image.count());
    spec.seed = static_cast<std::uint64_t>(p.seed);
    spec.threshold = static_cast<std::uint64_t>(p.density * 0x1p53);
    const double full = p.full_scale > 0 ? p.full_scale : spec.levels() > 0 ? spec.levels() : 1;
    spec.full = static_cast<float>(full);
    spec.scale = static_cast<float>(std::sqrt(p.variance) * (p.kind == Kind::gaussian ? full : 1));
    spec.clip = p.clip;
    return spec;
}

Json told(bool beyond, const NoiseSpec& spec) {
    return observation(beyond ? 1 : 0,
                       {{1, 0,
                         fmt::format("the image has levels outside 0 to {0:g}, and {0:g} is \"full_scale\": they are cut off "
                                     "there; state the level that counts as 1, or \"clip\": false",
                                     spec.full)}});
}

}  // namespace parallax::engine::noise
