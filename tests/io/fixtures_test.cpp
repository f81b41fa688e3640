// Files written byte by byte, as their formats' descriptions have them: what other programs write.
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

using u8s = std::vector<std::uint8_t>;

std::uint8_t luminance(unsigned r, unsigned g, unsigned b) {
    return static_cast<std::uint8_t>((r * 19595 + g * 38470 + b * 7471 + 0x8000) >> 16);
}

std::string bmp(std::uint16_t bits, std::uint32_t compression, std::int32_t width, std::int32_t height,
                const std::string& between, const std::string& pixels) {
    Bytes b;
    b.add_text("BM").add<std::uint32_t>(0).add<std::uint32_t>(0).add(static_cast<std::uint32_t>(54 + between.size()));
    b.add<std::uint32_t>(40).add(width).add(height).add<std::uint16_t>(1).add(bits).add(compression).pad_to(54);
    return b.add_text(between).add_text(pixels).text;
}

/// A PNG of one row of indices, a byte each; `transparency`: empty, there is no such chunk.
std::string png_of_palette(const std::string& palette, const std::string& transparency, const std::string& indices) {
    Bytes png{{}, true}, head{{}, true};
    const auto chunk = [&png](const std::string& named) {
        const auto* const data = reinterpret_cast<const Bytef*>(named.data());
        png.add(static_cast<std::uint32_t>(named.size() - 4)).add_text(named);
        png.add(static_cast<std::uint32_t>(crc32(0, data, static_cast<uInt>(named.size()))));
    };
    png.add_text("\x89PNG\r\n\x1a\n");
    head.add_text("IHDR").add(static_cast<std::uint32_t>(indices.size())).add<std::uint32_t>(1);
    chunk(head.add_text(std::string("\x08\x03\0\0\0", 5)).text);   // 8 bits, a palette
    chunk("PLTE" + palette);
    if (!transparency.empty()) chunk("tRNS" + transparency);
    const std::string row = std::string(1, '\0') + indices;
    std::string packed(compressBound(row.size()), '\0');
    uLongf bytes = packed.size();
    REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &bytes, reinterpret_cast<const Bytef*>(row.data()), row.size()) ==
            Z_OK);
    chunk("IDAT" + packed.substr(0, bytes));
    chunk("IEND");
    return png.text;
}

}  // namespace

TEST_CASE("PNG: colours of a palette have the alpha that the file gives them") {
    const Folder folder;
    const fs::path path = folder / "a.png";
    const std::string colours("\x0a\x14\x1e\x28\x32\x3c\x07\x08\x09", 9), greys("\x0a\x0a\x0a\x28\x28\x28", 6);
    put(path, png_of_palette(colours, "\x5b\x89", std::string("\0\1\2", 3)));   // the third has none, and is opaque
    io::FileInfo info = io::info(path);
    CHECK(info.desc.describe() == "u8 1 x 3 x 4 (y, x, c)");
    CHECK(info.colour == io::Colour::rgb_alpha);
    CHECK(info.detail == "8-bit palette with alpha");
    CHECK(info.ignored.empty());
    CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{10, 20, 30, 91, 40, 50, 60, 137, 7, 8, 9, 255});
    CHECK(values_of<std::uint8_t>(io::read(path, {.grey = true})) ==
          u8s{luminance(10, 20, 30), luminance(40, 50, 60), luminance(7, 8, 9)});
    put(path, png_of_palette(greys, std::string(1, '\0'), std::string("\1\0\1", 3)));
    info = io::info(path);
    CHECK(info.desc.describe() == "u8 1 x 3 x 2 (y, x, c)");
    CHECK(info.colour == io::Colour::grey_alpha);
    CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{40, 255, 10, 0, 40, 255});
    CHECK(values_of<std::uint8_t>(io::read(path, {.grey = true})) == u8s{40, 10, 40});
    put(path, png_of_palette(colours, "", std::string("\0\1\2", 3)));
    CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{10, 20, 30, 40, 50, 60, 7, 8, 9});
    put(path, png_of_palette(greys, "", std::string("\0\1", 2)));
    CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{10, 40});
}

TEST_CASE("luminance is PIL's") {
    // Values of PIL 12: Image.new("RGB", (1, 1), colour).convert("L").
    CHECK(luminance(200, 100, 50) == 124);
    const Folder folder;
    const HostArray rgb = array_of<std::uint8_t>(ArrayDesc::dense(ElementType::u8, {{'y', 1}, {'x', 4}, {'c', 3}}),
                                                 {200, 100, 50, 255, 255, 255, 1, 2, 3, 0, 0, 255});
    io::write(folder / "a.png", rgb);
    CHECK(values_of<std::uint8_t>(io::read(folder / "a.png", {.grey = true})) == u8s{124, 255, 2, 29});
    const HostArray deep = array_of<std::uint16_t>(ArrayDesc::dense(ElementType::u16, {{'y', 1}, {'x', 2}, {'c', 3}}),
                                                   {65535, 65535, 65535, 1000, 2000, 3000});
    io::write(folder / "a.tif", deep);
    CHECK(values_of<std::uint16_t>(io::read(folder / "a.tif", {.grey = true})) == std::vector<std::uint16_t>{65535, 1815});
    const HostArray real =
        array_of<float>(ArrayDesc::dense(ElementType::f32, {{'y', 1}, {'x', 1}, {'c', 3}}), {1.0f, 1.0f, 1.0f});
    io::write(folder / "f.tif", real);
    io_error(folder / "f.tif", [&] { io::read(folder / "f.tif", {.grey = true}); });  // three floats need not be colours
    CHECK(same_elements(io::read(folder / "f.tif"), real));
}

TEST_CASE("JPEG in colour") {
    const Folder folder;
    put(folder / "a.jpg", small_jpeg());
    const HostArray grey = io::read(folder / "a.jpg", {.grey = true});
    CHECK(grey.desc.describe() == "u8 8 x 16 (y, x)");
    CHECK(grey.as<std::uint8_t>()[3 * 16 + 5] == 100);
    const HostArray rgb = io::read(folder / "a.jpg");
    CHECK(rgb.desc.describe() == "u8 8 x 16 x 3 (y, x, c)");
    const u8s pixel(rgb.as<std::uint8_t>() + (3 * 16 + 5) * 3, rgb.as<std::uint8_t>() + (3 * 16 + 5) * 3 + 3);
    CHECK(pixel == u8s{79, 90, 205});
}

TEST_CASE("BMP in its kinds") {
    const Folder folder;
    const fs::path path = folder / "a.bmp";
    SUBCASE("8-bit palette of greys is grey") {
        put(path, small_bmp());
        CHECK(io::info(path).desc.describe() == "u8 2 x 3 (y, x)");
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{1, 2, 3, 4, 5, 6});
    }
    SUBCASE("24 bits, bottom up, padded rows") {
        put(path, bmp(24, 0, 1, 2, "", std::string("\x01\x02\x03\x00\x0a\x14\x1e\x00", 8)));
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{30, 20, 10, 3, 2, 1});
        CHECK(values_of<std::uint8_t>(io::read(path, {.grey = true})) == u8s{luminance(30, 20, 10), luminance(3, 2, 1)});
    }
    SUBCASE("top down") {
        put(path, bmp(24, 0, 1, -2, "", std::string("\x01\x02\x03\x00\x0a\x14\x1e\x00", 8)));
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{3, 2, 1, 30, 20, 10});
    }
    SUBCASE("1 bit") {
        put(path, bmp(1, 0, 10, 1, std::string("\x00\x00\x00\x00\xff\xff\xff\x00", 8), std::string("\xa5\x40\x00\x00", 4)));
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{255, 0, 255, 0, 0, 255, 0, 255, 0, 255});
    }
    SUBCASE("OS/2's, whose palette ends where the pixels begin") {
        Bytes b;
        b.add_text("BM").add<std::uint32_t>(43).add<std::uint32_t>(0).add<std::uint32_t>(26 + 3 * 3).add<std::uint32_t>(12);
        b.add<std::uint16_t>(3).add<std::uint16_t>(2).add<std::uint16_t>(1).add<std::uint16_t>(8);
        b.add_text(std::string("\x00\x00\x00\x03\x02\x01\x09\x08\x07", 9))
            .add_text(std::string("\x00\x01\x02\x00\x02\x01\x00\x00", 8));
        put(path, b.text);
        CHECK(io::info(path).desc.describe() == "u8 2 x 3 x 3 (y, x, c)");
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{7, 8, 9, 1, 2, 3, 0, 0, 0, 0, 0, 0, 1, 2, 3, 7, 8, 9});
    }
    SUBCASE("16 bits without masks, 5 for a colour") {
        Bytes pixels;
        pixels.add<std::uint16_t>(0x7c00).add<std::uint16_t>(0x03e0 | 16);
        put(path, bmp(16, 0, 2, 1, "", pixels.text));
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{255, 0, 0, 0, 255, 132});
    }
    SUBCASE("32 bits with masks") {
        Bytes masks, pixels;
        masks.add_all<std::uint32_t>({0xff, 0xff00, 0xff0000});
        pixels.add<std::uint32_t>(0x00030201);
        put(path, bmp(32, 3, 1, 1, masks.text, pixels.text));
        CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{1, 2, 3});
    }
}

TEST_CASE("PGM and PPM, binary and text") {
    const Folder folder;
    const fs::path path = folder / "a.pgm";
    put(path, "P5\n# a remark\n3 2\n255\n\x01\x02\x03\x04\x05\x06");
    CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{1, 2, 3, 4, 5, 6});
    put(path, std::string("P5 2 1 4095 \x01\x02\x0f\xff", 16));
    const HostArray deep = io::read(path);
    CHECK(values_of<std::uint16_t>(deep) == std::vector<std::uint16_t>{0x0102, 0x0fff});
    CHECK(deep.metadata.notes.at("pgm.largest_value") == "4095");
    put(path, "P2\n3 1\n300\n0 299\n300");
    CHECK(values_of<std::uint16_t>(io::read(path)) == std::vector<std::uint16_t>{0, 299, 300});
    // A comment ends a number, as in Netpbm's programs, and one blank stands before the pixels, whatever they are.
    put(path, "P5\n3 2#7 \n255\n\n#3\n56");
    CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{'\n', '#', '3', '\n', '5', '6'});
    put(path, "P2\n3 1#7\n255#8\n1 2#9\n3#10");
    CHECK(values_of<std::uint8_t>(io::read(path)) == u8s{1, 2, 3});
    put(path, "P6 1 1 255 \xc8\x64\x32");
    CHECK(values_of<std::uint8_t>(io::read(path, {.grey = true})) == u8s{124});
}

TEST_CASE("NPY in either byte and element order, versions 1 to 3") {
    const Folder folder;
    const fs::path path = folder / "a.npy";
    Bytes big{{}, true};
    big.add_all<std::int32_t>({1, -2, 3, 4, 5, 6});
    for (const int version : {1, 2, 3}) {
        CAPTURE(version);
        put(path, make_npy("{'descr': '>i4', 'fortran_order': False, 'shape': (2, 3), }", big.text, version));
        const HostArray array = io::read(path);
        CHECK(array.desc.describe() == "i32 2 x 3 (y, x)");
        CHECK(values_of<std::int32_t>(array) == std::vector<std::int32_t>{1, -2, 3, 4, 5, 6});
    }
    put(path, make_npy("{'descr': '>i4', 'fortran_order': True, 'shape': (2, 3), }", big.text));
    CHECK(values_of<std::int32_t>(io::read(path)) == std::vector<std::int32_t>{1, 3, 5, -2, 4, 6});
    put(path, make_npy("{'shape': (1, 3L, 2), 'fortran_order': True, \"descr\": '>i4'}", big.text));
    const HostArray stack = io::read(path, {.page_axis = 'z'});
    CHECK(stack.desc.describe() == "i32 1 x 3 x 2 (z, y, x)");
    CHECK(values_of<std::int32_t>(stack) == std::vector<std::int32_t>{1, 4, -2, 5, 3, 6});
    Bytes complex{{}, true};
    complex.add_all<double>({1.5, -2.5});
    put(path, make_npy("{'descr': '>c16', 'fortran_order': False, 'shape': (1,), }", complex.text));
    const HostArray number = io::read(path);
    CHECK(number.desc.describe() == "c128 1 (x)");
    CHECK(number.as<double>()[0] == 1.5);
    CHECK(number.as<double>()[1] == -2.5);
    Bytes halves;
    halves.add_all<std::uint16_t>({0x3c00, 0xc000, 0x0001, 0x7c00, 0x7bff});
    put(path, make_npy("{'descr': '<f2', 'fortran_order': False, 'shape': (5,), }", halves.text));
    CHECK(values_of<float>(io::read(path)) ==
          std::vector<float>{1, -2, 5.9604644775390625e-8f, std::numeric_limits<float>::infinity(), 65504});
}

TEST_CASE("raw elements, as they are described") {
    const Folder folder;
    const fs::path path = folder / "a.dat";
    Bytes b{{}, true};
    b.add_text("head").add_all<std::uint16_t>({1, 2, 3, 4, 5, 6});
    put(path, b.text);
    io::ReadOptions options;
    options.raw = io::RawLayout{ElementType::u16, {{'y', 2}, {'x', 3}}, 4, true};
    CHECK(io::info(path, options).detail == "big-endian, from byte 4");
    CHECK(values_of<std::uint16_t>(io::read(path, options)) == std::vector<std::uint16_t>{1, 2, 3, 4, 5, 6});
    options.raw->big_endian = false;
    CHECK(io::read(path, options).as<std::uint16_t>()[0] == 256);
    options.raw->offset = 5;
    io_error(path, [&] { io::read(path, options); });
}

TEST_CASE("raw elements: grey of red, green and blue, wherever they stand; of other channels there is none") {
    const Folder folder;
    const fs::path path = folder / "a.dat";
    io::ReadOptions options;
    options.grey = true;
    // Whose luminance is 124, 255, 2 and 29: (200, 100, 50), (255, 255, 255), (1, 2, 3), (0, 0, 255).
    struct Row {
        std::vector<ArrayDesc::Extent> axes;
        u8s bytes;
        const char* grey;
    };
    for (const Row& row :
         {Row{{{'y', 2}, {'x', 2}, {'c', 3}}, {200, 100, 50, 255, 255, 255, 1, 2, 3, 0, 0, 255}, "u8 2 x 2 (y, x)"},
          {{{'x', 4}, {'c', 4}}, {200, 100, 50, 9, 255, 255, 255, 9, 1, 2, 3, 9, 0, 0, 255, 9}, "u8 4 (x)"},
          {{{'c', 3}, {'y', 1}, {'x', 4}}, {200, 255, 1, 0, 100, 255, 2, 0, 50, 255, 3, 255}, "u8 1 x 4 (y, x)"},
          {{{'z', 2}, {'c', 3}, {'x', 2}}, {200, 255, 100, 255, 50, 255, 1, 0, 2, 0, 3, 255}, "u8 2 x 2 (z, x)"},
          {{{'y', 4}, {'c', 3}, {'x', 1}}, {200, 100, 50, 255, 255, 255, 1, 2, 3, 0, 0, 255}, "u8 4 x 1 (y, x)"},
          {{{'c', 4}, {'x', 4}}, {200, 255, 1, 0, 100, 255, 2, 0, 50, 255, 3, 255, 9, 9, 9, 9}, "u8 4 (x)"}}) {
        CAPTURE(row.grey);
        put(path, "head" + std::string(row.bytes.begin(), row.bytes.end()));
        options.raw = io::RawLayout{ElementType::u8, row.axes, 4};
        const HostArray grey = io::read(path, options);
        CHECK(grey.desc.describe() == row.grey);
        CHECK(io::delivered(path, io::info(path, options), options) == grey.desc);
        CHECK(values_of<std::uint8_t>(grey) == u8s{124, 255, 2, 29});
    }
    Bytes deep{{}, true};
    put(path, deep.add_all<std::uint16_t>({1000, 65535, 2000, 65535, 3000, 65535}).text);
    options.raw = io::RawLayout{ElementType::u16, {{'c', 3}, {'x', 2}}, 0, true};
    CHECK(values_of<std::uint16_t>(io::read(path, options)) == std::vector<std::uint16_t>{1815, 65535});
    // The ends of 64 bits, which are rounded to numbers that the types have not.
    const auto grey_of_one = [&]<class T>(T value) {
        Bytes one;
        put(path, one.add_all<T>({value, value, value}).text);
        options.raw = io::RawLayout{std::is_signed_v<T> ? ElementType::i64 : ElementType::u64, {{'x', 1}, {'c', 3}}};
        return values_of<T>(io::read(path, options)).at(0);
    };
    using Signed = std::numeric_limits<std::int64_t>;
    CHECK(grey_of_one(Signed::max()) == Signed::max());
    CHECK(grey_of_one(Signed::min()) == Signed::min());
    CHECK(grey_of_one(std::int64_t{-7}) == -7);
    CHECK(grey_of_one(std::numeric_limits<std::uint64_t>::max()) == std::numeric_limits<std::uint64_t>::max());
    CHECK(grey_of_one(std::uint64_t{0}) == 0);
    put(path, std::string(96, '\1'));
    const auto refused = [&](ElementType type, std::int64_t channels) {
        options.raw = io::RawLayout{type, {{'y', 2}, {'c', channels}, {'x', 1}}};
        const io::FileInfo info = io::info(path, options);
        for (const IoError& error : {io_error(path, [&] { io::delivered(path, info, options); }),
                                     io_error(path, [&] { io::read(path, options); })})
            CHECK(error.problem.find("not colours") != std::string::npos);
    };
    for (const std::int64_t channels : {1, 2, 5, 6}) refused(ElementType::u8, channels);
    refused(ElementType::c64, 3);
    refused(ElementType::boolean, 3);
    options.raw = io::RawLayout{ElementType::u8, {{'y', 2}, {'x', 3}}};
    CHECK(io::read(path, options).desc.describe() == "u8 2 x 3 (y, x)");   // grey already
}

TEST_CASE("NIfTI of either byte order, scaled, with its space") {
    const Folder folder;
    const fs::path path = folder / "a.nii";
    NiftiFixture nifti;
    nifti.big = true;
    nifti.dim = {3, 3, 2, 1};
    nifti.pixdim = {-1, 2, 3, 4, 1, 1, 1, 1};
    Bytes voxels{{}, true};
    voxels.add_all<std::int16_t>({1, -2, 300, 4, 5, 6});
    SUBCASE("plain") {
        put(path, nifti.header() + voxels.text);
        const HostArray array = io::read(path);
        CHECK(array.desc.describe() == "i16 1 x 2 x 3 (z, y, x)");
        CHECK(array.desc.unit == "mm");
        CHECK(array.desc.find('x')->spacing == 2);
        CHECK(array.desc.find('z')->spacing == 4);
        CHECK(values_of<std::int16_t>(array) == std::vector<std::int16_t>{1, -2, 300, 4, 5, 6});
        CHECK_FALSE(array.metadata.affine);
        CHECK(io::info(path).detail == "version 1, big-endian");
    }
    SUBCASE("a slope and an intercept make f32") {
        nifti.slope = 0.5f, nifti.inter = 10;
        put(path, nifti.header() + voxels.text);
        CHECK(io::info(path).desc.type == ElementType::f32);
        CHECK(values_of<float>(io::read(path)) == std::vector<float>{10.5f, 9, 160, 12, 12.5f, 13});
    }
    SUBCASE("a scale beyond f32 is told, and one of numbers with more digits") {
        const auto told = [&](float slope) {
            nifti.slope = slope, nifti.inter = 0.5f;
            put(path, nifti.header() + voxels.text + voxels.text);
            return told_of(io::info(path));
        };
        constexpr const char *beyond = "lead beyond 3.4e38", *digits = "and scaled, and read as f32, which keeps 7 digits";
        CHECK(told(1e30f).empty());
        CHECK(told(1e35f).find(beyond) != std::string::npos);
        nifti.datatype = 8;
        CHECK(told(2).find("stored as i32 " + std::string(digits)) != std::string::npos);
        nifti.datatype = 16, nifti.dim = {3, 3, 2, 1};
        CHECK(told(2).empty());
        CHECK(told(1e30f).find(beyond) != std::string::npos);
        nifti.datatype = 64, nifti.dim = {3, 3, 1, 1};
        CHECK(told(2).find("stored as f64 " + std::string(digits)) != std::string::npos);
    }
    SUBCASE("a slope without an intercept is told, and scales nothing") {
        nifti.slope = 0.5f, nifti.inter = std::nanf("");
        put(path, nifti.header() + voxels.text);
        CHECK(values_of<std::int16_t>(io::read(path)) == std::vector<std::int16_t>{1, -2, 300, 4, 5, 6});
        const std::vector<io::Warning> warnings = io::info(path).warnings;
        CHECK(std::any_of(warnings.begin(), warnings.end(),
                          [](const io::Warning& w) { return w.text.find("slope is 0.5") != std::string::npos; }));
    }
    SUBCASE("so is one that is infinite, and one of 1 beside no intercept; none is one that is no number") {
        for (const auto& [slope, inter, told] : {std::tuple{INFINITY, 0.0f, "its slope is inf: values are read as they are stored"},
                                                 {1.0f, std::nanf(""), "its slope is 1, and its intercept no number: values are read as they are stored"},
                                                 {std::nanf(""), 0.0f, ""}}) {
            nifti.slope = slope, nifti.inter = inter;
            put(path, nifti.header() + voxels.text);
            CHECK(told_of(io::info(path)) == told);
            CHECK(io::info(path).desc.type == ElementType::i16);
        }
    }
    SUBCASE("the affine from the quaternion: half a turn about y, left-handed") {
        nifti.qform = 1;
        nifti.quaternion = {0, 1, 0, 32, -40, -16};
        put(path, nifti.header() + voxels.text);
        const std::array<double, 16> affine = io::read(path).metadata.affine.value();
        CHECK(affine == std::array<double, 16>{-2, 0, 0, 32, 0, 3, 0, -40, 0, 0, 4, -16, 0, 0, 0, 1});
    }
    SUBCASE("the rows win over the quaternion, and are given in mm") {
        nifti.qform = 1, nifti.sform = 2, nifti.units = 3;  // micrometres
        nifti.srow = {1000, 0, 0, 1, 0, 2000, 0, 2, 0, 0, 3000, 3};
        put(path, nifti.header() + voxels.text);
        const HostArray array = io::read(path);
        CHECK(array.desc.unit == "um");
        CHECK(array.metadata.affine.value()[0] == doctest::Approx(1));
        CHECK(array.metadata.affine.value()[3] == doctest::Approx(0.001));
    }
    SUBCASE("RGB voxels") {
        nifti.datatype = 128, nifti.dim = {2, 2, 1};
        put(path, nifti.header() + std::string("\xc8\x64\x32\xff\xff\xff"));
        CHECK(io::info(path).desc.describe() == "u8 1 x 2 x 3 (y, x, c)");
        CHECK(values_of<std::uint8_t>(io::read(path, {.grey = true})) == u8s{124, 255});
    }
    SUBCASE("volumes of a series") {
        nifti.dim = {4, 2, 1, 1, 3};
        nifti.pixdim[4] = 2000, nifti.units = 2 | 16;  // milliseconds
        put(path, nifti.header() + voxels.text);
        CHECK(io::info(path).desc.describe() == "i16 3 x 1 x 2 (t, y, x)");
        CHECK(io::info(path).desc.find('t')->spacing == 2);
        CHECK(values_of<std::int16_t>(io::read(path, {.volume = 1})) == std::vector<std::int16_t>{300, 4});
        CHECK(io::read(path, {.volume = 1}).desc.describe() == "i16 1 x 2 (y, x)");
        CHECK(values_of<std::int16_t>(io::read(path, {.pages = {{1, 3}}})) == std::vector<std::int16_t>{300, 4, 5, 6});
        io_error(path, [&] { io::read(path, {.volume = 3}); });
        io_error(path, [&] { io::read(path, {.volume = -1}); });
    }
}

TEST_CASE("contents count more than names") {
    const Folder folder;
    put(folder / "photo.png", small_jpeg());
    CHECK(io::info(folder / "photo.png").format == "jpeg");
    CHECK(io::info(folder / "photo.png").detail.find("named as png but holds jpeg") != std::string::npos);
    CHECK(io::read(folder / "photo.png").metadata.notes.at("file.remark") == "named as png but holds jpeg");
    put(folder / "photo", small_jpeg());
    CHECK(io::read(folder / "photo").metadata.notes.count("file.remark") == 0);
    put(folder / "PHOTO.JPG", small_jpeg());
    CHECK(io::read(folder / "PHOTO.JPG").metadata.notes.count("file.remark") == 0);
}

TEST_CASE("whatever byte stands for true is read as 1, whole and slice by slice") {
    const Folder folder;
    put(folder / "a.npy",
        make_npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2, 1, 2), }", std::string("\0\1\7\xff", 4)));
    const std::vector<std::uint8_t> wanted{0, 1, 1, 1};
    const HostArray whole = io::read(folder / "a.npy");
    REQUIRE(whole.desc.type == ElementType::boolean);
    CHECK(std::equal(wanted.begin(), wanted.end(), whole.as<std::uint8_t>()));
    io::SliceStream slices = io::open_slices(folder / "a.npy");
    std::array<std::byte, 4> read{};
    slices.next(1, read.data());
    slices.next(1, read.data() + 2);
    CHECK(std::memcmp(read.data(), wanted.data(), 4) == 0);
}

TEST_CASE("what xarray calls axes, and what its values stand for") {
    const Folder folder;
    try {
        io::check_writable(folder / "a.zarr", ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 2}}));
    } catch (const IoError& error) {
        MESSAGE("not tried: ", error.problem);
        return;
    }
    fs::create_directory(folder / "a.zarr");
    put(folder / "a.zarr/.zarray", R"({"zarr_format": 2, "shape": [2, 1, 3], "chunks": [2, 1, 3], "dtype": "|u1", "order": "C",
        "compressor": null, "fill_value": 0, "filters": null})");
    put(folder / "a.zarr/0.0.0", "abcdef");
    const auto info = [&](const char* attributes) {
        put(folder / "a.zarr/.zattrs", attributes);
        return io::info(folder / "a.zarr");
    };
    const io::FileInfo named = info(R"({"_ARRAY_DIMENSIONS": ["time", "y", "x"]})");
    CHECK(named.desc.describe() == "u8 2 x 1 x 3 (t, y, x)");
    CHECK(named.warnings.empty());
    CHECK(info(R"({"_ARRAY_DIMENSIONS": ["time", "lat", "lon"]})").desc.describe() == "u8 2 x 1 x 3 (t, y, x)");
    const io::FileInfo other = info(R"({"_ARRAY_DIMENSIONS": ["sample", "lat", "lon"], "scale_factor": 0.1})");
    CHECK(other.desc.describe() == "u8 2 x 1 x 3 (z, y, x)");
    REQUIRE(other.warnings.size() == 2);
    CHECK(other.warnings[0].text.find("to be scaled (scale_factor") != std::string::npos);
    CHECK(other.warnings[1].text.find("(\"sample\") says nothing here: they are taken for z by their order") != std::string::npos);
}
