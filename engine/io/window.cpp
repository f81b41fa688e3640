#include "io/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "core/colours.hpp"
#include "io/format.hpp"
#include "io/text_header.hpp"
#include "support/wide.hpp"

namespace parallax::io {
namespace {

template <class T>
bool finite(T value) {
    if constexpr (std::is_floating_point_v<T>) return std::isfinite(value);
    return true;
}

/// The k-th smallest and the one after it: nth_element leaves everything larger behind its place.
template <class T>
double percentile(std::vector<T>& values, double percent) {
    const double place = percent / 100.0 * static_cast<double>(values.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), values.size() - 1);
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(below);
    std::nth_element(values.begin(), nth, values.end());
    const double low = static_cast<double>(*nth), part = place - static_cast<double>(below);
    if (part == 0 || nth + 1 == values.end()) return low;
    return std::lerp(low, static_cast<double>(*std::min_element(nth + 1, values.end())), part);
}

/// Of the finite elements, 0 and 0 where there are none; `lost`: how many are not finite.
struct Range {
    double low = 0, high = 0;
    std::int64_t lost = 0;
};

/// Lane by lane, so that compilers make wide instructions of it: it is done for every picture.
template <class T>
PARALLAX_INLINED Range range_of(const T* values, std::int64_t count) {
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
    return {static_cast<double>(*std::min_element(lows, lows + lanes)), static_cast<double>(*std::max_element(highs, highs + lanes)),
            lost};
}

PARALLAX_WIDE Range range_of_floats(const float* values, std::int64_t count) { return range_of(values, count); }

Range range(const HostArray& array) {
    if (array.desc.type == ElementType::f32) return range_of_floats(array.as<float>(), array.desc.count());
    return visit_real(array.desc.type, [&]<class T>(T) { return range_of(array.as<T>(), array.desc.count()); });
}

/// Black at `low` and below, white at `high` and above; NaN, of which no comparison is true, becomes black.
template <class T, class To>
PARALLAX_INLINED void to_greys(const T* from, To* to, std::int64_t count, double low, double high) {
    constexpr double white = std::numeric_limits<To>::max();
    if (!(low < high)) {
        for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<double>(from[i]) > low ? std::numeric_limits<To>::max() : To{0};
        return;
    }
    const double scale = white / (high - low);
    for (std::int64_t i = 0; i < count; ++i) {
        const double grey = (static_cast<double>(from[i]) - low) * scale + 0.5;
        const double above = grey > 0.0 ? grey : 0.0, shown = above < white ? above : white;
        to[i] = static_cast<To>(static_cast<std::int32_t>(shown));
    }
}

PARALLAX_WIDE void floats_to_greys(const float* from, std::uint8_t* to, std::int64_t count, double low, double high) {
    to_greys(from, to, count, low, high);
}
PARALLAX_WIDE void floats_to_greys(const float* from, std::uint16_t* to, std::int64_t count, double low, double high) {
    to_greys(from, to, count, low, high);
}

template <class To>
HostArray greys(const HostArray& array, std::array<double, 2> window, ElementType type) {
    HostArray result = HostArray::make(array.desc.with_type(type));
    result.metadata = array.metadata;
    const auto [low, high] = window;
    const std::int64_t count = array.desc.count();
    if (array.desc.type == ElementType::f32) floats_to_greys(array.as<float>(), result.as<To>(), count, low, high);
    else visit_real(array.desc.type, [&, low = low, high = high]<class T>(T) { to_greys(array.as<T>(), result.as<To>(), count, low, high); });
    return result;
}

}  // namespace

bool is_picture(const std::filesystem::path& path) {
    const std::string extension = in_lower_case(path.extension().string());
    return extension == ".png" || extension == ".jpg" || extension == ".jpeg" || extension == ".gif" || extension == ".mp4";
}

std::string window_problem(const WriteOptions& options) {
    if (options.window && options.window_percentile) return "both window and window_percentile are given: choose one";
    if (options.window) {
        const auto [low, high] = *options.window;
        if (!(low < high) || !std::isfinite(low) || !std::isfinite(high)) {
            return fmt::format("the window [{}, {}] is no range: the first number must be below the second", low, high);
        }
    }
    if (options.window_percentile) {
        const auto [low, high] = *options.window_percentile;
        if (!(low >= 0 && low < high && high <= 100)) {
            return fmt::format("the window_percentile [{}, {}] is no range within 0 to 100", low, high);
        }
    }
    return {};
}

std::array<double, 2> percentiles(const HostArray& array, std::array<double, 2> percent) {
    return visit_real(array.desc.type, [&]<class T>(T) -> std::array<double, 2> {
        const T* from = array.as<T>();
        std::vector<T> values;
        values.reserve(static_cast<std::size_t>(array.desc.count()));
        std::copy_if(from, from + array.desc.count(), std::back_inserter(values), finite<T>);
        if (values.empty()) return {0, 0};
        return {percentile(values, percent[0]), percentile(values, percent[1])};
    });
}

bool are_colours(const HostArray& array) {
    const std::vector<std::string>& names = array.metadata.channels;
    if (names.empty() || static_cast<std::int64_t>(names.size()) != array.desc.size('c')) return true;
    const std::span<const std::string_view> usual = engine::usual_names(names.size());
    return std::equal(names.begin(), names.end(), usual.begin(), usual.end());
}

bool has_other_colours(const HostArray& array) {
    const std::vector<std::string>& names = array.metadata.channels;
    if (names.size() < 2 || static_cast<std::int64_t>(names.size()) != array.desc.size('c')) return false;
    const bool known = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return name == engine::grey_names[0] ||
               std::find(engine::colour_names.begin(), engine::colour_names.end(), name) != engine::colour_names.end();
    });
    return known && !are_colours(array);
}

std::string display_loss(const std::filesystem::path& path, const HostArray& given, WriteOptions& options) {
    if (!is_picture(path) || given.desc.count() == 0 || is_complex(given.desc.type)) return {};
    if (has_other_colours(given))
        return fmt::format("its channels are {}, and whoever opens the picture takes {} channels for {}: a .tif, .npy or .zarr "
                           "file keeps them as they are",
                           fmt::join(given.metadata.channels, ", "), given.metadata.channels.size(),
                           fmt::join(engine::usual_names(given.metadata.channels.size()), ", "));
    const HostArray array = given.to_dense();
    const bool as_it_is =
        array.desc.type == ElementType::u8 || array.desc.type == ElementType::u16 || array.desc.type == ElementType::boolean;
    if (as_it_is && !options.window && !options.window_percentile) return {};
    const auto [low, high, lost] = range(array);
    options.range = std::array{low, high};
    const char* const remedy =
        "\"non_finite\": \"mask\" in the job replaces those of its inputs, \"reject\" names them; .tif and .npy keep them";
    const bool coloured = !options.colour_map.empty() && options.colour_map != "grey";
    const char* const lowest = coloured ? "of the first colour" : "black";
    if (lost == array.desc.count())
        return fmt::format("none of {} elements is a finite number: the picture is {}. {}", lost, lowest, remedy);
    if (lost > 0)
        return fmt::format("{} of {} elements are NaN or infinite, and {} in the picture. {}", lost, array.desc.count(),
                           coloured ? "of the first or the last colour" : "black or white", remedy);
    if (options.window && (high <= (*options.window)[0] || low >= (*options.window)[1]))
        return fmt::format("all elements, {:g} to {:g}, lie on one side of the window [{:g}, {:g}]: the picture has one {}",
                           low, high, (*options.window)[0], (*options.window)[1], coloured ? "colour" : "grey");
    if (!options.window && low == high)
        return fmt::format("all elements are {:g}: without a \"window\" of values the picture is {}", low, lowest);
    return {};
}

std::optional<std::array<double, 2>> display_window(const HostArray& array, const WriteOptions& options, bool eight) {
    if (options.window) return options.window;
    if (options.window_percentile) return percentiles(array, *options.window_percentile);
    if (array.desc.type == ElementType::u8 || (array.desc.type == ElementType::u16 && !eight)) return std::nullopt;
    if (options.range) return options.range;
    const Range all = range(array);
    return std::array{all.low, all.high};
}

HostArray through_window(const HostArray& array, std::array<double, 2> window, int bits) {
    return bits == 16 ? greys<std::uint16_t>(array, window, ElementType::u16) : greys<std::uint8_t>(array, window, ElementType::u8);
}

}  // namespace parallax::io
