// OME-Zarr and Zarr as they are written: read back by the program that reads others', and looked at file by file.
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "io/pieces.hpp"
#include "io/transaction.hpp"
#include "io/tree.hpp"
#include "parallax/host/json.hpp"
#include "seed.hpp"
#include "support.hpp"
#include "support/helper.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

constexpr ElementType types_of_zarr[] = {ElementType::boolean, ElementType::u8,  ElementType::i8,  ElementType::u16,
                                         ElementType::i16,     ElementType::u32, ElementType::i32, ElementType::u64,
                                         ElementType::i64,     ElementType::f32, ElementType::f64, ElementType::c64,
                                         ElementType::c128};

bool can_read_zarr() {
    const bool can = !host::program_beside("parallax-read-zarr").empty();
    if (!can) MESSAGE("skipped: the program that reads Zarr is not built");
    return can;
}

Json json_at(const fs::path& path) { return Json::parse(get(path)); }

std::map<std::string, std::string> contents(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) files[entry.path().lexically_relative(folder).generic_string()] = get(entry.path());
    return files;
}

/// Axes in another order, as OME-Zarr wants them.
HostArray in_order(const HostArray& array, const std::string& names) {
    HostArray view = array;
    std::sort(view.desc.axes.begin(), view.desc.axes.end(),
              [&](const Axis& a, const Axis& b) { return names.find(a.name) < names.find(b.name); });
    HostArray dense = view.to_dense();
    dense.desc = view.desc.to_dense();   // an axis of one index may have any stride
    dense.metadata = array.metadata;
    return dense;
}

}   // namespace

TEST_CASE("zarr: every type comes back, with 1 to 5 axes, packed or not") {
    if (!can_read_zarr()) return;
    const Folder folder;
    int count = 0;
    for (const ElementType type : types_of_zarr) {
        for (const ArrayDesc& desc :
             {ArrayDesc::dense(type, {{'x', 5}}), ArrayDesc::dense(type, {{'y', 13}, {'x', 17}}),
              ArrayDesc::dense(type, {{'z', 2}, {'y', 3}, {'x', 4}}), ArrayDesc::dense(type, {{'c', 2}, {'y', 3}, {'x', 4}}),
              ArrayDesc::dense(type, {{'t', 2}, {'c', 3}, {'z', 2}, {'y', 3}, {'x', 5}}),
              ArrayDesc::dense(type, {{'n', 2}, {'t', 3}, {'z', 4}, {'y', 5}, {'x', 6}})}) {
            CAPTURE(desc.describe());
            const HostArray array = pattern(desc);
            const bool ome = desc.axes.size() > 1 && !desc.find('n');
            for (const std::optional<int> compression : {std::optional<int>(), std::optional<int>(6)}) {
                io::write(folder / "a.zarr", array, {.overwrite = true, .compression = compression});
                const HostArray back = io::read(folder / "a.zarr");
                CHECK(back.desc == desc);
                CHECK(same_elements(back, array));
                if (ome) io::write(folder / "a.ome.zarr", array, {.overwrite = true, .compression = compression});
                if (ome) CHECK(same_elements(io::read(folder / "a.ome.zarr"), array));
                ++count;
            }
        }
    }
    MESSAGE(count << " arrays");
}

TEST_CASE("zarr: axes, distances, origin, channels and time in OME-Zarr's words, and back") {
    const Folder folder;
    HostArray array = pattern(ArrayDesc::dense(ElementType::u16, {{'t', 2}, {'z', 3}, {'c', 2}, {'y', 4}, {'x', 5}}));
    array.desc =
        array.desc.with_unit("um").with_spacing('x', 0.5).with_spacing('y', 0.25).with_spacing('z', 2).with_spacing('t', 0.1);
    array.metadata.channels = {"DAPI", "a & b"};
    // Columns go towards the left, rows towards the front, from (-1, 2, 3) mm in the patient's words (right, anterior, superior).
    array.metadata.affine = std::array<double, 16>{-5e-4, 0, 0, -1, 0, 2.5e-4, 0, 2, 0, 0, 2e-3, 3, 0, 0, 0, 1};
    io::write(folder / "scan.7.ome.zarr", array);
    const Json attributes = json_at(folder / "scan.7.ome.zarr/.zattrs"), scales = attributes["multiscales"][0],
               axes = scales["axes"], steps = scales["datasets"][0]["coordinateTransformations"];
    CHECK(scales["version"] == "0.4");
    CHECK(scales["name"] == "scan.7");
    CHECK(axes[0] == Json({{"name", "t"}, {"type", "time"}, {"unit", "second"}}));
    CHECK(axes[1] == Json({{"name", "c"}, {"type", "channel"}}));
    CHECK(axes[2] == Json({{"name", "z"}, {"type", "space"}, {"unit", "micrometer"}}));
    CHECK(steps[0]["scale"] == Json({0.1, 1.0, 2.0, 0.25, 0.5}));
    // In um, along each axis: 1 mm to the left, 2 mm to the front, 3 mm up.
    const std::vector<double> expected{0, 0, 3000, 2000, 1000};
    for (std::size_t i = 0; i < 5; ++i) CHECK(steps[1]["translation"][i].get<double>() == doctest::Approx(expected[i]));
    CHECK(attributes["omero"]["channels"][1]["label"] == "a & b");
    CHECK(attributes["omero"]["channels"][1]["window"]["max"] == 65535);
    CHECK(json_at(folder / "scan.7.ome.zarr/0/.zarray")["shape"] == Json({2, 2, 3, 4, 5}));
    CHECK(json_at(folder / "scan.7.ome.zarr/.zgroup") == Json({{"zarr_format", 2}}));
    if (!can_read_zarr()) return;
    const HostArray back = io::read(folder / "scan.7.ome.zarr"), sorted = in_order(array, "tczyx");
    CHECK(back.desc == sorted.desc);
    CHECK(same_elements(back, sorted));
    CHECK(back.metadata.channels == array.metadata.channels);
    REQUIRE(back.metadata.affine);
    for (std::size_t i = 0; i < 16; ++i) CHECK((*back.metadata.affine)[i] == doctest::Approx((*array.metadata.affine)[i]));
    CHECK(io::info(folder / "scan.7.ome.zarr").warnings.empty());
    SUBCASE("another's, without our words: towards left and posterior, and a warning says so") {
        Json theirs = attributes;
        theirs.erase("parallax");
        put(folder / "scan.7.ome.zarr/.zattrs", theirs.dump());
        const io::FileInfo info = io::info(folder / "scan.7.ome.zarr");
        REQUIRE(info.metadata.affine);
        CHECK((*info.metadata.affine)[3] == doctest::Approx(-1));
        CHECK((*info.metadata.affine)[7] == doctest::Approx(-2));
        CHECK((*info.metadata.affine)[0] == doctest::Approx(-5e-4));
        REQUIRE(info.warnings.size() == 1);
        CHECK(info.warnings.front().text.find("as ITK takes them") != std::string::npos);
    }
    SUBCASE("a smaller level that another has added") {
        Json more = attributes;
        Json level = more["multiscales"][0]["datasets"][0];
        level["path"] = "1";
        for (std::size_t i = 3; i < 5; ++i) {
            Json &scale = level["coordinateTransformations"][0]["scale"][i],
                 &place = level["coordinateTransformations"][1]["translation"][i];
            place = place.get<double>() + scale.get<double>() / 2;
            scale = scale.get<double>() * 2;
        }
        more["multiscales"][0]["datasets"].push_back(level);
        put(folder / "scan.7.ome.zarr/.zattrs", more.dump());
        fs::copy(folder / "scan.7.ome.zarr/0", folder / "scan.7.ome.zarr/1", fs::copy_options::recursive);
        const io::FileInfo info = io::info(folder / "scan.7.ome.zarr", {.level = 1});
        REQUIRE(info.metadata.affine);
        CHECK((*info.metadata.affine)[0] == doctest::Approx(-1e-3));
        CHECK((*info.metadata.affine)[3] == doctest::Approx(-1 - 2.5e-4));
        CHECK((*info.metadata.affine)[5] == doctest::Approx(5e-4));
        CHECK((*info.metadata.affine)[11] == doctest::Approx(3));
        CHECK(info.desc.find('x')->spacing == doctest::Approx(1));
    }
}

TEST_CASE("zarr: what OME-Zarr has no words for keeps its meaning in a plain store") {
    if (!can_read_zarr()) return;
    const Folder folder;
    HostArray array = pattern(ArrayDesc::dense(ElementType::c64, {{'n', 3}, {'y', 4}, {'x', 5}}));
    array.desc = array.desc.with_unit("1/um").with_spacing('x', 0.5).with_spacing('y', 0.25);
    io::write(folder / "a.zarr", array);
    CHECK(io::read(folder / "a.zarr").desc == array.desc);
    HostArray line = pattern(ArrayDesc::dense(ElementType::f64, {{'c', 2}, {'x', 5}}).with_spacing('x', 3));
    line.metadata.channels = {"one", "two"};
    io::write(folder / "line.zarr", line);
    CHECK(io::read(folder / "line.zarr").desc == line.desc);
    CHECK(io::read(folder / "line.zarr").metadata.channels == line.metadata.channels);
    CHECK(json_at(folder / "line.zarr/.zattrs") == Json::object());
    const HostArray odd =
        pattern(ArrayDesc::dense(ElementType::f32, {{'y', 2}, {'x', 5}}).with_spacing('x', 3).with_unit("1/um"));
    io::write(folder / "odd.ome.zarr", odd);
    CHECK(io::read(folder / "odd.ome.zarr").desc == odd.desc);
    CHECK_FALSE(json_at(folder / "odd.ome.zarr/.zattrs")["multiscales"][0]["axes"][0].contains("unit"));
}

TEST_CASE("zarr: colours are channels in front of the rows, as they are to be shown") {
    const Folder folder;
    const HostArray colours = pattern(ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 3}, {'x', 5}, {'c', 4}}));
    io::write(folder / "c.ome.zarr", colours);
    const Json channels = json_at(folder / "c.ome.zarr/.zattrs")["omero"]["channels"];
    CHECK(channels[0]["color"] == "FF0000");
    CHECK(channels[2]["label"] == "blue");
    CHECK(channels[2]["window"] == Json({{"min", 0.0}, {"max", 255.0}, {"start", 0.0}, {"end", 255.0}}));
    CHECK(channels[3]["active"] == false);
    HostArray stains = array_of<float>(ArrayDesc::dense(ElementType::f32, {{'c', 2}, {'y', 1}, {'x', 3}}), {1, 2, 3, -4, 0, 0});
    stains.as<float>()[4] = std::numeric_limits<float>::infinity();
    io::write(folder / "s.ome.zarr", stains);
    const Json windows = json_at(folder / "s.ome.zarr/.zattrs")["omero"]["channels"];
    CHECK(windows[0]["window"] == Json({{"min", 1.0}, {"max", 3.0}, {"start", 1.0}, {"end", 3.0}}));
    CHECK(windows[1]["window"] == Json({{"min", -4.0}, {"max", 0.0}, {"start", -4.0}, {"end", 0.0}}));
    CHECK_FALSE(windows[0].contains("label"));
    if (!can_read_zarr()) return;
    const HostArray back = io::read(folder / "c.ome.zarr");
    CHECK(back.desc.axes.front().name == 'c');
    CHECK(same_elements(back, in_order(colours, "czyx")));
    CHECK(io::read(folder / "s.ome.zarr").metadata.channels.empty());
}

TEST_CASE("zarr: chunks of at most 4 MiB, a plane or rows of one") {
    const Folder folder;
    const HostArray plane = pattern(ArrayDesc::dense(ElementType::f32, {{'z', 2}, {'y', 1100}, {'x', 1500}}));
    io::write(folder / "p.ome.zarr", plane);
    CHECK(json_at(folder / "p.ome.zarr/0/.zarray")["chunks"] == Json({1, 550, 1500}));
    const HostArray line = pattern(ArrayDesc::dense(ElementType::u8, {{'x', 9000001}}));
    io::write(folder / "l.zarr", line, {.compression = 1});
    CHECK(json_at(folder / "l.zarr/0/.zarray")["chunks"] == Json({3000001}));
    const HostArray wide = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 5000001}}));
    io::write(folder / "w.zarr", wide);
    for (const char* const name : {"p.ome.zarr", "l.zarr", "w.zarr"})
        for (const auto& [file, bytes] : contents(folder / name)) CHECK(bytes.size() <= (std::size_t{4} << 20) + 4096);
    if (!can_read_zarr()) return;
    CHECK(same_elements(io::read(folder / "p.ome.zarr"), plane));
    CHECK(same_elements(io::read(folder / "l.zarr"), line));
    CHECK(same_elements(io::read(folder / "w.zarr"), wide));
}

TEST_CASE("zarr: shapes drawn at random, whole and piece by piece, are the same files and come back") {
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    const auto draw = [&](std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
    };
    const Folder folder;
    const bool reads = can_read_zarr();
    for (int i = 0; i < 60; ++i) {
        std::string lead = "tcz";
        std::shuffle(lead.begin(), lead.end(), random);
        std::vector<ArrayDesc::Extent> extents;
        for (std::int64_t k = draw(0, 3); k-- > 0;) extents.push_back({lead[static_cast<std::size_t>(k)], draw(1, 4)});
        extents.push_back({'y', draw(1, 40)});
        extents.push_back({'x', draw(1, 40)});
        const bool has_c = std::any_of(extents.begin(), extents.end(), [](const auto& e) { return e.name == 'c'; });
        if (!has_c && draw(0, 1) == 1) extents.push_back({'c', draw(1, 4)});
        const ElementType type = types_of_zarr[static_cast<std::size_t>(draw(0, 12))];
        HostArray array = pattern(ArrayDesc::dense(type, extents));
        array.desc = array.desc.with_unit("um").with_spacing('x', 0.25).with_spacing('y', 3);
        array.desc = array.desc.with_spacing('z', 0.5).with_spacing('t', 2);
        CAPTURE(array.desc.describe());
        const std::optional<int> compression =
            draw(0, 1) == 1 ? std::optional<int>(static_cast<int>(draw(0, 9))) : std::optional<int>();
        io::write(folder / "a.ome.zarr", array, {.overwrite = true, .compression = compression});
        std::size_t at = 0;
        std::vector<std::byte> piece;
        const auto next = [&]() -> std::span<const std::byte> {
            const std::size_t some = std::min(array.desc.dense_bytes() - at, static_cast<std::size_t>(draw(1, 3000)));
            piece.assign(array.data() + at, array.data() + at + some);
            at += some;
            return piece;
        };
        io::write_pieces(folder / "b.ome.zarr", array.desc, next, {.overwrite = true, .compression = compression, .name = "a"},
                         array.metadata);
        CHECK(contents(folder / "a.ome.zarr") == contents(folder / "b.ome.zarr"));
        CHECK(io::hash_of_tree(folder / "a.ome.zarr") == io::hash_of_tree(folder / "b.ome.zarr"));
        CHECK(folder.entries() > 2);
        if (!reads) continue;
        const HostArray back = io::read(folder / "a.ome.zarr"), sorted = in_order(array, "tczyx");
        CHECK(back.desc == sorted.desc);
        CHECK(same_elements(back, sorted));
    }
}

TEST_CASE("zarr: a store is replaced as a whole, and nothing but a store is") {
    const Folder folder;
    io::write(folder / "a.zarr", pattern(ArrayDesc::dense(ElementType::u8, {{'z', 9}, {'y', 3}, {'x', 4}})));
    const HostArray small = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 3}, {'x', 4}}));
    CHECK(io_error(folder / "a.zarr", [&] { io::write(folder / "a.zarr", small); }).problem.find("exists already") !=
          std::string::npos);
    io::write(folder / "a.zarr", small, {.overwrite = true});
    CHECK(contents(folder / "a.zarr").size() == 5);
    put(folder / "b.zarr", "a file");
    io_error(folder / "b.zarr", [&] { io::write(folder / "b.zarr", small); });
    io::write(folder / "b.zarr", small, {.overwrite = true});
    CHECK(contents(folder / "a.zarr") != contents(folder / "b.zarr"));   // each has its name in it
    CHECK(contents(folder / "b.zarr").size() == 5);
    fs::create_directories(folder / "mine.zarr/deep");
    put(folder / "mine.zarr/deep/thesis.txt", "precious");
    CHECK(io_error(folder / "mine.zarr", [&] { io::write(folder / "mine.zarr", small, {.overwrite = true}); })
              .problem.find("no Zarr store") != std::string::npos);
    CHECK(get(folder / "mine.zarr/deep/thesis.txt") == "precious");
    for (const auto& entry : fs::directory_iterator(folder.path())) CHECK(entry.path().filename().string().front() != '.');
}

TEST_CASE("zarr: what a store cannot hold is refused before the work") {
    const Folder folder;
    const auto problem = [&](const char* name, const ArrayDesc& desc) {
        const IoError error = io_error(folder / name, [&] { io::check_writable(folder / name, desc); });
        CHECK_FALSE(error.hint.empty());
        return error.problem;
    };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    CHECK(has(problem("a.zarr", ArrayDesc::dense(ElementType::u8, {})), "single number"));
    CHECK(has(problem("a.ome.zarr", ArrayDesc::dense(ElementType::u8, {{'x', 3}})), "rows and columns"));
    CHECK(has(problem("a.ome.zarr", ArrayDesc::dense(ElementType::u8, {{'n', 3}, {'y', 3}, {'x', 3}})), "rows and columns"));
    CHECK(has(problem("a.ome.zarr", ArrayDesc::dense(ElementType::u8, {{'x', 3}, {'y', 3}})), "rows and columns"));
    CHECK(has(problem("a.zarr", ArrayDesc::dense(ElementType::u8, {{'z', 2000000}, {'y', 3}, {'x', 3}})), "1048576"));
    io::check_writable(folder / "new/a.ome.zarr", ArrayDesc::dense(ElementType::c64, {{'y', 3}, {'x', 3}}));
    CHECK(folder.entries() == 0);
}

TEST_CASE("zarr: the hash of a folder is that of the list of its files' hashes") {
    const Folder folder;
    put(folder / "b.txt", "abc");
    fs::create_directory(folder / "a");
    put(folder / "a/x", "abc");
    put(folder / "a.y", "abc");
    const std::string hash = "06b05ab6733a618578af5f94892f3950  ";
    CHECK(io::hash_of_tree(folder.path()) == io::hash_text(hash + "a.y\n" + hash + "a/x\n" + hash + "b.txt\n"));
}

TEST_CASE("zarr: a folder that holds more than an output of so many bytes is not looked at to its end") {
    const Folder folder;
    fs::create_directory(folder / "files");
    fs::create_directory(folder / "empty");
    for (int i = 0; i < 300; ++i) put(folder / ("files/" + std::to_string(i)), "abc");
    for (int i = 0; i < 300; ++i) put(folder / ("empty/" + std::to_string(i)), "");
    const auto whole = io::identity_of_tree(folder / "files"), bounded = io::identity_of_tree(folder / "files", 900);
    REQUIRE(bounded);
    CHECK(bounded->bytes == 900);
    CHECK((whole == bounded && whole->changed == bounded->changed));
    CHECK(io::identity_of_tree(folder / "files", 10)->bytes == 12);
    CHECK(io::identity_of_tree(folder / "empty", 0)->bytes == 1);
    CHECK(io::identity_of_tree(folder / "empty", 1000)->bytes == 0);
}

TEST_CASE("zarr: a header that lacks a key is told in words of the format") {
    if (!can_read_zarr()) return;
    const Folder folder;
    io::write(folder / "a.zarr", pattern(ArrayDesc::dense(ElementType::u8, {{'y', 3}, {'x', 4}})));
    Json header = json_at(folder / "a.zarr/0/.zarray");
    header.erase("chunks");
    put(folder / "a.zarr/0/.zarray", header.dump());
    const IoError error = io_error(folder / "a.zarr", [&] { io::read(folder / "a.zarr"); });
    CHECK(error.problem == "describes itself otherwise than it should: key 'chunks' not found");
}

TEST_CASE("zarr: sizes that are no whole numbers, and a key that stands twice, are refused") {
    if (!can_read_zarr()) return;
    const Folder folder;
    io::write(folder / "a.zarr", pattern(ArrayDesc::dense(ElementType::u8, {{'y', 3}, {'x', 4}})));
    const fs::path header = folder / "a.zarr/0/.zarray";
    const Json sound = json_at(header);
    const auto problem = [&](const std::string& text) {
        put(header, text);
        return io_error(folder / "a.zarr", [&] { io::read(folder / "a.zarr"); }).problem;
    };
    for (const char* const size : {"3.7", "3.0", "1e30", "18446744073709551616", "9223372036854775808", "\"3\"", "null", "-1"}) {
        CAPTURE(size);
        for (const char* const key : {"shape", "chunks"}) {
            Json changed = sound;
            changed[key][0] = Json::parse(size);
            const std::string said = problem(changed.dump());
            CHECK((said.find("no whole number") != std::string::npos) == (std::string(size) != "-1"));
        }
    }
    Json half = sound;
    half["zarr_format"] = 2.5;
    CHECK(problem(half.dump()) == "is Zarr of version 2.5; 2 is read");
    const std::string text = sound.dump();
    CHECK(problem(text.substr(0, text.size() - 1) + ",\"shape\":[1,12]}") == "has a file .zarray with the key \"shape\" twice");
    put(header, text);
    CHECK_NOTHROW(io::read(folder / "a.zarr"));
}

TEST_CASE("zarr: what stands in a chunk's place, or in that of its folder, and is none is refused") {
    if (!can_read_zarr()) return;
    const Folder folder;
    const fs::path store = folder / "a.zarr";
    io::write(store, pattern(ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 1}, {'x', 3}})));
    const auto problem = [&] { return io_error(store, [&] { io::info(store); }).problem; };
    fs::remove(store / "0/1/0/0");
    fs::create_directory(store / "0/1/0/0");
    CHECK(problem() == "has 1/0/0 where a chunk should be, and is no file");
    fs::remove(store / "0/1/0/0");
    fs::create_symlink("nowhere", store / "0/1/0/0");
    CHECK(problem() == "has 1/0/0 where a chunk should be, and is no file");
    fs::remove_all(store / "0/1");
    put(store / "0/1", "a");
    CHECK(problem() == "has 1 where a folder of chunks should be, and is none");
    fs::remove(store / "0/1");
    CHECK(told_of(io::info(store)).find("1 of its 2 chunks are not there") != std::string::npos);
}

TEST_CASE("zarr: floats of 16 bits are read as those of 32, missing chunks too") {
    if (!can_read_zarr()) return;
    const Folder folder;
    HostArray bits = HostArray::make(ArrayDesc::dense(ElementType::u16, {{'z', 2}, {'y', 1}, {'x', 6}}));
    const std::uint16_t halves[] = {0x0000, 0x3c00, 0xc000, 0x3555, 0x0001, 0x7bff};
    for (std::size_t i = 0; i < 12; ++i) bits.as<std::uint16_t>()[i] = halves[i % 6];
    io::write(folder / "h.zarr", bits);
    Json header = json_at(folder / "h.zarr/0/.zarray");
    header["dtype"] = "<f2", header["fill_value"] = -1.5;
    put(folder / "h.zarr/0/.zarray", header.dump());
    std::vector<float> right = {0, 1, -2, 0.333251953125f, 5.9604644775390625e-8f, 65504};
    right.insert(right.end(), right.begin(), right.begin() + 6);
    CHECK(io::info(folder / "h.zarr").desc.type == ElementType::f32);
    CHECK(values_of<float>(io::read(folder / "h.zarr")) == right);
    fs::remove(folder / "h.zarr/0/1/0/0");
    std::fill(right.begin() + 6, right.end(), -1.5f);
    CHECK(values_of<float>(io::read(folder / "h.zarr")) == right);
}

TEST_CASE("zarr: chunks in Fortran's order are read as what they mean") {
    if (!can_read_zarr()) return;
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=", seed);
    std::mt19937_64 random(seed);
    for (int draw = 0; draw < 12; ++draw) {
        const Folder folder;
        std::array<std::size_t, 3> shape{}, chunk{};
        for (std::size_t i = 0; i < 3; ++i) shape[i] = 1 + random() % 7, chunk[i] = 1 + random() % shape[i];
        std::vector<std::uint16_t> values(shape[0] * shape[1] * shape[2]);
        for (std::uint16_t& value : values) value = static_cast<std::uint16_t>(random());
        Json header{{"zarr_format", 2}, {"shape", shape}, {"chunks", chunk}, {"fill_value", 0}};
        header["dtype"] = draw % 2 == 0 ? "<u2" : ">u2";
        header["compressor"] = nullptr;
        header["filters"] = nullptr;
        header["order"] = "F";
        fs::create_directory(folder / "a.zarr");
        put(folder / "a.zarr/.zarray", header.dump());
        for (std::size_t a = 0; a * chunk[0] < shape[0]; ++a)
            for (std::size_t b = 0; b * chunk[1] < shape[1]; ++b)
                for (std::size_t c = 0; c * chunk[2] < shape[2]; ++c) {
                    std::string bytes;
                    for (std::size_t x = c * chunk[2]; x < (c + 1) * chunk[2]; ++x)   // the first axis goes fastest
                        for (std::size_t y = b * chunk[1]; y < (b + 1) * chunk[1]; ++y)
                            for (std::size_t z = a * chunk[0]; z < (a + 1) * chunk[0]; ++z) {
                                const bool inside = x < shape[2] && y < shape[1] && z < shape[0];
                                const unsigned value = inside ? values[(z * shape[1] + y) * shape[2] + x] : 0xdead;
                                const char low = static_cast<char>(value & 255), high = static_cast<char>(value >> 8);
                                bytes += draw % 2 == 0 ? std::string{low, high} : std::string{high, low};
                            }
                    put(folder / ("a.zarr/" + std::to_string(a) + "." + std::to_string(b) + "." + std::to_string(c)), bytes);
                }
        CAPTURE(header.dump());
        CHECK(values_of<std::uint16_t>(io::read(folder / "a.zarr")) == values);
        header["order"] = "K";
        put(folder / "a.zarr/.zarray", header.dump());
        CHECK(io_error(folder / "a.zarr", [&] { io::read(folder / "a.zarr"); }).problem.find("order \"K\"") != std::string::npos);
    }
}

TEST_CASE("zarr: a missing chunk has exactly the fill value, or is refused where that is none of its type") {
    if (!can_read_zarr()) return;
    const Folder folder;
    const fs::path store = folder / "a.zarr";
    io::write(store, pattern(ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 1}, {'x', 3}})));
    // Of each type two chunks of three elements, of which the second is not there.
    const auto prepare = [&](const char* dtype, std::size_t bytes, const Json& fill) {
        Json header = json_at(store / "0/.zarray");
        header["dtype"] = dtype, header["fill_value"] = fill;
        put(store / "0/.zarray", header.dump());
        put(store / "0/0/0/0", std::string(3 * bytes, '\0'));
        fs::remove(store / "0/1/0/0");
    };
    const auto check = [&](const char* dtype, const Json& fill, auto value) {
        CAPTURE(dtype);
        CAPTURE(fill.dump());
        const std::string kind = dtype;
        prepare(dtype, kind == "<f2" ? 2 : sizeof value, fill);
        const HostArray array = io::read(store);
        REQUIRE(bytes_of(array.desc.type) == sizeof value);
        CHECK(std::memcmp(array.data() + 3 * sizeof value, &value, sizeof value) == 0);
        CHECK(std::memcmp(array.data() + 5 * sizeof value, &value, sizeof value) == 0);
        CHECK(told_of(io::info(store)).find("they are filled with " + fill.dump()) != std::string::npos);
    };
    using Complex = std::complex<float>;
    using Complex2 = std::complex<double>;
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
    for (const auto& [fill, value] :
         {std::pair<Json, std::uint8_t>{7, 7}, {255, 255}, {3.0, 3}, {true, 1}, {false, 0}, {nullptr, 0}})
        check("|u1", fill, value);
    check("|i1", -128, std::int8_t{-128});
    check(">i2", -2, std::int16_t{-2});
    check("<u8", 18446744073709551615u, ~std::uint64_t{0});
    check("<i8", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::min());
    check("|b1", true, std::uint8_t{1});
    check("|b1", 2, std::uint8_t{1});
    check("|b1", 0, std::uint8_t{0});
    check("<f4", "NaN", nan);
    check(">f4", "Infinity", infinite);
    check("<f8", "-Infinity", -static_cast<double>(infinite));
    check("<f4", 1.5, 1.5f);
    check("<f4", true, 1.0f);
    for (const auto& [fill, value] : {std::pair<Json, float>{2049, 2048}, {2051, 2052}, {-0.0, -0.0f}, {65519, 65504},
                                      {65520, infinite}, {1e-7, 0x1p-23f}, {"-Infinity", -infinite}})
        check("<f2", fill, value);
    check("<c8", Json{1.0, 2.0}, Complex{1, 2});
    check(">c16", Json{-1.5, "Infinity"}, Complex2{-1.5, static_cast<double>(infinite)});
    check("<c8", 3, Complex{3, 0});
    for (const auto& [dtype, fill, type] :
         {std::tuple<const char*, Json, const char*>{"|u1", -1, "u8"}, {"|u1", 256, "u8"}, {"|u1", 1.5, "u8"}, {"|u1", "7", "u8"},
          {"|i1", -129, "i8"}, {"|i1", 128, "i8"}, {"<u2", 70000, "u16"}, {"<i8", 9223372036854775808u, "i64"},
          {"<u8", 1e20, "u64"},
          {"<f4", "nan", "f32"}, {"<f4", "0x7fc00000", "f32"}, {"<f4", "abc", "f32"}, {"<f4", Json{1.0, 2.0}, "f32"},
          {"<f2", "inf", "f32"}, {"|b1", "false", "bool"}, {"<c8", Json::array({1.0}), "c64"}, {"<c8", Json{1.0, "i"}, "c64"},
          {"<c16", Json{1.0, 2.0, 3.0}, "c128"}, {"<u2", Json::object(), "u16"}}) {
        CAPTURE(dtype);
        CAPTURE(fill.dump());
        const std::size_t bytes = std::stoul(std::string(dtype).substr(2));
        prepare(dtype, bytes, fill);
        CHECK(io_error(store, [&] { io::read(store); }).problem ==
              "lacks chunks and fills them with " + fill.dump() + ", which is no " + type);
        put(store / "0/1/0/0", std::string(3 * bytes, '\0'));   // of a chunk that is there it does not matter
        CHECK_NOTHROW(io::read(store));
    }
}

TEST_CASE("zarr: a header of many levels is refused, and does not take the reader's stack") {
    if (!can_read_zarr()) return;
    const Folder folder;
    io::write(folder / "a.zarr", pattern(ArrayDesc::dense(ElementType::u8, {{'y', 3}, {'x', 4}})));
    std::string header = get(folder / "a.zarr/0/.zarray");
    const std::string levels = std::string(200000, '[') + std::string(200000, ']');
    header.replace(header.rfind('}'), 1, ", \"more\": " + levels + "}");
    put(folder / "a.zarr/0/.zarray", header);
    const IoError error = io_error(folder / "a.zarr", [&] { io::info(folder / "a.zarr"); });
    CHECK(error.problem.find("of more than 64 levels") != std::string::npos);
}
