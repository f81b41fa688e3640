// `histogram`: what goes in, what comes out, which shapes; ways of counting are in device.cpp and native.cpp.
#include "algorithms/histogram/histogram.hpp"
#include "core/chunking.hpp"

#include <functional>

namespace parallax::engine {
namespace {

using namespace histogram;

ArrayDescs infer(const Problem& problem) {
    const HistogramSpec spec = spec_of(problem);
    std::vector<ArrayDesc::Extent> extents;
    if (problem.inputs.at("image").find('c') != nullptr) extents.push_back({'c', spec.channels});
    extents.push_back({'x', spec.bins});
    return {{"histogram", ArrayDesc::dense(ElementType::u32, extents)}};
}

class HistogramPlan final : public Plan {
public:
    HistogramPlan(std::unique_ptr<Histogram> histogram, bool masked) : histogram_(std::move(histogram)), masked_(masked) {}
    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer& image = arrays.input("image");
        histogram_->enqueue(x, image, masked_ ? arrays.input("mask") : image, arrays.output("histogram"));
    }

private:
    std::unique_ptr<Histogram> histogram_;
    bool masked_;
};

using WhyNot = std::function<std::string(const HistogramSpec&, host::Context&)>;
using Make = std::function<std::unique_ptr<Histogram>(PlanBuilder&, const HistogramSpec&, const Policy&)>;

Variant device_variant(std::string name, std::string summary, Role role, std::string kernel, PolicyTable policy, WhyNot why, Make make) {
    Variant v;
    v.name = std::move(name);
    v.summary = std::move(summary);
    v.role = role;
    v.backends = {host::Backend::opencl, host::Backend::cuda};
    v.kernels = {"histogram/clear.cl", std::move(kernel)};
    v.policy = std::move(policy);
    v.supports = [why = std::move(why)](const Problem& problem, host::Context& context) { return Support{why(spec_of(problem), context)}; };
    v.plan = [make = std::move(make)](PlanBuilder& builder, const Problem& problem, const Policy& policy) -> std::unique_ptr<Plan> {
        const HistogramSpec spec = spec_of(problem);
        return std::make_unique<HistogramPlan>(make(builder, spec, policy), spec.masked);
    };
    return v;
}

LocalShape shape_of(const Policy& policy, int copies) {
    return {policy.at("work_group_size"), copies, policy.at("loads"), policy.at("groups_per_unit")};
}

PolicyTable local_policy() {
    return {{"work_group_size", 0, {0, 1, 64, 128, 256, 512, 1024}, "work-items of a group, 64 and more for f32; 0: 1 on CPUs, chosen by the variant elsewhere"},
            {"loads", 4, {1, 2, 4, 8}, "16-byte loads in flight for each work-item"},
            {"groups_per_unit", 0, {0, 1, 2, 4, 8, 16}, "work-groups for each compute unit; 0: chosen by the variant"}};
}

PolicyTable replicated_policy() {
    PolicyTable table = local_policy();
    table.push_back({"copies", 0, {0, 1, 2, 4, 8, 16, 32}, "histograms in local memory, fewer where 32 KiB do not hold them; 0: 4 on CPUs, 32 elsewhere"});
    return table;
}

std::string none(const HistogramSpec&, host::Context&) { return {}; }

}  // namespace

namespace histogram {

Variant replicated_variant() {
    return device_variant("replicated", "a histogram for each bank of local memory: no data makes lanes wait", Role::best, "histogram/local.cl",
                          replicated_policy(), replicated_why_not, [](PlanBuilder& builder, const HistogramSpec& spec, const Policy& policy) {
                              return make_replicated(builder, spec, shape_of(policy, policy.at("copies")));
                          });
}

Variant local_atomics_variant() {
    return device_variant("local_atomics", "a histogram in local memory a work-group; in ranges of 8192 bins where there are more", Role::plain,
                          "histogram/local.cl", local_policy(), local_why_not,
                          [](PlanBuilder& builder, const HistogramSpec& spec, const Policy& policy) {
                              return make_local_atomics(builder, spec, shape_of(policy, 1));
                          });
}

Variant global_atomics_variant() {
    return device_variant("global_atomics", "every pixel adds to global memory", Role::plain, "histogram/global.cl",
                          {{"work_group_size", 256, {64, 128, 256}, "work-items of a group"}}, none,
                          [](PlanBuilder& builder, const HistogramSpec& spec, const Policy& policy) {
                              return make_global_atomics(builder, spec, policy.at("work_group_size"));
                          });
}

Variant byte_counters_variant() {
    return device_variant("byte_counters", "the source paper's counters of one byte for each work-item and bin: u8 in 64 bins", Role::seed,
                          "histogram/byte_counters.cl", {{"work_group_size", 64, {64}, "work-items of a group"}}, byte_counters_why_not,
                          [](PlanBuilder& builder, const HistogramSpec& spec, const Policy& policy) {
                              return make_byte_counters(builder, spec, policy.at("work_group_size"));
                          });
}

Variant tagged_variant() {
    return device_variant("tagged", "the source paper's histogram a warp without atomics: writes that carry the lane's number; u8 in 256 bins", Role::seed,
                          "histogram/tagged.cl", {{"work_group_size", 256, {64, 128, 256}, "work-items of a group"}}, tagged_why_not,
                          [](PlanBuilder& builder, const HistogramSpec& spec, const Policy& policy) {
                              return make_tagged(builder, spec, policy.at("work_group_size"));
                          });
}

}  // namespace histogram

Algorithm make_histogram() {
    Algorithm a;
    a.name = "histogram";
    a.summary = "Counts the values of an image in bins of equal width, for each channel";
    a.parameters = histogram_table();
    a.inputs = {{"image", "u8, u16 or f32 (..., y, x), or (..., y, x, c) with 1 to 4 channels", true, PortKind::array},
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
