// Files that lie, end early or were damaged: an IoError with a name and a hint, or, where the damage cannot be seen, an
// array; never a crash, never a file left behind.
#include <cmath>

#include "io/file.hpp"
#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

struct Sample {
    std::string name, bytes;
};

std::string npy_i4() { return make_npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }", std::string(24, '\x05')); }

std::string nifti_i2(NiftiFixture nifti = {}) {
    if (nifti.dim.empty()) nifti.dim = {3, 3, 2, 2};
    return nifti.header() + std::string(24, '\x07');
}

/// A small whole file of every kind that is read.
std::vector<Sample> samples() {
    const Folder folder;
    const HostArray grey = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 5}, {'x', 7}}));
    const HostArray colour = pattern(ArrayDesc::dense(ElementType::u16, {{'y', 4}, {'x', 3}, {'c', 3}}));
    const HostArray stack = pattern(ArrayDesc::dense(ElementType::f32, {{'t', 2}, {'y', 3}, {'x', 4}}));
    std::vector<Sample> list = {
        {"a.jpg", small_jpeg()},
        {"a.bmp", small_bmp()},
        {"a.pgm", "P5 3 2 255\n\x01\x02\x03\x04\x05\x06"},
        {"text.pgm", "P2 3 2 255\n1 2 3 4 5 6"},
        {"a.npy", npy_i4()},
        {"fortran.npy", make_npy("{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3), }", std::string(48, '\x40'))},
        {"a.nii", nifti_i2()},
        {"tiled.tif", make_tiff({{{256, 3, {3}},
                                  {257, 3, {1}},
                                  {258, 3, {8}},
                                  {259, 3, {1}},
                                  {262, 3, {1}},
                                  {277, 3, {1}},
                                  {322, 3, {16}},
                                  {323, 3, {16}},
                                  {324, 4, {8}},
                                  {325, 4, {256}}}},
                                std::string(256, '\x09'))},
        {"big.tif", make_tiff({tiff_picture(2, 2, 16, 1, 16, 8)}, "abcdefgh", true, true)},
        {"four.tif", make_tiff({tiff_picture(3, 2, 4, 3, 8, 4, {{320, 3, std::vector<std::uint64_t>(48, 999)}})}, "abcd")},
        {"stack.tif", make_tiff({tiff_picture(2, 1, 16, 1, 8, 4, {tiff_text(270, "ImageJ=1.53\nimages=3\n")})}, "abcdefghijkl")}};
    for (const char* name : {"grey.png", "grey.tif", "grey.nii.gz"})
        io::write(folder / name, grey), list.push_back({name, get(folder / name)});
    for (const char* name : {"colour.png", "colour.tif"})
        io::write(folder / name, colour), list.push_back({name, get(folder / name)});
    for (const char* name : {"pages.tif", "pages.nii.gz"})
        io::write(folder / name, stack), list.push_back({name, get(folder / name)});
    Bytes mgh{{}, true};
    mgh.add_all<std::int32_t>({1, 3, 2, 2, 1, 4, 0}).add<std::int16_t>(1);
    mgh.add_all<float>({1, 1, 2, -1, 0, 0, 0, 0, -1, 0, 1, 0, 5, 6, 7}).pad_to(284);
    list.push_back({"a.mgh", mgh.text + std::string(24, '\x05')});
    for (const char* name : {"grey.nrrd", "grey.mha"}) io::write(folder / name, grey), list.push_back({name, get(folder / name)});
    return list;
}

/// Reading ends well, or in an IoError that names the file. Returns whether it ended well.
bool survives(const fs::path& path) {
    io::ReadOptions options;
    options.limit_bytes = 1 << 20;
    bool well = true;
    for (const bool channels : {false, true}) {
        options.grey = !channels;
        try {
            const HostArray array = io::read(path, options);
            if (!array.memory || array.desc.dense_bytes() > options.limit_bytes || !array.desc.is_dense())
                FAIL("an array past the limit");
        } catch (const IoError& error) {
            if (error.problem.empty() || error.path.find(path.filename().string()) == std::string::npos)
                FAIL("an error without a name: " << error.what());
            well = false;
        }
    }
    try {
        io::info(path);
    } catch (const IoError&) {
    }
    return well;
}

}  // namespace

TEST_CASE("the samples are whole") {
    const Folder folder;
    for (const Sample& sample : samples()) {
        CAPTURE(sample.name);
        put(folder / sample.name, sample.bytes);
        CHECK(survives(folder / sample.name));
    }
}

TEST_CASE("files that end early are noticed wherever they end") {
    const Folder folder;
    for (const Sample& sample : samples()) {
        CAPTURE(sample.name);
        const fs::path path = folder / sample.name;
        for (std::size_t length = 1; length < sample.bytes.size(); ++length) {
            put(path, sample.bytes.substr(0, length));
            if (survives(path)) FAIL_CHECK("read well, cut off after " << length << " of " << sample.bytes.size() << " bytes");
        }
        fs::remove(path);
    }
}

TEST_CASE("no damaged byte crashes a reader") {
    const Folder folder;
    for (const Sample& sample : samples()) {
        CAPTURE(sample.name);
        const fs::path path = folder / sample.name;
        int refused = 0;
        for (std::size_t at = 0; at < sample.bytes.size(); ++at) {
            // All of the header, and every few bytes of what follows.
            if (at > 600 && at % 7 != 0) continue;
            for (const int change : {0x01, 0x80, 0xff}) {
                std::string bytes = sample.bytes;
                bytes[at] = static_cast<char>(bytes[at] ^ change);
                put(path, bytes);
                refused += !survives(path);
            }
        }
        CHECK(refused > 0);
        fs::remove(path);
    }
}

TEST_CASE("every broken file has its sentence") {
    struct Row {
        std::string name, bytes, problem;  ///< a part of the sentence
    };
    const auto nifti = [](auto change) {
        NiftiFixture fixture;
        fixture.dim = {3, 3, 2, 2};
        change(fixture);
        return nifti_i2(fixture);
    };
    const auto with = [](std::string bytes, std::size_t at, const std::string& change) {
        return bytes.replace(at, change.size(), change);
    };
    const auto floats = [](std::initializer_list<float> values) { return Bytes{}.add_all(values).text; };
    const auto npy = [](const std::string& dictionary) { return make_npy(dictionary, std::string(24, '\0')); };
    const auto tiff = [](std::vector<TiffEntry> more) {
        return make_tiff({tiff_picture(4, 1, 8, 1, 8, 4, std::move(more))}, "abcd");
    };
    // The entry with another type than its own.
    const auto typed = [&](std::uint16_t type, const TiffEntry& entry) {
        const auto words = [](std::uint16_t tag, std::uint16_t of) { return Bytes{}.add(tag).add(of).text; };
        std::string bytes = tiff({entry});
        return bytes.replace(bytes.rfind(words(entry.tag, entry.type)), 4, words(entry.tag, type));
    };
    const auto nrrd = [](const std::string& more) {
        return "NRRD0004\ntype: uchar\ndimension: 1\nsizes: 4\nencoding: raw\n" + more + "\nabcdefgh";
    };
    const auto meta = [](const std::string& more) {
        return "ObjectType = Image\nNDims = 1\nDimSize = 4\n" + more +
               "ElementType = MET_UCHAR\nElementDataFile = LOCAL\nabcdefgh";
    };
    // The directory leads back to itself.
    const auto led_back = [](std::string bytes) {
        const auto number = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])); };
        const std::size_t directory = number(4) + 256 * number(5), entries = number(directory);
        return bytes.replace(directory + 2 + 12 * entries, 4, bytes.substr(4, 4));
    };
    const std::string png_size = [] {
        // 10^9 x 10^9 pixels; the header's checksum is right, so that libpng believes it.
        Bytes b{{}, true};
        b.add_text("\x89PNG\r\n\x1a\n")
            .add<std::uint32_t>(13)
            .add_text("IHDR")
            .add<std::uint32_t>(1000000000)
            .add<std::uint32_t>(1000000000);
        b.add<std::uint8_t>(8)
            .add<std::uint8_t>(0)
            .add<std::uint8_t>(0)
            .add<std::uint8_t>(0)
            .add<std::uint8_t>(0)
            .add<std::uint32_t>(0x41f75938);
        return b.add<std::uint32_t>(4).add_text("IDAT").add<std::uint32_t>(0).add<std::uint32_t>(0).text;
    }();
    const std::vector<Row> rows = {
        {"empty.png", "", "empty"},
        {"words.png", "these are words and no picture", "does not begin as one"},
        {"words.xyz", "these are words and no picture", "is a text file"},
        {"table.csv", "a,b\n1,2\n", "is a text file"},
        {"huge.png", png_size, "cannot come out of"},
        {"words.npy", "these are words and no array", "does not begin as one"},
        {"packed.npy", "\x1f\x8b\x08 and no gzip behind it", "gzip stream is damaged"},
        {"version.npy", with(npy_i4(), 6, "\x09"), "NPY version 9"},
        {"header.npy", with(npy_i4(), 8, "\xff\xff"), "its header has 65535 bytes"},
        {"objects.npy", npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"), "\"|O\""},
        {"text.npy", npy("{'descr': '<U3', 'fortran_order': False, 'shape': (2,), }"), "\"<U3\""},
        {"record.npy", npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2,), }"), "records or objects"},
        {"long.npy", npy("{'descr': '<f16', 'fortran_order': False, 'shape': (1,), }"), "\"<f16\""},
        {"lies.npy", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1000000000, 1000000000), }"), "follow its header"},
        {"overflow.npy", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"),
         "more than 2^63 bytes"},
        {"digits.npy", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,), }"), "size past 2^63"},
        {"none.npy", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (0, 3), }"), "its axis y is 0"},
        {"negative.npy", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (-2, 3), }"), "no tuple of whole numbers"},
        {"missing.npy", npy("{'descr': '<i4', 'shape': (2, 3), }"), "lacks one of"},
        {"zero.npy", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (02, 3), }"), "no tuple of whole numbers"},
        {"number.npy", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (6), }"), "no tuple of whole numbers"},
        {"more.npy", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), } 7"), "goes on behind its dictionary"},
        {"open.npy", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3"), "no tuple"},
        {"empty.npy", make_npy("", ""), "no '{'"},
        {"pair.nii", with(nifti_i2(), 344, "ni1"), "pair.nii.img"},
        {"analyze.nii", with(nifti_i2(), 344, std::string(3, '\0')), "not its magic word"},
        {"dimensions.nii", nifti([](auto& n) { n.dim[0] = 9; }), "9 dimensions"},
        {"negative.nii", nifti([](auto& n) { n.dim[1] = -3; }), "its axis x is -3"},
        {"lies.nii", nifti([](auto& n) {
             n.dim = {3, 32767, 32767, 32767};
         }),
         "but it has"},
        {"overflow.nii", nifti([](auto& n) { n.dim = {5, 32767, 32767, 32767, 32767, 32767}; }), "more than 2^63 bytes"},
        {"many.nii", nifti([](auto& n) { n.dim = {6, 1, 1, 1, 1, 1, 2}; }), "6 dimensions"},
        {"type.nii", nifti([](auto& n) { n.datatype = 1536; }), "data type 1536"},
        {"inside.nii", with(nifti_i2(), 108, floats({100})), "voxels begin at byte 100, inside its header"},
        {"behind.nii", with(nifti_i2(), 108, floats({348})), "inside its header"},
        {"half.nii", with(nifti_i2(), 108, floats({352.5f})), "voxels begin at byte 352.5"},
        {"nan.nii", nifti([](auto& n) { n.pixdim[2] = std::nanf(""); }), "apart along y (pixdim[2])"},
        {"infinite.nii", nifti([](auto& n) { n.pixdim[3] = INFINITY; }), "says that its voxels are inf apart along z"},
        {"words.nii.gz", "these are words", "does not begin as one"},
        {"width.tif", tiff({{256, 4, {1000000000}}, {257, 4, {1000000000}}, {278, 4, {1000000000}}}), "cannot come out of"},
        {"zero.tif", tiff({{256, 4, {0}}}), "TIFF"},
        {"offset.tif", tiff({{273, 4, {100000}}}), "cannot be decoded"},
        {"bits.tif", tiff({{258, 3, {12}}}), "12-bit unsigned"},
        {"half.tif", tiff({{258, 3, {24}}, {339, 3, {3}}, {256, 4, {2}}}), "24-bit floating-point"},
        {"no_end.nrrd", "NRRD0004\ntype: short\n", "ends inside"},
        {"type.nrrd", "NRRD0004\ntype: block\ndimension: 1\nsizes: 1\nencoding: raw\n\n", "\"block\""},
        {"sizes.nrrd", "NRRD0004\ntype: uchar\ndimension: 2\nsizes: 1\nencoding: raw\n\na", "1 sizes for 2"},
        {"text.nrrd", "NRRD0004\ntype: uchar\ndimension: 1\nsizes: 1\nencoding: ascii\n\n7", "\"ascii\""},
        {"short.nrrd", "NRRD0004\ntype: uchar\ndimension: 1\nsizes: 4\nencoding: raw\n\nabc", "but 3 follow"},
        {"order.nrrd", "NRRD0004\ntype: short\ndimension: 1\nsizes: 1\nencoding: raw\n\nab", "byte order"},
        {"up.nhdr", "NRRD0004\ntype: uchar\ndimension: 1\nsizes: 1\nencoding: raw\ndata file: ../x.raw\n\n",
         "not in its own folder"},
        {"gone.nhdr", "NRRD0004\ntype: uchar\ndimension: 1\nsizes: 1\nencoding: raw\ndata file: gone.raw\n\n", "no such file"},
        {"end.nrrd", "NRRD0004\ntype: uchar\ndimension: 1\nsizes: 9\nencoding: raw\nbyte skip: -1\n\nabcd", "but 4 follow"},
        {"skip.nrrd", nrrd("byte skip: 4.0\n"), "has \"4.0\" in the field \"byte skip\""},
        {"packed.nrrd", "NRRD0004\ntype: uchar\ndimension: 1\nsizes: 9\nencoding: gzip\nbyte skip: 5\n\nabcd", "has a byte skip of 5"},
        {"word.nrrd", nrrd("byte skip: abc\n"), "has \"abc\" in the field \"byte skip\""},
        {"lines.nrrd", nrrd("lineskip: 1.0\n"), "has \"1.0\" in the field \"line skip\""},
        {"size.nrrd", "NRRD0004\ntype: uchar\ndimension: 1\nsizes: 4.0\nencoding: raw\n\nabcd",
         "has \"4.0\" in the field \"sizes\""},
        {"spacing.nrrd", nrrd("spacings: foo\n"), "has \"foo\" in the field \"spacings\""},
        {"origin.nrrd", nrrd("space: LPS\nspace directions: (1,0,0)\nspace origin: (1,2,x)\n"), "space origin \"(1,2,x)\""},
        {"twice.nrrd", nrrd("type: int8\n"), "the key \"type\" twice in its NRRD header, as \"uchar\" and as \"int8\""},
        {"head.mha", meta("HeaderSize = abc\n"), "has \"abc\" for HeaderSize"},
        {"inside.mha", meta("HeaderSize = 8\n"), "has a HeaderSize of 8, inside its own header"},
        {"channels.mha", meta("ElementNumberOfChannels = 2.5\n"), "has \"2.5\" for ElementNumberOfChannels"},
        {"size.mha", "ObjectType = Image\nNDims = 1\nDimSize = 4x\nElementType = MET_UCHAR\nElementDataFile = LOCAL\nabcd",
         "has \"4x\" for DimSize"},
        {"spacing.mha", meta("ElementSpacing = 2 mm\n"), "has \"2 mm\" for 1 numbers"},
        {"twice.mha", meta("DimSize = 2\n"), "the key \"dimsize\" twice in its MetaImage header, as \"4\" and as \"2\""},
        {"orders.mha", meta("ElementByteOrderMSB = True\nBinaryDataByteOrderMSB = False\n"), "of its byte order"},
        {"no_file.mha", "ObjectType = Image\nNDims = 1\n", "no ElementDataFile"},
        {"list.mhd", "ObjectType = Image\nNDims = 1\nDimSize = 4\nElementType = MET_UCHAR\nElementDataFile = LIST\n",
         "names no file for its elements"},
        {"end.mha",
         "ObjectType = Image\nNDims = 1\nDimSize = 9\nHeaderSize = -1\nElementType = MET_UCHAR\nElementDataFile = LOCAL\nabcd",
         "but 4 follow"},
        {"type.mha", "ObjectType = Image\nNDims = 1\nDimSize = 1\nElementType = MET_STRING\nElementDataFile = LOCAL\na",
         "MET_STRING"},
        {"text.mha",
         "ObjectType = Image\nNDims = 1\nBinaryData = False\nDimSize = 1\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n7",
         "as text"},
        {"tube.mha", "ObjectType = Tube\nNDims = 1\nElementDataFile = LOCAL\n", "a Tube"},
        {"empty.npz", std::string("PK\x03\x04", 4) + std::string(100, '\0'), "without a list of entries"},
        {"cmyk.tif", tiff({{262, 3, {5}}, {258, 3, {8, 8, 8, 8}}, {277, 3, {4}}, {256, 4, {1}}}), "colour model 5"},
        {"codec.tif", tiff({{259, 3, {34933}}}), "method 34933"},
        // libtiff passes over what it has no use for, and gives the differences themselves.
        {"differences.tif", tiff({{317, 3, {2}}}), "differences of neighbours (Predictor) and is uncompressed"},
        {"packbits.tif", tiff({{259, 3, {32773}}, {317, 3, {2}}}), "(Predictor) and is compressed by packbits"},
        {"two.tif", tiff({{317, 3, {2, 2}}}), "does not say its Predictor (tag 317) as TIFF has it, but as 2 values of type 3"},
        {"none.tif", tiff({{317, 3, {}}}), "as 0 values of type 3"},
        {"byte.tif", typed(7, {317, 3, {2}}), "(tag 317) as TIFF has it, but as a value of type 7"},
        {"unknown.tif", typed(4099, {266, 3, {2}}), "FillOrder (tag 266) as TIFF has it, but as a value of type 4099"},
        {"order.tif", tiff({{266, 3, {3}}}), "FillOrder (tag 266) as TIFF has it, but as a value of type 3: 3"},
        {"large.tif", tiff({{317, 4, {65538}}}), "as a value of type 4: 65538"},
        {"photometric.tif", typed(2, {262, 3, {1}}), "PhotometricInterpretation (tag 262)"},
        {"fax.tif", typed(7, {292, 4, {1}}), "T4Options (tag 292)"},
        {"reduced.tif", typed(0, {254, 4, {1}}), "NewSubfileType (tag 254)"},
        {"long.tif", tiff({{262, 3, {3}}, {320, 4, std::vector<std::uint64_t>(768, 65536)}}), "as 768 values of type 4"},
        {"colours.tif", tiff({{262, 3, {3}}, {320, 3, std::vector<std::uint64_t>(767)}}),
         "ColorMap (tag 320) as TIFF has it, but as 767"},
        {"turned.tif", make_tiff({tiff_picture(4, 1, 8, 1, 16, 4, {{317, 3, {3}}})}, "abcd", true, true), "(Predictor)"},
        {"palette.tif", tiff({{262, 3, {3}}, {258, 3, {4}}}), "damaged"},
        {"channels.tif", tiff({{258, 3, {8, 8}}, {277, 3, {2}}, {256, 4, {2}}}), "2 channels that are not colours"},
        {"images.tif", tiff({tiff_text(270, "ImageJ=1.53\nimages=1000000000\n")}), "1000000000 images"},
        {"minus.tif", tiff({tiff_text(270, "ImageJ=1.53\nimages=9223372036854775807\n")}), "9223372036854775807 images"},
        {"pieces.tif",
         tiff({tiff_text(270, "ImageJ=1.53\nimages=2\n"),
               {278, 4, {1}},
               {257, 4, {2}},
               {256, 4, {2}},
               {273, 4, {8, 9}},
               {279, 4, {2, 2}}}),
         "not in one piece"},
        {"directory.tif", std::string("II*\0\xff\xff\0\0", 8), "damaged TIFF"},
        {"loop.tif", led_back(tiff({})), "go round in a loop"},
        {"palette.bmp", with(small_bmp(), 46, std::string("\xff\xff\0\0", 4)), "palette of 65535 colours"},
        {"index.bmp", with(small_bmp(), 46, std::string("\x05\0\0\0", 4)), "a pixel of colour 5 in a palette of 5"},
        {"index.png",   // 2 x 1 of a palette of two
         std::string("\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x02\x00\x00\x00\x01"
                     "\x08\x03\x00\x00\x00\xc3\xfc\x8f\xb8\x00\x00\x00\x06\x50\x4c\x54\x45\x0a\x14\x1e\x28\x32\x3c\xd5"
                     "\x1b\xb4\xe9\x00\x00\x00\x0b\x49\x44\x41\x54\x78\xda\x63\x60\x64\x02\x00\x00\x07\x00\x04\xe5\xed"
                     "\x94\xcf\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82",
                     86),
         "a pixel of colour 2 in a palette of 2"},
        {"rle.bmp", with(small_bmp(), 30, "\x01"), "compressed BMP"},
        {"bits.bmp", with(small_bmp(), 28, "\x07"), "7 bits a pixel"},
        {"header.bmp", with(small_bmp(), 14, "\x0d"), "BMP header of 13 bytes"},
        {"lies.bmp", with(small_bmp(), 18, std::string("\xff\xff\xff\x7f\xff\xff\xff\x7f", 8)), "bytes of pixels begin"},
        {"lowest.bmp", with(small_bmp(), 22, std::string("\0\0\0\x80", 4)), "bytes of pixels begin"},
        {"offset.bmp", with(small_bmp(), 10, "\x01"), "begin at byte 1025, inside its headers"},
        {"inside.bmp", with(small_bmp(), 10, std::string("\x36\0", 2)),
         "begin at byte 54, inside its headers"},   // where its palette is
        {"lies.pgm", "P5 1000000000 1000000000 255\nabc", "bytes follow its header"},
        {"number.pgm", "P5 99999999999999999999 1 255\nabc", "past 2147483647"},
        {"word.pgm", "P5 width 1 255\nabc", "no number"},
        {"most.pgm", "P5 1 1 70000\nabc", "70000 as its largest value"},
        {"above.pgm", "P2 1 1 7\n9\n", "holds 9 where 7"},
        {"bytes.pgm", "P5 2 2 100\n\x05\x64\xc8\x63", "holds 200 where 100"},
        {"words.pgm", std::string("P5 2 1 1000\n\x03\xe8\x03\xe9", 16), "holds 1001 where 1000"},
        {"colours.ppm", "P6 1 1 7\n\x07\x08\x07", "holds 8 where 7"},
        {"point.pgm", "P2 2 2 255 1.5 2.5 3 4", "has '.' behind the digits of the pixels"},
        {"minus.pgm", "P2 2 1 255 1-2", "has '-' behind the digits"},
        {"comma.pgm", "P2 2 1 255 1,2", "has ',' behind the digits"},
        {"letters.pgm", "P2 2 1 255 1a2b3", "has 'a' behind the digits"},
        {"power.pgm", "P2 1 1 255 1e2", "has 'e' behind the digits"},
        {"below.pgm", "P2 1 1 255 -1", "no number where the pixels should stand, but '-'"},
        {"cross.pgm", "P5 2x2 255 abcd", "has 'x' behind the digits of the width"},
        {"stuck.pgm", "P5 2 2 255\x01\x02\x03\x04", "has the byte 0x01 behind the digits of the largest value"},
        {"remark.pgm", "P5 2 2\n255#hello\nabcd", "has a comment directly behind the largest value"},
        {"words.jpg", "\xff\xd8\xff and nothing else of a JPEG", "JPEG data are damaged"},
        {"half.jpg", small_jpeg().substr(0, 300), "damaged or cut off"},
    };
    REQUIRE(rows.size() >= 50);
    const Folder folder;
    for (const Row& row : rows) {
        CAPTURE(row.name);
        const fs::path path = folder / row.name;
        put(path, row.bytes);
        const IoError error = io_error(path, [&] { io::read(path, {.grey = true}); });
        CAPTURE(error.problem);
        CHECK(error.problem.find(row.problem) != std::string::npos);
        CHECK_FALSE(error.hint.empty());
        CHECK(std::string(error.what()).find(row.name) != std::string::npos);
        CHECK(folder.entries() == 1);
        fs::remove(path);
    }
    // What libtiff takes: 0 for nothing said, a palette of longer numbers, and of equal tags the first.
    std::vector<TiffEntry> twice = tiff_picture(4, 1, 8, 1, 8, 4);
    const auto behind = [&](std::uint16_t tag) {
        return std::find_if(twice.begin(), twice.end(), [&](const TiffEntry& entry) { return entry.tag > tag; });
    };
    twice.insert(behind(258), {258, 3, {4}}), twice.insert(behind(262), {262, 3, {3}}), twice.insert(behind(317), {317, 3, {1}});
    twice.insert(behind(317), {317, 3, {2, 2}});
    for (const std::string& sound : {tiff({{266, 3, {0}}}), make_tiff({twice}, "abcd")}) {
        put(folder / "a.tif", sound);
        CHECK(values_of<std::uint8_t>(io::read(folder / "a.tif")) == std::vector<std::uint8_t>{'a', 'b', 'c', 'd'});
    }
    for (const std::uint16_t type : {3, 4}) {   // red
        std::vector<std::uint64_t> red(768);
        std::fill_n(red.begin(), 256, 65535);
        put(folder / "a.tif", tiff({{262, 3, {3}}, {320, type, red}}));
        CHECK(values_of<std::uint8_t>(io::read(folder / "a.tif"))[0] == 255);
        CHECK(values_of<std::uint8_t>(io::read(folder / "a.tif"))[1] == 0);
    }
}

TEST_CASE("a header of a gigabyte in a file of a kilobyte asks for no memory") {
    // gzip shrinks at most 1032 times: 32767 cubed voxels cannot be in there.
    const Folder folder;
    const fs::path path = folder / "a.nii.gz";
    io::write(path, pattern(ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 2}, {'x', 2}})));
    NiftiFixture lying;
    lying.dim = {3, 2000, 2000, 2000};
    lying.datatype = 2;
    put(folder / "plain.nii", lying.header() + std::string(8, 'a'));
    io::ReadOptions options;
    options.allocate = [](const ArrayDesc&) -> HostArray {
        FAIL("memory was asked for");
        return {};
    };
    io_error(folder / "plain.nii", [&] { io::read(folder / "plain.nii", options); });
    options.limit_bytes = 7;
    const IoError error = io_error(path, [&] { io::read(path, options); });
    CHECK(error.problem.find("8 bytes, the limit is 7") != std::string::npos);
}

TEST_CASE("a flipped bit inside gzip is found by its checksum") {
    const Folder folder;
    const fs::path path = folder / "a.nii.gz";
    io::write(path, pattern(ArrayDesc::dense(ElementType::u8, {{'y', 50}, {'x', 50}})));
    std::string bytes = get(path);
    bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 4);  // in the checksum itself
    put(path, bytes);
    const IoError error = io_error(path, [&] { io::read(path); });
    CHECK(error.problem.find("gzip") != std::string::npos);
    CHECK(error.problem.ends_with(": incorrect data check"));   // and no path, which zlib puts before it
    CHECK(error.problem.find("a.nii") == std::string::npos);
}

TEST_CASE("ways through descriptors are taken out of the words of libraries and programs") {
    for (const auto& [words, left] : {std::pair{"/proc/self/fd/3: Invalid data", "Invalid data"},
                                      {"cannot open /proc/417/fd/12/a.dcm", "cannot open a.dcm"},
                                      {"name = '/proc/self/fd/3', errno = 13", "name = 'the file', errno = 13"},
                                      {"denied [/proc/1/fd/2] and /proc/1/fd/3", "denied [the file] and the file"},
                                      {"/proc/self/maps, /proc/fd/3, /proc/1/fd/", "/proc/self/maps, /proc/fd/3, /proc/1/fd/"},
                                      {"/home/a.gz: bad", "/home/a.gz: bad"}, {"", ""}})
        CHECK(io::without_ways(words) == left);
}

TEST_CASE("what is no file is told as such") {
    const Folder folder;
    CHECK(io_error(folder / "none.png", [&] { io::read(folder / "none.png"); }).problem == "there is no such file");
    CHECK(io_error(folder / "no" / "none.png", [&] {
              io::read(folder / "no" / "none.png");
          }).hint.find("does not exist either") != std::string::npos);
    CHECK(io_error(folder.path(), [&] { io::read(folder.path()); }).problem .find("is a folder") == 0);
    CHECK(io_error(folder.path(), [&] { io::hash_file(folder.path()); }).problem == "is a folder, not a file");
    if (fs::exists("/dev/zero"))
        CHECK(io_error("/dev/zero", [&] { io::read("/dev/zero"); }).problem.find("device") != std::string::npos);
    put(folder / "locked.npy", npy_i4());
    fs::permissions(folder / "locked.npy", fs::perms::none);
    if (std::ifstream(folder / "locked.npy").good()) {
        MESSAGE("skipped: this user may read everything");
    } else {
        CHECK(io_error(folder / "locked.npy", [&] { io::read(folder / "locked.npy"); }).hint == "look at its permissions");
    }
    put(folder / "a.npy", npy_i4());
    io_error(folder / "a.npy", [&] { io::read(folder / "a.npy", {.pages = {{1, 2}}}); });
    io_error(folder / "a.npy", [&] { io::read(folder / "a.npy", {.volume = 0}); });
}
