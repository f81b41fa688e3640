// Axes that are longer than a work-group can hold: Stockham's algorithm with radices of hundreds, each pass over global
// memory a launch of stockham_columns whose lines are the butterflies.
#include "algorithms/fft/axis.hpp"
#include "algorithms/fft/line.hpp"
#include "algorithms/fft/line_kernel.hpp"
#include "algorithms/fft/radices.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <limits>

namespace parallax::engine::fft {
namespace {

constexpr std::int64_t fine_entries = 8192;   // as in stockham_columns.cl
// Up to here 4 neighbouring lines fit a work-group's local memory: whole sectors of memory are read.
constexpr std::int64_t good_pass = 2048;

bool is_line(std::int64_t n) {
    return n <= longest_line && plan_line(static_cast<int>(n), LineLayout::columns, LineLimits{}, 1).has_value();
}

// n as a product of `count` factors that are lines, with the largest as small as can be; empty if there is none.
std::vector<int> balanced(std::int64_t n, int count) {
    if (count == 1) return is_line(n) ? std::vector<int>{static_cast<int>(n)} : std::vector<int>{};
    std::vector<int> best;
    int best_largest = std::numeric_limits<int>::max();
    for (std::int64_t factor = 2; factor <= std::min<std::int64_t>(n, longest_line); ++factor) {
        if (n % factor != 0 || factor >= best_largest || !is_line(factor)) continue;
        std::vector<int> rest = balanced(n / factor, count - 1);
        if (rest.empty()) continue;
        rest.push_back(static_cast<int>(factor));
        const int largest = *std::max_element(rest.begin(), rest.end());
        if (largest < best_largest) {
            best_largest = largest;
            best = std::move(rest);
        }
    }
    return best;
}

class LongAxis final : public Axis1D {
public:
    LongAxis(PlanBuilder& builder, const AxisShape& shape) : n_(shape.n) {
        std::int64_t done = 1;
        for (const int length : pass_lengths(n_)) {
            host::Defines defines = column_defines(n_ / length * shape.unit);
            defines.add("PTX", reads_past_cache(builder, shape) ? 1 : 0);
            defines.add("FFT_TWIDDLED", done > 1 ? 1 : 0).add("FFT_COARSE", done * length > fine_entries ? 1 : 0);
            const std::int64_t lines = n_ / length * shape.unit;
            LineKernel kernel = build_line_kernel(builder, {"fft/stockham_columns.cl", defines}, "stockham_columns", length,
                                                  LineLayout::columns, lines);
            const host::Buffer twiddles = builder.constant(line_table(kernel.line));
            warm_up(builder, *kernel.kernel, kernel.local(),
                    {twiddles, twiddles, twiddles, twiddles, twiddles, std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1},
                     std::uint32_t{1}, std::uint32_t{1}, std::int32_t{0}, 1.0f});
            Pass pass{length, done, std::move(kernel), twiddles, twiddles, twiddles};
            const auto whole = static_cast<std::uint64_t>(done * length);
            if (done > 1) {
                pass.coarse = table(builder, fine_entries, (whole + fine_entries - 1) / fine_entries, whole);
                pass.fine = table(builder, 1, std::min<std::uint64_t>(whole, fine_entries), whole);
            }
            passes_.push_back(std::move(pass));
            done *= length;
        }
        // in -> scratch -> out, or in -> scratch -> scratch -> out: `out` may be `in`.
        for (std::size_t i = 1; i < std::min<std::size_t>(passes_.size(), 3); ++i)
            scratch_[i - 1] = builder.scratch(static_cast<std::size_t>(shape.elements()) * sizeof(std::complex<float>));
    }

    void enqueue(Execution& execution, std::string_view stage, const host::Buffer& in, const host::Buffer& out,
                 std::int64_t images, std::int64_t unit, Direction direction) override {
        const auto scope = execution.scope(stage);
        host::Buffer from = in;
        for (std::size_t i = 0; i < passes_.size(); ++i) {
            Pass& pass = passes_[i];
            const bool last = i + 1 == passes_.size();
            const host::Buffer to = last ? out : execution.buffer(scratch_[i % 2]);
            const std::int64_t lines = n_ / pass.length * unit;
            host::NDRange groups = pass.kernel.groups(lines);
            groups.x *= static_cast<std::size_t>(images);
            const bool inverse = last && direction == Direction::inverse;
            execution.launch(
                "pass " + std::to_string(i + 1), *pass.kernel.kernel, groups, pass.kernel.local(),
                {from, to, pass.twiddles, pass.coarse, pass.fine, static_cast<std::uint64_t>(images),
                 static_cast<std::uint64_t>(lines), static_cast<std::uint64_t>(unit * pass.done),
                 static_cast<std::uint32_t>(unit), static_cast<std::uint32_t>(n_), static_cast<std::int32_t>(inverse),
                 inverse ? static_cast<float>(1.0 / static_cast<double>(n_)) : 1.0f});
            from = to;
        }
    }

    std::string describe() const override {
        std::string text;
        for (const Pass& pass : passes_) text += (text.empty() ? "passes of " : ", ") + std::to_string(pass.length);
        return text;
    }

private:
    struct Pass {
        int length;
        std::int64_t done;     ///< product of the passes before
        LineKernel kernel;
        host::Buffer twiddles, coarse, fine;
    };

    static host::Buffer table(PlanBuilder& builder, std::uint64_t step, std::uint64_t count, std::uint64_t whole) {
        std::vector<std::complex<float>> values;
        for (std::uint64_t m = 0; m < count; ++m) values.emplace_back(std::complex<float>(unit_root(m * step, whole)));
        return builder.constant(values);
    }

    std::int64_t n_;
    std::vector<Pass> passes_;
    std::array<Scratch, 2> scratch_;
};

}  // namespace

std::vector<int> pass_lengths(std::int64_t n) {
    constexpr int most_passes = 4;
    for (int count = 2; count <= 3; ++count) {
        std::vector<int> lengths = balanced(n, count);
        if (!lengths.empty() && *std::max_element(lengths.begin(), lengths.end()) <= good_pass) return lengths;
    }
    for (int count = 2; count <= most_passes; ++count)
        if (std::vector<int> lengths = balanced(n, count); !lengths.empty()) return lengths;
    return {};
}

std::unique_ptr<Axis1D> make_long_axis(PlanBuilder& builder, const AxisShape& shape) {
    return std::make_unique<LongAxis>(builder, shape);
}

}  // namespace parallax::engine::fft
