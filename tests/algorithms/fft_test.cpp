// Fourier transforms of every kind and size on every device against double precision, with guard regions around outputs,
// and the properties that a transform has whatever computes it.
#include "algorithms/fft/chirp.hpp"
#include "algorithms/fft/gaps.hpp"
#include "algorithms/fft/libraries.hpp"
#include "algorithms/fft/line.hpp"
#include "algorithms/fft/radices.hpp"
#include "algorithms/fft/reference.hpp"
#include "algorithms/fft/transform.hpp"
#include "core/choice.hpp"
#include "core/memory_share.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "seed.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::fft;

namespace parallax::engine {
Algorithm make_fft();
}

namespace {

using FloatComplex = std::complex<float>;
constexpr double tolerance = 1e-6;   // relative L2

struct Implementation {
    std::string name;
    std::function<std::string(const TransformSpec&, host::Context&)> why_not;
    std::function<std::unique_ptr<Transform>(PlanBuilder&, const TransformSpec&)> make;
};

Implementation of(Library library, std::string name) {
    return {std::move(name), [library](const TransformSpec& s, host::Context& c) { return why_not(library, s, c); },
            [library](PlanBuilder& b, const TransformSpec& s) { return make_transform(b, s, library); }};
}
Implementation radix() { return of(Library::radix, "radix"); }

std::vector<Implementation> implementations() {
    return {radix(),
            {"radix2", radix2_why_not, make_radix2},
            {"simd", simd_why_not, make_simd},
            of(Library::vkfft, "vkfft"),
            of(Library::cufft, "cufft"),
            of(Library::automatic, "auto")};
}

std::string text(const TransformSpec& s) {
    const char* kinds[] = {"c2c", "r2c", "c2r", "dct"};
    return fmt::format("{} {} x {} x {}", kinds[static_cast<int>(s.kind)], s.batch, s.height, s.width);
}

std::int64_t spectrum_width(const TransformSpec& s) { return s.kind == Kind::c2c ? s.width : s.width / 2 + 1; }
std::size_t rows(const TransformSpec& s) { return static_cast<std::size_t>(s.batch * s.height); }
std::size_t floats_in(const TransformSpec& s) {
    return rows(s) * static_cast<std::size_t>(s.kind == Kind::r2c || s.kind == Kind::dct ? s.width : 2 * spectrum_width(s));
}
std::size_t floats_out(const TransformSpec& s) {
    return rows(s) * static_cast<std::size_t>(s.kind == Kind::c2r || s.kind == Kind::dct ? s.width : 2 * spectrum_width(s));
}

std::vector<float> noise(std::size_t count, unsigned seed = 7) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    for (float& v : values) v = normal(random);
    return values;
}

/// Input with the symmetry that c2r assumes: the half spectrum of a real array.
std::vector<float> input_for(const TransformSpec& s) {
    if (s.kind != Kind::c2r) return noise(floats_in(s));
    const std::vector<float> real = noise(rows(s) * static_cast<std::size_t>(s.width));
    std::vector<Complex> full(real.begin(), real.end());
    for (std::int64_t b = 0; b < s.batch; ++b) reference_fft2(full.data() + b * s.width * s.height, s.width, s.height, false);
    std::vector<float> half;
    for (std::size_t row = 0; row < rows(s); ++row)
        for (std::int64_t x = 0; x < spectrum_width(s); ++x) {
            const Complex z = full[row * static_cast<std::size_t>(s.width) + static_cast<std::size_t>(x)];
            half.push_back(static_cast<float>(z.real()));
            half.push_back(static_cast<float>(z.imag()));
        }
    return half;
}

/// In double precision: what the transform should give.
std::vector<double> expected(const TransformSpec& s, Direction direction, const std::vector<float>& in) {
    const auto width = static_cast<std::size_t>(s.width), half = static_cast<std::size_t>(spectrum_width(s));
    if (s.kind == Kind::dct) {
        std::vector<double> lines(in.begin(), in.end());
        if (!s.has_columns()) reference_dct1(lines.data(), s.width, s.batch, direction == Direction::inverse);
        for (std::int64_t b = 0; b < s.batch && s.has_columns(); ++b)
            reference_dct2(lines.data() + b * s.width * s.height, s.width, s.height, direction == Direction::inverse);
        return lines;
    }
    std::vector<Complex> work(rows(s) * width);
    for (std::size_t row = 0; row < rows(s); ++row)
        for (std::size_t x = 0; x < width; ++x) {
            Complex& z = work[row * width + x];
            if (s.kind == Kind::r2c) { z = in[row * width + x]; continue; }
            if (x < half) { z = Complex(in[2 * (row * half + x)], in[2 * (row * half + x) + 1]); continue; }
            const auto h = static_cast<std::size_t>(s.height), image = row / h, y = row % h, mirrored = image * h + (h - y) % h;
            const std::size_t at = 2 * (mirrored * half + width - x);
            z = Complex(in[at], -in[at + 1]);
        }
    for (std::int64_t b = 0; b < s.batch; ++b)
        reference_fft2(work.data() + b * s.width * s.height, s.width, s.height, direction == Direction::inverse);
    std::vector<double> out;
    for (std::size_t row = 0; row < rows(s); ++row)
        for (std::size_t x = 0; x < (s.kind == Kind::r2c ? half : width); ++x) {
            out.push_back(work[row * width + x].real());
            if (s.kind != Kind::c2r) out.push_back(work[row * width + x].imag());
        }
    return out;
}

double relative_error(const std::vector<float>& got, const std::vector<double>& want) {
    REQUIRE(got.size() == want.size());
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        error += (got[i] - want[i]) * (got[i] - want[i]);
        norm += want[i] * want[i];
    }
    return std::sqrt(error / std::max(norm, 1e-300));
}

/// A device with a queue, and transforms run on it.
class Bench {
public:
    explicit Bench(const tests::DevicePtr& device) : context_(tests::open_for_test(device)), queue_(context_->create_queue()) {}
    host::Context& context() { return *context_; }

    /// Runs forth; the output lies between guards that must not change, and so must the input unless `in_place`.
    std::vector<float> run(const Implementation& implementation, const TransformSpec& spec, Direction direction,
                           const std::vector<float>& in, bool in_place = false) {
        PlanBuilder builder(*context_, *queue_);
        const auto transform = implementation.make(builder, spec);
        return run(builder, *transform, spec, direction, in, in_place);
    }

    std::vector<float> run(PlanBuilder& builder, Transform& transform, const TransformSpec& spec, Direction direction,
                           const std::vector<float>& in, bool in_place = false) {
        std::vector<host::Buffer> workspace;
        for (const std::size_t bytes : builder.slots()) workspace.push_back(context_->allocate(bytes));
        const std::size_t guard = std::max<std::size_t>(context_->info().base_align, 4096),
                          bytes = floats_out(spec) * sizeof(float);
        const std::vector<unsigned char> pattern(guard + bytes + guard, 0xA5);
        const host::Buffer whole = context_->allocate(pattern.size());
        queue_->write(whole, 0, pattern.data(), pattern.size()).wait();
        const host::Buffer out = whole.sub(guard, bytes);
        const host::Buffer input = in_place ? out : context_->allocate(in.size() * sizeof(float));
        queue_->write(input, 0, in.data(), in.size() * sizeof(float)).wait();

        Profiler profiler;
        Execution execution(*queue_, profiler, workspace);
        transform.enqueue(execution, input, out, direction);
        queue_->finish();

        std::vector<unsigned char> after(pattern.size());
        queue_->read(whole, 0, after.data(), after.size()).wait();
        CHECK(std::equal(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(guard), pattern.begin()));
        CHECK(std::equal(after.end() - static_cast<std::ptrdiff_t>(guard), after.end(), pattern.begin()));
        if (!in_place) {
            std::vector<float> kept(in.size());
            queue_->read(input, 0, kept.data(), kept.size() * sizeof(float)).wait();
            CHECK(kept == in);
        }
        std::vector<float> result(floats_out(spec));
        std::memcpy(result.data(), after.data() + guard, bytes);
        return result;
    }

    void check(const Implementation& implementation, const TransformSpec& spec, Direction direction, bool in_place = false) {
        CAPTURE(implementation.name);
        CAPTURE(text(spec));
        CAPTURE(in_place);
        const std::vector<float> in = input_for(spec);
        CHECK(relative_error(run(implementation, spec, direction, in, in_place), expected(spec, direction, in)) < tolerance);
    }

    std::unique_ptr<host::Queue>& queue() { return queue_; }

private:
    std::shared_ptr<host::Context> context_;
    std::unique_ptr<host::Queue> queue_;
};

/// All kinds and directions that each implementation takes, c2c in place too; ours must take all.
void check_implementations(Bench& bench, const std::vector<TransformSpec>& specs) {
    for (const Implementation& implementation : implementations())
        for (TransformSpec spec : specs)
            for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
                spec.kind = kind;
                CAPTURE(implementation.name);
                CAPTURE(text(spec));
                if (!implementation.why_not(spec, bench.context()).empty()) {
                    CHECK(implementation.name != "radix");
                    CHECK(implementation.name != "auto");
                    continue;
                }
                if (kind != Kind::c2r) bench.check(implementation, spec, Direction::forward);
                if (kind != Kind::r2c) bench.check(implementation, spec, Direction::inverse);
                if (kind == Kind::c2c) bench.check(implementation, spec, Direction::forward, true);
            }
}

template <class Body>
void each_device(Body&& body) {
    for (const auto& device : tests::kernel_devices_under_test()) {
        INFO(tests::device_label(*device));
        Bench bench(device);
        body(bench);
    }
}

}  // namespace

TEST_CASE("the reference transform agrees with the sum that defines it") {
    for (const std::int64_t n : {1, 2, 3, 8, 30, 31, 37, 64, 101, 143}) {
        CAPTURE(n);
        const std::vector<float> values = noise(static_cast<std::size_t>(2 * n));
        std::vector<Complex> data(static_cast<std::size_t>(n)), sums(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = Complex(values[2 * i], values[2 * i + 1]);
        for (std::size_t k = 0; k < data.size(); ++k)
            for (std::size_t i = 0; i < data.size(); ++i)
                sums[k] += data[i] * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i * k % data.size()) /
                                                         static_cast<double>(n));
        const std::vector<Complex> original = data;
        reference_fft1(data.data(), n, 1, false);
        for (std::size_t k = 0; k < data.size(); ++k) CHECK(std::abs(data[k] - sums[k]) < 1e-12 * static_cast<double>(n));
        reference_fft1(data.data(), n, 1, true);
        for (std::size_t k = 0; k < data.size(); ++k) CHECK(std::abs(data[k] - original[k]) < 1e-13 * static_cast<double>(n));
    }
}

TEST_CASE("the reference in two dimensions is rows, then columns, on one thread or many") {
    const std::int64_t width = 37, height = 20;
    const std::vector<float> values = noise(static_cast<std::size_t>(width * height));
    std::vector<Complex> both(values.begin(), values.end()), steps = both;
    reference_fft2(both.data(), width, height, false, 3);
    reference_fft1(steps.data(), width, height, false);
    for (std::int64_t x = 0; x < width; ++x) {
        std::vector<Complex> column(static_cast<std::size_t>(height));
        for (std::int64_t y = 0; y < height; ++y)
            column[static_cast<std::size_t>(y)] = steps[static_cast<std::size_t>(y * width + x)];
        reference_fft1(column.data(), height, 1, false);
        for (std::int64_t y = 0; y < height; ++y)
            CHECK(std::abs(column[static_cast<std::size_t>(y)] - both[static_cast<std::size_t>(y * width + x)]) < 1e-11);
    }
}

namespace {

/// Of each stage the radix and how many butterflies a work-item has of it; a pair counts as two.
template <class Visit>
void each_stage(const Line& line, const Visit& visit) {
    const auto rounds = [&](int butterflies) { return (butterflies + line.items - 1) / line.items; };
    for (const int radix : line.rader.radices) visit(radix, rounds(line.rader.space() / radix));
    for (std::size_t s = line.rader.prime != 0 ? 1 : 0; s < line.radices.size(); ++s) {
        const int radix = line.radices[s], butterflies = line.n / radix;
        const bool by_pairs =
            (line.pairs != Pairs::none && s + 1 == line.radices.size()) || (s == 0 && line.pairs == Pairs::both);
        visit(radix, by_pairs ? 2 * rounds((butterflies + 1) / 2) : rounds(butterflies));
    }
}

void check_line(const Line& line, int n, const LineLimits& limits) {
    int product = 1, held = 1, convolved = 1;
    for (const int radix : line.radices) product *= radix;
    for (const int radix : line.rader.radices) convolved *= radix;
    each_stage(line, [&](int radix, int rounds) { held = std::max(held, radix * rounds); });
    const bool large = line.rader.prime != 0;
    const bool sound = product == n && line.group() <= limits.group && line.registers == held + (large ? 1 : 0) &&
                       (line.pairs != Pairs::both || n / line.radices.front() % 2 == 0) &&
                       (line.radices.size() == 1 || line.local_bytes() <= limits.local_bytes) && convolved == line.rader.length &&
                       (!large || (line.radices.front() == line.rader.prime && line.items >= line.rader.unit &&
                                   line.pairs != Pairs::both && line.rader.unit * line.rader.prime == n &&
                                   (line.rader.length == line.rader.prime - 1 || line.rader.length >= 2 * line.rader.prime - 3)));
    if (!sound) FAIL("length " << n << ": " << line.describe() << ", " << line.items << " work-items x " << line.lines);
}

}   // namespace

TEST_CASE("every smooth line has a plan that fits its limits, and so has one with a prime beside") {
    for (const LineLimits limits : {LineLimits{}, LineLimits{1024, 49152}, LineLimits{256, 32768}})
        for (int n = 1; n <= longest_line; ++n)
            for (const LineLayout layout : {LineLayout::rows, LineLayout::columns}) {
                const auto line = plan_line(n, layout, limits, 3000);
                if (!line && is_smooth(n)) FAIL("length " << n);
                if (!line && limits.local_bytes == 49152)
                    if (const auto rader = rader_of(n); rader && !rader->padded()) FAIL("length " << n);
                if (line) check_line(*line, n, limits);
            }
}

TEST_CASE("every smooth line has a plan by pairs that fits its limits, and so has one with a prime beside") {
    for (const LineLimits limits : {LineLimits{1024, 49152}, LineLimits{256, 32768}})
        for (int n = 1; n <= longest_line; ++n)
            for (const auto& [layout, pairs] :
                 {std::pair{LineLayout::rows, Pairs::both}, {LineLayout::filter, Pairs::opposites}}) {
                const std::vector<Line> lines = plan_lines(n, layout, limits, 3000, pairs);
                if (lines.empty() && is_smooth(n)) FAIL("length " << n);
                if (lines.empty() && limits.local_bytes == 49152)
                    if (const auto rader = rader_of(n); rader && !rader->padded() && rader->unit > 1) FAIL("length " << n);
                for (const Line& line : lines) {
                    CHECK(line.pairs != Pairs::none);
                    check_line(line, n, limits);
                }
            }
}

TEST_CASE("gaps in local memory fit, and leave no more conflicts than there were") {
    const auto seed = tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    for (int draw = 0; draw < 200; ++draw) {
        const int n = std::uniform_int_distribution(2, longest_line)(random);
        for (const auto& [layout, pairs] :
             {std::pair{LineLayout::rows, Pairs::none}, {LineLayout::rows, Pairs::both}, {LineLayout::columns, Pairs::none},
              {LineLayout::filter, Pairs::opposites}}) {
            const auto line = plan_line(n, layout, LineLimits{1024, 49152}, 3000, pairs);
            if (!line) continue;
            if (line->rader.prime != 0) {
                for (const Gaps& gaps : exchange_gaps(*line, Order::forward))
                    CHECK(gaps.padded(std::max(n, line->rader.space())) <= line->padded);
                continue;
            }
            for (const Order order : {Order::forward, Order::backward}) {
                const std::vector<Gaps> gaps = exchange_gaps(*line, order);
                REQUIRE(gaps.size() + 1 == line->radices.size());
                for (std::size_t s = 0; s < gaps.size(); ++s) {
                    CAPTURE(n);
                    CAPTURE(line->describe());
                    CAPTURE(s);
                    CHECK(gaps[s].padded(n) <= line->padded);
                    CHECK(visits(*line, order, s, gaps[s]) <= visits(*line, order, s, Gaps{}));
                    const std::uint32_t bits = packed(gaps) >> (6 * s);   // as stockham_stage.clh reads them
                    CHECK(static_cast<int>(bits & 7u) == gaps[s].floats);
                    CHECK((gaps[s].floats == 0 || 2 + static_cast<int>(bits >> 3 & 7u) == gaps[s].run_log2));
                }
            }
        }
    }
}

TEST_CASE("what conflicts the gaps leave") {
    struct Row { int n; LineLayout layout; Pairs pairs; double most; };
    for (const Row& row : {Row{3072, LineLayout::rows, Pairs::none, 2.0}, {2048, LineLayout::rows, Pairs::both, 2.0},
                           {3072, LineLayout::rows, Pairs::both, 3.0}, {2304, LineLayout::filter, Pairs::opposites, 2.0}}) {
        const auto line = plan_line(row.n, row.layout, LineLimits{1024, 49152}, 3000, row.pairs);
        REQUIRE(line);
        const std::vector<Gaps> gaps = exchange_gaps(*line, Order::forward);
        double without = 0;
        for (std::size_t s = 0; s < gaps.size(); ++s) {
            CAPTURE(line->describe());
            CAPTURE(s);
            CHECK(visits(*line, Order::forward, s, gaps[s]) <= row.most);
            without = std::max(without, visits(*line, Order::forward, s, Gaps{}));
        }
        CHECK(without >= 5);   // four and more work-items at one bank
    }
}

TEST_CASE("where gaps do not fit, the radices' order leaves few conflicts") {
    for (const Pairs pairs : {Pairs::none, Pairs::opposites}) {
        const auto line = plan_line(3036, LineLayout::filter, LineLimits{1024, 49152}, 3000, pairs);   // 23 12 11, not 11 23 12
        REQUIRE(line);
        CAPTURE(line->describe());
        CHECK(line->lines == 4);
        CHECK(line->group() <= 576);   // more would have too few registers for its points
        for (const Order order : {Order::forward, Order::backward}) {
            const std::vector<Gaps> gaps = exchange_gaps(*line, order);
            for (std::size_t s = 0; s < gaps.size(); ++s) CHECK(visits(*line, order, s, gaps[s]) < 2.7);
        }
    }
}

TEST_CASE("long rows leave a multiprocessor room for several groups") {
    for (const int n : {4608, 5120, 5472, 6000, 6144}) {
        const auto line = plan_line(n, LineLayout::rows, LineLimits{1024, 49152}, 3000);
        REQUIRE(line);
        CAPTURE(line->describe());
        CHECK(line->group() <= 384);
        CHECK(line->registers <= 20);
    }
}

TEST_CASE("filters have shapes to choose from, none of them twice") {
    for (int n = 1; n <= longest_line; ++n) {
        for (const Pairs pairs : {Pairs::none, Pairs::opposites}) {
            const std::vector<Line> lines = plan_lines(n, LineLayout::filter, LineLimits{1024, 49152}, 3000, pairs);
            for (std::size_t i = 0; i < lines.size(); ++i) {
                if (pairs == Pairs::none) check_line(lines[i], n, LineLimits{1024, 49152});
                for (std::size_t j = 0; j < i; ++j)
                    if (lines[i].radices == lines[j].radices && lines[i].items == lines[j].items && lines[i].lines == lines[j].lines)
                        FAIL("length " << n << ": " << lines[i].describe());
            }
        }
    }
    CHECK(plan_lines(3000, LineLayout::filter, LineLimits{1024, 49152}, 3000, Pairs::opposites).size() > 1);
}

TEST_CASE("lengths with one prime above 31, and what its convolution is") {
    for (const int n : {1, 30, 31, 41 * 41, 37 * 41 * 2}) CHECK_FALSE(rader_of(n).has_value());
    const auto sony = rader_of(2056);   // 8 x 257
    REQUIRE(sony);
    CHECK(sony->prime == 257);
    CHECK(sony->unit == 8);
    CHECK(sony->length == 256);
    const auto padded = rader_of(4024);   // 8 x 503, and 502 is twice a prime
    REQUIRE(padded);
    CHECK(padded->length >= 1003);
    // The filter is a convolution's: its value at nought adds up to -1, the sum of all roots but 1.
    const std::vector<std::complex<float>> table = rader_table(*sony);
    CHECK(table[0] == std::complex<float>(1, 1));
    CHECK(table[256].real() * 256 == doctest::Approx(-1));
    CHECK(table[256].imag() * 256 == doctest::Approx(0).epsilon(1e-6));
}

TEST_CASE("good_size is the next length with factors up to 7") {
    CHECK(good_size(1) == 1);
    CHECK(good_size(11) == 12);
    CHECK(good_size(4000) == 4000);
    CHECK(good_size(6527) == 6561);
    CHECK(good_size(8193) == 8232);
}

TEST_CASE("radix: rows of every radix, of their products, and of lengths that need Bluestein") {
    each_device([](Bench& bench) {
        for (const std::int64_t n : {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,  14,  15,  16, 17,
                                     18, 19, 22, 23, 26, 31, 34, 37, 49, 64, 85, 97, 119, 121, 127, 128}) {
            bench.check(radix(), {n, 1, 3}, Direction::forward);
            bench.check(radix(), {n, 1, 3}, Direction::inverse);
        }
    });
}

TEST_CASE("radix: columns of every radix, of two stages, of primes") {
    each_device([](Bench& bench) {
        std::vector<std::int64_t> lengths = {19, 22, 23, 34, 39, 51, 53, 60, 63, 64};
        for (std::int64_t n = 1; n <= 17; ++n) lengths.push_back(n);
        for (const std::int64_t n : lengths) bench.check(radix(), {5, n, 2}, n % 2 ? Direction::forward : Direction::inverse);
    });
}

TEST_CASE("radix: lines with a prime factor above 31, by Rader, drawn at random") {
    std::vector<int> all;
    for (int n = 2; n <= 2400; ++n)
        if (rader_of(n)) all.push_back(n);
    const auto seed = static_cast<unsigned>(tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937 random(seed);
    const char* const many = std::getenv("PARALLAX_TEST_DRAWS");
    std::vector<int> lengths = {74, 2056, 346};   // 257 is what cameras have; 173 needs zeros
    for (int i = 0; i < (many ? std::stoi(many) : 4); ++i) lengths.push_back(all[random() % all.size()]);
    each_device([&](Bench& bench) {
        for (const std::int64_t n : lengths) {
            CAPTURE(n);
            const Direction direction = n / 2 % 2 ? Direction::forward : Direction::inverse;
            bench.check(radix(), {n, 1, 3}, direction);
            bench.check(radix(), {5, n, 2}, direction);
            bench.check(radix(), {n, 1, 3, Kind::r2c}, Direction::forward);
            bench.check(radix(), {n, 1, 3, Kind::c2r}, Direction::inverse);
        }
    });
}

TEST_CASE("radix: several primes above 31 go in passes, and what no pass takes by Bluestein") {
    each_device([&](Bench& bench) {
        for (const std::int64_t n : {37 * 41, 41 * 41, 43 * 59 * 2, 83 * 179}) {   // 82 has no small factors, 178 neither
            CAPTURE(n);
            bench.check(radix(), {n, 1, 2}, Direction::forward);
            bench.check(radix(), {5, n, 1}, Direction::inverse);
            bench.check(radix(), {n, 1, 3, Kind::r2c}, Direction::forward);
        }
    });
}

TEST_CASE("Bluestein's convolution is at least twice as long, of lines that fill sectors of memory; slabs take each line once") {
    for (const std::int64_t n : {4099, 7237, 14857, 1000003, 2000003}) {
        CAPTURE(n);
        const auto passes = convolution_passes(n);
        REQUIRE(passes);
        CHECK(passes->points() >= 2 * n - 1);
        CHECK(static_cast<double>(passes->points()) < 2.3 * static_cast<double>(n));
        CHECK(passes->ends % 8 == 0);
        CHECK(passes->middle % 4 == 0);
        CHECK(std::max(passes->ends, passes->middle) <= 2048);
    }
    CHECK_FALSE(convolution_passes(4000037));   // the way of many passes
    for (const AxisShape shape : {AxisShape{7, 5, 1}, AxisShape{2, 5, 11}}) {
        std::vector<int> taken(static_cast<std::size_t>(shape.elements()));
        each_slab(shape.n, shape.unit == 1, shape.images, shape.unit, 3, [&](const Slab& slab) {
            for (std::int64_t s = 0; s < slab.images; ++s)
                for (std::int64_t y = 0; y < shape.n; ++y)
                    for (std::int64_t x = 0; x < slab.width; ++x)
                        ++taken.at(static_cast<std::size_t>(slab.origin + s * slab.image_stride + y * slab.point_stride + x));
        });
        CHECK(std::all_of(taken.begin(), taken.end(), [](int times) { return times == 1; }));
    }
}

TEST_CASE("Bluestein's slabs are a small share of a device's memory, and no larger than it allocates at once") {
    constexpr std::uint64_t mib = 1 << 20, much = 65536 * mib;
    constexpr std::int64_t m = 15360;
    constexpr std::uint64_t line = m * sizeof(FloatComplex);
    const auto lines = [&](std::uint64_t memory, std::uint64_t largest, const AxisShape& shape, std::uint64_t most) {
        host::DeviceInfo device;
        device.global_memory = memory, device.max_allocation = largest;
        return slab_lines(device, shape, m, most);
    };
    const auto held = [&](std::uint64_t bytes) { return static_cast<std::int64_t>(bytes / line); };
    const AxisShape rows{4345, 7237, 1}, columns{1, 7237, 4345};
    for (const AxisShape& shape : {rows, columns}) {
        CHECK(lines(much, much, shape, passes_bytes) == held(256 * mib));
        CHECK(lines(much, much, shape, slabs_bytes) == held(64 * mib));
        CHECK(lines(0, 0, shape, passes_bytes) == held(256 * mib));   // a driver that says nothing
        CHECK(lines(2048 * mib, 2048 * mib, shape, passes_bytes) == held(128 * mib));
        CHECK(lines(much, 100 * mib, shape, passes_bytes) == held(100 * mib));
        CHECK(lines(much, 32 * mib, shape, slabs_bytes) == held(32 * mib));
        CHECK(lines(much, 5 * line, shape, passes_bytes) == 5);
        CHECK(lines(much, line - 1, shape, passes_bytes) == 1);
    }
    CHECK(lines(32 * line, much, rows, passes_bytes) == 2);
    CHECK(lines(32 * line, much, columns, passes_bytes) == 8);   // whole sectors of memory
    CHECK(lines(much, much, {5, 7237, 1}, passes_bytes) == 5);
    CHECK(lines(much, much, {2, 7237, 3}, passes_bytes) == 8);
    const AxisShape large{60000, 7237, 1};   // 6.5 GiB, there and back
    CHECK(lines(7168 * mib, much, large, passes_bytes) == held(256 * mib));
    CHECK(lines(6700 * mib, much, large, passes_bytes) == held(64 * mib));
    CHECK(lines(6000 * mib, much, large, passes_bytes) == held(64 * mib));
}

TEST_CASE("Bluestein's workspace is a small share of what a job may take of the device") {
    const Algorithm algorithm = make_fft();
    const auto radix = std::find_if(algorithm.variants.begin(), algorithm.variants.end(),
                                    [](const Variant& variant) { return variant.name == "radix"; });
    REQUIRE(radix != algorithm.variants.end());
    Problem problem;
    problem.inputs = {{"array", ArrayDesc::dense(ElementType::c64, {{'y', 4345}, {'x', 7237}})}};
    problem.parameters = algorithm.parameters.parse(Json{{"dimensions", 1}}, "");
    problem.outputs = {"array"};
    each_device([&](Bench& bench) {
        const host::DeviceInfo& device = bench.context().info();
        for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{600} << 20}) {   // two arrays of 240 MiB each
            problem.memory = limit;
            Choice choice;
            choice.variant = &*radix;
            choice.policy = Policy::defaults(radix->policy);
            const PlanMade made = make_plan(bench.context(), *bench.queue(), problem, choice);
            REQUIRE_FALSE(made.builder->slots().empty());
            for (const std::size_t bytes : made.builder->slots()) {
                CHECK(bytes <= small_share(limit > 0 ? std::min(limit, device.global_memory) : device.global_memory));
                CHECK(bytes <= device.max_allocation);
            }
        }
    });
}

TEST_CASE("four columns that do not fit local memory together go through it two and two") {
    const LineLimits gpu{1024, 49152};
    for (const int n : {3584, 4096, 5120}) {
        CAPTURE(n);
        const auto line = plan_line(n, LineLayout::columns, gpu, 3000);
        REQUIRE(line);
        CHECK(line->lines == 4);
        CHECK(line->shares == 2);
        CHECK(line->split);
        CHECK(line->local_bytes() <= gpu.local_bytes);
    }
    CHECK(plan_line(3072, LineLayout::columns, gpu, 3000)->shares == 1);
    CHECK(plan_line(6144, LineLayout::columns, gpu, 3000)->lines < 4);   // too many points a work-item
    const LineLimits less{1024, 32768}, few{256, 32768};
    CHECK(plan_line(2048, LineLayout::columns, less, 3000)->shares == 1);
    CHECK(plan_line(4096, LineLayout::columns, less, 3000)->shares == 2);
    CHECK(plan_line(4374, LineLayout::columns, less, 3000)->lines < 4);
    CHECK(plan_line(4096, LineLayout::columns, few, 3000)->lines < 4);
    each_device([](Bench& bench) {
        for (const std::int64_t n : {3584, 4000, 4096, 5120}) {
            CAPTURE(n);
            bench.check(radix(), {7, n, 1}, Direction::forward);
            bench.check(radix(), {7, n, 1}, Direction::inverse, true);
        }
    });
}

TEST_CASE("radix: Bluestein by many passes, where three do not reach") {
    each_device([](Bench& bench) { bench.check(radix(), {2100001, 1, 1}, Direction::forward); });
}

TEST_CASE("the reference's cosine transforms are the sum that defines them, and go back") {
    for (const std::int64_t n : {1, 2, 3, 8, 31, 37, 60}) {
        CAPTURE(n);
        const std::vector<float> values = noise(static_cast<std::size_t>(n));
        std::vector<double> line(values.begin(), values.end());
        reference_dct1(line.data(), n, 1, false);
        for (std::int64_t k = 0; k < n; ++k) {
            double sum = 0;
            for (std::int64_t i = 0; i < n; ++i)
                sum += 2 * static_cast<double>(values[static_cast<std::size_t>(i)]) *
                       std::cos(std::numbers::pi * static_cast<double>(k * (2 * i + 1)) / static_cast<double>(2 * n));
            CHECK(line[static_cast<std::size_t>(k)] == doctest::Approx(sum).epsilon(1e-9));
        }
        reference_dct1(line.data(), n, 1, true);
        for (std::size_t i = 0; i < line.size(); ++i) CHECK(std::abs(line[i] - static_cast<double>(values[i])) < 1e-12);
    }
}

TEST_CASE("radix: cosine transforms of lines and images of any size, both ways, in place") {
    const auto seed = static_cast<unsigned>(tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937 random(seed);
    const auto upto = [&](unsigned most) { return static_cast<std::int64_t>(1 + random() % most); };
    std::vector<TransformSpec> specs{{1, 1, 1, Kind::dct}, {5, 1, 3, Kind::dct},   {64, 1, 2, Kind::dct},   {1, 7, 2, Kind::dct},
                                     {8, 6, 1, Kind::dct}, {33, 18, 3, Kind::dct}, {10000, 1, 1, Kind::dct}, {9, 1, 2, Kind::dct, true}};
    for (int i = 0; i < 4; ++i) specs.push_back({upto(300), upto(120), upto(3), Kind::dct});
    each_device([&](Bench& bench) {
        for (const TransformSpec& spec : specs)
            for (const Direction direction : {Direction::forward, Direction::inverse})
                for (const bool in_place : {false, true}) bench.check(radix(), spec, direction, in_place);
    });
}

TEST_CASE("radix: real rows of every length from 1 to 24, odd and even numbers of rows") {
    each_device([](Bench& bench) {
        for (std::int64_t n = 1; n <= 24; ++n) {
            bench.check(radix(), {n, 1, 3 + n % 2, Kind::r2c}, Direction::forward);
            bench.check(radix(), {n, 1, 3 + n % 2, Kind::c2r}, Direction::inverse);
        }
    });
}

TEST_CASE("radix: long and awkward lines") {
    // Every radix in later stages, the most stages, the longest of one work-group, passes over memory, primes.
    const std::int64_t lengths[] = {169,  289,  225,  196,  210,  257,  509,  1000, 2310, 3125,  2401,  3072, 3264,
                                    2448, 4093, 4096, 4099, 4913, 6250, 8192, 8191, 8232, 10007, 16384, 83521};
    each_device([&](Bench& bench) {
        for (const std::int64_t n : lengths) {
            bench.check(radix(), {n, 1, 2}, Direction::forward);
            bench.check(radix(), {n, 1, 2}, Direction::inverse, true);
        }
        for (const std::int64_t n : {169, 1000, 3264, 4093, 8232, 8209}) {
            bench.check(radix(), {3, n, 2}, Direction::forward);
            bench.check(radix(), {3, n, 2}, Direction::inverse, true);
        }
        for (const std::int64_t n : {1021, 3264, 8191, 8192, 8232, 10007}) {
            bench.check(radix(), {n, 1, 3, Kind::r2c}, Direction::forward);
            bench.check(radix(), {n, 1, 3, Kind::c2r}, Direction::inverse);
        }
    });
}

TEST_CASE("radix: powers of two up to 2^20, and one of three passes") {
    each_device([](Bench& bench) {
        for (std::int64_t n = 256; n <= 1 << 20; n *= 2)
            bench.check(radix(), {n, 1, 1}, n % 3 == 1 ? Direction::forward : Direction::inverse);
        bench.check(radix(), {3 * 5 * 7 * 11 * 13 * 17 * 17, 1, 1}, Direction::forward);
    });
}

TEST_CASE("every implementation: a few small arrays") {   // fit for a simulator that checks every access
    each_device([](Bench& bench) {
        check_implementations(bench, {{1, 1, 1}, {1, 9, 2}, {16, 16, 1}, {15, 6, 3}, {34, 5, 1}, {37, 2, 2}});
    });
}

TEST_CASE("every implementation: planes of odd, even and prime sizes, batches, in place") {
    each_device([](Bench& bench) {
        check_implementations(
            bench, {{1, 1, 5}, {16, 15, 1}, {31, 17, 2}, {37, 41, 1}, {64, 128, 2}, {100, 60, 1}, {256, 64, 1}, {127, 255, 1}});
    });
}

TEST_CASE("radix: sizes of holograms") {
    each_device([](Bench& bench) {
        for (const auto& [width, height] :
             {std::pair<std::int64_t, std::int64_t>{512, 384}, {1024, 768}, {3264, 51}, {51, 2448}, {12, 2304}}) {
            bench.check(radix(), {width, height, 1}, Direction::forward);
            bench.check(radix(), {width, height, 1, Kind::r2c}, Direction::forward);
            bench.check(radix(), {width, height, 1, Kind::c2r}, Direction::inverse);
        }
    });
}

TEST_CASE("a transform there and back gives the array again") {
    each_device([](Bench& bench) {
        for (const TransformSpec spec : {TransformSpec{96, 68, 2}, TransformSpec{53, 47, 1}, TransformSpec{16384, 1, 1}}) {
            CAPTURE(text(spec));
            PlanBuilder builder(bench.context(), *bench.queue());
            const auto transform = make_transform(builder, spec, Library::radix);
            const std::vector<float> in = noise(floats_in(spec));
            const std::vector<float> there = bench.run(builder, *transform, spec, Direction::forward, in);
            const std::vector<float> back = bench.run(builder, *transform, spec, Direction::inverse, there, true);
            CHECK(relative_error(back, {in.begin(), in.end()}) < 2 * tolerance);
        }
    });
}

TEST_CASE("the transform is linear and turns a shift into a phase") {
    each_device([](Bench& bench) {
        const TransformSpec spec{204, 1, 1};
        const std::vector<float> a = noise(floats_in(spec), 1), b = noise(floats_in(spec), 2);
        std::vector<float> sum(a.size()), shifted(a.size());
        const std::size_t n = 204, shift = 29;
        for (std::size_t i = 0; i < a.size(); ++i) sum[i] = 2 * a[i] - 3 * b[i];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t part = 0; part < 2; ++part) shifted[2 * ((i + shift) % n) + part] = a[2 * i + part];
        const auto forward = [&](const std::vector<float>& in) { return bench.run(radix(), spec, Direction::forward, in); };
        const std::vector<float> fa = forward(a), fb = forward(b);
        std::vector<double> combined(a.size()), turned(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) combined[i] = 2.0 * fa[i] - 3.0 * fb[i];
        for (std::size_t k = 0; k < n; ++k) {
            const Complex z =
                Complex(fa[2 * k], fa[2 * k + 1]) *
                std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k * shift % n) / static_cast<double>(n));
            turned[2 * k] = z.real();
            turned[2 * k + 1] = z.imag();
        }
        CHECK(relative_error(forward(sum), combined) < tolerance);
        CHECK(relative_error(forward(shifted), turned) < tolerance);
    });
}

TEST_CASE("c2r does not look at imaginary parts that a real array cannot have") {
    each_device([](Bench& bench) {
        for (const std::int64_t n : {16, 15, 10007}) {
            const TransformSpec spec{n, 1, 2, Kind::c2r};
            std::vector<float> in = input_for(spec);
            const std::vector<float> clean = bench.run(radix(), spec, Direction::inverse, in);
            const auto half = static_cast<std::size_t>(n / 2 + 1);
            for (std::size_t row = 0; row < 2; ++row) {
                in[2 * row * half + 1] = std::numeric_limits<float>::quiet_NaN();
                if (n % 2 == 0) in[2 * (row * half + half - 1) + 1] = 1e9f;
            }
            // The guard test compares inputs, and NaN is not equal to itself: run without it.
            PlanBuilder builder(bench.context(), *bench.queue());
            const auto transform = make_transform(builder, spec, Library::radix);
            std::vector<host::Buffer> workspace;
            for (const std::size_t bytes : builder.slots()) workspace.push_back(bench.context().allocate(bytes));
            const host::Buffer from = bench.context().allocate(in.size() * sizeof(float)),
                               to = bench.context().allocate(clean.size() * sizeof(float));
            bench.queue()->write(from, 0, in.data(), in.size() * sizeof(float)).wait();
            Profiler profiler;
            Execution execution(*bench.queue(), profiler, workspace);
            transform->enqueue(execution, from, to, Direction::inverse);
            std::vector<float> dirty(clean.size());
            bench.queue()->read(to, 0, dirty.data(), dirty.size() * sizeof(float)).wait();
            CHECK(dirty == clean);
        }
    });
}

TEST_CASE("what cannot be done is refused with a reason") {
    each_device([](Bench& bench) {
        CHECK(radix2_why_not({96, 64, 1}, bench.context()).find("powers of two") != std::string::npos);
        CHECK(radix2_why_not({64, 64, 1, Kind::r2c}, bench.context()).find("c2c") != std::string::npos);
        CHECK(why_not(Library::radix, {std::int64_t{1} << 27, 1, 1}, bench.context()).find("67108864") != std::string::npos);
        CHECK(why_not(Library::automatic, {0, 4, 1}, bench.context()).find("no elements") != std::string::npos);
        PlanBuilder builder(bench.context(), *bench.queue());
        CHECK_THROWS_AS(make_transform(builder, {0, 4, 1}, Library::radix), UnsupportedError);
    });
}

TEST_CASE("fft as an algorithm: shapes, spacings and wrong requests") {
    const Algorithm algorithm = make_fft();
    const auto infer = [&](const char* json, const ArrayDesc& input) {
        return algorithm.infer({{{"array", input}}, algorithm.parameters.parse(Json::parse(json), ""), {"array"}}).at("array");
    };
    const ArrayDesc image =
        ArrayDesc::dense(ElementType::c64, {{'z', 3}, {'y', 6}, {'x', 8}}).with_spacing('x', 0.5).with_unit("um");
    const ArrayDesc real = image.with_type(ElementType::f32);
    CHECK(infer("{}", image).size('x') == 8);
    CHECK(infer("{}", image).find('x')->spacing == doctest::Approx(1 / (8 * 0.5)));
    CHECK(infer("{}", image).find('z')->spacing == doctest::Approx(1.0));
    CHECK(infer("{}", image).unit == "1/um");
    CHECK(infer(R"({"kind": "r2c"})", real).size('x') == 5);
    CHECK(infer(R"({"kind": "r2c"})", real).type == ElementType::c64);
    CHECK(infer(R"({"kind": "c2r"})", image).size('x') == 14);
    CHECK(infer(R"({"kind": "c2r", "width": "odd"})", image).size('x') == 15);
    CHECK_THROWS_AS(infer(R"({"kind": "r2c"})", image), ConfigError);
    CHECK_THROWS_AS(infer("{}", real), ConfigError);
    CHECK_THROWS_AS(infer(R"({"kind": "r2c", "direction": "inverse"})", real), ConfigError);
    CHECK_THROWS_AS(infer(R"({"kind": "c2r", "direction": "forward"})", image), ConfigError);
    CHECK_THROWS_AS(infer("{}", ArrayDesc::dense(ElementType::c64, {{'x', 8}})), ConfigError);
    CHECK_THROWS_AS(infer("{}", ArrayDesc::dense(ElementType::c64, {{'y', 8}, {'x', 0}})), ConfigError);
}

TEST_CASE("fft as an algorithm: every variant that supports a problem gives the same answer") {
    const Algorithm algorithm = make_fft();
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        const std::shared_ptr<host::Context> context = tests::open_for_test(device);
        const auto queue = context->create_queue();
        struct Case { const char* json; TransformSpec spec; Direction direction; std::vector<ArrayDesc::Extent> shape; };
        const Case cases[] = {
            {"{}", {16, 8, 3}, Direction::forward, {{'z', 3}, {'y', 8}, {'x', 16}}},
            {R"({"direction": "inverse", "dimensions": 1})", {16, 1, 24}, Direction::inverse, {{'z', 3}, {'y', 8}, {'x', 16}}},
            {R"({"kind": "r2c"})", {15, 6, 2, Kind::r2c}, Direction::forward, {{'z', 2}, {'y', 6}, {'x', 15}}},
            {R"({"kind": "c2r", "width": "odd"})", {15, 6, 2, Kind::c2r}, Direction::inverse, {{'z', 2}, {'y', 6}, {'x', 8}}},
            {R"({"kind": "c2r", "dimensions": 1})", {14, 1, 12, Kind::c2r}, Direction::inverse, {{'z', 2}, {'y', 6}, {'x', 8}}}};
        for (const Case& c : cases) {
            INFO(c.json);
            const ArrayDesc desc = ArrayDesc::dense(c.spec.kind == Kind::r2c ? ElementType::f32 : ElementType::c64, c.shape);
            const Problem problem{{{"array", desc}}, algorithm.parameters.parse(Json::parse(c.json), ""), {"array"}};
            const ArrayDesc result = algorithm.infer(problem).at("array");
            const std::vector<float> in = input_for(c.spec);
            const std::vector<double> want = expected(c.spec, c.direction, in);
            int ran = 0;
            for (const Variant& variant : algorithm.variants) {
                if (std::find(variant.backends.begin(), variant.backends.end(), context->info().backend) ==
                    variant.backends.end())
                    continue;
                if (!variant.supports(problem, *context)) continue;
                CAPTURE(variant.name);
                ++ran;
                PlanBuilder builder(*context, *queue);
                const auto plan = variant.plan(builder, problem, Policy::defaults(variant.policy));
                std::vector<host::Buffer> workspace;
                for (const std::size_t bytes : builder.slots()) workspace.push_back(context->allocate(bytes));
                Bindings bindings;
                bindings.inputs["array"].buffer = context->allocate(desc.dense_bytes());
                bindings.outputs["array"].buffer = context->allocate(result.dense_bytes());
                queue->write(bindings.input("array"), 0, in.data(), desc.dense_bytes()).wait();
                Profiler profiler;
                Execution execution(*queue, profiler, workspace);
                plan->enqueue(execution, bindings);
                std::vector<float> out(result.dense_bytes() / sizeof(float));
                queue->read(bindings.output("array"), 0, out.data(), result.dense_bytes()).wait();
                CHECK(relative_error(out, want) < tolerance);
            }
            CHECK(ran >= 1);
        }
    }
}
