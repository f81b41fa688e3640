// What the references of both diffusions share: planes in double precision, borders, the gradient of the smoothed image.
#pragma once

#include "algorithms/diffusion_lb/parameters.hpp"
#include "core/threads.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

namespace parallax::engine::diffusion_lb {

/// Half-sample symmetric: ... 1 0 | 0 1 ... n-1 | n-1 n-2 ..., for any distance.
inline std::int64_t mirrored(std::int64_t i, std::int64_t n) noexcept {
    if (i >= 0 && i < n) return i;
    const std::int64_t m = ((i % (2 * n)) + 2 * n) % (2 * n);
    return m < n ? m : 2 * n - 1 - m;
}

/// body(y) for every row, shared out among the team.
template <class Body>
void for_each_row(std::int64_t height, Team& team, const Body& body) {
    team.ranges(height, [&body](std::int64_t first, std::int64_t end) {
        for (std::int64_t y = first; y < end; ++y) body(y);
    });
}

/// |central difference of the smoothed image|^2, with memory that is used again for the next image.
constexpr std::int64_t gradient_planes = 3;   ///< of doubles, which it has
class SquaredGradient {
public:
    /// The team outlives it.
    SquaredGradient(double sigma, std::int64_t width, std::int64_t height, Team&);
    /// Row-major; valid until the next call.
    const std::vector<double>& of(const double* image);

private:
    std::int64_t width_, height_;
    Team& team_;
    std::vector<double> gaussian_, rows_, smooth_, squared_;
};

/// Hands each plane of `in` to `work` as doubles and writes what it makes of it to `out`, rounded half to even and clipped to
/// the type; `out` null: to nowhere.
void each_plane(const Planes&, const std::byte* in, std::byte* out, const std::function<void(double*)>& work);
/// What that takes beside its work.
inline std::int64_t bytes_taken(const Planes& planes) noexcept { return 8 * planes.pixels(); }

}  // namespace parallax::engine::diffusion_lb
