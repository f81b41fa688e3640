#include "io/readers/zarr_axes.hpp"

#include "io/axis_names.hpp"

namespace parallax::io::readers::zarr {
namespace {

std::string text_in(const Json& object, const char* key) {
    return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

/// The type comes first, as OME-Zarr 0.4 has it; names alone stand in version 0.3, and in what xarray writes.
AxisName axis_of(const Json& said) {
    const Json axis = said.is_object() ? said : Json{{"name", said}};
    const std::string type = in_small_letters(text_in(axis, "type"));
    AxisName named{text_in(axis, "name"), '?', type == "space"};
    const char letter = axis_named(named.name);
    const bool fits = !named.is_length || std::string_view("xyz").find(letter) != std::string_view::npos;
    if (fits) named.letter = letter;
    if (type == "time") named.letter = 't';
    if (type == "channel") named.letter = 'c';
    return named;
}

}   // namespace

std::string letters_of(const Json& axes, Json& warnings) {
    std::vector<AxisName> all;
    for (const Json& said : axes) all.push_back(axis_of(said));
    AxisLetters found = io::letters_of(all);
    if (!found.told.empty()) warnings.push_back(std::move(found.told));
    return std::move(found.letters);
}

}   // namespace parallax::io::readers::zarr
