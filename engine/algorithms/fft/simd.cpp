#include "algorithms/fft/simd.hpp"

#include "algorithms/fft/libraries.hpp"

#include <fmt/format.h>

#include <limits>

namespace parallax::engine::fft {
namespace {

using simd::Layout;

constexpr std::int64_t row_limit = std::int64_t{1} << 22;

/// Rows, then columns (c2r: columns, then rows), panels between them where the rows can have them.
class SimdTransform final : public Transform {
public:
    SimdTransform(PlanBuilder& builder, const TransformSpec& spec) : spec_(spec) {
        const std::int64_t half_width = spec.width / 2 + 1, rows = spec.height * spec.batch;
        const bool plane = spec.height > 1, panels = plane && simd::rows_have_panels(spec.width);
        const std::int64_t column_width = spec.kind == Kind::c2c ? spec.width : half_width;
        switch (spec.kind) {
        case Kind::c2c:
            rows_ = simd::make_rows(builder, spec.width, rows, spec.height, Layout::complex,
                                    panels ? Layout::panels : Layout::complex);
            break;
        case Kind::r2c:
            rows_ = simd::make_rows(builder, spec.width, rows, spec.height, Layout::real, panels ? Layout::halves : Layout::half);
            break;
        case Kind::c2r:
            rows_ = simd::make_rows(builder, spec.width, rows, spec.height, panels ? Layout::halves : Layout::half, Layout::real);
            break;
        case Kind::dct:
            break;   // refused
        }
        if (!plane) return;
        const Layout between = panels ? Layout::panels : Layout::columns;
        const bool back = spec.kind == Kind::c2r;
        columns_ = simd::make_columns(builder, column_width, spec.height, spec.batch, back ? Layout::columns : between,
                                       back ? between : Layout::columns);
        in_place_ = !panels && !back;   // the columns of the output are transformed where they are
        if (!in_place_) {
            const std::int64_t floats =
                panels ? simd::panel_floats(column_width, spec.height, spec.batch) : 2 * column_width * rows;
            between_ = builder.scratch(static_cast<std::size_t>(floats) * sizeof(float));
        }
    }

    void enqueue(Execution& execution, const host::Buffer& in, const host::Buffer& out, Direction direction) override {
        const bool inverse = direction == Direction::inverse;
        if (!columns_) {
            rows_->enqueue(execution, "fft rows", in, out, inverse);
            return;
        }
        const host::Buffer& between = in_place_ ? out : execution.buffer(between_);
        if (spec_.kind == Kind::c2r) {
            columns_->enqueue(execution, "fft columns", in, between, inverse);
            rows_->enqueue(execution, "fft rows", between, out, inverse);
        } else {
            rows_->enqueue(execution, "fft rows", in, between, inverse);
            columns_->enqueue(execution, "fft columns", between, out, inverse);
        }
    }

    std::string describe() const override {
        return columns_ ? fmt::format("simd ({} x {})", rows_->describe(), columns_->describe())
                        : fmt::format("simd ({})", rows_->describe());
    }

private:
    TransformSpec spec_;
    bool in_place_ = false;
    std::unique_ptr<simd::Pass> rows_, columns_;
    Scratch between_;
};

}  // namespace

std::string simd_why_not(const TransformSpec& spec, host::Context& context) {
    if (std::string reason = engine::simd_why_not(context.info(), OnMesa::never); !reason.empty()) return reason;
    if (spec.kind == Kind::dct) return "simd has no cosine transforms";
    const std::int64_t limit = simd::rows_have_panels(spec.width) ? row_limit : simd::line_limit;
    if (spec.width > limit)
        return fmt::format("simd takes rows of up to {} elements of this kind; the row has {}", limit, spec.width);
    if (spec.height > simd::line_limit)
        return fmt::format("simd takes columns of up to {} elements; the column has {}", simd::line_limit, spec.height);
    constexpr std::int64_t count_limit = std::numeric_limits<std::int32_t>::max();
    if (spec.height * spec.batch > count_limit)
        return fmt::format("simd takes up to {} rows; there are {}", count_limit, spec.height * spec.batch);
    return {};
}

std::unique_ptr<Transform> make_simd(PlanBuilder& builder, const TransformSpec& spec) {
    return std::make_unique<SimdTransform>(builder, spec);
}

}  // namespace parallax::engine::fft
