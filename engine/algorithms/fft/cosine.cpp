// `radix` for kind dct: cosine transforms of types 2 and 3, an axis at a time, around complex transforms of any length
// (kernels_cl/fft/cosine.cl).
#include "algorithms/fft/cosine.hpp"

#include "algorithms/fft/axis.hpp"
#include "algorithms/fft/line_kernel.hpp"
#include "algorithms/fft/quarters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

namespace parallax::engine::fft {
namespace {

/// One axis of an array [images][n][unit] of real numbers.
class CosineAxis {
public:
    CosineAxis(PlanBuilder& builder, const AxisShape& shape)
        : shape_(shape),
          complex_(shape.unit == 1 ? AxisShape{(shape.images + 1) / 2, shape.n, 1}
                                   : AxisShape{shape.images, shape.n, (shape.unit + 1) / 2}),
          axis_(make_axis(builder, complex_)),
          quarters_(builder.constant(quarters(shape.n, shape.n))),
          order_(build(builder, "cosine_order")),
          split_(build(builder, "cosine_split")),
          join_(build(builder, "cosine_join")),
          place_(build(builder, "cosine_place")),
          group_(std::min({std::size_t{256}, order_->max_work_group(), split_->max_work_group(), join_->max_work_group(),
                           place_->max_work_group()})),
          work_(builder.scratch(static_cast<std::size_t>(complex_.elements()) * sizeof(std::complex<float>))) {
        const std::uint64_t none = 0, one = 1;
        for (host::Kernel* kernel : {order_.get(), split_.get(), join_.get(), place_.get()})
            warm_up(builder, *kernel, {group_}, {quarters_, quarters_, quarters_, none, one, one});
    }

    /// `in` and `out` may be the same.
    void enqueue(Execution& execution, std::string_view stage, const host::Buffer& in, const host::Buffer& out,
                 Direction direction) {
        const auto scope = execution.scope(stage);
        const bool inverse = direction == Direction::inverse;
        const host::Buffer& work = execution.buffer(work_);
        launch(execution, inverse ? "join" : "order", inverse ? *join_ : *order_, in, work);
        axis_->enqueue(execution, "lines", work, work, complex_.images, complex_.unit, direction);
        launch(execution, inverse ? "place" : "split", inverse ? *place_ : *split_, work, out);
    }

    std::string describe() const { return axis_->describe(); }

private:
    std::unique_ptr<host::Kernel> build(PlanBuilder& builder, const char* name) const {
        host::Defines defines;
        defines.add("COSINE_COLUMNS", shape_.unit > 1 ? 1 : 0);
        return builder.kernel({"fft/cosine.cl", defines}, name);
    }

    void launch(Execution& execution, std::string_view stage, host::Kernel& kernel, const host::Buffer& from,
                const host::Buffer& to) {
        const std::size_t groups = (static_cast<std::size_t>(complex_.elements()) + group_ - 1) / group_;
        execution.launch(stage, kernel, {groups}, {group_},
                         {from, to, quarters_, static_cast<std::uint64_t>(shape_.images), static_cast<std::uint64_t>(shape_.n),
                          static_cast<std::uint64_t>(shape_.unit)});
    }

    AxisShape shape_, complex_;
    std::unique_ptr<Axis1D> axis_;
    host::Buffer quarters_;
    std::unique_ptr<host::Kernel> order_, split_, join_, place_;
    std::size_t group_;
    Scratch work_;
};

class CosineTransform final : public Transform {
public:
    CosineTransform(PlanBuilder& builder, const TransformSpec& spec) : rows_(builder, {spec.batch * spec.height, spec.width, 1}) {
        if (!spec.has_columns()) return;
        // A single column is a row of each image.
        columns_.emplace(
            builder, spec.width == 1 ? AxisShape{spec.batch, spec.height, 1} : AxisShape{spec.batch, spec.height, spec.width});
    }

    void enqueue(Execution& execution, const host::Buffer& in, const host::Buffer& out, Direction direction) override {
        rows_.enqueue(execution, "dct rows", in, out, direction);
        if (columns_) columns_->enqueue(execution, "dct columns", out, out, direction);
    }

    std::string describe() const override {
        return columns_ ? fmt::format("radix ({} x {})", rows_.describe(), columns_->describe())
                        : fmt::format("radix ({})", rows_.describe());
    }

private:
    CosineAxis rows_;
    std::optional<CosineAxis> columns_;
};

}   // namespace

std::unique_ptr<Transform> make_cosine(PlanBuilder& builder, const TransformSpec& spec) {
    return std::make_unique<CosineTransform>(builder, spec);
}

}   // namespace parallax::engine::fft
