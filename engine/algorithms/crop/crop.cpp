// `crop`: a box of an image.
#include "algorithms/elementwise/copy_view.hpp"
#include "core/carry.hpp"
#include "core/chunking.hpp"

#include <fmt/format.h>

namespace parallax::engine {
namespace crop {
namespace {

using Range = std::optional<std::array<int, 2>>;   // from, size

struct CropParameters {
    Range x, y, z, t, c;
};

void narrow(ArrayDesc& view, char name, const Range& range) {
    if (!range) return;
    const std::string pointer = std::string("/") + name;
    const auto [from, size] = *range;
    const auto axis = std::find_if(view.axes.begin(), view.axes.end(), [name](const Axis& a) { return a.name == name; });
    if (axis == view.axes.end())
        throw ConfigError(pointer, fmt::format("the axis {} of an image {}", name, view.describe()),
                          "an axis that the image has");
    if (size < 1 || std::int64_t{from} + size > axis->size)
        throw ConfigError(
            pointer, fmt::format("{} elements from {} of {}", size, from, axis->size),
            axis->size == 0 ? "an image with elements"
                            : fmt::format("a first element from 0 to {} and at least one in all that is there", axis->size - 1));
    view.offset += from * axis->stride;
    axis->size = size;
}

ArrayDesc view_of(const Problem& problem) {
    const auto& p = problem.parameters.as<CropParameters>();
    ArrayDesc view = problem.inputs.at("image");
    if (!view.is_dense()) throw ConfigError("/inputs/image", view.describe() + " with gaps", "a dense array");
    narrow(view, 'x', p.x);
    narrow(view, 'y', p.y);
    narrow(view, 'z', p.z);
    narrow(view, 't', p.t);
    narrow(view, 'c', p.c);
    return view;
}

ParameterTable crop_table() {
    using P = CropParameters;
    return TableBuilder<P>()
        .integers("x", &P::x, {.min = 0}, "Columns: [first, how many]. null: all.")
        .integers("y", &P::y, {.min = 0}, "Rows: [first, how many].")
        .integers("z", &P::z, {.min = 0}, "Slices of a volume: [first, how many].")
        .integers("t", &P::t, {.min = 0}, "Frames or pages: [first, how many].")
        .integers("c", &P::c, {.min = 0}, "Channels: [first, how many].")
        .build();
}

Metadata carry_box(const Parameters& parameters, const ArrayDesc& input, Metadata metadata) {
    const auto& p = parameters.as<CropParameters>();
    const auto first = [](const Range& range) { return range ? static_cast<double>((*range)[0]) : 0.0; };
    if (p.c)
        metadata = with_channels_cut(std::move(metadata), input, static_cast<std::size_t>((*p.c)[0]),
                                     static_cast<std::size_t>((*p.c)[1]));
    return with_origin_moved(std::move(metadata), {first(p.x), first(p.y), first(p.z)});
}

}  // namespace
}  // namespace crop

Algorithm make_crop() {
    Algorithm a;
    a.name = "crop";
    a.summary = "A box of an image or volume";
    a.parameters = crop::crop_table();
    a.inputs = {{"image", "any type and axes", true, PortKind::array}};
    a.outputs = {{"image", "of the same type and axes, and no larger", true, PortKind::array}};
    a.infer = [](const Problem& problem) -> ArrayDescs { return {{"image", crop::view_of(problem).to_dense()}}; };
    a.chunking = [](const Problem& problem) {
        const auto& p = problem.parameters.as<crop::CropParameters>();
        std::string narrowed;
        for (const auto& [name, range] : {std::pair{'x', p.x}, {'y', p.y}, {'z', p.z}, {'t', p.t}, {'c', p.c}})
            if (range) narrowed += name;
        return along_axes(problem.inputs.at("image"), narrowed);
    };
    a.carry = crop::carry_box;
    a.variants = {elementwise::copy_view_variant(crop::view_of), elementwise::copy_view_reference(crop::view_of)};
    return a;
}

}  // namespace parallax::engine
