// `reference` and `threaded`: the native device.
#include "algorithms/diffusion_lb/reference.hpp"
#include "algorithms/diffusion_lb/variants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace parallax::engine::diffusion_lb {
namespace {

template <class T>
T rounded(double v) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(v);
    else return static_cast<T>(std::clamp(std::nearbyint(v), 0.0, static_cast<double>(std::numeric_limits<T>::max())));
}

class NativePlan final : public Plan {
public:
    NativePlan(const Problem& problem, int threads)
        : parameters_(problem.parameters.as<LbParameters>()), planes_(planes_of(problem.inputs.at("image"))), threads_(threads),
          wants_iterations_(problem.wants("iterations")) {}

    void enqueue(Execution& x, const Bindings& arrays) override {
        auto taken = std::make_shared<std::vector<int>>();
        x.host_task("diffuse", [this, in = arrays.input("image"), out = arrays.has_output("image") ? arrays.output("image") : host::Buffer(), taken] {
            if (planes_.type == ElementType::u8) run<std::uint8_t>(in, out, *taken);
            else if (planes_.type == ElementType::u16) run<std::uint16_t>(in, out, *taken);
            else run<float>(in, out, *taken);
        });
        if (wants_iterations_) x.record("iterations", [taken] { return Json(*taken); });
    }

private:
    template <class T>
    void run(const host::Buffer& in, const host::Buffer& out, std::vector<int>& taken) const {
        const auto* from = reinterpret_cast<const T*>(in.host_pointer());
        auto* to = out ? reinterpret_cast<T*>(out.host_pointer()) : nullptr;
        const std::int64_t pixels = planes_.pixels();
        std::vector<double> plane(static_cast<std::size_t>(pixels));
        for (std::int64_t slice = 0; slice < planes_.slices; ++slice)
            for (int channel = 0; channel < planes_.channels; ++channel) {
                const std::int64_t first = slice * pixels * planes_.channels + channel;
                for (std::int64_t i = 0; i < pixels; ++i) plane[static_cast<std::size_t>(i)] = static_cast<double>(from[first + i * planes_.channels]);
                taken.push_back(diffuse(parameters_, planes_.width, planes_.height, plane.data(), threads_));
                if (to == nullptr) continue;
                for (std::int64_t i = 0; i < pixels; ++i) to[first + i * planes_.channels] = rounded<T>(plane[static_cast<std::size_t>(i)]);
            }
    }

    LbParameters parameters_;
    Planes planes_;
    int threads_;
    bool wants_iterations_;
};

Variant native_variant(std::string name, std::string summary, int threads) {
    Variant v;
    v.name = std::move(name);
    v.summary = std::move(summary);
    v.role = Role::reference;
    v.backends = {host::Backend::native};
    v.plan = [threads](PlanBuilder&, const Problem& problem, const Policy&) -> std::unique_ptr<Plan> {
        return std::make_unique<NativePlan>(problem, threads);
    };
    return v;
}

}  // namespace

Variant reference_variant() { return native_variant("reference", "as it is written down, one thread, double precision: the oracle", 1); }
Variant threaded_variant() { return native_variant("threaded", "the same with rows shared out among the processor's threads", 0); }

}  // namespace parallax::engine::diffusion_lb
