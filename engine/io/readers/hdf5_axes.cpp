#include "io/readers/hdf5_axes.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "io/axis_names.hpp"
#include "io/readers/hdf5_parts.hpp"

namespace parallax::io::readers {
namespace {

/// A dimension of netCDF-4 without values of its own has a sentence for a name, and is known by its path alone.
std::string name_of_scale(hid_t dataset, hobj_ref_t reference) {
    const Handle scale(H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, &reference), H5Oclose);
    if (!scale.good()) return {};
    std::string name = text_at(scale, "NAME");
    if (!name.empty() && !name.starts_with("This is a netCDF dimension but not a netCDF variable")) return name;
    std::array<char, 1024> path{};
    const ssize_t length = H5Iget_name(scale, path.data(), path.size());
    if (length <= 0 || length >= static_cast<ssize_t>(path.size())) return {};
    const std::string_view whole(path.data(), static_cast<std::size_t>(length));
    return std::string(whole.substr(whole.rfind('/') + 1));
}

/// Of the first scale of each axis; empty where it has none.
std::vector<std::string> names_of_scales(hid_t dataset, std::size_t rank) {
    std::vector<std::string> names(rank);
    constexpr const char* list = "DIMENSION_LIST";
    if (rank == 0 || H5Aexists(dataset, list) <= 0) return names;
    const Handle attribute(H5Aopen(dataset, list, H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
    const Handle references(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
    if (H5Tget_class(type) != H5T_VLEN || H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(rank)) return names;
    std::vector<hvl_t> scales(rank);
    if (entries_of(attribute, rank) > most_entries || H5Aread(attribute, references, scales.data()) < 0) return names;
    for (std::size_t i = 0; i < rank; ++i)
        if (scales[i].len > 0) names[i] = name_of_scale(dataset, *static_cast<const hobj_ref_t*>(scales[i].p));
    H5Dvlen_reclaim(references, space, H5P_DEFAULT, scales.data());
    return names;
}

/// As ilastik and VIGRA write them: {"axes": [{"key": "z", ...}, ...]}.
std::vector<std::string> names_in_tags(const std::string& tags) {
    const Json said = Json::parse(tags, nullptr, false);
    if (!said.is_object() || !said.contains("axes") || !said["axes"].is_array()) return {};
    std::vector<std::string> names;
    for (const Json& axis : said["axes"]) {
        const bool named = axis.is_object() && axis.contains("key") && axis["key"].is_string();
        names.push_back(named ? axis["key"].get<std::string>() : std::string());
    }
    return names;
}

bool has_some(const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [](const std::string& name) { return !name.empty(); });
}

/// None: nothing names them. Others than there are axes: what names them is none of theirs.
std::vector<std::string> names_of_axes(hid_t dataset, std::size_t rank) {
    const std::string letters = text_at(dataset, "axes");
    if (letters.size() == rank) {
        std::vector<std::string> names;
        for (const char letter : letters) names.emplace_back(1, letter);
        return names;
    }
    if (!letters.empty()) return {letters};
    std::vector<std::string> names = texts_at(dataset, "DIMENSION_LABELS");
    if (has_some(names) && names.size() != rank) return names;
    const std::vector<std::string> scales = names_of_scales(dataset, rank);
    names.resize(rank);
    for (std::size_t i = 0; i < rank; ++i)
        if (names[i].empty()) names[i] = scales[i];
    return has_some(names) ? names : names_in_tags(text_at(dataset, "axistags"));
}

}   // namespace

std::string letters_by_order(const std::string& path, std::size_t rank) {
    constexpr std::string_view order = "ntzyx";
    if (rank > order.size())
        throw Problem{"its dataset " + path + " has " + std::to_string(rank) + " axes without names; up to 5 are read",
                      "write a part of it"};
    return std::string(order.substr(order.size() - rank));
}

std::string letters_of_axes(hid_t dataset, const std::string& path, std::size_t rank, Json& warnings) {
    const std::vector<std::string> names = names_of_axes(dataset, rank);
    if (!has_some(names)) return letters_by_order(path, rank);
    AxisLetters found;
    std::vector<AxisName> axes;
    for (const std::string& name : names) axes.push_back({name, axis_named(name)});
    if (names.size() == rank) found = letters_of(axes);
    if (!found.told.empty()) warnings.push_back(found.told);
    if (!found.letters.empty()) return found.letters;
    std::string letters = letters_by_order(path, rank);
    warnings.push_back(told_of_names(Json(names).dump(-1, ' ', false, Json::error_handler_t::replace), letters));
    return letters;
}

}   // namespace parallax::io::readers
