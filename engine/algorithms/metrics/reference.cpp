// `reference`: sums in double precision on the native device.
#include "algorithms/metrics/metrics.hpp"
#include "core/make_variant.hpp"
#include "core/observation.hpp"
#include "core/plan.hpp"

#include <cmath>
#include <memory>
#include <vector>

namespace parallax::engine::metrics {
namespace {


std::vector<double> doubles(const host::Buffer& buffer, ElementType type, std::int64_t count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    const auto read = [&]<class T>(const T*) {
        const auto* from = reinterpret_cast<const T*>(buffer.host_pointer());
        values.assign(from, from + count);
    };
    if (type == ElementType::u8) read(static_cast<const std::uint8_t*>(nullptr));
    else if (type == ElementType::u16) read(static_cast<const std::uint16_t*>(nullptr));
    else read(static_cast<const float*>(nullptr));
    return values;
}

/// Sum of the similarity over every place of the window in one plane.
double similarity(const Pair& p, const double* a, const double* b) {
    std::vector<double> window;
    double total = 0;
    for (std::int64_t k = -reach; k <= reach; ++k) window.push_back(std::exp(-static_cast<double>(k * k) / 4.5));
    for (const double w : window) total += w;
    for (double& w : window) w /= total;
    const double c1 = .0001 * p.range * p.range, c2 = .0009 * p.range * p.range;
    double sum = 0;
    for (std::int64_t y = 0; y + 2 * reach < p.height; ++y)
        for (std::int64_t x = 0; x + 2 * reach < p.width; ++x) {
            double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
            for (std::int64_t v = 0; v <= 2 * reach; ++v)
                for (std::int64_t u = 0; u <= 2 * reach; ++u) {
                    const double w = window[static_cast<std::size_t>(v)] * window[static_cast<std::size_t>(u)];
                    const std::int64_t at = ((y + v) * p.width + x + u) * p.channels;
                    ma += w * a[at];
                    mb += w * b[at];
                    aa += w * a[at] * a[at];
                    bb += w * b[at] * b[at];
                    ab += w * a[at] * b[at];
                }
            sum +=
                (2 * ma * mb + c1) * (2 * (ab - ma * mb) + c2) / ((ma * ma + mb * mb + c1) * (aa - ma * ma + bb - mb * mb + c2));
        }
    return sum;
}

class ReferencePlan final : public Plan {
public:
    ReferencePlan(PlanBuilder& builder, const Problem& problem) : pair_(pair_of(problem)) {
        builder.takes(2 * pair_.count() * static_cast<std::int64_t>(sizeof(double)));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        auto record = std::make_shared<Json>();
        x.host_task("compare", [this, image = arrays.input("image"), reference = arrays.input("reference"), record] {
            const std::vector<double> a = doubles(image, pair_.image, pair_.count()),
                                      b = doubles(reference, pair_.reference, pair_.count());
            double squares = 0, magnitudes = 0, similarities = 0;
            for (std::size_t i = 0; i < a.size(); ++i) {
                squares += (a[i] - b[i]) * (a[i] - b[i]);
                magnitudes += std::abs(a[i] - b[i]);
            }
            const std::int64_t slice = pair_.width * pair_.height * pair_.channels;
            for (std::int64_t z = 0; z < pair_.slices; ++z)
                for (int c = 0; c < pair_.channels; ++c)
                    similarities += similarity(pair_, &a[static_cast<std::size_t>(z * slice + c)],
                                               &b[static_cast<std::size_t>(z * slice + c)]);
            *record = record_of(pair_, squares, magnitudes, similarities);
        });
        x.record("metrics", [record] { return *record; });
        x.record(observed, [record] { return told(*record); });
    }

private:
    Pair pair_;
};

}  // namespace

Variant reference_variant() {
    return make_variant<ReferencePlan>(native_row("reference", "one loop a window, double precision"));
}

}  // namespace parallax::engine::metrics
