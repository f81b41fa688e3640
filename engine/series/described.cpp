#include "series/described.hpp"

#include "parallax/host/error.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine::series {

Json described(const HostArray& array) {
    Json axes = Json::array();
    for (const Axis& axis : array.desc.axes) axes.push_back({std::string(1, axis.name), axis.size, axis.spacing});
    Json json{{"type", std::string(to_string(array.desc.type))}, {"unit", array.desc.unit}, {"axes", std::move(axes)}};
    const auto is_finite = [](double value) { return std::isfinite(value); };   // others JSON has no numbers for
    if (const auto& affine = array.metadata.affine; affine && std::all_of(affine->begin(), affine->end(), is_finite))
        json["affine"] = *affine;
    if (!array.metadata.notes.empty()) json["notes"] = array.metadata.notes;
    if (!array.metadata.channels.empty()) json["channels"] = array.metadata.channels;
    return json;
}

HostArray described_in(const Json& json) {
    std::vector<ArrayDesc::Extent> extents;
    std::int64_t most = std::int64_t{1} << 56;   // elements, whose bytes are a number, too
    const std::optional<ElementType> type = element_type_from(json.at("type").get_ref<const std::string&>());
    for (const Json& axis : json.at("axes")) {
        const std::int64_t size = axis.at(1).get_ref<const std::int64_t&>();   // a whole number
        if (size < 1 || size > most) throw Error("a size that no array has");
        most /= size;
        extents.push_back({axis.at(0).get_ref<const std::string&>().at(0), size});
    }
    HostArray array;
    array.desc = ArrayDesc::dense(type.value(), extents).with_unit(json.at("unit"));
    for (std::size_t i = 0; i < array.desc.axes.size(); ++i) array.desc.axes[i].spacing = json.at("axes")[i].at(2);
    if (json.contains("affine")) array.metadata.affine = json["affine"].get<std::array<double, 16>>();
    if (json.contains("notes")) json["notes"].get_to(array.metadata.notes);
    if (json.contains("channels")) json["channels"].get_to(array.metadata.channels);
    return array;
}

}  // namespace parallax::engine::series
