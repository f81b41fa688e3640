// Headers that are lines of text: what NRRD and MetaImage share.
#pragma once

#include <cstdint>
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
std::string in_lower_case(std::string_view);
/// What a file says, for a message: its beginning where it is long.
std::string shortened(std::string_view);

}   // namespace parallax::io
