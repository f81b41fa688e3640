#include "algorithms/histogram/reference.hpp"

#include <algorithm>

namespace parallax::engine::histogram {
namespace {

/// The bin of a value, or -1.
int bin_of(float value, const HistogramSpec& spec) {
    if (!(value >= spec.edges.front() && value <= spec.edges.back())) return -1;
    const auto above = std::upper_bound(spec.edges.begin(), spec.edges.end(), value);
    return std::min(static_cast<int>(above - spec.edges.begin()) - 1, spec.bins - 1);
}
template <class Integer>
int bin_of(Integer value, const HistogramSpec& spec) {
    return static_cast<int>(std::uint64_t{value} * static_cast<std::uint64_t>(spec.bins) >> (8 * sizeof(Integer)));
}

template <class Element>
std::vector<std::uint32_t> count(const HistogramSpec& spec, const Element* image, const std::byte* mask, std::int64_t first,
                                 std::int64_t end) {
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(spec.slots()));
    for (std::int64_t pixel = first; pixel < end; ++pixel) {
        if (mask != nullptr && mask[pixel] == std::byte{0}) continue;
        for (int c = 0; c < spec.channels; ++c) {
            const int bin = bin_of(image[pixel * spec.channels + c], spec);
            if (bin >= 0)
                ++counts[static_cast<std::size_t>(c) * static_cast<std::size_t>(spec.bins) + static_cast<std::size_t>(bin)];
        }
    }
    return counts;
}

}  // namespace

std::vector<std::uint32_t> reference_histogram(const HistogramSpec& spec, const std::byte* image, const std::byte* mask,
                                               std::int64_t first, std::int64_t end) {
    switch (spec.type) {
        case ElementType::u8: return count(spec, reinterpret_cast<const std::uint8_t*>(image), mask, first, end);
        case ElementType::u16: return count(spec, reinterpret_cast<const std::uint16_t*>(image), mask, first, end);
        default: return count(spec, reinterpret_cast<const float*>(image), mask, first, end);
    }
}

}  // namespace parallax::engine::histogram
