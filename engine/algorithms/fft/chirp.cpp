#include "algorithms/fft/chirp.hpp"

#include "algorithms/fft/radices.hpp"
#include "core/memory_share.hpp"

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

std::int64_t slab_lines(const host::DeviceInfo& device, const AxisShape& shape, std::int64_t m, std::uint64_t most_bytes) {
    constexpr std::uint64_t element = sizeof(std::complex<float>);
    const bool rows = shape.unit == 1;
    const auto lines_of = [line = element * static_cast<std::uint64_t>(m)](std::uint64_t bytes) {
        return static_cast<std::int64_t>(bytes / line);
    };
    if (const std::uint64_t memory = device.global_memory; memory > 0) {
        const std::uint64_t arrays = 2 * element * static_cast<std::uint64_t>(shape.elements()),   // in and out
            left = memory > arrays ? (memory - arrays) / 2 : 0;
        most_bytes = std::min({most_bytes, small_share(memory), std::max(left, slabs_bytes)});
    }
    const std::int64_t least = rows ? 1 : 8, all = rows ? shape.images : std::max(shape.unit, least),
                       lines = std::clamp(lines_of(most_bytes), least, all);
    return device.max_allocation > 0 ? std::clamp<std::int64_t>(lines_of(device.max_allocation), 1, lines) : lines;
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
