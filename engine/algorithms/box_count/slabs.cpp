// Slabs of any height become bits, of which a ring one tile high is kept. Whenever it holds a layer of tiles of some grid, these
// are folded like any others, and only their flags and counts stay: of each 64^3 voxels about 45 bytes a grid.
//
//   slab -> bits -> [outline, a slice behind] -> ring -> [shift] -> tiles of a layer
//
// The box around a band is known at the end only, so it takes a pass of its own. Where the flags and counts of all bands and
// grids are more than the plan may keep, each further pass takes a part of them.
//
// Ranks that share an array fold a layer where it begins, however far that grid is shifted.
#include "algorithms/box_count/slabs.hpp"

#include "algorithms/box_count/device.hpp"
#include "algorithms/box_count/mask.hpp"
#include "core/integers.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/in_flight.hpp"

#include <algorithm>
#include <limits>

namespace parallax::engine::box_count {
namespace {

/// What one reading of the array is for: the boxes around some bands, or counts of some bands in all grids, or of one in some.
struct Pass {
    bool boxes = false;
    std::size_t first_band = 0, bands = 0;
    std::size_t first_grid = 0, grids = 0;
};

struct PassBytes {
    std::uint64_t fixed, band, set;   ///< of the pass, of each of its bands, of each band in each grid
};

/// `count` in parts of at most `most`, all about as large: the size of one.
std::size_t share_of(std::size_t count, std::size_t most) {
    const std::size_t parts = (count + most - 1) / most;
    return (count + parts - 1) / parts;
}

/// Each has a ring of bits: a pass more costs less than memory for thousands of labels.
constexpr std::size_t most_bands = 64;

std::vector<Pass> passes_of(const BoxCountSpec& spec, const PassBytes& bytes, std::uint64_t workspace) {
    const std::size_t bands = spec.bands.size(), grids = spec.shifts().size();
    const auto in_what_is_left = [&](std::uint64_t taken, std::uint64_t each, std::size_t wanted) {
        const std::uint64_t left =
            workspace == 0 ? std::numeric_limits<std::uint64_t>::max() : workspace - std::min(workspace, taken);
        return static_cast<std::size_t>(std::min<std::uint64_t>(left / each, wanted));
    };
    std::size_t bands_at_once = in_what_is_left(bytes.fixed, bytes.band + grids * bytes.set, bands), grids_at_once = grids;
    if (bands_at_once == 0) {
        bands_at_once = 1;
        grids_at_once = std::max<std::size_t>(1, in_what_is_left(bytes.fixed + bytes.band, bytes.set, grids));
    }
    bands_at_once = share_of(bands, std::min(bands_at_once, most_bands));
    grids_at_once = share_of(grids, grids_at_once);
    std::vector<Pass> passes;
    const auto add = [&](bool boxes, std::size_t first_grid, std::size_t some) {
        for (std::size_t band = 0; band < bands; band += bands_at_once)
            passes.push_back({boxes, band, std::min(bands_at_once, bands - band), first_grid, some});
    };
    if (spec.origin == Origin::bounding_box) add(true, 0, 0);
    for (std::size_t grid = 0; grid < grids; grid += grids_at_once) add(false, grid, std::min(grids_at_once, grids - grid));
    return passes;
}

/// The axis that slabs follow: y of an image, z of a volume.
std::size_t slow_axis(const BoxCountSpec& spec) { return static_cast<std::size_t>(spec.dimensions - 1); }

class SlabPlan final : public SlabCounting {
public:
    SlabPlan(PlanBuilder& builder, const Problem& problem, Shape shape)
        : problem_(problem),
          spec_(spec_of(problem)),
          shifts_(spec_.shifts()),
          tile_(shape.tile),
          mask_(builder, spec_, shape.tile),
          layer_(spec_.covered_size(shape.tile)),
          passes_(passes_of(spec_, bytes_of(shape), problem.slab_workspace)),
          folder_(builder, bit_defines(spec_.dimensions), spec_, spec_.covered_size(shape.tile), shape, most_sets(),
                  spec_.bands.size() * shifts_.size()),
          bands_(band_buffer(builder, spec_)),
          lowest_(spec_.bands.size(), 0) {
        layer_[slow_axis(spec_)] = tile_;
        if (spec_.size != spec_.stored) sources_ = spec_.samples()[slow_axis(spec_)];
        const auto ring = [&] { return BitRing{builder.scratch(mask_.size().bytes(tile_)), tile_}; };
        for (std::size_t band = 0; band < passes_.front().bands; ++band) {
            bits_.push_back(ring());
            still_.push_back(spec_.surface ? ring() : bits_.back());
        }
        if (moves(spec_) || spec_.extents) corners_ = builder.scratch(corner_words * sizeof(std::uint32_t) * spec_.bands.size());
        if (moves(spec_)) moved_ = builder.scratch(mask_.moved_size().bytes(tile_));
    }

    int slab_passes() const override { return static_cast<int>(passes_.size()); }

    void enqueue_slab(Execution& x, const host::Buffer& array, int pass, std::int64_t first, std::int64_t count) override {
        if (problem_.ranks == 1 && first == 0) begin(x, pass, {0, slices()});
        const std::int64_t end = std::min(resampled(first + count), made_end_);
        while (made_ < end) {
            // The ring goes round, a layer waits to be folded, or an outline still needs the two slices before.
            std::int64_t to = std::min(end, (made_ / tile_ + 1) * tile_);
            if (!pass_.boxes) to = std::min(to, next_end() + behind());
            if (spec_.surface) to = std::min(to, made_ + tile_ - 2);
            for (std::size_t i = 0; i < pass_.bands; ++i) mask_.bits(x, array, first, bands_, band(i), bits_[i], {made_, to});
            made_ = to;
            settle(x, to == slices() ? slices() : to - behind());
        }
        if (done_ == slices() && !pass_.boxes && problem_.ranks == 1)
            folder_.sum_up(x, pass_.first_band * shifts_.size() + pass_.first_grid, next_.size());
    }

    Slices begin(Execution& x, int number, Slices share) override {
        const auto pass = static_cast<std::size_t>(number);
        if (problem_.ranks == 1 && pass > 0 && passes_[pass - 1].boxes) take_boxes(boxes(x));
        pass_ = passes_[pass];
        next_.assign(pass_.bands * pass_.grids, 0);
        last_ = next_;
        Slices wanted = share;
        for (std::size_t set = 0; set < next_.size(); ++set) {
            next_[set] = layer_at(set, share.first);
            last_[set] = layer_at(set, share.end);
            if (next_[set] < last_[set]) wanted.end = std::max(wanted.end, std::min(end_of(set, last_[set] - 1), slices()));
        }
        if (share.count() == 0) wanted = {share.end, share.end};
        done_ = wanted.first;
        made_ = std::max<std::int64_t>(0, wanted.first - behind());
        made_end_ = wanted.count() == 0 ? made_ : std::min(slices(), wanted.end + behind());
        if (pass == 0 && (pass_.boxes || spec_.extents)) mask_.clear_corners(x, corners_);
        if (!pass_.boxes) fold_layers(x);   // those that end before the array begins
        return stored({made_, made_end_});
    }

    std::int64_t slices() const noexcept override { return mask_.size().slices; }
    std::int64_t layer() const noexcept override { return tile_; }
    Slices stored(Slices some) const override {
        if (sources_.empty() || some.count() == 0) return some;
        return {sources_[static_cast<std::size_t>(some.first)],
                std::int64_t{sources_[static_cast<std::size_t>(some.end - 1)]} + 1};
    }
    bool finds_boxes(int pass) const noexcept override { return passes_[static_cast<std::size_t>(pass)].boxes; }

    bool finds_extents() const noexcept override { return spec_.extents; }

    std::vector<std::uint32_t> boxes(Execution& x) const override {
        host::InFlight<std::vector<std::uint32_t>> corners(x.queue(), std::vector<std::uint32_t>(corner_words * lowest_.size()));
        x.queue().read(x.buffer(corners_), 0, corners->data(), corners->size() * sizeof(std::uint32_t), "bounding box").wait();
        corners.landed();
        return std::move(*corners);
    }

    void set_boxes(Execution& x, const std::vector<std::uint32_t>& all) override {
        host::InFlight<std::vector<std::uint32_t>> corners(x.queue(), all);
        x.queue().write(x.buffer(corners_), 0, corners->data(), corners->size() * sizeof(std::uint32_t), "bounding box").wait();
        corners.landed();
        take_boxes(all);
    }

    std::vector<Piece> pieces(Execution& x, Slices share) const override {
        const std::int64_t tiles = tiles_of(layer_, static_cast<int>(tile_));
        std::vector<Piece> all;
        for (std::size_t set = 0; set < next_.size(); ++set)
            folder_.add_pieces(x, set, layer_at(set, share.first) * tiles, layer_at(set, share.end) * tiles, all);
        return all;
    }

    void enqueue(Execution& x, const Bindings&) override {
        if (problem_.ranks > 1) folder_.sum_up(x, 0, most_sets());   // of the tiles of all
        else if (done_ != slices()) throw Error("box_count: not all slabs have come; this is a fault of the engine");
        folder_.record(x, problem_, spec_, spec_.extents ? &x.buffer(corners_) : nullptr);
    }

private:
    PassBytes bytes_of(const Shape& shape) const {
        return {moves(spec_) ? mask_.moved_size().bytes(tile_) : 0, mask_.size().bytes(tile_) * (spec_.surface ? 2 : 1),
                TileFolder::bytes_of_set(spec_.covered_size(shape.tile), shape)};
    }
    std::size_t most_sets() const {
        std::size_t most = 0;
        for (const Pass& pass : passes_) most = std::max(most, pass.bands * pass.grids);
        return most;
    }
    std::uint32_t band(std::size_t i) const noexcept { return static_cast<std::uint32_t>(pass_.first_band + i); }
    /// Slices by which an outline lags: it needs the next one.
    std::int64_t behind() const noexcept { return spec_.surface ? 1 : 0; }
    /// Resampled slices that come from the first so many of the array.
    std::int64_t resampled(std::int64_t stored) const {
        return sources_.empty()
                   ? stored
                   : std::lower_bound(sources_.begin(), sources_.end(), static_cast<std::uint32_t>(stored)) - sources_.begin();
    }

    /// Where bands begin along the slow axis decides which slices make a layer.
    void take_boxes(const std::vector<std::uint32_t>& corners) {
        if (spec_.origin == Origin::corner) return;
        for (std::size_t band = 0; band < lowest_.size(); ++band) {
            const std::uint32_t slice = corners[corner_words * band + 2];
            lowest_[band] = slice == 0xffffffffu ? 0 : slice;
        }
    }

    /// Takes slices up to `end` into the grids of the pass.
    void settle(Execution& x, std::int64_t end) {
        while (done_ < end) {
            const Slices slices{done_, pass_.boxes ? end : std::min(end, next_end())};
            for (std::size_t i = 0; i < pass_.bands; ++i) {
                if (spec_.surface) mask_.outline(x, bits_[i], still_[i], slices);
                if (pass_.boxes || spec_.extents) mask_.lower(x, still_[i], corners_, band(i), slices);
            }
            done_ = slices.end;
            if (!pass_.boxes) fold_layers(x);
        }
    }

    /// The slice before which a set's first layer begins.
    std::int64_t start_of(std::size_t set) const {
        const std::int64_t shift = shifts_[pass_.first_grid + set % pass_.grids][slow_axis(spec_)];
        return lowest_[pass_.first_band + set / pass_.grids] - shift % tile_;
    }
    /// The slice at which a layer of a set ends.
    std::int64_t end_of(std::size_t set, std::int64_t layer) const { return (layer + 1) * tile_ + start_of(set); }
    std::int64_t layers() const noexcept { return divided_up(mask_.moved_size().slices, tile_); }
    /// The first layer of a set that begins at this slice or behind it; all begin somewhere in the array.
    std::int64_t layer_at(std::size_t set, std::int64_t slice) const {
        if (slice == 0) return 0;
        if (slice == slices()) return layers();
        return std::min(layers(), divided_up(std::max<std::int64_t>(0, slice - start_of(set)), tile_));
    }
    /// The first end of a layer that is not folded.
    std::int64_t next_end() const {
        std::int64_t next = std::numeric_limits<std::int64_t>::max() - 1;
        for (std::size_t set = 0; set < next_.size(); ++set)
            if (next_[set] < last_[set]) next = std::min(next, end_of(set, next_[set]));
        return next;
    }
    void fold_layers(Execution& x) {
        for (std::size_t set = 0; set < next_.size(); ++set)
            while (next_[set] < last_[set] && (done_ == slices() || end_of(set, next_[set]) <= done_)) fold(x, set, next_[set]++);
    }
    void fold(Execution& x, std::size_t set, std::int64_t layer) {
        const std::size_t i = set / pass_.grids;
        const Slices slices{layer * tile_, std::min((layer + 1) * tile_, mask_.moved_size().slices)};
        std::array<std::int64_t, 3> size = layer_;
        size[0] = 32 * mask_.moved_size().row;
        size[slow_axis(spec_)] = slices.count();
        if (moves(spec_))
            mask_.shift(x, still_[i], corners_, band(i), shifts_[pass_.first_grid + set % pass_.grids], slices, moved_);
        folder_.fold(x, x.buffer(moves(spec_) ? moved_ : still_[i].memory), bands_, size,
                     layer * tiles_of(layer_, static_cast<int>(tile_)), set, 1);
    }

    Problem problem_;
    BoxCountSpec spec_;
    std::vector<std::array<std::int64_t, 3>> shifts_;
    std::int64_t tile_;
    MaskKernels mask_;
    std::array<std::int64_t, 3> layer_;   ///< x, y, z in voxels
    std::vector<Pass> passes_;
    TileFolder folder_;
    host::Buffer bands_;
    std::vector<std::uint32_t> sources_;  ///< of each resampled slice; empty: there are none
    std::vector<BitRing> bits_, still_;   ///< of each band of a pass; still: what is counted, the bits or their outline
    Scratch moved_, corners_;

    // Where the array is.
    Pass pass_;
    std::int64_t made_ = 0, done_ = 0;    ///< up to which slice they are bits; are what is counted
    std::int64_t made_end_ = 0;           ///< slices that are wanted
    std::vector<std::int64_t> next_, last_;   ///< layers of each set that are still to be folded
    std::vector<std::int64_t> lowest_;    ///< slice where each band's box begins
};

}  // namespace

std::unique_ptr<SlabCounting> make_slab_plan(PlanBuilder& builder, const Problem& problem, Shape shape) {
    return std::make_unique<SlabPlan>(builder, problem, shape);
}

}  // namespace parallax::engine::box_count
