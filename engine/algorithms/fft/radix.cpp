// `radix`: our own transforms of any size. Rows, then columns in place; c2r the other way round, columns into scratch.
#include "algorithms/fft/axis.hpp"
#include "algorithms/fft/cosine.hpp"
#include "algorithms/fft/libraries.hpp"
#include "algorithms/fft/real_rows.hpp"

#include <fmt/format.h>

#include <complex>

namespace parallax::engine::fft {
namespace {

class RadixTransform final : public Transform {
public:
    RadixTransform(PlanBuilder& builder, const TransformSpec& spec)
        : spec_(spec), spectrum_width_(spec.kind == Kind::c2c ? spec.width : spec.width / 2 + 1) {
        const std::int64_t rows = spec.batch * spec.height;
        if (spec.kind != Kind::c2c) real_rows_ = make_real_rows(builder, spec.width, rows, spec.kind);
        else if (spec.width > 1 || spec.height == 1) rows_ = make_axis(builder, {rows, spec.width, 1});
        if (spec.height > 1) columns_ = make_axis(builder, {spec.batch, spec.height, spectrum_width_});
        if (spec.kind == Kind::c2r && columns_)
            between_ = builder.scratch(static_cast<std::size_t>(rows * spectrum_width_) * sizeof(std::complex<float>));
    }

    void enqueue(Execution& execution, const host::Buffer& in, const host::Buffer& out, Direction direction) override {
        if (spec_.kind == Kind::c2r) {
            if (columns_)
                columns_->enqueue(execution, "fft columns", in, execution.buffer(between_), spec_.batch, spectrum_width_,
                                  direction);
            real_rows_->enqueue(execution, "fft rows", columns_ ? execution.buffer(between_) : in, out);
            return;
        }
        if (real_rows_) real_rows_->enqueue(execution, "fft rows", in, out);
        else if (rows_) rows_->enqueue(execution, "fft rows", in, out, spec_.batch * spec_.height, 1, direction);
        const bool rows_done = real_rows_ || rows_;
        if (columns_)
            columns_->enqueue(execution, "fft columns", rows_done ? out : in, out, spec_.batch, spectrum_width_, direction);
    }

    std::string describe() const override {
        const std::string rows = real_rows_ ? real_rows_->describe() : rows_ ? rows_->describe() : "1";
        return columns_ ? fmt::format("radix ({} x {})", rows, columns_->describe()) : fmt::format("radix ({})", rows);
    }

private:
    TransformSpec spec_;
    std::int64_t spectrum_width_;
    std::unique_ptr<RealRows> real_rows_;
    std::unique_ptr<Axis1D> rows_, columns_;
    Scratch between_;
};

}  // namespace

std::string radix_why_not(const TransformSpec& spec, host::Context& context) {
    if (context.info().backend == host::Backend::native) return "needs an OpenCL or CUDA device";
    for (const std::int64_t n : {spec.width, spec.height})
        if (std::string reason = axis_why_not(n); !reason.empty()) return reason;
    return {};
}

std::unique_ptr<Transform> make_radix(PlanBuilder& builder, const TransformSpec& spec) {
    if (spec.kind == Kind::dct) return make_cosine(builder, spec);
    return std::make_unique<RadixTransform>(builder, spec);
}

}  // namespace parallax::engine::fft
