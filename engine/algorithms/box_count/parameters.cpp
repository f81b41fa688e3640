#include "algorithms/box_count/box_count.hpp"

#include "core/hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

namespace parallax::engine::box_count {
namespace {

constexpr std::size_t most_labels = 4096;

const ParameterTable& fit_table() {
    static const auto& table = *new ParameterTable(TableBuilder<FitRange>()
        .integer("from", &FitRange::from, {.min = 0, .max = 62}, "First m.")
        .integer("to", &FitRange::to, {.min = 1, .max = 62}, "Last m.")
        .build());   // to the end: for after main()
    return table;
}

/// A range has both ends, or is a word; one end alone would be read, and written out as a range that is none.
ParameterField fit_field() {
    using P = BoxCountParameters;
    const ParameterTable table =
        TableBuilder<P>()
            .object("fit", &P::fit, fit_table(), {{"auto", FitRange{}}},
                    "Range of m, box edges 2^m. Left out: 1 to k - 2 for a grid of 2^k >= 16 voxels a side, else 0 to k. auto: "
                    "the longest in which the slope is the same from end to end and boxes are neither few nor full, by each "
                    "set's own counts.")
            .build();
    ParameterField field = table.fields().front();
    field.read = [read = field.read](void* object, const Json& value, const std::string& key, const std::string& pointer) {
        read(object, value, key, pointer);
        const std::optional<FitRange>& fit = static_cast<const P*>(object)->fit;
        if (!fit || (fit->from < 0) == (fit->to < 0)) return;
        const char* const missing = fit->from < 0 ? "from" : "to";
        throw ConfigError(pointer_to(pointer, missing), fmt::format("no \"{}\"", missing),
                          "both ends, such as {\"from\": 1, \"to\": 4}");
    };
    return field;
}

/// All values of a type, and `nothing` in its kind of numbers.
struct Limits {
    Number low, high;
    Band nothing() const {
        return std::visit([](auto one) { return Band{static_cast<decltype(one)>(1), static_cast<decltype(one)>(0)}; }, high);
    }
};

std::optional<Limits> limits_of(ElementType type) {
    const auto of = []<class T>(T) {
        using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
        return Limits{static_cast<Wide>(std::numeric_limits<T>::lowest()), static_cast<Wide>(std::numeric_limits<T>::max())};
    };
    switch (type) {
        case ElementType::boolean:
        case ElementType::u8: return of(std::uint8_t{});
        case ElementType::i8: return of(std::int8_t{});
        case ElementType::u16: return of(std::uint16_t{});
        case ElementType::i16: return of(std::int16_t{});
        case ElementType::u32: return of(std::uint32_t{});
        case ElementType::i32: return of(std::int32_t{});
        case ElementType::u64: return of(std::uint64_t{});
        case ElementType::i64: return of(std::int64_t{});
        case ElementType::f32:
        case ElementType::f64: return Limits{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
        default: return std::nullopt;
    }
}

/// a < b for numbers of any two kinds, exactly.
template <class A, class B>
bool less(A a, B b) {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) return std::cmp_less(a, b);
    else if constexpr (std::is_same_v<A, B>) return a < b;
    else if constexpr (std::is_integral_v<A>) {   // beside an integer a real number is as good as the next one above, or the
                                                  // infinities
        const double whole = std::ceil(b);
        return whole >= 0x1p64 || (whole >= -0x1p63 && (whole < 0 ? less(a, static_cast<std::int64_t>(whole))
                                                                  : less(a, static_cast<std::uint64_t>(whole))));
    } else {
        const double whole = std::floor(a);
        return whole < -0x1p63 || (whole < 0x1p64 && (whole < 0 ? less(static_cast<std::int64_t>(whole), b)
                                                                : less(static_cast<std::uint64_t>(whole), b)));
    }
}
bool less(const Number& a, const Number& b) {
    return std::visit([](auto x, auto y) { return less(x, y); }, a, b);
}

/// The smallest integer above a number that is not below all of T and below the largest.
template <class T>
T next_above(const Number& number) {
    return std::visit([](auto v) {
        if constexpr (std::is_integral_v<decltype(v)>) return static_cast<T>(v) + 1;
        else return static_cast<T>(std::floor(v)) + 1;
    }, number);
}

/// Values above `threshold`.
Band above(const Number& threshold, ElementType type, const Limits& limits) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (type == ElementType::f64) {   // where the threshold itself is none, the nearest may lie on either side
        const double nearest = to_double(threshold);
        return {less(threshold, Number(nearest)) ? nearest : std::nextafter(nearest, infinity), infinity};
    }
    if (type == ElementType::f32) {   // the smallest float above it
        constexpr double most = std::numeric_limits<float>::max();
        if (!less(threshold, Number(most))) return {infinity, infinity};
        if (less(threshold, Number(-most))) return {-most, infinity};
        float low = static_cast<float>(to_double(threshold));
        if (!less(threshold, Number(static_cast<double>(low)))) low = std::nextafter(low, std::numeric_limits<float>::infinity());
        return {static_cast<double>(low), infinity};
    }
    if (!less(threshold, limits.high)) return limits.nothing();
    if (less(threshold, limits.low)) return {limits.low, limits.high};
    return std::visit([&](auto high) { return Band{next_above<decltype(high)>(threshold), high}; }, limits.high);
}

Band exactly(const Number& label, ElementType type, const Limits& limits) {
    if (less(label, limits.low) || less(limits.high, label)) return limits.nothing();
    if (is_floating(type)) {
        const double value =
            type == ElementType::f32 ? static_cast<double>(static_cast<float>(to_double(label))) : to_double(label);
        return less(label, Number(value)) || less(Number(value), label) ? limits.nothing() : Band{value, value};
    }
    return std::visit([&](auto high) {
        const auto value = std::visit([](auto v) { return static_cast<decltype(high)>(v); }, label);
        return Band{value, value};
    }, limits.high);
}

void check_spacing(const BoxCountSpec& spec, Anisotropy anisotropy) {
    if (anisotropy != Anisotropy::refuse) return;
    for (int axis = 1; axis < spec.dimensions; ++axis) {
        const double a = spec.spacing[0], b = spec.spacing[static_cast<std::size_t>(axis)];
        if (std::abs(a - b) > 1e-3 * std::max(std::abs(a), std::abs(b)))
            throw ConfigError(
                "/inputs/" + spec.port,
                fmt::format("voxels of {:.6g} x {:.6g} x {:.6g} {}", spec.spacing[0], spec.spacing[1], spec.spacing[2],
                            spec.unit),
                "voxels as long on every axis, so that boxes are cubes",
                "\"anisotropy\": \"resample\" counts voxels as long as the shortest side, \"ignore\" counts boxes of voxels");
    }
}

void check_fit(const std::optional<FitRange>& fit, int top) {
    if (!fit) return;
    if (*fit == FitRange{}) {
        if (top < 3)
            throw ConfigError("/fit", fmt::format("\"auto\" for {} sizes of boxes", top + 1), "at least 4 sizes",
                              "take a larger volume or name the range");
        return;
    }
    if (fit->from < 0 || fit->from >= fit->to || fit->to > top)
        throw ConfigError("/fit", fmt::format("from {} to {}", fit->from, fit->to),
                          fmt::format("from below to, and to at most {}: the largest box has 2^{} voxels a side", top, top));
}

/// Voxels that are bits.
void unpack(BoxCountSpec& spec, const BoxCountParameters& p, const ArrayDesc& array) {
    if (array.type != ElementType::u8 || array.size('x') != (p.packed_width + 7) / 8)
        throw ConfigError("/packed_width", fmt::format("{} for {}", p.packed_width, array.describe()),
                          "u8 and a byte for each eight voxels along x",
                          "for an array of one element a voxel leave packed_width out");
    if (!p.labels.empty())
        throw ConfigError("/labels", fmt::format("{} labels of voxels that are bits", p.labels.size()),
                          "none: a voxel is set or is not");
    if (to_double(p.threshold) != 0)
        throw ConfigError("/threshold", fmt::format("{} for voxels that are bits", to_json(p.threshold).dump()),
                          "0: a voxel is set or is not");
    spec.packed = true;
    spec.stored[0] = p.packed_width;
}

/// Voxels as long on every axis as on the one where they are shortest.
void resample(BoxCountSpec& spec) {
    const auto axes = static_cast<std::size_t>(spec.dimensions);
    double shortest = std::numeric_limits<double>::infinity();
    for (std::size_t axis = 0; axis < axes; ++axis) shortest = std::min(shortest, std::abs(spec.spacing[axis]));
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const double factor = std::abs(spec.spacing[axis]) / shortest;
        if (!(factor <= 1e6))
            throw ConfigError("/inputs/" + spec.port,
                              fmt::format("voxels {:.6g} times as long on one axis as on another", factor),
                              "at most a million times");
        // As many as have their middles in the array.
        spec.size[axis] =
            std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(static_cast<double>(spec.stored[axis]) * factor - .5)));
        spec.step[axis] = shortest / std::abs(spec.spacing[axis]);
        spec.spacing[axis] = shortest;
    }
}

}  // namespace

bool is_signed(ElementType type) noexcept {
    return type == ElementType::i8 || type == ElementType::i16 || type == ElementType::i32 || type == ElementType::i64;
}

// Shifts of 2^k i / q voxels for an odd q. To boxes of 2^m only the rest of that modulo 2^m matters, 2^m i' / q with i' = 2^(k-m)
// i modulo q, which takes every value that i takes: one set of shifts spreads grids evenly over boxes of every size.
std::vector<std::array<std::int64_t, 3>> BoxCountSpec::shifts() const {
    const std::int64_t odd = offsets | 1, side = std::int64_t{1} << top;
    const int deep = dimensions == 3 ? offsets : 1;
    std::vector<std::array<std::int64_t, 3>> all;
    for (int z = 0; z < deep; ++z)
        for (int y = 0; y < offsets; ++y)
            for (int x = 0; x < offsets; ++x) all.push_back({side * x / odd, side * y / odd, side * z / odd});
    return all;
}

std::array<std::int64_t, 3> BoxCountSpec::covered_size(int tile) const {
    std::int64_t furthest = 0;
    for (const auto& shift : shifts()) furthest = std::max(furthest, shift[0] % tile);   // x takes every shift that an axis takes
    std::array<std::int64_t, 3> most = size;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis) most[axis] += furthest;
    return most;
}

std::array<std::vector<std::uint32_t>, 3> BoxCountSpec::samples() const {
    std::array<std::vector<std::uint32_t>, 3> all;
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::int64_t i = 0; i < size[axis]; ++i)   // the middle of a new voxel lies in this one of the array
            all[axis].push_back(static_cast<std::uint32_t>(
                std::min(static_cast<std::int64_t>((static_cast<double>(i) + .5) * step[axis]), stored[axis] - 1)));
    return all;
}

ParameterTable box_count_table() {
    using P = BoxCountParameters;
    ParameterTable table =
        TableBuilder<P>()
            .choice("count", &P::count, {{"occupied", Count::occupied}, {"grey", Count::grey}, {"black", Count::black}},
                    "Boxes whose number is fitted. occupied: with any voxel set; black: with all; grey: with some but not all.")
            .choice("anisotropy", &P::anisotropy,
                    {{"refuse", Anisotropy::refuse}, {"ignore", Anisotropy::ignore}, {"resample", Anisotropy::resample}},
                    "Voxels that are not as long on every axis. ignore: boxes are cubes of voxels. resample: nearest neighbours "
                    "at the distance of the shortest side.")
            .integer("packed_width", &P::packed_width, {.min = 0, .max = (1 << 30)},
                     "Above 0: the array is u8, each byte eight voxels along x, lowest bit first, rows of this many voxels that "
                     "begin at whole bytes. 0: an element is a voxel.")
            .boolean("surface", &P::surface,
                     "Count the outline alone: set voxels with a neighbour that is not set (of 26, or of 8 in an image). What "
                     "lies outside counts as set.")
            .choice("origin", &P::origin, {{"corner", Origin::corner}, {"bounding_box", Origin::bounding_box}},
                    "Where the grid begins: at the array's first voxel, or at the lowest x, y and z of any that is set.")
            .integer("offsets", &P::offsets, {.min = 1, .max = 16},
                     "Grids that are tried along each axis, spread over a box of any size. Each level is that of the grid with "
                     "the fewest occupied boxes.")
            .build();
    using Own = TableBuilder<OwnField>;
    Own::insert(table, 1, fit_field());
    Own::insert(table, 0,
                exact_number("threshold", &P::threshold, "Voxels above this are set. Not looked at where there are labels."));
    Own::insert(
        table, 1,
        labels("labels", &P::labels, most_labels,
               "Voxels of each of these values are a set of their own; with names: {\"3\": \"thalamus\", \"7\": \"putamen\"}."));
    return table;
}

BoxCountSpec spec_of(const Problem& problem) {
    const auto& p = problem.parameters.as<BoxCountParameters>();
    const bool has_volume = problem.inputs.contains("volume"), has_image = problem.inputs.contains("image");
    if (has_volume == has_image)
        throw ConfigError("/in", has_volume ? "both a volume and an image" : "neither a volume nor an image",
                          "one of volume and image");
    BoxCountSpec spec;
    spec.port = has_volume ? "volume" : "image";
    const std::string pointer = "/inputs/" + spec.port;
    const ArrayDesc& array = problem.inputs.at(spec.port);
    const std::optional<Limits> limits = limits_of(array.type);
    if (!limits) throw ConfigError(pointer, array.describe(), "elements of type bool, u8 to u64, i8 to i64, f32 or f64", 
                                   how_to_convert(array));
    if (!array.is_dense()) throw ConfigError(pointer, array.describe() + " with gaps", "a dense array");
    if (array.count() == 0) throw ConfigError(pointer, array.describe(), "an array with at least one voxel");

    std::string names;
    for (const Axis& axis : array.axes) {
        const std::size_t place = std::string_view("xyz").find(axis.name);
        if (place == std::string_view::npos) {
            if (axis.size != 1) throw ConfigError(pointer, array.describe(), "a volume (z, y, x) or an image (y, x)",
                                                   how_to_take_one(array, axis.name, true));
            continue;
        }
        if (axis.name == 'z' && axis.size == 1) continue;
        names += axis.name;
        spec.stored[place] = axis.size;
        spec.spacing[place] = axis.spacing;
    }
    if (names != "zyx" && names != "yx") throw ConfigError(pointer, array.describe(), "a volume (z, y, x) or an image (y, x)");
    spec.dimensions = static_cast<int>(names.size());
    spec.type = array.type;
    spec.unit = array.unit;
    spec.surface = p.surface;
    spec.origin = p.origin;
    spec.offsets = p.offsets;
    spec.extents = p.fit && *p.fit == FitRange{};
    if (p.packed_width > 0) unpack(spec, p, array);
    spec.size = spec.stored;
    if (p.anisotropy == Anisotropy::resample) resample(spec);
    const std::int64_t longest = *std::max_element(spec.size.begin(), spec.size.end());
    const int most = spec.dimensions == 3 ? 20 : 30;
    spec.top = std::bit_width(static_cast<std::uint64_t>(longest - 1));
    if (spec.top > most) throw ConfigError(pointer, array.describe(), fmt::format("at most 2^{} voxels a side", most));
    check_spacing(spec, p.anisotropy);
    check_fit(p.fit, spec.top);
    if (p.labels.empty()) spec.bands.push_back(above(p.threshold, spec.type, *limits));
    for (const Label& label : p.labels) spec.bands.push_back(exactly(label.value, spec.type, *limits));
    return spec;
}

}  // namespace parallax::engine::box_count
