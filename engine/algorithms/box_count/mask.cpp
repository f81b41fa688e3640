#include "algorithms/box_count/mask.hpp"

#include "algorithms/box_count/device.hpp"
#include "core/integers.hpp"

#include <algorithm>

namespace parallax::engine::box_count {
namespace {

std::uint32_t u32(std::int64_t v) { return static_cast<std::uint32_t>(v); }

bool moves(const BoxCountSpec& spec) { return spec.offsets > 1 || spec.origin == Origin::bounding_box; }

std::vector<std::uint32_t> sample_table(const BoxCountSpec& spec) {
    std::vector<std::uint32_t> table;
    for (const auto& axis : spec.samples()) table.insert(table.end(), axis.begin(), axis.end());
    return table;
}

host::Defines mask_defines(const BoxCountSpec& spec) {
    return voxel_defines(spec).add("RESAMPLE", spec.size != spec.stored).add("FROM_BOX", spec.origin == Origin::bounding_box);
}

std::size_t group_size(PlanBuilder& builder) { return std::min<std::size_t>(128, builder.device().max_work_group); }
std::size_t most_groups(PlanBuilder& builder) { return std::size_t{32} * builder.device().compute_units; }

host::NDRange groups_of(std::int64_t words, std::size_t group, std::size_t most) {
    return {std::min(static_cast<std::size_t>(divided_up(words, static_cast<std::int64_t>(group))), most), 1, 1};
}

}  // namespace

BitSize::BitSize(const std::array<std::int64_t, 3>& v) : voxels(v), row(4 * divided_up(v[0], 128)) {}

BitsStage::BitsStage(PlanBuilder& builder, const BoxCountSpec& spec)
    : spec_(spec),
      row_words_(BitSize(spec.size).row),
      group_(group_size(builder)),
      most_groups_(most_groups(builder)),
      samples_(builder.constant(spec.size != spec.stored ? sample_table(spec) : std::vector<std::uint32_t>{0})),
      kernel_(builder.kernel({"box_count/mask.cl", mask_defines(spec)}, "mask_bits")) {}

void BitsStage::enqueue(Execution& x, const host::Buffer& volume, const host::Buffer& bands, std::uint32_t band, const host::Buffer& bits) {
    enqueue(x, volume, bands, band, bits, 0, 0, spec_.size[static_cast<std::size_t>(spec_.dimensions - 1)]);
}

void BitsStage::enqueue(Execution& x, const host::Buffer& slices, const host::Buffer& bands, std::uint32_t band, const host::Buffer& bits, std::int64_t from,
                        std::int64_t to, std::int64_t count) {
    const bool flat = spec_.dimensions == 2;
    const std::int64_t ny = flat ? count : spec_.size[1], nz = flat ? 1 : count;
    const std::int64_t from_row = flat ? from : from * spec_.stored[1], to_row = flat ? to : to * spec_.size[1];
    const std::int64_t width = spec_.packed ? 8 * spec_.pitch() : spec_.stored[0];
    x.launch("bits", *kernel_, groups_of(row_words_ * ny * nz, group_, most_groups_), {group_, 1, 1},
             {slices, bands, samples_, bits, u32(width), u32(spec_.stored[1]), u32(spec_.size[0]), u32(ny), u32(nz), u32(row_words_), band, u32(from_row), u32(to_row)});
}

MaskStages::MaskStages(PlanBuilder& builder, const BoxCountSpec& spec)
    : spec_(spec),
      shifts_(spec.shifts()),
      size_(spec.size),
      moved_size_(spec.shifted_size()),
      group_(group_size(builder)),
      most_groups_(most_groups(builder)),
      bits_stage_(builder, spec) {
    const host::ProgramSpec program{"box_count/mask.cl", mask_defines(spec)};
    const auto bytes = [](const BitSize& s) { return static_cast<std::size_t>(s.words()) * sizeof(std::uint32_t); };
    bits_ = builder.scratch(bytes(size_));
    if (spec.surface) {
        outline_kernel_ = builder.kernel(program, "mask_outline");
        outline_ = builder.scratch(bytes(size_));
    }
    if (!moves(spec)) return;
    corner_ = builder.scratch(3 * sizeof(std::uint32_t));
    moved_ = builder.scratch(bytes(moved_size_));
    shift_kernel_ = builder.kernel(program, "mask_shift");
    if (spec.origin == Origin::corner) return;
    clear_kernel_ = builder.kernel(program, "mask_clear");
    box_kernel_ = builder.kernel(program, "mask_box");
}

host::NDRange MaskStages::groups_for(std::int64_t words) const {
    return groups_of(words, group_, most_groups_);
}

void MaskStages::enqueue(Execution& x, const host::Buffer& volume, const host::Buffer& bands, std::uint32_t band) {
    const auto [nx, ny, nz] = size_.voxels;
    const host::NDRange groups = groups_for(size_.words()), local{group_, 1, 1};
    bits_stage_.enqueue(x, volume, bands, band, x.buffer(bits_));
    if (spec_.surface)
        x.launch("outline", *outline_kernel_, groups, local, {x.buffer(bits_), x.buffer(outline_), u32(nx), u32(ny), u32(nz), u32(size_.row)});
    if (spec_.origin == Origin::corner) return;
    x.launch("clear", *clear_kernel_, {1, 1, 1}, local, {x.buffer(corner_)});
    x.launch("bounding box", *box_kernel_, groups, local, {still(x), x.buffer(corner_), u32(ny), u32(nz), u32(size_.row)});
}

const host::Buffer& MaskStages::moved(Execution& x, std::size_t i) {
    if (!moves(spec_)) return still(x);
    const auto& to = moved_size_;
    x.launch("shift", *shift_kernel_, groups_for(to.words()), {group_, 1, 1},
             {still(x), x.buffer(corner_), x.buffer(moved_), u32(size_.voxels[1]), u32(size_.voxels[2]), u32(size_.row), u32(to.voxels[1]), u32(to.voxels[2]),
              u32(to.row), u32(shifts_[i][0]), u32(shifts_[i][1]), u32(shifts_[i][2])});
    return x.buffer(moved_);
}

}  // namespace parallax::engine::box_count
