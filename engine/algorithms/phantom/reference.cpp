// `reference`: the kernel's integers on the native device.
#include "algorithms/hologram_simulate/random.hpp"
#include "core/make_variant.hpp"
#include "algorithms/phantom/phantom.hpp"
#include "core/plan.hpp"
#include "core/threads.hpp"

#include <algorithm>
#include <memory>

namespace parallax::engine::phantom {
namespace {

bool in_vessel(const Vessel& v, const std::array<std::int64_t, 3>& at) {
    std::int64_t near = 0, far = 0, along = 0;
    for (std::size_t c = 0; c < 3; ++c) {
        const std::int64_t a = at[c] - v.from[c], b = at[c] - v.to[c];
        near += a * a;
        far += b * b;
        along += a * (v.to[c] - v.from[c]);
    }
    if (along <= 0) return near <= v.radius_squared;
    if (along >= v.length_squared) return far <= v.radius_squared;
    return near * v.length_squared - along * along <= std::int64_t{v.radius_squared} * v.length_squared;
}

/// The largest number of the coordinates that have the ternary digit 1 in one place.
int most_middle_digits(std::int64_t x, std::int64_t y, std::int64_t z) {
    int most = 0;
    for (; (x | y | z) != 0; x /= 3, y /= 3, z /= 3) most = std::max(most, (x % 3 == 1) + (y % 3 == 1) + (z % 3 == 1));
    return most;
}

class ReferencePlan final : public Plan {
public:
    explicit ReferencePlan(const Problem& problem)
        : parameters_(problem.parameters.as<PhantomParameters>()), vessels_(vessels_of(parameters_)) {}

    void enqueue(Execution& x, const Bindings& arrays) override {
        if (!arrays.has_output("volume")) return;
        x.host_task("phantom", [this, out = arrays.output("volume")] {
            const std::int64_t side = parameters_.size, depth = is_flat(parameters_.kind) ? 1 : side;
            auto* const to = reinterpret_cast<std::uint8_t*>(out.host_pointer());
            parallel_ranges(side * depth, 0, [&](std::int64_t first, std::int64_t end) {
                for (std::int64_t row = first; row < end; ++row)
                    for (std::int64_t column = 0; column < side; ++column)
                        to[row * side + column] = is_set(parameters_, vessels_, column, row % side, row / side) ? set_voxel : 0;
            });
        });
    }

private:
    PhantomParameters parameters_;
    std::vector<Vessel> vessels_;
};

}  // namespace

bool is_set(const PhantomParameters& p, const std::vector<Vessel>& vessels, std::int64_t x, std::int64_t y, std::int64_t z) {
    switch (p.kind) {
        case Kind::cube: return true;
        case Kind::menger:
        case Kind::carpet: return most_middle_digits(x, y, z) < 2;
        case Kind::cantor: return most_middle_digits(x, y, z) == 0;
        case Kind::triangle: return (x & y) == 0;
        case Kind::tetrahedron: return ((x & y) | (x & z) | (y & z)) == 0;
        case Kind::random: {
            const auto i = static_cast<std::uint64_t>((z * p.size + y) * p.size + x);
            return hologram_simulate::splitmix64(i + (static_cast<std::uint64_t>(p.seed) << 34)) >> 11 < density_threshold(p);
        }
        case Kind::vessel_tree: break;
    }
    return std::any_of(vessels.begin(), vessels.end(), [&](const Vessel& v) { return in_vessel(v, {x, y, z}); });
}

Variant reference_variant() {
    return make_variant<ReferencePlan>(native_row("reference", "on the host, the kernel's integers"));
}

}  // namespace parallax::engine::phantom
