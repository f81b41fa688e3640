#include "algorithms/diffusion_lb/rounds.hpp"

#include <algorithm>

namespace parallax::engine::diffusion_lb {

std::int64_t HaloRows::rows() const noexcept { return std::max({intensity, populations, edges}); }

Round round_from(const Pace& pace, int n, int launches) {
    Round round;
    for (int i = 0; i < launches && n < pace.parameters.iterations; ++i) {
        round.launches.push_back({pace.launch_at(n), 0});
        n += round.launches.back().launch.steps;
    }
    HaloRows& need = round.before;
    for (auto it = round.launches.rbegin(); it != round.launches.rend(); ++it) {
        const Launch& launch = it->launch;
        it->wider = launch.finds_edges ? need.rows() : std::max(need.intensity, need.populations);
        need = {it->wider + launch.intensity_rows, launch.step == 0 ? 0 : it->wider + launch.population_rows,
                launch.finds_edges ? 0 : std::max(need.edges, it->wider + launch.edge_rows)};
    }
    return round;
}

std::int64_t deepest(const Pace& pace, int launches) {
    std::int64_t rows = 0;
    for (int n = 0; n < pace.parameters.iterations;) {
        const Round round = round_from(pace, n, launches);
        rows = std::max(rows, round.before.rows());
        n = round.end();
    }
    return rows;
}

int launches_a_round(const Pace& pace, std::int64_t width, std::int64_t rows) {
    constexpr std::int64_t enough_pixels = std::int64_t{1} << 24;   // take longer than an exchange
    int launches = static_cast<int>(std::clamp<std::int64_t>(enough_pixels / (width * rows) + 1, 1, 8));
    while (launches > 1 && 4 * deepest(pace, launches) > rows) --launches;   // what two ranks compute both is lost
    return launches;
}

}  // namespace parallax::engine::diffusion_lb
