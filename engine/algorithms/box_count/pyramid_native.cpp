// The pyramid in C++: a byte a box, bit 0 any voxel set, bit 1 all; a row of boxes at a time.
#include "algorithms/box_count/typed.hpp"
#include "core/threads.hpp"

#include <algorithm>
#include <mutex>
#include <type_traits>

namespace parallax::engine::box_count {
namespace {

using Size = std::array<std::int64_t, 3>;

struct Level {
    Size size{};
    Size lead{};                       ///< boxes of the grid that precede the first of these
    std::vector<std::uint8_t> flags;   ///< any | all << 1
};

/// How a level's cells become flags: any | all << 1.
template <class T>
struct Voxels {
    const T* data;
    TypedBand<T> band;
    Voxels from(std::int64_t i) const noexcept { return {data + i, band}; }
    std::uint8_t flags(std::int64_t i) const noexcept { return static_cast<std::uint8_t>(3 * band.holds(data[i])); }
};
struct Flags {
    const std::uint8_t* data;
    Flags from(std::int64_t i) const noexcept { return {data + i}; }
    std::uint8_t flags(std::int64_t i) const noexcept { return data[i]; }
};

/// Joins cells by eight (by four in a plane) and counts those joined. What lies outside is not set.
template <class Cells>
Level join(const Cells& cells, const Size& size, const Size& lead, int dimensions, int threads, Boxes& counted) {
    Level up;
    Size odd{0, 0, 0};   // the first cell is the second of its box
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool joins = axis < static_cast<std::size_t>(dimensions);
        if (joins) odd[axis] = lead[axis] % 2;
        up.size[axis] = joins ? (odd[axis] + size[axis] + 1) / 2 : 1;
        up.lead[axis] = lead[axis] / 2;
    }
    up.flags.resize(static_cast<std::size_t>(up.size[0] * up.size[1] * up.size[2]));
    std::mutex mutex;
    parallel_ranges(up.size[1] * up.size[2], threads, [&](std::int64_t first, std::int64_t end) {
        Boxes sum;
        std::vector<std::uint8_t> any(static_cast<std::size_t>(2 * up.size[0])), all(any.size());
        for (std::int64_t row = first; row < end; ++row) {
            const std::int64_t y = row % up.size[1] * 2 - odd[1], z = row / up.size[1] * (dimensions == 3 ? 2 : 1) - odd[2];
            std::fill(any.begin(), any.end(), std::uint8_t{0});
            std::fill(all.begin(), all.end(), std::uint8_t{0});
            const std::int64_t deep = dimensions == 3 ? 2 : 1;
            const bool whole = y >= 0 && z >= 0 && y + 2 <= size[1] && z + deep <= size[2];
            std::fill(all.begin() + odd[0], all.begin() + odd[0] + size[0], static_cast<std::uint8_t>(whole ? 2 : 0));
            for (std::int64_t v = std::max<std::int64_t>(z, 0); v < std::min(z + deep, size[2]); ++v)
                for (std::int64_t u = std::max<std::int64_t>(y, 0); u < std::min(y + 2, size[1]); ++u) {
                    const std::int64_t at = (v * size[1] + u) * size[0];
                    std::uint8_t* const __restrict ones = any.data() + odd[0], * const __restrict every =
                                                                          all.data() + odd[0];   // else bytes may alias anything
                    std::uint32_t set = 0, full = 0;
                    const Cells row_cells = cells.from(at);
                    for (std::int64_t x = 0; x < size[0]; ++x) {
                        const std::uint8_t f = row_cells.flags(x);
                        ones[x] = static_cast<std::uint8_t>(ones[x] | f);
                        every[x] = static_cast<std::uint8_t>(every[x] & f);
                        set += f & 1u;
                        full += f >> 1;
                    }
                    sum.any += set;
                    sum.all += full;
                }
            std::uint8_t* const __restrict to = up.flags.data() + row * up.size[0];
            const std::uint8_t *const ones = any.data(), *const every = all.data();
            for (std::int64_t x = 0; x < up.size[0]; ++x)
                to[x] = static_cast<std::uint8_t>(((ones[2 * x] | ones[2 * x + 1]) & 1) | (every[2 * x] & every[2 * x + 1] & 2));
        }
        const std::scoped_lock lock(mutex);
        counted.any += sum.any;
        counted.all += sum.all;
    });
    return up;
}

}  // namespace

std::vector<BoxCounts> pyramid_counts(const BoxCountSpec& spec, const std::byte* voxels, int threads) {
    return with_type(spec.type, voxels, [&](const auto* typed) {
        using T = std::remove_cvref_t<decltype(*typed)>;
        std::vector<BoxCounts> all;
        for (const Band& band : spec.bands) {
            BoxCounts counts(static_cast<std::size_t>(spec.top) + 1);
            Level level =
                join(Voxels<T>{typed, TypedBand<T>(band)}, spec.size, spec.lead, spec.dimensions, threads, counts[0]);
            for (std::size_t m = 1; m < counts.size(); ++m)
                level = join(Flags{level.flags.data()}, level.size, level.lead, spec.dimensions, threads, counts[m]);
            all.push_back(std::move(counts));
        }
        return all;
    });
}

}  // namespace parallax::engine::box_count
