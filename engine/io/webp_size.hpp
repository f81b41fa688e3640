// How large a picture of WebP is, by its first bytes (developers.google.com/speed/webp/docs/riff_container).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace parallax::io {

/// Columns and rows; nothing where it is no WebP.
inline std::optional<std::pair<std::uint32_t, std::uint32_t>> webp_size(std::span<const unsigned char> bytes) {
    const auto is = [&](std::size_t at, const char (&name)[5]) {
        return std::equal(name, name + 4, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    };
    const auto number = [&](std::size_t at, int count) {
        std::uint32_t value = 0;
        for (int i = count; i-- > 0;) value = value << 8 | bytes[at + static_cast<std::size_t>(i)];
        return value;
    };
    if (bytes.size() < 25 || !is(0, "RIFF") || !is(8, "WEBP")) return std::nullopt;
    constexpr std::uint32_t fourteen = (1 << 14) - 1;
    if (!is(12, "VP8L") && bytes.size() < 30) return std::nullopt;
    if (is(12, "VP8X")) return std::pair(number(24, 3) + 1, number(27, 3) + 1);
    if (is(12, "VP8L")) return std::pair((number(21, 4) & fourteen) + 1, (number(21, 4) >> 14 & fourteen) + 1);
    if (is(12, "VP8 ")) return std::pair(number(26, 2) & fourteen, number(28, 2) & fourteen);
    return std::nullopt;
}

}  // namespace parallax::io
