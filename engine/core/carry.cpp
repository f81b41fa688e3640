#include "core/carry.hpp"

#include "core/colours.hpp"

#include <utility>

namespace parallax::engine {

Metadata carry(const Algorithm& algorithm, const Parameters& parameters, const ArrayDesc& input, Metadata metadata) {
    return algorithm.carry ? algorithm.carry(parameters, input, std::move(metadata)) : metadata;
}

Metadata with_origin_moved(Metadata metadata, const std::array<double, 3>& voxels) {
    if (!metadata.affine) return metadata;
    auto& m = *metadata.affine;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column) m[row * 4 + 3] += m[row * 4 + column] * voxels[column];
    return metadata;
}

Metadata without_affine(Metadata metadata) {
    metadata.affine.reset();
    return metadata;
}

Metadata with_channels_cut(Metadata metadata, const ArrayDesc& input, std::size_t first, std::size_t count) {
    std::vector<std::string>& names = metadata.channels;
    // Colours go by their number until some are taken away.
    const std::int64_t all = input.size('c');
    const bool colours = input.type == ElementType::u8 || input.type == ElementType::u16;
    if (names.empty() && colours && static_cast<std::int64_t>(count) < all) {
        if (all == 2) names.assign(grey_names.begin(), grey_names.end());
        if (all == 3 || all == 4) names.assign(colour_names.begin(), colour_names.begin() + all);
    }
    if (first + count > names.size())
        names.clear();
    else
        names = std::vector<std::string>(names.begin() + static_cast<std::ptrdiff_t>(first),
                                         names.begin() + static_cast<std::ptrdiff_t>(first + count));
    return metadata;
}

}  // namespace parallax::engine
