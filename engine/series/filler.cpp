#include "series/filler.hpp"

#include "job/for_each.hpp"
#include "job/pattern.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

/// "stem" of "a/b.nii.gz" is "b".
std::string stem_of(const fs::path& file) {
    fs::path name = file.stem();
    if (host::lower(to_utf8(name.extension())) == ".nii") name = name.stem();
    return to_utf8(name);
}

std::string value_of(const Element& element, const std::string& part) {
    if (part.empty()) return to_utf8(element.file);
    if (part == "stem") return stem_of(element.file);
    if (part == "name") return to_utf8(element.file.filename());
    if (part == "index") return fmt::format("{:04}", element.index);
    return fmt::format("{:04}", element.part.value_or(0));   // page, volume
}

}  // namespace

std::string Filler::value(const std::string& variable, const std::string& part) const {
    const auto found = std::find_if(sources_.begin(), sources_.end(), [&](const ForEachSource& s) { return s.variable == variable; });
    return value_of(item_[static_cast<std::size_t>(found - sources_.begin())], part);
}

std::string Filler::operator()(const std::string& text) const {
    return fill_placeholders(text, [&](const std::string& variable, const std::string& part) { return value(variable, part); });
}

std::string Filler::pattern(const std::string& text) const {
    return fill_placeholders(text,
                             [&](const std::string& variable, const std::string& part) { return literally(value(variable, part)); });
}

}  // namespace parallax::engine::series
