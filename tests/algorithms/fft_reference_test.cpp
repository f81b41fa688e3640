// The reference transforms of double precision against the sums that define them.
#include "fft_bench.hpp"

#include <numbers>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::fft;
using namespace parallax::tests::transforms;

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
