// `reference` and `threaded`: C++ on the native device. Threads take fixed parts, so that sums do not depend on their number.
#include "algorithms/reduce/parameters.hpp"
#include "core/make_variant.hpp"
#include "core/plan.hpp"
#include "core/threads.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace parallax::engine::reduce {
namespace {

constexpr std::int64_t part_size = std::int64_t{1} << 18;

Totals threaded_totals(ElementType type, const std::byte* elements, std::int64_t count) {
    const std::int64_t parts = (count + part_size - 1) / part_size;
    std::vector<Totals> totals(static_cast<std::size_t>(parts), Totals(type));
    parallel_parts(parts, 0, [&](std::int64_t i) {
        totals[static_cast<std::size_t>(i)] =
            totals_of(type, elements + i * part_size * static_cast<std::int64_t>(bytes_of(type)),
                      std::min(part_size, count - i * part_size));
    });
    Totals all(type);
    for (const Totals& t : totals) all.join(t);
    return all;
}

class NativePlan final : public Plan {
public:
    NativePlan(const Problem& problem, bool threaded)
        : parameters_(problem.parameters.as<ReduceParameters>()), input_(problem.inputs.at("array")), threaded_(threaded),
          wants_value_(problem.wants("value")), wants_statistics_(problem.wants("statistics")) {}

    void enqueue(Execution& x, const Bindings& arrays) override {
        const auto totals = std::make_shared<Totals>(input_.type);
        x.host_task("reduce", [this, totals, in = arrays.input("array")] {
            *totals = (threaded_ ? threaded_totals : totals_of)(input_.type, in.host_pointer(), input_.count());
        });
        if (wants_value_) x.record("value", [totals, p = parameters_] { return value_record(p, *totals); });
        if (wants_statistics_) x.record("statistics", [totals] { return statistics_record(*totals); });
    }

private:
    ReduceParameters parameters_;
    ArrayDesc input_;
    bool threaded_, wants_value_, wants_statistics_;
};

}  // namespace

Variant reference_variant() {
    return make_variant<NativePlan>(
        native_row("reference", "one loop on one thread, sums compensated: what the other variants are measured by"), false);
}
Variant threaded_variant() {
    return make_variant<NativePlan>(native_row("threaded", "the reference on every thread of the processor"), true);
}

}  // namespace parallax::engine::reduce
