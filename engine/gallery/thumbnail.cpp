#include "gallery/thumbnail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string_view>
#include <vector>

#include "gallery/html.hpp"
#include "io/exif.hpp"
#include "io/file.hpp"
#include "io/format.hpp"
#include "io/picture/picture.hpp"
#include "io/text_header.hpp"
#include "parallax/host/error.hpp"
#include "support/markup.hpp"

namespace parallax::engine::gallery {

namespace fs = std::filesystem;
using host::on_page;

namespace {

constexpr std::uint64_t most_read = std::uint64_t{1} << 30;
constexpr std::uint64_t bytes_a_pixel_of_side =
    4096;   ///< of a file that goes into the page as it is: 2.5 MB where 640 pixels are shown
constexpr std::uint64_t most_film_inside = 12 << 20;
constexpr std::int64_t most_planes = 9;

std::string bytes_of_file(const fs::path& path, std::uint64_t most) {
    io::File file = io::File::open(path);
    if (file.size() > most) return {};
    std::string bytes(file.size(), '\0');
    file.read(bytes.data(), bytes.size(), "the file");
    return bytes;
}

/// Elements as real numbers, each divided by `unit`; of complex ones the amplitude.
template <class Real>
std::vector<Real> reals(const HostArray& array, double unit = 1) {
    std::vector<Real> values(static_cast<std::size_t>(array.desc.count()));
    const auto take = [&](const auto* from, const auto& real) {
        std::transform(from, from + values.size(), values.begin(), [&](auto v) { return static_cast<Real>(real(v) / unit); });
    };
    const auto amplitude = [](auto z) { return static_cast<double>(std::abs(z)); };
    if (array.desc.type == ElementType::c64)
        take(array.as<std::complex<float>>(), amplitude);
    else if (array.desc.type == ElementType::c128)
        take(array.as<std::complex<double>>(), amplitude);
    else
        io::visit_real(array.desc.type, [&]<class T>(T) { take(array.as<T>(), [](T v) { return static_cast<double>(v); }); });
    return values;
}

/// What the elements are divided by to be numbers of 32 bits: 1, unless they are too large or too small for these.
double unit_for_floats(const HostArray& array) {
    if (array.desc.type != ElementType::f64 && array.desc.type != ElementType::c128) return 1;
    double largest = 0;
    for (const double value : reals<double>(array))
        if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    return largest > 1e37 || (largest > 0 && largest < 1e-30) ? largest : 1;
}

struct Planes {
    std::int64_t count = 1, height = 1, width = 1, channels = 1;
};

Planes planes_of(const ArrayDesc& desc) {
    Planes planes;
    std::size_t n = desc.axes.size();
    const bool colours = desc.axes[n - 1].name == 'c' && (desc.axes[n - 1].size == 3 || desc.axes[n - 1].size == 4);
    if (desc.axes[n - 1].name == 'c') planes.channels = desc.axes[--n].size;
    if (!colours && planes.channels > 1) planes.channels = -planes.channels;   // no colours: the first is shown
    planes.width = desc.axes[n - 1].size;
    if (n > 1) planes.height = desc.axes[n - 2].size;
    for (std::size_t i = 0; i + 2 < n; ++i) planes.count *= desc.axes[i].size;
    return planes;
}

std::string curve_of(const HostArray& array) {
    const std::vector<double> values = reals<double>(array.to_dense());
    Curve curve{"value", "place", {}, {values.begin(), values.end()}};
    const double said = array.desc.axes[0].spacing, spacing = said > 0 ? said : 1;   // of a time that is not said: by number
    for (std::size_t i = 0; i < values.size(); ++i) curve.x.push_back(static_cast<double>(i) * spacing);
    return drawn(curve);
}

std::string picture_link(const HostArray& picture) {
    return data_link("image/jpeg", io::jpeg::encoded(picture, {.quality = 88}));
}

std::string figure(const fs::path& path, const std::string& inside, const std::string& words) {
    return fmt::format("<figure>{}<figcaption><b>{}</b> {}</figcaption></figure>", inside, on_page(io::show(path.filename())),
                       on_page(words));
}

/// Whether a browser would turn or mirror it by its EXIF. The page shows pictures as they are read, beside what was made of them.
bool is_turned_by_browsers(std::string_view picture) {
    using namespace std::string_view_literals;
    for (const std::string_view before : {"Exif\0\0"sv, "eXIf"sv}) {   // of JPEG and of PNG
        const std::size_t at = picture.find(before);
        if (at == std::string_view::npos) continue;
        const std::string_view block = picture.substr(at + before.size());
        if (io::exif_orientation({reinterpret_cast<const unsigned char*>(block.data()), block.size()}) != 1) return true;
    }
    return false;
}

std::string as_it_is(const fs::path& path, const std::string& extension, std::int64_t side) {
    constexpr std::pair<std::string_view, std::string_view> types[] = {
        {".png", "image/png"}, {".jpg", "image/jpeg"}, {".jpeg", "image/jpeg"}, {".gif", "image/gif"}, {".svg", "image/svg+xml"}};
    for (const auto& [ending, type] : types) {
        if (extension != ending) continue;
        const std::string bytes =
            bytes_of_file(path, bytes_a_pixel_of_side * static_cast<std::uint64_t>(side) / (side < 400 ? 8 : 1));
        if (is_turned_by_browsers(bytes)) return {};
        return bytes.empty() ? bytes : fmt::format("<img alt=\"\" src=\"{}\">", data_link(type, bytes));
    }
    if (extension != ".mp4") return {};
    const std::string bytes = bytes_of_file(path, most_film_inside);
    return bytes.empty() ? bytes : fmt::format("<video controls loop muted src=\"{}\"></video>", data_link("video/mp4", bytes));
}

}   // namespace

HostArray small_picture(const HostArray& given, std::int64_t most, std::int64_t side) {
    const HostArray array = given.to_dense();
    const Planes planes = planes_of(array.desc);
    const std::int64_t stored = std::abs(planes.channels), channels = std::max<std::int64_t>(planes.channels, 1);
    const std::int64_t count = std::min(planes.count, most);
    const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
    const std::int64_t each = std::max<std::int64_t>(side / columns, 1);
    const std::int64_t factor = (std::max(planes.width, planes.height) + each - 1) / each;
    const std::int64_t width = (planes.width + factor - 1) / factor, height = (planes.height + factor - 1) / factor;
    const std::vector<float> values = reals<float>(array, unit_for_floats(array));
    std::vector<ArrayDesc::Extent> extents{{'t', count}, {'y', height}, {'x', width}};
    if (channels > 1) extents.push_back({'c', channels});
    HostArray small = HostArray::make(ArrayDesc::dense(ElementType::f32, extents));
    float* to = small.as<float>();
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t plane = count == 1 ? planes.count / 2 : i * (planes.count - 1) / (count - 1);
        const float* const from = values.data() + plane * planes.height * planes.width * stored;
        for (std::int64_t y = 0; y < height; ++y) {
            for (std::int64_t x = 0; x < width; ++x) {
                for (std::int64_t c = 0; c < channels; ++c) {
                    double sum = 0;
                    std::int64_t finite = 0;
                    for (std::int64_t v = y * factor; v < std::min((y + 1) * factor, planes.height); ++v) {
                        for (std::int64_t u = x * factor; u < std::min((x + 1) * factor, planes.width); ++u) {
                            const float value = from[(v * planes.width + u) * stored + c];
                            if (std::isfinite(value)) sum += value, ++finite;
                        }
                    }
                    *to++ = finite > 0 ? static_cast<float>(sum / static_cast<double>(finite))
                                       : std::numeric_limits<float>::quiet_NaN();
                }
            }
        }
    }
    io::WriteOptions options;
    if (array.desc.type == ElementType::u8)
        options.window = std::array<double, 2>{0, 255};
    else if (array.desc.type == ElementType::boolean)
        options.window = std::array<double, 2>{0, 1};
    else
        options.window_percentile = std::array<double, 2>{0.5, 99.5};
    if (count > 1) options.montage = columns;
    if (channels == 4) {   // without transparency
        HostArray colours = small;
        for (Axis& axis : colours.desc.axes) {
            if (axis.name == 'c') axis.size = 3;
        }
        small = colours.to_dense();
    }
    return io::picture::make(small, options, {"a picture"});
}

std::string shown(const fs::path& path, const io::ReadOptions& options, std::int64_t side, const fs::path& at) {
    const fs::path& file = at.empty() ? path : at;
    const std::string extension = io::in_lower_case(path.extension().string());
    try {
        if (!options.raw) {
            if (const std::string inside = as_it_is(file, extension, side); !inside.empty()) return figure(path, inside, "");
        }
        io::ReadOptions limited = options;
        limited.limit_bytes = most_read;
        const HostArray array = io::read(file, limited);
        if (array.desc.axes.empty()) return figure(path, "", array.desc.describe());
        if (array.desc.axes.size() == 1) return figure(path, curve_of(array), array.desc.describe());
        const Planes planes = planes_of(array.desc);
        std::string words = array.desc.describe();
        if (is_complex(array.desc.type)) words += ", its amplitude";
        if (planes.count > most_planes) words += fmt::format(", {} planes of {}", most_planes, planes.count);
        return figure(path, fmt::format("<img alt=\"\" src=\"{}\">", picture_link(small_picture(array, most_planes, side))),
                      words);
    } catch (const IoError& error) {
        return figure(path, "", fmt::format("not shown: {}", IoError(io::show(path), error.problem, error.hint).what()));
    } catch (const std::exception& error) {
        return figure(path, "", fmt::format("not shown: {}", error.what()));
    }
}

}   // namespace parallax::engine::gallery
