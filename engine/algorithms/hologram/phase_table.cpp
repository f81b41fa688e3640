#include "algorithms/hologram/phase_table.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace parallax::engine::hologram {

std::uint64_t fixed_turns(long double x) {
    const long double fraction = x - std::floor(x);
    // 2^63 first: a conversion of 2^64 itself would overflow where the fraction rounds to 1.
    return static_cast<std::uint64_t>(fraction * 0x1p63L) << 1;
}

namespace {

/// Largest index k with k / (n dx) below Matsushima's limit 1 / (lambda sqrt((2d / (n dx))^2 + 1)).
std::int32_t band_limit_index(std::int64_t n, double dx, double wavelength, double distance) {
    const double aperture = static_cast<double>(n) * dx;
    const double frequency = 1.0 / (wavelength * std::sqrt(std::pow(2.0 * distance / aperture, 2) + 1.0));
    const double index = frequency * aperture;
    const double below = std::ceil(index) - 1.0;      // strictly below
    return static_cast<std::int32_t>(std::clamp(below, 0.0, static_cast<double>(n)));
}

}  // namespace

PhaseConstants phase_constants(const Geometry& g, std::size_t plane, bool band_limit) {
    const double distance = g.distances[plane];
    const Method method = g.methods[plane];
    const long double lambda = g.wavelength, d = std::fabs(distance);
    const long double dx = g.dx, dy = g.dy;
    const long double width = g.padded_width * dx, height = g.padded_height * dy;
    PhaseConstants c{};
    c.scale[0] = static_cast<float>(d / lambda);
    c.scale[2] = distance < 0 ? -1.0f : 1.0f;
    c.limit[0] = static_cast<std::int32_t>(g.padded_width);
    c.limit[1] = static_cast<std::int32_t>(g.padded_height);
    switch (method) {
        case Method::angular_spectrum:
        case Method::fresnel:
        case Method::automatic:
            c.turns[0] = fixed_turns(lambda * d / (2 * width * width));
            c.turns[1] = fixed_turns(lambda * d / (2 * height * height));
            c.turns[2] = fixed_turns(d / lambda);
            c.unit[0] = static_cast<float>(lambda * lambda / (width * width));
            c.unit[1] = static_cast<float>(lambda * lambda / (height * height));
            if (method == Method::angular_spectrum && band_limit) {
                c.limit[0] = band_limit_index(g.padded_width, g.dx, g.wavelength, static_cast<double>(d));
                c.limit[1] = band_limit_index(g.padded_height, g.dy, g.wavelength, static_cast<double>(d));
            }
            break;
        case Method::convolution:
        case Method::rayleigh_sommerfeld:
            c.turns[0] = fixed_turns(dx * dx / (2 * lambda * d));
            c.turns[1] = fixed_turns(dy * dy / (2 * lambda * d));
            c.turns[2] = fixed_turns(d / lambda);
            c.scale[1] = static_cast<float>(dx * dy / (lambda * d));
            c.scale[3] = static_cast<float>(lambda / (2 * std::numbers::pi_v<long double> * d));
            c.unit[0] = static_cast<float>(dx * dx / (d * d));
            c.unit[1] = static_cast<float>(dy * dy / (d * d));
            c.limit[0] = c.limit[1] = -1;
            break;
        case Method::fresnel_single_fft: {
            const long double out_dx = lambda * d / width, out_dy = lambda * d / height;
            c.turns[0] = fixed_turns(dx * dx / (2 * lambda * d));
            c.turns[1] = fixed_turns(dy * dy / (2 * lambda * d));
            c.turns[2] = fixed_turns(out_dx * out_dx / (2 * lambda * d));
            c.turns[3] = fixed_turns(out_dy * out_dy / (2 * lambda * d));
            c.scale[1] = static_cast<float>(dx * dy / (lambda * d));
            const long double turns = d / lambda, angle = 2 * std::numbers::pi_v<long double> * (turns - std::floor(turns));
            c.unit[0] = static_cast<float>(std::cos(angle));
            c.unit[1] = static_cast<float>(std::sin(angle));
            break;
        }
    }
    return c;
}

PhaseTable::PhaseTable(PlanBuilder& builder, std::size_t planes)
    : count_(planes),
      turns_(builder.state(planes * 4 * sizeof(std::uint64_t))),
      scale_(builder.state(planes * 4 * sizeof(float))),
      unit_(builder.state(planes * 2 * sizeof(float))),
      limit_(builder.state(planes * 2 * sizeof(std::int32_t))),
      host_turns_(planes * 4),
      host_scale_(planes * 4),
      host_unit_(planes * 2),
      host_limit_(planes * 2),
      impulse_(planes) {
    std::vector<std::uint32_t> identity(planes + 1);
    std::iota(identity.begin(), identity.end(), 0u);
    identity.back() = 0;
    planes_ = builder.constant(identity);
}

void PhaseTable::set(const Geometry& geometry, bool band_limit) {
    for (std::size_t i = 0; i < count_; ++i) {
        const PhaseConstants c = phase_constants(geometry, i, band_limit);
        impulse_[i] = is_impulse_response(geometry.methods[i]);
        std::copy(std::begin(c.turns), std::end(c.turns), host_turns_.begin() + static_cast<std::ptrdiff_t>(4 * i));
        std::copy(std::begin(c.scale), std::end(c.scale), host_scale_.begin() + static_cast<std::ptrdiff_t>(4 * i));
        std::copy(std::begin(c.unit), std::end(c.unit), host_unit_.begin() + static_cast<std::ptrdiff_t>(2 * i));
        std::copy(std::begin(c.limit), std::end(c.limit), host_limit_.begin() + static_cast<std::ptrdiff_t>(2 * i));
    }
    fresh_ = true;
}

std::optional<bool> PhaseTable::is_impulse(std::uint32_t slot) const noexcept {
    if (slot < count_) return impulse_[slot];
    const auto impulses = std::count(impulse_.begin(), impulse_.end(), true);
    if (impulses != 0 && static_cast<std::size_t>(impulses) != count_) return std::nullopt;
    return impulses != 0;
}

bool PhaseTable::upload(Execution& x) {
    if (!fresh_) return false;
    fresh_ = false;
    x.upload("phase constants", turns_, host_turns_.data(), host_turns_.size() * sizeof(std::uint64_t));
    x.upload("phase constants", scale_, host_scale_.data(), host_scale_.size() * sizeof(float));
    x.upload("phase constants", unit_, host_unit_.data(), host_unit_.size() * sizeof(float));
    x.upload("phase constants", limit_, host_limit_.data(), host_limit_.size() * sizeof(std::int32_t));
    return true;
}

}  // namespace parallax::engine::hologram
