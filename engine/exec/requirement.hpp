// What a step requires of a device's memory, and the tiles that fit when it is too much.
#pragma once

#include "core/session.hpp"
#include "exec/tiles.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine {

/// "67.1 MB".
std::string human(std::uint64_t bytes);

/// What may be on the device: the job's memory_limit, or the device's own limits.
struct Budget {
    std::uint64_t total = 0;      ///< bytes of all at once
    std::uint64_t largest = 0;    ///< bytes of one allocation
    std::string words;            ///< "memory_limit is 67.1 MB"

    bool holds(std::uint64_t bytes, std::uint64_t largest_one) const noexcept { return bytes <= total && largest_one <= largest; }
};

struct Requirement {
    std::uint64_t arrays = 0;
    std::vector<std::uint64_t> workspace;   ///< pieces, which plans of one session share
    std::uint64_t state = 0;                ///< kept by the plan
    std::uint64_t largest = 0;              ///< of all these
    int slab_passes = 1;                    ///< over a plan's slabs

    std::uint64_t workspace_bytes() const noexcept;
    std::uint64_t bytes() const noexcept { return arrays + workspace_bytes() + state; }
    std::string describe() const;           ///< "1.2 GB: arrays 0.8 GB, workspace 0.4 GB, 12 bytes kept by the plan"
};

/// Pieces of workspace, which plans of one session share: each becomes as large as its largest user.
template <class Sizes>
void widen(std::vector<std::uint64_t>& pieces, const Sizes& more) {
    if (pieces.size() < more.size()) pieces.resize(more.size());
    for (std::size_t i = 0; i < more.size(); ++i) pieces[i] = std::max<std::uint64_t>(pieces[i], more[i]);
}

/// The problem of the first tile, and of the last where it is of another size: those for which there are plans.
std::vector<Problem> of_tiles(const Problem&, const Tiling&);

/// Of the arrays alone; of a slab, two slabs.
Requirement arrays_of(const Algorithm&, const Problem&);
/// Adds what the plan needs, which is made for that. `choice` is as make_plan() leaves it.
Requirement requirement_of(Session&, const Algorithm&, const Problem&, Choice& choice);

/// Tiles of a step within the budget, as large as they can be, and `need` of the largest; or the reasons why none are.
std::optional<Tiling> cut_into_tiles(Session&, const Algorithm&, const Problem&, Choice&, const Budget&, Requirement& need,
                                     std::vector<std::string>& reasons);

}  // namespace parallax::engine
