// `device`: columns solved by a work-item each, rows as columns of the transposed image.
#include "algorithms/diffusion_aos/parameters.hpp"
#include "algorithms/diffusion_lb/device.hpp"
#include "core/integers.hpp"
#include "core/long_loops.hpp"
#include "core/make_variant.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace parallax::engine::diffusion_aos {
namespace {

using diffusion_lb::Layout;
using diffusion_lb::LbParameters;
using diffusion_lb::Planes;

constexpr std::int64_t tile = 16;   // as TILE in split.cl

std::size_t size(std::int64_t v) { return static_cast<std::size_t>(v); }

/// What the lattice's passes need to know of the edges.
LbParameters edges_of(const AosParameters& p) {
    LbParameters lb;
    lb.threshold = p.threshold;
    lb.sigma = p.sigma;
    lb.edge_function = p.edge_function;
    return lb;
}

Planes turned(Planes p) {
    std::swap(p.width, p.height);
    return p;
}

class DevicePlan final : public Plan {
public:
    DevicePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : parameters_(problem.parameters.as<AosParameters>()),
          lb_(edges_of(parameters_)),
          layout_(diffusion_lb::planes_of(problem.inputs.at("image"))),
          turned_(turned(layout_.planes)),
          conversion_(builder, layout_),
          edges_(builder, layout_, lb_),
          group_(policy.at("work_group_size")) {
        const int asked = policy.at("rows_in_flight");
        // 16 for 8: an H200 takes .92 to .96 of the time from 1500 lines on, 1.02 for 500.
        const std::int64_t rows_in_flight = asked > 0 ? asked : builder.device().type == host::DeviceType::cpu ? 8 : 16;
        host::Defines d;
        d.add("EDGE", static_cast<std::int64_t>(parameters_.edge_function)).add("BLOCK", rows_in_flight);
        const host::ProgramSpec spec{"diffusion_aos/split.cl", d};
        diffusivities_ = builder.kernel(spec, "diffusivities");
        transpose_ = builder.kernel(spec, "transpose");
        solve_ = builder.kernel(spec, "solve");
        const std::size_t plane = layout_.batch_floats() * sizeof(float), turned_plane = turned_.batch_floats() * sizeof(float);
        for (Scratch* s : {&image_[0], &image_[1], &g_}) *s = builder.scratch(plane);
        for (Scratch* s : {&turned_image_, &turned_g_, &turned_out_}) *s = builder.scratch(turned_plane);
        upper_ = builder.scratch(std::max(plane, turned_plane));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        for (std::int64_t first = 0; first < layout_.planes.count(); first += layout_.batch) {
            const std::int64_t count = std::min(layout_.batch, layout_.planes.count() - first);
            conversion_.begin(x, arrays.input("image"), x.buffer(image_[0]), first, count);
            for (int n = 0; n < parameters_.iterations; ++n) step(x, n, count);
            conversion_.end(x, x.buffer(image_[0]), x.buffer(image_[1]), arrays.output("image"), first, count,
                            parameters_.iterations);
        }
    }

private:
    void step(Execution& x, int n, std::int64_t count) {
        const host::Buffer &in = x.buffer(image_[n % 2]), &out = x.buffer(image_[1 - n % 2]), &g = x.buffer(g_),
                           &turned_g = x.buffer(turned_g_);
        if (n % parameters_.update_edges_every == 0) {
            x.launch("edges", *diffusivities_, layout_.pixels(count), diffusion_lb::pixel_group,
                     {edges_.smooth(x, in, count), g, diffusion_lb::inverse_k2(lb_), layout_.width(), layout_.height(),
                      layout_.pitch32()});
            transpose(x, layout_, g, turned_g, count, false);
        }
        transpose(x, layout_, in, x.buffer(turned_image_), count, false);
        solve(x, layout_, in, g, out, count);
        solve(x, turned_, x.buffer(turned_image_), turned_g, x.buffer(turned_out_), count);
        transpose(x, turned_, x.buffer(turned_out_), out, count, true);
    }

    void transpose(Execution& x, const Layout& from, const host::Buffer& in, const host::Buffer& out, std::int64_t count,
                   bool add) {
        const Layout& to = &from == &layout_ ? turned_ : layout_;
        x.launch(add ? "mean" : "transpose", *transpose_,
                 {size(divided_up(from.planes.width, tile)),
                  size(std::min<std::int64_t>(divided_up(from.planes.height, tile), 65535)), size(count)},
                 {tile, tile, 1},
                 {in, out, from.width(), from.height(), from.pitch32(), to.pitch32(), static_cast<std::int32_t>(add)});
    }

    void solve(Execution& x, const Layout& layout, const host::Buffer& in, const host::Buffer& g, const host::Buffer& out,
               std::int64_t count) {
        x.launch("solve", *solve_, {size(divided_up(layout.planes.width, group_)), 1, size(count)}, {size(group_), 1, 1},
                 {in, g, x.buffer(upper_), out, static_cast<float>(parameters_.tau), layout.width(), layout.height(),
                  layout.pitch32()});
    }

    AosParameters parameters_;
    LbParameters lb_;
    Layout layout_, turned_;
    diffusion_lb::Conversion conversion_;
    diffusion_lb::EdgePasses edges_;
    std::int64_t group_;
    std::unique_ptr<host::Kernel> diffusivities_, transpose_, solve_;
    Scratch image_[2], g_, turned_image_, turned_g_, turned_out_, upper_;
};

}  // namespace

Variant device_variant() {
    return make_variant<DevicePlan>({
        .name = "device",
        .summary = "the Thomas algorithm, a work-item a column; rows as columns of the transposed image",
        .role = Role::best,
        .policy = {{"work_group_size", 32, {16, 32, 64, 128}, "columns of a work-group that solves"},
                   {"rows_in_flight", 0, {0, 1, 4, 8, 16, 32}, "rows that a work-item loads at a time; 0: 8 on CPUs, else 16"}},
        .supports = [](const Problem& problem, host::Context& context) {
            if (context.info().max_work_group < 256) return Support::no("needs work-groups of 256");
            // A work-item goes over a line twice, at most four rounds an element in all.
            const auto planes = diffusion_lb::planes_of(problem.inputs.at("image"));
            const std::int64_t longest = std::max(planes.width, planes.height);
            return Support{too_many_rounds(context, 4 * longest)};
        },
    });
}

}  // namespace parallax::engine::diffusion_aos
