// `reference` and `threaded`: the native device.
#include "algorithms/histogram/histogram.hpp"
#include "algorithms/histogram/reference.hpp"
#include "core/threads.hpp"

#include <cstring>
#include <mutex>
#include <vector>

namespace parallax::engine::histogram {
namespace {

class NativePlan final : public Plan {
public:
    NativePlan(HistogramSpec spec, int threads) : spec_(std::move(spec)), threads_(threads) {}

    void enqueue(Execution& x, const Bindings& arrays) override {
        x.host_task("count", [this, image = arrays.input("image"), mask = spec_.masked ? arrays.input("mask") : host::Buffer(),
                              out = arrays.output("histogram")] {
            std::vector<std::uint32_t> sum(static_cast<std::size_t>(spec_.slots()));
            std::mutex mutex;
            parallel_ranges(spec_.pixels, threads_, [&](std::int64_t first, std::int64_t end) {
                const std::vector<std::uint32_t> part = reference_histogram(spec_, image.host_pointer(), mask.host_pointer(), first, end);
                const std::scoped_lock lock(mutex);
                for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
            }, elements_worth_a_thread);
            std::memcpy(out.host_pointer(), sum.data(), sum.size() * sizeof(std::uint32_t));
        });
    }

private:
    HistogramSpec spec_;
    int threads_;
};

Variant native_variant(std::string name, std::string summary, int threads) {
    Variant v;
    v.name = std::move(name);
    v.summary = std::move(summary);
    v.role = Role::reference;
    v.backends = {host::Backend::native};
    v.supports = [](const Problem&, host::Context&) { return Support::yes(); };
    v.plan = [threads](PlanBuilder&, const Problem& problem, const Policy&) -> std::unique_ptr<Plan> {
        return std::make_unique<NativePlan>(spec_of(problem), threads);
    };
    return v;
}

}  // namespace

Variant reference_variant() { return native_variant("reference", "one thread: what the other variants are measured by", 1); }
Variant threaded_variant() { return native_variant("threaded", "a histogram for each thread of the processor, then their sum", 0); }

}  // namespace parallax::engine::histogram
