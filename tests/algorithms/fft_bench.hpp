// What tests of Fourier transforms share: the libraries, arrays, what should come out in double precision, and a device on which
// transforms run between guard regions.
#pragma once

#include "algorithms/fft/libraries.hpp"
#include "algorithms/fft/reference.hpp"
#include "algorithms/fft/transform.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "seed.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

namespace parallax::engine {
Algorithm make_fft();
}

namespace parallax::tests::transforms {

using namespace parallax::engine;
using namespace parallax::engine::fft;

using FloatComplex = std::complex<float>;
constexpr double tolerance = 1e-6;   // relative L2

struct Implementation {
    std::string name;
    std::function<std::string(const TransformSpec&, host::Context&)> why_not;
    std::function<std::unique_ptr<Transform>(PlanBuilder&, const TransformSpec&)> make;
};

inline Implementation of(Library library, std::string name) {
    return {std::move(name), [library](const TransformSpec& s, host::Context& c) { return why_not(library, s, c); },
            [library](PlanBuilder& b, const TransformSpec& s) { return make_transform(b, s, library); }};
}
inline Implementation radix() { return of(Library::radix, "radix"); }

inline std::vector<Implementation> implementations() {
    return {radix(),
            {"radix2", radix2_why_not, make_radix2},
            {"simd", simd_why_not, make_simd},
            of(Library::vkfft, "vkfft"),
            of(Library::cufft, "cufft"),
            of(Library::automatic, "auto")};
}

inline std::string text(const TransformSpec& s) {
    const char* kinds[] = {"c2c", "r2c", "c2r", "dct"};
    return fmt::format("{} {} x {} x {}", kinds[static_cast<int>(s.kind)], s.batch, s.height, s.width);
}

inline std::int64_t spectrum_width(const TransformSpec& s) { return s.kind == Kind::c2c ? s.width : s.width / 2 + 1; }
inline std::size_t rows(const TransformSpec& s) { return static_cast<std::size_t>(s.batch * s.height); }
inline std::size_t floats_in(const TransformSpec& s) {
    return rows(s) * static_cast<std::size_t>(s.kind == Kind::r2c || s.kind == Kind::dct ? s.width : 2 * spectrum_width(s));
}
inline std::size_t floats_out(const TransformSpec& s) {
    return rows(s) * static_cast<std::size_t>(s.kind == Kind::c2r || s.kind == Kind::dct ? s.width : 2 * spectrum_width(s));
}

inline std::vector<float> noise(std::size_t count, unsigned seed = 7) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    for (float& v : values) v = normal(random);
    return values;
}

/// Input with the symmetry that c2r assumes: the half spectrum of a real array.
inline std::vector<float> input_for(const TransformSpec& s) {
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
inline std::vector<double> expected(const TransformSpec& s, Direction direction, const std::vector<float>& in) {
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

inline double relative_error(const std::vector<float>& got, const std::vector<double>& want) {
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
inline void check_implementations(Bench& bench, const std::vector<TransformSpec>& specs) {
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
inline void each_device(Body&& body) {
    for (const auto& device : tests::kernel_devices_under_test()) {
        INFO(tests::device_label(*device));
        Bench bench(device);
        body(bench);
    }
}

}  // namespace parallax::tests::transforms
