// The record: counts by size, and the line through their logarithms.
#include "algorithms/box_count/box_count.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace parallax::engine::box_count {
namespace {

/// A line through (-m, log2 N): the same slope as that of ln N against ln 2^-m.
struct Line {
    double slope = 0, error = 0, r = 0;
    bool has_error = false, has_r = false;
};

std::uint64_t fitted(const Boxes& b, Count count) {
    return count == Count::occupied ? b.any : count == Count::black ? b.all : b.any - b.all;
}

/// Empty where a level has no box.
std::optional<Line> line_through(const std::vector<std::uint64_t>& numbers, int from, int to) {
    const double n = to - from + 1;
    double mean_x = 0, mean_y = 0;
    for (int m = from; m <= to; ++m) {
        const std::uint64_t boxes = numbers[static_cast<std::size_t>(m)];
        if (boxes == 0) return std::nullopt;
        mean_x -= m / n;
        mean_y += std::log2(static_cast<double>(boxes)) / n;
    }
    double xx = 0, xy = 0, yy = 0;
    for (int m = from; m <= to; ++m) {
        const double x = -m - mean_x, y = std::log2(static_cast<double>(numbers[static_cast<std::size_t>(m)])) - mean_y;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    Line line;
    line.slope = xy / xx;
    line.has_r = yy > 0;
    if (line.has_r) line.r = xy / std::sqrt(xx * yy);
    line.has_error = n > 2;
    if (line.has_error) line.error = std::sqrt(std::max(0.0, yy - line.slope * xy) / (n - 2) / xx);
    return line;
}

struct Range {
    int from = 0, to = 0;
    std::string why;
};

std::optional<Range> range_of(const std::optional<FitRange>& fit, const std::vector<std::uint64_t>& numbers) {
    const int top = static_cast<int>(numbers.size()) - 1;
    if (fit) return Range{fit->from, fit->to, "as the job says"};
    if (top >= 4) return Range{1, top - 2, "by size alone: 1 to k - 2"};
    if (top >= 1) return Range{0, top, "by size alone: all of a small grid"};
    return std::nullopt;
}

Json edge_of(const BoxCountSpec& spec, double voxels) {
    bool equal = true;
    Json edges = Json::array();
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(spec.dimensions); ++axis) {
        edges.push_back(voxels * spec.spacing[axis]);
        equal = equal && std::abs(spec.spacing[axis] - spec.spacing[0]) <= 1e-3 * std::abs(spec.spacing[0]);
    }
    return equal ? edges.front() : edges;
}

/// Of several grids: for each level those of the grid with the fewest occupied boxes, and which grid that is.
struct Fewest {
    BoxCounts counts;
    std::vector<std::size_t> grid;
};

Fewest fewest_of(std::span<const BoxCounts> grids) {
    Fewest f{grids.front(), std::vector<std::size_t>(grids.front().size(), 0)};
    for (std::size_t g = 1; g < grids.size(); ++g)
        for (std::size_t m = 0; m < f.counts.size(); ++m)
            if (grids[g][m].any < f.counts[m].any) {
                f.counts[m] = grids[g][m];
                f.grid[m] = g;
            }
    return f;
}

/// By how much a grid's boxes of 2^m begin before the first voxel: x, y, z.
Json offset_of(const BoxCountSpec& spec, const std::array<std::int64_t, 3>& shift, int m) {
    Json offset = Json::array();
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(spec.dimensions); ++axis)
        offset.push_back(shift[axis] % (std::int64_t{1} << m));
    return offset;
}

Json levels_of(const BoxCountSpec& spec, const Fewest& fewest, const std::vector<std::uint64_t>& numbers) {
    const std::vector<std::array<std::int64_t, 3>> shifts = spec.shifts();
    Json levels = Json::array();
    for (int m = 0; m <= spec.top; ++m) {
        const std::size_t at = static_cast<std::size_t>(m);
        const Boxes& b = fewest.counts[at];
        Json slope = nullptr;
        if (m < spec.top && numbers[at] > 0 && numbers[at + 1] > 0)
            slope = std::log2(static_cast<double>(numbers[at]) / static_cast<double>(numbers[at + 1]));
        levels.push_back({{"m", m},
                          {"edge_voxels", std::int64_t{1} << m},
                          {"edge", edge_of(spec, std::ldexp(1.0, m))},
                          {"black", b.all},
                          {"grey", b.any - b.all},
                          {"white", (std::uint64_t{1} << ((spec.top - m) * spec.dimensions)) - b.any},
                          {"slope", slope}});
        if (spec.offsets > 1) levels.back()["offset"] = offset_of(spec, shifts[fewest.grid[at]], m);
    }
    return levels;
}

/// The range of "auto", its line, or why there is none.
void add_auto(Json& record, const BoxCountSpec& spec, const std::vector<std::uint64_t>& numbers, const Extent& extent) {
    const AutoFit fit = auto_fit(numbers, spec.dimensions, extent);
    record["extent"] = spec.dimensions == 3 ? Json{extent[0], extent[1], extent[2]} : Json{extent[0], extent[1]};
    if (fit.fills) {
        record["dimension"] = static_cast<double>(spec.dimensions);
        record["why"] = "auto: more than 0.9 of the boxes around it are counted at every size: it fills its box";
    } else if (fit.to < 0) {
        record["why_no_dimension"] =
            numbers.front() == 0
                ? "auto: no voxel is set"
                : "auto: no four sizes in a row have many boxes and free ones among them; a larger volume has, or name a range";
    } else {
        record["fit"] = {{"from", fit.from},
                         {"to", fit.to},
                         {"why", fit.stable ? "auto: the longest in which the slope keeps to 0.2"
                                            : "auto: the slope changes least here, and by more than 0.2"},
                         {"change", fit.change},
                         {"cover", fit.cover},
                         {"stable", fit.stable}};
    }
}

Json record_of_set(const BoxCountParameters& p, const BoxCountSpec& spec, std::span<const BoxCounts> grids,
                   const Extent& extent) {
    const Fewest fewest = fewest_of(grids);
    std::vector<std::uint64_t> numbers;
    for (const Boxes& b : fewest.counts) numbers.push_back(fitted(b, p.count));
    Json record{{"levels", levels_of(spec, fewest, numbers)},
                {"dimension", nullptr},
                {"standard_error", nullptr},
                {"r", nullptr},
                {"fit", nullptr}};
    if (spec.extents) {
        add_auto(record, spec, numbers, extent);
    } else if (const std::optional<Range> range = range_of(p.fit, numbers)) {
        record["fit"] = {{"from", range->from}, {"to", range->to}, {"why", range->why}};
    } else {
        record["why_no_dimension"] = "the grid has one size of boxes";
    }
    if (record["fit"].is_null()) return record;
    const std::optional<Line> line = line_through(numbers, record["fit"]["from"].get<int>(), record["fit"]["to"].get<int>());
    if (!line) {
        record["why_no_dimension"] = "a size in the fitted range has no boxes";
        return record;
    }
    record["dimension"] = line->slope;
    if (line->has_error) record["standard_error"] = line->error;
    if (line->has_r) record["r"] = line->r;
    return record;
}

/// Without a unit a spacing of 1 is a voxel's; of any other nobody has said what it is.
std::string unit_of(const BoxCountSpec& spec) {
    if (!spec.unit.empty()) return spec.unit;
    const bool voxels =
        std::all_of(spec.spacing.begin(), spec.spacing.begin() + spec.dimensions, [](double spacing) { return spacing == 1; });
    return voxels ? "voxel" : "unstated";
}

}  // namespace

Json record_of(const BoxCountParameters& p, const BoxCountSpec& spec, const Counted& counted) {
    const char* const fitted_boxes = p.count == Count::occupied ? "occupied" : p.count == Count::grey ? "grey" : "black";
    Json record{
        {"dimensions", spec.dimensions}, {"grid", std::int64_t{1} << spec.top}, {"count", fitted_boxes}, {"unit", unit_of(spec)}};
    if (spec.surface) record["surface"] = true;
    if (spec.origin == Origin::bounding_box) record["origin"] = "bounding_box";
    if (spec.offsets > 1) record["offsets"] = spec.offsets;
    if (spec.size != spec.stored)
        record["resampled"] =
            spec.dimensions == 3 ? Json{spec.size[0], spec.size[1], spec.size[2]} : Json{spec.size[0], spec.size[1]};
    const std::size_t grids = counted.counts.size() / spec.bands.size();
    const auto record_of_band = [&](std::size_t band) {
        return record_of_set(p, spec, std::span(counted.counts).subspan(band * grids, grids),
                             spec.extents ? counted.extents[band] : Extent{});
    };
    if (p.labels.empty()) {
        record["threshold"] = to_json(p.threshold);
        record.update(record_of_band(0));
        return record;
    }
    Json labels = Json::array();
    for (std::size_t i = 0; i < spec.bands.size(); ++i) {
        Json one{{"label", to_json(p.labels[i].value)}};
        if (!p.labels[i].name.empty()) one["name"] = p.labels[i].name;
        one.update(record_of_band(i));
        labels.push_back(std::move(one));
    }
    record["labels"] = std::move(labels);
    return record;
}

}  // namespace parallax::engine::box_count
