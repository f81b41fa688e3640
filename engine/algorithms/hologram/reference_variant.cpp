// `reference` and `threaded`: the double-precision reconstruction on the native device. They are the measure of the other
// variants, not their rivals, and so allocate their work arrays in each run.
#include <cmath>
#include <complex>
#include <memory>
#include <optional>

#include "algorithms/fft/reference.hpp"
#include "algorithms/hologram/pixels.hpp"
#include "algorithms/hologram/reference.hpp"
#include "algorithms/hologram/steps.hpp"
#include "algorithms/hologram/variants.hpp"
#include "core/judge.hpp"
#include "core/make_variant.hpp"

namespace parallax::engine::hologram {
namespace {

/// A camera frame of any real type as dense doubles; empty if it was not given.
std::vector<double> pixels(const Bindings& arrays, std::string_view port) {
    if (!arrays.has_input(port)) return {};
    const DeviceArray& array = arrays.inputs.find(port)->second;
    const ArrayDesc& desc = array.desc;
    const auto* const memory = static_cast<const std::byte*>(array.buffer.host_pointer());
    const std::byte* const first = memory + desc.offset * static_cast<std::int64_t>(bytes_of(desc.type));
    std::vector<double> out(static_cast<std::size_t>(desc.size('x') * desc.size('y')));
    if (!read_pixels(desc, first, {0, desc.size('y')}, out.data()))
        throw ConfigError("/inputs/" + std::string(port), desc.describe(), "a real image");
    return out;
}

/// Plane `i` of an output, if it is wanted, element by element.
template <class T, class Value>
void store(const Bindings& arrays, std::string_view port, std::size_t i, const std::vector<Complex>& field, const Value& value) {
    if (!arrays.has_output(port)) return;
    T* out = reinterpret_cast<T*>(arrays.output(port).host_pointer()) + i * field.size();
    for (std::size_t k = 0; k < field.size(); ++k) out[k] = static_cast<T>(value(field[k]));
}

void store_outputs(const Bindings& arrays, std::size_t i, const std::vector<Complex>& field) {
    store<float>(arrays, "amplitude", i, field, [](Complex u) { return std::abs(u); });
    store<float>(arrays, "phase", i, field, [](Complex u) { return std::arg(u); });
    store<float>(arrays, "intensity", i, field, [](Complex u) { return std::norm(u); });
    store<std::complex<float>>(arrays, "field", i, field, [](Complex u) { return u; });
}

class ReferencePlan : public Plan {
public:
    ReferencePlan(PlanBuilder& builder, const Problem& problem, int threads)
        : parameters_(parameters_of(problem)),
          geometry_(resolve(problem)),
          threads_(threads),
          wants_focus_(problem.wants("focus")),
          wants_carrier_(problem.wants("carrier")),
          wants_planes_(problem.wants("planes")) {
        const auto frames = static_cast<std::int64_t>(problem.inputs.size());
        const std::int64_t pixels = geometry_.width * geometry_.height, padded = geometry_.padded_width * geometry_.padded_height;
        const std::int64_t rows = geometry_.padded_height;
        // Frames, what is made of them, a plane with its amplitude, and the best; the field, a plane of it, and their factors.
        builder.takes(8 * (frames + 2) * pixels + 16 * 3 * pixels + 16 * 4 * padded +
                      fft::reference_line_bytes(geometry_.padded_width, rows, rows, threads));
    }

    void update(const Parameters& parameters) override {
        parameters_.distance = parameters.as<HologramParameters>().distance;
        geometry_ = resolve(parameters_, geometry_.width, geometry_.height);
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const auto results = std::make_shared<Results>();
        x.host_task("reconstruct",
                    [plan = *this, arrays, results] { plan.reconstruct(arrays, *results); });   // with the values of now
        if (parameters_.autofocus) {
            const FocusRecorder focus{*parameters_.autofocus, geometry_, !parameters_.off_axis};
            judge(x, "focus", [results, focus] { return focus.judge(results->values); });
            if (wants_focus_) x.record("focus", [results, focus] { return focus.record(results->values); });
        }
        if (parameters_.off_axis && parameters_.off_axis->is_searched())
            judge(x, "carrier", [results, order = *parameters_.off_axis, width = geometry_.width, height = geometry_.height] {
                return judge_found_carrier(results->carrier, order, width, height);
            });
        if (wants_carrier_) x.record("carrier", [results] { return carrier_record(results->carrier); });
        if (wants_planes_) x.record("planes", [geometry = geometry_] { return planes_record(geometry); });
    }

private:
    struct Results {
        std::vector<double> values;  ///< of the focus metric, by plane
        Carrier carrier;
    };

    void reconstruct(const Bindings& arrays, Results& results) const {
        const Geometry& geometry = geometry_;
        const auto hologram = pixels(arrays, "hologram"), background = pixels(arrays, "background"),
                   dark = pixels(arrays, "dark");
        const auto view = [&](const std::vector<double>& frame) {
            return frame.empty() ? ImageView{} : ImageView{frame.data(), geometry.width, geometry.height};
        };

        const bool best_only = parameters_.planes == Planes::best && parameters_.autofocus;
        std::vector<Complex> best;
        reference_reconstruct(
            parameters_, geometry, normalise(view(hologram), view(background), view(dark)), threads_,
            [&](std::size_t i, const std::vector<Complex>& field) {
                if (!best_only) store_outputs(arrays, i, field);
                if (!parameters_.autofocus) return;
                results.values.push_back(measure(geometry, field));
                if (best_only && is_best(geometry, results.values)) best = field;
            },
            &results.carrier);
        if (best_only) store_outputs(arrays, 0, best);
    }

    double measure(const Geometry& geometry, const std::vector<Complex>& field) const {
        const std::int64_t width = output_width(geometry), height = output_height(geometry);
        std::vector<double> amplitude(field.size());
        for (std::size_t k = 0; k < field.size(); ++k) amplitude[k] = std::abs(field[k]);
        const auto region =
            parameters_.autofocus->region.value_or(std::array<int, 4>{0, 0, static_cast<int>(width), static_cast<int>(height)});
        return focus_metric(parameters_.autofocus->metric, amplitude, width, height, region);
    }

    /// Whether the last of the planes so far is the best of them.
    bool is_best(const Geometry& geometry, const std::vector<double>& values) const {
        const std::vector<double> distances(geometry.distances.begin(),
                                            geometry.distances.begin() + static_cast<std::ptrdiff_t>(values.size()));
        return best_focus(distances, values, parameters_.autofocus->metric, parameters_.autofocus->object).index + 1 ==
               values.size();
    }

    HologramParameters parameters_;
    Geometry geometry_;
    int threads_;
    bool wants_focus_, wants_carrier_, wants_planes_;
};

}  // namespace

Variant reference_variant() {
    return make_variant<ReferencePlan>(
        native_row("reference", "every method in double precision on one thread: what the other variants are measured by"), 1);
}

Variant threaded_variant() {
    return make_variant<ReferencePlan>(native_row("threaded", "the reference on every thread of the processor"), 0);
}

}  // namespace parallax::engine::hologram
