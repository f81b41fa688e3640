#include "algorithms/hologram/axis_table.hpp"

#include "core/integers.hpp"

namespace parallax::engine::hologram {

namespace {

bool is_fresnel(const Geometry& g) noexcept { return g.methods.front() == Method::fresnel; }

void add_second(host::Defines& defines, const Geometry& g) { defines.add("SECOND", is_fresnel(g) ? 0 : 1); }

host::ProgramSpec axis_program(const Geometry& g) {
    host::Defines defines;
    add_second(defines, g);
    return {"hologram/axis_table.cl", defines};
}

}  // namespace

bool makes_of_axes(const PlanBuilder& builder, const Geometry& g, const Policy& policy) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(g.padded_height) * g.distances.size() * 2 * sizeof(float);
    return is_small_share(builder, bytes) && policy.at("keep_transfer") != 0 && !has_impulse_response(g) &&
           (is_fresnel(g) || (!has_long_phase(g) && small_angle_terms(g) != 0));
}

void add_transfer_method(host::Defines& defines, PlanBuilder& builder, const Geometry& g, bool table, bool of_axes, bool kept) {
    if (!of_axes) {
        defines.add("METHOD", table ? method_table : kept ? method_tiles : method_define(g.methods.front()));
        return;
    }
    add_second(defines, g);
    defines.add("METHOD", method_axes).add("PTX", builder.context().capabilities().inline_ptx);
}

AxisTable::AxisTable(PlanBuilder& builder, const Geometry& geometry, std::int64_t rows, int group)
    : rows_(rows),
      grid_(rows, static_cast<std::int64_t>(geometry.distances.size()), group),
      kernel_(builder.kernel(axis_program(geometry), "axis_table", static_cast<std::size_t>(group))),
      table_(builder.state(static_cast<std::size_t>(rows) * geometry.distances.size() * 2 * sizeof(float))) {}

void AxisTable::make(Execution& x, const PhaseTable& phases, bool changed) {
    if (made_ && !changed) return;
    made_ = true;
    x.launch("transfer function", *kernel_, grid_.groups, grid_.local,
             {table_, phases.turns(), phases.scale(), phases.unit(), phases.limit(), u32(rows_)});
}

const host::Buffer& transfer_buffer(const std::optional<TransferTable>& table, const std::optional<AxisTable>& axes,
                                    const std::optional<KeptTransfer>& kept, const host::Buffer& other) {
    return table ? table->buffer() : axes ? axes->buffer() : kept ? kept->buffer() : other;
}

}  // namespace parallax::engine::hologram
