// `convert`: elements of another type, as they are or through a window.
#include "algorithms/elementwise/ranks.hpp"
#include "core/chunking.hpp"
#include "core/make_variant.hpp"
#include "core/observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace parallax::engine {
namespace convert {
namespace {

using namespace elementwise;

struct Window {
    double low = 0, high = 1;
    bool operator==(const Window&) const = default;
};
struct Percentiles {
    double low = 1, high = 99;
    bool operator==(const Percentiles&) const = default;
};

struct ConvertParameters {
    ElementType type = ElementType::u8;
    std::optional<Window> window;
    std::optional<Percentiles> percentiles;
};

const ParameterTable& window_table() {
    static const auto& table = *new ParameterTable(TableBuilder<Window>()
        .number("low", &Window::low, {}, "This and all below become 0.")
        .number("high", &Window::high, {}, "This and all above become the largest integer of the type, or 1.")
        .build());   // to the end: for after main()
    return table;
}

const ParameterTable& percentiles_table() {
    static const auto& table = *new ParameterTable(TableBuilder<Percentiles>()
            .number("low", &Percentiles::low, {.min = 0, .max = 100}, "Percentile that becomes 0.")
            .number("high", &Percentiles::high, {.min = 0, .max = 100},
                    "Percentile that becomes the largest integer of the type, or 1.")
            .build());   // to the end: for after main()
    return table;
}

ParameterTable convert_table() {
    using P = ConvertParameters;
    return TableBuilder<P>()
        .choice("type", &P::type,
                {{"u8", ElementType::u8},
                 {"u16", ElementType::u16},
                 {"i16", ElementType::i16},
                 {"u32", ElementType::u32},
                 {"i32", ElementType::i32},
                 {"f32", ElementType::f32}},
                "Type of the result. Integers are cut off at its ends; f32 is rounded to the nearest, half to even, NaN to 0.")
        .object("window", &P::window, window_table(), {},
                "Values that become black and white; for u8, u16 and f32. null: values stay what they are.")
        .object("percentiles", &P::percentiles, percentiles_table(), {},
                "The same by percentiles of the finite elements of the whole array.")
        .build();
}

/// The image as kernels read it: bool is u8, and f64 is made f32 first.
ArrayDesc readable(const ArrayDesc& image) {
    ArrayDesc desc = image;
    if (image.type == ElementType::boolean) desc.type = ElementType::u8;
    if (image.type == ElementType::f64) desc.type = ElementType::f32;
    return desc;
}

const ConvertParameters& checked(const Problem& problem) {
    const auto& p = problem.parameters.as<ConvertParameters>();
    const ArrayDesc& image = problem.inputs.at("image");
    check_image(readable(image), "image");
    const char* const pointer = p.window ? "/window" : "/percentiles";
    if (p.window && p.percentiles) throw ConfigError("/window", "a window and percentiles", "one of them");
    if ((p.window || p.percentiles) && p.type != ElementType::u8 && p.type != ElementType::u16 && p.type != ElementType::f32)
        throw ConfigError(pointer, fmt::format("a window for {}", to_string(p.type)), "u8, u16 or f32 as the type of the result");
    const double limit = std::numeric_limits<float>::max();
    if (p.window && (!(static_cast<float>(p.window->low) < static_cast<float>(p.window->high)) || p.window->low < -limit ||
                     p.window->high > limit))
        throw ConfigError(pointer, fmt::format("[{}, {}]", p.window->low, p.window->high), "low below high, both numbers of f32");
    if (p.percentiles && !(p.percentiles->low < p.percentiles->high))
        throw ConfigError(pointer, fmt::format("[{}, {}]", p.percentiles->low, p.percentiles->high), "low below high");
    if (p.percentiles) check_rankable(image, "image");
    return p;
}

/// What the upper end of a window becomes.
std::uint32_t top_of(ElementType type) { return type == ElementType::f32 ? 1 : static_cast<std::uint32_t>(limits_of(type).high); }

/// Parameters of convert.cl.
std::vector<float> window_of(float low, float high, ElementType type) {
    return {low, high > low ? static_cast<float>(top_of(type)) / (high - low) : 0, high};
}

// Flags of losses.cl.
enum Loss : std::uint32_t { fraction = 1, beyond_one = 2, beyond_type = 4, not_a_number = 8, infinite = 16 };

bool cuts_low(ElementType from, ElementType to) { return limits_of(from).low < limits_of(to).low; }
bool cuts_high(ElementType from, ElementType to) { return limits_of(from).high > limits_of(to).high; }

/// Which ends of an integer type cut off what another can hold.
void define_cuts(host::Defines& d, ElementType from, ElementType to) {
    if (from != ElementType::f32 && to != ElementType::f32)
        d.add("CUT_LOW", cuts_low(from, to)).add("CUT_HIGH", cuts_high(from, to));
}

/// Whether elements may lose something that nobody asked to lose: without a window, from real numbers or into a narrower type.
bool may_lose(const ConvertParameters& p, ElementType from) {
    if (p.window || p.percentiles || p.type == ElementType::f32) return false;
    return from == ElementType::f32 || cuts_low(from, p.type) || cuts_high(from, p.type);
}

/// `given`: as the job has it. What is beyond f32 in f64 is infinite to the kernels.
Json told(std::uint32_t lost, ElementType given, ElementType type) {
    const Limits limits = limits_of(type);
    const char* const window = type == ElementType::u8 || type == ElementType::u16
                                   ? "\"window\": {\"low\": 0, \"high\": 1} or \"percentiles\" makes greys of them"
                                   : "keep f32, or multiply by \"arithmetic\" first";
    return observation(
        lost,
        {{fraction, beyond_one,
          fmt::format("all finite numbers lie about 0 to 1, and as {} they are 0 and 1 alone: {}", to_string(type), window)},
         {beyond_type, 0,
          fmt::format(
              "numbers below {} or above {} are cut off there, the ends of {}: a \"window\" or another type keeps them apart",
              limits.low, limits.high, to_string(type))},
         {infinite, 0,
          given == ElementType::f64
              ? fmt::format("infinities, and numbers beyond those of f32 (3.4e38), become {} and {}, the ends of {}: "
                            "\"non_finite\" in the job says what else to do with infinities of its inputs",
                            limits.low, limits.high, to_string(type))
              : fmt::format("infinities become {} and {}, the ends of {}: \"non_finite\" in the job says what else to do with "
                            "those of its inputs",
                            limits.low, limits.high, to_string(type))},
         {not_a_number, 0, "NaN become 0: \"non_finite\" in the job says what else to do with those of its inputs"}});
}

/// Finds on the device what is lost.
class Losses {
public:
    /// `given` is what the job has, `from` what kernels read of it.
    Losses(PlanBuilder& builder, ElementType given, ElementType from, ElementType to, std::int64_t count, const Policy& policy)
        : count_(static_cast<std::uint64_t>(count)), given_(given), to_(to) {
        const host::DeviceInfo& device = builder.device();
        const bool serial = device.type == host::DeviceType::cpu && policy.at("work_group_size") <= 1;
        group_ = serial ? 1 : std::min<std::size_t>(256, std::bit_floor(std::size_t{device.max_work_group}));
        const std::uint64_t a_group = group_ == 1 ? most_turns : group_ * 16;
        groups_ = static_cast<std::size_t>(
            std::max(count_ / (group_ * most_turns) + 1, std::min(count_ / a_group, std::uint64_t{device.compute_units} * 8)));
        host::Defines d;
        define_type(d, "A", from);
        // Of 32 bits the largest float that the type holds: its largest integer would be rounded up to one that it does not.
        if (from == ElementType::f32 && to == ElementType::u32) d.add("OUT_LOW", "0").add("OUT_HIGH", "4294967040");
        else if (from == ElementType::f32 && to == ElementType::i32) d.add("OUT_LOW", "INT_MIN").add("OUT_HIGH", "2147483520");
        else define_type(d, "OUT", to);
        define_cuts(d, from, to);
        d.add("GROUP", static_cast<std::int64_t>(group_));
        begin_ = builder.kernel({"convert/losses.cl", d}, "losses_begin");
        find_ = builder.kernel({"convert/losses.cl", d}, "losses_find");
        lost_ = builder.scratch(sizeof(std::uint32_t));
    }
    void enqueue(Execution& x, const host::Buffer& image) {
        const host::Buffer& lost = x.buffer(lost_);
        x.launch("losses", *begin_, {1, 1, 1}, {1, 1, 1}, {lost});
        x.launch("losses", *find_, {groups_, 1, 1}, {group_, 1, 1}, {image, lost, count_});
        x.record(observed, lost, sizeof(std::uint32_t), [given = given_, to = to_](std::span<const std::byte> read) {
            std::uint32_t flags = 0;
            std::memcpy(&flags, read.data(), sizeof flags);
            return told(flags, given, to);
        });
    }

private:
    std::unique_ptr<host::Kernel> begin_, find_;
    Scratch lost_;
    std::uint64_t count_;
    ElementType given_, to_;
    std::size_t group_ = 1, groups_ = 1;
};

class DevicePlan final : public Plan {
public:
    DevicePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy) {
        const ConvertParameters p = checked(problem);
        const ArrayDesc& given = problem.inputs.at("image");
        const ArrayDesc image = readable(given);
        top_ = top_of(p.type);
        count_ = static_cast<std::uint64_t>(given.count());
        if (given.type == ElementType::f64 && count_ != 0) {
            narrow_group_ = std::min<std::size_t>(64, builder.device().max_work_group);
            narrow_ = builder.kernel({"convert/narrow.cl", {}}, "narrow_all", narrow_group_);
            narrowed_ = builder.scratch(image.dense_bytes());
        }
        host::Defines d;
        define_type(d, "A", image.type);
        define_type(d, "OUT", p.type);
        d.add("OUT_BITS", static_cast<std::int64_t>(8 * bytes_of(p.type))).add("WINDOWED", p.window || p.percentiles);
        define_cuts(d, image.type, p.type);
        pass_.emplace(builder, "convert/convert.cl", d, Pairing(), image.count(), policy);
        if (may_lose(p, image.type) && image.count() > 0)
            losses_.emplace(builder, given.type, image.type, p.type, image.count(), policy);
        if (p.window)
            constant_ =
                builder.constant(window_of(static_cast<float>(p.window->low), static_cast<float>(p.window->high), p.type));
        if (!p.percentiles || image.count() == 0) return;
        ranks_.emplace(builder, image.type, image.count(), Places::of_percentiles(p.percentiles->low, p.percentiles->high),
                       policy);
        host::Defines keys;
        define_keys(keys, image.type);
        make_window_ = builder.kernel({"convert/window.cl", keys}, "window_of_ranks");
        window_ = builder.scratch(3 * sizeof(float));
    }
    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer& image = narrow_ ? x.buffer(narrowed_) : arrays.input("image");
        if (narrow_)
            x.launch("f32", *narrow_, {(count_ + narrow_group_ - 1) / narrow_group_, 1, 1}, {narrow_group_, 1, 1},
                     {arrays.input("image"), image, count_});
        if (ranks_) {
            const auto scope = x.scope("percentiles");
            ranks_->enqueue(x, image);
            x.launch("window", *make_window_, {1, 1, 1}, {1, 1, 1}, {ranks_->state(x), x.buffer(window_), top_});
        }
        if (losses_) losses_->enqueue(x, image);
        pass_->enqueue(x, "convert", image, image,
                       ranks_      ? x.buffer(window_)
                       : constant_ ? constant_
                                   : image,
                       arrays.output("image"));
    }

private:
    std::uint32_t top_;
    std::uint64_t count_;
    std::optional<ElementwisePass> pass_;
    std::optional<Ranks> ranks_;
    std::optional<Losses> losses_;
    std::unique_ptr<host::Kernel> make_window_, narrow_;
    Scratch window_, narrowed_;
    std::size_t narrow_group_ = 1;
    host::Buffer constant_;
};

template <class To>
To as_it_is(double value) {
    if constexpr (std::is_floating_point_v<To>) return static_cast<To>(value);
    else {
        if (std::isnan(value)) return 0;
        const double low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
        return static_cast<To>(std::min(std::max(std::nearbyint(value), low), high));
    }
}

template <class To>
To through(const std::vector<float>& window, float x) {
    const To top = std::is_floating_point_v<To> ? To{1} : std::numeric_limits<To>::max();
    if (std::isnan(x)) return as_it_is<To>(x);
    if (x <= window[0]) return 0;
    if (x >= window[2]) return top;
    const float scaled = (x - window[0]) * window[1];
    return std::is_floating_point_v<To> ? static_cast<To>(std::min(scaled, 1.0f))
                                        : static_cast<To>(std::min(std::nearbyint(scaled), static_cast<float>(top)));
}

/// As losses.cl finds it.
template <class From>
std::uint32_t losses_of(From value, const Limits& limits) {
    const double number = static_cast<double>(value);
    if (std::isnan(number)) return not_a_number;
    if (std::isinf(number)) return infinite;   // of what the others lie between it says nothing
    const double whole = std::nearbyint(number);
    const bool beyond = whole < static_cast<double>(limits.low) || whole > static_cast<double>(limits.high);
    return (number != whole ? fraction : 0u) | (whole != 0 && whole != 1 ? beyond_one : 0u) | (beyond ? beyond_type : 0u);
}

void reference(const Problem& problem, const Bindings& arrays, Json& records) {
    const ConvertParameters& p = checked(problem);
    const ArrayDesc image = readable(problem.inputs.at("image"));
    const std::byte* elements = input<std::byte>(arrays, "image");
    std::vector<float> narrowed, window;
    if (problem.inputs.at("image").type == ElementType::f64) {
        const auto* wide = input<double>(arrays, "image");
        narrowed.assign(wide, wide + image.count());
        elements = reinterpret_cast<const std::byte*>(narrowed.data());
    }
    if (p.window) window = window_of(static_cast<float>(p.window->low), static_cast<float>(p.window->high), p.type);
    if (p.percentiles) {
        const auto ends = reference_ranks(image, elements, Places::of_percentiles(p.percentiles->low, p.percentiles->high));
        window = ends ? window_of((*ends)[0], (*ends)[1], p.type) : window_of(0, 0, p.type);
    }
    visit(image.type, [&]<class From>(From) {
        visit(p.type, [&]<class To>(To) {
            const From* in = reinterpret_cast<const From*>(elements);
            To* out = output<To>(arrays, "image");
            for (std::int64_t i = 0, n = image.count(); i < n; ++i)
                out[i] =
                    window.empty() ? as_it_is<To>(static_cast<double>(in[i])) : through<To>(window, static_cast<float>(in[i]));
            if (!may_lose(p, image.type)) return;
            std::uint32_t lost = 0;
            for (std::int64_t i = 0, n = image.count(); i < n; ++i) lost |= losses_of(in[i], limits_of(p.type));
            records[observed] = told(lost, problem.inputs.at("image").type, p.type);
        });
    });
}

/// By reference(): f64 as f32, and what percentiles sort.
std::int64_t taken(const Problem& problem) {
    const ArrayDesc& given = problem.inputs.at("image");
    const bool narrows = given.type == ElementType::f64, sorts = problem.parameters.as<ConvertParameters>().percentiles.has_value();
    return (narrows + sorts) * static_cast<std::int64_t>(readable(given).dense_bytes());
}

}  // namespace
}  // namespace convert

Algorithm make_convert() {
    using namespace convert;
    Algorithm a;
    a.name = "convert";
    a.summary = "Elements of another type, as they are or through a window of values or percentiles";
    a.parameters = convert_table();
    a.inputs = {{"image", "bool, u8, u16, i16, u32, i32, f32 or f64, of any shape", true, PortKind::array}};
    a.outputs = {{"image", "of the type that is asked for", true, PortKind::array}};
    a.infer = [](const Problem& problem) -> ArrayDescs {
        return {{"image", problem.inputs.at("image").with_type(checked(problem).type)}};
    };
    a.chunking = [](const Problem& problem) {
        if (problem.parameters.as<ConvertParameters>().percentiles)
            return Division::no("percentiles are of all elements; a window of values has no such need");
        return along_axes(problem.inputs.at("image"));
    };
    a.in_place = true;   // one pass over the elements (elementwise/pass.clh), after passes that only read
    a.variants = {make_variant<DevicePlan>({.name = "device",
                                            .summary = "percentiles by digits of 8 bits, then one pass",
                                            .role = Role::best,
                                            .policy = pass_policy()}),
                  reference_variant(reference, taken)};
    return a;
}

}  // namespace parallax::engine
