#include "algorithms/fft/axis.hpp"

#include "algorithms/fft/line_kernel.hpp"
#include "algorithms/fft/rader.hpp"
#include "algorithms/fft/radices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <vector>

namespace parallax::engine::fft {
namespace {

host::Defines whole_rows(PlanBuilder& builder, const AxisShape& shape) {
    host::Defines defines;
    defines.add("PTX", reads_past_cache(builder, shape) ? 1 : 0);
    return defines;
}

host::Defines whole_columns(const AxisShape& shape) {
    host::Defines defines = column_defines(shape.unit);
    defines.add("FFT_WHOLE", 1);
    return defines;
}

/// All lines in one launch, a line in one work-group.
class ShortAxis final : public Axis1D {
public:
    ShortAxis(PlanBuilder& builder, const AxisShape& shape)
        : n_(shape.n),
          rows_(shape.unit == 1),
          line_(rows_ ? build_line_kernel(builder, {"fft/stockham_rows.cl", whole_rows(builder, shape)}, "stockham_rows",
                                          static_cast<int>(n_), LineLayout::rows, shape.lines())
                      : build_line_kernel(builder, {"fft/stockham_columns.cl", whole_columns(shape)}, "stockham_columns",
                                          static_cast<int>(n_), LineLayout::columns, shape.unit)),
          twiddles_(builder.constant(line_table(line_.line))) {
        const std::uint64_t none = 0, one = 1;
        if (rows_) warm_up(builder, *line_.kernel, line_.local(), {twiddles_, twiddles_, twiddles_, none, std::int32_t{0}, 1.0f});
        else
            warm_up(builder, *line_.kernel, line_.local(), {twiddles_, twiddles_, twiddles_, twiddles_, twiddles_, none, one, one,
                                                            std::uint32_t{1}, std::uint32_t{1}, std::int32_t{0}, 1.0f});
    }

    void enqueue(Execution& execution, std::string_view stage, const host::Buffer& in, const host::Buffer& out,
                 std::int64_t images, std::int64_t unit, Direction direction) override {
        const auto inverse = static_cast<std::int32_t>(direction == Direction::inverse);
        const float scale = inverse ? static_cast<float>(1.0 / static_cast<double>(n_)) : 1.0f;
        if (rows_) {
            execution.launch(stage, *line_.kernel, line_.groups(images), line_.local(),
                             {in, out, twiddles_, static_cast<std::uint64_t>(images), inverse, scale});
            return;
        }
        host::NDRange groups = line_.groups(unit);
        groups.x *= static_cast<std::size_t>(images);
        const auto width = static_cast<std::uint64_t>(unit);
        execution.launch(stage, *line_.kernel, groups, line_.local(),
                         {in, out, twiddles_, twiddles_, twiddles_, static_cast<std::uint64_t>(images), width, width,
                          static_cast<std::uint32_t>(unit), static_cast<std::uint32_t>(n_), inverse, scale});
    }

    std::string describe() const override { return line_.line.describe(); }

private:
    std::int64_t n_;
    bool rows_;
    LineKernel line_;
    host::Buffer twiddles_;
};

}  // namespace

bool reads_past_cache(PlanBuilder& builder, const AxisShape& shape) {
    return builder.context().capabilities().inline_ptx && fits_cache(shape);
}

bool fits_cache(const AxisShape& shape) noexcept {
    constexpr std::int64_t most_bytes = std::int64_t{64} << 20;
    return shape.elements() * std::int64_t{sizeof(std::complex<float>)} <= most_bytes;
}

std::string axis_why_not(std::int64_t n) {
    if (n > longest_axis) return fmt::format("a length of {} is above {}", n, longest_axis);
    if (!is_smooth(n) && good_size(2 * n - 1) > longest_axis)
        return fmt::format("{} has a prime factor above 31, and the convolution that this needs is longer than {}", n,
                           longest_axis);
    return {};
}

std::unique_ptr<Axis1D> make_short_axis(PlanBuilder& builder, const AxisShape& shape) {
    return std::make_unique<ShortAxis>(builder, shape);
}

namespace {

/// Of groups that have a compute unit each to themselves, the share of the time in which units have one.
double filled(const host::DeviceInfo& device, std::int64_t groups) {
    const std::int64_t units = std::max<std::int64_t>(device.compute_units, 1), rounds = (groups + units - 1) / units;
    return static_cast<double>(groups) / static_cast<double>(rounds * units);
}

/// Whether each pass takes four lines together, a sector of memory.
bool fill_sectors(const host::DeviceInfo& device, std::int64_t n) {
    const std::vector<int> lengths = pass_lengths(n);
    return !lengths.empty() && std::all_of(lengths.begin(), lengths.end(), [&](int length) {
        const auto line = plan_line(length, LineLayout::columns, line_limits(device), 8);
        return line && line->lines >= 4;
    });
}

/// Passes of full width beat columns of which a work-group holds so few that it reads parts of memory's sectors (a large prime's
/// convolution makes them few, too), and those that go through local memory two and two where their groups are few.
bool better_in_passes(const host::DeviceInfo& device, const AxisShape& shape) {
    constexpr double well_filled = 0.9;
    const auto wanted = std::max<std::int64_t>(shape.unit, 8);
    const auto line = plan_line(static_cast<int>(shape.n), LineLayout::columns, line_limits(device), wanted);
    if (!line) return false;
    if (line->rader.prime != 0) return line->lines < 4 && fill_sectors(device, shape.n);
    if (line->lines < 4) return true;
    const std::int64_t groups = shape.images * ((shape.unit + line->lines - 1) / line->lines);
    return line->shares > 1 && fits_cache(shape) && filled(device, groups) < well_filled;
}

bool passes_fit(const host::DeviceInfo& device, std::int64_t n) {
    const std::vector<int> lengths = pass_lengths(n);
    return !lengths.empty() && std::all_of(lengths.begin(), lengths.end(),
                                           [&](int length) { return fits_one_group(device, length, LineLayout::columns); });
}

}   // namespace

AxisWay axis_way(const host::DeviceInfo& device, const AxisShape& shape) {
    const std::int64_t n = shape.n;
    const LineLayout layout = shape.layout();
    if (fits_one_group(device, n, layout)) {
        // A prime whose own convolution is padded: Bluestein's is as long, and reads in order.
        const auto rader = is_smooth(n) ? std::nullopt : rader_of(static_cast<int>(n));
        if (rader && rader->unit == 1 && rader->padded() && fits_one_group(device, bluestein_length(n), layout))
            return AxisWay::bluestein_line;
        const bool columns = layout == LineLayout::columns;
        return columns && better_in_passes(device, shape) && passes_fit(device, n) ? AxisWay::passes : AxisWay::line;
    }
    if (passes_fit(device, n)) return AxisWay::passes;
    if (fits_one_group(device, bluestein_length(n), layout)) return AxisWay::bluestein_line;
    const auto convolution = convolution_passes(n);
    const bool fit = convolution && fits_one_group(device, convolution->ends, LineLayout::columns) &&
                     fits_one_group(device, convolution->middle, LineLayout::columns);
    return fit ? AxisWay::bluestein_passes : AxisWay::bluestein_slabs;
}

std::unique_ptr<Axis1D> make_axis(PlanBuilder& builder, const AxisShape& shape) {
    switch (axis_way(builder.device(), shape)) {
    case AxisWay::line: return make_short_axis(builder, shape);
    case AxisWay::passes: return make_long_axis(builder, shape);
    case AxisWay::bluestein_line: return make_bluestein_line(builder, shape);
    case AxisWay::bluestein_passes: return make_bluestein_passes(builder, shape);
    case AxisWay::bluestein_slabs: break;
    }
    return make_bluestein_slabs(builder, shape);
}

}  // namespace parallax::engine::fft
