// The source paper's reductions: fan-in, with two ways of pairing, and row-column.
#include "algorithms/reduce/device.hpp"
#include "core/integers.hpp"
#include "core/make_variant.hpp"

#include <cmath>
#include <utility>

namespace parallax::engine::reduce {
namespace {


/// The smallest P with P^2 >= count.
std::int64_t root_up(std::int64_t count) {
    auto p = static_cast<std::int64_t>(std::sqrt(static_cast<double>(count)));
    while (p * p < count) ++p;
    return p;
}

class BaselinePlan final : public DevicePlan {
public:
    /// rows: the first step adds rows of sqrt(count) elements, one a work-item.
    BaselinePlan(PlanBuilder& builder, const Problem& problem, std::int64_t group, bool adjacent, bool rows)
        : DevicePlan(problem), group_(group), row_(rows ? root_up(count()) : 0) {
        if (count() == 0) return;
        host::Defines d = defines();
        d.add("GROUP", group).add("ADJACENT", adjacent);
        const host::ProgramSpec spec{"reduce/fan_in.cl", d};
        first_ = builder.kernel(spec, rows ? "rows" : "fan_in_elements");
        next_ = builder.kernel(spec, "fan_in_partial");
        left_first_ = divided_up(count(), rows ? row_ : group);
        ping_ = builder.scratch(bytes(left_first_));
        pong_ = builder.scratch(bytes(divided_up(left_first_, group)));
    }

private:
    Left reduce(Execution& x, const host::Buffer& array) override {
        const auto u64 = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
        const host::NDRange local{static_cast<std::size_t>(group_), 1, 1};
        const auto groups = [this](std::int64_t items) {
            return host::NDRange{static_cast<std::size_t>(divided_up(items, group_)), 1, 1};
        };
        const host::Buffer* from = &x.buffer(ping_);
        const host::Buffer* to = &x.buffer(pong_);
        if (row_ != 0) x.launch("rows", *first_, groups(left_first_), local, {array, *from, u64(count()), u64(row_)});
        else x.launch("fan-in", *first_, groups(count()), local, {array, *from, u64(count())});
        std::int64_t left = left_first_;
        for (; left > 1; left = divided_up(left, group_)) {
            x.launch("fan-in", *next_, groups(left), local, {*from, *to, u64(left)});
            std::swap(from, to);
        }
        return {from, 1};
    }

    std::int64_t group_, row_, left_first_ = 0;
    std::unique_ptr<host::Kernel> first_, next_;
    Scratch ping_, pong_;
};

Variant baseline_variant(std::string name, std::string summary, bool adjacent, bool rows) {
    return make_variant<BaselinePlan>(
        {
            .name = std::move(name),
            .summary = std::move(summary),
            .role = Role::baseline,
            .policy = {{"work_group_size",
                        256,
                        {32, 64, 128, 256},
                        "work-items of a group, and elements that one step of groups joins"}},
            .supports = has_double_precision,
        },
        adjacent, rows);
}

}  // namespace

Variant fan_in_variant(bool adjacent) {
    if (adjacent) return baseline_variant("fan_in_adjacent", "the source paper's tree, pairs of neighbours", true, false);
    return baseline_variant("fan_in_strided", "the source paper's tree, pairs half the width apart", false, false);
}

Variant row_column_variant() {
    return baseline_variant("row_column", "the source paper's cost-optimal form: P work-items add rows of P = sqrt(N)", false,
                            true);
}

}  // namespace parallax::engine::reduce
