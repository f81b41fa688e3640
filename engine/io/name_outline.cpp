#include "io/name_outline.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace parallax::io {
namespace {

/// Whether a character is written onto the one before: accents, and the vowels and ends of Korean syllables.
bool is_mark(std::uint32_t c) {
    constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 9> marks = {{{0x0300, 0x036f},
                                                                               {0x0483, 0x0487},
                                                                               {0x0591, 0x05bd},
                                                                               {0x064b, 0x065f},
                                                                               {0x1160, 0x11ff},
                                                                               {0x1ab0, 0x1aff},
                                                                               {0x1dc0, 0x1dff},
                                                                               {0x20d0, 0x20ff},
                                                                               {0x3099, 0x309a}}};
    return std::any_of(marks.begin(), marks.end(), [c](const auto& range) { return c >= range.first && c <= range.second; });
}

/// The character at a place, which goes on behind it. What is no UTF-8 is Unicode's character for that.
std::uint32_t next_of(std::string_view text, std::size_t& at) {
    constexpr std::uint32_t none = 0xfffd;
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t first = byte(at++);
    if (first < 0x80) return first;
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    if (more == 0) return none;
    std::uint32_t c = first & (0x3fu >> more);
    for (int i = 0; i < more; ++i) {
        if (at == text.size() || (byte(at) & 0xc0) != 0x80) return none;
        c = c << 6 | (byte(at++) & 0x3f);
    }
    return c;
}

}   // namespace

std::string outline_of(std::string_view utf8) {
    std::string outline;
    for (std::size_t at = 0; at < utf8.size();) {
        const std::uint32_t c = next_of(utf8, at);
        if (!is_mark(c))
            outline += c < 0x80 ? static_cast<char>(c) : '*';
        else if (outline.empty())
            outline = '*';
        else
            outline.back() = '*';
    }
    return outline;
}

}   // namespace parallax::io
