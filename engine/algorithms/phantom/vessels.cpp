// The vessel tree: made on the host in operations that IEEE 754 rounds alike everywhere, then rounded to whole voxels.
#include "algorithms/hologram_simulate/random.hpp"
#include "algorithms/phantom/phantom.hpp"

#include <algorithm>
#include <cmath>

namespace parallax::engine::phantom {
namespace {

using Vector = std::array<double, 3>;
constexpr std::size_t vessels = 127;   // seven generations

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vector unit(Vector v) {
    const double length = std::sqrt(dot(v, v));
    for (double& c : v) c /= length;
    return v;
}

/// A unit vector at right angles to `along`.
Vector sideways(const Vector& along, std::uint64_t& counter) {
    for (;;) {
        Vector v;
        for (double& c : v) c = 2 * hologram_simulate::uniform(hologram_simulate::splitmix64(counter++)) - 1;
        const double shared = dot(v, along);
        for (std::size_t i = 0; i < 3; ++i) v[i] -= shared * along[i];
        if (dot(v, v) > 0.01) return unit(v);
    }
}

}  // namespace

std::vector<Vessel> vessels_of(const PhantomParameters& p) {
    if (p.kind != Kind::vessel_tree) return {};
    struct Branch {
        Vector from, along;
        double length, radius;
    };
    std::uint64_t counter = static_cast<std::uint64_t>(p.seed) << 32;
    const double side = p.size;
    std::vector<Branch> branches{{{side / 2, side / 2, 0}, {0, 0, 1}, side * 0.3, side / 24}};
    std::vector<Vessel> tree;
    for (std::size_t i = 0; i < vessels; ++i) {
        const Branch b = branches[i];
        Vessel v;
        Vector end;
        for (std::size_t c = 0; c < 3; ++c) {
            end[c] = std::clamp(b.from[c] + b.length * b.along[c], 0.0, side - 1);
            v.from[c] = static_cast<std::int32_t>(b.from[c]);
            v.to[c] = static_cast<std::int32_t>(end[c]);
            v.length_squared += (v.to[c] - v.from[c]) * (v.to[c] - v.from[c]);
        }
        v.radius_squared = static_cast<std::int32_t>(b.radius * b.radius);
        tree.push_back(v);
        const Vector side_step = sideways(b.along, counter);
        for (const double turn : {0.75, -0.75}) {   // 37 degrees to either side
            Vector along;
            for (std::size_t c = 0; c < 3; ++c) along[c] = b.along[c] + turn * side_step[c];
            branches.push_back({end, unit(along), b.length * 0.8, b.radius * 0.7937});
        }
    }
    return tree;
}

}  // namespace parallax::engine::phantom
