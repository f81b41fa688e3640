// What of a file is chosen: a level of its pyramid, one image of several, one channel.
#include <fmt/format.h>

#include "io/support.hpp"
#include "io/unlike_pages.hpp"

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("choices: the levels of a pyramid, one image of several, one channel") {
    const Folder folder;
    // A page of 4 x 1, then one of 2 x 1 that is its reduced image.
    put(folder / "reduced.tif",
        make_tiff({tiff_picture(4, 1, 8, 1, 8, 4), tiff_picture(2, 1, 8, 1, 12, 2, {{254, 4, {1}}})}, "abcdef"));
    io::ReadOptions level;
    level.level = 1;
    CHECK(values_of<std::uint8_t>(io::read(folder / "reduced.tif", level)) == std::vector<std::uint8_t>{'e', 'f'});
    level.level = 2;
    CHECK(io_error(folder / "reduced.tif", [&] { io::info(folder / "reduced.tif", level); }).hint.find("0 to 1") !=
          std::string::npos);
    // Every second pixel of 15 x 23, and halves of 15 x 23: pixels of both are twice as large.
    const auto half_of = [&](std::uint64_t width, std::uint64_t height) {
        const TiffEntry x{282, 5, {20000, 1}}, y{283, 5, {20000, 1}}, centimetres{296, 3, {3}};
        put(folder / "odd.tif",
            make_tiff({tiff_picture(23, 15, 8, 1, 8, 345, {x, y, centimetres}),
                       tiff_picture(width, height, 8, 1, 8, width * height, {{254, 4, {1}}, x, y, centimetres})},
                      std::string(345, 'a')));
        io::ReadOptions options;
        options.level = 1;
        const ArrayDesc desc = io::info(folder / "odd.tif", options).desc;
        return std::pair(desc.find('x')->spacing, desc.find('y')->spacing);
    };
    CHECK(half_of(12, 8) == std::pair(1.0, 1.0));
    CHECK(half_of(11, 7) == std::pair(1.0, 1.0));
    // Pages that are unlike are images of their own.
    put(folder / "unlike.tif", make_tiff({tiff_picture(4, 1, 8, 1, 8, 4), tiff_picture(2, 1, 8, 1, 12, 2)}, "abcdef"));
    io::ReadOptions series;
    series.series = 1;
    CHECK(values_of<std::uint8_t>(io::read(folder / "unlike.tif", series)) == std::vector<std::uint8_t>{'e', 'f'});
    CHECK_THROWS_AS(io::info(folder / "unlike.tif"), io::UnlikePages);
    io::ReadOptions pages;
    pages.pages = {1, 2};
    CHECK(io::info(folder / "unlike.tif", pages).desc.describe() == "u8 2 x 1 x 2 (z, y, x)");
    CHECK(values_of<std::uint8_t>(io::read(folder / "unlike.tif", pages)) == std::vector<std::uint8_t>{'e', 'f'});
    pages.pages = {0, 2};
    CHECK_THROWS_AS(io::info(folder / "unlike.tif", pages), io::UnlikePages);
    // OME-XML that speaks of two images, the second of two channels that have names.
    const std::string xml =
        "<?xml version=\"1.0\"?><OME><Image><Pixels DimensionOrder=\"XYZCT\" SizeX=\"2\" SizeY=\"1\" SizeZ=\"1\" SizeC=\"1\" "
        "SizeT=\"1\">"
        "<TiffData IFD=\"0\"/></Pixels></Image><Image><Pixels DimensionOrder=\"XYZCT\" SizeX=\"2\" SizeY=\"1\" SizeZ=\"1\" "
        "SizeC=\"2\" "
        "SizeT=\"1\"><Channel Name=\"DAPI\"/><Channel Name=\"a &amp; b\"/><TiffData IFD=\"1\" "
        "PlaneCount=\"2\"/></Pixels></Image></OME>";
    put(folder / "two.ome.tif", make_tiff({tiff_picture(2, 1, 8, 1, 8, 2, {tiff_text(270, xml)}), tiff_picture(2, 1, 8, 1, 10, 2),
                                           tiff_picture(2, 1, 8, 1, 12, 2)},
                                          "abcdef"));
    CHECK(io::info(folder / "two.ome.tif").desc.describe() == "u8 1 x 2 (y, x)");
    const io::FileInfo second = io::info(folder / "two.ome.tif", series);
    CHECK(second.desc.describe() == "u8 2 x 1 x 2 (c, y, x)");
    CHECK(second.metadata.channels == std::vector<std::string>{"DAPI", "a & b"});
    for (const char* const channel : {"1", "a & b"}) {
        io::ReadOptions options = series;
        options.channel = channel;
        const HostArray one = io::read(folder / "two.ome.tif", options);
        CHECK(values_of<std::uint8_t>(one) == std::vector<std::uint8_t>{'e', 'f'});
        CHECK(one.metadata.channels == std::vector<std::string>{"a & b"});
    }
    // Names that are numbers, and one that comes twice.
    HostArray numbered = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'c', 4}, {'y', 1}, {'x', 1}}));
    for (int i = 0; i < 4; ++i) numbered.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
    numbered.metadata.channels = {"1", "0", "A", "A"};
    io::write(folder / "numbered.ome.tif", numbered);
    const auto channel_of = [&](const char* channel, bool by_number) {
        io::ReadOptions options;
        options.channel = channel, options.channel_by_number = by_number;
        return values_of<std::uint8_t>(io::read(folder / "numbered.ome.tif", options)).front();
    };
    CHECK(channel_of("1", false) == 0);
    CHECK(channel_of("1", true) == 1);
    CHECK(channel_of("0", true) == 0);
    CHECK(io_error(folder / "numbered.ome.tif", [&] { channel_of("A", false); }).problem.find("several channels") !=
          std::string::npos);
    io::ReadOptions none = series;
    none.channel = "GFP";
    CHECK(io_error(folder / "two.ome.tif", [&] { io::read(folder / "two.ome.tif", none); }).problem.find("DAPI") !=
          std::string::npos);
    // What a format does not have.
    put(folder / "a.bmp", small_bmp());
    io::ReadOptions dataset;
    dataset.dataset = "x";
    for (const io::ReadOptions& options : {dataset, level, series, none})
        io_error(folder / "a.bmp", [&] { io::read(folder / "a.bmp", options); });
}
