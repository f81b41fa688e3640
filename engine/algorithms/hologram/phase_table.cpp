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

/// D sqrt(C + X x^2 + Y y^2) turns, X and Y of the sign of `sign`.
void set_root(PhaseConstants& c, long double turns, long double x, long double y, long double constant, int sign) {
    const auto part = [sign](long double value, std::uint64_t& stored, float& lacking) {
        const std::uint64_t fixed = fixed_turns(value);
        stored = sign < 0 ? 0 - fixed : fixed;
        lacking = static_cast<float>(sign * (value * 0x1p64L - static_cast<long double>(fixed)));
    };
    part(x, c.turns[0], c.unit[0]);
    part(y, c.turns[1], c.unit[1]);
    c.turns[2] = fixed_turns(constant);
    c.turns[3] = fixed_turns(turns * 0x1p-32L);
    c.scale[0] = static_cast<float>(turns);
}

}  // namespace

PhaseConstants phase_constants(const Geometry& g, std::size_t plane) {
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
            if (method == Method::angular_spectrum && g.band_limit) {
                c.limit[0] = band_limit_index(g.padded_width, g.dx, g.wavelength, static_cast<double>(d));
                c.limit[1] = band_limit_index(g.padded_height, g.dy, g.wavelength, static_cast<double>(d));
            }
            if (method != Method::fresnel && has_long_phase(g)) {   // 2d/lambda sqrt((1 - s) / 4)
                const long double x = lambda / width, y = lambda / height;
                c.scale[1] = c.unit[0];
                c.scale[3] = c.unit[1];
                set_root(c, 2 * d / lambda, x * x / 4, y * y / 4, 0.25L, -1);
            }
            break;
        case Method::convolution:
        case Method::rayleigh_sommerfeld:
        {
            // r/lambda = R/lambda sqrt(r^2 / R^2), R beyond the corner of the frame.
            const long double reach = 1.001L * std::sqrt(d * d + (width * width + height * height) / 4);
            const auto square = [reach](long double length) { return length * length / (reach * reach); };
            set_root(c, reach / lambda, square(dx), square(dy), square(d), 1);
            const bool rayleigh = method == Method::rayleigh_sommerfeld;
            c.scale[1] = static_cast<float>(dx * dy / (lambda * reach) * (rayleigh ? d / reach : 1.0L));
            c.scale[3] = static_cast<float>(lambda / (2 * std::numbers::pi_v<long double> * reach));
        }
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

void add_phase_defines(host::Defines& defines, const Geometry& geometry) {
    if (has_long_phase(geometry)) defines.add("LONG_PHASE", 1);
    else defines.add("SMALL_ANGLES", small_angle_terms(geometry));
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

void PhaseTable::set(const Geometry& geometry) {
    for (std::size_t i = 0; i < count_; ++i) {
        const PhaseConstants c = phase_constants(geometry, i);
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
