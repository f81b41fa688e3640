// Volumes with a header of text or a partner beside them, archives, packed pixels, levels and images to choose from.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "io/support.hpp"
#include "io/unlike_pages.hpp"
#include "support/helper.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

const std::string elements("\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00\x07\x00\x08\x00", 16);   // i16: 2 x 2 x 2
const std::vector<std::int16_t> values = {1, 2, 3, 4, 5, 6, 7, 8};

std::string deflated(const std::string& text, int bits) {
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string out(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string nrrd(const std::string& more) {
    return "NRRD0004\ntype: short\ndimension: 3\nsizes: 2 2 2\nendian: little\n" + more + "\n";
}

std::string meta(const std::string& more, const std::string& file = "LOCAL") {
    return "ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\nElementType = MET_SHORT\n" + more + "ElementDataFile = " + file +
           "\n";
}

std::string fits(const std::vector<std::string>& cards, const std::string& data) {
    std::string out;
    for (std::string card : cards) {
        card.resize(80, ' ');
        out += card;
    }
    out += "END";
    out.resize((out.size() + 2879) / 2880 * 2880, ' ');
    out += data;
    out.resize((out.size() + 2879) / 2880 * 2880, '\0');
    return out;
}

struct ZipEntry {
    std::string name, bytes;
    bool packed = false;
};

std::string zip(const std::vector<ZipEntry>& entries) {
    Bytes out, list;
    for (const ZipEntry& e : entries) {
        const std::string stored = e.packed ? deflated(e.bytes, -15) : e.bytes;
        const auto at = static_cast<std::uint32_t>(out.text.size());
        const auto common = [&](Bytes& b) {
            b.add<std::uint16_t>(e.packed ? 8 : 0).add<std::uint32_t>(0).add<std::uint32_t>(0);
            b.add(static_cast<std::uint32_t>(stored.size())).add(static_cast<std::uint32_t>(e.bytes.size()));
            b.add(static_cast<std::uint16_t>(e.name.size())).add<std::uint16_t>(0);
        };
        out.add<std::uint32_t>(0x04034b50).add<std::uint16_t>(20).add<std::uint16_t>(0);
        common(out);
        out.add_text(e.name).add_text(stored);
        list.add<std::uint32_t>(0x02014b50).add<std::uint16_t>(20).add<std::uint16_t>(20).add<std::uint16_t>(0);
        common(list);
        list.add<std::uint16_t>(0).add<std::uint16_t>(0).add<std::uint16_t>(0).add<std::uint32_t>(0).add(at).add_text(e.name);
    }
    const auto at = static_cast<std::uint32_t>(out.text.size());
    out.add_text(list.text).add<std::uint32_t>(0x06054b50).add<std::uint32_t>(0);
    out.add(static_cast<std::uint16_t>(entries.size())).add(static_cast<std::uint16_t>(entries.size()));
    out.add(static_cast<std::uint32_t>(list.text.size())).add(at).add<std::uint16_t>(0);
    return out.text;
}

std::array<double, 3> origin_of(const Metadata& metadata) {
    REQUIRE(metadata.affine);
    return {(*metadata.affine)[3], (*metadata.affine)[7], (*metadata.affine)[11]};
}

}   // namespace

TEST_CASE("volumes: NRRD, attached and beside, raw and packed, with its space") {
    const Folder folder;
    const std::string space =
        "space: left-posterior-superior\nspace directions: (0.5,0,0) (0,0.5,0) (0,0,2)\nspace origin: (10,20,30)\n";
    put(folder / "v.raw", elements);
    for (const char* const name : {"first.raw", "part01.raw", "back9.raw"}) put(folder / name, elements.substr(0, 8));
    for (const char* const name : {"second.raw", "part02.raw", "back8.raw"}) put(folder / name, elements.substr(8));
    std::string big = elements;
    for (std::size_t i = 0; i < big.size(); i += 2) std::swap(big[i], big[i + 1]);
    const std::string swapped =
        "NRRD0004\ntype: int16\ndimension: 3\nsizes: 2 2 2\nendian: big\nencoding: raw\n" + space + "\n" + big;
    const std::vector<std::pair<const char*, std::string>> rows = {
        {"attached.nrrd", nrrd(space + "encoding: raw\n") + elements},
        {"packed.nrrd", nrrd(space + "encoding: gzip\n") + deflated(elements, 15 + 16)},
        {"beside.nhdr", nrrd(space + "encoding: raw\ndata file: v.raw\n")},
        {"without_end.nhdr",
         nrrd(space + "encoding: raw\ndatafile: v.raw").substr(0, nrrd(space + "encoding: raw\ndatafile: v.raw").size())},
        {"several.nhdr", nrrd(space + "encoding: raw\ndata file: LIST\nfirst.raw\nsecond.raw\n")},
        {"pattern.nhdr", nrrd(space + "encoding: raw\ndata file: part%02d.raw 1 2 1\n")},
        {"backwards.nhdr", nrrd(space + "encoding: raw\ndata file: back%d.raw 9 8 -1 2\n")},
        {"skipped.nhdr", nrrd(space + "encoding: raw\nbyte skip: -1\ndata file: v.raw\n")},
        {"big.nrrd", swapped},
    };
    for (const auto& [name, bytes] : rows) {
        CAPTURE(name);
        put(folder / name, bytes);
        const io::FileInfo info = io::info(folder / name);
        CHECK(info.format == "nrrd");
        const HostArray array = io::read(folder / name);
        CHECK(array.desc.describe() == "i16 2 x 2 x 2 (z, y, x)");
        CHECK(values_of<std::int16_t>(array) == values);
        CHECK(array.desc.unit == "mm");
        CHECK(array.desc.find('z')->spacing == 2);
        CHECK(origin_of(array.metadata) == std::array<double, 3>{-10, -20, 30});
        if (!info.parts.empty()) CHECK(info.parts.front().identity.has_value());
    }
    // Colours, vectors, times, and a space of another name.
    put(folder / "rgb.nrrd",
        "NRRD0005\ntype: uchar\ndimension: 3\nsizes: 3 2 1\nkinds: RGB-color domain domain\nencoding: raw\n\nabcdef");
    const io::FileInfo rgb = io::info(folder / "rgb.nrrd");
    CHECK(rgb.desc.describe() == "u8 1 x 2 x 3 (y, x, c)");
    CHECK(rgb.colour == io::Colour::rgb);
    // Complex numbers of integers are none of ours: their two parts are a list, which has a name.
    for (const char* const kind : {"complex", "Complex"}) {
        put(folder / "pairs.nrrd", std::string("NRRD0005\ntype: uchar\ndimension: 3\nsizes: 2 1 3\nkinds: ") + kind +
                                       " domain domain\nencoding: raw\n\nabcdef");
        CHECK(io::info(folder / "pairs.nrrd").desc.describe() == "u8 3 x 1 x 2 (y, x, c)");
    }
    put(folder / "times.nrrd",
        "NRRD0005\ntype: uchar\ndimension: 3\nsizes: 2 1 3\nkinds: domain domain time\nspacings: 1 1 0.25\nencoding: "
        "raw\n\nabcdef");
    CHECK(io::info(folder / "times.nrrd").desc.find('t')->spacing == 0.25);
    io::ReadOptions second;
    second.pages = {1, 2};
    CHECK(values_of<std::uint8_t>(io::read(folder / "times.nrrd", second)) == std::vector<std::uint8_t>{'c', 'd'});
    put(folder / "other.nrrd", nrrd("space dimension: 3\nspace directions: (1,0,0) (0,1,0) (0,0,1)\nencoding: raw\n") + elements);
    CHECK(io::info(folder / "other.nrrd").warnings.size() == 1);
}

TEST_CASE("volumes: MetaImage, attached and beside, raw and packed, with its space") {
    const Folder folder;
    const std::string space = "Offset = 10 20 30\nElementSpacing = 0.5 0.5 2\nTransformMatrix = 0 1 0 1 0 0 0 0 1\n";
    put(folder / "v.raw", elements);
    const std::vector<std::pair<const char*, std::string>> rows = {
        {"attached.mha", meta(space) + elements},
        {"packed.mha", meta(space + "CompressedData = True\n") + deflated(elements, 15)},
        {"beside.mhd", meta(space, "v.raw")},
        {"list.mhd", meta(space, "LIST\nv.raw")},
        {"pattern.mhd", meta(space, "part%03d.raw 1 2 1")},
    };
    put(folder / "part001.raw", elements.substr(0, 8)), put(folder / "part002.raw", elements.substr(8));
    for (const auto& [name, bytes] : rows) {
        CAPTURE(name);
        put(folder / name, bytes);
        const HostArray array = io::read(folder / name);
        CHECK(values_of<std::int16_t>(array) == values);
        CHECK(array.desc.unit == "mm");
        CHECK(array.desc.find('z')->spacing == 2);
        CHECK(origin_of(array.metadata) == std::array<double, 3>{-10, -20, 30});
        CHECK((*array.metadata.affine)[4] == -0.5);   // x goes to the back
    }
    put(folder / "rgb.mha",
        "ObjectType = Image\nNDims = 2\nDimSize = 2 1\nElementNumberOfChannels = 3\nElementType = MET_UCHAR\nElementDataFile = "
        "LOCAL\nabcdef");
    CHECK(io::info(folder / "rgb.mha").desc.describe() == "u8 1 x 2 x 3 (y, x, c)");
}

TEST_CASE("volumes: patterns of names that do not fit, or lead elsewhere, are refused") {
    const Folder folder;
    for (const auto& [pattern, words] :
         std::map<std::string, std::string>{{"a%s.raw 1 2 1", "not one that is followed"},
                                            {"a%d%d.raw 1 2 1", "not one that is followed"},
                                            {"a%n.raw 1 2 1", "not one that is followed"},
                                            {"a%999999999d.raw 1 2 1", "not one that is followed"},
                                            {"a%d.raw 1 2 0", "do not fit together"},
                                            {"a%d.raw 2 1 1", "do not fit together"},
                                            {"a%d.raw -3 1 1", "do not fit together"},
                                            {"a%d.raw one 2 1", "do not fit together"},
                                            {"a%d.raw 1 1000000000 1", "more than 4096 names"},
                                            {"a%d.raw 0 9223372036854775807 1", "do not fit together"},
                                            {"../a%d.raw 1 2 1", "not in its own folder"},
                                            {"a%d.raw 1 2 1", "names the file \"a1.raw\""}}) {
        CAPTURE(pattern);
        put(folder / "p.nhdr", nrrd("encoding: raw\ndata file: " + pattern + "\n"));
        CHECK(io_error(folder / "p.nhdr", [&] { io::info(folder / "p.nhdr"); }).problem.find(words) != std::string::npos);
        put(folder / "p.mhd", meta("", pattern));
        CHECK(io_error(folder / "p.mhd", [&] { io::info(folder / "p.mhd"); }).problem.find(words) != std::string::npos);
    }
}

TEST_CASE("volumes: MATLAB 4 has no mark, and is known by what its header must be") {
    const Folder folder;
    for (const bool big : {false, true}) {
        Bytes file{{}, big};
        file.add<std::int32_t>(big ? 1000 : 0)
            .add<std::int32_t>(2)
            .add<std::int32_t>(3)
            .add<std::int32_t>(0)
            .add<std::int32_t>(4);
        file.add_text(std::string("abc\0", 4)).add_all<double>({1, 2, 3, 4, 5, 6});
        put(folder / "four.mat", file.text);
        if (host::program_beside("parallax-read-mat").empty()) {
            CHECK(io_error(folder / "four.mat", [&] { io::info(folder / "four.mat"); }).problem.find("MATLAB") !=
                  std::string::npos);
            continue;
        }
        const HostArray array = io::read(folder / "four.mat");
        CHECK(array.desc.describe() == "f64 2 x 3 (y, x)");
        CHECK(values_of<double>(array) == std::vector<double>{1, 3, 5, 2, 4, 6});
    }
    put(folder / "none.mat", std::string(100, '\0'));
    CHECK(io_error(folder / "none.mat", [&] { io::info(folder / "none.mat"); }).problem.find("does not begin as one") !=
          std::string::npos);
}

TEST_CASE("volumes: a NIfTI pair") {
    const Folder folder;
    NiftiFixture fixture;
    fixture.dim = {3, 2, 2, 2};
    std::string header = fixture.header().substr(0, 348);
    header.replace(344, 3, "ni1");
    std::string at_0 = header;   // its voxels begin where its file does
    at_0.replace(108, 4, std::string(4, '\0'));
    put(folder / "a.hdr", at_0), put(folder / "a.img", elements);
    CHECK(values_of<std::int16_t>(io::read(folder / "a.hdr")) == values);
    CHECK(io::info(folder / "a.hdr").parts.size() == 1);
    put(folder / "b.hdr", header), put(folder / "b.img", std::string(352, '\0') + elements);
    CHECK(values_of<std::int16_t>(io::read(folder / "b.hdr")) == values);
    for (const char* const ending : {".img", ".img.gz", ".raw"}) {   // the elements themselves: told what to read instead
        const fs::path file = folder / (std::string("a") + ending);
        put(file, elements);
        CHECK(io_error(file, [&] { io::info(file); }).hint.starts_with("a.hdr beside it"));
    }
    put(folder / "alone.img", elements);
    CHECK(io_error(folder / "alone.img", [&] { io::info(folder / "alone.img"); }).hint.starts_with("readable are"));
    put(folder / "c.hdr", at_0);
    CHECK(io_error(folder / "c.hdr", [&] { io::info(folder / "c.hdr"); }).problem.find("c.img") != std::string::npos);
}

TEST_CASE("volumes: FITS images, signed and unsigned, scaled, in extensions") {
    const Folder folder;
    const std::vector<std::string> head = {"SIMPLE  =                    T", "BITPIX  =                   16",
                                           "NAXIS   =                    2", "NAXIS1  =                    2",
                                           "NAXIS2  =                    1"};
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all = head;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    const std::string data("\x00\x01\xff\xff", 4);   // 1, -1
    put(folder / "a.fits", fits(head, data));
    CHECK(values_of<std::int16_t>(io::read(folder / "a.fits")) == std::vector<std::int16_t>{1, -1});
    put(folder / "b.fits", fits(with({"BZERO   =                32768"}), data));
    CHECK(values_of<std::uint16_t>(io::read(folder / "b.fits")) == std::vector<std::uint16_t>{32769, 32767});
    put(folder / "c.fits",
        fits(with({"BSCALE  =                  0.5", "BZERO   =                   10", "BLANK   =                   -1"}), data));
    const auto scaled = values_of<float>(io::read(folder / "c.fits"));
    CHECK(scaled[0] == 10.5f);
    CHECK(std::isnan(scaled[1]));
    const std::string extension =
        fits({"SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    0"}, "") +
        fits({"XTENSION= 'IMAGE   '", "BITPIX  =                    8", "NAXIS   =                    1",
              "NAXIS1  =                    3", "EXTNAME = 'SCI     '"},
             "abc") +
        fits({"XTENSION= 'IMAGE   '", "BITPIX  =                    8", "NAXIS   =                    1",
              "NAXIS1  =                    2", "EXTNAME = 'MASK'"},
             "de");
    put(folder / "d.fits", extension);
    CHECK(io::info(folder / "d.fits").ignored.size() == 1);
    CHECK(io::read(folder / "d.fits").desc.count() == 3);
    io::ReadOptions options;
    options.dataset = "MASK";
    CHECK(values_of<std::uint8_t>(io::read(folder / "d.fits", options)) == std::vector<std::uint8_t>{'d', 'e'});
    options.dataset = "2";
    CHECK(io::read(folder / "d.fits", options).desc.count() == 2);
    // Sizes of 0 are no image, nor damage: random groups begin so, and headers that stand for what follows.
    const auto empty = [&](std::vector<std::string> more) {
        std::vector<std::string> cards = {"SIMPLE  =                    T", "BITPIX  =                    8",
                                          "NAXIS   =                    2", "NAXIS1  =                    0",
                                          "NAXIS2  =                    3"};
        cards.insert(cards.end(), more.begin(), more.end());
        return fits(cards, "");
    };
    options.dataset.clear();
    put(folder / "f.fits", empty({"GROUPS  =                    T"}));
    CHECK(io_error(folder / "f.fits", [&] { io::info(folder / "f.fits"); }).problem.find("without an image: 0 (random groups)") !=
          std::string::npos);
    put(folder / "g.fits", empty({}) + extension.substr(2880));
    CHECK(io::read(folder / "g.fits").desc.count() == 3);
    // An image in tiles is a table to those who do not know it.
    const std::string tiles =
        fits({"SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    0"}, "") +
        fits({"XTENSION= 'BINTABLE'", "BITPIX  =                    8", "NAXIS   =                    2",
              "NAXIS1  =                    8", "NAXIS2  =                    1", "ZIMAGE  =                    T",
              "EXTNAME = 'TILES'"},
             std::string(8, 'x'));
    put(folder / "e.fits", tiles);
    for (const char* const dataset : {"", "TILES", "1"}) {
        options.dataset = dataset;
        const IoError error = io_error(folder / "e.fits", [&] { io::info(folder / "e.fits", options); });
        CHECK(error.problem.find("image is compressed") != std::string::npos);
        CHECK(error.hint.find("funpack") != std::string::npos);
    }
    options.dataset = "NONE";
    CHECK(io_error(folder / "d.fits", [&] { io::info(folder / "d.fits", options); }).hint.find("MASK") != std::string::npos);
}

TEST_CASE("volumes: one array of an NPZ archive") {
    const Folder folder;
    const std::string data = make_npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2, 2), }", elements);
    const std::string other = make_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", "abc");
    for (const bool packed : {false, true}) {
        put(folder / "one.npz", zip({{"data.npy", data, packed}}));
        CHECK(values_of<std::int16_t>(io::read(folder / "one.npz")) == values);
        put(folder / "two.npz", zip({{"data.npy", data, packed}, {"bg.npy", other, packed}}));
        CHECK(io_error(folder / "two.npz", [&] { io::info(folder / "two.npz"); }).problem.find("data, bg") != std::string::npos);
        io::ReadOptions options;
        options.dataset = "bg";
        CHECK(io::read(folder / "two.npz", options).desc.count() == 3);
        options.dataset = "data.npy";
        CHECK(values_of<std::int16_t>(io::read(folder / "two.npz", options)) == values);
    }
}

TEST_CASE("volumes: packed pixels of cameras") {
    const Folder folder;
    io::ReadOptions options;
    options.raw = io::RawLayout{ElementType::u16, {{'y', 1}, {'x', 4}}, 1, false, 12};
    put(folder / "p12.raw", std::string("\xff\x23\x61\x45\xbc\xfa\xde", 7));   // 0x123, 0x456, 0xabc, 0xdef behind one byte
    CHECK(values_of<std::uint16_t>(io::read(folder / "p12.raw", options)) ==
          std::vector<std::uint16_t>{0x123, 0x456, 0xabc, 0xdef});
    options.raw = io::RawLayout{ElementType::u16, {{'y', 1}, {'x', 4}}, 0, false, 10};
    put(folder / "p10.raw", std::string("\x01\x08\x30\x00\x01", 5));   // 1, 2, 3, 4
    CHECK(values_of<std::uint16_t>(io::read(folder / "p10.raw", options)) == std::vector<std::uint16_t>{1, 2, 3, 4});
    put(folder / "p10.raw", std::string("\x01\x08\x30\x00", 4));
    io_error(folder / "p10.raw", [&] { io::info(folder / "p10.raw", options); });
}

TEST_CASE("volumes: the levels of a pyramid, one image of several, one channel") {
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

TEST_CASE("volumes: 16-bit floats of TIFF") {
    const Folder folder;
    put(folder / "half.tif", make_tiff({tiff_picture(2, 1, 16, 1, 8, 4, {{339, 3, {3}}})}, std::string("\x00\x3c\x00\xc1", 4)));
    CHECK(values_of<float>(io::read(folder / "half.tif")) == std::vector<float>{1.0f, -2.5f});
}

TEST_CASE("volumes: what is written is read back, with its space") {
    const Folder folder;
    HostArray array = array_of(ArrayDesc::dense(ElementType::i16, {{'z', 2}, {'y', 2}, {'x', 2}}), values);
    array.desc = array.desc.with_spacing('x', 0.5).with_spacing('y', 0.25).with_spacing('z', 2).with_unit("mm");
    array.metadata.affine = std::array<double, 16>{0, 0.25, 0, 1, -0.5, 0, 0, 2, 0, 0, 2, 3, 0, 0, 0, 1};
    for (const char* const name : {"a.nrrd", "a.mha"}) {
        CAPTURE(name);
        io::write(folder / name, array);
        const HostArray back = io::read(folder / name);
        CHECK(same_elements(array, back));
        CHECK(back.desc == array.desc);
        REQUIRE(back.metadata.affine);
        for (std::size_t i = 0; i < 16; ++i) CHECK((*back.metadata.affine)[i] == doctest::Approx((*array.metadata.affine)[i]));
        CHECK(io::info(folder / name).warnings.empty());
    }
    for (const ElementType type :
         {ElementType::u8, ElementType::i8, ElementType::u16, ElementType::u32, ElementType::i32, ElementType::u64,
          ElementType::i64, ElementType::f32, ElementType::f64, ElementType::c64, ElementType::c128}) {
        const HostArray one = pattern(ArrayDesc::dense(type, {{'y', 3}, {'x', 5}}).with_spacing('x', 2).with_unit("mm"));
        CAPTURE(to_string(type));
        io::write(folder / "t.nrrd", one, {.overwrite = true});
        CHECK(same_elements(one, io::read(folder / "t.nrrd")));
        CHECK(io::read(folder / "t.nrrd").desc == one.desc);
        if (is_complex(type)) continue;
        io::write(folder / "t.mha", one, {.overwrite = true});
        CHECK(same_elements(one, io::read(folder / "t.mha")));
    }
    const HostArray colours = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 3}, {'x', 5}, {'c', 3}}));
    for (const char* const name : {"c.nrrd", "c.mha"}) {
        io::write(folder / name, colours);
        CHECK(io::info(folder / name).colour == io::Colour::rgb);
        CHECK(same_elements(colours, io::read(folder / name)));
    }
}

TEST_CASE("volumes: a single plane or voxel keeps its place and its thickness, whatever its header has for axes of one index") {
    const Folder folder;
    for (const std::int64_t width : {4, 1})
        for (const bool told : {false, true}) {   // a foreign header may have 1 for what its matrix says
            HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 1}, {'y', 1}, {'x', width}}));
            std::fill_n(array.data(), width, std::byte{7});
            array.desc = array.desc.with_unit("mm").with_spacing('y', 0.5).with_spacing('x', 0.5).with_spacing('z', told ? 3 : 1);
            array.metadata.affine = {0.5, 0, 0, -20, 0, 0.5, 0, 30, 0, 0, 3, 11, 0, 0, 0, 1};
            for (const char* const name : {"a.nii", "a.nii.gz", "a.nrrd", "a.mha", "a.zarr", "a.ome.zarr"}) {
                CAPTURE(name);
                CAPTURE(width);
                CAPTURE(told);
                io::write(folder / name, array, {.overwrite = true});
                const HostArray again = io::read(folder / name);
                REQUIRE(again.metadata.affine.has_value());
                if (const Axis* const z = again.desc.find('z')) CHECK(z->spacing == doctest::Approx(told ? 3 : 1));
                for (const std::size_t i : {3, 7, 11})
                    CHECK((*again.metadata.affine)[i] == doctest::Approx((*array.metadata.affine)[i]));
            }
        }
    // A column of zeros says nothing: where a plane stands across the two others is all that can be meant, and of more no place
    // is made up.
    HostArray flat = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 1}, {'y', 2}, {'x', 2}}));
    std::fill_n(flat.data(), 4, std::byte{7});
    flat.desc = flat.desc.with_unit("mm").with_spacing('z', 2).with_spacing('y', 0.5).with_spacing('x', 0.5);
    for (const char* const name : {"b.nrrd", "b.mha"}) {
        CAPTURE(name);
        flat.metadata.affine = {0.5, 0, 0, -20, 0, 0.5, 0, 30, 0, 0, 0, 11, 0, 0, 0, 1};
        io::write(folder / name, flat, {.overwrite = true});
        HostArray again = io::read(folder / name);
        REQUIRE(again.metadata.affine.has_value());
        CHECK((*again.metadata.affine)[10] == doctest::Approx(2));
        CHECK(get(folder / name).find("-0 ") == std::string::npos);
        flat.metadata.affine = {0, 0, 0, -20, 0, 0.5, 0, 30, 0, 0, 0, 11, 0, 0, 0, 1};
        io::write(folder / name, flat, {.overwrite = true});
        again = io::read(folder / name);
        CHECK(again.desc.find('z')->spacing == 2);
        CHECK(again.desc.find('x')->spacing == 0.5);
        if (again.metadata.affine) CHECK((*again.metadata.affine)[3] == 0);   // no place of its own
    }

    HostArray plane = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 2}}));
    std::fill_n(plane.data(), 4, std::byte{7});
    plane.desc = plane.desc.with_unit("mm").with_spacing('y', 0.5).with_spacing('x', 0.5);
    plane.metadata.affine = {0.5, 0, 0, -20, 0, 0.5, 0, 30, 0, 0, 3, 11, 0, 0, 0, 1};
    io::write(folder / "plane.nii", plane);
    float thickness = 0;
    const std::string header = get(folder / "plane.nii");
    std::memcpy(&thickness, header.data() + 76 + 3 * sizeof(float), sizeof thickness);   // pixdim[3]
    CHECK(thickness == 3);
}

TEST_CASE("volumes: OME-TIFF keeps axes, distances, times and names of channels") {
    const Folder folder;
    HostArray array = pattern(ArrayDesc::dense(ElementType::u16, {{'t', 2}, {'z', 3}, {'c', 2}, {'y', 4}, {'x', 5}}));
    array.desc =
        array.desc.with_unit("um").with_spacing('x', 0.5).with_spacing('y', 0.25).with_spacing('z', 2).with_spacing('t', 0.1);
    array.metadata.channels = {"DAPI", "a & \"b\""};
    io::write(folder / "a.ome.tif", array);
    const HostArray back = io::read(folder / "a.ome.tif");
    CHECK(same_elements(array, back));
    CHECK(back.desc == array.desc);
    CHECK(back.metadata.channels == array.metadata.channels);
    CHECK(io::info(folder / "a.ome.tif").warnings.empty());
    const HostArray wide = pattern(ArrayDesc::dense(ElementType::u64, {{'y', 4}, {'x', 5}}));
    CHECK(io_error(folder / "b.ome.tif", [&] { io::write(folder / "b.ome.tif", wide); }).problem.find("u64") !=
          std::string::npos);
    const HostArray rgb = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 4}, {'x', 5}, {'c', 3}}));
    io::write(folder / "c.ome.tif", rgb);
    CHECK(io::read(folder / "c.ome.tif").desc.describe() == rgb.desc.describe());

    // Samples of a pixel have one name together: those with names of their own are written as planes.
    for (const ElementType type : {ElementType::u8, ElementType::f32, ElementType::boolean}) {
        HostArray stains = pattern(ArrayDesc::dense(type, {{'z', 2}, {'y', 4}, {'x', 5}, {'c', 3}}));
        if (type == ElementType::boolean)
            std::transform(stains.data(), stains.data() + stains.desc.count(), stains.data(),
                           [](std::byte b) { return b & std::byte{1}; });
        stains.metadata.channels = {"DAPI", "GFP", "red"};
        fs::remove(folder / "d.ome.tif");
        io::write(folder / "d.ome.tif", stains);
        const HostArray planes = io::read(folder / "d.ome.tif");
        CHECK(planes.desc.describe() == fmt::format("{} 2 x 3 x 4 x 5 (z, c, y, x)", type == ElementType::f32 ? "f32" : "u8"));
        CHECK(planes.metadata.channels == stains.metadata.channels);
        bool right = true;
        const std::size_t bytes = bytes_of(type);
        for (std::size_t z = 0; z < 2; ++z)
            for (std::size_t at = 0; at < 20; ++at)
                for (std::size_t c = 0; c < 3; ++c) {
                    const std::byte *from = stains.data() + ((z * 20 + at) * 3 + c) * bytes,
                                    *to = planes.data() + ((z * 3 + c) * 20 + at) * bytes;
                    right = right && (type == ElementType::boolean ? (*from != std::byte{0}) == (*to != std::byte{0})
                                                                   : std::memcmp(from, to, bytes) == 0);
                }
        CHECK(right);
    }
    HostArray named = rgb;
    named.metadata.channels = {"red", "green", "blue"};   // as the colours say already
    io::write(folder / "e.ome.tif", named);
    CHECK(io::read(folder / "e.ome.tif").desc.describe() == rgb.desc.describe());
    HostArray line = pattern(ArrayDesc::dense(ElementType::u16, {{'x', 5}, {'c', 2}}));
    line.metadata.channels = {"DAPI", "GFP"};
    io::write(folder / "f.ome.tif", line);
    CHECK(io::read(folder / "f.ome.tif").metadata.channels == line.metadata.channels);
}

TEST_CASE("volumes: distances and times of FITS, each in the unit of its axis") {
    const Folder folder;
    const auto info = [&](std::vector<std::string> more) {
        std::vector<std::string> cards = {"SIMPLE  =                    T", "BITPIX  =                    8",
                                          "NAXIS   =                    3", "NAXIS1  =                    2",
                                          "NAXIS2  =                    1", "NAXIS3  =                    3"};
        cards.insert(cards.end(), more.begin(), more.end());
        put(folder / "a.fits", fits(cards, "abcdef"));
        return io::info(folder / "a.fits");
    };
    const io::FileInfo unlike =
        info({"CDELT1  = .5", "CUNIT1  = 'um'", "CDELT2  = -.25", "CUNIT2  = 'mm'", "CDELT3  = 2", "CUNIT3  = 'nm'"});
    CHECK(unlike.desc.unit == "um");
    CHECK(unlike.desc.find('x')->spacing == 0.5);
    CHECK(unlike.desc.find('y')->spacing == 250);
    CHECK(unlike.desc.find('z')->spacing == 0.002);
    CHECK(unlike.warnings.empty());
    const io::FileInfo frames = info({"CDELT1  = .5", "CUNIT1  = 'um'", "CDELT2  = .5", "CUNIT2  = 'um'", "CTYPE3  = 'TIME'",
                                      "CDELT3  = 20", "CUNIT3  = 'ms'"});
    REQUIRE(frames.desc.find('t') != nullptr);
    CHECK(frames.desc.find('t')->spacing == 0.02);
    CHECK(frames.page_axes == 1);
    const io::FileInfo flat = info({"CD1_1   = .5", "CUNIT1  = 'um'", "CD2_2   = .25", "CUNIT2  = 'um'"});
    CHECK(flat.desc.find('x')->spacing == 0.5);
    CHECK(flat.desc.find('y')->spacing == 0.25);
    REQUIRE(flat.warnings.size() == 1);
    CHECK(flat.warnings[0].text == "its header gives a spacing of other axes and none of z: it is taken for 1 um");
    CHECK(info({"CD1_1   = .5", "CD1_2   = .1", "CUNIT1  = 'um'"}).desc.unit.empty());   // turned
    CHECK(info({"CDELT1  = .5", "CUNIT1  = 'deg'"}).desc.unit.empty());
    const io::FileInfo spectra = info({"CDELT1  = .5", "CUNIT1  = 'deg'", "CDELT2  = .5", "CUNIT2  = 'deg'", "CTYPE3  = 'AWAV'",
                                       "CD3_3   = 1.25", "CUNIT3  = 'Angstrom'"});
    CHECK(spectra.desc.unit.empty());
    CHECK(spectra.warnings.empty());
}
