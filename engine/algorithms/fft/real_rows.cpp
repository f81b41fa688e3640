#include "algorithms/fft/real_rows.hpp"

#include "algorithms/fft/axis.hpp"
#include "algorithms/fft/line.hpp"
#include "algorithms/fft/line_kernel.hpp"

#include <algorithm>
#include <complex>

namespace parallax::engine::fft {
namespace {

/// One kernel: the line and its mirror image meet in local memory.
class ShortRealRows final : public RealRows {
public:
    ShortRealRows(PlanBuilder& builder, std::int64_t n, std::int64_t rows, Kind kind)
        : n_(n),
          rows_(rows),
          inverse_(kind == Kind::c2r),
          line_(inverse_ ? build_line_kernel(builder, {"fft/real_rows_inverse.cl", {}}, "real_rows_inverse", static_cast<int>(n),
                                             LineLayout::rows, pairs())
                         : build_line_kernel(builder, {"fft/real_rows_forward.cl", {}}, "real_rows_forward", static_cast<int>(n),
                                             LineLayout::rows, pairs())),
          twiddles_(builder.constant(line_table(line_.line))) {
        const std::uint64_t none = 0;
        if (inverse_) warm_up(builder, *line_.kernel, line_.local(), {twiddles_, twiddles_, twiddles_, none, 1.0f});
        else warm_up(builder, *line_.kernel, line_.local(), {twiddles_, twiddles_, twiddles_, none});
    }

    void enqueue(Execution& execution, std::string_view stage, const host::Buffer& in, const host::Buffer& out) override {
        const auto rows = static_cast<std::uint64_t>(rows_);
        if (inverse_)
            execution.launch(stage, *line_.kernel, line_.groups(pairs()), line_.local(),
                             {in, out, twiddles_, rows, static_cast<float>(1.0 / static_cast<double>(n_))});
        else
            execution.launch(stage, *line_.kernel, line_.groups(pairs()), line_.local(), {in, out, twiddles_, rows});
    }

    std::string describe() const override { return line_.line.describe(); }

private:
    std::int64_t pairs() const { return (rows_ + 1) / 2; }

    std::int64_t n_, rows_;
    bool inverse_;
    LineKernel line_;
    host::Buffer twiddles_;
};

/// Pack, transform in global memory, unpack.
class PackedRealRows final : public RealRows {
public:
    PackedRealRows(PlanBuilder& builder, std::int64_t n, std::int64_t rows, Kind kind)
        : n_(n), rows_(rows), inverse_(kind == Kind::c2r), axis_(make_axis(builder, {(rows + 1) / 2, n, 1})),
          before_(builder.kernel({"fft/real_pack.cl", {}}, inverse_ ? "join_spectra" : "pack_rows")),
          after_(builder.kernel({"fft/real_pack.cl", {}}, inverse_ ? "unpack_rows" : "split_spectra")),
          group_(std::min({std::size_t{256}, before_->max_work_group(), after_->max_work_group()})),
          work_(builder.scratch(static_cast<std::size_t>((rows + 1) / 2 * n) * sizeof(std::complex<float>))) {}

    void enqueue(Execution& execution, std::string_view stage, const host::Buffer& in, const host::Buffer& out) override {
        const auto scope = execution.scope(stage);
        const std::int64_t pairs = (rows_ + 1) / 2;
        const auto rows = static_cast<std::uint64_t>(rows_), n = static_cast<std::uint64_t>(n_);
        const auto groups = [&](std::int64_t elements) {
            return host::NDRange{(static_cast<std::size_t>(elements) + group_ - 1) / group_};
        };
        const host::Buffer& work = execution.buffer(work_);
        execution.launch("pack", *before_, groups(pairs * n_), {group_}, {in, work, rows, n});
        axis_->enqueue(execution, "rows", work, work, pairs, 1, inverse_ ? Direction::inverse : Direction::forward);
        execution.launch("unpack", *after_, groups(pairs * (inverse_ ? n_ : n_ / 2 + 1)), {group_}, {work, out, rows, n});
    }

    std::string describe() const override { return axis_->describe(); }

private:
    std::int64_t n_, rows_;
    bool inverse_;
    std::unique_ptr<Axis1D> axis_;
    std::unique_ptr<host::Kernel> before_, after_;
    std::size_t group_;
    Scratch work_;
};

}  // namespace

std::unique_ptr<RealRows> make_real_rows(PlanBuilder& builder, std::int64_t n, std::int64_t rows, Kind kind) {
    if (fits_one_group(builder.device(), n, LineLayout::rows)) return std::make_unique<ShortRealRows>(builder, n, rows, kind);
    return std::make_unique<PackedRealRows>(builder, n, rows, kind);
}

}  // namespace parallax::engine::fft
