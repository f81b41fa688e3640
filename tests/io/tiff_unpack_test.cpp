// Compressed strips of TIFF that are held against their own end, and tables of strips against how many there are.
#include <fmt/format.h>

#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

std::string bytes_of_hex(std::string_view hex) {
    std::string bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    return bytes;
}

/// Rows of 8 pixels: 10, 20, 30, ... as imagecodecs, zlib and liblzma pack them.
struct Packed {
    const char* name;
    std::uint64_t compression;
    const char *four, *six;   ///< rows
};
constexpr Packed kinds[] = {
    {"deflate", 8, "78dae3e2820011289083020d28000027300321", "78dae3e2820011289083020d283082021b28000075380691"},
    {"lzw", 5, "8002a0503810520d078307a150b850a21d0f874040", "8002a0503810520d078307a150b850a21d0f870ca2513890f22d178b4040"},
    {"packbits", 32773, "f90af914f91ef928", "f90af914f91ef928f932f93c"},
    {"lzma", 34925,
     "fd377a585a000004e6d6b446020021010c0000008f98419ce0001f000c5d00056a813548aca1a16d250d3900298c9e3e3e2cf3d200012820493bb5461f"
     "b6f37d010000000004595a",
     "fd377a585a000004e6d6b446020021010c0000008f98419ce0002f00105d00056a813548aca1a17390d1aefd6fcd460077ec18b2d98c05e600012c3029"
     "ee6e3f1fb6f37d010000000004595a"},
    {"zstd", 50000, "28b52ffd2020a50000600a0a141e282828282828282803100059f21db0",
     "28b52ffd2030cd0000700a0a141e28323c3c3c3c3c3c3c3c05100059f26596c58005"}};

/// Strips of four rows of 8 pixels.
std::string picture(std::uint64_t height, std::uint64_t compression, const std::vector<std::string>& strips,
                    std::vector<TiffEntry> more = {}) {
    std::string data;
    TiffEntry offsets{273, 4, {}}, counts{279, 4, {}};
    for (const std::string& strip : strips) {
        offsets.values.push_back(8 + data.size());
        counts.values.push_back(strip.size());
        data += strip;
    }
    more.insert(more.end(), {{259, 3, {compression}}, offsets, {278, 4, {4}}, counts});
    return make_tiff({tiff_picture(8, height, 8, 1, 0, 0, more)}, data);
}

std::vector<std::uint8_t> rows(std::initializer_list<int> values) {
    std::vector<std::uint8_t> all;
    for (const int value : values) all.insert(all.end(), 8, static_cast<std::uint8_t>(value));
    return all;
}

/// Empty: it was read, as `wanted`.
std::string problem(const fs::path& path, const std::vector<std::uint8_t>& wanted) {
    try {
        CHECK(values_of<std::uint8_t>(io::read(path)) == wanted);
    } catch (const IoError& error) {
        return error.problem;
    }
    return {};
}

}   // namespace

TEST_CASE("tiff: a strip whose compressed bytes go on behind its pixels, or whose check value is wrong, is damaged") {
    const Folder folder;
    const fs::path path = folder / "a.tif";
    for (const Packed& kind : kinds) {
        INFO(kind.name);
        const std::string four = bytes_of_hex(kind.four), six = bytes_of_hex(kind.six);
        put(path, picture(4, kind.compression, {four}));
        if (const std::string why = problem(path, rows({10, 20, 30, 40})); !why.empty()) {
            REQUIRE(why.find("which libtiff here cannot decode") != std::string::npos);
            continue;
        }
        put(path, picture(4, kind.compression, {six}));
        CHECK(problem(path, {}) == "its TIFF strip 0 cannot be decoded: its compressed bytes unpack to more than its pixels");
        put(path, picture(6, kind.compression, {six, four}));
        CHECK(problem(path, {}) == "its TIFF strip 0 cannot be decoded: its compressed bytes unpack to more than its pixels");
        // Some writers fill up the last strip, or behind a strip.
        put(path, picture(6, kind.compression, {four, four}));
        CHECK(problem(path, rows({10, 20, 30, 40, 10, 20})) == "");
        put(path, picture(6, kind.compression, {four, six}));
        CHECK(problem(path, {}) == "its TIFF strip 1 cannot be decoded: its compressed bytes unpack to more than its pixels");
        put(path, picture(4, kind.compression, {four + std::string(1, '\0')}));
        CHECK(problem(path, rows({10, 20, 30, 40})) == "");
        if (kind.compression == 32773) {   // a run more, of one pixel
            put(path, picture(4, kind.compression, {four + std::string(2, '\0')}));
            CHECK(problem(path, {}) != "");
        }
        // Of each strip that is cut off something is missing. (Of LZW what says that it is the end may be.)
        put(path, picture(4, kind.compression, {four.substr(0, four.size() - 2)}));
        CHECK((problem(path, rows({10, 20, 30, 40})) != "" || kind.compression == 5 || kind.compression == 34925));
    }
}

TEST_CASE("tiff: bytes in which a bit is another are refused, or have their pixels still, where the stream has a check value") {
    const Folder folder;
    const fs::path path = folder / "a.tif";
    const auto right = rows({10, 20, 30, 40});
    for (const Packed& kind : kinds) {
        if (kind.compression != 8 && kind.compression != 34925) continue;
        INFO(kind.name);
        const std::string whole = bytes_of_hex(kind.four);
        put(path, picture(4, kind.compression, {whole}));
        if (!problem(path, right).empty()) continue;   // libtiff here has not that method
        for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
            std::string flipped = whole;
            flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
            put(path, picture(4, kind.compression, {flipped}));
            problem(path, right);
        }
    }
}

TEST_CASE("tiff: deflate with differences of neighbours, in another order of bits and of bytes") {
    const Folder folder;
    const fs::path path = folder / "a.tif";
    std::string turned = bytes_of_hex(kinds[0].four);
    for (char& c : turned) {
        int bits = 0;
        for (int i = 0; i < 8; ++i) bits |= (c >> i & 1) << (7 - i);
        c = static_cast<char>(bits);
    }
    put(path, picture(4, 8, {turned}, {{266, 3, {2}}}));
    CHECK(problem(path, rows({10, 20, 30, 40})) == "");
    put(path, picture(4, 8, {bytes_of_hex(kinds[0].four)}, {{317, 3, {2}}}));
    CHECK(values_of<std::uint8_t>(io::read(path))[9] == 40);   // 20 + 20
    // Elements of 16 bits, the high byte first.
    const auto two = [&](bool big) {
        return make_tiff({tiff_picture(4, 4, 16, 1, 8, 19, {{259, 3, {8}}})}, bytes_of_hex(kinds[0].four), big);
    };
    for (const bool big : {false, true}) {
        put(path, two(big));
        CHECK(values_of<std::uint16_t>(io::read(path))[15] == 40 * 257);
    }
    put(path, make_tiff({tiff_picture(4, 4, 16, 1, 8, 19, {{259, 3, {8}}, {317, 3, {2}}})}, bytes_of_hex(kinds[0].four), true));
    CHECK(values_of<std::uint16_t>(io::read(path))[5] == 2 * 20 * 257);
}

TEST_CASE("tiff: strips of which the tables have no entry are not left out, but damage") {
    const Folder folder;
    const fs::path path = folder / "a.tif";
    for (const bool big_tiff : {false, true}) {
        const std::uint64_t at = big_tiff ? 16 : 8;
        put(path, make_tiff({tiff_picture(2, 4, 8, 1, at, 4, {{278, 4, {2}}})}, "abcd", false, big_tiff));
        CHECK(problem(path, {}) == "has 2 TIFF strips in its page 0, and says of 1 alone where they are");
        put(path, make_tiff({tiff_picture(2, 4, 8, 1, at, 4, {{273, 4, {at, 0}}, {278, 4, {2}}, {279, 4, {4, 0}}})}, "abcd",
                            false, big_tiff));
        CHECK(problem(path, {'a', 'b', 'c', 'd', 0, 0, 0, 0}) == "");
    }
}

TEST_CASE("tiff: strips by a fax code or JPEG that are cut off, and JPEG of other sizes, are refused or have their pixels still") {
    const Folder folder;
    const fs::path path = folder / "a.tif";
    struct Coded {
        std::string bytes;
        std::uint64_t compression, bits;
        std::vector<std::uint8_t> pixels;
    };
    const auto whole = [&](const Coded& strip, std::uint64_t width, std::uint64_t height, std::size_t bytes) {
        put(path, make_tiff({tiff_picture(width, height, strip.bits, 1, 8, bytes, {{259, 3, {strip.compression}}})}, strip.bytes));
    };
    // By libtiff, of four rows of 16 pixels.
    const std::uint16_t rows_of_bits[] = {0x8708, 0xc337, 0x9e98, 0x7118};
    std::vector<std::uint8_t> black_and_white;
    for (const std::uint16_t row : rows_of_bits)
        for (int x = 15; x >= 0; --x) black_and_white.push_back((row >> x & 1) != 0 ? 255 : 0);
    std::vector<Coded> all;
    all.push_back({bytes_of_hex("35575a8035ef7c78354ec74fc01e851c00"), 2, 1, black_and_white});
    all.push_back({bytes_of_hex("00135575a800135ef7c78004d53b1d3f00023d0a38"), 3, 1, black_and_white});
    all.push_back({bytes_of_hex("26a8dc6d6dc240b4090409bb0497001001"), 4, 1, black_and_white});
    const auto jpeg = [&](std::int64_t width, std::int64_t height) {
        const fs::path made = folder / fmt::format("{}x{}.jpg", width, height);
        const HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', height}, {'x', width}}));
        for (std::int64_t i = 0; i < width * height; ++i) array.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 7);
        io::write(made, array);
        return Coded{get(made), 7, 8, values_of<std::uint8_t>(io::read(made))};
    };
    all.push_back(jpeg(16, 4));
    for (const Coded& strip : all) {
        CAPTURE(strip.compression);
        whole(strip, 16, 4, strip.bytes.size());
        CHECK(problem(path, strip.pixels) == "");
        int refused = 0;
        for (std::size_t bytes = 1; bytes < strip.bytes.size(); ++bytes) {
            CAPTURE(bytes);
            whole(strip, 16, 4, bytes);
            refused += problem(path, strip.pixels).find("cannot be decoded") != std::string::npos;
        }
        CHECK(refused > static_cast<int>(strip.bytes.size()) - 5);   // whose last bits mean nothing
    }
    for (const auto& [width, height] : {std::pair(16, 2), {8, 4}, {8, 8}, {24, 4}, {1, 1}}) {
        CAPTURE(width);
        const Coded strip = jpeg(width, height);
        whole(strip, 16, 4, strip.bytes.size());
        CHECK(problem(path, {}).find("cannot be decoded") != std::string::npos);
    }
}

TEST_CASE("tiff: strips by CCITT RLE have their own bits alone, also in short rows at their ends") {
    const Folder folder;
    const fs::path path = folder / "a.tif";
    // Three strips of two rows of seven pixels of one colour (1111) and two of the other (11), filled up to bytes.
    std::string strips;
    TiffEntry offsets{273, 4, {}}, counts{279, 4, {}};
    std::vector<std::uint8_t> wanted;
    for (int strip = 0; strip < 3; ++strip) {
        offsets.values.push_back(8 + strips.size());
        counts.values.push_back(2);
        strips += "\xfc\xfc";
        for (int x = 0; x < 18; ++x) wanted.push_back(x % 9 < 7 ? 0 : 255);
    }
    put(path, make_tiff({tiff_picture(9, 6, 1, 1, 0, 0, {{259, 3, {2}}, offsets, {278, 4, {2}}, counts})}, strips));
    CHECK(problem(path, wanted) == "");
}

TEST_CASE("tiff: a strip by WebP of other columns or of fewer rows is refused") {
    const Folder folder;
    const fs::path path = folder / "a.tif";
    // 3 x 2 pixels without loss and 16 x 16 with, of red 200, green and blue 10, by Pillow.
    const std::string small = bytes_of_hex("524946461e000000574542505650384c110000002f024000000750852257a1ff8188e87f0000");
    const std::string large = bytes_of_hex(
        "524946463800000057454250565038202c0000009001009d012a1000100002c04c25a00274ba00039800feef9ac7d0a36512a97ff49b3fe26cff89b3e3980000");
    const auto put_strip = [&](const std::string& bytes, std::uint64_t width, std::uint64_t height) {
        put(path, make_tiff({tiff_picture(width, height, 8, 2, 8, bytes.size(), {{258, 3, {8, 8, 8}}, {259, 3, {50001}}, {277, 3, {3}}})}, bytes));
    };
    put_strip(small, 3, 2);
    try {
        CHECK(values_of<std::uint8_t>(io::read(path))[0] == 200);
    } catch (const IoError& error) {   // libtiff may have been built without
        MESSAGE("skipped: " << error.problem);
        return;
    }
    for (const auto& [width, height] : {std::pair(4, 2), {2, 2}, {3, 3}}) {
        put_strip(small, static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height));
        CHECK(problem(path, {}).find("its picture of WebP has 3 columns and 2 rows") != std::string::npos);
    }
    put_strip(large, 16, 32);
    CHECK(problem(path, {}).find("its picture of WebP has 16 columns and 16 rows") != std::string::npos);
}
