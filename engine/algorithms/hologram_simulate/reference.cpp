// `reference`: the forward model (docs/theory/holography.md#simulated-holograms) in double precision. It allocates its work
// arrays in each run.
#include "algorithms/fft/reference.hpp"
#include "algorithms/hologram/reference.hpp"
#include "core/make_variant.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "algorithms/hologram_simulate/variants.hpp"
#include "core/plan.hpp"

namespace parallax::engine::hologram_simulate {
namespace {

template <class T>
void quantise(const std::vector<double>& intensity, const SimulateParameters& p, T* out) {
    const double top = largest_level(p.type);
    std::transform(intensity.begin(), intensity.end(), out, [&](double value) {
        return static_cast<T>(std::clamp(std::nearbyint(value / p.full_scale * top), 0.0, top));
    });
}

class ReferencePlan : public Plan {
public:
    ReferencePlan(PlanBuilder& builder, const Problem& problem)
        : parameters_(problem.parameters.as<SimulateParameters>()),
          beads_(place_beads(parameters_)),
          wants_beads_(problem.wants("beads")) {
        const std::int64_t pixels = std::int64_t{parameters_.width} * parameters_.height;
        // The field, its intensity and the noise.
        builder.takes((16 + 8 + 4) * pixels +
                      fft::reference_line_bytes(parameters_.width, parameters_.height, parameters_.height, 0));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        x.host_task("simulate", [this, arrays] {
            if (!arrays.has_output("hologram")) return;
            const std::vector<double> intensity = reference_intensity(parameters_, beads_);
            std::byte* out = arrays.output("hologram").host_pointer();
            switch (parameters_.type) {
                case PixelType::f32:
                    std::copy(intensity.begin(), intensity.end(), reinterpret_cast<float*>(out));
                    break;
                case PixelType::u8:
                    quantise(intensity, parameters_, reinterpret_cast<std::uint8_t*>(out));
                    break;
                case PixelType::u16:
                    quantise(intensity, parameters_, reinterpret_cast<std::uint16_t*>(out));
                    break;
            }
        });
        if (wants_beads_) x.record("beads", [p = parameters_, beads = beads_] { return beads_record(p, beads); });
    }

private:
    SimulateParameters parameters_;
    std::vector<Bead> beads_;
    bool wants_beads_;
};

}  // namespace

int largest_level(PixelType type) noexcept {
    switch (type) {
        case PixelType::f32:
            return 0;
        case PixelType::u8:
            return 255;
        case PixelType::u16:
            return 65535;
    }
    return 0;
}

std::vector<double> reference_intensity(const SimulateParameters& p, const std::vector<Bead>& beads) {
    std::vector<std::complex<double>> field = transmission(p, beads);
    // From the beads to the sensor is forward: a negative distance.
    hologram::propagate_angular_spectrum(field, p.width, p.height, p.pixel[0], p.pixel[1], p.wavelength / p.refractive_index,
                                         -p.distance, true, 0);
    std::vector<double> intensity(field.size());
    std::transform(field.begin(), field.end(), intensity.begin(), [](std::complex<double> u) { return std::norm(u); });
    const std::vector<float> noise = noise_of(p);
    if (!noise.empty()) std::transform(intensity.begin(), intensity.end(), noise.begin(), intensity.begin(), std::plus<>());
    return intensity;
}

Variant reference_variant() {
    return make_variant<ReferencePlan>(
        native_row("reference", "the forward model in double precision: what the other variants are measured by"));
}

}  // namespace parallax::engine::hologram_simulate
