#include "io/zarr_layout.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "core/colours.hpp"
#include "io/format.hpp"
#include "io/space.hpp"
#include "io/units.hpp"

namespace parallax::io::zarr {
namespace {

constexpr std::int64_t most_of_a_chunk = std::int64_t{4} << 20;   ///< bytes
constexpr std::string_view ome_order = "tczyx";                   ///< time, channel, space: OME-Zarr has no other

/// UDUNITS-2's name for one of our units; empty: it is no length.
std::string_view udunit_of(std::string_view unit) {
    constexpr std::pair<std::string_view, std::string_view> table[] = {
        {"nm", "nanometer"}, {"um", "micrometer"}, {"mm", "millimeter"}, {"cm", "centimeter"}, {"m", "meter"}};
    for (const auto& [ours, theirs] : table) {
        if (unit == ours) return theirs;
    }
    return {};
}

/// Rows and columns last, perhaps with a pixel's channels behind them, and before them what OME-Zarr has a place for.
bool is_ome(const ArrayDesc& desc, bool samples) {
    const std::size_t n = desc.axes.size(), plane = n - (samples ? 1 : 0);
    if (n > 5 || plane < 2 || desc.axes[plane - 2].name != 'y' || desc.axes[plane - 1].name != 'x') return false;
    std::string names;
    for (const Axis& axis : desc.axes) {
        if (ome_order.find(axis.name) == std::string_view::npos || names.find(axis.name) != std::string::npos) return false;
        names += axis.name;
    }
    return true;
}

/// So many pieces of equal length, none above `most`: the last one of unequal ones would be mostly padding.
std::int64_t even(std::int64_t length, std::int64_t most) {
    const std::int64_t pieces = (length + most - 1) / most;
    return (length + pieces - 1) / pieces;
}

/// Where the first voxel lies, where the affine is that of these axes.
std::optional<Space> space_for(const ArrayDesc& desc, const Metadata& metadata) {
    const std::optional<Space> space = space_of(desc, metadata);
    return space && agrees(*space, desc) ? space : std::nullopt;
}

/// Along the axis, in the direction in which it goes: OME-Zarr knows no others.
double place_along(const Space& space, std::size_t axis) {
    const Vector3& step = space.steps[axis];
    const double length = length_of(step);
    if (!(length > 0)) return 0;
    const double place = (step[0] * space.origin[0] + step[1] * space.origin[1] + step[2] * space.origin[2]) / length;
    return place + 0.0;   // no negative zero
}

Json multiscale(const Layout& layout, const ArrayDesc& desc, const Metadata& metadata, const std::string& name) {
    const std::optional<Space> space = udunit_of(desc.unit).empty() ? std::nullopt : space_for(desc, metadata);
    Json axes = Json::array(), scale = Json::array(), translation = Json::array();
    for (const std::size_t i : layout.order) {
        const Axis& axis = desc.axes[i];
        const std::size_t spatial = std::string_view("xyz").find(axis.name);
        const bool is_space = spatial != std::string_view::npos, is_time = axis.name == 't';
        Json said{{"name", std::string(1, axis.name)}, {"type", is_space ? "space" : is_time ? "time" : "channel"}};
        const std::string_view unit = is_space ? udunit_of(desc.unit) : is_time && axis.spacing > 0 ? "second" : "";
        if (!unit.empty()) said["unit"] = std::string(unit);
        axes.push_back(std::move(said));
        scale.push_back(is_space || (is_time && axis.spacing > 0) ? axis.spacing : 1.0);
        translation.push_back(space && is_space ? place_along(*space, spatial) : 0.0);
    }
    Json transformations = Json::array({Json{{"type", "scale"}, {"scale", std::move(scale)}}});
    if (space) transformations.push_back(Json{{"type", "translation"}, {"translation", std::move(translation)}});
    Json one{{"version", "0.4"}};
    if (!name.empty()) one["name"] = name;
    one["axes"] = std::move(axes);
    one["datasets"] = Json::array({Json{{"path", "0"}, {"coordinateTransformations", std::move(transformations)}}});
    return one;
}

/// From where to where a type's numbers go; nothing: they are real.
std::optional<Range> range_of(ElementType type) {
    if (is_floating(type)) return std::nullopt;
    if (type == ElementType::boolean) return Range{0, 1};
    return visit_real(type, [](auto zero) {
        using T = decltype(zero);
        return Range{static_cast<double>(std::numeric_limits<T>::lowest()), static_cast<double>(std::numeric_limits<T>::max())};
    });
}

/// What viewers show channels by: colours, names, and which values are dark and bright.
Json omero(const Layout& layout, const ArrayDesc& desc, const Metadata& metadata, const std::vector<Range>& ranges) {
    const Axis& c = *desc.find('c');
    const auto count = static_cast<std::size_t>(c.size);
    const bool named = metadata.channels.size() == count;
    const bool colours = layout.samples > 1 && (count == 3 || count == 4) &&
                         (desc.type == ElementType::u8 || desc.type == ElementType::u16);
    constexpr auto& of_colours = engine::colour_names;
    constexpr const char* shown[] = {"FF0000", "00FF00", "0000FF", "FF00FF", "00FFFF", "FFFF00", "FFFFFF"};
    Json channels = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
        Range range = i < ranges.size() && ranges[i][0] <= ranges[i][1] ? ranges[i] : Range{0, 0};
        const Range whole = range_of(desc.type).value_or(range);
        if (colours) range = whole;   // as they are, and not each from its darkest to its brightest
        const bool alpha = colours && i == 3;
        // A channel that is named as a colour has it, whatever is left beside it.
        const auto* const own = named ? std::find(of_colours.begin(), of_colours.end(), metadata.channels[i]) : of_colours.end();
        const std::size_t place = static_cast<std::size_t>(own - of_colours.begin());
        const char* const colour =
            alpha || place == 3 || count == 1 ? "FFFFFF" : shown[(place < 3 ? place : i) % std::size(shown)];
        Json channel{{"active", !alpha}, {"coefficient", 1}, {"color", colour}};
        channel["family"] = "linear";
        channel["inverted"] = false;
        if (named || colours) channel["label"] = named ? metadata.channels[i] : of_colours[i];
        channel["window"] = {{"min", whole[0]}, {"max", whole[1]}, {"start", range[0]}, {"end", range[1]}};
        channels.push_back(std::move(channel));
    }
    Json said{{"version", "0.4"}};
    said["channels"] = std::move(channels);
    said["rdefs"] = {{"defaultT", 0}, {"defaultZ", desc.size('z') / 2}, {"model", count == 1 ? "greyscale" : "color"}};
    return said;
}

std::string code_of(ElementType type) {
    if (type == ElementType::boolean) return "|b1";
    const char kind = is_complex(type) ? 'c' : is_floating(type) ? 'f' : to_string(type)[0];
    return std::string(bytes_of(type) == 1 ? "|" : "<") + kind + std::to_string(bytes_of(type));
}

}   // namespace

Layout layout_of(const ArrayDesc& desc) {
    Layout layout;
    const std::size_t n = desc.axes.size();
    bool samples = n > 2 && desc.axes.back().name == 'c';
    layout.ome = is_ome(desc, samples);
    samples = layout.has_samples = samples && layout.ome;
    const std::size_t plane = n - (samples ? 1 : 0);   // rows and columns end there
    layout.has_rows = plane > 1;
    layout.lead = plane - (layout.has_rows ? 2 : 1);
    layout.columns = desc.axes[plane - 1].size;
    if (layout.has_rows) layout.rows = desc.axes[plane - 2].size;
    if (samples) layout.samples = desc.axes.back().size;
    for (std::size_t i = 0; i < n; ++i) layout.order.push_back(i);
    if (layout.ome)
        std::sort(layout.order.begin(), layout.order.end(), [&](std::size_t a, std::size_t b) {
            return ome_order.find(desc.axes[a].name) < ome_order.find(desc.axes[b].name);
        });
    const std::int64_t most = most_of_a_chunk / static_cast<std::int64_t>(bytes_of(desc.type));
    layout.chunk[1] = even(layout.columns, most);
    layout.chunk[0] = even(layout.rows, std::max<std::int64_t>(1, most / layout.chunk[1]));
    return layout;
}

Json group_attributes(const Layout& layout, const ArrayDesc& desc, const Metadata& metadata, const std::vector<Range>& ranges,
                      const std::string& name) {
    if (!layout.ome) return Json::object();
    Json attributes{{"multiscales", Json::array({multiscale(layout, desc, metadata, name)})}};
    if (desc.find('c') && !is_complex(desc.type)) attributes["omero"] = omero(layout, desc, metadata, ranges);
    // Units that are no lengths, and the sides of a body. Where this is missing another wrote the store.
    Json ours{{"unit", desc.unit}};
    if (space_for(desc, metadata)) ours["affine"] = *metadata.affine;
    attributes["parallax"] = std::move(ours);
    return attributes;
}

Json array_attributes(const Layout& layout, const ArrayDesc& desc, const Metadata& metadata) {
    Json names = Json::array(), spacing = Json::array();
    for (const std::size_t i : layout.order) {
        names.push_back(std::string(1, desc.axes[i].name));
        spacing.push_back(desc.axes[i].spacing);
    }
    Json attributes{{"_ARRAY_DIMENSIONS", std::move(names)}};   // xarray's word
    if (layout.ome) return attributes;
    Json ours{{"unit", desc.unit}, {"spacing", std::move(spacing)}};
    if (space_for(desc, metadata)) ours["affine"] = *metadata.affine;
    const Axis* const c = desc.find('c');
    if (c && metadata.channels.size() == static_cast<std::size_t>(c->size)) ours["channels"] = metadata.channels;
    attributes["parallax"] = std::move(ours);
    return attributes;
}

Json array_header(const Layout& layout, const ArrayDesc& desc, int compression) {
    Json shape = Json::array(), chunks = Json::array();
    const std::size_t n = layout.order.size();
    for (std::size_t i = 0; i < n; ++i) {
        shape.push_back(desc.axes[layout.order[i]].size);
        chunks.push_back(i + 1 == n ? layout.chunk[1] : i + 2 == n ? layout.chunk[0] : 1);
    }
    Json header{{"zarr_format", 2}, {"shape", std::move(shape)}, {"chunks", std::move(chunks)}, {"dtype", code_of(desc.type)}};
    header["compressor"] = compression == 0 ? Json(nullptr) : Json{{"id", "zlib"}, {"level", compression}};
    header["fill_value"] = is_complex(desc.type)                ? Json(nullptr)   // all chunks are there
                           : desc.type == ElementType::boolean ? Json(false)
                           : is_floating(desc.type)            ? Json(0.0)
                                                               : Json(0);
    header["order"] = "C";
    header["filters"] = nullptr;
    header["dimension_separator"] = "/";
    return header;
}

}   // namespace parallax::io::zarr
