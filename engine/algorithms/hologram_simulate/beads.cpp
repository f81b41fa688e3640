#include "algorithms/hologram_simulate/beads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "algorithms/hologram_simulate/random.hpp"

namespace parallax::engine::hologram_simulate {
namespace {

/// Beads by cells as wide as two beads must be apart, so that only neighbouring cells need a look.
class Neighbours {
public:
    Neighbours(double width, double height, double separation)
        : separation_(separation),
          columns_(static_cast<std::int64_t>(width / separation) + 1),
          cells_(static_cast<std::size_t>(columns_ * (static_cast<std::int64_t>(height / separation) + 1))) {}

    /// In metres. False, and nothing kept, if another bead is too near.
    bool add(double x, double y) {
        const std::int64_t column = static_cast<std::int64_t>(x / separation_), row = static_cast<std::int64_t>(y / separation_);
        const std::int64_t rows = static_cast<std::int64_t>(cells_.size()) / columns_;
        for (std::int64_t v = std::max<std::int64_t>(row - 1, 0); v <= std::min(row + 1, rows - 1); ++v)
            for (std::int64_t u = std::max<std::int64_t>(column - 1, 0); u <= std::min(column + 1, columns_ - 1); ++u)
                for (const Bead& other : cells_[static_cast<std::size_t>(v * columns_ + u)])
                    if (std::hypot(other.x - x, other.y - y) < separation_) return false;
        cells_[static_cast<std::size_t>(row * columns_ + column)].push_back({x, y});
        return true;
    }

private:
    double separation_;
    std::int64_t columns_;
    std::vector<std::vector<Bead>> cells_;
};

/// Share of the pixel (p, q) from the bead's centre, in pixels, that a disc of `radius` metres covers.
double coverage(double p, double q, double dx, double dy, double radius) {
    const double r = std::hypot(p * dx, q * dy), half_diagonal = std::hypot(dx, dy) / 2;
    if (r > radius + half_diagonal) return 0;
    if (r < radius - half_diagonal) return 1;
    int inside = 0;
    for (int j = 0; j < 16; ++j)
        for (int i = 0; i < 16; ++i) {
            const double u = (p + (i + 0.5) / 16 - 0.5) * dx, v = (q + (j + 0.5) / 16 - 0.5) * dy;
            inside += u * u + v * v <= radius * radius;
        }
    return inside / 256.0;
}

}  // namespace

std::vector<Bead> place_beads(const SimulateParameters& p) {
    if (p.count == 0) return {};
    if (p.count == 1) return {{static_cast<double>(p.width / 2), static_cast<double>(p.height / 2)}};

    const double dx = p.pixel[0], dy = p.pixel[1], gap = std::hypot(dx, dy);
    const double margin = p.radius + gap, room_x = (p.width - 1) * dx - 2 * margin, room_y = (p.height - 1) * dy - 2 * margin;
    const std::string frame = fmt::format("{:.6g} um x {:.6g} um", p.width * dx * 1e6, p.height * dy * 1e6);
    if (room_x < 0 || room_y < 0)
        throw ConfigError("/radius_um", fmt::format("beads of radius {:.6g} um", p.radius * 1e6),
                          "beads that fit into the frame of " + frame, "take a smaller radius or more pixels");

    Neighbours neighbours(room_x, room_y, 2 * p.radius + gap);
    std::vector<Bead> beads;
    const std::uint64_t stream = splitmix64(~static_cast<std::uint64_t>(p.seed));  // apart from the noise's numbers
    const std::uint64_t attempts = 1000 * static_cast<std::uint64_t>(p.count);
    for (std::uint64_t k = 0; k < attempts && beads.size() < static_cast<std::size_t>(p.count); ++k) {
        const double x = room_x * uniform(splitmix64(stream + 2 * k)), y = room_y * uniform(splitmix64(stream + 2 * k + 1));
        if (neighbours.add(x, y)) beads.push_back({(margin + x) / dx, (margin + y) / dy});
    }
    if (beads.size() < static_cast<std::size_t>(p.count))
        throw ConfigError("/count", fmt::format("{} beads of radius {:.6g} um in a frame of {}", p.count, p.radius * 1e6, frame),
                          fmt::format("fewer: {} found a place without touching", beads.size()),
                          "take fewer or smaller beads, or more pixels");
    return beads;
}

std::vector<std::complex<double>> transmission(const SimulateParameters& p, const std::vector<Bead>& beads) {
    std::vector<std::complex<double>> t(static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.height), 1.0);
    const double dx = p.pixel[0], dy = p.pixel[1], a = p.radius;
    for (const Bead& bead : beads) {
        const auto range = [a](double centre, double step, int size) {
            const double reach = a / step + 1;
            return std::pair(std::max(0, static_cast<int>(std::floor(std::max(centre - reach, 0.0)))),
                             static_cast<int>(std::min(std::ceil(centre + reach), size - 1.0)));
        };
        const auto [left, right] = range(bead.x, dx, p.width);
        const auto [top, bottom] = range(bead.y, dy, p.height);
        for (int y = top; y <= bottom; ++y)
            for (int x = left; x <= right; ++x) {
                auto& value = t[static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x)];
                if (p.kind == BeadKind::opaque) {
                    value -= coverage(x - bead.x, y - bead.y, dx, dy, a);
                    continue;
                }
                const double r = std::hypot((x - bead.x) * dx, (y - bead.y) * dy);
                if (r < a)
                    value = std::polar(1.0, 2 * std::numbers::pi * p.delta_n * 2 * std::sqrt((a - r) * (a + r)) / p.wavelength);
            }
    }
    return t;
}

std::vector<float> noise_of(const SimulateParameters& p) {
    if (p.noise == 0) return {};
    std::vector<float> noise(static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.height));
    for (std::size_t i = 0; i < noise.size(); ++i)
        noise[i] = static_cast<float>(p.noise * normal(i, static_cast<std::uint64_t>(p.seed)));
    return noise;
}

Json beads_record(const SimulateParameters& p, const std::vector<Bead>& beads) {
    Json positions = Json::array();
    for (const Bead& bead : beads) positions.push_back({bead.x * p.pixel[0] * 1e6, bead.y * p.pixel[1] * 1e6});
    return {{"distance_um", p.distance * 1e6}, {"radius_um", p.radius * 1e6}, {"position_um", std::move(positions)}};
}

}  // namespace parallax::engine::hologram_simulate
