// Made by `parallax bindings cpp` from the tables of all algorithms; not to be edited by hand.
//
// Fields have the names, units and defaults of a job's keys: HologramParameters{.wavelength_nm = 532, .distance_um = 900}.
#pragma once

#include "parallax/call.hpp"
#include "parallax/parameters.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parallax {

/// An image with another or with a number: sums, products, logarithms and the like.
struct ArithmeticParameters {
    static constexpr const char* algorithm = "arithmetic";
    enum class Op { add, subtract, multiply, divide, log, exp, abs, sqrt, clamp };
    /// range of ArithmeticParameters.
    struct Range {
        /// Smaller elements become this.
        double low{0.0};
        /// Larger elements become this.
        double high{1.0};

        bool operator==(const Range&) const = default;
        /// The fields that are not at their defaults, as a step of a job has them.
        std::string json() const {
            const Range standard{};
            detail::JsonObject out;
            if (!(low == standard.low)) out.add("low", low);
            if (!(high == standard.high)) out.add("high", high);
            return out.text();
        }
    };

    /// What is done to each element. Integers saturate; divide, log (natural), exp and sqrt give f32.
    Op op{Op::add};
    /// add, subtract, multiply, divide without an array `other`: the second operand, not 0. An integer for integer
    /// images.
    double value{0.0};
    /// clamp: the ends that elements are cut off at.
    Optional<Range> range{};

    bool operator==(const ArithmeticParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const ArithmeticParameters standard{};
        detail::JsonObject out;
        static constexpr const char* op_words[] = {"add", "subtract", "multiply", "divide", "log", "exp", "abs", "sqrt", "clamp"};
        if (op != standard.op) out.add("op", detail::word(op_words, static_cast<int>(op)));
        if (!(value == standard.value)) out.add("value", value);
        if (!(range == standard.range)) out.add("range", range);
        return out.text();
    }
};

/// Counts boxes of edge 1, 2, 4 ... that a structure touches or fills: its fractal dimension.
struct BoxCountParameters {
    static constexpr const char* algorithm = "box_count";
    enum class Count { occupied, grey, black };
    /// fit of BoxCountParameters.
    struct Fit {
        /// First m.
        int from{-1};
        /// Last m.
        int to{-1};

        bool operator==(const Fit&) const = default;
        /// The fields that are not at their defaults, as a step of a job has them.
        std::string json() const {
            const Fit standard{};
            detail::JsonObject out;
            if (!(from == standard.from)) out.add("from", from);
            if (!(to == standard.to)) out.add("to", to);
            return out.text();
        }
    };
    enum class Anisotropy { refuse, ignore, resample };
    enum class Origin { corner, bounding_box };

    /// Voxels above this are set. Not looked at where there are labels.
    double threshold{0.0};
    /// Voxels of each of these values are a set of their own; with names: {"3": "thalamus", "7": "putamen"}.
    std::vector<Label> labels{};
    /// Boxes whose number is fitted. occupied: with any voxel set; black: with all; grey: with some but not all.
    Count count{Count::occupied};
    /// Range of m, box edges 2^m. Left out: 1 to k - 2 for a grid of 2^k >= 16 voxels a side, else 0 to k. auto: the
    /// longest in which the slope is the same from end to end and boxes are neither few nor full, by each set's own
    /// counts.
    Optional<Fit> fit{};
    /// Voxels that are not as long on every axis. ignore: boxes are cubes of voxels. resample: nearest neighbours at
    /// the distance of the shortest side.
    Anisotropy anisotropy{Anisotropy::refuse};
    /// Above 0: the array is u8, each byte eight voxels along x, lowest bit first, rows of this many voxels that
    /// begin at whole bytes. 0: an element is a voxel.
    int packed_width{0};
    /// Count the outline alone: set voxels with a neighbour that is not set (of 26, or of 8 in an image). What lies
    /// outside counts as set.
    bool surface{false};
    /// Where the grid begins: at the array's first voxel, or at the lowest x, y and z of any that is set.
    Origin origin{Origin::corner};
    /// Grids that are tried along each axis, spread over a box of any size. Each level is that of the grid with the
    /// fewest occupied boxes.
    int offsets{1};

    bool operator==(const BoxCountParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const BoxCountParameters standard{};
        detail::JsonObject out;
        if (!(threshold == standard.threshold)) out.add("threshold", threshold);
        if (!(labels == standard.labels)) out.add("labels", labels);
        static constexpr const char* count_words[] = {"occupied", "grey", "black"};
        if (count != standard.count) out.add("count", detail::word(count_words, static_cast<int>(count)));
        if (!(fit == standard.fit)) out.add("fit", fit);
        static constexpr const char* anisotropy_words[] = {"refuse", "ignore", "resample"};
        if (anisotropy != standard.anisotropy)
            out.add("anisotropy", detail::word(anisotropy_words, static_cast<int>(anisotropy)));
        if (!(packed_width == standard.packed_width)) out.add("packed_width", packed_width);
        if (!(surface == standard.surface)) out.add("surface", surface);
        static constexpr const char* origin_words[] = {"corner", "bounding_box"};
        if (origin != standard.origin) out.add("origin", detail::word(origin_words, static_cast<int>(origin)));
        if (!(offsets == standard.offsets)) out.add("offsets", offsets);
        return out.text();
    }
};

/// Means of windows: a blur at a cost that does not depend on its radius.
struct BoxFilterParameters {
    static constexpr const char* algorithm = "box_filter";
    enum class Border { reflect_101, reflect, replicate, constant };

    /// Elements on each side of the middle: one number for every axis, [x, y], or [x, y, z] of a volume. Null: 1,
    /// unless there is a size.
    std::vector<int> radius{};
    /// Elements of a window instead of a radius. An even window reaches one element further to the left.
    std::vector<int> size{};
    /// What stands outside the image: 2 1 | 0 1 2, 1 0 | 0 1 2, 0 0 | 0 1 2, or `value`.
    Border border{Border::reflect_101};
    /// What a constant border holds.
    double value{0.0};

    bool operator==(const BoxFilterParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const BoxFilterParameters standard{};
        detail::JsonObject out;
        if (!(radius == standard.radius)) out.add("radius", radius);
        if (!(size == standard.size)) out.add("size", size);
        static constexpr const char* border_words[] = {"reflect_101", "reflect", "replicate", "constant"};
        if (border != standard.border) out.add("border", detail::word(border_words, static_cast<int>(border)));
        if (!(value == standard.value)) out.add("value", value);
        return out.text();
    }
};

/// Elements of another type, as they are or through a window of values or percentiles.
struct ConvertParameters {
    static constexpr const char* algorithm = "convert";
    enum class Type { u8, u16, i16, u32, i32, f32 };
    /// window of ConvertParameters.
    struct Window {
        /// This and all below become 0.
        double low{0.0};
        /// This and all above become the largest integer of the type, or 1.
        double high{1.0};

        bool operator==(const Window&) const = default;
        /// The fields that are not at their defaults, as a step of a job has them.
        std::string json() const {
            const Window standard{};
            detail::JsonObject out;
            if (!(low == standard.low)) out.add("low", low);
            if (!(high == standard.high)) out.add("high", high);
            return out.text();
        }
    };
    /// percentiles of ConvertParameters.
    struct Percentiles {
        /// Percentile that becomes 0.
        double low{1.0};
        /// Percentile that becomes the largest integer of the type, or 1.
        double high{99.0};

        bool operator==(const Percentiles&) const = default;
        /// The fields that are not at their defaults, as a step of a job has them.
        std::string json() const {
            const Percentiles standard{};
            detail::JsonObject out;
            if (!(low == standard.low)) out.add("low", low);
            if (!(high == standard.high)) out.add("high", high);
            return out.text();
        }
    };

    /// Type of the result. Integers are cut off at its ends; f32 is rounded to the nearest, half to even, NaN to 0.
    Type type{Type::u8};
    /// Values that become black and white; for u8, u16 and f32. null: values stay what they are.
    Optional<Window> window{};
    /// The same by percentiles of the finite elements of the whole array.
    Optional<Percentiles> percentiles{};

    bool operator==(const ConvertParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const ConvertParameters standard{};
        detail::JsonObject out;
        static constexpr const char* type_words[] = {"u8", "u16", "i16", "u32", "i32", "f32"};
        if (type != standard.type) out.add("type", detail::word(type_words, static_cast<int>(type)));
        if (!(window == standard.window)) out.add("window", window);
        if (!(percentiles == standard.percentiles)) out.add("percentiles", percentiles);
        return out.text();
    }
};

/// A box of an image or volume.
struct CropParameters {
    static constexpr const char* algorithm = "crop";
    /// Columns: [first, how many]. null: all.
    std::optional<std::array<int, 2>> x{};
    /// Rows: [first, how many].
    std::optional<std::array<int, 2>> y{};
    /// Slices of a volume: [first, how many].
    std::optional<std::array<int, 2>> z{};
    /// Frames or pages: [first, how many].
    std::optional<std::array<int, 2>> t{};
    /// Channels: [first, how many].
    std::optional<std::array<int, 2>> c{};

    bool operator==(const CropParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const CropParameters standard{};
        detail::JsonObject out;
        if (!(x == standard.x)) out.add("x", x);
        if (!(y == standard.y)) out.add("y", y);
        if (!(z == standard.z)) out.add("z", z);
        if (!(t == standard.t)) out.add("t", t);
        if (!(c == standard.c)) out.add("c", c);
        return out.text();
    }
};

/// Smooths an image and keeps its edges: non-linear diffusion by additive operator splitting.
struct DiffusionAosParameters {
    static constexpr const char* algorithm = "diffusion_aos";
    enum class EdgeFunction { perona_malik_1, perona_malik_2, charbonnier, weickert };

    /// Step in time, in pixels squared where there are no edges. Stable for any; accurate for small ones.
    double tau{1.0};
    /// K: gradients above it are edges, in grey levels of the image as it is stored (0 to 255, 0 to 65535, or those
    /// of f32).
    double threshold{4.0};
    /// Number of steps.
    int iterations{16};
    /// Standard deviation, in pixels, of the Gaussian before the gradient is taken; 0: none.
    double sigma{1.0};
    /// Diffusivity for r = |gradient|^2 / K^2: exp(-r), 1 / (1 + r), (1 + r)^-1/2, or 1 - exp(-3.31488 / r^4).
    EdgeFunction edge_function{EdgeFunction::perona_malik_2};
    /// Steps from one look at the gradients to the next.
    int update_edges_every{1};

    bool operator==(const DiffusionAosParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const DiffusionAosParameters standard{};
        detail::JsonObject out;
        if (!(tau == standard.tau)) out.add("tau", tau);
        if (!(threshold == standard.threshold)) out.add("threshold", threshold);
        if (!(iterations == standard.iterations)) out.add("iterations", iterations);
        if (!(sigma == standard.sigma)) out.add("sigma", sigma);
        static constexpr const char* edge_function_words[] = {"perona_malik_1", "perona_malik_2", "charbonnier", "weickert"};
        if (edge_function != standard.edge_function)
            out.add("edge_function", detail::word(edge_function_words, static_cast<int>(edge_function)));
        if (!(update_edges_every == standard.update_edges_every)) out.add("update_edges_every", update_edges_every);
        return out.text();
    }
};

/// Smooths an image and keeps its edges: non-linear diffusion by lattice Boltzmann.
struct DiffusionLbParameters {
    static constexpr const char* algorithm = "diffusion_lb";
    enum class Lattice { D2Q5, D2Q9 };
    enum class EdgeFunction { perona_malik_1, perona_malik_2, charbonnier, weickert };

    /// D2Q5: a node sends to its 4 neighbours; D2Q9: to 8, which is closer to the same in every direction.
    Lattice lattice{Lattice::D2Q9};
    /// C: diffusivity away from edges, in pixels squared an iteration. Nothing grows for any C; stripes of single
    /// pixels fade where steps are small or many.
    double step{0.5};
    /// K: gradients above it are edges, in grey levels of the image as it is stored (0 to 255, 0 to 65535, or those
    /// of f32).
    double threshold{4.0};
    /// Number of steps.
    int iterations{32};
    /// Standard deviation, in pixels, of the Gaussian before the gradient is taken; 0: none.
    double sigma{1.0};
    /// Diffusivity for r = |gradient|^2 / K^2: exp(-r), 1 / (1 + r), (1 + r)^-1/2, or 1 - exp(-3.31488 / r^4).
    EdgeFunction edge_function{EdgeFunction::perona_malik_2};
    /// Steps from one look at the gradients to the next.
    int update_edges_every{1};
    /// Stops a slice early once a step changes it by less than this, |I' - I| / |I| in the L2 norm; 0: never.
    double stop_below{0.0};

    bool operator==(const DiffusionLbParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const DiffusionLbParameters standard{};
        detail::JsonObject out;
        static constexpr const char* lattice_words[] = {"D2Q5", "D2Q9"};
        if (lattice != standard.lattice) out.add("lattice", detail::word(lattice_words, static_cast<int>(lattice)));
        if (!(step == standard.step)) out.add("step", step);
        if (!(threshold == standard.threshold)) out.add("threshold", threshold);
        if (!(iterations == standard.iterations)) out.add("iterations", iterations);
        if (!(sigma == standard.sigma)) out.add("sigma", sigma);
        static constexpr const char* edge_function_words[] = {"perona_malik_1", "perona_malik_2", "charbonnier", "weickert"};
        if (edge_function != standard.edge_function)
            out.add("edge_function", detail::word(edge_function_words, static_cast<int>(edge_function)));
        if (!(update_edges_every == standard.update_edges_every)) out.add("update_edges_every", update_edges_every);
        if (!(stop_below == standard.stop_below)) out.add("stop_below", stop_below);
        return out.text();
    }
};

/// Spreads the grey levels of an image so that each is as frequent as the others.
struct EqualizeParameters {
    static constexpr const char* algorithm = "equalize";
    enum class Formula { opencv, classic, skimage };

    /// opencv: equalizeHist, from the first level that occurs. classic: floor(top cdf / N + 1/2). skimage: cdf / N as
    /// f32.
    Formula formula{Formula::opencv};

    bool operator==(const EqualizeParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const EqualizeParameters standard{};
        detail::JsonObject out;
        static constexpr const char* formula_words[] = {"opencv", "classic", "skimage"};
        if (formula != standard.formula) out.add("formula", detail::word(formula_words, static_cast<int>(formula)));
        return out.text();
    }
};

/// Fourier and cosine transforms of arrays of any size, along x or along y and x.
struct FftParameters {
    static constexpr const char* algorithm = "fft";
    enum class Kind { c2c, r2c, c2r, dct };
    enum class Direction { auto_, forward, inverse };
    enum class Width { even, odd };
    enum class Fft { auto_, radix, vkfft, clfft };

    /// c2c: complex to complex. r2c: rows of w real numbers to w/2 + 1 complex ones, the other half being their
    /// conjugates. c2r: back. dct: real to real by cosines, forward of type 2, C[k] = 2 sum x[n] cos(pi k (2n + 1) /
    /// 2w), inverse of type 3, which gives x again.
    Kind kind{Kind::c2c};
    /// forward: exp(-2 pi i ...), no factor; inverse: exp(+2 pi i ...) with 1/N. r2c is forward and c2r inverse; auto
    /// is forward for c2c and dct.
    Direction direction{Direction::auto_};
    /// 1: along x; 2: along y and x. Every axis before these is a batch.
    int dimensions{2};
    /// c2r: whether the real rows that m = w/2 + 1 numbers stand for have w = 2m - 2 (even) or 2m - 1 (odd) elements.
    Width width{Width::even};
    /// Library of the transform on a device; auto takes the fastest. The native variants have their own.
    Fft fft{Fft::auto_};

    bool operator==(const FftParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const FftParameters standard{};
        detail::JsonObject out;
        static constexpr const char* kind_words[] = {"c2c", "r2c", "c2r", "dct"};
        if (kind != standard.kind) out.add("kind", detail::word(kind_words, static_cast<int>(kind)));
        static constexpr const char* direction_words[] = {"auto", "forward", "inverse"};
        if (direction != standard.direction) out.add("direction", detail::word(direction_words, static_cast<int>(direction)));
        if (!(dimensions == standard.dimensions)) out.add("dimensions", dimensions);
        static constexpr const char* width_words[] = {"even", "odd"};
        if (width != standard.width) out.add("width", detail::word(width_words, static_cast<int>(width)));
        static constexpr const char* fft_words[] = {"auto", "radix", "vkfft", "clfft"};
        if (fft != standard.fft) out.add("fft", detail::word(fft_words, static_cast<int>(fft)));
        return out.text();
    }
};

/// Counts the values of an image in bins of equal width, for each channel.
struct HistogramParameters {
    static constexpr const char* algorithm = "histogram";
    /// range of HistogramParameters.
    struct Range {
        /// Lower edge of the first bin.
        double low{0.0};
        /// Upper edge of the last bin, which includes it.
        double high{1.0};

        bool operator==(const Range&) const = default;
        /// The fields that are not at their defaults, as a step of a job has them.
        std::string json() const {
            const Range standard{};
            detail::JsonObject out;
            if (!(low == standard.low)) out.add("low", low);
            if (!(high == standard.high)) out.add("high", high);
            return out.text();
        }
    };

    /// Number of bins of equal width. 0: 256 for u8 and f32, 65536 for u16. Integers are counted over the whole range
    /// of their type.
    int bins{0};
    /// f32: values from low to high are counted, both included. Others, and NaN, are not.
    Optional<Range> range{};

    bool operator==(const HistogramParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const HistogramParameters standard{};
        detail::JsonObject out;
        if (!(bins == standard.bins)) out.add("bins", bins);
        if (!(range == standard.range)) out.add("range", range);
        return out.text();
    }
};

/// Reconstructs a digital hologram at one or many distances, with autofocus.
struct HologramParameters {
    static constexpr const char* algorithm = "hologram";
    enum class Method { auto_, convolution, rayleigh_sommerfeld, angular_spectrum, fresnel, fresnel_single_fft };
    enum class Padding { auto_, reflect, mean, zero, none };
    /// off_axis of HologramParameters.
    struct OffAxis {
        enum class Side { unknown, upper, lower };

        /// Column of the carrier, in pixels of the hologram's spectrum from its centre; a fraction counts. x and y
        /// both 0: it is looked for, the strongest peak outside the centre.
        double x{0.0};
        /// Row of the carrier, in pixels of the hologram's spectrum from its centre.
        double y{0.0};
        /// Radius of the disc around the carrier that is kept, in pixels of the spectrum; 0: a third of the carrier's
        /// distance from the centre. It must leave out the order in the middle, so it is less than that distance.
        double radius{0.0};
        /// Half of the spectrum in which the carrier is looked for: upper is y < 0, lower its mirror image. No
        /// hologram tells which of the two orders is the object's and which its conjugate, in focus at the negative
        /// distance and with the phase reversed: unknown takes the upper one, with a warning.
        Side side{Side::unknown};

        bool operator==(const OffAxis&) const = default;
        /// The fields that are not at their defaults, as a step of a job has them.
        std::string json() const {
            const OffAxis standard{};
            detail::JsonObject out;
            if (!(x == standard.x)) out.add("x", x);
            if (!(y == standard.y)) out.add("y", y);
            if (!(radius == standard.radius)) out.add("radius", radius);
            static constexpr const char* side_words[] = {"unknown", "upper", "lower"};
            if (side != standard.side) out.add("side", detail::word(side_words, static_cast<int>(side)));
            return out.text();
        }
    };
    /// autofocus of HologramParameters.
    struct Autofocus {
        enum class Metric { tenengrad, variance, brenner, laplacian, dubois };
        enum class Object { amplitude, phase };

        /// What is measured on the amplitude of each plane: squared Sobel gradient, variance, squared difference of
        /// pixels two columns apart, squared Laplacian, or the mean amplitude (Dubois).
        Metric metric{Metric::tenengrad};
        /// What the objects do to light: absorb it (their focus is the maximum of a contrast metric and the minimum
        /// of dubois) or delay it (the other way round).
        Object object{Object::amplitude};
        /// [x, y, width, height] in pixels that is measured; null: the whole image.
        std::optional<std::array<int, 4>> region{};

        bool operator==(const Autofocus&) const = default;
        /// The fields that are not at their defaults, as a step of a job has them.
        std::string json() const {
            const Autofocus standard{};
            detail::JsonObject out;
            static constexpr const char* metric_words[] = {"tenengrad", "variance", "brenner", "laplacian", "dubois"};
            if (metric != standard.metric) out.add("metric", detail::word(metric_words, static_cast<int>(metric)));
            static constexpr const char* object_words[] = {"amplitude", "phase"};
            if (object != standard.object) out.add("object", detail::word(object_words, static_cast<int>(object)));
            if (!(region == standard.region)) out.add("region", region);
            return out.text();
        }
    };
    enum class Planes { all, best };
    enum class Fft { auto_, radix, vkfft, clfft, cufft };

    /// How light is propagated. auto: angular_spectrum at any distance where the hologram stands among its mirror
    /// images (padding reflect, the default); else each plane of a stack by itself, by angular_spectrum up to the
    /// sampling limit and by rayleigh_sommerfeld above it. The record `planes` says which. fresnel_single_fft is for
    /// long distances: its pixel is wavelength * distance / (pixels * pixel).
    Method method{Method::auto_};
    /// Required. Wavelength of the light in vacuum.
    double wavelength_nm{0.0};
    /// Pixel of the hologram, one length or [x, y]: the sensor's, divided by the magnification. 0: what the
    /// hologram's file says, and an error where it says nothing.
    Pair pixel_um{0};
    /// Required. From the sensor to the object, above 0; a negative distance propagates forward. A list or {from, to,
    /// step} gives a stack of planes. A new distance needs no new plan.
    Sweep distance_um{std::vector<double>{}};
    /// Of the medium between object and sensor: the wavelength is divided by it.
    double refractive_index{1.0};
    /// What stands around the hologram, whose size is doubled, before it is propagated: its mirror images (which cost
    /// nothing: they make a cosine transform of a Fourier transform), its mean, zeros; none does not double it and
    /// lets the image wrap around. auto is reflect, and none for fresnel_single_fft, which can be padded by zero and
    /// reflect.
    Padding padding{Padding::auto_};
    /// angular_spectrum: leave out the frequencies that its transfer function is sampled too coarsely for (Matsushima
    /// 2009).
    bool band_limit{true};
    /// The order of an off-axis hologram that is kept and moved to the centre of the spectrum. "auto" looks for the
    /// strongest peak outside the centre and reports it as `carrier`; a series looks in its first item and takes the
    /// same for all. null: an in-line hologram.
    Optional<OffAxis> off_axis{};
    /// How planes are compared, for the output `focus` and for planes: best. null: they are not.
    Optional<Autofocus> autofocus{};
    /// Which planes of a stack are put out: all of them, or the one in best focus.
    Planes planes{Planes::all};
    /// Library of the Fourier transforms on a device; auto takes the fastest of our own, cufft is for comparison. The
    /// native variants have their own.
    Fft fft{Fft::auto_};

    bool operator==(const HologramParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const HologramParameters standard{};
        detail::JsonObject out;
        static constexpr const char* method_words[] = {"auto", "convolution", "rayleigh_sommerfeld", "angular_spectrum",
            "fresnel", "fresnel_single_fft"};
        if (method != standard.method) out.add("method", detail::word(method_words, static_cast<int>(method)));
        if (!(wavelength_nm == standard.wavelength_nm)) out.add("wavelength_nm", wavelength_nm);
        if (!(pixel_um == standard.pixel_um)) out.add("pixel_um", pixel_um);
        if (!(distance_um == standard.distance_um)) out.add("distance_um", distance_um);
        if (!(refractive_index == standard.refractive_index)) out.add("refractive_index", refractive_index);
        static constexpr const char* padding_words[] = {"auto", "reflect", "mean", "zero", "none"};
        if (padding != standard.padding) out.add("padding", detail::word(padding_words, static_cast<int>(padding)));
        if (!(band_limit == standard.band_limit)) out.add("band_limit", band_limit);
        if (!(off_axis == standard.off_axis)) out.add("off_axis", off_axis);
        if (!(autofocus == standard.autofocus)) out.add("autofocus", autofocus);
        static constexpr const char* planes_words[] = {"all", "best"};
        if (planes != standard.planes) out.add("planes", detail::word(planes_words, static_cast<int>(planes)));
        static constexpr const char* fft_words[] = {"auto", "radix", "vkfft", "clfft", "cufft"};
        if (fft != standard.fft) out.add("fft", detail::word(fft_words, static_cast<int>(fft)));
        return out.text();
    }
};

/// Makes the in-line hologram of opaque or transparent beads, with known truth.
struct HologramSimulateParameters {
    static constexpr const char* algorithm = "hologram_simulate";
    enum class Kind { opaque, phase };
    enum class Type { f32, u8, u16 };

    /// Columns of the hologram.
    int width{1024};
    /// Rows of the hologram.
    int height{1024};
    /// Pixel of the hologram, one length or [x, y].
    Pair pixel_um{1.4};
    /// Wavelength of the light in vacuum.
    double wavelength_nm{532};
    /// Of the medium around the beads.
    double refractive_index{1.0};
    /// From the plane of the beads to the sensor.
    double distance_um{1000};
    /// Number of beads. One stands on pixel (width / 2, height / 2); several are placed at random, apart from each
    /// other and from the edges.
    int count{1};
    /// Radius of a bead.
    double radius_um{10};
    /// opaque: discs that let nothing through (edges by 16 x 16 samples a pixel). phase: transparent spheres that
    /// delay the light.
    Kind kind{Kind::opaque};
    /// phase: refractive index of a bead less that of the medium.
    double delta_n{0.02};
    /// Standard deviation of Gaussian noise on the intensity, which is 1 without beads.
    double noise{0.0};
    /// Of the beads' places and of the noise: one seed gives one hologram on every device.
    int seed{1};
    /// f32: the intensity itself. u8, u16: grey levels, the nearest to intensity / full_scale times 255 or 65535.
    Type type{Type::f32};
    /// u8, u16: the intensity of the largest grey level; more than that is clipped.
    double full_scale{2.0};

    bool operator==(const HologramSimulateParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const HologramSimulateParameters standard{};
        detail::JsonObject out;
        if (!(width == standard.width)) out.add("width", width);
        if (!(height == standard.height)) out.add("height", height);
        if (!(pixel_um == standard.pixel_um)) out.add("pixel_um", pixel_um);
        if (!(wavelength_nm == standard.wavelength_nm)) out.add("wavelength_nm", wavelength_nm);
        if (!(refractive_index == standard.refractive_index)) out.add("refractive_index", refractive_index);
        if (!(distance_um == standard.distance_um)) out.add("distance_um", distance_um);
        if (!(count == standard.count)) out.add("count", count);
        if (!(radius_um == standard.radius_um)) out.add("radius_um", radius_um);
        static constexpr const char* kind_words[] = {"opaque", "phase"};
        if (kind != standard.kind) out.add("kind", detail::word(kind_words, static_cast<int>(kind)));
        if (!(delta_n == standard.delta_n)) out.add("delta_n", delta_n);
        if (!(noise == standard.noise)) out.add("noise", noise);
        if (!(seed == standard.seed)) out.add("seed", seed);
        static constexpr const char* type_words[] = {"f32", "u8", "u16"};
        if (type != standard.type) out.add("type", detail::word(type_words, static_cast<int>(type)));
        if (!(full_scale == standard.full_scale)) out.add("full_scale", full_scale);
        return out.text();
    }
};

/// Keeps an image where a mask is not 0; a value elsewhere.
struct MaskParameters {
    static constexpr const char* algorithm = "mask";
    /// What elements outside the mask become; an integer of the image's type, or any number for f32.
    double value{0.0};

    bool operator==(const MaskParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const MaskParameters standard{};
        detail::JsonObject out;
        if (!(value == standard.value)) out.add("value", value);
        return out.text();
    }
};

/// Compares an image with a reference: MSE, MAE, PSNR, SSIM.
struct MetricsParameters {
    static constexpr const char* algorithm = "metrics";
    /// Range of the grey levels, the peak of PSNR. 0: that of the reference's type, 255, 65535, and 1 for f32.
    double range{0.0};

    bool operator==(const MetricsParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const MetricsParameters standard{};
        detail::JsonObject out;
        if (!(range == standard.range)) out.add("range", range);
        return out.text();
    }
};

/// Puts Gaussian, speckle or salt-and-pepper noise on an image, the same on every device.
struct NoiseParameters {
    static constexpr const char* algorithm = "noise";
    enum class Kind { gaussian, speckle, salt_and_pepper };

    /// gaussian: v + n; speckle: v + v n; salt_and_pepper: some pixels become 0 or full scale, each as often.
    Kind kind{Kind::gaussian};
    /// gaussian, speckle: variance of n, where full scale is 1.
    double variance{0.01};
    /// salt_and_pepper: share of the pixels that are replaced.
    double density{0.05};
    /// Grey level that counts as 1. 0: 255 for u8, 65535 for u16, 1 for f32.
    double full_scale{0.0};
    /// f32: results are clipped to 0 .. full_scale, as those of integers are to their type.
    bool clip{true};
    /// One seed gives one noise, bit for bit the same on every device.
    int seed{1};

    bool operator==(const NoiseParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const NoiseParameters standard{};
        detail::JsonObject out;
        static constexpr const char* kind_words[] = {"gaussian", "speckle", "salt_and_pepper"};
        if (kind != standard.kind) out.add("kind", detail::word(kind_words, static_cast<int>(kind)));
        if (!(variance == standard.variance)) out.add("variance", variance);
        if (!(density == standard.density)) out.add("density", density);
        if (!(full_scale == standard.full_scale)) out.add("full_scale", full_scale);
        if (!(clip == standard.clip)) out.add("clip", clip);
        if (!(seed == standard.seed)) out.add("seed", seed);
        return out.text();
    }
};

/// Makes fractals and vessel trees whose box counts are known.
struct PhantomParameters {
    static constexpr const char* algorithm = "phantom";
    enum class Kind { menger, cube, carpet, triangle, tetrahedron, cantor, random, vessel_tree };

    /// menger, carpet, cantor: by ternary digits, whole at sizes 3^n. triangle, tetrahedron: by binary digits, whole
    /// at 2^n. carpet and triangle are images.
    Kind kind{Kind::menger};
    /// Voxels a side. Fractals grow from the first voxel on and are cut here.
    int size{243};
    /// random: share of the voxels that are set.
    double density{0.5};
    /// random, vessel_tree: one seed gives one shape, the same on every device.
    int seed{1};

    bool operator==(const PhantomParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const PhantomParameters standard{};
        detail::JsonObject out;
        static constexpr const char* kind_words[] = {"menger", "cube", "carpet", "triangle", "tetrahedron", "cantor", "random",
            "vessel_tree"};
        if (kind != standard.kind) out.add("kind", detail::word(kind_words, static_cast<int>(kind)));
        if (!(size == standard.size)) out.add("size", size);
        if (!(density == standard.density)) out.add("density", density);
        if (!(seed == standard.seed)) out.add("seed", seed);
        return out.text();
    }
};

/// Sum, minimum or maximum of an array's elements, and its statistics in one pass.
struct ReduceParameters {
    static constexpr const char* algorithm = "reduce";
    enum class Op { sum, min, max };

    /// sum: integers in 64 bits, real numbers with an error of at most 2^-23 of the sum of magnitudes. min, max: NaN
    /// where an element is NaN.
    Op op{Op::sum};

    bool operator==(const ReduceParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const ReduceParameters standard{};
        detail::JsonObject out;
        static constexpr const char* op_words[] = {"sum", "min", "max"};
        if (op != standard.op) out.add("op", detail::word(op_words, static_cast<int>(op)));
        return out.text();
    }
};

/// Running sums, minima or maxima of an array.
struct ScanParameters {
    static constexpr const char* algorithm = "scan";
    enum class Kind { inclusive, exclusive };
    enum class Op { sum, min, max };

    /// inclusive: element i joins the elements up to i itself; exclusive: those before i, and element 0 is 0, the
    /// largest or the smallest number.
    Kind kind{Kind::inclusive};
    /// What elements are joined by. Sums of integers wrap; minima and maxima are NaN from the first NaN on.
    Op op{Op::sum};

    bool operator==(const ScanParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const ScanParameters standard{};
        detail::JsonObject out;
        static constexpr const char* kind_words[] = {"inclusive", "exclusive"};
        if (kind != standard.kind) out.add("kind", detail::word(kind_words, static_cast<int>(kind)));
        static constexpr const char* op_words[] = {"sum", "min", "max"};
        if (op != standard.op) out.add("op", detail::word(op_words, static_cast<int>(op)));
        return out.text();
    }
};

/// One slice, frame or channel of an image.
struct SelectParameters {
    static constexpr const char* algorithm = "select";
    enum class Axis { x, y, z, t, c };

    /// z: a slice of a volume; t: a frame, page or volume of a series; c: a channel; y: a row; x: a column. The
    /// result has not this axis.
    Axis axis{Axis::z};
    /// Which, from 0; negative: from the end, -1 the last.
    int index{0};

    bool operator==(const SelectParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const SelectParameters standard{};
        detail::JsonObject out;
        static constexpr const char* axis_words[] = {"x", "y", "z", "t", "c"};
        if (axis != standard.axis) out.add("axis", detail::word(axis_words, static_cast<int>(axis)));
        if (!(index == standard.index)) out.add("index", index);
        return out.text();
    }
};

/// Sorts keys, and values along with them; equal keys keep their order.
struct SortParameters {
    static constexpr const char* algorithm = "sort";
    enum class Order { ascending, descending };
    /// bits of SortParameters.
    struct Bits {
        /// The lowest bit that is compared.
        int begin{0};
        /// The bit above the highest one that is compared. -1: all bits from begin on.
        int end{-1};

        bool operator==(const Bits&) const = default;
        /// The fields that are not at their defaults, as a step of a job has them.
        std::string json() const {
            const Bits standard{};
            detail::JsonObject out;
            if (!(begin == standard.begin)) out.add("begin", begin);
            if (!(end == standard.end)) out.add("end", end);
            return out.text();
        }
    };

    /// Smallest or largest key first. Equal keys keep their order in both.
    Order order{Order::ascending};
    /// Which bits of the keys are compared; null: all. Fewer bits take less time.
    Optional<Bits> bits{};

    bool operator==(const SortParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const SortParameters standard{};
        detail::JsonObject out;
        static constexpr const char* order_words[] = {"ascending", "descending"};
        if (order != standard.order) out.add("order", detail::word(order_words, static_cast<int>(order)));
        if (!(bits == standard.bits)) out.add("bits", bits);
        return out.text();
    }
};

/// A mask of what lies above a value, given or found by Otsu's method.
struct ThresholdParameters {
    static constexpr const char* algorithm = "threshold";
    enum class Method { auto_, otsu, value };

    /// otsu: the level that parts the histogram of all elements best; u8, u16 and f32. value: the number given. auto:
    /// value where there is one, else otsu.
    Method method{Method::auto_};
    /// Elements above this are 255 in the mask, all others 0.
    std::optional<double> value{};

    bool operator==(const ThresholdParameters&) const = default;
    /// The fields that are not at their defaults, as a step of a job has them.
    std::string json() const {
        const ThresholdParameters standard{};
        detail::JsonObject out;
        static constexpr const char* method_words[] = {"auto", "otsu", "value"};
        if (method != standard.method) out.add("method", detail::word(method_words, static_cast<int>(method)));
        if (!(value == standard.value)) out.add("value", value);
        return out.text();
    }
};

/// One function an algorithm; S is a Session. Throws as Session::run does.
template <class S>
class AlgorithmCalls {
public:
    /// An image with another or with a number: sums, products, logarithms and the like. Outputs: image. Optional
    /// inputs: other.
    Result arithmetic(const ArithmeticParameters& parameters, const Input& image, CallOptions options = {}) {
        return self().run(call(parameters, {{"image", image}}, std::move(options)));
    }
    /// Counts boxes of edge 1, 2, 4 ... that a structure touches or fills: its fractal dimension. Outputs: counts,
    /// plot (optional). Optional inputs: volume, image.
    Result box_count(const BoxCountParameters& parameters, CallOptions options = {}) {
        return self().run(call(parameters, {}, std::move(options)));
    }
    /// Means of windows: a blur at a cost that does not depend on its radius. Outputs: image.
    Result box_filter(const BoxFilterParameters& parameters, const Input& image, CallOptions options = {}) {
        return self().run(call(parameters, {{"image", image}}, std::move(options)));
    }
    /// Elements of another type, as they are or through a window of values or percentiles. Outputs: image.
    Result convert(const ConvertParameters& parameters, const Input& image, CallOptions options = {}) {
        return self().run(call(parameters, {{"image", image}}, std::move(options)));
    }
    /// A box of an image or volume. Outputs: image.
    Result crop(const CropParameters& parameters, const Input& image, CallOptions options = {}) {
        return self().run(call(parameters, {{"image", image}}, std::move(options)));
    }
    /// Smooths an image and keeps its edges: non-linear diffusion by additive operator splitting. Outputs: image.
    Result diffusion_aos(const DiffusionAosParameters& parameters, const Input& image, CallOptions options = {}) {
        return self().run(call(parameters, {{"image", image}}, std::move(options)));
    }
    /// Smooths an image and keeps its edges: non-linear diffusion by lattice Boltzmann. Outputs: image, iterations
    /// (optional).
    Result diffusion_lb(const DiffusionLbParameters& parameters, const Input& image, CallOptions options = {}) {
        return self().run(call(parameters, {{"image", image}}, std::move(options)));
    }
    /// Spreads the grey levels of an image so that each is as frequent as the others. Outputs: image.
    Result equalize(const EqualizeParameters& parameters, const Input& image, CallOptions options = {}) {
        return self().run(call(parameters, {{"image", image}}, std::move(options)));
    }
    /// Fourier and cosine transforms of arrays of any size, along x or along y and x. Outputs: array.
    Result fft(const FftParameters& parameters, const Input& array, CallOptions options = {}) {
        return self().run(call(parameters, {{"array", array}}, std::move(options)));
    }
    /// Counts the values of an image in bins of equal width, for each channel. Outputs: histogram. Optional inputs:
    /// mask.
    Result histogram(const HistogramParameters& parameters, const Input& image, CallOptions options = {}) {
        return self().run(call(parameters, {{"image", image}}, std::move(options)));
    }
    /// Reconstructs a digital hologram at one or many distances, with autofocus. Outputs: amplitude, phase
    /// (optional), intensity (optional), field (optional), focus (optional), carrier (optional), planes (optional).
    /// Optional inputs: background, dark.
    Result hologram(const HologramParameters& parameters, const Input& hologram, CallOptions options = {}) {
        return self().run(call(parameters, {{"hologram", hologram}}, std::move(options)));
    }
    /// Makes the in-line hologram of opaque or transparent beads, with known truth. Outputs: hologram, beads
    /// (optional).
    Result hologram_simulate(const HologramSimulateParameters& parameters, CallOptions options = {}) {
        return self().run(call(parameters, {}, std::move(options)));
    }
    /// Keeps an image where a mask is not 0; a value elsewhere. Outputs: image.
    Result mask(const MaskParameters& parameters, const Input& image, const Input& mask, CallOptions options = {}) {
        return self().run(call(parameters, {{"image", image}, {"mask", mask}}, std::move(options)));
    }
    /// Compares an image with a reference: MSE, MAE, PSNR, SSIM. Outputs: metrics.
    Result metrics(const MetricsParameters& parameters, const Input& image, const Input& reference, CallOptions options = {}) {
        return self().run(call(parameters, {{"image", image}, {"reference", reference}}, std::move(options)));
    }
    /// Puts Gaussian, speckle or salt-and-pepper noise on an image, the same on every device. Outputs: image.
    Result noise(const NoiseParameters& parameters, const Input& image, CallOptions options = {}) {
        return self().run(call(parameters, {{"image", image}}, std::move(options)));
    }
    /// Makes fractals and vessel trees whose box counts are known. Outputs: volume.
    Result phantom(const PhantomParameters& parameters, CallOptions options = {}) {
        return self().run(call(parameters, {}, std::move(options)));
    }
    /// Sum, minimum or maximum of an array's elements, and its statistics in one pass. Outputs: value, statistics
    /// (optional).
    Result reduce(const ReduceParameters& parameters, const Input& array, CallOptions options = {}) {
        return self().run(call(parameters, {{"array", array}}, std::move(options)));
    }
    /// Running sums, minima or maxima of an array. Outputs: array.
    Result scan(const ScanParameters& parameters, const Input& array, CallOptions options = {}) {
        return self().run(call(parameters, {{"array", array}}, std::move(options)));
    }
    /// One slice, frame or channel of an image. Outputs: image.
    Result select(const SelectParameters& parameters, const Input& image, CallOptions options = {}) {
        return self().run(call(parameters, {{"image", image}}, std::move(options)));
    }
    /// Sorts keys, and values along with them; equal keys keep their order. Outputs: keys, values (optional).
    /// Optional inputs: values.
    Result sort(const SortParameters& parameters, const Input& keys, CallOptions options = {}) {
        return self().run(call(parameters, {{"keys", keys}}, std::move(options)));
    }
    /// A mask of what lies above a value, given or found by Otsu's method. Outputs: mask, threshold (optional).
    Result threshold(const ThresholdParameters& parameters, const Input& image, CallOptions options = {}) {
        return self().run(call(parameters, {{"image", image}}, std::move(options)));
    }

private:
    S& self() { return static_cast<S&>(*this); }
};

}  // namespace parallax
