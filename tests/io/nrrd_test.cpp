// NRRD: its header, its space, its axes.
#include "io/volumes_by_hand.hpp"

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("volumes: NRRD, attached and beside, raw and packed, with its space") {
    const Folder folder;
    const std::string space =
        "space: left-posterior-superior\nspace directions: (0.5,0,0) (0,0.5,0) (0,0,2)\nspace origin: (10,20,30)\n";
    put(folder / "v.raw", elements);
    put(folder / "short_head.raw", "abc" + elements.substr(0, 8)), put(folder / "long_head.raw", "abcdefg" + elements.substr(8));
    for (const char* const name : {"first.raw", "part01.raw", "back9.raw"}) put(folder / name, elements.substr(0, 8));
    for (const char* const name : {"second.raw", "part02.raw", "back8.raw"}) put(folder / name, elements.substr(8));
    std::string big = elements;
    for (std::size_t i = 0; i < big.size(); i += 2) std::swap(big[i], big[i + 1]);
    const std::string swapped =
        "NRRD0004\ntype: int16\ndimension: 3\nsizes: 2 2 2\nendian: big\nencoding: raw\n" + space + "\n" + big;
    const std::vector<std::pair<const char*, std::string>> rows = {
        {"attached.nrrd", nrrd(space + "encoding: raw\n") + elements},
        {"packed.nrrd", nrrd(space + "encoding: gzip\n") + deflated(elements, 15 + 16)},
        {"members.nrrd", nrrd(space + "encoding: gzip\n") + deflated(elements.substr(0, 5), 15 + 16) + deflated("", 15 + 16) +
                             deflated(elements.substr(5), 15 + 16) + "none of gzip's"},
        {"twice.nrrd",
         nrrd(space + "endian: little\nkey:=one\nkey:=two\nencoding: raw\n") + elements},   // which is no contradiction
        {"beside.nhdr", nrrd(space + "encoding: raw\ndata file: v.raw\n")},
        {"without_end.nhdr",
         nrrd(space + "encoding: raw\ndatafile: v.raw").substr(0, nrrd(space + "encoding: raw\ndatafile: v.raw").size())},
        {"several.nhdr", nrrd(space + "encoding: raw\ndata file: LIST\nfirst.raw\nsecond.raw\n")},
        {"pattern.nhdr", nrrd(space + "encoding: raw\ndata file: part%02d.raw 1 2 1\n")},
        {"backwards.nhdr", nrrd(space + "encoding: raw\ndata file: back%d.raw 9 8 -1 2\n")},
        {"skipped.nhdr", nrrd(space + "encoding: raw\nbyte skip: -1\ndata file: v.raw\n")},
        {"headed.nhdr", nrrd(space + "encoding: raw\nbyte skip: -1\ndata file: LIST\nshort_head.raw\nlong_head.raw\n")},
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

TEST_CASE("nrrd: a space of four dimensions, as ITK writes it, keeps where the voxels lie; an origin has as many numbers as its space") {
    const Folder folder;
    const auto described = [&](const std::string& space) {
        put(folder / "a.nrrd", "NRRD0004\ntype: uchar\ndimension: 4\nsizes: 2 1 1 3\nencoding: raw\n" + space + "\n\nabcdef");
        return io::info(folder / "a.nrrd");
    };
    const std::string steps_of_four = "space directions: (0,2,0,0) (-3,0,0,0) (0,0,4,0) (0,0,0,5)\n";
    const io::FileInfo three =
        described("space dimension: 3\nspace directions: (0,2,0) (-3,0,0) (0,0,4) none\nspace origin: (11,22,33)");
    const io::FileInfo four = described("space dimension: 4\n" + steps_of_four + "space origin: (11,22,33,7)");
    REQUIRE(three.metadata.affine);
    REQUIRE(four.metadata.affine);
    CHECK(*four.metadata.affine == *three.metadata.affine);
    // Of what nobody can place it is told that it is left out.
    const io::FileInfo spread = described("space dimension: 4\nspace directions: (0,2,0,1) (-3,0,0,1) (0,0,4,1) (0,0,0,5)\nspace origin: (11,22,33,7)");
    CHECK_FALSE(spread.metadata.affine);
    CHECK(told_of(spread).find("left out") != std::string::npos);
    CHECK(told_of(described("spacings: 1 2 3 4\nspace dimension: 3\nspace origin: (1,2,3)")).find("left out") != std::string::npos);
    for (const char* const origin : {"(11,22,33)", "(11,22)", "(11,22,33,7,8)"}) {
        CAPTURE(origin);
        const IoError error = io_error(folder / "a.nrrd", [&] { described("space dimension: 4\n" + steps_of_four + "space origin: " + origin); });
        CHECK(error.problem.find("numbers in a space of 4") != std::string::npos);
    }
}

TEST_CASE("nrrd: each axis is what its label says, else what its kind or its place does") {
    const Folder folder;
    struct Row { const char *fields, *axes, *told; };
    for (const Row& row : {
             Row{"labels: \"x\" \"y\" \"time\"\n", "u8 2 x 3 x 4 (t, y, x)", ""},
             Row{"labels: \"Channel\" \"lon\" \"lat\"\n", "u8 2 x 3 x 4 (y, x, c)", ""},
             Row{"labels: \"Z\" \"Y\" \"X\"\n", "u8 2 x 3 x 4 (x, y, z)", ""},
             Row{"labels: \"\" \"z\" \"\"\n", "u8 2 x 3 x 4 (y, z, x)", ""},
             Row{"labels: \"frame\" \"\" \"\"\nkinds: list domain domain\n", "u8 2 x 3 x 4 (y, x, c)", ""},
             Row{"labels: \"right\" \"anterior\" \"superior\"\nkinds: space space space\n", "u8 2 x 3 x 4 (z, y, x)", ""},
             Row{"labels: \"a\" \"b\" \"c\"\n", "u8 2 x 3 x 4 (c, y, x)",
                 "what it calls its axes (\"a\", \"b\") says nothing here: they are taken for x, y by their order"},
             Row{"labels: \"x\" \"x\" \"c\"\n", "u8 2 x 3 x 4 (z, y, x)",
                 "its labels of axes (\"x\" \"x\" \"c\") name one twice: its axes are named without them"},
             Row{"labels: \"x\" \"c\"\n", "u8 2 x 3 x 4 (z, y, x)",
                 "its labels of axes (\"x\" \"c\") are 2 for 3: its axes are named without them"}}) {
        CAPTURE(row.fields);
        put(folder / "a.nrrd", std::string("NRRD0005\ntype: uchar\ndimension: 3\nsizes: 4 3 2\nspacings: 1 1 1\nencoding: raw\n") +
                                   row.fields + "\n" + std::string(24, 'a'));
        const io::FileInfo info = io::info(folder / "a.nrrd");
        CHECK(info.desc.describe() == row.axes);
        CHECK(told_of(info) == row.told);
    }
}
