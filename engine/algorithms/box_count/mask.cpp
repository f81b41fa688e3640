#include "algorithms/box_count/mask.hpp"

#include "algorithms/box_count/device.hpp"
#include "core/integers.hpp"

#include <algorithm>
#include <cstring>

namespace parallax::engine::box_count {
namespace {

/// Sources of x, then of rows, then of slices.
std::vector<std::uint32_t> sample_table(const BoxCountSpec& spec) {
    if (spec.size == spec.stored) return {0};
    auto by_axis = spec.samples();
    if (spec.dimensions == 2) std::swap(by_axis[1], by_axis[2]);
    std::vector<std::uint32_t> table;
    for (const auto& axis : by_axis) table.insert(table.end(), axis.begin(), axis.end());
    return table;
}

}  // namespace

BitSize::BitSize(const std::array<std::int64_t, 3>& v, int dimensions)
    : voxels(v), row(4 * divided_up(v[0], 128)), rows(dimensions == 3 ? v[1] : 1), slices(dimensions == 3 ? v[2] : v[1]) {}

std::vector<Extent> extents_of(const BoxCountSpec& spec, std::span<const std::byte> corners) {
    std::vector<Extent> extents(spec.bands.size(), Extent{0, 0, 0});
    for (Extent& extent : extents) {
        std::array<std::uint32_t, corner_words> words;
        std::memcpy(words.data(), corners.data(), sizeof words);
        corners = corners.subspan(sizeof words);
        if (words[0] == 0xffffffffu) continue;
        for (std::size_t axis = 0; axis < 3; ++axis) extent[axis] = std::int64_t{~words[3 + axis]} - words[axis] + 1;
        if (spec.dimensions == 2) std::swap(extent[1], extent[2]);   // the slices of an image are its rows
    }
    return extents;
}

bool moves(const BoxCountSpec& spec) { return spec.offsets > 1 || spec.origin == Origin::bounding_box; }

MaskKernels::MaskKernels(PlanBuilder& builder, const BoxCountSpec& spec, int tile)
    : spec_(spec),
      tile_(tile),
      size_(spec.size, spec.dimensions),
      moved_size_(spec.covered_size(tile), spec.dimensions),
      group_(std::min<std::size_t>(128, builder.device().max_work_group)),
      most_groups_(std::size_t{32} * builder.device().compute_units),
      samples_(builder.constant(sample_table(spec))),
      no_corners_(corner_words * spec.bands.size(), 0xffffffffu) {
    const bool boxed = spec.origin == Origin::bounding_box;
    const host::ProgramSpec program{"box_count/mask.cl",
                                    voxel_defines(spec).add("RESAMPLE", spec.size != spec.stored).add("FROM_BOX", boxed)};
    bits_ = builder.kernel(program, "mask_bits", group_);
    if (spec.surface) outline_ = builder.kernel(program, "mask_outline", group_);
    if (boxed || spec.extents) lower_ = builder.kernel(program, "mask_box", group_);
    if (moves(spec)) shift_ = builder.kernel(program, "mask_shift", group_);
}

host::NDRange MaskKernels::groups_for(std::int64_t words) const {
    return {std::min(static_cast<std::size_t>(divided_up(words, static_cast<std::int64_t>(group_))), most_groups_), 1, 1};
}

void MaskKernels::bits(Execution& x, const host::Buffer& array, std::int64_t base, const host::Buffer& bands, std::uint32_t band,
                       const BitRing& to, const Slices& slices) {
    const std::int64_t width = spec_.packed ? 8 * spec_.pitch() : spec_.stored[0],
                       height = spec_.dimensions == 3 ? spec_.stored[1] : 1;
    x.launch("bits", *bits_, groups_for(size_.slice() * slices.count()), {group_, 1, 1},
             {array, bands, samples_, x.buffer(to.memory), u32(width), u32(height), u32(base), u32(spec_.size[0]),
              u32(size_.rows), u32(size_.row), band, u32(slices.first), u32(slices.count()), u32(slices.first % to.height)});
}

void MaskKernels::outline(Execution& x, const BitRing& from, const BitRing& to, const Slices& slices) {
    x.launch("outline", *outline_, groups_for(size_.slice() * slices.count()), {group_, 1, 1},
             {x.buffer(from.memory), x.buffer(to.memory), u32(spec_.size[0]), u32(size_.rows), u32(size_.slices), u32(size_.row),
              u32(from.height), u32(to.height), u32(slices.first), u32(slices.count())});
}

void MaskKernels::clear_corners(Execution& x, Scratch corners) {
    x.upload("clear", x.buffer(corners), no_corners_.data(), no_corners_.size() * sizeof(std::uint32_t));
}

void MaskKernels::lower(Execution& x, const BitRing& from, Scratch corners, std::uint32_t band, const Slices& slices) {
    x.launch("bounding box", *lower_, groups_for(size_.slice() * slices.count()), {group_, 1, 1},
             {x.buffer(from.memory), x.buffer(corners), u32(size_.rows), u32(size_.row), u32(from.height), band,
              u32(slices.first), u32(slices.count())});
}

void MaskKernels::shift(Execution& x, const BitRing& from, Scratch corners, std::uint32_t band,
                        const std::array<std::int64_t, 3>& shift, const Slices& layer, Scratch to) {
    const bool flat = spec_.dimensions == 2;
    const std::int64_t rows = flat ? 0 : shift[1] % tile_, slices = (flat ? shift[1] : shift[2]) % tile_ - layer.first;
    x.launch("shift", *shift_, groups_for(moved_size_.slice() * layer.count()), {group_, 1, 1},
             {x.buffer(from.memory), x.buffer(corners), x.buffer(to), u32(size_.rows), u32(size_.slices), u32(size_.row),
              u32(from.height), band, u32(moved_size_.rows), u32(moved_size_.row), u32(layer.count()), u32(shift[0] % tile_),
              u32(rows), u32(slices)});
}

MaskStages::MaskStages(PlanBuilder& builder, const BoxCountSpec& spec, int tile)
    : spec_(spec), shifts_(spec.shifts()), kernels_(builder, spec, tile) {
    const BitSize& size = kernels_.size();
    const auto whole = [&] { return BitRing{builder.scratch(size.bytes(size.slices)), size.slices}; };
    bits_ = whole();
    if (spec.surface) outline_ = whole();
    if (moves(spec) || spec.extents) corners_ = builder.scratch(corner_words * sizeof(std::uint32_t) * spec.bands.size());
    if (!moves(spec)) return;
    moved_ = builder.scratch(kernels_.moved_size().bytes(kernels_.moved_size().slices));
}

void MaskStages::enqueue(Execution& x, const host::Buffer& volume, const host::Buffer& bands, std::uint32_t band) {
    const Slices all{0, kernels_.size().slices};
    band_ = band;
    kernels_.bits(x, volume, 0, bands, band, bits_, all);
    if (spec_.surface) kernels_.outline(x, bits_, outline_, all);
    if (spec_.origin == Origin::corner && !spec_.extents) return;
    if (band == 0) kernels_.clear_corners(x, corners_);
    kernels_.lower(x, still(), corners_, band, all);
}

const host::Buffer& MaskStages::moved(Execution& x, std::size_t i) {
    if (!moves(spec_)) return x.buffer(still().memory);
    kernels_.shift(x, still(), corners_, band_, shifts_[i], {0, kernels_.moved_size().slices}, moved_);
    return x.buffer(moved_);
}

}  // namespace parallax::engine::box_count
