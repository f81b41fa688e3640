// Hou's method in C++, as the source paper's baselines: one thread, or a part of the numbers for each thread, then merged.
#include "algorithms/box_count/typed.hpp"
#include "core/threads.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <mutex>
#include <type_traits>

namespace parallax::engine::box_count {
namespace {

using Keys = std::vector<std::uint64_t>;

/// Bits of the coordinates in turn, x lowest.
std::uint64_t interleaved(std::uint64_t x, std::uint64_t y, std::uint64_t z, int bits, int dimensions) {
    std::uint64_t key = 0;
    for (int b = 0; b < bits; ++b) {
        const int at = b * dimensions;
        key |= (x >> b & 1) << at | (y >> b & 1) << (at + 1);
        if (dimensions == 3) key |= (z >> b & 1) << (at + 2);
    }
    return key;
}

template <class T>
Keys sorted_keys(const BoxCountSpec& spec, const T* voxels, const TypedBand<T>& band, int threads) {
    // A grid that has moved reaches beyond 2^k.
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) last = std::max(last, spec.lead[axis] + spec.size[axis] - 1);
    const int bits = std::bit_width(static_cast<std::uint64_t>(last));
    const auto at = [&](std::size_t axis, std::int64_t i) { return static_cast<std::uint64_t>(spec.lead[axis] + i); };
    Keys keys;
    std::mutex mutex;
    parallel_ranges(spec.size[1] * spec.size[2], threads, [&](std::int64_t first, std::int64_t end) {
        Keys part;
        for (std::int64_t row = first; row < end; ++row)
            for (std::int64_t x = 0; x < spec.size[0]; ++x)
                if (band.holds(voxels[row * spec.size[0] + x]))
                    part.push_back(interleaved(at(0, x), at(1, row % spec.size[1]), at(2, row / spec.size[1]), bits,
                                               spec.dimensions));
        std::sort(part.begin(), part.end());
        const std::scoped_lock lock(mutex);
        Keys merged;
        merged.reserve(keys.size() + part.size());
        std::merge(keys.begin(), keys.end(), part.begin(), part.end(), std::back_inserter(merged));
        keys = std::move(merged);
    });
    return keys;
}

/// Runs of numbers that are equal but for their last m d bits: a box with voxels; full where a run has 2^(m d) numbers.
Boxes runs(const Keys& keys, int shift) {
    Boxes b;
    const std::uint64_t full = std::uint64_t{1} << shift;
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool starts = i == 0 || keys[i] >> shift != keys[i - 1] >> shift;
        length = starts ? 1 : length + 1;
        b.any += starts;
        b.all += length == full;
    }
    return b;
}

}  // namespace

std::vector<BoxCounts> hou_counts(const BoxCountSpec& spec, const std::byte* voxels, int threads) {
    return with_type(spec.type, voxels, [&](const auto* typed) {
        using T = std::remove_cvref_t<decltype(*typed)>;
        std::vector<BoxCounts> all;
        for (const Band& band : spec.bands) {
            const Keys keys = sorted_keys(spec, typed, TypedBand<T>(band), threads);
            BoxCounts counts(static_cast<std::size_t>(spec.top) + 1);
            parallel_ranges(spec.top + 1, threads, [&](std::int64_t first, std::int64_t end) {
                for (std::int64_t m = first; m < end; ++m)
                    counts[static_cast<std::size_t>(m)] = runs(keys, static_cast<int>(m) * spec.dimensions);
            });
            all.push_back(std::move(counts));
        }
        return all;
    });
}

}  // namespace parallax::engine::box_count
