#include "io/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "core/colours.hpp"
#include "io/format.hpp"
#include "io/greys.hpp"
#include "io/text_header.hpp"

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

/// Whether a picture of 16 bits is written, which has u16 as they are.
bool stays_deep(const std::filesystem::path& path, const WriteOptions& options) {
    return in_lower_case(path.extension().string()) == ".png" && !asks_eight_bits(options);
}

}  // namespace

bool is_picture(const std::filesystem::path& path) {
    const std::string extension = in_lower_case(path.extension().string());
    return extension == ".png" || extension == ".jpg" || extension == ".jpeg" || extension == ".gif" || extension == ".mp4";
}

bool asks_eight_bits(const WriteOptions& options) {
    return options.png_bits == 8 || !options.colour_map.empty() || options.scale_bar || options.colour_bar || options.montage;
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
    const bool as_it_is = array.desc.type == ElementType::u8 || array.desc.type == ElementType::boolean ||
                          (array.desc.type == ElementType::u16 && stays_deep(path, options));
    if (as_it_is && !options.window && !options.window_percentile) return {};
    FiniteRange range;
    // Where it is known what black and white are, greys are made while their elements are looked at.
    const bool to_greys = options.window && options.png_bits != 16;
    if (to_greys) options.greys = greys_of(array, *options.window, ElementType::u8, range);
    else range = finite_range(array);
    const auto [low, high, lost] = range;
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
    if (array.desc.type == ElementType::boolean) return std::array{0.0, 1.0};   // one that is all true is white
    if (options.range) return options.range;
    const FiniteRange all = finite_range(array);
    return std::array{all.low, all.high};
}

HostArray through_window(const HostArray& array, std::array<double, 2> window, int bits) {
    return greys_of(array, window, bits == 16 ? ElementType::u16 : ElementType::u8);
}

}  // namespace parallax::io
