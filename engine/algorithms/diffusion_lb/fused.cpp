// `fused` and `half`: one launch a step, or for two.
#include "algorithms/diffusion_lb/steps.hpp"
#include "algorithms/diffusion_lb/variants.hpp"
#include "core/integers.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace parallax::engine::diffusion_lb {
namespace {

constexpr std::int64_t largest_radius = 6;   // that the kernels have registers and halos for
constexpr std::int64_t strips_only = 1;      // of the policy tile_rows

/// A kernel that walks down strips, and how the image is cut for it.
struct Sweep {
    std::unique_ptr<host::Kernel> kernel;
    std::int64_t group = 0, strips = 0, rows = 0, chunks = 0;

    host::NDRange groups(std::int64_t planes, const Chunks& c) const {
        return {static_cast<std::size_t>(strips), c.count, static_cast<std::size_t>(planes)};
    }
    host::NDRange local() const { return {static_cast<std::size_t>(group), 1, 1}; }
};

Pace pace_of(const LbParameters& p, int steps_at_once) {
    const int every = p.update_edges_every;
    if (steps_at_once == 1 || p.stop_below > 0) return {p, Pairs::none};   // each step is judged by itself
    if (every % 2 == 0) return {p, Pairs::same_edges};
    return {p, steps_at_once == 2 && every == 1 && radius_of(p) <= largest_radius ? Pairs::own_edges : Pairs::none};
}
Pace pace_of_fused(const LbParameters& p, const Policy& policy) { return pace_of(p, policy.at("steps_at_once")); }
Pace pace_of_half(const LbParameters& p, const Policy&) { return pace_of(p, 1); }

class FusedSteps final : public Steps {
public:
    FusedSteps(PlanBuilder& builder, const Pace& pace, const Policy& policy, bool half, const Layout& layout, const Layout& whole,
               const Conversion& conversion)
        : parameters_(pace.parameters), layout_(layout), whole_(whole), conversion_(conversion), half_(half), pairs_(pace.pairs) {
        const std::int64_t radius = radius_of(parameters_);
        const bool same = pairs_ == Pairs::same_edges;
        const int every = same ? parameters_.update_edges_every / 2 : parameters_.update_edges_every;
        const bool passes = every > 1 || radius > largest_radius - (same ? 1 : 0);
        const bool d2q9 = parameters_.lattice == Lattice::d2q9;
        const std::int64_t held = radius <= 3 ? 768 : 0;   // wider Gaussians need the registers
        host::Defines model;
        model.add("LATTICE", populations(parameters_.lattice));
        if (!passes) model.add("RADIUS", radius).add("EDGE", static_cast<std::int64_t>(parameters_.edge_function));
        host::Defines fused = model;
        fused.add("EDGES_GIVEN", passes)
            .add("AHEAD", policy.at("rows_ahead"))
            .add("HALF_STORAGE", half)
            .add("WATCH", parameters_.stop_below > 0);
        if (!passes && !half && pairs_ == Pairs::none && !(parameters_.stop_below > 0))
            tile_rows_ = tile_of(policy.at("tile_rows"), builder.device());
        if (tile_rows_ != strips_only && parameters_.iterations > 0)
            step_ = tiles(builder, model);
        else if (parameters_.iterations > 0 && (pairs_ == Pairs::none || parameters_.iterations % 2 == 1))
            step_ = sweep(builder, policy, "diffusion_lb/fused.cl", "fused_step", fused, 8, 4, 12, passes || half ? 0 : held);
        if (same && parameters_.iterations > 1)
            pair_ = sweep(builder, policy, "diffusion_lb/fused.cl", "fused_step", fused.add("STEPS", 2), 8, 4, 12,
                          passes ? 896
                          : d2q9 ? 0
                                 : held);
        if (pairs_ == Pairs::own_edges && parameters_.iterations > 1)
            pair_ = sweep(builder, policy, "diffusion_lb/fused_twice.cl", "fused_two_steps", model, 16, 2, 3);

        const std::size_t plane = layout_.batch_floats() * sizeof(float);
        const std::size_t moving =
            layout_.batch_floats() * static_cast<std::size_t>(populations(parameters_.lattice) - 1) * population_bytes();
        for (int i = 0; i < 2; ++i) {
            intensity_[i] = builder.scratch(plane);
            populations_[i] = builder.scratch(parameters_.iterations > 1 ? moving : sizeof(float));
        }
        if (passes) {
            edges_.emplace(builder, layout_, parameters_);
            keep_ = builder.scratch(plane);
        }
        if (parameters_.stop_below > 0) judge_.emplace(builder, layout_, parameters_, step_.strips * step_.chunks);
    }

    void find_edges(Execution& x, const Launch& launch, int number, std::int64_t count, Rows rows) override {
        if (edges_ && launch.finds_edges)
            edges_->enqueue(x, state(x, number % 2).intensity, x.buffer(keep_), count, layout_.wider(rows, launch.steps));
    }

    void advance(Execution& x, const Launch& launch, int number, std::int64_t first, std::int64_t count, Rows written,
                 std::int64_t again_after) override {
        if (tile_rows_ != strips_only && again_after > 0) {   // two chunks would be one tile each
            advance(x, launch, number, first, count, written, 0);
            return advance(x, launch, number, first, count, {written.from + again_after, written.to + again_after}, 0);
        }
        const State from = state(x, number % 2), to = state(x, 1 - number % 2);
        const host::Buffer &in = from.intensity, &out = to.intensity, &f_in = from.populations, &f_out = to.populations;
        const host::Buffer &keep = edges_ ? x.buffer(keep_) : in, &sums = judge_ ? judge_->sums(x) : in;
        const auto gaussian = gaussian_arguments(parameters_);
        const float b = coupling_of(parameters_), k2 = inverse_k2(parameters_);
        // A plane that stops early ends with a step that nobody knows beforehand; `end` reads no populations.
        const auto is_first = static_cast<std::int32_t>(launch.step == 0),
                   is_last = static_cast<std::int32_t>(launch.step + launch.steps == parameters_.iterations);
        const Sweep& s = launch.steps == 2 ? pair_ : step_;
        const Chunks chunks(written, s.rows, again_after);
        const char* const stage = launch.steps == 2 ? "two steps" : "step";
        if ((launch.steps == 2 && pairs_ == Pairs::own_edges) || tile_rows_ != strips_only)
            x.launch(stage, *s.kernel, s.groups(count, chunks), s.local(),
                     {in, out, f_in, f_out, gaussian[0], gaussian[1], b, k2, layout_.width(), layout_.height(), layout_.pitch32(),
                      chunks.first_row, chunks.end_row, chunks.apart, chunks.rows, is_first, is_last});
        else
            x.launch(stage, *s.kernel, s.groups(count, chunks), s.local(),
                     {in,
                      out,
                      f_in,
                      f_out,
                      keep,
                      gaussian[0],
                      gaussian[1],
                      b,
                      k2,
                      layout_.width(),
                      layout_.height(),
                      layout_.pitch32(),
                      chunks.first_row,
                      chunks.end_row,
                      chunks.apart,
                      chunks.rows,
                      is_first,
                      is_last,
                      sums,
                      conversion_.states(x),
                      static_cast<std::uint64_t>(first)});
        if (judge_) judge_->enqueue(x, conversion_.states(x), first, count, launch.step + 1);
    }

    State state(Execution& x, int turn) const override { return {x.buffer(intensity_[turn]), x.buffer(populations_[turn])}; }
    std::size_t population_bytes() const noexcept override { return half_ ? 2 : sizeof(float); }
    const host::Buffer* edges(Execution& x) const override { return edges_ ? &x.buffer(keep_) : nullptr; }

private:
    /// `halo`: columns on either side; `widest`: pixels a work-item at most; `per_unit`: work-groups that each compute unit
    /// should have. `resident`: work-items of two pixels that should fit on one at a time: NVIDIA's two compilers take different
    /// numbers of registers of themselves (H200, 4096^2: steps 88 or so and 80, which costs OpenCL 15%). Two D2Q9 steps that
    /// smooth need what there is.
    Sweep sweep(PlanBuilder& builder, const Policy& policy, const char* file, const char* kernel, const host::Defines& defines,
                std::int64_t halo, std::int64_t widest, std::int64_t per_unit, std::int64_t resident = 0) const {
        const host::DeviceInfo& device = builder.device();
        const std::int64_t height = layout_.planes.height, units = device.compute_units;
        Sweep s;
        s.group = std::min<std::int64_t>(group_of(policy.at("work_group_size"), device), device.max_work_group);
        std::int64_t items = std::min(items_of(policy.at("items_per_work_item"), device), widest);
        while (s.group * items <= 2 * halo) s.group *= 2;   // more than halo
        s.strips = divided_up(layout_.planes.width, s.group * items - 2 * halo);
        std::int64_t rows = policy.at("rows_per_group");
        if (rows == 0) {   // no more groups than that, or a few are left for a round of their own
            const std::int64_t chunks = std::max<std::int64_t>(units * per_unit / (s.strips * layout_.batch), 1);
            rows = std::clamp<std::int64_t>(divided_up(height, chunks), 4, per_unit > 4 ? 128 : 512);
        }
        s.rows = std::clamp(rows, divided_up(height, most_groups), height);
        s.chunks = divided_up(height, s.rows);
        host::Defines d = defines;
        s.kernel = builder.kernel({file, d.add("GROUP", s.group).add("PX", items), items == 2 && s.group <= 128 ? resident : 0},
                                  kernel, static_cast<std::size_t>(s.group));
        return s;
    }

    /// A kernel that takes tiles, whose rim is not written.
    Sweep tiles(PlanBuilder& builder, const host::Defines& model) const {
        constexpr std::int64_t columns = 32, items = 256;
        Sweep s;
        s.group = items;
        s.strips = divided_up(layout_.planes.width, columns - 2);
        s.rows = tile_rows_ - 2;
        s.chunks = divided_up(layout_.planes.height, s.rows);
        host::Defines d = model;
        s.kernel = builder.kernel({"diffusion_lb/fused_tile.cl", d.add("ROWS", tile_rows_)}, "fused_tile", items);
        return s;
    }

    /// Rows of a tile, no more tiles below each other than a launch takes.
    std::int64_t tile_of(std::int64_t wanted, const host::DeviceInfo& device) const {
        const std::int64_t rows = wanted != 0 ? wanted : best_tile(device);
        return rows != strips_only && divided_up(layout_.planes.height, rows - 2) > most_groups ? strips_only : rows;
    }

    /// Tiles where a step is so short that a walk down a strip would wait for memory most of the time (bounds: measured on an
    /// H200).
    std::int64_t best_tile(const host::DeviceInfo& device) const {
        const std::int64_t pixels = whole_.planes.pixels() * whole_.batch, units = device.compute_units;
        const bool d2q9 = parameters_.lattice == Lattice::d2q9;
        if (device.type == host::DeviceType::cpu || pixels > units * (d2q9 ? 24576 : 40960)) return strips_only;
        return d2q9 && pixels > units * 2048 ? 8 : 16;
    }

    /// Wide accesses where there are pixels enough for every compute unit.
    std::int64_t items_of(std::int64_t wanted, const host::DeviceInfo& device) const {
        const std::int64_t pixels = whole_.planes.pixels() * whole_.batch, unit = std::int64_t{device.compute_units} * 4096;
        if (wanted != 0) return wanted;
        if (device.type == host::DeviceType::cpu) return 1;
        return pixels < unit ? 1 : half_ && pixels >= 4 * unit ? 4 : 2;   // halves: as wide an access
    }

    /// Wide groups read fewer pixels twice; small images need many groups.
    std::int64_t group_of(std::int64_t wanted, const host::DeviceInfo& device) const {
        if (wanted != 0) return wanted;
        const std::int64_t pixels = whole_.planes.pixels() * whole_.batch;
        return device.type != host::DeviceType::cpu && pixels >= std::int64_t{device.compute_units} * 16384 ? 128 : 64;
    }

    LbParameters parameters_;
    Layout layout_, whole_;
    const Conversion& conversion_;
    bool half_;
    Pairs pairs_;
    std::int64_t tile_rows_ = strips_only;
    Sweep step_, pair_;
    std::optional<EdgePasses> edges_;
    std::optional<Judge> judge_;
    Scratch intensity_[2], populations_[2], keep_;
};

Variant fused_like(std::string name, std::string summary, Role role, bool half) {
    Variant row{
        .name = std::move(name),
        .summary = std::move(summary),
        .role = role,
        .policy =
            {{"work_group_size",
              0,
              {0, 32, 64, 128, 256},
              "work-items of a group, side by side in a row; 0: 128 for large images on GPUs, else 64"},
             {"items_per_work_item",
              0,
              {0, 1, 2, 4},
              "pixels side by side of a work-item, a group writes 16 fewer than it reads; 0: 1 on CPUs, else by the size of the "
              "image"},
             {"rows_per_group",
              0,
              {0, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512},
              "rows that a group walks down; 0: so that every compute unit has 12 groups, or 3 of those that take two steps"},
             {"rows_ahead", 0, {0, 1}, "rows that are loaded before they are needed"}},
        .supports =
            [](const Problem&, host::Context& context) {
                return context.info().local_memory < 32768 ? Support::no("needs 32 KiB of local memory") : Support::yes();
            },
    };
    if (!half) {
        row.policy.push_back(
            {"tile_rows",
             0,
             {0, 1, 8, 16},
             "rows of a tile of 32 columns, for small images whose edges are found in every step; 1: strips; 0: by the "
             "size of the image"});
        row.policy.push_back(
            {"steps_at_once",
             0,
             {0, 1, 2},
             "steps of a launch, where edges stay for an even number of them or are found in each; 0: two in the first case"});
    }
    const PaceOf pace = half ? pace_of_half : pace_of_fused;
    return in_steps(std::move(row), 0, pace,
                    [half, pace](PlanBuilder& builder, const LbParameters& p, const Policy& policy, const Layout& layout,
                                 const Layout& whole, const Conversion& conversion) -> std::unique_ptr<Steps> {
                        return std::make_unique<FusedSteps>(builder, pace(p, policy), policy, half, layout, whole, conversion);
                    });
}

}  // namespace

Variant fused_variant() {
    return fused_like(
        "fused",
        "one launch a step or for two; the smoothing, gradient and streaming of a strip pass through registers and local memory",
        Role::best, false);
}

Variant half_variant() {
    return fused_like("half",
                      "fused, with populations stored as halves of their distance from equilibrium: 40 bytes a pixel and step "
                      "for D2Q9, 24 for D2Q5",
                      Role::plain, true);
}

}  // namespace parallax::engine::diffusion_lb
