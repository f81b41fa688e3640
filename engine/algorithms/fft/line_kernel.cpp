#include "algorithms/fft/line_kernel.hpp"

#include "core/kernel_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace parallax::engine::fft {

bool fits_one_group(const host::DeviceInfo& device, std::int64_t n, LineLayout layout, Pairs pairs) {
    return n >= 1 && n <= longest_line && plan_line(static_cast<int>(n), layout, line_limits(device), 1, pairs).has_value();
}

host::Defines column_defines(std::int64_t lines) {
    host::Defines defines;
    if (lines >= std::int64_t{1} << 31) defines.add("FFT_WIDE", 1);
    return defines;
}

void warm_up(PlanBuilder& builder, host::Kernel& kernel, host::NDRange local, std::initializer_list<host::Arg> arguments) {
    builder.queue().launch({.kernel = kernel,
                            .groups = {},
                            .local = local,
                            .args = {arguments.begin(), arguments.size()},
                            .wait = {},
                            .step = kernel.name()});
    builder.queue().finish();
}

LineKernel build_line_kernel(PlanBuilder& builder, host::ProgramSpec spec, const std::string& name, int n, LineLayout layout,
                             std::int64_t lines_wanted, Pairs pairs) {
    // Of a work-item, outside registers, for a set of points. About as much as still costs little: less where lines do not
    // go by pairs (times: docs/results/hologram.md).
    const std::uint64_t spill_allowed = pairs == Pairs::none ? 64 : 200;
    const host::Defines given = spec.defines;
    std::optional<KernelMisfit> misfit;
    for (LineLimits limits = line_limits(builder.device()); limits.group >= 1;) {
        std::vector<Line> lines;
        std::optional<LineKernel> best;
        std::uint64_t least = 0;
        for (std::size_t tried = 0;; ++tried) {   // the others are looked for where the first does not do
            lines = plan_lines(n, layout, limits, lines_wanted, pairs, tried + 1);
            if (lines.size() <= tried) break;
            const Line& line = lines[tried];
            spec.defines = given;
            add_line_defines(spec.defines, line);
            try {
                LineKernel made{line, builder.kernel(spec, name, static_cast<std::size_t>(line.group()))};
                const std::uint64_t spilled = spilled_by(*made.kernel);
                if (!best || spilled < least) best = std::move(made), least = spilled;
                if (least <= spill_allowed) break;
            } catch (const KernelMisfit& error) {   // smaller, while there is something smaller
                if (!best) misfit = error;
            }
        }
        if (best) return std::move(*best);
        if (lines.empty()) break;
        if (misfit->of == KernelMisfit::Of::work_group)
            limits.group = std::min(static_cast<int>(misfit->allowed), limits.group - 1);
        else limits.local_bytes = lines.front().local_bytes() - 1;
    }
    if (misfit) throw *misfit;   // the plan may do without lines of one work-group
    throw UnsupportedError(fmt::format("a transform of {} points in one work-group of {}", n, builder.device().name),
                           {fmt::format("{}: local memory {} bytes, work-groups up to {}", name, builder.device().local_memory,
                                        builder.device().max_work_group)});
}

}  // namespace parallax::engine::fft
