#include "algorithms/diffusion_lb/reference.hpp"

#include "algorithms/hologram/rows.hpp"

#include <cmath>
#include <utility>

namespace parallax::engine::diffusion_lb {
namespace {

using Plane = std::vector<double>;

constexpr int cx[9] = {0, 1, -1, 0, 0, 1, -1, 1, -1}, cy[9] = {0, 0, 0, 1, -1, 1, 1, -1, -1};
constexpr int flipped_x[9] = {0, 2, 1, 3, 4, 6, 5, 8, 7}, flipped_y[9] = {0, 1, 2, 4, 3, 7, 8, 5, 6};

double weight(Lattice lattice, int i) {
    if (lattice == Lattice::d2q5) return 1.0 / 5;
    return i == 0 ? 4.0 / 9 : i < 5 ? 1.0 / 9 : 1.0 / 36;
}

/// Half-sample symmetric: ... 1 0 | 0 1 ... n-1 | n-1 n-2 ..., for any distance.
std::int64_t mirrored(std::int64_t i, std::int64_t n) {
    if (i >= 0 && i < n) return i;
    const std::int64_t m = ((i % (2 * n)) + 2 * n) % (2 * n);
    return m < n ? m : 2 * n - 1 - m;
}

class Diffusion {
public:
    Diffusion(const LbParameters& p, std::int64_t width, std::int64_t height, double* image, int threads)
        : p_(p), width_(width), height_(height), threads_(threads), image_(image), count_(populations(p.lattice)), gaussian_(gaussian(p.sigma)) {
        const auto size = static_cast<std::size_t>(width * height);
        smooth_rows_.resize(size);
        smooth_.resize(size);
        omega_.resize(size);
        for (int i = 0; i < count_; ++i) {
            f_[i].resize(size);
            streamed_[i].resize(size);
        }
        rows([&](std::int64_t y) {
            for (int i = 0; i < count_; ++i)
                for (std::int64_t x = 0; x < width_; ++x) f_[i][at(x, y)] = weight(p_.lattice, i) * image_[at(x, y)];
        });
    }

    int run() {
        for (int n = 0; n < p_.iterations; ++n) {
            if (n % p_.update_edges_every == 0) find_edges();
            collide();
            const bool still = stream();
            if (still) return n + 1;
        }
        return p_.iterations;
    }

private:
    std::size_t at(std::int64_t x, std::int64_t y) const { return static_cast<std::size_t>(y * width_ + x); }

    template <class Body> void rows(const Body& body) const {
        hologram::for_rows(height_, threads_, [&body](std::int64_t first, std::int64_t end) {
            for (std::int64_t y = first; y < end; ++y) body(y);
        });
    }

    void find_edges() {
        const auto radius = static_cast<std::int64_t>(gaussian_.size()) - 1;
        rows([&](std::int64_t y) {
            for (std::int64_t x = 0; x < width_; ++x) {
                double sum = gaussian_[0] * image_[at(x, y)];
                for (std::int64_t k = 1; k <= radius; ++k)
                    sum += gaussian_[static_cast<std::size_t>(k)] * (image_[at(mirrored(x - k, width_), y)] + image_[at(mirrored(x + k, width_), y)]);
                smooth_rows_[at(x, y)] = sum;
            }
        });
        rows([&](std::int64_t y) {
            for (std::int64_t x = 0; x < width_; ++x) smooth_[at(x, y)] = gaussian_[0] * smooth_rows_[at(x, y)];
            for (std::int64_t k = 1; k <= radius; ++k) {
                const double* above = &smooth_rows_[at(0, mirrored(y - k, height_))];
                const double* below = &smooth_rows_[at(0, mirrored(y + k, height_))];
                for (std::int64_t x = 0; x < width_; ++x) smooth_[at(x, y)] += gaussian_[static_cast<std::size_t>(k)] * (above[x] + below[x]);
            }
        });
        rows([&](std::int64_t y) {
            for (std::int64_t x = 0; x < width_; ++x) {
                const double gx = (smooth_[at(mirrored(x + 1, width_), y)] - smooth_[at(mirrored(x - 1, width_), y)]) / 2;
                const double gy = (smooth_[at(x, mirrored(y + 1, height_))] - smooth_[at(x, mirrored(y - 1, height_))]) / 2;
                const double g = diffusivity(p_.edge_function, (gx * gx + gy * gy) / (p_.threshold * p_.threshold));
                omega_[at(x, y)] = 2 / (1 + coupling(p_) * g);
            }
        });
    }

    void collide() {
        rows([&](std::int64_t y) {
            for (int i = 0; i < count_; ++i) {
                const double w = weight(p_.lattice, i);
                for (std::size_t k = at(0, y); k < at(width_, y); ++k) f_[i][k] = (1 - omega_[k]) * f_[i][k] + omega_[k] * w * image_[k];
            }
        });
    }

    /// Pulls f*_i from x - c_i; outside, the coordinate is clamped and that component of the velocity flipped. True where
    /// the step changed less than asked for.
    bool stream() {
        std::vector<double> change(static_cast<std::size_t>(height_)), norm(change);
        rows([&](std::int64_t y) {
            for (int i = 0; i < count_; ++i) {
                const bool outside = y - cy[i] < 0 || y - cy[i] >= height_;
                const std::int64_t from = outside ? y : y - cy[i];
                const int straight = outside ? flipped_y[i] : i;
                for (std::int64_t x = 0; x < width_; ++x) {
                    const std::int64_t column = x - cx[i];
                    const bool beside = column < 0 || column >= width_;
                    streamed_[i][at(x, y)] = f_[beside ? flipped_x[straight] : straight][at(beside ? x : column, from)];
                }
            }
            double changed = 0, squares = 0;
            for (std::size_t k = at(0, y); k < at(width_, y); ++k) {
                double sum = 0;
                for (int i = 0; i < count_; ++i) sum += streamed_[i][k];
                changed += (sum - image_[k]) * (sum - image_[k]);
                squares += image_[k] * image_[k];
                image_[k] = sum;
            }
            change[static_cast<std::size_t>(y)] = changed;
            norm[static_cast<std::size_t>(y)] = squares;
        });
        for (int i = 0; i < count_; ++i) f_[i].swap(streamed_[i]);
        double changed = 0, squares = 0;
        for (std::size_t y = 0; y < change.size(); ++y) {
            changed += change[y];
            squares += norm[y];
        }
        return changed < p_.stop_below * p_.stop_below * squares;
    }

    LbParameters p_;
    std::int64_t width_, height_;
    int threads_;
    double* image_;
    int count_;
    Plane gaussian_, smooth_rows_, smooth_, omega_;
    Plane f_[9], streamed_[9];
};

}  // namespace

double diffusivity(EdgeFunction function, double r) noexcept {
    switch (function) {
        case EdgeFunction::perona_malik_1: return std::exp(-r);
        case EdgeFunction::perona_malik_2: return 1 / (1 + r);
        case EdgeFunction::charbonnier: return 1 / std::sqrt(1 + r);
        case EdgeFunction::weickert: return r > 0 ? 1 - std::exp(-3.31488 / (r * r * r * r)) : 1;
    }
    return 1;
}

int diffuse(const LbParameters& p, std::int64_t width, std::int64_t height, double* image, int threads) {
    return Diffusion(p, width, height, image, threads).run();
}

}  // namespace parallax::engine::diffusion_lb
