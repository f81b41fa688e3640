#include "algorithms/hologram/kept_transfer.hpp"

#include "algorithms/hologram/propagator.hpp"
#include "core/integers.hpp"
#include "core/memory_share.hpp"

namespace parallax::engine::hologram {

namespace {

host::ProgramSpec program(const Geometry& geometry, const TransferTiles& tiles) {
    host::Defines defines;
    defines.add("METHOD", method_define(geometry.methods.front())).add("TILE", tiles.tile).add("MIRRORED", tiles.mirrored);
    add_phase_defines(defines, geometry);
    return {"hologram/transfer_tiles.cl", defines};
}

}  // namespace

bool is_small_share(const PlanBuilder& builder, std::uint64_t bytes) {
    return bytes <= small_share(builder.device().global_memory);
}

PolicyField keep_transfer_field() {
    return {"keep_transfer",
            1,
            {0, 1},
            "1: what H is made of is kept, or, where angles are wide, H itself of a single distance; 0: columns make it for each "
            "frame"};
}

bool keeps_transfer(const PlanBuilder& builder, const Geometry& geometry, const Policy& policy, std::size_t bytes) {
    return policy.at("keep_transfer") != 0 && geometry.distances.size() == 1 && !has_impulse_response(geometry) &&
           is_small_share(builder, bytes);
}

KeptTransfer::KeptTransfer(PlanBuilder& builder, const Geometry& geometry, const TransferTiles& tiles, int group)
    : tiles_(tiles),
      grid_(tiles.columns, tiles.rows, group),
      transfer_(builder.kernel(program(geometry, tiles), "transfer_tiles", static_cast<std::size_t>(group))),
      table_(builder.state(tiles.bytes())) {}

void KeptTransfer::make(Execution& x, const PhaseTable& phases, bool changed) {
    if (made_ && !changed) return;
    made_ = true;
    x.launch("transfer function", *transfer_, grid_.groups, grid_.local,
             {table_, phases.turns(), phases.scale(), phases.unit(), phases.limit(), phases.planes(), std::uint32_t{0},
              u32(tiles_.columns), u32(tiles_.rows)});
}

}  // namespace parallax::engine::hologram
