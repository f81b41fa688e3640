// `select`: one slice, frame, channel, row or column.
#include "algorithms/elementwise/copy_view.hpp"
#include "core/carry.hpp"
#include "core/chunking.hpp"

#include <fmt/format.h>

namespace parallax::engine {
namespace select {
namespace {

struct SelectParameters {
    char axis = 'z';
    int index = 0;
};

ArrayDesc view_of(const Problem& problem) {
    const auto& p = problem.parameters.as<SelectParameters>();
    ArrayDesc view = problem.inputs.at("image");
    if (!view.is_dense()) throw ConfigError("/inputs/image", view.describe() + " with gaps", "a dense array");
    const auto axis = std::find_if(view.axes.begin(), view.axes.end(), [&p](const Axis& a) { return a.name == p.axis; });
    if (axis == view.axes.end())
        throw ConfigError("/axis", fmt::format("the axis {} of an image {}", p.axis, view.describe()),
                          "an axis that the image has");
    if (view.axes.size() == 1) throw ConfigError("/inputs/image", view.describe(), "an image of two axes or more");
    if (p.index < -axis->size || p.index >= axis->size)
        throw ConfigError("/index", fmt::format("{} of {} along {}", p.index, axis->size, p.axis),
                          axis->size == 0 ? "an image with elements"
                                          : fmt::format("0 to {}, or from the end -1 to -{}", axis->size - 1, axis->size));
    view.offset += (p.index < 0 ? p.index + axis->size : p.index) * axis->stride;
    view.axes.erase(axis);
    return view;
}

ParameterTable select_table() {
    using P = SelectParameters;
    return TableBuilder<P>()
        .choice("axis", &P::axis, {{"x", 'x'}, {"y", 'y'}, {"z", 'z'}, {"t", 't'}, {"c", 'c'}},
                "z: a slice of a volume; t: a frame, page or volume of a series; c: a channel; y: a row; x: a column. The result "
                "has not this axis.")
        .integer("index", &P::index, {}, "Which, from 0; negative: from the end, -1 the last.")
        .build();
}

Metadata carry_slice(const Parameters& parameters, const ArrayDesc& input, Metadata metadata) {
    const auto& p = parameters.as<SelectParameters>();
    if (p.axis == 'x' || p.axis == 'y')
        return without_affine(std::move(metadata));   // what is left lies across the affine's columns
    const std::int64_t index = p.index < 0 ? p.index + input.size(p.axis) : p.index;
    if (p.axis == 'c') return with_channels_cut(std::move(metadata), input, static_cast<std::size_t>(index), 1);
    if (p.axis != 'z') return metadata;
    return with_origin_moved(std::move(metadata), {0, 0, static_cast<double>(index)});
}

}  // namespace
}  // namespace select

Algorithm make_select() {
    Algorithm a;
    a.name = "select";
    a.summary = "One slice, frame or channel of an image";
    a.parameters = select::select_table();
    a.inputs = {{"image", "any type, two axes or more", true, PortKind::array}};
    a.outputs = {{"image", "of the same type, without the axis", true, PortKind::array}};
    a.infer = [](const Problem& problem) -> ArrayDescs { return {{"image", select::view_of(problem).to_dense()}}; };
    a.chunking = [](const Problem& problem) {
        return along_axes(problem.inputs.at("image"), std::string(1, problem.parameters.as<select::SelectParameters>().axis));
    };
    a.carry = select::carry_slice;
    a.variants = {elementwise::copy_view_variant(select::view_of), elementwise::copy_view_reference(select::view_of)};
    return a;
}

}  // namespace parallax::engine
