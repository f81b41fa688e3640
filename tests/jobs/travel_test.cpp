// Drawn arrays go through whole jobs: from each format that can hold one, through a crop, into each that can hold what is left.
// What they mean (elements, axes, distances, unit, place in space, times, names of channels) is what it was, and the place is
// that of the part.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "core/units.hpp"
#include "parallax/host/json.hpp"
#include "seed.hpp"
#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

using Random = std::mt19937_64;
using Box = std::map<char, std::pair<std::int64_t, std::int64_t>>;   ///< axis -> first, how many

constexpr const char* formats[] = {".npy", ".tif", ".ome.tif", ".nii", ".nii.gz", ".nrrd", ".mha", ".h5", ".zarr", ".ome.zarr"};

bool is_one_of(const std::string& format, std::initializer_list<const char*> of) {
    return std::find(of.begin(), of.end(), format) != of.end();
}

bool can_hold(const std::string& format, const HostArray& array, const TempFolder& folder) {
    try {
        io::check_writable(folder / ("a" + format), array.desc, {});
        return true;
    } catch (const Error&) {   // or a library that is not here
        return false;
    }
}

/// A number with few digits, as people state them.
double draw_length(Random& random) {
    return std::stod(fmt::format("{}e{}", 1 + random() % 9999, static_cast<int>(random() % 4) - 3));
}

/// Directions that stand upright on each other, turned anyhow or along axes.
std::array<std::array<double, 3>, 3> draw_directions(Random& random) {
    std::array<std::array<double, 3>, 3> d{};
    if (random() % 2 == 0) {
        std::array<std::size_t, 3> order{0, 1, 2};
        std::shuffle(order.begin(), order.end(), random);
        for (std::size_t i = 0; i < 3; ++i) d[i][order[i]] = random() % 2 ? 1 : -1;
        return d;
    }
    const double a = static_cast<double>(random() % 628) / 100, b = static_cast<double>(random() % 628) / 100;
    return {{{std::cos(a), std::sin(a), 0},
             {-std::sin(a) * std::cos(b), std::cos(a) * std::cos(b), std::sin(b)},
             {std::sin(a) * std::sin(b), -std::cos(a) * std::sin(b), std::cos(b)}}};
}

HostArray draw(Random& random) {
    constexpr ElementType types[] = {ElementType::u8,  ElementType::u16, ElementType::i16,
                                     ElementType::f32, ElementType::f64, ElementType::u32};
    constexpr const char* layouts[] = {"yx", "zyx", "tyx", "tzyx", "cyx", "zcyx", "tzcyx", "yxc", "zyxc", "czyx"};
    constexpr const char* units[] = {"nm", "um", "mm", "cm", "m"};
    const std::string names = layouts[random() % std::size(layouts)];
    std::vector<ArrayDesc::Extent> extents;
    for (const char name : names)
        extents.push_back(
            {name, name == 'c' ? 2 + static_cast<std::int64_t>(random() % 2) : 1 + static_cast<std::int64_t>(random() % 6)});
    HostArray array = HostArray::make(ArrayDesc::dense(types[random() % std::size(types)], extents));
    // Each element another, however they are read.
    const std::size_t bytes = bytes_of(array.desc.type);
    for (std::int64_t i = 0; i < array.desc.count(); ++i) {
        std::byte* const at = array.data() + static_cast<std::size_t>(i) * bytes;
        if (array.desc.type == ElementType::f32)
            reinterpret_cast<float*>(array.data())[i] = static_cast<float>(i) / 3;
        else if (array.desc.type == ElementType::f64)
            reinterpret_cast<double*>(array.data())[i] = static_cast<double>(i) / 3;
        else
            *at = static_cast<std::byte>(i % 251), bytes > 1 ? at[1] = static_cast<std::byte>(i / 251) : *at;
    }
    if (random() % 5 == 0) return array;   // one that says no more
    const std::string unit = units[random() % std::size(units)];
    array.desc = array.desc.with_unit(unit);
    const double side = draw_length(random);
    for (const char axis : {'x', 'y', 'z', 't'})
        if (array.desc.find(axis))
            array.desc = array.desc.with_spacing(axis, axis == 'x' || axis == 'y'             ? side
                                                        : axis == 't' && random() % 2 == 0 ? static_cast<double>(random() % 2)
                                                                                               : draw_length(random));
    if (random() % 2 == 0) {
        const auto directions = draw_directions(random);
        std::array<double, 16> m{};
        for (std::size_t column = 0; column < 3; ++column) {
            const Axis* const axis = array.desc.find("xyz"[column]);
            const double step = (axis ? axis->spacing : side) * engine::millimetres(unit);
            for (std::size_t row = 0; row < 3; ++row) m[row * 4 + column] = directions[column][row] * step;
        }
        for (std::size_t row = 0; row < 3; ++row)
            m[row * 4 + 3] = (static_cast<double>(random() % 20000) / 100 - 100) * engine::millimetres(unit);
        m[15] = 1;
        array.metadata.affine = m;
    }
    if (array.desc.find('c') && random() % 2 == 0)
        for (std::int64_t i = 0; i < array.desc.size('c'); ++i)
            array.metadata.channels.push_back(fmt::format("stain {}", random() % 100));
    return array;
}

Box draw_box(Random& random, const ArrayDesc& desc) {
    Box box;
    for (const Axis& axis : desc.axes) {
        if (axis.name == 'n' || random() % 3 == 0) continue;   // which is none of crop's
        const std::int64_t first = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(axis.size));
        box[axis.name] = {first, 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(axis.size - first))};
    }
    return box;
}

/// What is left, with what it means: by elements one by one, and the place from the box.
HostArray part_of(const HostArray& whole, const Box& box) {
    std::vector<ArrayDesc::Extent> extents;
    for (const Axis& axis : whole.desc.axes)
        extents.push_back({axis.name, box.contains(axis.name) ? box.at(axis.name).second : axis.size});
    HostArray part = HostArray::make(ArrayDesc::dense(whole.desc.type, extents));
    const std::size_t bytes = bytes_of(whole.desc.type);
    for (std::int64_t i = 0; i < part.desc.count(); ++i) {
        std::int64_t left = i, from = 0;
        for (std::size_t n = extents.size(); n-- > 0;) {
            const char name = extents[n].name;
            from += (left % extents[n].size + (box.contains(name) ? box.at(name).first : 0)) * whole.desc.axes[n].stride;
            left /= extents[n].size;
        }
        std::memcpy(part.data() + static_cast<std::size_t>(i) * bytes, whole.data() + static_cast<std::size_t>(from) * bytes,
                    bytes);
    }
    part.desc = part.desc.with_unit(whole.desc.unit);
    for (const Axis& axis : whole.desc.axes) part.desc = part.desc.with_spacing(axis.name, axis.spacing);
    part.metadata.affine = whole.metadata.affine;
    for (std::size_t column = 0; column < 3 && part.metadata.affine; ++column) {
        const auto along = box.find("xyz"[column]);
        for (std::size_t row = 0; row < 3 && along != box.end(); ++row)
            (*part.metadata.affine)[row * 4 + 3] +=
                (*whole.metadata.affine)[row * 4 + column] * static_cast<double>(along->second.first);
    }
    part.metadata.channels = whole.metadata.channels;
    if (box.contains('c') && !part.metadata.channels.empty()) {
        const auto begin = whole.metadata.channels.begin() + box.at('c').first;
        part.metadata.channels.assign(begin, begin + box.at('c').second);
    }
    return part;
}

/// By the names of axes; one of one index may come and go. NumPy's have no names: there the order counts.
bool same_elements(const HostArray& right, const HostArray& got, bool by_names) {
    const std::size_t bytes = bytes_of(right.desc.type);
    if (right.desc.type != got.desc.type || right.desc.count() != got.desc.count()) return false;
    if (!by_names) return std::memcmp(right.data(), got.data(), right.desc.dense_bytes()) == 0;
    for (const Axis& axis : right.desc.axes)
        if (axis.size > 1 && (!got.desc.find(axis.name) || got.desc.size(axis.name) != axis.size)) return false;
    for (std::int64_t i = 0; i < right.desc.count(); ++i) {
        std::int64_t left = i, place = 0;
        for (std::size_t n = right.desc.axes.size(); n-- > 0;) {
            const Axis& axis = right.desc.axes[n];
            if (const Axis* const there = got.desc.find(axis.name)) place += left % axis.size * there->stride;
            left /= axis.size;
        }
        if (std::memcmp(right.data() + static_cast<std::size_t>(i) * bytes, got.data() + static_cast<std::size_t>(place) * bytes,
                        bytes) != 0)
            return false;
    }
    return true;
}

/// What of the meaning is another, as far as the format has words for it; empty: nothing.
std::string differs(const HostArray& right, const HostArray& got, const std::string& format) {
    if (!same_elements(right, got, format != ".npy"))
        return fmt::format("elements: {} for {}", got.desc.describe(), right.desc.describe());
    if (format == ".npy") return {};
    const double mm = engine::millimetres(right.desc.unit), got_mm = engine::millimetres(got.desc.unit);
    if (mm > 0 && !(got_mm > 0)) return fmt::format("unit: \"{}\" for \"{}\"", got.desc.unit, right.desc.unit);
    if (right.desc.unit.empty() && !right.metadata.affine && got_mm > 0)
        return fmt::format("unit: \"{}\" where none was said", got.desc.unit);
    for (const Axis& axis : right.desc.axes) {
        const Axis* const there = got.desc.find(axis.name);
        if (axis.size == 1 || axis.name == 'c' || !there) continue;
        if (axis.name == 't' && axis.spacing == 1 && format == ".mha") continue;   // which has no word for it
        const double factor = axis.name == 't' || !(mm > 0) ? 1 : got_mm / mm, is = there->spacing * factor;
        if (std::abs(is - axis.spacing) > 1e-6 * axis.spacing)
            return fmt::format("spacing of {}: {} for {}", axis.name, is, axis.spacing);
    }
    if (right.metadata.affine && is_one_of(format, {".nii", ".nii.gz", ".nrrd", ".mha", ".h5", ".zarr", ".ome.zarr"})) {
        if (!got.metadata.affine) return "place: none";
        double size = 0;
        for (std::size_t i = 0; i < 12; ++i) size = std::max(size, std::abs((*right.metadata.affine)[i]));
        for (std::size_t i = 0; i < 12; ++i) {
            const Axis* const axis = right.desc.find("xyz"[std::min<std::size_t>(i % 4, 2)]);
            if (i % 4 < 3 && (!axis || axis->size == 1)) continue;   // there is no second one to lie elsewhere
            if (std::abs((*got.metadata.affine)[i] - (*right.metadata.affine)[i]) > 2e-6 * size)
                return fmt::format("place, number {}: {} for {}", i, (*got.metadata.affine)[i], (*right.metadata.affine)[i]);
        }
    }
    if (!right.metadata.channels.empty() && is_one_of(format, {".ome.tif", ".h5", ".zarr", ".ome.zarr"}) &&
        right.desc.size('c') > 1 && got.metadata.channels != right.metadata.channels)
        return fmt::format("channels: {} for {}", fmt::join(got.metadata.channels, ","), fmt::join(right.metadata.channels, ","));
    return {};
}

}   // namespace

TEST_CASE("travel: what a drawn array means survives any format, a crop in a whole job, and any format again") {
    const TempFolder folder;
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    Random random(seed);
    std::map<std::string, int> read, written;
    for (int turn = 0; turn < 40; ++turn) {
        const HostArray array = draw(random);
        std::vector<std::string> from;
        for (const char* const format : formats)
            if (can_hold(format, array, folder)) from.emplace_back(format);
        REQUIRE_FALSE(from.empty());
        const std::string& format = from[random() % from.size()];
        CAPTURE(fmt::format("turn {}: {} in {}, unit {}, {} place, as {}", turn, array.desc.describe(),
                            to_string(array.desc.type), array.desc.unit, array.metadata.affine ? "a" : "no", format));
        const fs::path input = folder / fmt::format("{}{}", turn, format);
        io::write(input, array);
        const HostArray whole = io::read(input);
        CHECK(differs(array, whole, format) == "");
        ++read[format];

        // Of what that format has kept: what is lost in it no step gives back.
        const Box box = draw_box(random, whole.desc);
        const HostArray part = part_of(whole, box);
        Json crop{{"run", "crop"}}, outputs = Json::object();
        for (const auto& [axis, range] : box) crop[std::string(1, axis)] = {range.first, range.second};
        std::map<std::string, std::string> files;
        for (const char* const to : formats) {
            if (!can_hold(to, part, folder)) continue;
            const std::string name = fmt::format("out{}{}", turn, to);
            outputs[fmt::format("o{}", files.size())] = {{"of", "image"}, {"file", name}};
            files[to] = name;
        }
        write_text(
            folder / "job.json",
            Json{{"parallax", 1}, {"inputs", {{"image", input.filename().string()}}}, {"steps", {crop}}, {"outputs", outputs}}
                .dump());
        const Run run = run_program({"run", "job.json", "--overwrite", "--device", "native"}, folder.path());
        CAPTURE(crop.dump());
        CAPTURE(run.err);
        CHECK(run.status == 0);
        for (const auto& [to, name] : files) {
            if (run.status != 0) break;
            CAPTURE(to);
            CHECK(differs(part, io::read(folder / name), to) == "");
            ++written[to];
        }
    }
    CHECK(read.size() > 4);
    CHECK(written.size() > 4);
    CHECK(written[".npy"] > 30);
}
