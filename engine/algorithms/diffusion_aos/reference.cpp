// `reference`: double precision, row by row and column by column.
#include "algorithms/diffusion_aos/parameters.hpp"
#include "core/make_variant.hpp"
#include "algorithms/diffusion_lb/grid.hpp"
#include "algorithms/diffusion_lb/reference.hpp"
#include "core/plan.hpp"

#include <algorithm>
#include <memory>

namespace parallax::engine::diffusion_aos {
namespace {

/// (1 - 2 tau A)^-1 u along one line of `n` nodes, `stride` apart, added to `out` by half. Thomas algorithm.
void solve_line(double tau, const double* u, const double* g, double* out, std::int64_t n, std::int64_t stride,
                std::vector<double>& upper, std::vector<double>& right) {
    for (std::int64_t i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const double before = i > 0 ? tau * (g[i * stride] + g[(i - 1) * stride]) : 0,
                     after = i < n - 1 ? tau * (g[i * stride] + g[(i + 1) * stride]) : 0;
        const double pivot = 1 + before + after + (i > 0 ? before * upper[k - 1] : 0);
        upper[k] = -after / pivot;
        right[k] = (u[i * stride] + (i > 0 ? before * right[k - 1] : 0)) / pivot;
    }
    for (std::int64_t i = n - 1; i >= 0; --i) {
        const auto k = static_cast<std::size_t>(i);
        if (i < n - 1) right[k] -= upper[k] * right[k + 1];
        out[i * stride] += right[k] / 2;
    }
}

class ReferencePlan final : public Plan {
public:
    ReferencePlan(PlanBuilder& builder, const Problem& problem)
        : parameters_(problem.parameters.as<AosParameters>()), planes_(diffusion_lb::planes_of(problem.inputs.at("image"))) {
        const std::int64_t lines = 2 * std::max(planes_.width, planes_.height), planes = 2 + diffusion_lb::gradient_planes;
        builder.takes(diffusion_lb::bytes_taken(planes_) + 8 * (planes * planes_.pixels() + lines));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        x.host_task("diffuse", [this, in = arrays.input("image"), out = arrays.output("image")] {
            diffusion_lb::each_plane(planes_, in.host_pointer(), out.host_pointer(),
                                     [this](double* plane) { diffuse(parameters_, planes_.width, planes_.height, plane); });
        });
    }

private:
    AosParameters parameters_;
    diffusion_lb::Planes planes_;
};

}  // namespace

void diffuse(const AosParameters& p, std::int64_t width, std::int64_t height, double* image) {
    const auto size = static_cast<std::size_t>(width * height);
    std::vector<double> g(size), out(size), upper(static_cast<std::size_t>(std::max(width, height))), right(upper);
    Team alone(1);
    diffusion_lb::SquaredGradient gradient(p.sigma, width, height, alone);
    for (int n = 0; n < p.iterations; ++n) {
        if (n % p.update_edges_every == 0) {
            const std::vector<double>& r = gradient.of(image);
            for (std::size_t i = 0; i < size; ++i)
                g[i] = diffusion_lb::diffusivity(p.edge_function, r[i] / (p.threshold * p.threshold));
        }
        out.assign(size, 0);
        for (std::int64_t y = 0; y < height; ++y)
            solve_line(p.tau, image + y * width, &g[static_cast<std::size_t>(y * width)],
                       &out[static_cast<std::size_t>(y * width)], width, 1, upper, right);
        for (std::int64_t x = 0; x < width; ++x)
            solve_line(p.tau, image + x, &g[static_cast<std::size_t>(x)], &out[static_cast<std::size_t>(x)], height, width, upper,
                       right);
        std::copy(out.begin(), out.end(), image);
    }
}

Variant reference_variant() {
    return make_variant<ReferencePlan>(native_row("reference", "one thread, double precision: the oracle"));
}

}  // namespace parallax::engine::diffusion_aos
