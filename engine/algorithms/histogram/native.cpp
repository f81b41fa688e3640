// `reference` and `threaded`: the native device.
#include "algorithms/histogram/histogram.hpp"
#include "algorithms/histogram/reference.hpp"
#include "core/make_variant.hpp"
#include "core/observation.hpp"
#include "core/threads.hpp"
#include "support/platform.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace parallax::engine::histogram {
namespace {

class NativePlan final : public Plan {
public:
    NativePlan(PlanBuilder& builder, const Problem& problem, int threads) : spec_(spec_of(problem)), threads_(threads) {
        const std::int64_t parts = threads_ > 0 ? threads_ : host::platform::processors();
        builder.takes((1 + parts) * static_cast<std::int64_t>(spec_.slots() * sizeof(std::uint32_t)));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const auto observation = std::make_shared<Json>();
        x.host_task("count", [this, observation, image = arrays.input("image"),
                              mask = spec_.masked ? arrays.input("mask") : host::Buffer(), out = arrays.output("histogram")] {
            std::vector<std::uint32_t> sum(static_cast<std::size_t>(spec_.slots()));
            std::mutex mutex;
            parallel_ranges(
                spec_.pixels, threads_,
                [&](std::int64_t first, std::int64_t end) {
                    const std::vector<std::uint32_t> part =
                        reference_histogram(spec_, image.host_pointer(), mask.host_pointer(), first, end);
                    const std::scoped_lock lock(mutex);
                    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
                },
                elements_worth_a_thread);
            std::memcpy(out.host_pointer(), sum.data(), sum.size() * sizeof(std::uint32_t));
            if (!spec_.edges.empty()) {
                const auto counted = [](std::uint32_t count) { return count != 0; };
                *observation = told(std::any_of(sum.begin(), sum.end(), counted), words_of_none(spec_));
            }
        });
        if (!spec_.edges.empty()) x.record(observed, [observation] { return *observation; });
    }

private:
    HistogramSpec spec_;
    int threads_;
};

}  // namespace

Variant reference_variant() {
    return make_variant<NativePlan>(native_row("reference", "one thread: what the other variants are measured by"), 1);
}
Variant threaded_variant() {
    return make_variant<NativePlan>(native_row("threaded", "a histogram for each thread of the processor, then their sum"), 0);
}

}  // namespace parallax::engine::histogram
