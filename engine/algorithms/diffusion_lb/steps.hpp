// Time steps on rows of planes, apart from where the rows come from and go to: a whole image (steps.cpp), or the part of one
// that a rank has, with rows of its neighbours around (part.cpp).
#pragma once

#include "algorithms/diffusion_lb/device.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace parallax::engine::diffusion_lb {

/// How two steps share a launch: not at all, by the same edges, or each with its own.
enum class Pairs { none, same_edges, own_edges };

/// Where a row's 1 - omega comes from, for CPUs: EDGES of kernels_cl/diffusion_lb/simd.cl.
enum class RowEdges { found, written, read };

/// A launch, and how many rows outside those that it writes must be right.
struct Launch {
    int step = 0;                      ///< the first that it takes
    int steps = 1;
    bool finds_edges = true;           ///< looks at the gradients; else 1 - omega of an earlier launch is used
    std::int64_t intensity_rows = 0;
    std::int64_t population_rows = 0;  ///< of none for the very first, which starts at equilibrium
    std::int64_t edge_rows = 0;        ///< of 1 - omega, where it finds none
};

/// The launches by which a variant goes through the steps.
struct Pace {
    LbParameters parameters;
    Pairs pairs = Pairs::none;

    /// The one that begins with step n, which is below the number of iterations.
    Launch launch_at(int n) const;
};

/// What changes. Launch i reads the state of turn i % 2 and writes the other one.
struct State {
    const host::Buffer& intensity;     ///< [plane][height][pitch] floats
    const host::Buffer& populations;   ///< [plane][moving][height][pitch]
};

class Steps {
public:
    virtual ~Steps() = default;
    /// What a launch needs before it: 1 - omega of the rows that it writes and of those around. Nothing where kernels find
    /// that on their way.
    virtual void find_edges(Execution&, const Launch&, int number, std::int64_t count, Rows) = 0;
    /// Writes rows of the `count` planes in flight, the first of which is number `first` of the image; `number` counts launches.
    /// again_after: above 0, as many rows once more, so many rows further down.
    virtual void advance(Execution&, const Launch&, int number, std::int64_t first, std::int64_t count, Rows,
                         std::int64_t again_after = 0) = 0;

    virtual State state(Execution&, int turn) const = 0;
    virtual std::size_t population_bytes() const noexcept { return sizeof(float); }
    /// 1 - omega, [plane][height][pitch] floats, where it stays for several launches; else null.
    virtual const host::Buffer* edges(Execution&) const = 0;
};

/// Makes a variant's steps on rows that lie as `layout` says; `whole` is the image, for which kernels are chosen.
using MakeSteps = std::function<std::unique_ptr<Steps>(PlanBuilder&, const LbParameters&, const Policy&, const Layout& layout,
                                                       const Layout& whole, const Conversion&)>;
using PaceOf = Pace (*)(const LbParameters&, const Policy&);

/// A variant that takes such steps, on one device and on several. margin: of its Layout.
Variant in_steps(Variant row, std::int64_t margin, PaceOf, MakeSteps);

}  // namespace parallax::engine::diffusion_lb
