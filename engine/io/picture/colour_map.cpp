#include "io/picture/colour_map.hpp"

#include "io/picture/colour_tables.hpp"

namespace parallax::io::picture {
namespace {

std::uint8_t hexadecimal(char c) { return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); }

}   // namespace

ColourMap colour_map(std::string_view name) {
    ColourMap map{};
    const std::string_view table = name == "viridis"    ? viridis_colours
                                   : name == "magma"    ? magma_colours
                                   : name == "twilight" ? twilight_colours
                                                        : std::string_view();
    for (std::size_t i = 0; i < map.size(); ++i) {
        for (std::size_t c = 0; c < 3; ++c) {
            const std::size_t at = 6 * i + 2 * c;
            map[i][c] = table.empty() ? static_cast<std::uint8_t>(i)
                                      : static_cast<std::uint8_t>(16 * hexadecimal(table[at]) + hexadecimal(table[at + 1]));
        }
    }
    return map;
}

}   // namespace parallax::io::picture
