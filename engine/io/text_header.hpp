// Headers that are text: what NRRD, MetaImage, FITS and the descriptions of TIFF share.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::io {

std::string_view trimmed(std::string_view) noexcept;
/// Words between blanks.
std::vector<std::string_view> words_of(std::string_view);
/// The whole text as a number in the C locale; empty: it is none.
std::optional<double> number_of(std::string_view) noexcept;
std::optional<std::int64_t> integer_of(std::string_view) noexcept;
/// A whole number, also one that is written with zeros behind its point, as MetaIO reads them: "2.0".
std::optional<std::int64_t> whole_number_of(std::string_view) noexcept;
std::string in_lower_case(std::string_view);
/// What a file says, for a message: its beginning where it is long, and \x00 for a byte 0, at which messages would end.
std::string shortened(std::string_view);

using Fields = std::map<std::string, std::string, std::less<>>;
/// Keeps a field of a header. Empty, or what is wrong with it, as fail() says it: a key that stands there twice with unlike
/// values, of which readers take one or the other.
std::string problem_of_adding(Fields&, std::string_view key, std::string_view value, std::string_view header);

}   // namespace parallax::io
