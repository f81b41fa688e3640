// A kernel that transforms lines, built for one device. For every kernel that includes stockham_core.clh.
#pragma once

#include "algorithms/fft/line.hpp"
#include "core/plan.hpp"

#include <initializer_list>
#include <memory>
#include <string>

namespace parallax::engine::fft {

struct LineKernel {
    Line line;
    std::unique_ptr<host::Kernel> kernel;

    /// Work-groups for this many lines.
    host::NDRange groups(std::int64_t lines) const { return {static_cast<std::size_t>((lines + line.lines - 1) / line.lines)}; }
    host::NDRange local() const { return {static_cast<std::size_t>(line.group())}; }
};

/// Whether a line of n points fits one work-group of this device.
bool fits_one_group(const host::DeviceInfo&, std::int64_t n, LineLayout, Pairs = Pairs::none);

/// What kernels that include columns.clh want to know, of images of this many lines.
host::Defines column_defines(std::int64_t lines);

/// Launches one work-group and waits: drivers compile at the first launch. The arguments should give it nothing to do.
void warm_up(PlanBuilder&, host::Kernel&, host::NDRange local, std::initializer_list<host::Arg>);

/// Plans the line, adds its defines to those of `spec` and builds. Where what is built takes more local memory than there is, or
/// the driver allows it only smaller work-groups than the device, it is planned again for that; where it finds too few registers
/// for it, it takes the shape that wants least beside them. Throws UnsupportedError if no shape fits.
LineKernel build_line_kernel(PlanBuilder&, host::ProgramSpec spec, const std::string& name, int n, LineLayout,
                             std::int64_t lines_wanted, Pairs = Pairs::none);

}  // namespace parallax::engine::fft
