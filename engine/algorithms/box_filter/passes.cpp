// `pixel` and `strip`: the source papers' passes along one axis after the other.
#include "algorithms/box_filter/passes.hpp"
#include "core/long_loops.hpp"
#include "core/make_variant.hpp"

#include <algorithm>
#include <limits>

namespace parallax::engine::box_filter {
namespace {

const char* const stages[] = {"x", "y", "z"};

class PassesPlan final : public Plan {
public:
    PassesPlan(PlanBuilder& builder, const Problem& problem, const Policy& policy, Walk walk) {
        const BoxSpec spec = spec_of(problem);
        const std::int64_t group = pass_group(builder, policy.at("work_group_size")),
                           parts = walk == Walk::strip ? policy.at("parts") : 1;
        const std::vector<AxisPass> passes = passes_of(spec);
        for (std::size_t i = 0; i < passes.size(); ++i) {
            kernels_.emplace_back(builder, spec, passes[i], walk, group, parts);
            if (!passes[i].last && i < 2)
                sums_.push_back(builder.scratch(static_cast<std::size_t>(spec.count()) * sum_bytes(spec)));
        }
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        for (std::size_t i = 0; i < kernels_.size(); ++i)
            kernels_[i].enqueue(x, i == 0 ? arrays.input("image") : x.buffer(sums_[i - 1]),
                                i + 1 == kernels_.size() ? arrays.output("image") : x.buffer(sums_[i]));
    }

private:
    std::vector<PassKernel> kernels_;
    std::vector<Scratch> sums_;
};

Variant pass_variant(std::string name, std::string summary, Walk walk) {
    Variant row{
        .name = std::move(name),
        .summary = std::move(summary),
        .role = Role::baseline,
        .policy = {{"work_group_size", 0, {0, 1, 16, 32, 64, 128, 256}, "work-items of a group; 0: 16 on CPUs, 128 elsewhere"}},
    };
    if (walk == Walk::strip)
        row.policy.push_back({"parts",
                              0,
                              {0, 1, 2, 4, 8, 16, 32, 64},
                              "work-items that share a line, 1 as in the papers; 0: as many as keep the device busy"});
    return make_variant<PassesPlan>(std::move(row), walk);
}

}  // namespace

std::vector<AxisPass> passes_of(const BoxSpec& spec) {
    const std::int64_t row = spec.width * spec.channels;
    const std::int64_t lengths[] = {spec.width, spec.height, spec.depth},
                       inner[] = {spec.channels, row, row * spec.height * spec.middle};
    std::vector<AxisPass> passes;
    std::int64_t taps = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (spec.window[axis] == 1 && (axis != 2 || !passes.empty())) continue;
        passes.push_back({lengths[axis], inner[axis], spec.window[axis], taps, passes.empty(), false});
        taps *= spec.window[axis];
    }
    passes.back().last = true;
    return passes;
}

std::int64_t pass_group(const PlanBuilder& builder, int policy) {
    const std::int64_t wanted = policy != 0 ? policy : builder.device().type == host::DeviceType::cpu ? 16 : 128;
    return std::min<std::int64_t>(wanted, builder.device().max_work_group);
}

PassKernel::PassKernel(PlanBuilder& builder, const BoxSpec& spec, const AxisPass& pass, Walk walk, std::int64_t group,
                       std::int64_t parts)
    : spec_(spec), pass_(pass), walk_(walk), group_(group), lines_(spec.count() / pass.n) {
    kernel_ = builder.kernel({"box_filter/passes.cl", defines_of(spec, pass.first, pass.last)},
                             walk == Walk::pixel ? "pixel" : "strip", static_cast<std::size_t>(group));
    if (walk == Walk::pixel) {
        require_rounds(builder.context(), pass.window);
        return;
    }
    // Of floats each block of a window's length is read once more from its other end: a part holds whole ones.
    const std::int64_t unit = spec.is_float() ? pass.window : 1;
    const std::int64_t items =
        std::int64_t{builder.device().compute_units} * (builder.device().type == host::DeviceType::cpu ? 64 : 1024);
    const std::int64_t wanted = parts != 0 ? parts
                                           : std::clamp<std::int64_t>(divided_up(items, lines_), 1,
                                                                      std::max<std::int64_t>(pass.n / (2 * pass.window), 1));
    part_ = std::min<std::int64_t>(divided_up(divided_up(pass.n, wanted), unit) * unit, std::numeric_limits<std::int32_t>::max());
    parts_ = divided_up(pass.n, part_);
    // Of floats a part is gone over twice, block by block; a sum of integers begins with a window.
    require_rounds(builder.context(), spec.is_float() ? 2 * part_ + part_ / unit : part_ + pass.window);
}

void PassKernel::enqueue(Execution& x, const host::Buffer& in, const host::Buffer& out) {
    const auto n = static_cast<std::int32_t>(pass_.n), window = static_cast<std::int32_t>(pass_.window);
    const auto inner = static_cast<std::uint64_t>(pass_.inner);
    const host::Arg border = border_argument(spec_), fill = fill_argument(spec_, pass_.taps);
    const host::Arg divisor = divisor_argument(spec_);
    const char* const stage = stages[pass_.inner == spec_.channels ? 0 : pass_.inner == spec_.channels * spec_.width ? 1 : 2];
    const host::NDRange local{static_cast<std::size_t>(group_), 1, 1};
    const auto groups = [&](std::int64_t items) { return static_cast<std::size_t>(divided_up(items, group_)); };
    if (walk_ == Walk::pixel)
        x.launch(stage, *kernel_, {groups(spec_.count()), 1, 1}, local,
                 {in, out, static_cast<std::uint64_t>(spec_.count()), n, inner, window, border, fill, divisor});
    else
        x.launch(stage, *kernel_, {groups(lines_), static_cast<std::size_t>(parts_), 1}, local,
                 {in, out, static_cast<std::uint64_t>(lines_), n, inner, window, static_cast<std::int32_t>(part_), border, fill,
                  divisor});
}

Variant pixel_variant() {
    return pass_variant("pixel", "the source papers' first: a work-item adds up a window, one axis after the other", Walk::pixel);
}
Variant strip_variant() {
    return pass_variant("strip",
                        "the source papers' second: a work-item goes along a line, at a cost that does not depend on the radius",
                        Walk::strip);
}

}  // namespace parallax::engine::box_filter
