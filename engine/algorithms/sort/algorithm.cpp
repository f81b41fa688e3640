// `sort`: what goes in and what comes out; ways of sorting are in radix.cpp, onesweep.cpp, chunks.cpp, bitonic.cpp and
// native.cpp.
#include "algorithms/sort/sort.hpp"
#include "core/make_variant.hpp"

namespace parallax::engine {
namespace sort {
namespace {

ArrayDescs infer(const Problem& problem) {
    const SortSpec spec = spec_of(problem);
    ArrayDescs outputs;
    if (problem.wants("keys")) outputs.emplace("keys", problem.inputs.at("keys"));
    if (spec.values) outputs.emplace("values", problem.inputs.at("values"));
    return outputs;
}

class SortPlan final : public Plan {
public:
    SortPlan(PlanBuilder& builder, const Problem& problem, const Policy& policy, const MakeSorter& make)
        : sorter_(make(builder, spec_of(problem), policy)), values_(problem.wants("values")), keys_(problem.wants("keys")) {
        if (!keys_) unwanted_ = builder.scratch(problem.inputs.at("keys").dense_bytes());
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const Arrays from{arrays.input("keys"), values_ ? arrays.input("values") : host::Buffer()};
        sorter_->enqueue(
            x, from, {keys_ ? arrays.output("keys") : x.buffer(unwanted_), values_ ? arrays.output("values") : host::Buffer()});
    }

private:
    std::unique_ptr<Sorter> sorter_;
    bool values_, keys_;
    Scratch unwanted_;
};

}  // namespace

Variant sort_variant(Variant row, std::string (*why_not)(const SortSpec&, host::Context&), MakeSorter make) {
    row.supports = [why_not](const Problem& problem, host::Context& context) {
        return Support{why_not(spec_of(problem), context)};
    };
    return make_variant<SortPlan>(std::move(row), std::move(make));
}

std::unique_ptr<Sorter> make_best(PlanBuilder& builder, const SortSpec& spec) {
    host::Context& context = builder.context();
    if (radix_chunks_why_not(spec, context).empty()) return make_radix_chunks(builder, spec);
    if (spec.count <= BitonicShape{}.block && bitonic_why_not(spec, context).empty()) return make_bitonic(builder, spec);
    if (onesweep_why_not(spec, context).empty()) return make_onesweep(builder, spec);
    if (radix_warp_why_not(spec, context).empty()) return make_radix_warp(builder, spec);
    return make_radix(builder, spec);
}

}  // namespace sort

Algorithm make_sort() {
    Algorithm a;
    a.name = "sort";
    a.summary = "Sorts keys, and values along with them; equal keys keep their order";
    a.parameters = sort::sort_table();
    a.inputs = {{"keys", "one axis of any length; u32 or u64", true, PortKind::array},
                {"values", "u32, one for each key", false, PortKind::array}};
    a.outputs = {{"keys", "the keys in order", true, PortKind::array},
                 {"values", "the values in the order of their keys", false, PortKind::array}};
    a.infer = sort::infer;
    a.chunking = [](const Problem&) { return Division::no("every key may go anywhere"); };
    a.variants = {sort::onesweep_variant(), sort::radix_warp_variant(), sort::radix_chunks_variant(), sort::radix_variant(),
                  sort::bitonic_variant(),  sort::threaded_variant(),   sort::reference_variant()};
    return a;
}

}  // namespace parallax::engine
