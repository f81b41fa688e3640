// `reference` and `threaded`: the native device.
#include "algorithms/equalize/equalize.hpp"
#include "algorithms/histogram/reference.hpp"
#include "core/make_variant.hpp"
#include "core/plan.hpp"
#include "core/threads.hpp"
#include "support/platform.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

namespace parallax::engine::equalize {
namespace {

std::vector<float> identity(std::size_t levels) {
    std::vector<float> table(levels);
    std::iota(table.begin(), table.end(), 0.0f);   // 65535 is exact
    return table;
}

template <class In, class Out>
void map(const histogram::HistogramSpec& spec, const std::vector<float>& tables, const In* in, Out* out, std::int64_t first,
         std::int64_t end) {
    for (std::int64_t pixel = first; pixel < end; ++pixel)
        for (int c = 0; c < spec.channels; ++c) {
            const std::int64_t at = pixel * spec.channels + c;
            out[at] = static_cast<Out>(tables[static_cast<std::size_t>(c) * static_cast<std::size_t>(spec.bins) + in[at]]);
        }
}

class NativePlan final : public Plan {
public:
    NativePlan(PlanBuilder& builder, const Problem& problem, int threads)
        : formula_(problem.parameters.as<EqualizeParameters>().formula),
          spec_(spec_of(problem.inputs.at("image"))),
          threads_(threads) {
        // The counts, and beside them those of each thread; then the tables of all channels and that of one.
        const std::int64_t parts = threads_ > 0 ? threads_ : host::platform::processors();
        builder.takes((1 + std::max<std::int64_t>(parts, 2)) * static_cast<std::int64_t>(spec_.slots() * sizeof(std::uint32_t)));
    }
    void enqueue(Execution& x, const Bindings& arrays) override {
        x.host_task("equalize", [this, in = arrays.input("image"), out = arrays.output("image")] {
            reference_equalize(formula_, spec_, in.host_pointer(), out.host_pointer(), threads_);
        });
    }

private:
    Formula formula_;
    histogram::HistogramSpec spec_;
    int threads_;
};

}  // namespace

std::vector<float> reference_table(Formula formula, std::span<const std::uint32_t> counts) {
    const std::uint64_t pixels = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), top = counts.size() - 1;
    const std::uint32_t lowest = *std::find_if(counts.begin(), counts.end(), [](std::uint32_t n) { return n != 0; });
    if (formula == Formula::opencv && lowest == pixels) return identity(counts.size());
    const float scale = static_cast<float>(top) / static_cast<float>(pixels - lowest);
    std::vector<float> table;
    table.reserve(counts.size());
    std::uint64_t cdf = 0;
    for (const std::uint32_t n : counts) {
        cdf += n;
        switch (formula) {
            case Formula::opencv:
                table.push_back(
                    cdf <= lowest ? 0.0f
                                  : std::min(std::nearbyint(static_cast<float>(cdf - lowest) * scale), static_cast<float>(top)));
                break;
            case Formula::classic: table.push_back(static_cast<float>((2 * top * cdf + pixels) / (2 * pixels))); break;
            case Formula::skimage:
                table.push_back(static_cast<float>(static_cast<double>(cdf) / static_cast<double>(pixels)));
                break;
        }
    }
    return table;
}

void reference_equalize(Formula formula, const histogram::HistogramSpec& spec, const std::byte* image, std::byte* out,
                        int threads) {
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(spec.slots()));
    std::mutex mutex;
    parallel_ranges(spec.pixels, threads, [&](std::int64_t first, std::int64_t end) {
        const std::vector<std::uint32_t> part = histogram::reference_histogram(spec, image, nullptr, first, end);
        const std::scoped_lock lock(mutex);
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += part[i];
    }, elements_worth_a_thread);
    std::vector<float> tables;
    tables.reserve(counts.size());
    const auto levels = static_cast<std::size_t>(spec.bins);
    for (std::size_t c = 0; c < static_cast<std::size_t>(spec.channels); ++c) {
        const std::vector<float> table = reference_table(formula, std::span(counts).subspan(c * levels, levels));
        tables.insert(tables.end(), table.begin(), table.end());
    }
    const auto run = [&](const auto* in, auto* to) {
        parallel_ranges(
            spec.pixels, threads, [&](std::int64_t first, std::int64_t end) { map(spec, tables, in, to, first, end); },
            elements_worth_a_thread);
    };
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(image);
    const auto* const words = reinterpret_cast<const std::uint16_t*>(image);
    const bool wide = spec.type == ElementType::u16;
    if (formula == Formula::skimage && wide) run(words, reinterpret_cast<float*>(out));
    else if (formula == Formula::skimage) run(bytes, reinterpret_cast<float*>(out));
    else if (wide) run(words, reinterpret_cast<std::uint16_t*>(out));
    else run(bytes, reinterpret_cast<std::uint8_t*>(out));
}

Variant reference_variant() {
    return make_variant<NativePlan>(native_row("reference", "one thread: what the device is measured by"), 1);
}
Variant threaded_variant() {
    return make_variant<NativePlan>(native_row("threaded", "the reference on every thread of the processor"), 0);
}

}  // namespace parallax::engine::equalize
