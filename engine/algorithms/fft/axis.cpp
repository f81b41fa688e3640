#include "algorithms/fft/axis.hpp"

#include "algorithms/fft/line.hpp"
#include "algorithms/fft/line_kernel.hpp"

#include <fmt/format.h>

namespace parallax::engine::fft {
namespace {

/// All lines in one launch, a line in one work-group.
class ShortAxis final : public Axis1D {
public:
    ShortAxis(PlanBuilder& builder, const AxisShape& shape)
        : n_(shape.n),
          rows_(shape.unit == 1),
          line_(rows_ ? build_line_kernel(builder, {"fft/stockham_rows.cl", {}}, "stockham_rows", static_cast<int>(n_),
                                          LineLayout::rows, shape.lines())
                      : build_line_kernel(builder, {"fft/stockham_columns.cl", {}}, "stockham_columns", static_cast<int>(n_),
                                          LineLayout::columns, shape.unit)),
          twiddles_(builder.constant(stage_table(line_.line.radices))) {
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

std::unique_ptr<Axis1D> make_axis(PlanBuilder& builder, const AxisShape& shape) {
    if (!is_smooth(shape.n)) return make_bluestein_axis(builder, shape);
    const LineLayout layout = shape.unit == 1 ? LineLayout::rows : LineLayout::columns;
    if (fits_one_group(builder.device(), shape.n, layout)) return make_short_axis(builder, shape);
    return make_long_axis(builder, shape);
}

}  // namespace parallax::engine::fft
