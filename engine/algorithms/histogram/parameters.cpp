#include "algorithms/histogram/parameters.hpp"

#include "core/hints.hpp"
#include "core/observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace parallax::engine::histogram {
namespace {

constexpr int most_bins = 65536;

const ParameterTable& range_table() {
    static const auto& table = *new ParameterTable(TableBuilder<Range>()
        .number("low", &Range::low, {}, "Lower edge of the first bin.")
        .number("high", &Range::high, {}, "Upper edge of the last bin, which includes it.")
        .build());   // to the end: for after main()
    return table;
}

int default_bins(ElementType type) { return type == ElementType::u16 ? most_bins : 256; }

void check_mask(const ArrayDesc& image, const ArrayDesc& mask) {
    if (mask.type != ElementType::u8 && mask.type != ElementType::boolean)
        throw ConfigError("/inputs/mask", mask.describe(), "a mask of type u8 or bool");
    if (!mask.is_dense()) throw ConfigError("/inputs/mask", mask.describe() + " with gaps", "a dense array");
    std::vector<std::int64_t> wanted, found;
    for (const Axis& axis : image.axes)
        if (axis.name != 'c') wanted.push_back(axis.size);
    for (const Axis& axis : mask.axes) found.push_back(axis.size);
    if (wanted != found)
        throw ConfigError("/inputs/mask", mask.describe(), "the shape of the image without its channels: " + image.describe());
}

/// Whether neighbouring edges differ by more than two steps between numbers of f32, so that nobody need look at each.
bool are_surely_apart(const Range& range, int bins) {
    const double step = (range.high - range.low) / bins, largest = std::max(std::abs(range.low), std::abs(range.high));
    return step > 2 * std::numeric_limits<float>::epsilon() * largest && step > std::numeric_limits<float>::min();
}

/// Of f32; empty where nobody asked for them.
std::vector<float> checked_edges(const HistogramParameters& p, ElementType type, int bins, bool wanted) {
    if (type != ElementType::f32) {
        if (p.range)
            throw ConfigError(
                "/range", fmt::format("[{}, {}] for an image of type {}", p.range->low, p.range->high, to_string(type)),
                "range for f32 images only", "integers are counted over the whole range of their type: choose bins");
        return {};
    }
    if (!p.range)
        throw ConfigError(
            "/range", "no range", "the range of an f32 image",
            "add \"range\": {\"low\": 0, \"high\": 1}, with the least and the greatest level that you want counted");
    const double limit = std::numeric_limits<float>::max();
    if (!(p.range->low < p.range->high) || p.range->low < -limit || p.range->high > limit)
        throw ConfigError("/range", fmt::format("[{}, {}]", p.range->low, p.range->high), "low below high, both numbers of f32");
    if (!wanted && are_surely_apart(*p.range, bins)) return {};
    std::vector<float> edges = edges_of(*p.range, bins);
    for (std::size_t i = 1; i < edges.size(); ++i)
        if (!(edges[i - 1] < edges[i]))
            throw ConfigError("/bins", fmt::format("{} bins in [{}, {}]", bins, p.range->low, p.range->high),
                              "bins that are wider than the steps between numbers of f32", "take fewer bins or a wider range");
    return edges;
}

}  // namespace

ParameterTable histogram_table() {
    using P = HistogramParameters;
    return TableBuilder<P>()
        .integer("bins", &P::bins, {.min = 0, .max = most_bins},
                 "Number of bins of equal width. 0: 256 for u8 and f32, 65536 for u16. Integers are counted over the whole range "
                 "of their type.")
        .object("range", &P::range, range_table(), {},
                "f32: values from low to high are counted, both included. Others, and NaN, are not.")
        .build();
}

void check_image(const ArrayDesc& image) {
    const char* const port = "/inputs/image";
    if (!image.is_dense()) throw ConfigError(port, image.describe() + " with gaps", "a dense array");
    const Axis* const c = image.find('c');
    if (c != nullptr && c != &image.axes.back()) throw ConfigError(port, image.describe(), "channels as the last axis");
    if (c != nullptr && c->size > 4) throw ConfigError(port, image.describe(), "1 to 4 channels");
    if (image.count() == 0) throw ConfigError(port, image.describe(), "an image with at least one pixel");
    if (image.count() / image.size('c') > std::numeric_limits<std::uint32_t>::max())
        throw ConfigError(port, image.describe(), "at most 4294967295 pixels a channel, what u32 counts",
                          "cut the image into parts");
}

namespace {

HistogramSpec checked(const Problem& problem, bool wants_edges) {
    const auto& p = problem.parameters.as<HistogramParameters>();
    const ArrayDesc& image = problem.inputs.at("image");
    const ElementType type = image.type;
    if (type != ElementType::u8 && type != ElementType::u16 && type != ElementType::f32)
        throw ConfigError("/inputs/image", image.describe(), "elements of type u8, u16 or f32", how_to_convert(image));
    check_image(image);
    HistogramSpec spec;
    spec.type = type;
    spec.channels = static_cast<int>(image.size('c'));
    spec.pixels = image.count() / spec.channels;
    spec.bins = p.bins == 0 ? default_bins(type) : p.bins;
    if (type == ElementType::u8 && spec.bins > 256)
        throw ConfigError("/bins", std::to_string(spec.bins), "at most 256 bins for an image of type u8");
    spec.edges = checked_edges(p, type, spec.bins, wants_edges);
    if (const auto mask = problem.inputs.find("mask"); mask != problem.inputs.end()) {
        check_mask(image, mask->second);
        spec.masked = true;
    }
    return spec;
}

}  // namespace

HistogramSpec spec_of(const Problem& problem) { return checked(problem, true); }
HistogramSpec spec_without_edges(const Problem& problem) { return checked(problem, false); }

std::string words_of_none(const HistogramSpec& spec) {
    return fmt::format("no element{} lies within the range, {:g} to {:g}, and all bins are empty: state the range of the image's "
                       "levels",
                       spec.masked ? " under the mask" : "", spec.edges.front(), spec.edges.back());
}

Json told(bool any, const std::string& words) {
    constexpr std::uint32_t counted = 1, looked = 2;   // a tile may be empty where others are not
    return observation(looked | (any ? counted : 0), {{looked, counted, words}});
}

std::vector<float> edges_of(const Range& range, int bins) {
    std::vector<float> edges(static_cast<std::size_t>(bins) + 1);
    const double step = (range.high - range.low) / bins;
    for (int i = 0; i < bins; ++i) edges[static_cast<std::size_t>(i)] = static_cast<float>(i * step + range.low);
    edges.back() = static_cast<float>(range.high);
    return edges;
}

}  // namespace parallax::engine::histogram
