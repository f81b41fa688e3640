// What a file says of its axes, distances and pictures beside the pixels, and what it is where it is not read.
#include <fmt/format.h>
#include <zlib.h>

#include <tuple>

#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

/// A TIFF of `pages` pages of 2 x 1 bytes: 1, 2, 3, ...
std::string pages_of(int pages, const std::string& description, const std::vector<TiffEntry>& more = {}) {
    std::vector<std::vector<TiffEntry>> directories;
    std::string data;
    for (int page = 0; page < pages; ++page) {
        std::vector<TiffEntry> extra = page == 0 ? more : std::vector<TiffEntry>();
        if (page == 0 && !description.empty()) extra.push_back(tiff_text(270, description));
        directories.push_back(tiff_picture(2, 1, 8, 1, 8 + 2 * static_cast<std::uint64_t>(page), 2, extra));
        data += static_cast<char>(2 * page + 1);
        data += static_cast<char>(2 * page + 2);
    }
    return make_tiff(directories, data);
}

std::string ome(const std::string& pixels, const std::string& inside = "<TiffData/>") {
    return R"(<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">)"
           R"(<Image ID="Image:0"><Pixels ID="Pixels:0" )" +
           pixels + ">" + inside + "</Pixels></Image></OME>";
}

}  // namespace

TEST_CASE("described: a stack in one piece has its bits in the order that it says, as pages have") {
    const Folder folder;
    const std::string elements("\x80\x40\xc0\x20\x01\x02", 6);   // each from its lowest bit on
    for (const std::uint64_t order : {1, 2}) {
        const auto tiff = [&](const char* words) {
            return make_tiff({tiff_picture(2, 1, 8, 1, 8, 2, {tiff_text(270, words), {266, 3, {order}}})}, elements);
        };
        put(folder / "stack.tif", tiff("ImageJ=1.53\nimages=3\nslices=3\n")), put(folder / "page.tif", tiff("-"));
        const auto stack = values_of<std::uint8_t>(io::read(folder / "stack.tif")),
                   page = values_of<std::uint8_t>(io::read(folder / "page.tif"));
        CHECK(stack == (order == 2 ? std::vector<std::uint8_t>{1, 2, 3, 4, 128, 64}
                                   : std::vector<std::uint8_t>{128, 64, 192, 32, 1, 2}));
        CHECK(std::equal(page.begin(), page.end(), stack.begin()));
    }
}

TEST_CASE("described: axes and distances as OME-XML, ImageJ and tifffile say") {
    const Folder folder;
    const fs::path path = folder / "a.tif";
    struct Row {
        std::string text;
        int pages;
        const char* array;
        const char* unit;
        double x, z;
        std::size_t warnings;
    };
    const std::vector<Row> rows = {
        {"", 3, "u8 3 x 1 x 2 (z, y, x)", "", 1, 1, 0},
        {ome(R"(DimensionOrder="XYZCT" SizeX="2" SizeY="1" SizeZ="3" SizeC="1" SizeT="1" )"
             R"(PhysicalSizeX="0.5" PhysicalSizeY="0.5" PhysicalSizeZ="2")"),
         3, "u8 3 x 1 x 2 (z, y, x)", "um", 0.5, 2, 0},
        {ome(R"(DimensionOrder="XYZCT" SizeX="2" SizeY="1" SizeZ="3" SizeC="2" SizeT="1" )"
             R"(PhysicalSizeX="500" PhysicalSizeXUnit="nm" PhysicalSizeY="500" )"
             R"(PhysicalSizeYUnit="nm" PhysicalSizeZ="2" PhysicalSizeZUnit="µm")"),
         6, "u8 2 x 3 x 1 x 2 (c, z, y, x)", "nm", 500, 2000, 0},
        {ome(R"(DimensionOrder="XYCZT" SizeX="2" SizeY="1" SizeZ="3" SizeC="2" SizeT="1")"), 6, "u8 3 x 2 x 1 x 2 (z, c, y, x)",
         "", 1, 1, 0},
        {ome(R"(DimensionOrder="XYCZT" SizeX="2" SizeY="1" SizeZ="1" SizeC="1" SizeT="4" )"
             R"(TimeIncrement="50" TimeIncrementUnit="ms")"),
         4, "u8 4 x 1 x 2 (t, y, x)", "", 1, 1, 0},
        {ome(R"(DimensionOrder="XYZTC" SizeX="2" SizeY="1" SizeZ="2" SizeC="1" SizeT="2")",
             R"(<TiffData FirstZ="0" FirstT="0" IFD="0"/><TiffData FirstZ="1" FirstT="0" IFD="1"/>)"
             R"(<TiffData FirstZ="0" FirstT="1" IFD="2"/><TiffData FirstZ="1" FirstT="1" IFD="3"/>)"),
         4, "u8 2 x 2 x 1 x 2 (t, z, y, x)", "", 1, 1, 0},
        {ome(R"(DimensionOrder="XYZCT" SizeX="2" SizeY="1" SizeZ="30" SizeC="1" SizeT="1")"), 3, "u8 3 x 1 x 2 (z, y, x)", "", 1,
         1, 1},   // the others are in other files
        {"ImageJ=1.53t\nimages=6\nchannels=2\nframes=3\nhyperstack=true\n", 6, "u8 3 x 2 x 1 x 2 (t, c, y, x)", "", 1, 1, 0},
        {"ImageJ=1.53t\nimages=3\nframes=3\nfinterval=0.5\n", 3, "u8 3 x 1 x 2 (t, y, x)", "", 1, 1, 0},
        {"ImageJ=1.53t\nimages=3\nslices=3\nspacing=2.0\n", 3, "u8 3 x 1 x 2 (z, y, x)", "", 1, 2, 0},
        {"ImageJ=1.53t\nimages=3\n", 3, "u8 3 x 1 x 2 (z, y, x)", "", 1, 1, 0},
        {"ImageJ=1.53t\nimages=4\nslices=4\n", 3, "u8 3 x 1 x 2 (z, y, x)", "", 1, 1, 1},
        {"ImageJ=1.53t\nimages=3\nslices=3\nunit=furlong\nspacing=2.0\n", 3, "u8 3 x 1 x 2 (z, y, x)", "", 1, 1, 1},
        {R"({"shape": [3, 1, 2], "axes": "TYX"})", 3, "u8 3 x 1 x 2 (t, y, x)", "", 1, 1, 0},
        {R"({"shape": [2, 3, 1, 2]})", 6, "u8 2 x 3 x 1 x 2 (t, z, y, x)", "", 1, 1, 0},
        {R"({"shape": [3, 1, 2], "axes": "QYX"})", 3, "u8 3 x 1 x 2 (n, y, x)", "", 1, 1, 1},
        // Without its axes of one index, as where the last has one; and where its rows would be pages.
        {R"({"shape": [3, 2, 1], "axes": "TYX"})", 3, "u8 3 x 1 x 2 (t, y, x)", "", 1, 1, 1},
        {R"({"shape": [2, 3, 1, 2, 1], "axes": "TZCYX"})", 6, "u8 2 x 3 x 1 x 2 (t, z, y, x)", "", 1, 1, 1},
        {R"({"shape": [3, 1, 2, 1], "axes": "TYXS"})", 3, "u8 3 x 1 x 2 (t, y, x)", "", 1, 1, 0},
        {R"({"shape": [3, 2], "axes": "YX"})", 3, "u8 3 x 1 x 2 (z, y, x)", "", 1, 1, 1},
        {R"({"shape": [3, 2, 1]})", 3, "u8 3 x 1 x 2 (z, y, x)", "", 1, 1, 1},
        {R"({"shape": [3, 5, 5]})", 3, "u8 3 x 1 x 2 (z, y, x)", "", 1, 1, 1},
        {"A stack of three, 20 um beads", 3, "u8 3 x 1 x 2 (z, y, x)", "", 1, 1, 0},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        put(path, pages_of(row.pages, row.text));
        const io::FileInfo info = io::info(path);
        CHECK(info.desc.describe() == row.array);
        CHECK(info.desc.unit == row.unit);
        CHECK(info.desc.find('x')->spacing == doctest::Approx(row.x));
        if (info.desc.find('z')) CHECK(info.desc.find('z')->spacing == doctest::Approx(row.z));
        CHECK(info.warnings.size() == row.warnings);
        CHECK(info.pages() == row.pages);
        const HostArray all = io::read(path);
        CHECK(all.desc == info.desc);
        for (int i = 0; i < 2 * row.pages; ++i) REQUIRE(all.as<std::uint8_t>()[i] == i + 1);
        const HostArray last = io::read(path, {.pages = {{row.pages - 1, row.pages}}});
        CHECK(last.desc.describe() == "u8 1 x 2 (y, x)");
        CHECK(last.as<std::uint8_t>()[1] == 2 * row.pages);
        CHECK(io::read(path, {.page_axis = 't'}).desc.describe() == fmt::format("u8 {} x 1 x 2 (t, y, x)", row.pages));
        if (info.page_axes > 1) io_error(path, [&] { io::read(path, {.pages = {{0, 2}}}); });   // no array of these axes
    }
    put(path, pages_of(4, rows[4].text));
    CHECK(io::info(path).desc.find('t')->spacing == doctest::Approx(0.05));
    put(path, pages_of(3, R"({"shape": [3, 2, 1], "axes": "TYX"})"));
    CHECK(told_of(io::info(path)).find("calls the axes of its pages Y, which are taken for X") != std::string::npos);
}

TEST_CASE("described: several planes in one directory are refused, or read where they are a stack in one piece") {
    const Folder folder;
    const auto deep = [&](std::uint64_t depth, const char* words) {
        put(folder / "a.tif", make_tiff({tiff_picture(2, 1, 8, 1, 8, 2, {tiff_text(270, words), {32997, 4, {depth}}})}, "abcdef"));
        return folder / "a.tif";
    };
    CHECK(io_error(deep(3, "-"), [&] { io::info(folder / "a.tif"); }).problem ==
          "has 3 planes in one TIFF directory (ImageDepth, tag 32997), which are not read");
    io_error(deep(2, R"({"shape": [3, 1, 2]})"), [&] { io::info(folder / "a.tif"); });
    CHECK(values_of<std::uint8_t>(io::read(deep(1, "-"))) == std::vector<std::uint8_t>{'a', 'b'});
    CHECK(values_of<std::uint8_t>(io::read(deep(3, R"({"shape": [3, 1, 2]})"))) ==
          std::vector<std::uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'});
}

TEST_CASE("described: what is no number to its end is told and left out, of OME-XML and of ImageJ") {
    const Folder folder;
    const TiffEntry x{282, 5, {2, 1}}, y{283, 5, {4, 1}}, none{296, 3, {1}};
    const std::string two = R"(DimensionOrder="XYZCT" SizeX="2" SizeY="1" SizeZ="1" SizeC="1" SizeT="2" )";
    struct Row {
        std::string text;
        double x, z, t;
        std::vector<std::string> told;
    };
    const Row rows[] = {
        {ome(two + R"(PhysicalSizeX="2,5" PhysicalSizeY="3" TimeIncrement="1,5" TimeIncrementUnit="s")"), 1, 0, 0,
         {"its PhysicalSizeX is \"2,5\", which is no number: it is left out",
          "its TimeIncrement is \"1,5\", which is no number: it is left out"}},
        {ome(two + R"(PhysicalSizeX="1 000" PhysicalSizeY=" 2 ")"), 1, 0, 0, {"its PhysicalSizeX is \"1 000\""}},
        {ome(two + R"(PhysicalSizeX=" 2.5 " PhysicalSizeY="+2e0" TimeIncrement="
1.5" TimeIncrementUnit="s")"),
         2.5, 0, 1.5, {}},
        {ome(two + R"(PhysicalSizeX="0x10" PhysicalSizeY="2")"), 1, 0, 0, {"its PhysicalSizeX is \"0x10\""}},
        {ome(R"(DimensionOrder="XYZCT" SizeX="2" SizeY="1" SizeZ="1" SizeC="1" SizeT="2")",
             R"(<TiffData IFD="0," PlaneCount="2"/>)"),
         1, 0, 0, {"its IFD is \"0,\", which is no number: it is left out"}},
        {"ImageJ=1.53t\nimages=2\nslices=2\nunit=um\nspacing=2,5\n", .5, 1, 0, {"its spacing is \"2,5\", which is no number"}},
        {"ImageJ=1.53t\nimages=2\nframes=2\nunit=um\nfinterval=0,5\n", .5, 0, 0, {"its finterval is \"0,5\", which is no number"}},
        {"ImageJ=1.53t\nimages=2\nslices=2\nunit=um\nspacing=2.5\nspacing=3.5\n", .5, 3.5, 0,
         {"its ImageJ description gives spacing several times, as \"2.5\" and as \"3.5\": the last counts"}},
        {"ImageJ=1.53t\nimages=2\nslices=2\nunit=um\nspacing=2.5\nspacing=2.5\n", .5, 2.5, 0, {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        put(folder / "a.tif", pages_of(2, row.text, {x, y, none}));
        const io::FileInfo info = io::info(folder / "a.tif");
        CHECK(info.desc.find('x')->spacing == row.x);
        if (info.desc.find('z')) CHECK(info.desc.find('z')->spacing == row.z);
        if (info.desc.find('t')) CHECK(info.desc.find('t')->spacing == row.t);
        for (const std::string& words : row.told) CHECK(told_of(info).find(words) != std::string::npos);
        if (row.told.empty()) CHECK(info.warnings.empty());
    }
}

TEST_CASE("described: stacks are written in words that give them back") {
    const Folder folder;
    const auto write_and_read = [&](const std::vector<ArrayDesc::Extent>& axes, ElementType type) {
        const ArrayDesc desc = ArrayDesc::dense(type, axes)
                                   .with_unit("um")
                                   .with_spacing('x', 0.25)
                                   .with_spacing('y', 0.5)
                                   .with_spacing('z', 2.5)
                                   .with_spacing('t', 0.125);
        CAPTURE(desc.describe());
        const HostArray array = pattern(desc);
        io::write(folder / "a.tif", array, {.overwrite = true});
        const HostArray back = io::read(folder / "a.tif");
        CHECK(back.desc == desc);
        CHECK(same_elements(back, array));
        CHECK(io::info(folder / "a.tif").warnings.empty());
    };
    write_and_read({{'z', 3}, {'y', 5}, {'x', 7}}, ElementType::u8);
    write_and_read({{'t', 3}, {'y', 5}, {'x', 7}}, ElementType::f32);
    write_and_read({{'c', 3}, {'y', 5}, {'x', 7}}, ElementType::u16);
    write_and_read({{'t', 2}, {'z', 3}, {'y', 5}, {'x', 7}}, ElementType::i16);
    write_and_read({{'t', 2}, {'z', 3}, {'c', 4}, {'y', 5}, {'x', 7}}, ElementType::u16);
    write_and_read({{'z', 3}, {'c', 2}, {'y', 5}, {'x', 7}}, ElementType::f64);
    write_and_read({{'z', 2}, {'y', 5}, {'x', 7}, {'c', 3}}, ElementType::u8);
    write_and_read({{'z', 3}, {'y', 700}, {'x', 1100}}, ElementType::u16);   // several strips a page
    CHECK_FALSE(
        io_error(folder / "b.tif", [&] {
            io::write(folder / "b.tif", pattern(ArrayDesc::dense(ElementType::u8, {{'n', 2}, {'t', 3}, {'y', 5}, {'x', 7}})));
        }).problem.empty());
}

TEST_CASE("described: how a picture is to be held, and what is left out, is said") {
    const Folder folder;
    put(folder / "a.tif", pages_of(1, "", {{274, 3, {6}}}));
    const io::FileInfo turned = io::info(folder / "a.tif");
    REQUIRE(turned.warnings.size() == 1);
    CHECK(turned.warnings[0].text.find("90 degrees clockwise") != std::string::npos);
    put(folder / "a.tif", pages_of(1, "", {{274, 3, {1}}}));
    CHECK(io::info(folder / "a.tif").warnings.empty());
    put(folder / "a.tif", pages_of(2, "", {{34412, 2, {1, 2, 3, 4, 5, 6, 7, 0}}}));
    CHECK(io::info(folder / "a.tif").warnings.size() == 1);
    put(folder / "a.tif", pages_of(1, "", {{33629, 4, {1, 2, 3, 4, 5, 6}}}));
    CHECK(io_error(folder / "a.tif", [&] { io::info(folder / "a.tif"); }).problem.find("MetaMorph") != std::string::npos);
}

TEST_CASE("described: pages of one size that are unlike are told apart by what they differ in") {
    const Folder folder;
    put(folder / "a.tif", make_tiff({tiff_picture(2, 1, 8, 1, 8, 2), tiff_picture(2, 1, 8, 0, 10, 2)}, "abcd"));
    CHECK(io_error(folder / "a.tif", [&] { io::info(folder / "a.tif"); }).problem.find("another photometric interpretation") !=
          std::string::npos);
}

TEST_CASE("described: of an animated PNG the picture is read, and the rest is told") {
    const Folder folder;
    io::write(folder / "a.png", pattern(ArrayDesc::dense(ElementType::u8, {{'y', 3}, {'x', 4}})));
    CHECK(io::info(folder / "a.png").ignored.empty());
    std::string bytes = get(folder / "a.png");
    const std::string chunk = std::string("acTL\0\0\0\x07\0\0\0\0", 12);
    Bytes animation{{}, true};
    animation.add<std::uint32_t>(8).add_text(chunk).add(
        static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size()))));
    bytes.insert(33, animation.text);   // behind the mark of 8 bytes and the header's chunk of 25
    put(folder / "b.png", bytes);
    CHECK(io::info(folder / "b.png").ignored == std::vector<std::string>{"an animation of 7 frames: its picture is read"});
    CHECK(same_elements(io::read(folder / "a.png"), io::read(folder / "b.png")));
}

TEST_CASE("described: a file that is not read is called what it is") {
    const Folder folder;
    const std::string preamble(128, '\0');
    const std::vector<std::tuple<const char*, std::string, const char*>> rows = {
        {"a.dcm", preamble + "DICM" + std::string(100, '\0'), "DICOM"},
        {"b.dcm", std::string("II*\0", 4) + std::string(124, '\0') + "DICM" + std::string(100, '\0'), "DICOM"},
        {"c.dcm", std::string("\x08\x00\x05\x00\x0a\x00\x00\x00ISO_IR 100", 18) + std::string(100, '\0'), "DICOM"},
        {"d.tif", preamble + "DICM" + std::string(100, '\0'), "DICOM"},
        {"a.h5", "\x89HDF\r\n\x1a\n" + std::string(100, '\0'), "HDF5"},
        {"a.npz", std::string("PK\x03\x04", 4) + std::string(100, '\0'), "ZIP"},
        {"a.jp2", std::string("\0\0\0\x0cjP  ", 8) + std::string(100, '\0'), "JPEG 2000"},
        {"a.exr", "v/1\x01" + std::string(100, '\0'), "OpenEXR"},
        {"a.mat", "MATLAB 5.0 MAT-file, Platform", "a MATLAB"},
    };
    for (const auto& [name, bytes, word] : rows) {
        CAPTURE(name);
        put(folder / name, bytes);
        const IoError error = io_error(folder / name, [&, n = name] { io::info(folder / n); });
        CHECK(error.problem.find(word) != std::string::npos);
        CHECK(error.problem.find("damaged") == std::string::npos);
        CHECK_FALSE(error.hint.empty());
    }
}

TEST_CASE("described: a picture whose kind is not read is called what it is") {
    const Folder folder;
    const auto problem = [&](const char* name, const std::string& bytes) {
        put(folder / name, bytes);
        return io_error(folder / name, [&] { io::info(folder / name); }).problem;
    };
    // Colours by JPEG as TIFF had it first: it is JPEG.
    const std::vector<TiffEntry> old = tiff_picture(2, 1, 8, 6, 8, 6, {{258, 3, {8, 8, 8}}, {259, 3, {6}}, {277, 3, {3}}});
    CHECK(problem("a.tif", make_tiff({old}, "abcdef")).find("JPEG as TIFF had it before 1995") != std::string::npos);
    // A GIF without any table of colours is not damaged, and shows nothing.
    const std::string gif = problem("a.gif", std::string("GIF89a\1\0\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;", 29));
    if (gif.find("libgif-dev") == std::string::npos) CHECK(gif.find("no table of colours") != std::string::npos);
}

TEST_CASE("described: what a GIF's frames leave transparent is told, in whichever of them") {
    const Folder folder;
    try {
        io::check_writable(folder / "a.gif", ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 2}}));
    } catch (const IoError& error) {
        MESSAGE("not tried: ", error.problem);
        return;
    }
    // Two frames of one grey pixel; the first says what becomes of it, the second whether its own, 1, is seen through.
    const auto frames = [](char disposal, char transparent) {
        std::string bytes("GIF89a\1\0\1\0\x80\0\0\x10\x10\x10\xe0\xe0\xe0", 19);
        bytes += std::string("!\xf9\4", 3) + static_cast<char>(disposal << 2) + std::string("\1\0\0\0", 4);
        bytes += std::string(",\0\0\0\0\1\0\1\0\0\2\2D\1\0", 15);   // its only pixel: 0
        bytes += std::string("!\xf9\4", 3) + transparent + std::string("\1\0\1\0", 4);
        bytes += std::string(",\0\0\0\0\1\0\1\0\0\2\2L\1\0;", 16);   // 1
        return bytes;
    };
    const auto read = [&](char disposal, char transparent) {
        put(folder / "a.gif", frames(disposal, transparent));
        const HostArray array = io::read(folder / "a.gif");
        return std::pair(values_of<std::uint8_t>(array), io::info(folder / "a.gif").warnings.size());
    };
    using Values = std::vector<std::uint8_t>;
    CHECK(read(1, 0) == std::pair(Values{0x10, 0xe0}, std::size_t{0}));
    CHECK(read(1, 1) == std::pair(Values{0x10, 0x10}, std::size_t{0}));   // what is below is seen
    CHECK(read(2, 0) == std::pair(Values{0x10, 0xe0}, std::size_t{0}));
    CHECK(read(2, 1) == std::pair(Values{0x10, 0}, std::size_t{1}));   // nothing is
}

namespace {

std::string sized(const char* order, std::int64_t z, std::int64_t c, std::int64_t t) {
    return fmt::format(R"(DimensionOrder="{}" Type="uint8" SizeX="2" SizeY="1" SizeZ="{}" SizeC="{}" SizeT="{}")", order, z, c,
                       t);
}

/// What a file becomes: its array, which page each plane is, and what is told of it.
struct PlanesRead {
    std::string array;
    std::vector<int> pages;
    std::string told;
};

PlanesRead planes_read(const fs::path& file, const std::string& text, int pages, const io::ReadOptions& options = {}) {
    put(file, pages_of(pages, text));
    const HostArray array = io::read(file, options);
    const io::FileInfo info = io::info(file, options);
    PlanesRead read{array.desc.describe(), {}, told_of(info)};
    // The first element of each page is 2 * page + 1.
    for (std::int64_t i = 0; i < array.desc.count(); i += 2) read.pages.push_back((array.as<std::uint8_t>()[i] - 1) / 2);
    return read;
}

using Pages = std::vector<int>;

}  // namespace

TEST_CASE("described: planes in an order of OME-XML's own come in that of the axes") {
    const Folder folder;
    const fs::path file = folder / "a.ome.tif";
    const auto follows = [&](const std::string& pixels, const std::string& blocks, const char* array, const Pages& pages) {
        CAPTURE(blocks);
        const PlanesRead read = planes_read(file, ome(pixels, blocks), static_cast<int>(pages.size()));
        CHECK(read.array == array);
        CHECK(read.pages == pages);
        CHECK(read.told == "");
    };
    follows(sized("XYZCT", 1, 2, 1), R"(<TiffData IFD="1"/><TiffData IFD="0" FirstC="1"/>)", "u8 2 x 1 x 2 (c, y, x)", {1, 0});
    // z fastest; runs of pages, the last planes first
    follows(sized("XYZCT", 3, 2, 1),
            R"(<TiffData IFD="0" FirstC="1" PlaneCount="3"/><TiffData IFD="3" PlaneCount="3"/>)",
            "u8 2 x 3 x 1 x 2 (c, z, y, x)", {3, 4, 5, 0, 1, 2});
    // each plane by itself, in another order than the axes
    std::string all;
    for (int z = 0; z < 2; ++z)
        for (int t = 0; t < 3; ++t) all += fmt::format(R"(<TiffData IFD="{}" FirstZ="{}" FirstT="{}"/>)", 3 * z + t, z, t);
    follows(sized("XYZCT", 2, 1, 3), all, "u8 3 x 2 x 1 x 2 (t, z, y, x)", {0, 3, 1, 4, 2, 5});
    // runs with their lengths, in order
    follows(sized("XYCZT", 2, 2, 1), R"(<TiffData IFD="0" PlaneCount="2"/><TiffData IFD="2" FirstZ="1" PlaneCount="2"/>)",
            "u8 2 x 2 x 1 x 2 (z, c, y, x)", {0, 1, 2, 3});
    // the first plane alone, and no number: the others follow
    follows(sized("XYZCT", 1, 3, 1), R"(<TiffData IFD="0"/>)", "u8 3 x 1 x 2 (c, y, x)", {0, 1, 2});
    // one run without a page, from page 0 on: all that are left
    follows(sized("XYZCT", 1, 3, 1), R"(<TiffData IFD="2"/><TiffData FirstC="1"/>)", "u8 3 x 1 x 2 (c, y, x)", {2, 0, 1});
    // several without: the pages follow, up to where another run begins
    follows(sized("XYZCT", 1, 3, 1), R"(<TiffData FirstC="0"/><TiffData FirstC="1"/><TiffData FirstC="2"/>)",
            "u8 3 x 1 x 2 (c, y, x)", {0, 1, 2});
    follows(sized("XYZCT", 1, 3, 1), R"(<TiffData FirstC="1"/><TiffData FirstC="0"/><TiffData FirstC="2"/>)",
            "u8 3 x 1 x 2 (c, y, x)", {1, 0, 2});
    follows(sized("XYZCT", 2, 2, 1), R"(<TiffData FirstC="1"/><TiffData FirstC="0"/>)", "u8 2 x 2 x 1 x 2 (c, z, y, x)",
            {2, 3, 0, 1});
    // A page that is no plane is left out, and told.
    const std::string last_two = R"(<TiffData IFD="2"/><TiffData IFD="1" FirstC="1"/>)";
    const PlanesRead extra = planes_read(file, ome(sized("XYZCT", 1, 2, 1), last_two), 3);
    CHECK(extra.array == "u8 2 x 1 x 2 (c, y, x)");
    CHECK(extra.pages == Pages{2, 1});
    const std::vector<std::string> ignored = io::info(file).ignored;
    REQUIRE(ignored.size() == 1);
    CHECK(ignored[0].find("1 page that OME-XML gives no plane") != std::string::npos);
}

TEST_CASE("described: planes of OME-XML that are missing, as of acquisitions that were aborted, are told") {
    const Folder folder;
    const fs::path file = folder / "a.ome.tif";
    struct Row {
        const char* blocks;
        Pages pages;
        const char* missing;
    };
    const std::vector<Row> rows = {
        {R"(<TiffData/>)", {0, 1}, "2 of the 3 planes that its OME-XML describes (the first that is missing: c 2)"},
        {R"(<TiffData IFD="0"/><TiffData IFD="1" FirstC="1"/>)", {0, 1}, "2 of the 3 planes"},
        {R"(<TiffData IFD="0"/><TiffData IFD="1" FirstC="1"/>)", {0, 1}, "missing: c 2)"},
        {R"(<TiffData IFD="0"/><TiffData IFD="1" FirstC="2"/>)", {0, 1}, "missing: c 1)"},
        {R"(<TiffData IFD="0"/><TiffData IFD="1" FirstC="1"/><TiffData IFD="2" FirstC="2"/>)", {0, 1}, "missing: c 2)"},
        {R"(<TiffData FirstC="1"/>)", {0, 1}, "missing: c 0)"},
        // in the order of the planes
        {R"(<TiffData IFD="1"/><TiffData IFD="0" FirstC="2"/>)", {1, 0}, "missing: c 1)"},
        {R"(<TiffData IFD="2"/><TiffData IFD="1" FirstC="1"/><TiffData IFD="0" FirstC="2"/>)", {1, 0}, "missing: c 0)"},
        // Where pages have no plane, all stand as they do.
        {R"(<TiffData IFD="1"/><TiffData IFD="7" FirstC="1"/>)", {0, 1}, "1 of the 3 planes"},
        {R"(<TiffData FirstC="2" PlaneCount="2"/>)", {0, 1}, "missing: c 0)"},
        {R"(<TiffData IFD="0" PlaneCount="1"/><TiffData IFD="1" FirstC="1" PlaneCount="1"/>)", {0, 1, 2}, "missing: c 2)"},
        {R"(<TiffData IFD="1"/><TiffData IFD="2" FirstC="1"/><TiffData IFD="3" FirstC="2"/>)", {0, 1, 2}, "missing: c 2)"},
        {R"(<TiffData IFD="-5"/><TiffData IFD="9223372036854775807" FirstC="2" PlaneCount="9223372036854775807"/>)",
         {0, 1},
         "0 of the 3"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.blocks);
        const int there = static_cast<int>(row.pages.size());
        const PlanesRead read = planes_read(file, ome(sized("XYZCT", 1, 3, 1), row.blocks), there);
        CHECK(read.array == fmt::format("u8 {} x 1 x 2 (z, y, x)", there));
        CHECK(read.pages == row.pages);
        CHECK(read.told.find(row.missing) != std::string::npos);
        CHECK(read.told.find("taken for z") != std::string::npos);
    }
    // Of two images, the first of which lacks a plane: it takes no page of the second.
    const std::string two = "<OME><Image><Pixels " + sized("XYZCT", 1, 3, 1) +
                            R"(><TiffData IFD="0"/><TiffData IFD="1" FirstC="1"/></Pixels></Image><Image><Pixels )" +
                            sized("XYZCT", 1, 2, 1) + R"(><TiffData IFD="2" PlaneCount="2"/></Pixels></Image></OME>)";
    for (const int there : {4, 3}) {
        const PlanesRead first = planes_read(file, two, there);
        CHECK(first.array == "u8 2 x 1 x 2 (z, y, x)");
        CHECK(first.pages == Pages{0, 1});
        CHECK(first.told.find("missing: c 2)") != std::string::npos);
        const PlanesRead second = planes_read(file, two, there, {.series = 1});
        CHECK(second.array == (there == 4 ? "u8 2 x 1 x 2 (c, y, x)" : "u8 1 x 2 (y, x)"));
        CHECK(second.pages == (there == 4 ? Pages{2, 3} : Pages{2}));
        CHECK((second.told.find("missing: c 1)") != std::string::npos) == (there == 3));
    }
    put(file, pages_of(2, two));
    CHECK(io_error(file, [&] { io::read(file, {.series = 1}); }).problem.find("has 0 of the 2 planes") != std::string::npos);
}

TEST_CASE("described: a plane of OME-XML with two places, or beyond the sizes, is an error that names it") {
    const Folder folder;
    const fs::path file = folder / "a.ome.tif";
    const auto problem = [&](const std::string& pixels, const std::string& blocks) {
        put(file, pages_of(2, ome(pixels, blocks)));
        CHECK(io::read(file, {.page_axis = 't'}).desc.describe() == "u8 2 x 1 x 2 (t, y, x)");   // as they stand
        return io_error(file, [&] { io::read(file); }).problem;
    };
    const std::string three = sized("XYZCT", 1, 3, 1);
    for (const char* const blocks : {R"(<TiffData IFD="1"/><TiffData IFD="0"/>)", R"(<TiffData IFD="0"/><TiffData IFD="1"/>)",
                                     R"(<TiffData IFD="0" PlaneCount="2"/><TiffData IFD="0"/>)"})
        CHECK(problem(three, blocks).find("two places to the plane c 0") != std::string::npos);
    CHECK(problem(three, R"(<TiffData IFD="0" PlaneCount="2"/><TiffData IFD="1" FirstC="2"/>)").find("the plane c 2, page 1") !=
          std::string::npos);
    for (const char* const blocks :
         {R"(<TiffData IFD="1"/><TiffData IFD="0" FirstC="3"/>)", R"(<TiffData IFD="0" FirstC="3"/>)",
          R"(<TiffData FirstC="-1"/>)"})
        CHECK(problem(three, blocks).find("a plane beyond the 3") != std::string::npos);
    // Sizes of which no number of planes can be made, from hostile hands.
    constexpr std::int64_t large = std::int64_t{1} << 40;
    for (const auto& [z, c, t, first] : {std::tuple{large, large, std::int64_t{1}, R"(FirstC="549755813888")"},
                                         {large, large, large, R"(FirstT="1")"},
                                         {large, large, std::int64_t{1}, R"(FirstZ="1099511627775" FirstC="8388607")"}}) {
        CAPTURE(first);
        const std::string beyond = problem(sized("XYZCT", z, c, t), fmt::format("<TiffData {}/>", first));
        CHECK(beyond.find("a plane beyond the") != std::string::npos);
    }
    const PlanesRead endless = planes_read(file, ome(sized("XYZCT", large, large, 1), "<TiffData/>"), 2);
    CHECK(endless.array == "u8 2 x 1 x 2 (z, y, x)");
    CHECK(endless.told.find("2 of the 9223372036854775807 planes") != std::string::npos);
}

TEST_CASE("described: ImageJ's numbers of 16 bits with a sign are read as such, from pages and from one piece") {
    const Folder folder;
    for (const bool one_piece : {false, true}) {
        CAPTURE(one_piece);
        const std::string text = "ImageJ=1.53t\nimages=2\nslices=2\ncf=0\nc0=-32768.0\nc1=1.0\nvunit=Gray Value\n";
        std::vector<std::vector<TiffEntry>> directories{tiff_picture(2, 1, 16, 1, 8, 4, {tiff_text(270, text)})};
        if (!one_piece) directories.push_back(tiff_picture(2, 1, 16, 1, 12, 4));
        put(folder / "a.tif", make_tiff(directories, std::string("\x00\x00\xff\x7f\x00\x80\xff\xff", 8)));
        CHECK(io::info(folder / "a.tif").warnings.empty());
        const HostArray array = io::read(folder / "a.tif");
        CHECK(array.desc.describe() == "i16 2 x 1 x 2 (z, y, x)");
        CHECK(values_of<std::int16_t>(array) == std::vector<std::int16_t>{-32768, -1, 0, 32767});
        const auto slices = io::open_slices(folder / "a.tif");
        std::int16_t values[4];
        slices.next(2, reinterpret_cast<std::byte*>(values));
        CHECK(std::vector<std::int16_t>(values, values + 4) == std::vector<std::int16_t>{-32768, -1, 0, 32767});
    }
}

TEST_CASE("described: where ImageJ writes no spacing, slices are one of its unit apart") {
    const Folder folder;
    const TiffEntry x{282, 5, {10, 1}}, y{283, 5, {10, 1}}, none{296, 3, {1}};
    const auto depth = [&](const std::string& units) {
        put(folder / "a.tif", pages_of(2, "ImageJ=1.53t\nimages=2\nslices=2\n" + units, {x, y, none}));
        const ArrayDesc desc = io::info(folder / "a.tif").desc;
        return std::pair(desc.unit, desc.find('z')->spacing);
    };
    CHECK(depth("unit=inch\n") == std::pair<std::string, double>("mm", 25.4));
    CHECK(depth("unit=\\u00C5\n") == std::pair<std::string, double>("nm", 0.1));
    CHECK(depth("unit=um\nzunit=cm\n") == std::pair<std::string, double>("um", 10000));
    CHECK(depth("unit=um\nspacing=2.0\n") == std::pair<std::string, double>("um", 2));
    CHECK(depth("") == std::pair<std::string, double>("", 1));
}

TEST_CASE("described: what ImageJ shows by a calibration, and times of OME-XML in every unit, are told") {
    const Folder folder;
    const auto info = [&](const std::string& description, int pages = 1) {
        put(folder / "a.tif", pages_of(pages, description));
        return io::info(folder / "a.tif");
    };
    const auto signed_ones = info("ImageJ=1.53t\ncf=0\nc0=-32768.0\nc1=1.0\nvunit=gray value\n");   // of bytes
    REQUIRE(signed_ones.warnings.size() == 1);
    CHECK(signed_ones.warnings[0].text.find("-32768 + 1 times what is stored") != std::string::npos);
    CHECK(info("ImageJ=1.53t\ncf=0\nc0=0.0\nc1=1.0\n").warnings.empty());
    CHECK(info("ImageJ=1.53t\ncf=21\n").warnings.size() == 1);   // optical density
    const auto timed = [&](const std::string& unit) {
        return info(
            ome(R"(DimensionOrder="XYZCT" Type="uint8" SizeX="2" SizeY="1" SizeZ="1" SizeC="1" SizeT="2" TimeIncrement="5")" +
                unit),
            2);
    };
    const std::pair<const char*, double> units[] = {{"", 5},      {"s", 5},     {"ms", 0.005}, {"\xc2\xb5s", 5e-6},
                                                    {"ns", 5e-9}, {"min", 300}, {"h", 18000},  {"d", 432000}};
    for (const auto& [unit, seconds] : units) {
        CAPTURE(std::string(unit));
        const io::FileInfo file = timed(*unit ? fmt::format(" TimeIncrementUnit=\"{}\"", unit) : "");
        CHECK(file.warnings.empty());
        CHECK(file.desc.find('t')->spacing == doctest::Approx(seconds));
    }
    CHECK(timed(" TimeIncrementUnit=\"fortnight\"").warnings.size() == 1);
}

TEST_CASE("described: stacks of colours of 16 bits do not promise ImageJ one piece, which it cannot open") {
    const Folder folder;
    for (const ElementType type : {ElementType::u8, ElementType::u16}) {
        CAPTURE(to_string(type));
        HostArray stack = pattern(ArrayDesc::dense(type, {{'z', 3}, {'y', 4}, {'x', 5}, {'c', 3}}).with_unit("um"));
        stack.desc = stack.desc.with_spacing('z', 2).with_spacing('y', 0.5).with_spacing('x', 0.5);
        io::write(folder / "a.tif", stack, {.overwrite = true});
        CHECK((get(folder / "a.tif").find("images=3") == std::string::npos) == (type == ElementType::u16));
        const HostArray back = io::read(folder / "a.tif");
        CHECK(back.desc == stack.desc);
        CHECK(same_elements(back, stack));
    }
}

TEST_CASE("described: OME-XML of another size or type than the pages beside it is told") {
    const Folder folder;
    const auto told = [&](const std::string& words) {
        put(folder / "a.tif", pages_of(2, ome(R"(DimensionOrder="XYZCT" SizeZ="1" SizeC="1" SizeT="2" )" + words)));
        const io::FileInfo info = io::info(folder / "a.tif");
        CHECK(info.desc.describe() == "u8 2 x 1 x 2 (t, y, x)");
        return told_of(info);
    };
    CHECK(told(R"(SizeX="2" SizeY="1" Type="uint8")") == "");
    CHECK(told(R"(Type="uint8")") == "");
    CHECK(told(R"(SizeX="4" SizeY="3" Type="uint8")") ==
          "its OME-XML is of 4 x 3 pixels, and its pages have 2 x 1: they are read as the pages say, and what it tells of them, distances "
          "and names, may be of another picture");
    CHECK(told(R"(SizeX="2" SizeY="1" Type="int8")") ==
          "its OME-XML says elements of int8, and its pages uint8: they are read as the pages say");
}
