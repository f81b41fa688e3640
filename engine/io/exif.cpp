#include "io/exif.hpp"

#include <fmt/format.h>

#include "io/format.hpp"

namespace parallax::io {

int exif_orientation(std::span<const unsigned char> block) noexcept {
    if (block.size() < 14 || block[0] != block[1] || (block[0] != 'I' && block[0] != 'M')) return 1;
    const bool swap = (block[0] == 'M') != (std::endian::native == std::endian::big);
    const std::uint64_t at = load<std::uint32_t>(block.data() + 4, swap);
    if (at + 2 > block.size()) return 1;
    const std::uint64_t entries = load<std::uint16_t>(block.data() + at, swap);
    for (std::uint64_t i = 0; i < entries && at + 2 + (i + 1) * 12 <= block.size(); ++i) {
        const unsigned char* const entry = block.data() + at + 2 + i * 12;
        if (load<std::uint16_t>(entry, swap) != 274 || load<std::uint16_t>(entry + 2, swap) != 3) continue;
        const int value = load<std::uint16_t>(entry + 8, swap);
        return value >= 1 && value <= 8 ? value : 1;
    }
    return 1;
}

void warn_of_orientation(FileInfo& file, int orientation) {
    constexpr const char* words[] = {"mirrored from left to right",
                                     "turned by 180 degrees",
                                     "mirrored from top to bottom",
                                     "with rows and columns exchanged",
                                     "turned by 90 degrees clockwise",
                                     "with rows and columns exchanged, turned by 180 degrees",
                                     "turned by 90 degrees anticlockwise"};
    if (orientation < 2 || orientation > 8) return;
    file.warnings.push_back(fmt::format("it is to be shown {} (orientation {}); rows and columns are read as they are stored",
                                        words[orientation - 2], orientation));
}

}  // namespace parallax::io
