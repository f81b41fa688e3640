#include "io/readers/zarr_axes.hpp"

#include <algorithm>
#include <map>

namespace parallax::io::readers::zarr {
namespace {

struct Axis {
    std::string name, type;   ///< in small letters
    char letter;              ///< '?': none that its type or its name says
};

std::string text_in(const Json& object, const char* key) {
    std::string text = object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return text;
}

/// The type comes first, as OME-Zarr 0.4 has it; names alone stand in version 0.3.
char letter_of(const std::string& type, const std::string& name) {
    static const std::map<std::string, char> names = {{"t", 't'},   {"time", 't'}, {"c", 'c'},      {"channel", 'c'},
                                                      {"z", 'z'},   {"y", 'y'},    {"row", 'y'},    {"x", 'x'},
                                                      {"col", 'x'}, {"column", 'x'}};
    if (type == "time") return 't';
    if (type == "channel") return 'c';
    const auto found = names.find(name);
    if (found == names.end() || (type == "space" && (found->second == 't' || found->second == 'c'))) return '?';
    return found->second;
}

Axis axis_of(const Json& said) {
    const Json axis = said.is_object() ? said : Json{{"name", said}};
    const std::string name = text_in(axis, "name"), type = text_in(axis, "type");
    return {name, type, letter_of(type, name)};
}

}   // namespace

std::string letters_of(const Json& axes, Json& warnings) {
    std::string letters, names, taken;
    std::vector<Axis> all;
    for (const Json& said : axes) all.push_back(axis_of(said)), letters += all.back().letter;
    for (std::size_t i = all.size(); i-- > 0;) {
        if (letters[i] != '?') continue;
        const std::string may_be = all[i].type == "space" ? "xyz" : "xyzt";
        const std::size_t free = may_be.find_first_not_of(letters);
        if (free == std::string::npos) return {};
        letters[i] = may_be[free];
        names = "\"" + all[i].name.substr(0, 40) + "\"" + (names.empty() ? "" : ", ") + names;
        taken = letters[i] + (taken.empty() ? "" : ", " + taken);
    }
    for (const char letter : letters)
        if (std::count(letters.begin(), letters.end(), letter) > 1) return {};
    if (!names.empty())
        warnings.push_back("what it calls its axes (" + names + ") says nothing here: they are taken for " + taken +
                           " by their order");
    return letters;
}

}   // namespace parallax::io::readers::zarr
