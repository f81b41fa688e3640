#include "algorithms/box_filter/reference.hpp"

#include <type_traits>
#include <vector>

namespace parallax::engine::box_filter {
namespace {

/// Where the elements of the windows around 0 .. n - 1 are: element j of window i at [i + j].
std::vector<std::int64_t> places(Border border, std::int64_t n, std::int64_t window) {
    std::vector<std::int64_t> result(static_cast<std::size_t>(n + window - 1));
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = border_index(border, static_cast<std::int64_t>(i) - window / 2, n);
    return result;
}

template <class T>
void rows(const BoxSpec& s, const T* in, T* out, std::int64_t first, std::int64_t end) {
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
    const auto xs = places(s.border, s.width, s.window[0]), ys = places(s.border, s.height, s.window[1]),
               zs = places(s.border, s.depth, s.window[2]);
    const std::int64_t row = s.width * s.channels, plane = row * s.height, slab = plane * s.middle;
    const auto value = static_cast<Sum>(static_cast<T>(s.value));
    for (std::int64_t r = first; r < end; ++r) {
        const std::int64_t y = r % s.height, m = r / s.height % s.middle, z = r / s.height / s.middle % s.depth,
                           o = r / s.height / s.middle / s.depth;
        for (std::int64_t x = 0; x < s.width; ++x)
            for (std::int64_t c = 0; c < s.channels; ++c) {
                Sum sum = 0;
                for (std::int64_t dz = 0; dz < s.window[2]; ++dz)
                    for (std::int64_t dy = 0; dy < s.window[1]; ++dy) {
                        const std::int64_t from_z = zs[static_cast<std::size_t>(z + dz)],
                                           from_y = ys[static_cast<std::size_t>(y + dy)];
                        const bool outside = from_z < 0 || from_y < 0;
                        const T* const line = outside ? in : in + (o * s.depth + from_z) * slab + m * plane + from_y * row + c;
                        for (std::int64_t dx = 0; dx < s.window[0]; ++dx) {
                            const std::int64_t from_x = xs[static_cast<std::size_t>(x + dx)];
                            sum += outside || from_x < 0 ? value : static_cast<Sum>(line[from_x * s.channels]);
                        }
                    }
                T& result = out[(r * s.width + x) * s.channels + c];
                if constexpr (std::is_floating_point_v<T>) result = static_cast<T>(sum / static_cast<double>(s.taps()));
                else result = static_cast<T>(rounded_mean(sum, static_cast<std::uint64_t>(s.taps())));
            }
    }
}

}  // namespace

std::uint64_t rounded_mean(std::uint64_t sum, std::uint64_t taps) noexcept {
    const std::uint64_t down = sum / taps, rest = sum % taps, missing = taps - rest;
    return down + (rest > missing || (rest == missing && down % 2 == 1));
}

void reference_rows(const BoxSpec& spec, const std::byte* in, std::byte* out, std::int64_t first, std::int64_t end) {
    const auto run = [&]<class T>(const T*) {
        rows(spec, reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), first, end);
    };
    if (spec.type == ElementType::u8) run(static_cast<const std::uint8_t*>(nullptr));
    else if (spec.type == ElementType::u16) run(static_cast<const std::uint16_t*>(nullptr));
    else run(static_cast<const float*>(nullptr));
}

}  // namespace parallax::engine::box_filter
