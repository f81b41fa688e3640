// Text and bytes that stand in HTML, SVG or XML.
#pragma once

#include <string>
#include <string_view>

namespace parallax::host {

/// Text that means nothing else there, between tags and in attributes alike; bytes that are no UTF-8 as text_of_octets() has them.
std::string escaped(std::string_view text);
/// The same for people, as messages have it (printable()): no name turns a line of a page round, or hides in it.
std::string on_page(std::string_view text);
/// RFC 4648, section 4.
std::string base64(std::string_view bytes);

}  // namespace parallax::host
