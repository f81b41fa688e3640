#include "algorithms/fft/chirp.hpp"

#include "algorithms/fft/radices.hpp"

#include <algorithm>
#include <complex>

namespace parallax::engine::fft {

std::vector<Complex> chirp(std::int64_t n) {
    std::vector<Complex> values;
    const auto whole = static_cast<std::uint64_t>(2 * n);
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i) values.push_back(unit_root(i * i % whole, whole));
    return values;
}

std::vector<Complex> chirp_spectrum(const std::vector<Complex>& chirp, std::int64_t m, double factor) {
    const auto size = static_cast<std::size_t>(m);
    std::vector<Complex> filter(size);
    for (std::size_t i = 0; i < chirp.size(); ++i) filter[i] = filter[(size - i) % size] = std::conj(chirp[i]) * factor;
    reference_fft1(filter.data(), m, 1, false);
    return filter;
}

host::Buffer upload(PlanBuilder& builder, const std::vector<Complex>& values) {
    return builder.constant(std::vector<std::complex<float>>(values.begin(), values.end()));
}

std::int64_t slab_lines(const AxisShape& shape, std::int64_t m) {
    constexpr std::int64_t elements = std::int64_t{1} << 25;   // 256 MiB
    const bool rows = shape.unit == 1;
    return std::clamp<std::int64_t>(elements / m, rows ? 1 : 8, rows ? shape.images : std::max<std::int64_t>(shape.unit, 8));
}

void each_slab(std::int64_t n, bool rows, std::int64_t images, std::int64_t unit, std::int64_t most_lines,
               const std::function<void(const Slab&)>& visit) {
    if (rows) {
        for (std::int64_t row = 0; row < images; row += most_lines)
            visit({row * n, n, 1, std::min(most_lines, images - row), 1});
        return;
    }
    for (std::int64_t image = 0; image < images; ++image)
        for (std::int64_t x = 0; x < unit; x += most_lines)
            visit({image * n * unit + x, 0, unit, 1, std::min(most_lines, unit - x)});
}

}   // namespace parallax::engine::fft
