#include "algorithms/box_count/tiles.hpp"

#include "algorithms/box_count/device.hpp"
#include "algorithms/box_count/mask.hpp"
#include "core/integers.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace parallax::engine::box_count {
namespace {

/// Local memory of box_tiles: a byte for each four boxes of 4, two for each box of 16, and its sums.
std::uint64_t local_bytes(const Shape& shape, int dimensions) {
    const auto up = [&](std::uint64_t side) { return dimensions == 3 ? side * side : side; };
    const auto tile = static_cast<std::uint64_t>(shape.tile), across = static_cast<std::uint64_t>(shape.wide) * tile / 16;
    return across * up(tile / 4) + 2 * across * up(tile / 16) + 512;
}

void refuse_if_too_large(const Shape& shape, int dimensions, const host::DeviceInfo& device) {
    if (local_bytes(shape, dimensions) <= device.local_memory) return;
    throw UnsupportedError(
        fmt::format("box_count with {} tiles of {} a work-group on {}", shape.wide, shape.tile, device.name),
        {fmt::format("they take {} bytes of local memory, and the device has {}; use a smaller \"tile\" or \"wide\"",
                     local_bytes(shape, dimensions), device.local_memory)});
}

int bits_of(int tile) { return std::countr_zero(static_cast<unsigned>(tile)); }
std::size_t columns_of(int tile) { return static_cast<std::size_t>(2 * bits_of(tile) - 1); }
/// Flags above those of so many tiles: halves of halves, and some more for each of at most 25 sizes: a line of n may reach into
/// n / 2 + 1 boxes, so that one of two stays one of two. Most in 2 x 2 x n tiles, 4 (n / 2^i + 2) of the i-th size.
std::size_t room_of(std::size_t tiles) { return tiles + 256; }

/// Tiles of each grid that precede the first.
std::vector<std::uint32_t> leads_of(const BoxCountSpec& spec, int tile) {
    std::vector<std::uint32_t> leads;
    for (const auto& shift : spec.shifts())
        for (const std::int64_t voxels : shift) leads.push_back(u32(voxels / tile));
    return leads;
}

std::int64_t groups_of(const std::array<std::int64_t, 3>& size, const Shape& shape) {
    const std::int64_t across = divided_up(size[0], shape.tile);
    return tiles_of(size, shape.tile) / across * divided_up(across, shape.wide);
}

}  // namespace

std::int64_t tiles_of(const std::array<std::int64_t, 3>& size, int tile) {
    return divided_up(size[0], tile) * divided_up(size[1], tile) * divided_up(size[2], tile);
}

std::uint64_t TileFolder::bytes_of_set(const std::array<std::int64_t, 3>& size, const Shape& shape) {
    const auto tiles = static_cast<std::size_t>(tiles_of(size, shape.tile)),
               groups = static_cast<std::size_t>(groups_of(size, shape));
    return tiles + groups * columns_of(shape.tile) * sizeof(std::uint32_t) + room_of(tiles);
}

host::Defines bit_defines(int dimensions) {
    host::Defines d;
    return d.add("ELEMENT_BYTES", 1).add("PACKED", 1).add("ALIGNED", 1).add("DIMS", dimensions);
}

TileFolder::TileFolder(PlanBuilder& builder, host::Defines d, const BoxCountSpec& spec, const std::array<std::int64_t, 3>& size,
                       Shape shape, std::size_t sets, std::size_t result_sets)
    : shape_(shape),
      result_sets_(result_sets),
      levels_(static_cast<std::size_t>(spec.top) + 1),
      tiles_(u32(tiles_of(size, shape.tile))),
      grids_(u32(static_cast<std::int64_t>(spec.shifts().size()))),
      leads_(builder.constant(leads_of(spec, shape.tile))),
      at_a_time_(sets > 1 && builder.context().capabilities().cuts_loops ? 1 : sets) {
    refuse_if_too_large(shape, spec.dimensions, builder.device());
    const int tile_bits = bits_of(shape.tile);
    columns_ = columns_of(shape.tile);
    for (std::size_t axis = 0; axis < 3; ++axis) by_axis_[axis] = u32(divided_up(size[axis], shape.tile));
    groups_ = u32(groups_of(size, shape));
    d.add("TILE", shape.tile).add("TILE_BITS", tile_bits).add("WIDE", shape.wide).add("GROUP", shape.group);
    const host::ProgramSpec program{"box_count/pyramid.cl", d};
    tile_kernel_ = builder.kernel(program, "box_tiles");
    top_kernel_ = builder.kernel(program, "box_tops");
    room_ = room_of(tiles_);
    tops_ = builder.scratch(sets * tiles_);
    counts_ = builder.scratch(sets * groups_ * columns_ * sizeof(std::uint32_t));
    higher_ = builder.scratch(sets * room_);
    results_ = builder.scratch(corners_at() + spec.bands.size() * corner_words * sizeof(std::uint32_t));
}

void TileFolder::fold(Execution& x, const host::Buffer& array, const host::Buffer& band_buffer,
                      const std::array<std::int64_t, 3>& size, std::int64_t base, std::size_t set, std::size_t bands,
                      std::size_t first_band) {
    // Rows may be padded: there are tiles for what is in them alone.
    const auto rows = static_cast<std::size_t>(divided_up(size[1], shape_.tile) * divided_up(size[2], shape_.tile));
    for (std::size_t i = 0; i < bands; i += at_a_time_)
        fold_some(x, array, band_buffer, size, base, rows, set + i, std::min(at_a_time_, bands - i), first_band + i);
}

void TileFolder::fold_some(Execution& x, const host::Buffer& array, const host::Buffer& band_buffer,
                           const std::array<std::int64_t, 3>& size, std::int64_t base, std::size_t rows, std::size_t set,
                           std::size_t bands, std::size_t first_band) {
    x.launch("tiles", *tile_kernel_, {groups_ / (tiles_ / by_axis_[0]) * rows, 1, 1},
             {static_cast<std::size_t>(shape_.group), 1, 1},
             {array, band_buffer, x.buffer(tops_), x.buffer(counts_), u32(size[0]), u32(size[1]), u32(size[2]), by_axis_[0],
              by_axis_[1], tiles_, u32(bands), u32(base / by_axis_[0]), u32(set), u32(first_band)});
}

void TileFolder::add_pieces(Execution& x, std::size_t set, std::int64_t first, std::int64_t end, std::vector<Piece>& to) const {
    if (first == end) return;
    const std::size_t tiles = by_axis_[0], groups = groups_ / (tiles_ / by_axis_[0]);   // of a row
    const std::size_t from = static_cast<std::size_t>(first) / tiles, rows = static_cast<std::size_t>(end - first) / tiles,
                      word = sizeof(std::uint32_t);
    to.push_back({x.buffer(tops_), set * tiles_ + from * tiles, rows * tiles});
    for (std::size_t column = 0; column < columns_; ++column)
        to.push_back({x.buffer(counts_), ((set * columns_ + column) * groups_ + from * groups) * word, rows * groups * word});
}

void TileFolder::sum_up(Execution& x, std::size_t first, std::size_t sets) {
    x.launch("tops", *top_kernel_, {1 + columns_, sets, 1}, {static_cast<std::size_t>(shape_.group), 1, 1},
             {x.buffer(tops_), x.buffer(counts_), x.buffer(higher_), x.buffer(results_), leads_, by_axis_[0], by_axis_[1],
              by_axis_[2], tiles_, groups_, u32(room_), u32(levels_ - 1), u32(first), grids_});
}

void TileFolder::record(Execution& x, const Problem& problem, const BoxCountSpec& spec, const host::Buffer* corners) {
    const std::size_t at = corners_at(), boxes = corners ? spec.bands.size() * corner_words * sizeof(std::uint32_t) : 0;
    if (corners) x.copy("bounding box", *corners, x.buffer(results_).sub(at, boxes), boxes);
    const auto counted = [spec, sets = result_sets_, levels = levels_, at, boxes](std::span<const std::byte> bytes) {
        Counted all{std::vector<BoxCounts>(sets, BoxCounts(levels)), {}};
        if (boxes > 0) all.extents = extents_of(spec, bytes.subspan(at, boxes));
        for (BoxCounts& counts : all.counts) {
            std::memcpy(counts.data(), bytes.data(), counts.size() * sizeof(Boxes));
            bytes = bytes.subspan(counts.size() * sizeof(Boxes));
        }
        return all;
    };
    record_counts(x, problem, spec, x.buffer(results_), corners ? at + boxes : result_sets_ * levels_ * sizeof(Boxes), counted);
}

}  // namespace parallax::engine::box_count
