// Which rows of its neighbours a rank must know, and for how many launches.
#pragma once

#include "algorithms/diffusion_lb/steps.hpp"

#include <vector>

namespace parallax::engine::diffusion_lb {

/// Rows beside a rank's own that must be right.
struct HaloRows {
    std::int64_t intensity = 0, populations = 0, edges = 0;
    std::int64_t rows() const noexcept;
};

/// A launch, and how many rows beside its own a rank writes with it, for the launches that follow in its round.
struct WiderLaunch {
    Launch launch;
    std::int64_t wider = 0;
};

/// Launches between two exchanges. Each needs rows further out than it writes, so that fewer and fewer of the neighbours'
/// rows are right, and with the last launch none but the rank's own.
struct Round {
    std::vector<WiderLaunch> launches;
    HaloRows before;

    int end() const noexcept { return launches.back().launch.step + launches.back().launch.steps; }
};

/// At most `launches` of them from step n on, which is below the number of iterations.
Round round_from(const Pace&, int n, int launches);
/// The largest of all needs.
std::int64_t deepest(const Pace&, int launches);
/// Launches a round for ranks with so many rows: more where there is little to compute meanwhile.
int launches_a_round(const Pace&, std::int64_t width, std::int64_t rows);

}  // namespace parallax::engine::diffusion_lb
