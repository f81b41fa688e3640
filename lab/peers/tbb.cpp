#include "peers/tbb.hpp"

#include "algorithms/reduce/parameters.hpp"
#include "algorithms/scan/parameters.hpp"
#include "algorithms/sort/parameters.hpp"
#include "core/plan.hpp"
#include "parallax/host/error.hpp"
#include "peers/row.hpp"
#include "support/module.hpp"
#include "peers/tbb_module.h"

#include <bit>

namespace parallax::engine::peers {
namespace {

/// The module's function.
struct Tbb {
    Tbb() { host::Module("tbb", PLX_TBB_ABI, "where oneTBB is found (libtbb-dev)").find(run, "plx_tbb_run"); }
    void operator()(const plx_tbb_call& call) const {
        if (const int code = run(&call); code != 0) throw DeviceError("plx_tbb_run", code, "not offered", "tbb", "");
    }

    decltype(plx_tbb_run)* run = nullptr;
};

int tbb_type_of(ElementType type) {
    switch (type) {
        case ElementType::u8: return PLX_TBB_U8;
        case ElementType::u16: return PLX_TBB_U16;
        case ElementType::u32: return PLX_TBB_U32;
        case ElementType::i32: return PLX_TBB_I32;
        case ElementType::u64: return PLX_TBB_U64;
        default: return PLX_TBB_F32;   // only() admits no other
    }
}

plx_tbb_call call_of(int what, const ArrayDesc& array) {
    plx_tbb_call call{};
    call.what = what;
    call.type = tbb_type_of(array.type);
    call.count = static_cast<std::uint64_t>(array.count());
    return call;
}

/// An array to an array of the same size.
class ArrayPlan final : public Plan {
public:
    ArrayPlan(plx_tbb_call call, std::string port) : call_(call), port_(std::move(port)) {}

    void enqueue(Execution& x, const Bindings& arrays) override {
        x.host_task("tbb", [this, arrays] {
            plx_tbb_call call = call_;
            call.in = arrays.input(port_).host_pointer();
            call.out = arrays.output(port_).host_pointer();
            tbb_(call);
        });
    }

private:
    Tbb tbb_;
    plx_tbb_call call_;
    std::string port_;
};

class ReducePlan final : public Plan {
public:
    explicit ReducePlan(const Problem& problem)
        : call_(call_of(PLX_TBB_REDUCE, problem.inputs.at("array"))),
          parameters_(problem.parameters.as<reduce::ReduceParameters>()) {
        using reduce::Op;
        call_.op = parameters_.op == Op::sum ? PLX_TBB_SUM : parameters_.op == Op::min ? PLX_TBB_MIN : PLX_TBB_MAX;
        type_ = problem.inputs.at("array").type;
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const auto totals = std::make_shared<reduce::Totals>(type_);
        x.host_task("tbb", [this, arrays, totals] {
            std::uint64_t word = 0;
            plx_tbb_call call = call_;
            call.in = arrays.input("array").host_pointer();
            call.out = &word;
            tbb_(call);
            totals->count = call.count;
            totals->sum = totals->low = totals->high = word;
            totals->real_sum = {std::bit_cast<double>(word), 0};
            totals->real_low = totals->real_high = std::bit_cast<double>(word);
        });
        x.record("value", [totals, p = parameters_] { return reduce::value_record(p, *totals); });
    }

private:
    Tbb tbb_;
    plx_tbb_call call_;
    reduce::ReduceParameters parameters_;
    ElementType type_;
};

Variant tbb_variant(std::string what, WhyNot why_not, std::function<std::unique_ptr<Plan>(const Problem&)> plan) {
    return peer_variant(
        "tbb", "oneTBB's " + what + " on the host, for comparison; runs where it is asked for", host::Backend::native,
        std::move(why_not), [] { Tbb(); },
        [plan = std::move(plan)](PlanBuilder&, const Problem& problem, const Policy&) { return plan(problem); });
}

Variant reduce_by_tbb() {
    const auto why_not = [](const Problem& problem) {
        if (problem.wants("statistics")) return std::string("this module of oneTBB computes one number, no statistics");
        return only("oneTBB", problem.inputs.at("array"),
                    {ElementType::u8, ElementType::u16, ElementType::u32, ElementType::i32, ElementType::f32});
    };
    return tbb_variant("parallel_reduce", why_not, [](const Problem& problem) { return std::make_unique<ReducePlan>(problem); });
}

Variant scan_by_tbb() {
    const auto plan = [](const Problem& problem) {
        const auto p = problem.parameters.as<scan::ScanParameters>();
        plx_tbb_call call = call_of(PLX_TBB_SCAN, problem.inputs.at("array"));
        call.op = p.op == scan::Op::sum ? PLX_TBB_SUM : p.op == scan::Op::min ? PLX_TBB_MIN : PLX_TBB_MAX;
        call.exclusive = p.kind == scan::Kind::exclusive;
        return std::make_unique<ArrayPlan>(call, "array");
    };
    return tbb_variant("parallel_scan", [](const Problem&) { return std::string(); }, plan);
}

Variant sort_by_tbb() {
    const auto why_not = [](const Problem& problem) -> std::string {
        const sort::SortSpec spec = sort::spec_of(problem);
        if (spec.values) return "parallel_sort is not stable: values would lose the order of equal keys";
        if (spec.begin != 0 || spec.end != spec.key_bits())
            return "parallel_sort is not stable: keys that agree in these bits would lose their order";
        return {};
    };
    const auto plan = [](const Problem& problem) {
        plx_tbb_call call = call_of(PLX_TBB_SORT, problem.inputs.at("keys"));
        call.descending = sort::spec_of(problem).descending;
        return std::make_unique<ArrayPlan>(call, "keys");
    };
    return tbb_variant("parallel_sort", why_not, plan);
}

}  // namespace

void add_tbb(Algorithm& algorithm) {
    if (algorithm.name == "reduce") algorithm.variants.push_back(reduce_by_tbb());
    if (algorithm.name == "scan") algorithm.variants.push_back(scan_by_tbb());
    if (algorithm.name == "sort") algorithm.variants.push_back(sort_by_tbb());
}

}  // namespace parallax::engine::peers
