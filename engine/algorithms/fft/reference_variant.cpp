// `reference` and `threaded`: double precision on the native device. They are the measure of the other variants, not
// their rivals, and so allocate their work array in each run.
#include "algorithms/fft/parameters.hpp"
#include "algorithms/fft/reference.hpp"
#include "core/make_variant.hpp"
#include "core/plan.hpp"

#include <algorithm>
#include <complex>
#include <vector>

namespace parallax::engine::fft {
namespace {

using FloatComplex = std::complex<float>;

/// The full spectrum from the half that is stored: X[-y, -x] = conj X[y, x]; rows on their own: X[y, -x] = conj X[y, x].
Complex full_spectrum(const FloatComplex* half, const TransformSpec& spec, std::int64_t y, std::int64_t x) {
    const std::int64_t stored = spec.width / 2 + 1;
    if (x < stored) return Complex(half[y * stored + x]);
    const std::int64_t mirrored = y == 0 || spec.height == 1 ? y : spec.height - y;
    return std::conj(Complex(half[mirrored * stored + spec.width - x]));
}

/// One image of the batch, or all rows of a one-dimensional transform.
void transform(const TransformSpec& spec, std::int64_t rows, Direction direction, const std::byte* in, std::byte* out,
               std::vector<Complex>& work, int threads) {
    const std::int64_t count = spec.width * rows, stored = spec.width / 2 + 1;
    work.resize(static_cast<std::size_t>(count));
    const auto* complex_in = reinterpret_cast<const FloatComplex*>(in);
    const auto* real_in = reinterpret_cast<const float*>(in);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (spec.kind == Kind::c2c) work[at] = Complex(complex_in[i]);
        else if (spec.kind == Kind::r2c) work[at] = real_in[i];
        else work[at] = full_spectrum(complex_in, spec, i / spec.width, i % spec.width);
    }
    const bool inverse = direction == Direction::inverse;
    if (spec.height == 1) reference_fft1(work.data(), spec.width, rows, inverse, threads);
    else reference_fft2(work.data(), spec.width, spec.height, inverse, threads);
    for (std::int64_t i = 0; i < count; ++i) {
        const Complex value = work[static_cast<std::size_t>(i)];
        const std::int64_t y = i / spec.width, x = i % spec.width;
        if (spec.kind == Kind::c2r) reinterpret_cast<float*>(out)[i] = static_cast<float>(value.real());
        else if (spec.kind == Kind::c2c) reinterpret_cast<FloatComplex*>(out)[i] = FloatComplex(value);
        else if (x < stored) reinterpret_cast<FloatComplex*>(out)[y * stored + x] = FloatComplex(value);
    }
}

void cosine_transform(const TransformSpec& spec, std::int64_t rows, Direction direction, const std::byte* in, std::byte* out,
                      int threads) {
    const auto* from = reinterpret_cast<const float*>(in);
    std::vector<double> work(from, from + spec.width * rows);
    const bool inverse = direction == Direction::inverse;
    if (!spec.has_columns())
        reference_dct1(work.data(), spec.width, rows, inverse, threads);
    else
        reference_dct2(work.data(), spec.width, spec.height, inverse, threads);
    std::transform(work.begin(), work.end(), reinterpret_cast<float*>(out),
                   [](double value) { return static_cast<float>(value); });
}

class ReferencePlan final : public Plan {
public:
    ReferencePlan(PlanBuilder& builder, const Problem& problem, int threads)
        : spec_(spec_of(problem.parameters.as<FftParameters>(), problem.inputs.at("array"))),
          direction_(direction_of(problem.parameters.as<FftParameters>())), threads_(threads) {
        const std::int64_t rows = spec_.has_columns() ? spec_.height : spec_.batch;
        const bool cosines = spec_.kind == Kind::dct;
        const std::int64_t mirrored = cosines ? 2 : 1, height = spec_.has_columns() ? mirrored * rows : 1;
        const std::int64_t longest = std::max(spec_.width, spec_.has_columns() ? rows : 0);
        const std::int64_t beside = cosines ? (3 * 16 + 8) * longest : 0;   // a line and its mirror image, its turns, a column
        builder.takes((cosines ? 8 : 16) * spec_.width * rows + beside +
                      reference_line_bytes(mirrored * spec_.width, height, rows, threads_));
    }

    void enqueue(Execution& execution, const Bindings& arrays) override {
        execution.host_task("transform", [this, in = arrays.input("array"), out = arrays.output("array")] {
            const std::int64_t stored = spec_.width / 2 + 1;
            const bool cosines = spec_.kind == Kind::dct;
            const std::int64_t in_row = spec_.kind == Kind::c2c              ? spec_.width * 8
                                        : spec_.kind == Kind::r2c || cosines ? spec_.width * 4
                                                                             : stored * 8;
            const std::int64_t out_row = spec_.kind == Kind::c2c   ? spec_.width * 8
                                         : spec_.kind == Kind::r2c ? stored * 8
                                                                   : spec_.width * 4;
            std::vector<Complex> work;
            const std::int64_t rows = spec_.has_columns() ? spec_.height : spec_.batch;
            for (std::int64_t row = 0; row < spec_.batch * spec_.height; row += rows) {
                const std::byte* const from = in.host_pointer() + row * in_row;
                std::byte* const to = out.host_pointer() + row * out_row;
                if (cosines)
                    cosine_transform(spec_, rows, direction_, from, to, threads_);
                else
                    transform(spec_, rows, direction_, from, to, work, threads_);
            }
        });
    }

private:
    TransformSpec spec_;
    Direction direction_;
    int threads_;
};

Variant on_host(std::string name, std::string summary, int threads) {
    Variant row = native_row(std::move(name), std::move(summary));
    row.supports = [](const Problem& problem, host::Context&) {
        const Library library = problem.parameters.as<FftParameters>().fft;
        return library == Library::automatic ? Support::yes()
                                             : Support::no("the parameter fft asks for a library of other devices");
    };
    return make_variant<ReferencePlan>(std::move(row), threads);
}

}  // namespace

Variant reference_variant() {
    return on_host("reference", "double precision on one thread: what the other variants are measured by", 1);
}
Variant threaded_variant() { return on_host("threaded", "the reference on every thread of the processor", 0); }

}  // namespace parallax::engine::fft
