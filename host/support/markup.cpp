#include "support/markup.hpp"

#include "support/octets.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace parallax::host {

namespace {

bool is_control(char c) { return (c >= 0 && c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f; }

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text_of_octets(text)) {   // a page that holds other bytes is no page
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                // A page has none of these; they are shown by the signs for them, U+2400 and on.
                if (is_control(c)) out += {'\xe2', '\x90', static_cast<char>(c == 0x7f ? 0xa1 : 0x80 + c)};
                else out += c;
        }
    }
    return out;
}

std::string on_page(std::string_view text) { return escaped(printable(text)); }

std::string base64(std::string_view bytes) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) out += k <= count ? letters[three >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

}  // namespace parallax::host
