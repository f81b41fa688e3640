#include "files.hpp"

#include "io/io.hpp"
#include "parallax/host/error.hpp"
#include "sizes/draw.hpp"
#include "sizes/shapes.hpp"

#include <algorithm>
#include <array>
#include <fstream>

namespace parallax::tests::whole_jobs {

namespace fs = std::filesystem;

namespace {

constexpr std::array endings{".npy", ".tif", ".ome.tif", ".png", ".nrrd", ".nii", ".nii.gz", ".mha", ".h5", ".zarr", ".ome.zarr"};
constexpr std::array types{ElementType::u8,  ElementType::u8,  ElementType::u16, ElementType::u16, ElementType::f32,
                           ElementType::f32, ElementType::f32, ElementType::i16, ElementType::u32, ElementType::i32,
                           ElementType::i8,  ElementType::u64, ElementType::i64, ElementType::f64, ElementType::boolean,
                           ElementType::c64};
constexpr std::array layouts{"yx", "yx", "yx", "yx", "yx", "zyx", "zyx", "yxc", "tyx", "x"};

/// Sides of 1 to 200 in half of the draws; else those of the test of sizes, thin ones and frames' among them.
std::vector<std::int64_t> draw_sides(sizes::Random& random, const std::string& axes, std::int64_t most) {
    if (axes.size() == 1 || random.chance(0.5)) return sizes::draw_shape(random, axes, most);
    std::vector<std::int64_t> shape;
    std::int64_t left = most;
    for (const char axis : axes) {
        const std::int64_t largest = axis == 'c' ? 4 : axis == 'z' || axis == 't' ? 40 : 200;
        shape.push_back(random.between(1, std::min(largest, std::max<std::int64_t>(1, left))));
        left /= shape.back();
    }
    return shape;
}

bool is_picture_format(const HostArray& array) {
    const auto& axes = array.desc.axes;
    const bool grey = axes.size() == 2, colours = axes.size() == 3 && axes.back().name == 'c' && axes.back().size == 3;
    return (array.desc.type == ElementType::u8 || array.desc.type == ElementType::u16) && (grey || colours);
}

void write_pgm(const fs::path& path, const HostArray& array) {
    const bool wide = array.desc.type == ElementType::u16;
    std::ofstream file(path, std::ios::binary);
    file << (array.desc.axes.size() == 2 ? "P5\n" : "P6\n# by a test\n") << array.desc.size('x') << ' ' << array.desc.size('y')
         << '\n' << (wide ? 65535 : 255) << '\n';
    for (std::int64_t i = 0; i < array.desc.count(); ++i) {
        const unsigned value = wide ? array.as<std::uint16_t>()[i] : array.as<std::uint8_t>()[i];
        if (wide) file.put(static_cast<char>(value >> 8));
        file.put(static_cast<char>(value & 255));
    }
}

/// Some bytes that are none of it stand in front.
Json write_raw(const fs::path& path, const HostArray& array) {
    constexpr std::int64_t offset = 13;
    std::ofstream file(path, std::ios::binary);
    file.write("not a header.", offset);
    file.write(reinterpret_cast<const char*>(array.data()), static_cast<std::streamsize>(array.desc.dense_bytes()));
    std::string axes;
    std::vector<std::int64_t> shape;
    for (const Axis& axis : array.desc.axes) {
        axes += axis.name;
        shape.push_back(axis.size);
    }
    return {{"type", to_string(array.desc.type)}, {"axes", axes}, {"shape", shape}, {"offset", offset}};
}

Json words_of(const ArrayDesc& desc, std::uint64_t seed) {
    std::string axes;
    std::vector<std::int64_t> shape;
    for (const Axis& axis : desc.axes) {
        axes += axis.name;
        shape.push_back(axis.size);
    }
    Json words{{"type", to_string(desc.type)}, {"axes", axes}, {"shape", shape}, {"seed", seed}};
    const std::uint64_t kind = sizes::Random(seed).next() % 4;
    if (desc.type == ElementType::boolean || kind == 0) return words;
    words["range"] = kind == 1 ? Json::array({0, 120}) : kind == 2 ? Json::array({0, 255}) : Json::array({0, 1});
    return words;
}

}  // namespace

HostArray like(const HostArray& array, std::uint64_t seed) {
    HostArray made = sizes::make_array(words_of(array.desc, seed));
    made.desc = array.desc;
    made.metadata = array.metadata;
    return made;
}

HostArray draw_array(sizes::Random& random, std::int64_t most_elements) {
    const std::string axes = random.one_of(layouts);
    const std::vector<std::int64_t> shape = draw_sides(random, axes, most_elements);
    std::vector<ArrayDesc::Extent> extents;
    for (std::size_t i = 0; i < axes.size(); ++i) extents.push_back({axes[i], shape[i]});
    HostArray array;
    array.desc = ArrayDesc::dense(random.one_of(types), extents);
    if (random.chance(0.5)) {
        const double side = random.real(0.2, 5);
        for (const char axis : {'x', 'y', 'z'})
            if (array.desc.find(axis) != nullptr) array.desc = array.desc.with_spacing(axis, axis == 'z' ? 2 * side : side);
        array.desc = array.desc.with_unit(random.chance(0.5) ? "um" : "mm");
        if (axes == "zyx" && random.chance(0.5)) {
            const double mm = array.desc.unit == "mm" ? 1 : 1e-3;
            const double step = side * mm;
            array.metadata.affine =
                std::array<double, 16>{-step, 0, 0, 3.5, 0, -step, 0, -12.25, 0, 0, 2 * step, 7, 0, 0, 0, 1};
        }
    }
    return like(array, static_cast<std::uint64_t>(random.below(1000)));
}

std::vector<std::string> endings_for(const HostArray& array, const fs::path& in) {
    std::vector<std::string> fitting;
    for (const char* const ending : endings) {
        const std::string text = ending;
        if (text == ".png" && !is_picture_format(array)) continue;   // a picture of the values, not the values
        try {
            io::check_writable(in / ("made" + text), array.desc);
            fitting.push_back(text);
        } catch (const Error&) {   // a format that cannot hold it, or a library that is not here
        }
    }
    if (is_picture_format(array)) fitting.emplace_back(".pgm");
    fitting.emplace_back(".raw");
    return fitting;
}

Json write_input(const fs::path& path, const HostArray& array) {
    if (path.extension() == ".raw") return write_raw(path, array);
    if (path.extension() == ".pgm") write_pgm(path, array);
    else io::write(path, array);
    return nullptr;
}

}  // namespace parallax::tests::whole_jobs
