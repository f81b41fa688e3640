#include "algorithms/elementwise/copy_view.hpp"
#include "core/make_variant.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace parallax::engine::elementwise {
namespace {

constexpr std::uint64_t segment = 4096;   // SEGMENT of copy_view.cl

const char* word_type(std::size_t bytes) {
    switch (bytes) {
        case 1: return "uchar";
        case 2: return "ushort";
        case 4: return "uint";
        case 8: return "uint2";
        default: return "uint4";
    }
}

class CopyViewPlan final : public Plan {
public:
    CopyViewPlan(PlanBuilder& builder, const Problem& problem, const Policy& policy, const ViewOf& view_of)
        : rows_(rows_of(view_of(problem))) {
        if (rows_.count * rows_.length == 0) return;
        const host::DeviceInfo& device = builder.device();
        const bool cpu = device.type == host::DeviceType::cpu;
        const int wanted = policy.at("work_group_size");
        const std::size_t widest = std::bit_floor(std::size_t{device.max_work_group});
        group_ = std::min<std::size_t>(wanted != 0 ? static_cast<std::size_t>(wanted) : cpu ? 1 : 256, widest);
        simd_ = std::min<std::uint64_t>(group_, std::bit_ceil(rows_.length));
        const std::uint64_t units = rows_.count * ((rows_.length + segment - 1) / segment), together = group_ / simd_;
        const std::uint64_t turns = units / together * (1 + rows_.axes.size() / 2) + rows_.count * rows_.length / group_;
        groups_ = static_cast<std::size_t>(std::max(
            turns / most_turns + 1, std::min((units + together - 1) / together, std::uint64_t{device.compute_units} * 64)));
        axes_ = builder.constant(rows_.axes);
        host::Defines d;
        d.add("WORD", word_type(rows_.word_bytes)).add("GROUP", static_cast<std::int64_t>(group_));
        kernel_ = builder.kernel({"elementwise/copy_view.cl", d}, "copy_view");
    }
    void enqueue(Execution& x, const Bindings& arrays) override {
        if (!kernel_) return;
        x.launch("copy", *kernel_, {groups_, 1, 1}, {group_, 1, 1},
                 {arrays.input("image"), arrays.output("image"), axes_, rows_.offset, rows_.count, rows_.length, rows_.stride,
                  static_cast<std::int32_t>(rows_.axes.size() / 2), static_cast<std::uint32_t>(simd_)});
    }

private:
    Rows rows_;
    std::unique_ptr<host::Kernel> kernel_;
    host::Buffer axes_;
    std::size_t group_ = 1, groups_ = 1;
    std::uint64_t simd_ = 1;
};

}  // namespace

Rows rows_of(const ArrayDesc& view) {
    struct Part { std::uint64_t size, stride; };
    std::vector<Part> parts;   // slowest first
    for (const Axis& axis : view.axes) {
        const Part next{static_cast<std::uint64_t>(axis.size), static_cast<std::uint64_t>(axis.stride)};
        if (next.size == 1) continue;
        if (!parts.empty() && parts.back().stride == next.size * next.stride)
            parts.back() = {parts.back().size * next.size, next.stride};
        else parts.push_back(next);
    }
    while (parts.size() < 2) parts.insert(parts.begin(), {1, 1});
    Rows rows;
    rows.word_bytes = bytes_of(view.type);
    rows.offset = static_cast<std::uint64_t>(view.offset);
    rows.length = parts.back().size;
    rows.stride = parts.back().stride;
    parts.pop_back();
    const auto even = [](std::uint64_t v) { return v % 2 == 0; };
    const auto can_double = [&] {
        return rows.stride == 1 && rows.word_bytes < 16 && even(rows.length) && even(rows.offset) &&
               std::all_of(parts.begin(), parts.end(), [&](const Part& p) { return p.size == 1 || even(p.stride); });
    };
    for (; rows.length != 0 && can_double(); rows.word_bytes *= 2, rows.length /= 2, rows.offset /= 2)
        for (Part& p : parts) p.stride /= 2;
    rows.count = 1;
    for (const Part& p : parts) {
        rows.count *= p.size;
        rows.axes.push_back(p.size);
    }
    for (const Part& p : parts) rows.axes.push_back(p.stride);
    return rows;
}

Variant copy_view_variant(ViewOf view_of) {
    return make_variant<CopyViewPlan>({
        .name = "device",
        .summary = "rows in segments, as many elements at once as their alignment admits",
        .role = Role::best,
        .policy = {{"work_group_size", 0, {0, 1, 64, 128, 256}, "work-items of a group; 0: 1 on CPUs, 256 elsewhere"}},
    }, view_of);
}

Variant copy_view_reference(ViewOf view_of) {
    return reference_variant([view_of](const Problem& problem, const Bindings& arrays, Json&) {
        const ArrayDesc view = view_of(problem);
        const std::size_t bytes = bytes_of(view.type);
        const auto* in = input<std::byte>(arrays, "image");
        auto* out = output<std::byte>(arrays, "image");
        for (std::int64_t i = 0; i < view.count(); ++i) {
            std::int64_t from = view.offset, rest = i;
            for (auto axis = view.axes.rbegin(); axis != view.axes.rend(); ++axis) {
                from += rest % axis->size * axis->stride;
                rest /= axis->size;
            }
            std::memcpy(out + static_cast<std::size_t>(i) * bytes, in + static_cast<std::size_t>(from) * bytes, bytes);
        }
    });
}

}  // namespace parallax::engine::elementwise
