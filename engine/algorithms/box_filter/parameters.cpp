#include "algorithms/box_filter/parameters.hpp"

#include "core/hints.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace parallax::engine::box_filter {
namespace {

/// x, y and z of the numbers that a job gives; `nothing` for axes that are not filtered.
std::array<std::int64_t, 3> per_axis(const std::vector<int>& numbers, const std::array<bool, 3>& present, int nothing,
                                     const char* pointer, const ArrayDesc& image) {
    std::array<std::int64_t, 3> result{nothing, nothing, nothing};
    if (numbers.size() == 1) {
        for (std::size_t a = 0; a < 3; ++a)
            if (present[a]) result[a] = numbers.front();
        return result;
    }
    for (std::size_t a = 0; a < numbers.size(); ++a) {
        if (!present[a] && numbers[a] != nothing)
            throw ConfigError(pointer, fmt::format("{} along {} for an image of {}", numbers[a], "xyz"[a], image.describe()),
                              fmt::format("{} along an axis that the image does not have", nothing));
        result[a] = numbers[a];
    }
    if (present[2] && numbers.size() == 2)
        throw ConfigError(pointer, fmt::format("[{}, {}] for a volume of {}", numbers[0], numbers[1], image.describe()),
                          "one number, or three: [x, y, z]",
                          fmt::format("[{}, {}, {}] filters each plane by itself", numbers[0], numbers[1], nothing));
    return result;
}

void check_value(const BoxSpec& spec) {
    if (spec.border != Border::constant) return;
    const bool fits = spec.is_float() ? std::abs(spec.value) <= std::numeric_limits<float>::max()
                                      : spec.value == std::floor(spec.value) && spec.value >= 0 &&
                                            spec.value <= static_cast<double>(spec.largest());
    if (!fits)
        throw ConfigError("/value", fmt::format("{} around an image of type {}", spec.value, to_string(spec.type)),
                          "a value that the type can hold");
}

}  // namespace

ParameterTable box_table() {
    using P = BoxParameters;
    return TableBuilder<P>()
        .integer_list("radius", &P::radius, 3, {.min = 0, .max = largest_radius},
                      "Elements on each side of the middle: one number for every axis, [x, y], or [x, y, z] of a volume. Null: "
                      "1, unless there is a size.")
        .integer_list("size", &P::size, 3, {.min = 1, .max = 2 * largest_radius + 1},
                      "Elements of a window instead of a radius. An even window reaches one element further to the left.")
        .choice("border", &P::border,
                {{"reflect_101", Border::reflect_101},
                 {"reflect", Border::reflect},
                 {"replicate", Border::replicate},
                 {"constant", Border::constant}},
                "What stands outside the image: 2 1 | 0 1 2, 1 0 | 0 1 2, 0 0 | 0 1 2, or `value`.")
        .number("value", &P::value, {}, "What a constant border holds.")
        .build();
}

bool BoxSpec::is_wide() const noexcept {
    return !is_float() && static_cast<std::uint64_t>(taps()) > std::numeric_limits<std::uint32_t>::max() / largest();
}

BoxSpec spec_of(const Problem& problem) {
    const char* const port = "/inputs/image";
    const ArrayDesc& image = problem.inputs.at("image");
    if (image.type != ElementType::u8 && image.type != ElementType::u16 && image.type != ElementType::f32)
        throw ConfigError(port, image.describe(), "elements of type u8, u16 or f32", how_to_convert(image));
    if (!image.is_dense()) throw ConfigError(port, image.describe() + " with gaps", "a dense array");
    if (image.count() == 0) throw ConfigError(port, image.describe(), "an image with at least one element");

    BoxSpec spec;
    spec.type = image.type;
    std::array<bool, 3> present{};
    std::int64_t ahead = 1;   // of the axis at hand, since the one that was filtered before it
    for (std::size_t i = 0; i < image.axes.size(); ++i) {
        const Axis& axis = image.axes[i];
        const char before = i > 0 ? image.axes[i - 1].name : '\0';
        if (axis.name == 'z') {
            if (present[0] || present[1]) throw ConfigError(port, image.describe(), "z before y and x");
            present[2] = true;
            spec.outer = ahead;
            spec.depth = axis.size;
            ahead = 1;
        } else if (axis.name == 'y') {
            if (present[0]) throw ConfigError(port, image.describe(), "y before x");
            present[1] = true;
            (present[2] ? spec.middle : spec.outer) = ahead;
            spec.height = axis.size;
        } else if (axis.name == 'x') {
            if (present[1] && before != 'y') throw ConfigError(port, image.describe(), "x right behind y");
            if (!present[1]) (present[2] ? spec.middle : spec.outer) = ahead;
            present[0] = true;
            spec.width = axis.size;
        } else if (present[0] && axis.name == 'c' && i + 1 == image.axes.size()) {
            spec.channels = axis.size;
        } else if (present[0] || present[1]) {
            throw ConfigError(port, image.describe(), "y, x and at most c as the last axes");
        } else {
            ahead *= axis.size;
        }
    }
    if (!present[0]) throw ConfigError(port, image.describe(), "an axis x");
    for (const std::int64_t n : {spec.width, spec.height, spec.depth})
        if (n > (std::int64_t{1} << 30)) throw ConfigError(port, image.describe(), "axes of at most 2^30 elements");

    const auto& p = problem.parameters.as<BoxParameters>();
    if (!p.radius.empty() && !p.size.empty()) throw ConfigError("/size", "a size and a radius", "one of them");
    if (!p.size.empty()) {
        spec.window = per_axis(p.size, present, 1, "/size", image);
    } else {
        const std::vector<int> one{1};
        const auto radius = per_axis(p.radius.empty() ? one : p.radius, present, 0, "/radius", image);
        for (std::size_t a = 0; a < 3; ++a) spec.window[a] = 2 * radius[a] + 1;
    }
    spec.border = p.border;
    spec.value = p.value;
    // Sums of integers must fit into 63 bits. The product of three windows may pass that itself.
    const double sum = static_cast<double>(spec.window[0]) * static_cast<double>(spec.window[1]) *
                       static_cast<double>(spec.window[2]) * static_cast<double>(spec.is_float() ? 1 : spec.largest());
    if (sum >= 0x1p63)
        throw ConfigError(p.size.empty() ? "/radius" : "/size",
                          fmt::format("windows of {} x {} x {}", spec.window[0], spec.window[1], spec.window[2]),
                          "windows whose sums fit into 63 bits");
    check_value(spec);
    return spec;
}

std::int64_t border_index(Border border, std::int64_t i, std::int64_t n) noexcept {
    if (i >= 0 && i < n) return i;
    if (border == Border::constant) return -1;
    if (border == Border::replicate) return i < 0 ? 0 : n - 1;
    if (border == Border::reflect) {
        const std::int64_t period = 2 * n, at = ((i % period) + period) % period;
        return at < n ? at : period - 1 - at;
    }
    if (n == 1) return 0;
    const std::int64_t period = 2 * n - 2, at = ((i % period) + period) % period;
    return at < n ? at : period - at;
}

}  // namespace parallax::engine::box_filter
