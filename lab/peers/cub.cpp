#include "peers/cub.hpp"

#include "algorithms/box_count/hou.hpp"
#include "algorithms/histogram/parameters.hpp"
#include "algorithms/reduce/parameters.hpp"
#include "algorithms/scan/parameters.hpp"
#include "algorithms/sort/parameters.hpp"
#include "core/plan.hpp"
#include "cuda/native.hpp"
#include "parallax/host/error.hpp"
#include "peers/cub_module.h"
#include "peers/row.hpp"
#include "support/module.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>
#include <string>

namespace parallax::engine::peers {
namespace {

/// The module's functions.
struct Cub {
    Cub() {
        const host::Module module("cub", PLX_CUB_ABI, "where nvcc is found");
        module.find(run, "plx_cub_run");
        module.find(error, "plx_cub_error");
    }

    decltype(plx_cub_run)* run = nullptr;
    decltype(plx_cub_error)* error = nullptr;
};

void check(const Cub& cub, int code) {
    if (code != 0) throw DeviceError("CUB", code, cub.error(code), "cub", "");
}

void* pointer(const host::Buffer& buffer) { return reinterpret_cast<void*>(host::cuda::memory_handle(buffer)); }

std::optional<int> type_of(ElementType type) {
    switch (type) {
        case ElementType::u8: return PLX_CUB_U8;
        case ElementType::u16: return PLX_CUB_U16;
        case ElementType::u32: return PLX_CUB_U32;
        case ElementType::i32: return PLX_CUB_I32;
        case ElementType::u64: return PLX_CUB_U64;
        case ElementType::f32: return PLX_CUB_F32;
        default: return std::nullopt;
    }
}

/// A call of CUB as a plan: what differs between algorithms is the call, and where its result goes.
class CubPlan final : public Plan {
public:
    using Read = std::function<Json(std::span<const std::byte>)>;

    /// values: a second pair of arrays, "values", goes along.
    CubPlan(PlanBuilder& builder, plx_cub_call call, std::string in, std::string out, Read read, bool values = false)
        : call_(call), in_(std::move(in)), out_(std::move(out)), read_(std::move(read)), values_(values) {
        if (values_) call_.values_in = &call_;   // CUB only asks whether it is null while it works out the size
        host::cuda::enqueue(builder.queue(), "cub: workspace",
                            [&](CUstream stream) { check(cub_, cub_.run(&call_, nullptr, &bytes_, stream)); });
        bytes_ = std::max<std::size_t>(bytes_, 1);
        temporary_ = builder.scratch(bytes_);
        if (read_) value_ = builder.scratch(8);
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer& out = read_ ? x.buffer(value_) : arrays.output(out_);
        plx_cub_call call = call_;
        call.in = pointer(arrays.input(in_));
        call.out = pointer(out);
        if (values_) {
            call.values_in = pointer(arrays.input("values"));
            call.values_out = pointer(arrays.output("values"));
        }
        x.external("cub", host::cuda::enqueue(x.queue(), "cub", [&](CUstream stream) {
                       std::size_t bytes = bytes_;
                       check(cub_, cub_.run(&call, pointer(x.buffer(temporary_)), &bytes, stream));
                   }));
        if (read_) x.record(out_, out, 8, read_);
    }

private:
    Cub cub_;
    plx_cub_call call_;
    std::string in_, out_;
    Read read_;
    bool values_;
    std::size_t bytes_ = 0;
    Scratch temporary_, value_;
};

Variant cub_variant(WhyNot why_not, decltype(Variant::plan) plan) {
    return peer_variant(
        "cub", "NVIDIA's CUB, for comparison; runs where it is asked for", host::Backend::cuda, std::move(why_not), [] { Cub(); },
        std::move(plan));
}

plx_cub_call call_of(int what, const ArrayDesc& array) {
    plx_cub_call call{};
    call.what = what;
    call.type = type_of(array.type).value();
    call.count = static_cast<std::uint64_t>(array.count());
    return call;
}

int op_of(reduce::Op op) { return op == reduce::Op::sum ? PLX_CUB_SUM : op == reduce::Op::min ? PLX_CUB_MIN : PLX_CUB_MAX; }

Variant reduce_by_cub() {
    const auto why_not = [](const Problem& problem) {
        if (problem.wants("statistics")) return std::string("CUB has no statistics in one pass");
        return only("CUB", problem.inputs.at("array"), {ElementType::u8, ElementType::u32, ElementType::i32, ElementType::f32});
    };
    return cub_variant(why_not, [](PlanBuilder& builder, const Problem& problem, const Policy&) -> std::unique_ptr<Plan> {
        const ArrayDesc& array = problem.inputs.at("array");
        const auto op = problem.parameters.as<reduce::ReduceParameters>().op;
        plx_cub_call call = call_of(PLX_CUB_REDUCE, array);
        call.op = op_of(op);
        const auto read = [type = array.type, wide = op == reduce::Op::sum,
                           count = call.count](std::span<const std::byte> bytes) -> Json {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data(), type == ElementType::f32 ? 4 : wide ? 8 : bytes_of(type));
            Json value = word;
            if (type == ElementType::f32) value = std::bit_cast<float>(static_cast<std::uint32_t>(word));
            if (type == ElementType::i32)
                value = wide ? static_cast<std::int64_t>(word) : std::int64_t{static_cast<std::int32_t>(word)};
            return {{"value", value}, {"count", count}};
        };
        return std::make_unique<CubPlan>(builder, call, "array", "value", read);
    });
}

Variant scan_by_cub() {
    const auto why_not = [](const Problem& problem) {
        if (problem.parameters.as<scan::ScanParameters>().op != scan::Op::sum)
            return std::string("this module of CUB has sums only");
        return only("CUB", problem.inputs.at("array"), {ElementType::u32, ElementType::u64, ElementType::f32});
    };
    return cub_variant(why_not, [](PlanBuilder& builder, const Problem& problem, const Policy&) -> std::unique_ptr<Plan> {
        plx_cub_call call = call_of(PLX_CUB_SCAN, problem.inputs.at("array"));
        call.exclusive = problem.parameters.as<scan::ScanParameters>().kind == scan::Kind::exclusive;
        return std::make_unique<CubPlan>(builder, call, "array", "array", nullptr);
    });
}

Variant histogram_by_cub() {
    const auto why_not = [](const Problem& problem) {
        const histogram::HistogramSpec spec = histogram::spec_of(problem);
        if (spec.masked || spec.channels != 1) return std::string("this module of CUB counts one channel without a mask");
        if (std::string reason = only("CUB", problem.inputs.at("image"), {ElementType::u8, ElementType::u16}); !reason.empty())
            return reason;
        const int levels = spec.type == ElementType::u8 ? 256 : 65536;
        return levels % spec.bins == 0
                   ? std::string()
                   : fmt::format("this module of CUB takes bins that divide {} levels; {} do not", levels, spec.bins);
    };
    return cub_variant(why_not, [](PlanBuilder& builder, const Problem& problem, const Policy&) -> std::unique_ptr<Plan> {
        plx_cub_call call = call_of(PLX_CUB_HISTOGRAM, problem.inputs.at("image"));
        call.bins = histogram::spec_of(problem).bins;
        return std::make_unique<CubPlan>(builder, call, "image", "histogram", nullptr);
    });
}

Variant sort_by_cub() {
    const auto why_not = [](const Problem& problem) {
        const sort::SortSpec spec = sort::spec_of(problem);
        if (spec.descending) return std::string("this module of CUB sorts in ascending order only");
        if (spec.begin == spec.end) return std::string("CUB compares one bit at least");
        if (!problem.wants("keys")) return std::string("CUB writes the keys too");
        return only("CUB", problem.inputs.at("keys"), {ElementType::u32, ElementType::u64});
    };
    return cub_variant(why_not, [](PlanBuilder& builder, const Problem& problem, const Policy&) -> std::unique_ptr<Plan> {
        const sort::SortSpec spec = sort::spec_of(problem);
        plx_cub_call call = call_of(PLX_CUB_SORT, problem.inputs.at("keys"));
        call.begin_bit = spec.begin;
        call.end_bit = spec.end;
        return std::make_unique<CubPlan>(builder, call, "keys", "keys", nullptr, spec.values);
    });
}

/// CUB's sort where the engine's own would be.
class CubSorter final : public sort::Sorter {
public:
    CubSorter(PlanBuilder& builder, const sort::SortSpec& spec) {
        call_.what = PLX_CUB_SORT;
        call_.type = type_of(spec.type).value();
        call_.count = static_cast<std::uint64_t>(spec.count);
        call_.begin_bit = spec.begin;
        call_.end_bit = spec.end;
        host::cuda::enqueue(builder.queue(), "cub: workspace",
                            [&](CUstream stream) { check(cub_, cub_.run(&call_, nullptr, &bytes_, stream)); });
        bytes_ = std::max<std::size_t>(bytes_, 1);
        temporary_ = builder.scratch(bytes_);
    }
    void enqueue(Execution& x, const sort::Arrays& from, const sort::Arrays& to) override {
        plx_cub_call call = call_;
        call.in = pointer(from.keys);
        call.out = pointer(to.keys);
        x.external("cub", host::cuda::enqueue(x.queue(), "cub", [&](CUstream stream) {
                       std::size_t bytes = bytes_;
                       check(cub_, cub_.run(&call, pointer(x.buffer(temporary_)), &bytes, stream));
                   }));
    }

private:
    Cub cub_;
    plx_cub_call call_{};
    std::size_t bytes_ = 0;
    Scratch temporary_;
};

Variant box_count_by_cub() {
    return cub_variant(box_count::why_not_hou,
                       [](PlanBuilder& builder, const Problem& problem, const Policy&) -> std::unique_ptr<Plan> {
                           return box_count::make_hou_plan(builder, problem, 128, [](PlanBuilder& b, const sort::SortSpec& spec) {
                               return std::make_unique<CubSorter>(b, spec);
                           });
                       });
}

}  // namespace

void add_cub(Algorithm& algorithm) {
    if (algorithm.name == "reduce") algorithm.variants.push_back(reduce_by_cub());
    if (algorithm.name == "scan") algorithm.variants.push_back(scan_by_cub());
    if (algorithm.name == "sort") algorithm.variants.push_back(sort_by_cub());
    if (algorithm.name == "box_count") algorithm.variants.push_back(box_count_by_cub());
    if (algorithm.name == "histogram") algorithm.variants.push_back(histogram_by_cub());
}

}  // namespace parallax::engine::peers
