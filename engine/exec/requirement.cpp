#include "exec/requirement.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace parallax::engine {

namespace {

/// The problem of one tile.
Problem with_window(const Problem& problem, char axis, std::int64_t size) {
    Problem tile = problem;
    for (auto& [port, desc] : tile.inputs) desc = with_size(desc, axis, size);
    return tile;
}

std::int64_t whole_of(const Problem& problem, char axis) {
    std::int64_t size = 1;
    for (const auto& [port, desc] : problem.inputs) size = std::max(size, desc.size(axis));
    return size;
}

/// The widest window whose arrays alone stay within the budget.
std::int64_t widest(const Algorithm& algorithm, const Problem& problem, char axis, std::int64_t whole, const Budget& budget) {
    std::int64_t low = 0, high = whole;
    while (low < high) {
        const std::int64_t middle = low + (high - low + 1) / 2;
        const Requirement need = arrays_of(algorithm, with_window(problem, axis, middle));
        if (budget.holds(need.bytes(), need.largest)) low = middle;
        else high = middle - 1;
    }
    return low;
}

/// Of all tiles together. What a plan needs may grow as tiles get smaller (more groups of rows, each with its own lines), so that no
/// one of them stands for the others.
Requirement requirement_of_tiles(Session& session, const Algorithm& algorithm, const Problem& problem, Choice& choice,
                                 const Tiling& tiling) {
    const std::vector<Problem> tiles = of_tiles(problem, tiling);
    Requirement need = requirement_of(session, algorithm, tiles.front(), choice);
    if (tiles.size() == 1) return need;
    Choice same = choice;
    const Requirement last = requirement_of(session, algorithm, tiles.back(), same);
    need.arrays = std::max(need.arrays, last.arrays);
    widen(need.workspace, last.workspace);
    need.state += last.state;
    need.largest = std::max(need.largest, last.largest);
    return need;
}

bool wants_records(const Algorithm& algorithm, const Problem& problem) {
    return std::any_of(algorithm.outputs.begin(), algorithm.outputs.end(),
                       [&](const Port& port) { return port.kind != PortKind::array && problem.wants(port.name); });
}

}  // namespace

std::string human(std::uint64_t bytes) {
    if (bytes >= 10000000000) return host::human_bytes(bytes);
    return bytes < 10000000 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

std::uint64_t Requirement::workspace_bytes() const noexcept {
    return std::accumulate(workspace.begin(), workspace.end(), std::uint64_t{0});
}

std::string Requirement::describe() const {
    return fmt::format("{} at once: arrays {}, workspace {}, kept by the plan {}", human(bytes()), human(arrays),
                       human(workspace_bytes()), human(state));
}

std::vector<Problem> of_tiles(const Problem& problem, const Tiling& tiling) {
    const std::int64_t first = tiling.at(0).size, last = tiling.at(tiling.count() - 1).size;
    std::vector<Problem> tiles{with_window(problem, tiling.way.axis, first)};
    if (last != first) tiles.push_back(with_window(problem, tiling.way.axis, last));
    return tiles;
}

Requirement arrays_of(const Algorithm& algorithm, const Problem& problem) {
    Requirement need;
    const auto add = [&need](std::uint64_t bytes, std::uint64_t copies) {
        need.arrays += copies * bytes;
        need.largest = std::max(need.largest, bytes);
    };
    for (const auto& [port, desc] : problem.inputs) {
        const std::int64_t slices = desc.axes.empty() ? 1 : std::max<std::int64_t>(1, desc.axes.front().size);
        if (problem.slab > 0)
            add(desc.dense_bytes() / static_cast<std::uint64_t>(slices) *
                    static_cast<std::uint64_t>(std::min(problem.slab, slices)),
                2);
        else add(desc.dense_bytes(), 1);
    }
    for (const auto& [port, desc] : algorithm.infer(problem)) add(desc.dense_bytes(), 1);
    return need;
}

Requirement requirement_of(Session& session, const Algorithm& algorithm, const Problem& problem, Choice& choice) {
    Requirement need = arrays_of(algorithm, problem);
    const PlanMade made = make_plan(session.context(), session.queue(), problem, choice);
    session.queue().finish();
    const std::vector<std::size_t> workspace = made.builder->workspace();
    need.workspace.assign(workspace.begin(), workspace.end());
    for (const std::uint64_t slot : need.workspace) need.largest = std::max(need.largest, slot);
    need.state = made.builder->state_bytes();
    need.slab_passes = made.plan->slab_passes();
    return need;
}

std::optional<Tiling> cut_into_tiles(Session& session, const Algorithm& algorithm, const Problem& problem, Choice& choice,
                                     const Budget& budget, Requirement& need, std::vector<std::string>& reasons) {
    const Division division = algorithm.chunking ? algorithm.chunking(problem) : Division::no("it knows no way");
    if (division.ways.empty())
        reasons.push_back(fmt::format("{} cannot be cut into tiles: {}", algorithm.name, division.why_not));
    for (const Chunking& way : division.ways) {
        if (wants_records(algorithm, problem) && !way.join) {
            reasons.push_back(
                fmt::format("{} cannot be cut along {}: its records cannot be put together", algorithm.name, way.axis));
            continue;
        }
        Tiling tiling{way, whole_of(problem, way.axis), 0};
        const std::int64_t beside = 2 * way.halo + 2 * (way.align - 1);
        const std::int64_t least = std::max({std::int64_t{1}, way.halo, way.align / 2});   // else most of the work is done twice
        const std::int64_t window = widest(algorithm, problem, way.axis, tiling.whole, budget);
        tiling.own = std::min(window - beside, (tiling.whole + 1) / 2);
        while (tiling.own >= least) {
            need = requirement_of_tiles(session, algorithm, problem, choice, tiling);
            if (budget.holds(need.bytes(), need.largest)) break;
            const double share = static_cast<double>(budget.total) / static_cast<double>(need.bytes()),
                         part = static_cast<double>(budget.largest) / static_cast<double>(need.largest);
            const auto next = static_cast<std::int64_t>(static_cast<double>(tiling.own) * std::min({share, part, 1.0}) * 0.95);
            tiling.own = std::min(next, tiling.own - 1);
        }
        if (tiling.own >= least) {
            Tiling even = tiling;
            even.own = (tiling.whole + tiling.count() - 1) / tiling.count();   // all of about the same size
            if (even.own == tiling.own) return tiling;
            Choice same = choice;
            try {
                const Requirement of_even = requirement_of_tiles(session, algorithm, problem, same, even);
                if (!budget.holds(of_even.bytes(), of_even.largest)) return tiling;
                need = of_even;
            } catch (const UnsupportedError&) {   // no plan of that size
                return tiling;
            }
            choice = std::move(same);
            return even;
        }
        if (window - beside < least)
            need = arrays_of(algorithm, with_window(problem, way.axis, std::min(tiling.whole, least + beside)));
        reasons.push_back(fmt::format(
            "cut along {} into tiles of {} with {} more on both sides{}, it needs {}", way.axis, std::max(least, tiling.own),
            way.halo, way.align > 1 ? fmt::format(", beginning at multiples of {}", way.align) : "", need.describe()));
    }
    return std::nullopt;
}

}  // namespace parallax::engine
