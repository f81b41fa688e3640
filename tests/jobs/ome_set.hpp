// An OME-TIFF of several files: t by file, z by page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parallax::tests {

/// A TIFF of pages of one byte.
inline std::string pages_with(const std::vector<std::uint8_t>& values, const std::string& description) {
    std::string bytes("II*\0", 4);
    const auto number = [&bytes](std::uint64_t value, int width) {
        for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> 8 * i);
    };
    const std::size_t text_at = 8 + values.size(), first = (text_at + description.size() + 2) / 2 * 2;
    number(first, 4);
    for (const std::uint8_t value : values) number(value, 1);
    bytes += description + '\0';
    bytes.resize(first);
    constexpr std::size_t length = 2 + 9 * 12 + 4;
    for (std::size_t page = 0; page < values.size(); ++page) {
        number(9, 2);
        const auto entry = [&](int tag, int type, std::uint64_t count, std::uint64_t value) {
            number(static_cast<std::uint64_t>(tag), 2), number(static_cast<std::uint64_t>(type), 2), number(count, 4),
                number(value, 4);
        };
        entry(256, 4, 1, 1), entry(257, 4, 1, 1), entry(258, 4, 1, 8), entry(259, 4, 1, 1), entry(262, 4, 1, 1);
        entry(270, 2, description.size() + 1, text_at);
        entry(273, 4, 1, 8 + page), entry(278, 4, 1, 1), entry(279, 4, 1, 1);
        number(page + 1 < values.size() ? first + (page + 1) * length : 0, 4);
    }
    return bytes;
}

inline std::string name_in_set(int t) { return "t" + std::to_string(t) + ".ome.tif"; }

/// What each file of the set says: so many files of two pages.
inline std::string words_of_set(int files) {
    std::string blocks;
    for (int t = 0; t < files; ++t)
        blocks += "<TiffData IFD=\"0\" PlaneCount=\"2\" FirstT=\"" + std::to_string(t) + "\"><UUID FileName=\"" + name_in_set(t) +
                  "\"/></TiffData>";
    return "<OME><Image><Pixels DimensionOrder=\"XYZTC\" Type=\"uint8\" SizeX=\"1\" SizeY=\"1\" SizeZ=\"2\" SizeC=\"1\" SizeT=\"" +
           std::to_string(files) + "\">" + blocks + "</Pixels></Image></OME>";
}

}  // namespace parallax::tests
