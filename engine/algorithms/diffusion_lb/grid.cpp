#include "algorithms/diffusion_lb/grid.hpp"

namespace parallax::engine::diffusion_lb {
namespace {

template <class T>
T rounded(double v) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(v);
    else return static_cast<T>(std::clamp(std::nearbyint(v), 0.0, static_cast<double>(std::numeric_limits<T>::max())));
}

template <class T>
void each_plane_of(const Planes& p, const T* from, T* to, const std::function<void(double*)>& work) {
    const std::int64_t pixels = p.pixels();
    std::vector<double> plane(static_cast<std::size_t>(pixels));
    for (std::int64_t slice = 0; slice < p.slices; ++slice)
        for (int channel = 0; channel < p.channels; ++channel) {
            const std::int64_t first = slice * pixels * p.channels + channel;
            for (std::int64_t i = 0; i < pixels; ++i)
                plane[static_cast<std::size_t>(i)] = static_cast<double>(from[first + i * p.channels]);
            work(plane.data());
            if (to == nullptr) continue;
            for (std::int64_t i = 0; i < pixels; ++i) to[first + i * p.channels] = rounded<T>(plane[static_cast<std::size_t>(i)]);
        }
}

}  // namespace

SquaredGradient::SquaredGradient(double sigma, std::int64_t width, std::int64_t height, Team& team)
    : width_(width),
      height_(height),
      team_(team),
      gaussian_(gaussian(sigma)),
      rows_(static_cast<std::size_t>(width * height)),
      smooth_(rows_.size()),
      squared_(rows_.size()) {}

const std::vector<double>& SquaredGradient::of(const double* image) {
    const std::int64_t width = width_, height = height_;
    const std::vector<double>& weights = gaussian_;
    const auto radius = static_cast<std::int64_t>(weights.size()) - 1;
    const auto at = [width](std::int64_t x, std::int64_t y) { return static_cast<std::size_t>(y * width + x); };
    for_each_row(height, team_, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < width; ++x) {
            double sum = weights[0] * image[at(x, y)];
            for (std::int64_t k = 1; k <= radius; ++k)
                sum += weights[static_cast<std::size_t>(k)] *
                       (image[at(mirrored(x - k, width), y)] + image[at(mirrored(x + k, width), y)]);
            rows_[at(x, y)] = sum;
        }
    });
    for_each_row(height, team_, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < width; ++x) smooth_[at(x, y)] = weights[0] * rows_[at(x, y)];
        for (std::int64_t k = 1; k <= radius; ++k) {
            const double* above = &rows_[at(0, mirrored(y - k, height))];
            const double* below = &rows_[at(0, mirrored(y + k, height))];
            for (std::int64_t x = 0; x < width; ++x)
                smooth_[at(x, y)] += weights[static_cast<std::size_t>(k)] * (above[x] + below[x]);
        }
    });
    for_each_row(height, team_, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < width; ++x) {
            const double gx = (smooth_[at(mirrored(x + 1, width), y)] - smooth_[at(mirrored(x - 1, width), y)]) / 2;
            const double gy = (smooth_[at(x, mirrored(y + 1, height))] - smooth_[at(x, mirrored(y - 1, height))]) / 2;
            squared_[at(x, y)] = gx * gx + gy * gy;
        }
    });
    return squared_;
}

void each_plane(const Planes& p, const std::byte* in, std::byte* out, const std::function<void(double*)>& work) {
    const auto run = [&]<class T>(const T*) {
        each_plane_of(p, reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), work);
    };
    if (p.type == ElementType::u8) run(static_cast<const std::uint8_t*>(nullptr));
    else if (p.type == ElementType::u16) run(static_cast<const std::uint16_t*>(nullptr));
    else run(static_cast<const float*>(nullptr));
}

}  // namespace parallax::engine::diffusion_lb
