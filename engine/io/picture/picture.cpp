#include "io/picture/picture.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "core/turned.hpp"
#include "io/format.hpp"
#include "io/picture/canvas.hpp"
#include "io/text_header.hpp"
#include "io/units.hpp"
#include "io/window.hpp"

namespace parallax::io::picture {
namespace {

constexpr Rgb white = {255, 255, 255}, black = {0, 0, 0};
constexpr std::int64_t gap = 2;   ///< pixels between the pictures of a montage

/// {frames, height, width, channels} of what is to be shown.
struct Shape {
    std::int64_t frames = 1, height = 1, width = 1, channels = 1;
};

bool has_channels(const ArrayDesc& desc) { return !desc.axes.empty() && desc.axes.back().name == 'c'; }

Shape shape_of(const ArrayDesc& desc) {
    Shape shape;
    std::size_t n = desc.axes.size();
    if (has_channels(desc)) shape.channels = desc.axes[--n].size;
    if (n > 0) shape.width = desc.axes[n - 1].size;   // a single number is one pixel
    if (n > 1) shape.height = desc.axes[n - 2].size;
    for (std::size_t i = 0; i + 2 < n; ++i) shape.frames *= desc.axes[i].size;
    return shape;
}

HostArray picture_like(const HostArray& array, const Shape& shape) {
    std::vector<ArrayDesc::Extent> extents;
    if (shape.frames > 1) extents.push_back({'t', shape.frames});
    extents.push_back({'y', shape.height});
    extents.push_back({'x', shape.width});
    if (shape.channels > 1) extents.push_back({'c', shape.channels});
    HostArray result = HostArray::make(ArrayDesc::dense(array.desc.type, extents));
    result.desc.unit = array.desc.unit;
    for (Axis& axis : result.desc.axes) {
        if (const Axis* const before = array.desc.find(axis.name)) axis.spacing = before->spacing;
    }
    return result;
}

/// Frames side by side, row after row, with white between them.
HostArray side_by_side(const HostArray& array, std::int64_t columns) {
    const Shape shape = shape_of(array.desc);
    if (columns == 0) {   // about as wide as high
        const double wanted = std::sqrt(static_cast<double>(shape.frames * shape.height) / static_cast<double>(shape.width));
        columns = std::clamp<std::int64_t>(std::llround(std::ceil(wanted)), 1, shape.frames);
    }
    columns = std::min(columns, shape.frames);
    const std::int64_t rows = (shape.frames + columns - 1) / columns;
    HostArray result =
        picture_like(array, {1, rows * (shape.height + gap) - gap, columns * (shape.width + gap) - gap, shape.channels});
    const std::size_t bytes = result.desc.dense_bytes(),
                      pixel = static_cast<std::size_t>(shape.channels) * parallax::bytes_of(array.desc.type);
    std::fill_n(result.data(), bytes, std::byte{0xff});
    const std::size_t row = static_cast<std::size_t>(shape.width) * pixel,
                      pitch = static_cast<std::size_t>(result.desc.size('x')) * pixel;
    const std::byte* from = array.data();
    for (std::int64_t frame = 0; frame < shape.frames; ++frame) {
        std::byte* to = result.data() + static_cast<std::size_t>(frame / columns * (shape.height + gap)) * pitch +
                        static_cast<std::size_t>(frame % columns * (shape.width + gap)) * pixel;
        for (std::int64_t y = 0; y < shape.height; ++y, from += row, to += pitch) std::memcpy(to, from, row);
    }
    return result;
}

HostArray coloured(const HostArray& array, const ColourMap& map) {
    Shape shape = shape_of(array.desc);
    shape.channels = 3;
    HostArray result = picture_like(array, shape);
    auto* to = result.as<std::uint8_t>();
    const auto* const from = array.as<std::uint8_t>();
    for (std::int64_t i = 0, n = array.desc.count(); i < n; ++i, to += 3) std::copy_n(map[from[i]].begin(), 3, to);
    return result;
}

HostArray copy_of(const HostArray& array) {
    HostArray result = HostArray::make(array.desc);
    std::memcpy(result.data(), array.data(), array.desc.dense_bytes());
    return result;
}

Canvas canvas_of(const HostArray& array, const Shape& shape, std::int64_t frame) {
    return {array.as<std::uint8_t>() + frame * shape.height * shape.width * shape.channels, shape.width, shape.height,
            shape.channels};
}

/// Pixels that a dot of a letter is wide: so that letters are read in a picture that is shown as a whole.
std::int64_t dot_of(const Shape& shape) { return std::clamp<std::int64_t>(std::min(shape.width, shape.height) / 256, 1, 64); }

/// The array with a strip of its colours to its right, and the values at their ends and in the middle.
HostArray with_colour_bar(const HostArray& array, std::array<double, 2> window, const ColourMap& map) {
    const Shape shape = shape_of(array.desc);
    const std::int64_t dot = dot_of(shape);
    const std::array<std::string, 3> labels = {fmt::format("{:.3g}", window[1]),
                                               fmt::format("{:.3g}", std::midpoint(window[0], window[1])),
                                               fmt::format("{:.3g}", window[0])};
    std::int64_t letters = 0;
    for (const std::string& label : labels) letters = std::max(letters, text_width(label));
    const std::int64_t before = 4 * dot, strip = 8 * dot, margin = letter_height * dot / 2 + dot;
    Shape wider = shape;
    wider.width += before + strip + (3 + letters + 2) * dot;
    HostArray result = picture_like(array, wider);
    const std::size_t from_pitch = static_cast<std::size_t>(shape.width * shape.channels),
                      to_pitch = static_cast<std::size_t>(wider.width * wider.channels);
    for (std::int64_t frame = 0; frame < shape.frames; ++frame) {
        const Canvas from = canvas_of(array, shape, frame), to = canvas_of(result, wider, frame);
        to.fill(0, 0, to.width, to.height, white);
        for (std::int64_t y = 0; y < shape.height; ++y)
            std::memcpy(to.pixels + static_cast<std::size_t>(y) * to_pitch,
                        from.pixels + static_cast<std::size_t>(y) * from_pitch, from_pitch);
        const std::int64_t left = shape.width + before, height = std::max<std::int64_t>(shape.height - 2 * margin, 1);
        for (std::int64_t y = 0; y < height; ++y) {
            const std::int64_t value = height > 1 ? 255 - y * 255 / (height - 1) : 255;
            to.fill(left, margin + y, strip, 1, map[static_cast<std::size_t>(value)]);
        }
        const bool middle = height > 4 * letter_height * dot;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            if (i == 1 && !middle) continue;
            const std::int64_t at = margin + static_cast<std::int64_t>(i) * (height - 1) / 2 - letter_height * dot / 2;
            to.text(left + strip + 3 * dot, at, dot, labels[i], black);
        }
    }
    return result;
}

/// Draws a white bar with a black border into the lower right corner of each frame, and what it is long above it.
void draw_scale_bar(const HostArray& array, std::int64_t width, double spacing, const RoundLength& bar) {
    const Shape shape = shape_of(array.desc);
    const std::int64_t dot = dot_of({1, shape.height, width, 1}), margin = 4 * dot, thick = 2 * dot;
    const auto length = std::max<std::int64_t>(1, std::llround(bar.length / spacing));
    const std::int64_t right = width - margin, top = shape.height - margin - thick;
    for (std::int64_t frame = 0; frame < shape.frames; ++frame) {
        const Canvas canvas = canvas_of(array, shape, frame);
        canvas.fill(right - length - dot, top - dot, length + 2 * dot, thick + 2 * dot, black);
        canvas.fill(right - length, top, length, thick, white);
        const std::int64_t letters = text_width(bar.label) * dot, y = top - dot - (letter_height + 2) * dot;
        const std::int64_t x = std::min(right - length / 2 - letters / 2, right - letters);
        if (x < dot || y < dot) continue;   // no room: the bar alone
        for (const std::int64_t dx : {-dot, std::int64_t{0}, dot}) {
            for (const std::int64_t dy : {-dot, std::int64_t{0}, dot}) canvas.text(x + dx, y + dy, dot, bar.label, black);
        }
        canvas.text(x, y, dot, bar.label, white);
    }
}

/// What is drawn has 8 bits, and so has a picture whose format has no more.
bool eight_bits(const WriteOptions& options, const Kind& kind) {
    return !kind.deep || asks_eight_bits(options);
}

std::string length_label(double length, const std::string& unit) {
    constexpr std::pair<const char*, double> units[] = {{"m", 1e3}, {"mm", 1}, {"um", 1e-3}, {"nm", 1e-6}};
    const double mm = length * millimetres(unit);
    for (const auto& [name, size] : units) {
        if (mm >= size * (1 - 1e-12)) return fmt::format("{:.4g} {}", mm / size, name);
    }
    return fmt::format("{:.4g} nm", mm * 1e6);
}

/// {t, y, x, c} without those that it does not need, whatever its axes were called.
HostArray as_frames(HostArray array) {
    array.desc = picture_like(array, shape_of(array.desc)).desc;
    return array;
}

std::string bar_problem(const ArrayDesc& desc, const WriteOptions& options) {
    const Axis* const x = desc.find('x');
    if (!options.scale_bar) return {};
    if (!x) return fmt::format("a scale bar is a length along x, an axis that {} does not have", desc.describe());
    if (x != &desc.axes.back() - (has_channels(desc) ? 1 : 0))
        return fmt::format("a scale bar is a length along x, which is not along the columns of {}", desc.describe());
    if (millimetres(desc.unit) == 0 || !(x->spacing > 0))
        return "a scale bar needs the size of a pixel, which the array does not have: state \"spacing_um\" of the input";
    const double whole = x->spacing * static_cast<double>(x->size);
    const std::int64_t margins = 10 * dot_of({1, desc.size('y'), x->size, 1});
    const double longest = whole - x->spacing * static_cast<double>(margins);
    const double asked = *options.scale_bar > 0 ? *options.scale_bar : round_length(whole / 4, desc.unit).length;
    constexpr double least = 3;   // pixels: what is shorter is not seen, or is drawn too long
    if (!options.montage && desc.size('y') < margins)
        return fmt::format("a scale bar needs {} rows, this is {}", margins, desc.describe());
    if (asked < least * x->spacing)
        return fmt::format("a scale bar of {:g} {} is shorter than 3 pixels, {:.4g} {}", asked, desc.unit, least * x->spacing,
                           desc.unit);
    if (asked > longest)
        return fmt::format("a scale bar of {:g} {} is longer than the picture, {:.4g} {}, leaves room for", asked, desc.unit,
                           whole, desc.unit);
    return {};
}

constexpr double rounding = 1e-9;   ///< of a rate and back

}   // namespace

RoundLength round_length(double most, const std::string& unit) {
    double power = std::pow(10.0, std::floor(std::log10(most)));
    double length = power;
    for (const double step : {2.0, 5.0}) {
        if (step * power <= most * (1 + 1e-12)) length = step * power;
    }
    return {length, length_label(length, unit)};
}

double frame_rate(const ArrayDesc& desc, const WriteOptions& options) {
    constexpr double usual = 10;
    const Axis* const t = desc.find('t');
    if (options.frames_a_second > 0) return options.frames_a_second;
    return t && t->spacing > 0 ? 1 / t->spacing : usual;
}

std::string pace_problem(const ArrayDesc& desc, const WriteOptions& options, const Kind& kind, double longest) {
    const double seconds = 1 / frame_rate(desc, options);
    if (shape_of(desc).frames == 1 || seconds <= longest * (1 + rounding)) return {};
    return fmt::format("{} shows a frame for up to {:g} s, and these would be shown for {:g} s each{}", kind.name, longest,
                       seconds,
                       options.frames_a_second > 0
                           ? " by \"frames_a_second\""
                           : ", as far as they are apart: \"frames_a_second\" of the output says how fast they are to go");
}

std::string pace_warning(const std::filesystem::path& path, const ArrayDesc& desc, const WriteOptions& options) {
    constexpr double slow = 10, shortest_of_gif = 0.01;   // s
    const std::string ending = in_lower_case(path.extension().string());
    const std::int64_t frames = shape_of(desc).frames;
    if ((ending != ".gif" && ending != ".mp4") || frames == 1) return {};
    const double seconds = 1 / frame_rate(desc, options);
    if (ending == ".gif" && seconds < shortest_of_gif * (1 - rounding))
        return fmt::format("its {} frames are to be shown for {:g} s each, and go at 100 a second, the fastest that GIF has",
                           frames, seconds);
    if (options.frames_a_second > 0 || seconds <= slow) return {};
    return fmt::format("its {} frames are shown for {:g} s each, as far as they are apart: \"frames_a_second\" of the output "
                       "shows them faster",
                       frames, seconds);
}

std::string problem(const ArrayDesc& desc, const WriteOptions& options, const Kind& kind) {
    const bool channels = has_channels(desc);
    if (is_complex(desc.type))
        return fmt::format("{} holds no complex numbers: write their amplitude or phase, or a .npy file", kind.name);
    if (engine::is_turned(desc))
        return fmt::format("{} holds rows (y) of columns (x); this is {}, whose columns come first", kind.name, desc.describe());
    if (const std::string mistaken = engine::mistaken_axes(desc, "frames"); !mistaken.empty())
        return fmt::format("{} holds rows (y) of columns (x); this is {}, {}", kind.name, desc.describe(), mistaken);
    if (desc.axes.size() < (channels ? 2u : 1u))
        return fmt::format("{} holds one picture, this is {}", kind.name, desc.describe());
    const Shape shape = shape_of(desc);
    if (shape.frames != 1 && !kind.frames && !options.montage)
        return fmt::format(
            "{} holds one picture, this is {}: choose a plane, or say \"montage\": true", kind.name,
            desc.describe());
    if (kind.frames && !options.montage &&
        (desc.axes.size() > (channels ? 4u : 3u) || (shape.frames > 1 && desc.axes.front().name == 'c')))
        return fmt::format("{} holds frames of rows and columns; this is {}", kind.name, desc.describe());
    const std::int64_t most = kind.alpha ? 4 : 3;
    if (shape.channels > most || (!kind.alpha && shape.channels == 2))
        return fmt::format("{} holds {}, this has {} channels", kind.name,
                           kind.alpha ? "up to 4 channels" : "grey, or red, green and blue", shape.channels);
    if (shape.width > 0x7fffffff || shape.height > 0x7fffffff)
        return fmt::format("{} holds at most 2147483647 rows and columns", kind.name);
    if (!options.colour_map.empty() && shape.channels > 1) return "a colour map is for values, and this has colours already";
    if (options.colour_bar && shape.channels > 1) return "a colour bar is for values, and this has colours";
    if (options.colour_bar && !options.montage && shape.height < 3 * letter_height)
        return fmt::format("a colour bar needs {} rows for its numbers, this is {}", 3 * letter_height, desc.describe());
    if (options.scale_bar && shape.channels != 1 && shape.channels != 3)
        return "nothing is drawn into a picture with transparency: say \"grey\": true of the input";
    if (options.png_bits != 0 && options.png_bits != 8 && options.png_bits != 16)
        return fmt::format("PNG samples have 8 or 16 bits, not {}", options.png_bits);
    if (options.png_bits == 16 && eight_bits(options, kind))
        return "16 bits are for greys alone: leave out \"bits\", or colours, bars and \"montage\"";
    if (const std::string bar = bar_problem(desc, options); !bar.empty()) return bar;
    return window_problem(options);
}

HostArray make(const HostArray& given, const WriteOptions& asked, const Kind& kind) {
    WriteOptions options = asked;
    const bool eight = eight_bits(options, kind);
    if (is_cyclic(options.colour_map) && is_floating(given.desc.type) && !options.window && !options.window_percentile)
        options.window = std::array<double, 2>{-3.14159265358979323846, 3.14159265358979323846};
    const HostArray dense = given.to_dense();
    if (options.png_bits == 16 && dense.desc.type == ElementType::u8 && !options.window && !options.window_percentile)
        options.window = std::array<double, 2>{0, 255};
    const std::optional<std::array<double, 2>> window = display_window(dense, options, eight);
    const int bits = options.png_bits == 16 && !eight ? 16 : 8;
    HostArray array = !window ? dense : asked.greys && bits == 8 ? *asked.greys : through_window(dense, *window, bits);
    array = as_frames(std::move(array));
    if (!eight) return array;
    const ColourMap map = colour_map(options.colour_map);
    if (!options.colour_map.empty() && options.colour_map != "grey") array = coloured(array, map);
    if (options.montage) array = side_by_side(array, *options.montage);
    const std::int64_t width = shape_of(array.desc).width;
    if (options.colour_bar) array = with_colour_bar(array, window.value_or(std::array<double, 2>{0, 255}), map);
    if (options.scale_bar) {
        const double spacing = given.desc.find('x')->spacing, whole = spacing * static_cast<double>(given.desc.size('x'));
        const RoundLength bar = *options.scale_bar > 0
                                    ? RoundLength{*options.scale_bar, length_label(*options.scale_bar, given.desc.unit)}
                                    : round_length(whole / 4, given.desc.unit);
        if (array.memory == given.memory || (asked.greys && array.memory == asked.greys->memory)) array = copy_of(array);
        draw_scale_bar(array, width, spacing, bar);
    }
    return array;
}

}   // namespace parallax::io::picture
