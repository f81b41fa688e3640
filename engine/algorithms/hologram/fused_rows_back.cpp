#include "algorithms/hologram/fused_rows_back.hpp"

#include "core/integers.hpp"

namespace parallax::engine::hologram {

FusedRowsBack::FusedRowsBack(PlanBuilder& builder, const Problem& problem, const Geometry& geometry, std::int64_t width,
                             std::int64_t rows, std::int64_t kept, const host::Defines& tiles, bool mirrored)
    : width_(geometry.width),
      height_(geometry.height),
      rows_(kept),
      factor_(static_cast<float>(1.0 / (static_cast<double>(width) * static_cast<double>(rows)))) {
    const auto build = [&](bool amplitude, bool phase, bool intensity, bool field) {
        host::Defines defines = tiles;
        defines.add("WANT_AMPLITUDE", amplitude)
            .add("WANT_PHASE", phase)
            .add("WANT_INTENSITY", intensity)
            .add("WANT_FIELD", field)
            .add("PTX", builder.context().capabilities().inline_ptx);
        return fft::build_line_kernel(builder, {"hologram/fused_rows_inverse.cl", defines}, "rows_inverse",
                                      static_cast<int>(width), fft::LineLayout::rows, height_,
                                      mirrored ? fft::Pairs::both : fft::Pairs::none);
    };
    outputs_ = build(problem.wants("amplitude"), problem.wants("phase"), problem.wants("intensity"), problem.wants("field"));
    if (problem.parameters.as<HologramParameters>().autofocus) amplitude_ = build(true, false, false, false);
    twiddles_ = builder.constant(fft::line_table(outputs_.line, mirrored ? fft::Order::backward : fft::Order::forward));
}

void FusedRowsBack::outputs(Execution& x, const From& from, const Bindings& arrays, std::int64_t plane) {
    const auto output = [&](const char* port) -> const host::Buffer& {
        return arrays.has_output(port) ? arrays.output(port) : arrays.outputs.begin()->second.buffer;
    };
    store(x, outputs_, from, output("amplitude"), output("phase"), output("intensity"), output("field"),
          plane * width_ * height_);
}

void FusedRowsBack::amplitude_only(Execution& x, const From& from, const host::Buffer& amplitude) {
    store(x, amplitude_, from, amplitude, amplitude, amplitude, amplitude, 0);
}

void FusedRowsBack::store(Execution& x, fft::LineKernel& kernel, const From& from, const host::Buffer& amplitude,
                          const host::Buffer& phase, const host::Buffer& intensity, const host::Buffer& field,
                          std::int64_t first) {
    host::NDRange groups = kernel.groups(height_);
    groups.y = from.count;
    x.launch("rows inverse", *kernel.kernel, groups, kernel.local(),
             {from.plus, from.minus, amplitude, phase, intensity, field, twiddles_, from.quarters, u32(width_), u32(height_),
              u32(rows_), factor_, static_cast<std::uint64_t>(first), from.stride});
}

}  // namespace parallax::engine::hologram
