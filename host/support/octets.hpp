// Names of files are bytes of any kind, and JSON holds UTF-8. What we write down to read it again keeps each byte that is not: it
// becomes one of the characters U+EF80 to U+EFFF, which nobody uses. So two names never become the same text.
#pragma once

#include "parallax/host/json.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace parallax::host {

/// Of the character that a text begins with, in bytes; 0 where that is no UTF-8, in its shortest form.
std::size_t length_of_character(std::string_view text);

/// Bytes as UTF-8; what is UTF-8 without those characters stays as it is.
std::string text_of_octets(std::string_view bytes);
/// The bytes of such a text.
std::string octets_of_text(std::string_view text);

/// The same for every text that is a value of a document.
Json with_octets_as_text(Json document);
Json with_text_as_octets(Json document);

}  // namespace parallax::host
