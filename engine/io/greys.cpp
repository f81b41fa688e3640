#include "io/greys.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)
#define PARALLAX_HAS_AVX2 1
#include <immintrin.h>
#endif

#include "io/format.hpp"
#include "support/wide.hpp"

namespace parallax::io {
namespace {

/// Lane by lane, so that compilers make wide instructions of it: it is done for every picture.
template <class T>
PARALLAX_INLINED FiniteRange range_of(const T* values, std::int64_t count) {
    constexpr std::int64_t lanes = 16;
    constexpr bool has_infinity = std::numeric_limits<T>::has_infinity;
    constexpr T most = has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
    constexpr T least = has_infinity ? -most : std::numeric_limits<T>::lowest();
    T lows[lanes], highs[lanes];
    std::int64_t lost = 0;
    std::fill_n(lows, lanes, most);
    std::fill_n(highs, lanes, least);
    std::int32_t not_finite[lanes] = {};
    const auto look = [&](const T* from, std::int64_t here) {
        for (std::int64_t i = 0; i < lanes && i < here; ++i) {
            const T value = from[i];
            const bool is_finite = !std::is_floating_point_v<T> || value - value == T{0};
            const T low = is_finite ? value : most, high = is_finite ? value : least;
            lows[i] = low < lows[i] ? low : lows[i];
            highs[i] = high > highs[i] ? high : highs[i];
            not_finite[i] += is_finite ? 0 : 1;
        }
    };
    constexpr std::int64_t turn = std::int64_t{1} << 30;   // a lane counts no further
    for (std::int64_t begin = 0; begin < count; begin += turn) {
        const std::int64_t end = std::min(count, begin + turn);
        std::int64_t from = begin;
        for (; from + lanes <= end; from += lanes) look(values + from, lanes);
        look(values + from, end - from);
        for (std::int32_t& n : not_finite) lost += std::exchange(n, 0);
    }
    if (lost == count) return {0, 0, lost};
    const T low = *std::min_element(lows, lows + lanes), high = *std::max_element(highs, highs + lanes);
    return {static_cast<double>(low), static_cast<double>(high), lost};
}

PARALLAX_WIDE FiniteRange range_of_floats(const float* values, std::int64_t count) { return range_of(values, count); }

template <class T>
FiniteRange range_by_type(const T* values, std::int64_t count) {
    if constexpr (std::is_same_v<T, float>)
        return range_of_floats(values, count);
    else
        return range_of(values, count);
}

/// Black at `low` and below, white at `high` and above; NaN, of which no comparison is true, becomes black.
template <class T, class To>
void greys_one_by_one(const T* from, To* to, std::int64_t count, double low, double high) {
    constexpr double white = std::numeric_limits<To>::max();
    if (!(low < high)) {
        constexpr To brightest = std::numeric_limits<To>::max();
        for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<double>(from[i]) > low ? brightest : To{0};
        return;
    }
    const double scale = white / (high - low);
    for (std::int64_t i = 0; i < count; ++i) {
        const double grey = (static_cast<double>(from[i]) - low) * scale + 0.5;
        const double above = grey > 0.0 ? grey : 0.0, shown = above < white ? above : white;
        to[i] = static_cast<To>(static_cast<std::int32_t>(shown));
    }
}

#if PARALLAX_HAS_AVX2
/// Each step as above, four numbers at a time. (Compilers make a mask and a choice of each comparison instead of one instruction:
/// four times as long.)
struct Greys {
    __m256d low, scale, half, white;

    __attribute__((target("avx2"), always_inline)) inline __m128i of(const float* four) const {
        const __m256d grey = _mm256_add_pd(_mm256_mul_pd(_mm256_sub_pd(_mm256_cvtps_pd(_mm_loadu_ps(four)), low), scale), half);
        const __m256d above = _mm256_max_pd(grey, _mm256_setzero_pd());   // NaN: the second
        return _mm256_cvttpd_epi32(_mm256_min_pd(above, white));
    }
};

/// As many as are done, from the first: a multiple of 16. Of low < high.
template <class To>
__attribute__((target("avx2"))) std::int64_t greys_by_sixteen(const float* from, To* to, std::int64_t count, double low,
                                                              double high) {
    constexpr double white = std::numeric_limits<To>::max();
    const Greys greys{_mm256_set1_pd(low), _mm256_set1_pd(white / (high - low)), _mm256_set1_pd(0.5), _mm256_set1_pd(white)};
    std::int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m128i a = greys.of(from + i), b = greys.of(from + i + 4), c = greys.of(from + i + 8), d = greys.of(from + i + 12);
        const __m128i front = _mm_packus_epi32(a, b), back = _mm_packus_epi32(c, d);
        auto* const place = reinterpret_cast<__m128i*>(to + i);
        if constexpr (sizeof(To) == 1) {
            _mm_storeu_si128(place, _mm_packus_epi16(front, back));
        } else {
            _mm_storeu_si128(place, front);
            _mm_storeu_si128(place + 1, back);
        }
    }
    return i;
}
#endif

template <class T, class To>
void to_greys(const T* from, To* to, std::int64_t count, double low, double high) {
    greys_one_by_one(from, to, count, low, high);
}

template <class To>
void to_greys(const float* from, To* to, std::int64_t count, double low, double high) {
    std::int64_t done = 0;
#if PARALLAX_HAS_AVX2
    if (low < high && __builtin_cpu_supports("avx2")) done = greys_by_sixteen(from, to, count, low, high);
#endif
    greys_one_by_one(from + done, to + done, count - done, low, high);
}

/// `look`: sees each piece of the elements before its greys are made, when the processor's cache has it.
template <class Look>
HostArray greys_by_pieces(const HostArray& dense, std::array<double, 2> window, ElementType type, const Look& look) {
    constexpr std::int64_t piece = std::int64_t{1} << 13;
    HostArray result = HostArray::make(dense.desc.with_type(type));
    result.metadata = dense.metadata;
    const auto [low, high] = window;
    const std::int64_t count = dense.desc.count();
    visit_real(dense.desc.type, [&, low = low, high = high]<class T>(T) {
        const T* const from = dense.as<T>();
        for (std::int64_t at = 0; at < count; at += piece) {
            const std::int64_t here = std::min(piece, count - at);
            look(from + at, here);
            if (type == ElementType::u8)
                to_greys(from + at, result.as<std::uint8_t>() + at, here, low, high);
            else
                to_greys(from + at, result.as<std::uint16_t>() + at, here, low, high);
        }
    });
    return result;
}

}   // namespace

FiniteRange finite_range(const HostArray& dense) {
    return visit_real(dense.desc.type, [&]<class T>(T) { return range_by_type(dense.as<T>(), dense.desc.count()); });
}

HostArray greys_of(const HostArray& dense, std::array<double, 2> window, ElementType type) {
    return greys_by_pieces(dense, window, type, [](const auto*, std::int64_t) {});
}

HostArray greys_of(const HostArray& dense, std::array<double, 2> window, ElementType type, FiniteRange& range) {
    bool found = false;
    range = {};
    HostArray greys = greys_by_pieces(dense, window, type, [&](const auto* from, std::int64_t count) {
        const FiniteRange here = range_by_type(from, count);
        range.lost += here.lost;
        if (here.lost == count) return;
        range.low = found ? std::min(range.low, here.low) : here.low;
        range.high = found ? std::max(range.high, here.high) : here.high;
        found = true;
    });
    return greys;
}

}   // namespace parallax::io
