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

}  // namespace

BitSize::BitSize(const std::array<std::int64_t, 3>& v) : voxels(v), row(4 * divided_up(v[0], 128)) {}

MaskStages::MaskStages(PlanBuilder& builder, const BoxCountSpec& spec)
    : spec_(spec),
      shifts_(spec.shifts()),
      size_(spec.size),
      moved_size_(spec.shifted_size()),
      group_(std::min<std::size_t>(128, builder.device().max_work_group)),
      most_groups_(std::size_t{32} * builder.device().compute_units) {
    host::Defines d = voxel_defines(spec);
    d.add("RESAMPLE", spec.size != spec.stored).add("FROM_BOX", spec.origin == Origin::bounding_box);
    const host::ProgramSpec program{"box_count/mask.cl", d};
    bits_kernel_ = builder.kernel(program, "mask_bits");
    samples_ = builder.constant(spec.size != spec.stored ? sample_table(spec) : std::vector<std::uint32_t>{0});
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
    return {std::min(static_cast<std::size_t>(divided_up(words, static_cast<std::int64_t>(group_))), most_groups_), 1, 1};
}

void MaskStages::enqueue(Execution& x, const host::Buffer& volume, const host::Buffer& bands, std::uint32_t band) {
    const auto [nx, ny, nz] = size_.voxels;
    const host::NDRange groups = groups_for(size_.words()), local{group_, 1, 1};
    const std::int64_t width = spec_.packed ? 8 * spec_.pitch() : spec_.stored[0];
    x.launch("bits", *bits_kernel_, groups, local,
             {volume, bands, samples_, x.buffer(bits_), u32(width), u32(spec_.stored[1]), u32(nx), u32(ny), u32(nz), u32(size_.row), band});
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
