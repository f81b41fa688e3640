// What mask.cl does, in C++ and voxel by voxel.
#include "algorithms/box_count/typed.hpp"

#include <algorithm>

namespace parallax::engine::box_count {
namespace {

using Size = std::array<std::int64_t, 3>;
using Mask = std::vector<std::uint8_t>;

std::int64_t place(const Size& size, std::int64_t x, std::int64_t y, std::int64_t z) { return (z * size[1] + y) * size[0] + x; }

template <class Body>
void for_each(const Size& size, const Body& body) {
    for (std::int64_t z = 0; z < size[2]; ++z)
        for (std::int64_t y = 0; y < size[1]; ++y)
            for (std::int64_t x = 0; x < size[0]; ++x) body(x, y, z);
}

/// Voxels of a band, resampled.
Mask mask_of(const BoxCountSpec& spec, const std::byte* voxels, const Band& band) {
    Mask mask;
    mask.reserve(static_cast<std::size_t>(spec.voxels()));
    const auto from = spec.samples();
    const auto source = [&](std::size_t axis, std::int64_t i) {
        return static_cast<std::int64_t>(from[axis][static_cast<std::size_t>(i)]);
    };
    if (spec.packed) {
        for_each(spec.size, [&](auto x, auto y, auto z) {
            const std::int64_t sx = source(0, x), row = (source(2, z) * spec.stored[1] + source(1, y)) * spec.pitch();
            mask.push_back(static_cast<std::uint8_t>(std::to_integer<unsigned>(voxels[row + sx / 8]) >> (sx % 8) & 1u));
        });
        return mask;
    }
    with_type(spec.type, voxels, [&](const auto* typed) {
        const TypedBand<std::remove_cvref_t<decltype(*typed)>> typed_band(band);
        for_each(spec.size, [&](auto x, auto y, auto z) {
            mask.push_back(
                static_cast<std::uint8_t>(typed_band.holds(typed[place(spec.stored, source(0, x), source(1, y), source(2, z))])));
        });
    });
    return mask;
}

/// What of a mask begins at `low` and is as large as `extent`.
Mask part_of(const Mask& mask, const Size& size, const Size& low, const Extent& extent) {
    Mask part;
    part.reserve(static_cast<std::size_t>(extent[0] * extent[1] * extent[2]));
    for_each(extent, [&](auto x, auto y, auto z) {
        part.push_back(mask[static_cast<std::size_t>(place(size, low[0] + x, low[1] + y, low[2] + z))]);
    });
    return part;
}

/// Set voxels with a neighbour that is not. Outside there are none to look at.
Mask outline_of(const Mask& mask, const Size& size) {
    Mask outline;
    outline.reserve(mask.size());
    for_each(size, [&](auto x, auto y, auto z) {
        bool inner = true;
        for (std::int64_t w = std::max<std::int64_t>(z - 1, 0); w <= std::min(z + 1, size[2] - 1); ++w)
            for (std::int64_t v = std::max<std::int64_t>(y - 1, 0); v <= std::min(y + 1, size[1] - 1); ++v)
                for (std::int64_t u = std::max<std::int64_t>(x - 1, 0); u <= std::min(x + 1, size[0] - 1); ++u)
                    inner = inner && mask[static_cast<std::size_t>(place(size, u, v, w))] != 0;
        outline.push_back(static_cast<std::uint8_t>(mask[static_cast<std::size_t>(place(size, x, y, z))] != 0 && !inner));
    });
    return outline;
}

/// Where set voxels begin, and how far they go; both 0 where there is none.
struct Around {
    Size low{0, 0, 0};
    Extent extent{0, 0, 0};
};

Around around(const Mask& mask, const Size& size) {
    Size low = size, high{-1, -1, -1};
    std::size_t i = 0;
    for_each(size, [&](auto x, auto y, auto z) {
        if (mask[i++] == 0) return;
        low = {std::min(low[0], x), std::min(low[1], y), std::min(low[2], z)};
        high = {std::max(high[0], x), std::max(high[1], y), std::max(high[2], z)};
    });
    if (high[0] < 0) return {};
    return {low, {high[0] - low[0] + 1, high[1] - low[1] + 1, high[2] - low[2] + 1}};
}

}  // namespace

Counted counts_of(const BoxCountSpec& spec, const std::byte* voxels, Counting counting, int threads) {
    if (spec.as_it_is() && !spec.packed && !spec.extents) return {counting(spec, voxels, threads), {}};
    BoxCountSpec plain = spec;
    plain.type = ElementType::u8;
    plain.packed = plain.surface = false;
    plain.bands = {{std::uint64_t{1}, std::uint64_t{255}}};
    Counted all;
    for (const Band& band : spec.bands) {
        Mask mask = mask_of(spec, voxels, band);
        if (spec.surface) mask = outline_of(mask, spec.size);
        const Around box = spec.extents || spec.origin == Origin::bounding_box ? around(mask, spec.size) : Around();
        if (spec.extents) all.extents.push_back(box.extent);
        const bool cut = spec.origin == Origin::bounding_box && box.extent[0] > 0;
        if (cut) mask = part_of(mask, spec.size, box.low, box.extent);
        plain.size = plain.stored = cut ? box.extent : spec.size;
        for (const Size& shift : spec.shifts()) {
            plain.lead = shift;
            all.counts.push_back(counting(plain, reinterpret_cast<const std::byte*>(mask.data()), threads).front());
        }
    }
    return all;
}

}  // namespace parallax::engine::box_count
