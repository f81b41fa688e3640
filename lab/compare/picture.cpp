#include "compare/picture.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/markup.hpp"

namespace parallax::engine::compare {

namespace {

constexpr std::int64_t most = 512;

template <class T>
double at(const HostArray& array, std::int64_t i) { return static_cast<double>(array.as<T>()[i]); }

double value_at(const HostArray& array, std::int64_t i) {
    switch (array.desc.type) {
        case ElementType::boolean:
        case ElementType::u8: return at<std::uint8_t>(array, i);
        case ElementType::i8: return at<std::int8_t>(array, i);
        case ElementType::u16: return at<std::uint16_t>(array, i);
        case ElementType::i16: return at<std::int16_t>(array, i);
        case ElementType::u32: return at<std::uint32_t>(array, i);
        case ElementType::i32: return at<std::int32_t>(array, i);
        case ElementType::u64: return at<std::uint64_t>(array, i);
        case ElementType::i64: return at<std::int64_t>(array, i);
        case ElementType::f32: return at<float>(array, i);
        case ElementType::f64: return at<double>(array, i);
        case ElementType::c64: return std::hypot(at<float>(array, 2 * i), at<float>(array, 2 * i + 1));
        case ElementType::c128: return std::hypot(at<double>(array, 2 * i), at<double>(array, 2 * i + 1));
    }
    return 0;
}

}  // namespace

Json picture_of(const HostArray& given) {
    const HostArray array = given.to_dense();
    const std::size_t axes = array.desc.axes.size();
    const std::int64_t width = axes > 0 ? array.desc.axes[axes - 1].size : 1,
                       height = axes > 1 ? array.desc.axes[axes - 2].size : 1;
    const std::int64_t slices = width * height > 0 ? array.desc.count() / (width * height) : 0;
    const std::int64_t shown_w = std::min(width, most), shown_h = std::min(height, most);
    const std::int64_t first = slices / 2 * width * height + (height - shown_h) / 2 * width + (width - shown_w) / 2;
    std::vector<double> values;
    double low = INFINITY, high = -INFINITY;
    for (std::int64_t y = 0; y < shown_h; ++y) {
        for (std::int64_t x = 0; x < shown_w; ++x) {
            const double value = value_at(array, first + y * width + x);
            values.push_back(value);
            if (!std::isfinite(value)) continue;
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    if (!(low <= high)) low = high = 0;
    if (array.desc.type == ElementType::u8) low = 0, high = 255;   // as it is
    std::vector<std::uint8_t> pixels;
    for (const double value : values)
        pixels.push_back(
            high > low && std::isfinite(value) ? static_cast<std::uint8_t>(std::lround((value - low) / (high - low) * 255)) : 0);
    return {{"width", shown_w},
            {"height", shown_h},
            {"low", low},
            {"high", high},
            {"pixels", host::base64({reinterpret_cast<const char*>(pixels.data()), pixels.size()})}};
}

}  // namespace parallax::engine::compare
