// `threshold`: a mask of what lies above a value, given or Otsu's.
#include "algorithms/elementwise/ranks.hpp"
#include "algorithms/histogram/histogram.hpp"
#include "algorithms/histogram/reference.hpp"
#include "algorithms/threshold/threshold.hpp"
#include "core/chunking.hpp"
#include "core/make_variant.hpp"
#include "core/number_fields.hpp"
#include "core/observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace parallax::engine {
namespace threshold {
namespace {

using namespace elementwise;

enum class Method { automatic, otsu, value };

struct ThresholdParameters {
    Method method = Method::automatic;
    std::optional<double> value;
};

/// What they come to.
struct Asked {
    Method method;   ///< otsu or value
    double value;
};

constexpr int range_bins = 256;   // of f32, as BINS in range.cl

Asked checked(const Problem& problem) {
    const auto& p = problem.parameters.as<ThresholdParameters>();
    const ArrayDesc& image = problem.inputs.at("image");
    check_image(image, "image");
    if (p.method == Method::value && !p.value)
        throw ConfigError("/value", "no value", "the value of the method value", "add \"value\", or leave the method out");
    if (p.value && p.method != Method::otsu) return {Method::value, *p.value};
    // Reports of before a value could be missing have 0 beside otsu.
    if (p.value.value_or(0) != 0)
        throw ConfigError("/value", fmt::format("{} beside the method otsu", *p.value), "no value",
                          "add \"method\": \"value\", or leave the method out");
    if (image.type != ElementType::u8 && image.type != ElementType::u16 && image.type != ElementType::f32)
        throw ConfigError("/inputs/image", image.describe(), "elements of type u8, u16 or f32 for Otsu's method",
                          "convert the image, or give a value");
    if (image.count() == 0)
        throw ConfigError("/inputs/image", image.describe(), "an image with at least one element for Otsu's method");
    check_rankable(image, "image");
    return {Method::otsu, 0};
}

bool is_real(const ArrayDesc& image) { return image.type == ElementType::f32; }

/// What an integer is above if and only if it is above `value`.
std::int64_t integer_threshold(double value) { return static_cast<std::int64_t>(std::clamp(std::floor(value), -0x1p40, 0x1p40)); }
float real_threshold(double value) {
    const auto nearest =
        static_cast<float>(std::clamp<double>(value, -std::numeric_limits<float>::max(), std::numeric_limits<float>::max()));
    return nearest > value ? std::nextafter(nearest, -std::numeric_limits<float>::infinity()) : nearest;
}

/// All elements in one histogram, whatever their axes; edges of f32 are made later.
histogram::HistogramSpec histogram_spec(const ArrayDesc& image) {
    histogram::HistogramSpec spec;
    spec.type = image.type;
    spec.pixels = image.count();
    spec.bins = image.type == ElementType::u16 ? 65536 : image.type == ElementType::u8 ? 256 : range_bins;
    return spec;
}

/// What is to be told of real numbers of which none is finite, so that no level parts them.
Json told(bool none, std::int64_t count) {
    return observation(
        none && count > 0 ? 1 : 0,
        {{1, 0,
          fmt::format("none of {} elements is a finite number: Otsu's method has no level for them, and 0 stands for it; "
                      "\"non_finite\": \"reject\" in the job stops at such an input",
                      count)}});
}

/// Histogram and level on the device, into a buffer that the mask's kernel reads.
class Otsu {
public:
    Otsu(PlanBuilder& builder, const ArrayDesc& image, const Policy& policy)
        : spec_(histogram_spec(image)), histogram_(histogram::make_best(builder, spec_)) {
        const host::DeviceInfo& device = builder.device();
        const bool cpu = device.type == host::DeviceType::cpu;
        const std::size_t widest = std::bit_floor(std::size_t{device.max_work_group});
        group_ = std::min<std::size_t>(spec_.bins == 65536 && !cpu ? 1024 : 256, widest);
        host::Defines d;
        d.add("BINS", spec_.bins).add("GROUP", static_cast<std::int64_t>(group_)).add("CENTRES", is_real(image));
        pick_ = builder.kernel({"threshold/otsu.cl", d}, "otsu");
        counts_ = builder.scratch(static_cast<std::size_t>(spec_.bins) * sizeof(std::uint32_t));
        threshold_ = builder.scratch(sizeof(std::int64_t));
        if (!is_real(image)) return;
        const bool serial = cpu && policy.at("work_group_size") <= 1;
        count_ = static_cast<std::uint64_t>(image.count());
        range_group_ = serial ? 1 : std::min<std::size_t>(256, widest);
        const std::uint64_t a_group = range_group_ == 1 ? most_turns : range_group_ * 16;
        range_groups_ = static_cast<std::size_t>(std::max(count_ / (range_group_ * most_turns) + 1,
                                                          std::min(count_ / a_group, std::uint64_t{device.compute_units} * 8)));
        edges_group_ = std::min<std::size_t>(64, widest);
        host::ProgramSpec program{"threshold/range.cl", {}};
        program.defines.add("GROUP", static_cast<std::int64_t>(range_group_));
        begin_ = builder.kernel(program, "range_begin", 2);
        find_ = builder.kernel(program, "range_find");
        make_edges_ = builder.kernel(program, "range_edges", edges_group_);
        range_ = builder.scratch(2 * sizeof(std::uint32_t));
        edges_ = builder.scratch((range_bins + 1) * sizeof(float));
    }

    const host::Buffer& enqueue(Execution& x, const host::Buffer& image) {
        const host::Buffer &counts = x.buffer(counts_), &threshold = x.buffer(threshold_);
        host::Buffer edges;
        if (find_) {
            const auto scope = x.scope("range");
            const host::Buffer& range = x.buffer(range_);
            edges = x.buffer(edges_);
            x.launch("begin", *begin_, {1, 1, 1}, {2, 1, 1}, {range});
            x.launch("find", *find_, {range_groups_, 1, 1}, {range_group_, 1, 1}, {image, range, count_});
            x.launch("edges", *make_edges_, {range_bins / edges_group_ + 1, 1, 1}, {edges_group_, 1, 1}, {range, edges});
            x.record(observed, range, 2 * sizeof(std::uint32_t), [count = count_](std::span<const std::byte> read) {
                std::uint32_t ends[2];
                std::memcpy(ends, read.data(), sizeof ends);
                return told(ends[0] > ends[1], static_cast<std::int64_t>(count));
            });
        }
        {
            const auto scope = x.scope("histogram");
            histogram_->enqueue(x, image, image, counts, edges);
        }
        x.launch("otsu", *pick_, {1, 1, 1}, {group_, 1, 1}, {counts, edges ? edges : counts, threshold});
        return threshold;
    }

private:
    histogram::HistogramSpec spec_;
    std::unique_ptr<histogram::Histogram> histogram_;
    std::unique_ptr<host::Kernel> begin_, find_, make_edges_, pick_;
    Scratch counts_, threshold_, range_, edges_;
    std::uint64_t count_ = 0;
    std::size_t group_ = 1, range_group_ = 1, range_groups_ = 1, edges_group_ = 1;
};

Json record_of(double value) { return Json{{"value", value}}; }
Json record_of(std::int64_t value) { return Json{{"value", value}}; }

class DevicePlan final : public Plan {
public:
    DevicePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : real_(is_real(problem.inputs.at("image"))), wants_record_(problem.wants("threshold")), value_(checked(problem).value) {
        const ArrayDesc& image = problem.inputs.at("image");
        if (problem.wants("mask")) {
            host::Defines d;
            define_type(d, "A", image.type);
            pass_.emplace(builder, "threshold/threshold.cl", d, Pairing(), image.count(), policy);
        }
        if (checked(problem).method == Method::otsu) otsu_.emplace(builder, image, policy);
        else if (real_) constant_ = builder.constant(std::vector<float>{real_threshold(value_)});
        else constant_ = builder.constant(std::vector<std::int64_t>{integer_threshold(value_)});
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer& image = arrays.input("image");
        const host::Buffer& threshold = otsu_ ? otsu_->enqueue(x, image) : constant_;
        if (pass_) pass_->enqueue(x, "mask", image, image, threshold, arrays.output("mask"));
        if (!wants_record_) return;
        if (!otsu_) return x.record("threshold", [value = value_] { return record_of(value); });
        x.record("threshold", threshold, real_ ? sizeof(float) : sizeof(std::int64_t),
                 [real = real_](std::span<const std::byte> read) {
                     float level = 0;
                     std::int64_t integer = 0;
                     if (real)
                         std::memcpy(&level, read.data(), sizeof level);
                     else
                         std::memcpy(&integer, read.data(), sizeof integer);
                     return real ? record_of(static_cast<double>(level)) : record_of(integer);
                 });
    }

private:
    bool real_, wants_record_;
    double value_;
    std::optional<ElementwisePass> pass_;
    std::optional<Otsu> otsu_;
    host::Buffer constant_;
};

float real_otsu(const ArrayDesc& image, const std::byte* elements, Json& records) {
    histogram::HistogramSpec spec = histogram_spec(image);
    const auto range = reference_ranks(image, elements, Places());
    records[observed] = told(!range, image.count());
    spec.edges = range ? range_edges((*range)[0], (*range)[1]) : range_edges(0, 0);
    const auto level =
        static_cast<std::size_t>(otsu_level(histogram::reference_histogram(spec, elements, nullptr, 0, spec.pixels)));
    return (spec.edges[level] + spec.edges[level + 1]) * 0.5f;
}

void reference(const Problem& problem, const Bindings& arrays, Json& records) {
    const Asked p = checked(problem);
    const ArrayDesc& image = problem.inputs.at("image");
    const auto* elements = input<std::byte>(arrays, "image");
    const bool otsu = p.method == Method::otsu;
    const auto apply = [&](auto threshold) {
        records["threshold"] = otsu ? record_of(threshold) : record_of(p.value);
        if (!arrays.has_output("mask")) return;
        visit(image.type, [&]<class T>(T) {
            const T* in = input<T>(arrays, "image");
            for (std::int64_t i = 0, n = image.count(); i < n; ++i)
                output<std::uint8_t>(arrays, "mask")[i] = in[i] > threshold ? 255 : 0;
        });
    };
    if (is_real(image)) return apply(static_cast<double>(otsu ? real_otsu(image, elements, records) : real_threshold(p.value)));
    if (!otsu) return apply(integer_threshold(p.value));
    const histogram::HistogramSpec spec = histogram_spec(image);
    apply(otsu_level(histogram::reference_histogram(spec, elements, nullptr, 0, spec.pixels)));
}

}  // namespace
}  // namespace threshold

Algorithm make_threshold() {
    using namespace threshold;
    Algorithm a;
    a.name = "threshold";
    a.summary = "A mask of what lies above a value, given or found by Otsu's method";
    a.parameters =
        TableBuilder<ThresholdParameters>()
            .choice("method", &ThresholdParameters::method,
                    {{"auto", Method::automatic}, {"otsu", Method::otsu}, {"value", Method::value}},
                    "otsu: the level that parts the histogram of all elements best; u8, u16 and f32. value: the number given. "
                    "auto: value where there is one, else otsu.")
            .build();
    TableBuilder<OwnField>::insert(
        a.parameters, 1,
        optional_number("value", &ThresholdParameters::value, "Elements above this are 255 in the mask, all others 0."));
    a.inputs = {{"image", "u8, u16, i16, u32, i32 or f32, of any shape", true, PortKind::array}};
    a.outputs = {{"mask", "u8 of the image's shape: 255 where an element is above the threshold, else 0", true, PortKind::array},
                 {"threshold", "the record {\"value\"}", false, PortKind::record}};
    a.infer = [](const Problem& problem) -> ArrayDescs {
        checked(problem);
        if (!problem.wants("mask")) return {};
        return {{"mask", problem.inputs.at("image").with_type(ElementType::u8)}};
    };
    a.chunking = [](const Problem& problem) {
        if (checked(problem).method == Method::otsu)
            return Division::no("Otsu's method looks at all elements; a value has no such need");
        Chunking alike;
        alike.join = [](const Json& one, const Json&) { return one; };   // the value, which was given
        return along_axes(problem.inputs.at("image"), {}, alike);
    };
    a.in_place = true;   // one pass over the elements (elementwise/pass.clh), after passes that only read
    a.variants = {make_variant<DevicePlan>({.name = "device",
                                            .summary = "range, histogram and level on the device, then one pass",
                                            .role = Role::best,
                                            .policy = pass_policy()}),
                  reference_variant(reference, [](const Problem& problem) -> std::int64_t {
                      const ArrayDesc& image = problem.inputs.at("image");
                      const bool sorts = checked(problem).method == Method::otsu && is_real(image);
                      return sorts ? static_cast<std::int64_t>(image.dense_bytes()) : 0;
                  })};
    return a;
}

}  // namespace parallax::engine
