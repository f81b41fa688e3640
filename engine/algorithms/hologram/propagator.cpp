#include "algorithms/hologram/propagator.hpp"

#include <algorithm>

namespace parallax::engine::hologram {

namespace {

host::ProgramSpec transfer_program(const Geometry& geometry, Method method, bool centred) {
    host::Defines defines;
    defines.add("METHOD", method_define(method)).add("CENTRED", centred);
    add_phase_defines(defines, geometry);
    return {"hologram/transfer.cl", defines};
}

/// Of the planes that have an impulse response, or of those that have not.
Method method_of(const Geometry& geometry, bool impulse) {
    return *std::find_if(geometry.methods.begin(), geometry.methods.end(),
                         [impulse](Method m) { return is_impulse_response(m) == impulse; });
}

}  // namespace

std::int64_t method_define(Method method) {
    switch (method) {
        case Method::fresnel: return 1;
        case Method::convolution: return 2;
        case Method::rayleigh_sommerfeld: return 3;
        default: return 0;
    }
}

TransferTable::TransferTable(PlanBuilder& builder, const Geometry& geometry, fft::Transform* transform, bool centred,
                             bool endless_mean, int group, std::optional<TableExtent> extent)
    : width_(static_cast<std::uint32_t>(geometry.padded_width)),
      height_(static_cast<std::uint32_t>(geometry.padded_height)),
      grid_(geometry.padded_width, geometry.padded_height, group),
      transfer_grid_(extent ? PixelGrid(extent->columns, extent->rows, group) : grid_),
      transform_(transform),
      table_(builder.state(static_cast<std::size_t>(geometry.padded_width * geometry.padded_height) * 2 * sizeof(float))) {
    const auto items = static_cast<std::size_t>(group);
    if (has_transfer_function(geometry))
        transfer_ = builder.kernel(transfer_program(geometry, method_of(geometry, false), centred), "transfer", items);
    if (has_impulse_response(geometry))
        impulse_ = builder.kernel(transfer_program(geometry, method_of(geometry, true), centred), "impulse", items);
    if (impulse_ && endless_mean)
        endless_mean_ = builder.kernel(transfer_program(geometry, method_of(geometry, true), centred), "endless_mean");
}

void TransferTable::make(Execution& x, const PhaseTable& phases, std::uint32_t slot, bool changed) {
    if (phases.count() == 1 && made_ && !changed) return;
    made_ = true;
    const std::optional<bool> is_impulse = phases.is_impulse(slot);
    if (is_impulse.value_or(true)) {
        x.launch("impulse response", *impulse_, grid_.groups, grid_.local,
                 {table_, phases.turns(), phases.scale(), phases.unit(), phases.limit(), phases.planes(), slot, width_, height_});
        const auto scope = x.scope("transform of g");
        transform_->enqueue(x, table_, table_, fft::Direction::forward);
        if (endless_mean_) {
            x.launch("endless mean", *endless_mean_, reduce_one, reduce_one,
                     {table_, phases.turns(), phases.scale(), phases.unit(), phases.limit(), phases.planes(), slot});
        }
    }
    if (is_impulse.value_or(false)) return;
    x.launch("transfer function", *transfer_, transfer_grid_.groups, transfer_grid_.local,
             {table_, phases.turns(), phases.scale(), phases.unit(), phases.limit(), phases.planes(), slot, width_, height_});
}

SpectrumPropagator::SpectrumPropagator(PlanBuilder& builder, const Geometry& geometry, fft::Transform& transform, bool centred,
                                       bool endless_mean, int group)
    : geometry_(geometry), transform_(transform), group_(group) {
    if (geometry.distances.size() == 1 || has_impulse_response(geometry))
        table_.emplace(builder, geometry, &transform, centred, endless_mean, group);
    multiply_ = builder.kernel(transfer_program(geometry, geometry.methods.front(), centred),
                               table_ ? "multiply_table" : "multiply_transfer", static_cast<std::size_t>(group));
}

void SpectrumPropagator::enqueue(Execution& x, const PhaseTable& phases, const host::Buffer& spectrum, std::uint32_t slot,
                                 bool changed, const host::Buffer& out) {
    const PixelGrid grid(geometry_.padded_width, geometry_.padded_height, group_);
    const auto width = static_cast<std::uint32_t>(geometry_.padded_width),
               height = static_cast<std::uint32_t>(geometry_.padded_height);
    if (table_) {
        table_->make(x, phases, slot, changed);
        x.launch("product", *multiply_, grid.groups, grid.local, {spectrum, table_->buffer(), out, width, height});
    } else {
        x.launch(
            "product", *multiply_, grid.groups, grid.local,
            {spectrum, out, phases.turns(), phases.scale(), phases.unit(), phases.limit(), phases.planes(), slot, width, height});
    }
    const auto scope = x.scope("inverse transform");
    transform_.enqueue(x, out, out, fft::Direction::inverse);
}

SingleTransformPropagator::SingleTransformPropagator(PlanBuilder& builder, const Geometry& geometry, fft::Transform& transform,
                                                     int group)
    : geometry_(geometry), transform_(transform), group_(group) {
    const host::ProgramSpec spec{"hologram/single_transform.cl", {}};
    chirp_in_ = builder.kernel(spec, "chirp_in", static_cast<std::size_t>(group));
    chirp_out_ = builder.kernel(spec, "chirp_out", static_cast<std::size_t>(group));
}

void SingleTransformPropagator::enqueue(Execution& x, const PhaseTable& phases, const host::Buffer& frame, std::uint32_t slot,
                                        const host::Buffer& work, const host::Buffer& out) {
    const PixelGrid grid(geometry_.padded_width, geometry_.padded_height, group_);
    const auto width = static_cast<std::uint32_t>(geometry_.padded_width),
               height = static_cast<std::uint32_t>(geometry_.padded_height);
    x.launch("chirp in", *chirp_in_, grid.groups, grid.local,
             {frame, work, phases.turns(), phases.scale(), phases.planes(), slot, width, height});
    {
        const auto scope = x.scope("transform");
        transform_.enqueue(x, work, work, fft::Direction::forward);
    }
    x.launch("chirp out", *chirp_out_, grid.groups, grid.local,
             {work, out, phases.turns(), phases.scale(), phases.unit(), phases.planes(), slot, width, height});
}

}  // namespace parallax::engine::hologram
