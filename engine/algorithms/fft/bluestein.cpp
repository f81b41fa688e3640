// Axes of any length: Bluestein's convolution with a chirp, in one kernel or through global memory step by step.
#include "algorithms/fft/chirp.hpp"
#include "algorithms/fft/line.hpp"
#include "algorithms/fft/line_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

namespace parallax::engine::fft {
namespace {

/// The whole convolution in one kernel.
class BluesteinLine final : public Axis1D {
public:
    BluesteinLine(PlanBuilder& builder, const AxisShape& shape, std::int64_t m)
        : n_(shape.n),
          kernel_(build(builder, shape, m)),
          forward_(builder.constant(line_table(kernel_.line))),
          backward_(builder.constant(line_table(kernel_.line, Order::backward))) {
        const auto values = chirp(n_);
        chirp_ = upload(builder, values);
        filter_ = upload(builder, chirp_spectrum(values, m, 1.0 / static_cast<double>(m)));
        warm_up(builder, *kernel_.kernel, kernel_.local(),
                {chirp_, chirp_, forward_, backward_, chirp_, filter_, std::uint64_t{0}, std::uint64_t{1},
                 static_cast<std::int32_t>(n_), std::int32_t{0}, 1.0f});
    }

    void enqueue(Execution& execution, std::string_view stage, const host::Buffer& in, const host::Buffer& out,
                 std::int64_t images, std::int64_t unit, Direction direction) override {
        const auto inverse = static_cast<std::int32_t>(direction == Direction::inverse);
        execution.launch(
            stage, *kernel_.kernel, kernel_.groups(images * unit), kernel_.local(),
            {in, out, forward_, backward_, chirp_, filter_, static_cast<std::uint64_t>(images), static_cast<std::uint64_t>(unit),
             static_cast<std::int32_t>(n_), inverse, inverse ? static_cast<float>(1.0 / static_cast<double>(n_)) : 1.0f});
    }

    std::string describe() const override { return fmt::format("Bluestein {} ({})", kernel_.line.n, kernel_.line.describe()); }

private:
    static LineKernel build(PlanBuilder& builder, const AxisShape& shape, std::int64_t m) {
        const bool columns = shape.unit > 1;
        host::Defines defines;
        defines.add("BLUESTEIN_COLUMNS", columns ? 1 : 0);
        return build_line_kernel(builder, {"fft/bluestein_line.cl", defines}, "bluestein_line", static_cast<int>(m),
                                 columns ? LineLayout::columns : LineLayout::rows, shape.lines());
    }

    std::int64_t n_;
    LineKernel kernel_;
    host::Buffer forward_, backward_, chirp_, filter_;
};

/// The convolution through global memory, a slab of lines at a time.
class BluesteinSlabs final : public Axis1D {
public:
    BluesteinSlabs(PlanBuilder& builder, const AxisShape& shape, std::int64_t m)
        : n_(shape.n),
          m_(m),
          rows_(shape.unit == 1),
          most_lines_(slab_lines(builder.device(), shape, m, slabs_bytes)),
          axis_(make_axis(builder, rows_ ? AxisShape{most_lines_, m, 1} : AxisShape{1, m, most_lines_})),
          chirp_in_(builder.kernel({"fft/bluestein.cl", {}}, "chirp_in")),
          chirp_filter_(builder.kernel({"fft/bluestein.cl", {}}, "chirp_filter")),
          chirp_out_(builder.kernel({"fft/bluestein.cl", {}}, "chirp_out")),
          group_(std::min(
              {std::size_t{256}, chirp_in_->max_work_group(), chirp_filter_->max_work_group(), chirp_out_->max_work_group()})) {
        const auto values = chirp(n_);
        chirp_ = upload(builder, values);
        filter_ = upload(builder, chirp_spectrum(values, m, 1.0));
        work_ = builder.scratch(static_cast<std::size_t>(most_lines_ * m) * sizeof(std::complex<float>));
        const std::uint64_t none = 0, one = 1;
        warm_up(builder, *chirp_in_, {group_}, {chirp_, filter_, chirp_, none, none, none, none, one, one, one});
        warm_up(builder, *chirp_filter_, {group_}, {chirp_, filter_, none, one, one});
        warm_up(builder, *chirp_out_, {group_},
                {chirp_, filter_, chirp_, none, none, none, none, one, one, one, std::int32_t{0}, 1.0f});
    }

    void enqueue(Execution& execution, std::string_view stage, const host::Buffer& in, const host::Buffer& out,
                 std::int64_t images, std::int64_t unit, Direction direction) override {
        const auto scope = execution.scope(stage);
        const bool inverse = direction == Direction::inverse;
        each_slab(n_, rows_, images, unit, most_lines_, [&](const Slab& slab) { step(execution, in, out, slab, inverse); });
    }

    std::string describe() const override { return fmt::format("Bluestein {} ({})", m_, axis_->describe()); }

private:
    void step(Execution& execution, const host::Buffer& in, const host::Buffer& out, const Slab& slab, bool inverse) {
        const auto [origin, image_stride, point_stride, images, width] = slab;
        const auto u = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
        const auto groups = [this](std::int64_t elements) {
            return host::NDRange{(static_cast<std::size_t>(elements) + group_ - 1) / group_};
        };
        const host::Buffer& work = execution.buffer(work_);
        execution.launch("chirp in", *chirp_in_, groups(images * m_ * width), {group_},
                         {in, work, chirp_, u(origin), u(image_stride), u(point_stride), u(images), u(width), u(n_), u(m_)});
        axis_->enqueue(execution, "forward", work, work, images, width, Direction::forward);
        execution.launch("chirp filter", *chirp_filter_, groups(images * m_ * width), {group_},
                         {work, filter_, u(images), u(width), u(m_)});
        axis_->enqueue(execution, "inverse", work, work, images, width, Direction::inverse);
        execution.launch(
            "chirp out", *chirp_out_, groups(images * n_ * width), {group_},
            {work, out, chirp_, u(origin), u(image_stride), u(point_stride), u(images), u(width), u(n_), u(m_),
             static_cast<std::int32_t>(inverse), inverse ? static_cast<float>(1.0 / static_cast<double>(n_)) : 1.0f});
    }

    std::int64_t n_, m_;
    bool rows_;
    std::int64_t most_lines_;
    std::unique_ptr<Axis1D> axis_;
    std::unique_ptr<host::Kernel> chirp_in_, chirp_filter_, chirp_out_;
    std::size_t group_;
    host::Buffer chirp_, filter_;
    Scratch work_;
};

}  // namespace

std::int64_t bluestein_length(std::int64_t n) { return good_size(2 * n - 1); }

std::unique_ptr<Axis1D> make_bluestein_line(PlanBuilder& builder, const AxisShape& shape) {
    return std::make_unique<BluesteinLine>(builder, shape, bluestein_length(shape.n));
}

std::unique_ptr<Axis1D> make_bluestein_slabs(PlanBuilder& builder, const AxisShape& shape) {
    return std::make_unique<BluesteinSlabs>(builder, shape, bluestein_length(shape.n));
}

}  // namespace parallax::engine::fft
