// `histogram`: what goes in, what comes out, which shapes; ways of counting are in device.cpp and native.cpp.
#include "algorithms/histogram/histogram.hpp"
#include "core/chunking.hpp"
#include "core/make_variant.hpp"
#include "core/observation.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace parallax::engine {
namespace {

using namespace histogram;

ArrayDescs infer(const Problem& problem) {
    const HistogramSpec spec = spec_without_edges(problem);
    std::vector<ArrayDesc::Extent> extents;
    if (problem.inputs.at("image").find('c') != nullptr) extents.push_back({'c', spec.channels});
    extents.push_back({'x', spec.bins});
    return {{"histogram", ArrayDesc::dense(ElementType::u32, extents)}};
}

using WhyNot = std::function<std::string(const HistogramSpec&, host::Context&)>;
using Make = std::function<std::unique_ptr<Histogram>(PlanBuilder&, const HistogramSpec&, const Policy&)>;

class HistogramPlan final : public Plan {
public:
    HistogramPlan(PlanBuilder& builder, const Problem& problem, const Policy& policy, const Make& make)
        : spec_(spec_of(problem)), histogram_(make(builder, spec_, policy)) {
        if (spec_.edges.empty()) return;
        words_of_none_ = words_of_none(spec_);
        if (spec_.slots() <= lookers) return;
        group_ = builder.device().max_work_group >= 64 ? 64 : 1;
        look_ = builder.kernel({"histogram/any.cl", {}}, "histogram_any", group_);
        found_ = builder.scratch(std::size_t{lookers} * sizeof(std::uint32_t));
    }
    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer &image = arrays.input("image"), &out = arrays.output("histogram");
        histogram_->enqueue(x, image, spec_.masked ? arrays.input("mask") : image, out);
        if (spec_.edges.empty()) return;
        // The host reads a small histogram, and of a large one what work-items have seen of it.
        const auto slots = static_cast<std::uint32_t>(spec_.slots());
        if (look_)
            x.launch("look", *look_, {std::size_t{lookers} / group_, 1, 1}, {group_, 1, 1}, {out, x.buffer(found_), slots});
        x.record(observed, look_ ? x.buffer(found_) : out,
                 static_cast<std::size_t>(std::min(spec_.slots(), lookers)) * sizeof(std::uint32_t),
                 [words = words_of_none_](std::span<const std::byte> read) {
                     return told(std::any_of(read.begin(), read.end(), [](std::byte b) { return b != std::byte{0}; }), words);
                 });
    }

private:
    static constexpr std::int64_t lookers = 4096;   // work-items
    HistogramSpec spec_;
    std::string words_of_none_;
    std::unique_ptr<Histogram> histogram_;
    std::unique_ptr<host::Kernel> look_;
    Scratch found_;
    std::size_t group_ = 0;
};

/// A row with what all variants of kernels have in common.
Variant histogram_variant(Variant row, WhyNot why, Make make) {
    row.supports = [why = std::move(why)](const Problem& problem, host::Context& context) {
        return Support{why(spec_without_edges(problem), context)};
    };
    return make_variant<HistogramPlan>(std::move(row), std::move(make));
}

LocalShape shape_of(const Policy& policy, int copies) {
    return {policy.at("work_group_size"), copies, policy.at("loads"), policy.at("groups_per_unit")};
}

PolicyTable local_policy() {
    return {{"work_group_size",
             0,
             {0, 1, 64, 128, 256, 512, 1024},
             "work-items of a group, 64 and more for f32; 0: 1 on CPUs, chosen by the variant elsewhere"},
            {"loads", 0, {0, 1, 2, 4, 8}, "16-byte loads in flight for each work-item; 0: 4, of `replicated` 1 for f32 on GPUs"},
            {"groups_per_unit", 0, {0, 1, 2, 4, 8, 16}, "work-groups for each compute unit; 0: chosen by the variant"}};
}

PolicyTable local_atomics_policy() {
    PolicyTable table = local_policy();
    table.push_back(
        {"counter_bits",
         0,
         {0, 16, 32},
         "of a counter where there are more than 8192 bins: 16 takes 22,016 of them at once; 0: 16 on GPUs with 48 KiB "
         "of local memory"});
    return table;
}

PolicyTable replicated_policy() {
    PolicyTable table = local_policy();
    table.push_back({"copies",
                     0,
                     {0, 1, 2, 4, 8, 16, 32},
                     "histograms in local memory, fewer where 32 KiB do not hold them; 0: 4 on CPUs, elsewhere 32, 2 for f32"});
    return table;
}

std::string none(const HistogramSpec&, host::Context&) { return {}; }

}  // namespace

namespace histogram {

Variant replicated_variant() {
    return histogram_variant({.name = "replicated",
                              .summary = "a histogram for each bank of local memory: no data makes lanes wait",
                              .role = Role::best,
                              .policy = replicated_policy()},
                             replicated_why_not, [](PlanBuilder& builder, const HistogramSpec& spec, const Policy& policy) {
                                 return make_replicated(builder, spec, shape_of(policy, policy.at("copies")));
                             });
}

Variant local_atomics_variant() {
    return histogram_variant({.name = "local_atomics",
                              .summary = "a histogram in local memory a work-group; in ranges where it does not hold all bins",
                              .role = Role::plain,
                              .policy = local_atomics_policy()},
                             local_why_not, [](PlanBuilder& builder, const HistogramSpec& spec, const Policy& policy) {
                                 LocalShape shape = shape_of(policy, 1);
                                 shape.counter_bits = policy.at("counter_bits");
                                 return make_local_atomics(builder, spec, shape);
                             });
}

Variant global_atomics_variant() {
    return histogram_variant({.name = "global_atomics",
                              .summary = "every pixel adds to global memory",
                              .role = Role::plain,
                              .policy = {{"work_group_size", 256, {64, 128, 256}, "work-items of a group"}}},
                             none, [](PlanBuilder& builder, const HistogramSpec& spec, const Policy& policy) {
                                 return make_global_atomics(builder, spec, policy.at("work_group_size"));
                             });
}

Variant byte_counters_variant() {
    return histogram_variant({.name = "byte_counters",
                              .summary = "the source paper's counters of one byte for each work-item and bin: u8 in 64 bins",
                              .role = Role::baseline,
                              .policy = {{"work_group_size", 64, {64}, "work-items of a group"}}},
                             byte_counters_why_not, [](PlanBuilder& builder, const HistogramSpec& spec, const Policy& policy) {
                                 return make_byte_counters(builder, spec, policy.at("work_group_size"));
                             });
}

Variant tagged_variant() {
    return histogram_variant(
        {.name = "tagged",
         .summary = "the source paper's histogram a warp without atomics: writes that carry the lane's number; u8 in 256 bins",
         .role = Role::baseline,
         .policy = {{"work_group_size", 256, {64, 128, 256}, "work-items of a group"}}},
        tagged_why_not, [](PlanBuilder& builder, const HistogramSpec& spec, const Policy& policy) {
            return make_tagged(builder, spec, policy.at("work_group_size"));
        });
}

}  // namespace histogram

Algorithm make_histogram() {
    Algorithm a;
    a.name = "histogram";
    a.summary = "Counts the values of an image in bins of equal width, for each channel";
    a.parameters = histogram_table();
    a.inputs = {
        {"image", "u8, u16 or f32 (..., y, x), or (..., y, x, c) with 1 to 4 channels", true, PortKind::array},
        {"mask", "u8 or bool, the image's shape without channels: pixels count where it is not 0", false, PortKind::array}};
    a.outputs = {{"histogram", "u32 (bins), or (c, bins) for an image with channels", true, PortKind::array}};
    a.infer = infer;
    a.chunking = [](const Problem& problem) {
        Chunking counts;
        counts.merge = Chunking::add;
        return along_axes(problem.inputs.at("image"), "c", counts);
    };
    a.variants = {replicated_variant(),    local_atomics_variant(), global_atomics_variant(),
                  byte_counters_variant(), tagged_variant(),        threaded_variant(),      histogram::reference_variant()};
    return a;
}

}  // namespace parallax::engine
