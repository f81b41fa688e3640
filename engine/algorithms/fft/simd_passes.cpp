#include "algorithms/fft/simd.hpp"

#include "algorithms/fft/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parallax::engine::fft::simd {
namespace {

constexpr host::NDRange one{};
constexpr std::int64_t pair_bytes = 128;                            // 16 real and 16 imaginary parts
constexpr std::int64_t scratch_limit = std::int64_t{256} << 20;     // of all groups together; the groups become fewer first

bool streams(std::int64_t bytes, bool aligned) { return bytes > streaming_bytes && aligned; }
float scale_of(bool inverse, std::int64_t length) {
    return inverse ? static_cast<float>(1.0 / static_cast<double>(length)) : 1.0f;
}

std::size_t groups_within(PlanBuilder& builder, std::int64_t blocks, std::int64_t group_bytes) {
    const auto fit = static_cast<std::size_t>(std::max<std::int64_t>(1, scratch_limit / group_bytes));
    return std::min(group_count(builder.device(), blocks), fit);
}

std::vector<float> across_table(std::int64_t width) {
    std::vector<float> table(static_cast<std::size_t>(2 * width));
    for (std::int64_t k = 0; k < width / 16; ++k)
        for (std::int64_t lane = 0; lane < 16; ++lane) {
            const double angle = -2 * std::numbers::pi * static_cast<double>(k * lane) / static_cast<double>(width);
            table[static_cast<std::size_t>(32 * k + lane)] = static_cast<float>(std::cos(angle));
            table[static_cast<std::size_t>(32 * k + 16 + lane)] = static_cast<float>(std::sin(angle));
        }
    return table;
}

/// 16 lines at once, of any length (simd_lines.cl).
class Lines final : public Pass {
public:
    /// Along rows `count` is the number of rows, else of planes of `width` columns.
    Lines(PlanBuilder& builder, std::int64_t points, std::int64_t count, std::int64_t width, Layout in, Layout out)
        : points_(points),
          count_(static_cast<std::int32_t>(count)),
          width_(static_cast<std::int32_t>(width)),
          radices_(radices(points)) {
        const bool along_rows = in != Layout::columns && in != Layout::panels;
        host::Defines defines;
        if (radices_.empty()) {
            radices_ = radices(convolution_length(2 * points - 1));
            defines.add("SIMD_POINTS", points);
            make_chirp(builder);
        } else {
            const std::vector<std::complex<float>> unused(1);
            chirp_ = chirp_spectrum_ = builder.constant(unused);
        }
        std::int64_t length = 1;
        for (const int r : radices_) length *= r;
        define_length(defines, radices_);
        defines.add("SIMD_IN", static_cast<std::int64_t>(in)).add("SIMD_OUT", static_cast<std::int64_t>(out));
        defines.add("SIMD_STREAM", std::int64_t{streams(count * width * points * 8, out == Layout::panels || width % 8 == 0)});
        kernel_ = builder.kernel({"fft/simd_lines.cl", defines}, "simd_lines");
        twiddles_ = builder.constant(twiddles(radices_));
        order_ = builder.constant(order(radices_));

        const std::int64_t block_rows = in == Layout::real || out == Layout::real ? 32 : 16;
        const std::int64_t blocks = along_rows ? (count + block_rows - 1) / block_rows : count * ((width + 15) / 16);
        const std::int64_t group_bytes = (length + (along_rows ? points : 0)) * pair_bytes;
        groups_ = groups_within(builder, blocks, group_bytes);
        scratch_ = builder.scratch(groups_ * static_cast<std::size_t>(group_bytes));
        const host::Arg args[]{twiddles_,       twiddles_,       twiddles_, twiddles_, order_, chirp_,
                               chirp_spectrum_, std::int32_t{0}, width_,    1.0f,      1.0f};
        builder.queue()
            .launch({.kernel = *kernel_, .groups = {groups_}, .local = one, .args = args, .step = "fft/simd_lines"})
            .wait();
    }

    void enqueue(Execution& execution, std::string_view stage, const host::Buffer& in, const host::Buffer& out,
                 bool inverse) override {
        execution.launch(stage, *kernel_, {groups_}, one,
                         {in, out, execution.buffer(scratch_), twiddles_, order_, chirp_, chirp_spectrum_, count_, width_,
                          inverse ? -1.0f : 1.0f, scale_of(inverse, points_)});
    }

    std::string describe() const override {
        std::string text = simd::describe(radices_);
        return points_ > 1 && radices(points_).empty() ? "Bluestein " + text : text;
    }

private:
    void make_chirp(PlanBuilder& builder) {
        std::int64_t length = 1;
        for (const int r : radices_) length *= r;
        const auto n = static_cast<std::size_t>(points_), m = static_cast<std::size_t>(length);
        std::vector<std::complex<float>> chirp(n), spectrum(m);
        std::vector<Complex> wave(m);
        for (std::size_t j = 0; j < n; ++j) {
            // j^2 modulo 2n: the angle stays exact.
            const double angle = std::numbers::pi * static_cast<double>(j * j % (2 * n)) / static_cast<double>(n);
            const Complex turn{std::cos(angle), std::sin(angle)};
            chirp[j] = std::complex<float>(std::conj(turn));
            wave[j] = turn;
            if (j > 0) wave[m - j] = turn;
        }
        reference_fft1(wave.data(), length, 1, false);
        const std::vector<std::int32_t> place = places(radices_);
        for (std::size_t k = 0; k < m; ++k)
            spectrum[static_cast<std::size_t>(place[k])] = std::complex<float>(wave[k] / static_cast<double>(length));
        chirp_ = builder.constant(chirp);
        chirp_spectrum_ = builder.constant(spectrum);
    }

    std::int64_t points_;
    std::int32_t count_, width_;
    std::vector<int> radices_;
    std::unique_ptr<host::Kernel> kernel_;
    host::Buffer twiddles_, order_, chirp_, chirp_spectrum_;
    std::size_t groups_ = 1;
    Scratch scratch_;
};

}  // namespace

LongRows::LongRows(PlanBuilder& builder, const LongRowsSpec& spec)
    : divisor_(spec.in == Layout::folded ? spec.width * spec.height : spec.width), rows_(static_cast<std::int32_t>(spec.rows)),
      height_(static_cast<std::int32_t>(spec.height)), radices_(radices(spec.width / 16)) {
    const std::int64_t m = spec.width / 16, kept = spec.kept_width > 0 ? spec.kept_width : spec.width;
    const bool pairs = spec.in == Layout::real || spec.out == Layout::real;
    const bool complex_out = spec.out == Layout::complex, floats_out = spec.out == Layout::real || spec.out == Layout::modulus;
    // Whether every vector that is stored begins on a line of the cache.
    const bool aligned = complex_out ? m % 8 == 0 && kept % 8 == 0 : !floats_out || (m % 16 == 0 && kept % 16 == 0);
    host::Defines defines;
    define_length(defines, radices_);
    defines.add("SIMD_IN", static_cast<std::int64_t>(spec.in))
        .add("SIMD_OUT", static_cast<std::int64_t>(spec.out))
        .add("SIMD_TYPE", spec.type);
    defines.add("SIMD_CROP", kept < spec.width ? kept : 0);
    defines.add("SIMD_STREAM",
                std::int64_t{streams(spec.rows * kept * (spec.in == Layout::real || floats_out ? 4 : 8), aligned)});
    kernel_ = builder.kernel({"fft/simd_rows.cl", defines}, "simd_rows");
    twiddles_ = builder.constant(twiddles(radices_));
    order_ = builder.constant(order(radices_));
    places_ = builder.constant(places(radices_));
    across_ = builder.constant(across_table(spec.width));
    const std::int64_t group_bytes = m * pair_bytes + 2 * (spec.width + 16) * 4;
    groups_ = groups_within(builder, pairs ? (spec.rows + 1) / 2 : spec.rows, group_bytes);
    scratch_ = builder.scratch(groups_ * static_cast<std::size_t>(group_bytes));
    const host::Arg args[]{twiddles_, twiddles_,       twiddles_, twiddles_, order_, places_,
                           across_,   std::int32_t{0}, height_,   1.0f,      1.0f,   std::int64_t{0}};
    builder.queue().launch({.kernel = *kernel_, .groups = {groups_}, .local = one, .args = args, .step = "fft/simd_rows"}).wait();
}

void LongRows::enqueue(Execution& execution, std::string_view stage, const host::Buffer& in, const host::Buffer& out,
                       bool inverse) {
    enqueue_at(execution, stage, in, out, inverse, 0);
}

void LongRows::enqueue_at(Execution& execution, std::string_view stage, const host::Buffer& in, const host::Buffer& out,
                          bool inverse, std::int64_t first) {
    execution.launch(stage, *kernel_, {groups_}, one,
                     {in, out, execution.buffer(scratch_), twiddles_, order_, places_, across_, rows_, height_,
                      inverse ? -1.0f : 1.0f, scale_of(inverse, divisor_), first});
}

std::string LongRows::describe() const { return fmt::format("{} by 16", simd::describe(radices_)); }

bool rows_have_panels(std::int64_t width) { return width % 16 == 0 && width >= 256 && !radices(width / 16).empty(); }

std::unique_ptr<Pass> make_rows(PlanBuilder& builder, std::int64_t width, std::int64_t rows, std::int64_t height, Layout in,
                                Layout out) {
    if (rows_have_panels(width))
        return std::make_unique<LongRows>(builder, LongRowsSpec{width, height, rows, in, out, 0, "float"});
    return std::make_unique<Lines>(builder, width, rows, 1, in, out);
}

std::unique_ptr<Pass> make_columns(PlanBuilder& builder, std::int64_t width, std::int64_t height, std::int64_t planes, Layout in,
                                   Layout out) {
    return std::make_unique<Lines>(builder, height, planes, width, in, out);
}

}  // namespace parallax::engine::fft::simd
