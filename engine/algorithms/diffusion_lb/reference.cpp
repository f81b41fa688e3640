#include "algorithms/diffusion_lb/reference.hpp"

#include "algorithms/diffusion_lb/grid.hpp"

#include <cmath>

namespace parallax::engine::diffusion_lb {
namespace {

using Plane = std::vector<double>;

constexpr int cx[9] = {0, 1, -1, 0, 0, 1, -1, 1, -1}, cy[9] = {0, 0, 0, 1, -1, 1, 1, -1, -1};
constexpr int flipped_x[9] = {0, 2, 1, 3, 4, 6, 5, 8, 7}, flipped_y[9] = {0, 1, 2, 4, 3, 7, 8, 5, 6};

double weight(Lattice lattice, int i) {
    if (lattice == Lattice::d2q5) return 1.0 / 5;
    return i == 0 ? 4.0 / 9 : i < 5 ? 1.0 / 9 : 1.0 / 36;
}

class Diffusion {
public:
    Diffusion(const LbParameters& p, std::int64_t width, std::int64_t height, double* image, int threads)
        : p_(p), width_(width), height_(height), team_(threads), image_(image), count_(populations(p.lattice)),
          gradient_(p.sigma, width, height, team_) {
        const auto size = static_cast<std::size_t>(width * height);
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

    template <class Body> void rows(const Body& body) { for_each_row(height_, team_, body); }

    void find_edges() {
        const Plane& gradient = gradient_.of(image_);
        rows([&](std::int64_t y) {
            for (std::size_t k = at(0, y); k < at(width_, y); ++k)
                omega_[k] = 2 / (1 + coupling(p_) * diffusivity(p_.edge_function, gradient[k] / (p_.threshold * p_.threshold)));
        });
    }

    void collide() {
        rows([&](std::int64_t y) {
            for (int i = 0; i < count_; ++i) {
                const double w = weight(p_.lattice, i);
                for (std::size_t k = at(0, y); k < at(width_, y); ++k)
                    f_[i][k] = (1 - omega_[k]) * f_[i][k] + omega_[k] * w * image_[k];
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
    Team team_;
    double* image_;
    int count_;
    SquaredGradient gradient_;
    Plane omega_;
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

std::int64_t diffusion_bytes(const LbParameters& p, std::int64_t width, std::int64_t height) noexcept {
    const std::int64_t edges = 1, sums = 2 * height;
    return 8 * ((gradient_planes + edges + 2 * populations(p.lattice)) * width * height + sums);
}

int diffuse(const LbParameters& p, std::int64_t width, std::int64_t height, double* image, int threads) {
    return Diffusion(p, width, height, image, threads).run();
}

}  // namespace parallax::engine::diffusion_lb
