// TIFF pictures and ImageJ's stacks, written byte by byte.
#include <limits>
#include <tuple>

#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

using u8s = std::vector<std::uint8_t>;

}   // namespace

TEST_CASE("TIFF pictures made by hand") {
    const Folder folder;
    const fs::path path = folder / "a.tif";
    SUBCASE("one and four bits are widened") {
        put(path, make_tiff({tiff_picture(10, 1, 1, 1, 8, 2)}, "\xa5\x40"));
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{255, 0, 255, 0, 0, 255, 0, 255, 0, 255});
        put(path, make_tiff({tiff_picture(3, 2, 4, 1, 8, 4)}, std::string("\x01\xf0\x20\x30", 4)));
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{0, 17, 255, 34, 0, 51});
    }
    SUBCASE("white is zero") {
        // One rule for all depths: values as they are stored, as tifffile reads them, and a warning.
        put(path, make_tiff({tiff_picture(3, 1, 8, 0, 8, 3)}, std::string("\x00\x01\xff", 3)));
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{0, 1, 255});
        CHECK(io::info(path).white_is_zero);
        CHECK(io::info(path).warnings.size() == 1);
        put(path, make_tiff({tiff_picture(10, 1, 1, 0, 8, 2)}, "\xa5\x40"));
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{255, 0, 255, 0, 0, 255, 0, 255, 0, 255});
        CHECK(io::info(path).warnings.size() == 1);
        put(path, make_tiff({tiff_picture(2, 1, 16, 0, 8, 4)}, std::string("\x01\x00\xff\xff", 4)));
        CHECK(values_of<std::uint16_t>(io::read(path)) == std::vector<std::uint16_t>{1, 65535});
        CHECK(io::info(path).warnings.size() == 1);
        put(path, make_tiff({tiff_picture(3, 1, 8, 1, 8, 3)}, std::string("\x00\x01\xff", 3)));
        CHECK_FALSE(io::info(path).white_is_zero);
        CHECK(io::info(path).warnings.empty());
    }
    SUBCASE("a palette becomes colours, ImageJ's keeps the values") {
        TiffEntry map{320, 3, std::vector<std::uint64_t>(768)};
        map.values[7] = 200 * 257, map.values[256 + 7] = 100 * 257, map.values[512 + 7] = 50 * 257;
        put(path, make_tiff({tiff_picture(2, 1, 8, 3, 8, 2, {map})}, std::string("\x07\x00", 2)));
        CHECK(io::info(path).desc.describe() == "u8 1 x 2 x 3 (y, x, c)");
        CHECK(values_of<std::uint8_t>(io::read(path, {.grey = true})) == u8s{124, 0});
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{200, 100, 50, 0, 0, 0});
        put(path,
            make_tiff({tiff_picture(2, 1, 8, 3, 8, 2, {map, tiff_text(270, "ImageJ=1.53\n")})}, std::string("\x07\x00", 2)));
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{7, 0});
    }
    SUBCASE("tiles and separate planes, big-endian") {
        // Two planes of 3 x 1 pixels, each in two tiles of 16 x 16 that begin with their pixels.
        Bytes data{{}, true};
        for (int tile = 0; tile < 2; ++tile) {
            const std::size_t end = data.text.size() + 512;
            data.add_all<std::uint16_t>({static_cast<std::uint16_t>(100 * tile + 1), 2, 3}).pad_to(end);
        }
        std::vector<TiffEntry> entries = {{256, 3, {3}},  {257, 3, {1}},      {258, 3, {16, 16}},   {259, 3, {1}},
                                          {262, 3, {1}},  {277, 3, {2}},      {284, 3, {2}},        {322, 3, {16}},
                                          {323, 3, {16}}, {324, 4, {8, 520}}, {325, 4, {512, 512}}, {338, 3, {2}}};
        put(path, make_tiff({entries}, data.text, true));
        CHECK(values_of<std::uint16_t>(io::read(path)) ==
              std::vector<std::uint16_t>{1, 101, 2, 2, 3, 3});
        CHECK(values_of<std::uint16_t>(io::read(path, {.grey = true})) ==
              std::vector<std::uint16_t>{1, 2, 3});   // grey with alpha
        entries.pop_back();
        put(path, make_tiff({entries}, data.text, true));
        io_error(path, [&] { io::read(path, {.grey = true}); });  // two channels that are not colours
    }
    SUBCASE("strips and tiles that are not there have GDAL's value for none, or 0") {
        // Two rows of two pixels, of which the file has the second or the first.
        const auto two = [&](std::uint64_t bits, std::uint64_t at, std::vector<TiffEntry> more, const std::string& data) {
            const std::uint64_t row = (2 * bits + 7) / 8;
            const std::vector<std::uint64_t> offsets = {at == 0 ? 8u : 0u, at == 0 ? 0u : 8u};
            const std::vector<std::uint64_t> counts = {at == 0 ? row : 0u, at == 0 ? 0u : row};
            more.insert(more.end(), {{273, 4, offsets}, {278, 4, {1}}, {279, 4, counts}});
            return make_tiff({tiff_picture(2, 2, bits, 1, 8, row, more)}, data);
        };
        for (const auto& [nodata, value, words] :
             {std::tuple<const char*, std::uint8_t, const char*>{nullptr, 0, "0"}, {"255", 255, "255 (GDAL_NODATA)"},
              {" 7.0 ", 7, "7.0 (GDAL_NODATA)"}, {"-9999", 0, "0"}, {"nan", 0, "0"}, {"", 0, "0"}}) {
            std::vector<TiffEntry> more;
            if (nodata) more.push_back(tiff_text(42113, nodata));
            put(path, two(8, 0, more, "\x05\x06"));
            CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{5, 6, value, value});
            CHECK(told_of(io::info(path)) == std::string("1 of its 2 strips are not there: they are filled with ") + words);
            put(path, two(8, 1, more, "\x05\x06"));
            CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{value, value, 5, 6});
        }
        put(path, two(32, 0, {{339, 3, {3}}, tiff_text(42113, "-3.4028234663852886e+38")}, std::string(8, '\0')));
        CHECK(values_of<float>(io::read(path))[3] == std::numeric_limits<float>::lowest());
        put(path, two(16, 0, {{339, 3, {3}}, tiff_text(42113, "-1.5")}, std::string(4, '\0')));
        CHECK(values_of<float>(io::read(path)) == std::vector<float>{0, 0, -1.5f, -1.5f});
        put(path, two(4, 0, {tiff_text(42113, "9")}, "\x12"));
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{17, 34, 153, 153});
        // Tiles, and samples apart.
        const std::string tile(256, '\x05');
        std::vector<TiffEntry> tiles = {{256, 3, {32}}, {257, 3, {16}}, {258, 3, {8}},      {259, 3, {1}},        {262, 3, {1}},
                                        {277, 3, {1}},  {322, 3, {16}}, {323, 3, {16}},
                                        {324, 4, {0, 8}}, {325, 4, {0, 256}}};
        put(path, make_tiff({tiles}, tile));
        CHECK(told_of(io::info(path)) == "1 of its 2 tiles are not there: they are filled with 0");
        const u8s read = values_of<std::uint8_t>(io::read(path));
        CHECK((read[0] == 0 && read[15] == 0 && read[16] == 5 && read[31] == 5 && read[511] == 5));
        // A page of a stack may have none.
        put(path, make_tiff({tiff_picture(2, 1, 8, 1, 8, 2), tiff_picture(2, 1, 8, 1, 0, 0)}, "\x05\x06"));
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{5, 6, 0, 0});
        CHECK(told_of(io::info(path)) == "1 of the 1 strips of 1 of its 2 pages are not there: they are filled with 0");
        // Nothing at all; the header is no pixels; more than so few bytes may stand for.
        const auto problem = [&] { return io_error(path, [&] { io::read(path); }).problem; };
        put(path, make_tiff({tiff_picture(2, 1, 8, 1, 0, 0)}, {}));
        CHECK(problem() == "has none of its 1 TIFF strips");
        tiles[8].values = {8, 0}, tiles[9].values = {256, 256};
        put(path, make_tiff({tiles}, tile + tile));
        CHECK(problem() == "its TIFF tile 1 has 256 bytes from byte 0 on, where the header stands");
        const std::vector<TiffEntry> half = {{273, 4, {8, 0}}, {278, 4, {1 << 19}}, {279, 4, {1 << 19, 0}}};
        put(path, make_tiff({tiff_picture(1 << 20, 1 << 20, 8, 1, 8, 1, half)}, "\x05"));
        CHECK(problem().find("cannot come out of") != std::string::npos);
    }
    SUBCASE("BigTIFF") {
        put(path, make_tiff({tiff_picture(2, 1, 8, 1, 16, 2)}, "\x05\x06", false, true));
        CHECK(io::info(path).format == "bigtiff");
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{5, 6});
    }
    SUBCASE("pages, without the thumbnail between them") {
        const std::string data = "\x01\x02\x03\x04\x09";
        put(path, make_tiff({tiff_picture(2, 1, 8, 1, 8, 2), tiff_picture(1, 1, 8, 1, 12, 1, {{254, 4, {1}}}),
                             tiff_picture(2, 1, 8, 1, 10, 2)},
                            data));
        CHECK(io::info(path).desc.describe() == "u8 2 x 1 x 2 (z, y, x)");
        CHECK(values_of<std::uint8_t>(io::read(path, {.page_axis = 'z'})) == u8s{1, 2, 3, 4});
        CHECK(io::read(path, {.page_axis = 't'}).desc.describe() == "u8 2 x 1 x 2 (t, y, x)");
        const HostArray second = io::read(path, {.pages = {{1, 2}}});
        CHECK(second.desc.describe() == "u8 1 x 2 (y, x)");
        CHECK(values_of<std::uint8_t>(second) == u8s{3, 4});
        for (const auto& [first, end] : {std::pair<int, int>{0, 3}, {-1, 1}, {1, 1}, {2, 1}}) {
            io_error(path, [&, f = first, e = end] { io::read(path, {.pages = {{f, e}}}); });
        }
    }
    SUBCASE("pages that differ are read by ranges") {
        put(path, make_tiff({tiff_picture(2, 1, 8, 1, 8, 2), tiff_picture(1, 1, 8, 1, 8, 1), tiff_picture(1, 1, 8, 1, 9, 1)},
                            "\x01\x02"));
        const IoError error = io_error(path, [&] { io::read(path); });
        CHECK(error.problem.find("page 1") != std::string::npos);
        CHECK(values_of<std::uint8_t>(io::read(path, {.pages = {{1, 3}}})) == u8s{1, 2});
        io_error(path, [&] { io::read(path, {.pages = {{0, 2}}}); });
    }
    SUBCASE("resolution") {
        const TiffEntry x{282, 5, {2540, 1}}, y{283, 5, {5080, 1}};
        put(path, make_tiff({tiff_picture(1, 1, 8, 1, 8, 1, {x, y, {296, 3, {2}}})}, "\x01"));
        CHECK(io::info(path).desc.unit == "um");
        CHECK(io::info(path).desc.find('x')->spacing == doctest::Approx(10));
        CHECK(io::info(path).desc.find('y')->spacing == doctest::Approx(5));
        put(path, make_tiff({tiff_picture(1, 1, 8, 1, 8, 1, {x, y, {296, 3, {3}}})}, "\x01"));
        CHECK(io::info(path).desc.find('x')->spacing == doctest::Approx(10000.0 / 2540));
        put(path, make_tiff({tiff_picture(1, 1, 8, 1, 8, 1, {x, y, {296, 3, {1}}})}, "\x01"));
        CHECK(io::info(path).desc.unit.empty());
        CHECK(io::info(path).desc.find('x')->spacing == 1);
        put(path,
            make_tiff({tiff_picture(1, 1, 8, 1, 8, 1, {x, y, {296, 3, {1}}, tiff_text(270, "ImageJ=1.53\nunit=\\u00B5m\n")})},
                      "\x01"));
        CHECK(io::info(path).desc.unit == "um");
        CHECK(io::info(path).desc.find('x')->spacing == doctest::Approx(1.0 / 2540));
    }
}

TEST_CASE("ImageJ's stacks in one directory") {
    const Folder folder;
    const fs::path path = folder / "stack.tif";
    for (const bool big : {false, true}) {
        CAPTURE(big);
        Bytes data{{}, big};
        data.add_all<std::uint16_t>({1, 2, 3, 4, 5, 600});
        const auto file = [&](const char* images) {
            return make_tiff({tiff_picture(2, 1, 16, 1, 8, 4,
                                           {tiff_text(270, std::string("ImageJ=1.53\nimages=") + images +
                                                               "\nslices=3\nspacing=2.5\nunit=micron\n"),
                                            {282, 5, {4, 1}},
                                            {283, 5, {4, 1}},
                                            {296, 3, {1}}})},
                             data.text, big);
        };
        put(path, file("3"));
        const io::FileInfo info = io::info(path, {.page_axis = 'z'});
        CHECK(info.desc.describe() == "u16 3 x 1 x 2 (z, y, x)");
        CHECK(info.desc.unit == "um");
        CHECK(info.desc.find('x')->spacing == 0.25);
        CHECK(info.desc.find('z')->spacing == 2.5);
        CHECK(values_of<std::uint16_t>(io::read(path)) == std::vector<std::uint16_t>{1, 2, 3, 4, 5, 600});
        CHECK(values_of<std::uint16_t>(io::read(path, {.pages = {{2, 3}}})) == std::vector<std::uint16_t>{5, 600});
        CHECK(values_of<std::uint16_t>(io::read(path, {.pages = {{1, 3}}})) == std::vector<std::uint16_t>{3, 4, 5, 600});
        put(path, file("1000000000"));
        io_error(path, [&] { io::info(path); });
    }
}

TEST_CASE("an ImageJ stack of more than 4 GB, as a file with a hole") {
    const Folder folder;
    const fs::path path = folder / "huge.tif";
    // 70000 pictures of 256 x 256 bytes: 4.6 GB. Only the last bytes take room on the disk.
    const std::uint64_t one = 256 * 256, images = 70000;
    std::string head = "II*";
    head += '\0';
    const auto entries = tiff_picture(256, 256, 8, 1, 512, one, {tiff_text(270, "ImageJ=1.53\nimages=70000\nslices=70000\n")});
    const std::string small = make_tiff({entries}, "");
    REQUIRE(small.size() < 512);
    put(path, small);
    std::error_code code;
    fs::resize_file(path, 512 + one * images, code);
    if (code) {
        MESSAGE("skipped, no file with holes here: " << code.message());
        return;
    }
    {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(512 + one * images - 1));
        file.put('\x2a');
        REQUIRE(file.good());
    }
    CHECK(io::info(path).desc.describe() == "u8 70000 x 256 x 256 (z, y, x)");
    const HostArray last = io::read(path, {.pages = {{69998, 70000}}});
    CHECK(last.desc.describe() == "u8 2 x 256 x 256 (z, y, x)");
    CHECK(last.as<std::uint8_t>()[2 * one - 1] == 42);
    CHECK(last.as<std::uint8_t>()[2 * one - 2] == 0);
    io_error(path, [&] { io::read(path, {.limit_bytes = std::uint64_t{1} << 32}); });
}
