// `device`: beads -> transmission, angular spectrum, exposure; all on the device, in single precision. Places of the beads
// and noise come from the host, where they are the same for every device.
#include <algorithm>
#include <cmath>
#include <memory>

#include "algorithms/hologram/propagator.hpp"
#include "algorithms/hologram_simulate/variants.hpp"
#include "core/integers.hpp"
#include "core/long_loops.hpp"
#include "core/make_variant.hpp"

namespace parallax::engine::hologram_simulate {
namespace {

using hologram::KernelPtr;
using hologram::PixelGrid;

hologram::Geometry geometry_of(const SimulateParameters& p) {
    hologram::Geometry g;
    g.width = g.padded_width = p.width;
    g.height = g.padded_height = p.height;
    g.wavelength = p.wavelength / p.refractive_index;
    g.dx = p.pixel[0];
    g.dy = p.pixel[1];
    g.distances = {-p.distance};  // from the beads to the sensor is forward
    g.methods = {hologram::Method::angular_spectrum};
    return g;
}

/// Per bead the nearest pixel and what is left over, so that floats hold the distance to the centre.
std::vector<float> packed(const std::vector<Bead>& beads) {
    std::vector<float> out;
    for (const Bead& bead : beads) {
        const double x = std::floor(bead.x + 0.5), y = std::floor(bead.y + 0.5);
        for (const double value : {x, y, bead.x - x, bead.y - y}) out.push_back(static_cast<float>(value));
    }
    return out;
}

/// That one work-group takes for a bead: pixels, and the samples of those that an edge may cross (SAMPLES of beads.cl). Edges
/// meet each work-item alike, eight of which count their rounds together.
std::int64_t rounds_a_bead(const SimulateParameters& p, int group) {
    constexpr std::int64_t samples = 16;
    const auto reach = [&](double pixel) { return static_cast<std::int64_t>(std::ceil(p.radius / pixel)) + 1; };
    const std::int64_t columns = 2 * reach(p.pixel[0]) + 1, rows = 2 * reach(p.pixel[1]) + 1,
                       rounds = divided_up(columns * rows, group),
                       edges = std::min(rounds, divided_up(4 * 8 * (columns + rows), group));
    return rounds + edges * (samples + 1) * (samples + 2);
}

class DevicePlan : public Plan {
public:
    DevicePlan(PlanBuilder& builder, const Problem& problem, int group)
        : parameters_(problem.parameters.as<SimulateParameters>()),
          group_(group),
          wants_beads_(problem.wants("beads")),
          geometry_(geometry_of(parameters_)),
          beads_(place_beads(parameters_)),
          phases_(builder, 1),
          transform_(fft::make_transform(builder, {parameters_.width, parameters_.height, 1, fft::Kind::c2c})),
          propagator_(builder, geometry_, *transform_, false, false, group) {
        phases_.set(geometry_);

        host::Defines beads;
        beads.add("PHASE", parameters_.kind == BeadKind::phase);
        clear_ = builder.kernel({"hologram_simulate/beads.cl", beads}, "clear", static_cast<std::size_t>(group));
        stamp_ = builder.kernel({"hologram_simulate/beads.cl", beads}, "stamp", static_cast<std::size_t>(group));
        if (!beads_.empty()) {
            centres_ = builder.constant(packed(beads_));
            const std::int64_t rounds = rounds_a_bead(parameters_, group);
            if (!too_many_rounds(builder.context(), rounds).empty())
                groups_a_bead_ = static_cast<std::size_t>(rounds / most_rounds(builder.context())) + 1;
        }

        const std::vector<float> noise = noise_of(parameters_);
        host::Defines expose;
        expose.add("LEVELS", static_cast<std::int64_t>(largest_level(parameters_.type))).add("HAS_NOISE", !noise.empty());
        expose_ = builder.kernel({"hologram_simulate/expose.cl", expose}, "expose", static_cast<std::size_t>(group));
        if (!noise.empty()) noise_ = builder.constant(noise);

        const std::size_t bytes =
            static_cast<std::size_t>(parameters_.width) * static_cast<std::size_t>(parameters_.height) * 2 * sizeof(float);
        transmission_ = builder.scratch(bytes);
        field_ = builder.scratch(bytes);
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        if (wants_beads_) x.record("beads", [p = parameters_, beads = beads_] { return beads_record(p, beads); });
        if (!arrays.has_output("hologram")) return;

        const SimulateParameters& p = parameters_;
        const auto width = static_cast<std::uint32_t>(p.width), height = static_cast<std::uint32_t>(p.height);
        const PixelGrid grid(p.width, p.height, group_);
        const host::Buffer &transmission = x.buffer(transmission_), &field = x.buffer(field_);
        const host::NDRange local{static_cast<std::size_t>(group_), 1, 1};

        const bool changed = phases_.upload(x);
        x.launch("clear", *clear_, grid.groups, grid.local, {transmission, width, height});
        if (!beads_.empty()) {
            const auto turns = static_cast<float>(2 * p.delta_n * p.radius / p.wavelength);   // through the middle of a bead
            x.launch("beads", *stamp_, {beads_.size(), groups_a_bead_, 1}, local,
                     {transmission, centres_, width, height, static_cast<float>(p.pixel[0] / p.radius),
                      static_cast<float>(p.pixel[1] / p.radius), turns});
        }
        {
            const auto scope = x.scope("forward transform");
            transform_->enqueue(x, transmission, transmission, fft::Direction::forward);
        }
        propagator_.enqueue(x, phases_, transmission, 0, changed, field);
        x.launch("expose", *expose_, grid.groups, grid.local,
                 {field, noise_ ? noise_ : field, arrays.output("hologram"), width, height,
                  static_cast<float>(largest_level(p.type) / p.full_scale)});
    }

private:
    SimulateParameters parameters_;
    int group_;
    bool wants_beads_;
    hologram::Geometry geometry_;
    std::vector<Bead> beads_;
    hologram::PhaseTable phases_;
    std::unique_ptr<fft::Transform> transform_;
    hologram::SpectrumPropagator propagator_;
    KernelPtr clear_, stamp_, expose_;
    host::Buffer centres_, noise_;
    Scratch transmission_, field_;
    std::size_t groups_a_bead_ = 1;
};

}  // namespace

Variant device_variant() {
    return make_variant<DevicePlan>({
        .name = "device",
        .summary = "a work-group a bead, angular spectrum, exposure; single precision",
        .role = Role::best,
        .policy = {{"work_group_size", 64, {32, 64, 128, 256}, "work-items a row of pixels, and a bead"}},
        .supports = [](const Problem& problem, host::Context& context) {
            const auto& p = problem.parameters.as<SimulateParameters>();
            return Support::no(fft::why_not(fft::Library::automatic, {p.width, p.height, 1, fft::Kind::c2c}, context));
        },
    });
}

}  // namespace parallax::engine::hologram_simulate
