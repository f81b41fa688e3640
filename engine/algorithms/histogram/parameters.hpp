// Parameters of `histogram`, and the counting that they and an image ask for.
#pragma once

#include "core/algorithm.hpp"
#include "core/parameters.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace parallax::engine::histogram {

struct Range {
    double low = 0, high = 1;
    bool operator==(const Range&) const = default;
};

struct HistogramParameters {
    int bins = 0;                 ///< 0: 256 for u8 and f32, 65536 for u16
    std::optional<Range> range;   ///< f32 only, and needed there
};

ParameterTable histogram_table();

/// What is counted. The image is dense and its channels stand last; the mask has one element a pixel.
struct HistogramSpec {
    ElementType type = ElementType::u8;   ///< u8, u16 or f32
    std::int64_t pixels = 0;
    int channels = 1;                     ///< 1 to 4
    int bins = 256;
    bool masked = false;
    std::vector<float> edges;             ///< f32: bins + 1 numbers that increase; empty for integers

    std::int64_t slots() const noexcept { return std::int64_t{bins} * channels; }
    std::uint64_t count() const noexcept { return static_cast<std::uint64_t>(pixels) * static_cast<std::uint64_t>(channels); }
};

/// Throws ConfigError for an image that has no histogram under `/inputs/image`: its type, its axes, its size.
void check_image(const ArrayDesc& image);

/// What is said of f32 where none of an image lies within its range.
std::string words_of_none(const HistogramSpec&);
/// The observation that says so; `any`: whether a count is not 0.
Json told(bool any, const std::string& words_of_none);

/// Everything checked; throws ConfigError at the input or parameter that is wrong.
HistogramSpec spec_of(const Problem&);
/// The same without edges, 65,536 of which take longer than a small image: for what is asked at every call.
HistogramSpec spec_without_edges(const Problem&);

/// The edges of `bins` equal parts of [low, high] as numpy.histogram has them for f32: low + i * ((high - low) / bins) in
/// double precision, rounded to f32, the last `high` itself.
std::vector<float> edges_of(const Range&, int bins);

}  // namespace parallax::engine::histogram
