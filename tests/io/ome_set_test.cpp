// OME-TIFF over several files: which files, which pages, and what is said where they do not fit together.
#include <fmt/format.h>

#include <ctime>
#include <thread>

#include "io/file.hpp"
#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

/// A TIFF of pages of 2 x 1 bytes, the first of each as given, the second 0.
std::string pages_with(const std::vector<int>& values, const std::string& description, int width = 2) {
    std::vector<std::vector<TiffEntry>> directories;
    std::string data;
    for (std::size_t page = 0; page < values.size(); ++page) {
        std::vector<TiffEntry> more;
        if (page == 0 && !description.empty()) more.push_back(tiff_text(270, description));
        const auto bytes = static_cast<std::uint64_t>(width);
        directories.push_back(tiff_picture(bytes, 1, 8, 1, 8 + bytes * page, bytes, more));
        data += static_cast<char>(values[page]) + std::string(static_cast<std::size_t>(width) - 1, '\0');
    }
    return make_tiff(directories, data);
}

std::string uuid(int number) { return fmt::format("urn:uuid:00000000-0000-0000-0000-{:012}", number); }

/// The planes of a file: "<TiffData FirstZ="1" ..."; `attributes` of the TiffData.
std::string block(const std::string& file, int number, const std::string& attributes) {
    return fmt::format(R"(<TiffData {}><UUID FileName="{}">{}</UUID></TiffData>)", attributes, file,
                       number < 0 ? "" : uuid(number));
}

std::string image(const char* order, int z, int c, int t, const std::string& blocks) {
    return fmt::format(
        R"(<Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="{}" Type="uint8" SizeX="2" SizeY="1" SizeZ="{}" SizeC="{}" SizeT="{}" )"
        R"(PhysicalSizeX="0.5" PhysicalSizeY="0.5" PhysicalSizeZ="2">{}</Pixels></Image>)",
        order, z, c, t, blocks);
}

/// `number` below 0: without a UUID.
std::string ome(int number, const std::string& inside) {
    return fmt::format(
        R"(<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"{}>{}</OME>)",
        number < 0 ? "" : fmt::format(R"( UUID="{}")", uuid(number)), inside);
}

std::string elsewhere(int number, const std::string& file, int master) {
    return ome(number, fmt::format(R"(<BinaryOnly MetadataFile="{}" UUID="{}"/>)", file, uuid(master)));
}

std::vector<int> firsts(const HostArray& array) {
    std::vector<int> values;
    for (std::int64_t i = 0; i < array.desc.count(); i += 2) values.push_back(array.as<std::uint8_t>()[i]);
    return values;
}

/// Three files of two pages each: z by file, c by page.
struct Three {
    Folder folder;
    std::string planes;
    Three() {
        for (int z = 0; z < 3; ++z)
            planes += block(fmt::format("{}.ome.tif", z), z, fmt::format(R"(FirstZ="{}" IFD="0" PlaneCount="2")", z));
        planes = image("XYCZT", 3, 2, 1, planes);
        for (int z = 0; z < 3; ++z) put(file(z), pages_with({10 * z, 10 * z + 1}, ome(z, planes)));
    }
    fs::path file(int z) const { return folder / fmt::format("{}.ome.tif", z); }
    std::string problem(const fs::path& path) const {
        return io_error(path, [&] { io::info(path); }).problem;
    }
    std::string warnings(const fs::path& path) const { return told_of(io::info(path)); }
};

const std::vector<int> all_of_three = {0, 1, 10, 11, 20, 21};

}   // namespace

TEST_CASE("set: any file of an OME-TIFF gives the whole, and what is told of it") {
    const Three three;
    for (int z = 0; z < 3; ++z) {
        CAPTURE(z);
        const io::FileInfo info = io::info(three.file(z));
        CHECK(info.desc.describe() == "u8 3 x 2 x 1 x 2 (z, c, y, x)");
        CHECK(info.desc.unit == "um");
        CHECK(info.desc.find('z')->spacing == 2);
        CHECK(info.warnings.empty());
        CHECK(info.ignored.empty());
        REQUIRE(info.parts.size() == 2);
        CHECK(info.parts[0].path == three.file(z == 0 ? 1 : 0));
        CHECK(info.parts[0].identity == host::identity_of(info.parts[0].path));
        CHECK(info.file_bytes == 3 * fs::file_size(three.file(0)));
        const HostArray array = io::read(three.file(z));
        CHECK(array.desc == info.desc);
        CHECK(firsts(array) == all_of_three);
        CHECK(firsts(io::read(three.file(z), {.pages = {{3, 4}}})) == std::vector{11});
        // Whoever states what the pages are has those of the file.
        CHECK(firsts(io::read(three.file(z), {.page_axis = 't'})) == std::vector{10 * z, 10 * z + 1});
    }
}

TEST_CASE("set: OME-XML that stands in one file, or beside all, is found") {
    const Three three;
    put(three.file(1), pages_with({10, 11}, elsewhere(1, "0.ome.tif", 0)));
    put(three.file(2), pages_with({20, 21}, elsewhere(2, "0.ome.tif", 0)));
    for (int z = 0; z < 3; ++z) {
        CHECK(firsts(io::read(three.file(z))) == all_of_three);
        CHECK(io::info(three.file(z)).parts.size() == 2);
    }
    const fs::path companion = three.folder / "a.companion.ome";
    for (int z = 0; z < 3; ++z) put(three.file(z), pages_with({10 * z, 10 * z + 1}, elsewhere(z, "a.companion.ome", 7)));
    std::string wide = "\xff\xfe";
    for (const char c : ome(7, three.planes)) wide += std::string{c, '\0'};
    for (const std::string& text : {ome(7, three.planes), "\xef\xbb\xbf" + ome(7, three.planes), wide}) {
        put(companion, text);
        for (const fs::path& path : {companion, three.file(0), three.file(2)}) {
            CAPTURE(path.filename().string());
            const io::FileInfo info = io::info(path);
            CHECK(info.desc.describe() == "u8 3 x 2 x 1 x 2 (z, c, y, x)");
            CHECK(info.format == "tiff");
            CHECK(info.parts.size() == 3);
            CHECK(info.warnings.empty());
            CHECK(firsts(io::read(path)) == all_of_three);
        }
    }
    CHECK(firsts(io::read(companion, {.page_axis = 't'})) == all_of_three);
    put(companion, ome(8, three.planes));
    CHECK(three.problem(three.file(0))
              .find("a.companion.ome of UUID " + uuid(7) + ", and the file of that name has UUID " + uuid(8)) !=
          std::string::npos);
    put(companion, elsewhere(7, "b.companion.ome", 8));
    CHECK(three.problem(three.file(0)).find("says that it stands in b.companion.ome") != std::string::npos);
    CHECK(three.problem(companion).find("stands in another file") != std::string::npos);
    fs::remove(companion);
    CHECK(three.warnings(three.file(1)).find("a.companion.ome, which is not there") != std::string::npos);
    CHECK(firsts(io::read(three.file(1))) == std::vector{10, 11});
    // A file that names itself is no circle that is gone round.
    put(three.file(0), pages_with({0, 1}, elsewhere(0, "0.ome.tif", 0)));
    CHECK(three.problem(three.file(0)).find("says that it stands in 0.ome.tif") != std::string::npos);
}

TEST_CASE("set: Micro-Manager's files, with words of its own and ImageJ's beside OME's") {
    const Folder folder;
    const auto file = [](const std::vector<int>& values, const std::string& description) {
        std::vector<std::vector<TiffEntry>> directories;
        std::string data;
        for (std::size_t page = 0; page < values.size(); ++page) {
            std::vector<TiffEntry> entries = tiff_picture(2, 1, 8, 1, 8 + 2 * page, 2);
            if (page == 0) {   // the same tag twice, as it writes it
                const auto at = std::find_if(entries.begin(), entries.end(), [](const TiffEntry& e) { return e.tag > 270; });
                const std::string imagej =
                    fmt::format("ImageJ=1.51\nimages={}\nframes={}\nhyperstack=true\n", values.size(), values.size());
                entries.insert(entries.insert(at, tiff_text(270, imagej)), tiff_text(270, description));
                entries.push_back(tiff_text(51123, R"({"Summary": 1})"));
            }
            directories.push_back(entries);
            data += std::string{static_cast<char>(values[page]), '\0'};
        }
        return make_tiff(directories, data);
    };
    std::string blocks;
    const std::string names[] = {"a_MMStack_Pos0.ome.tif", "a_MMStack_Pos0_1.ome.tif"};
    for (int i = 0; i < 6; ++i)
        blocks += block(names[i / 4], i / 4,
                        fmt::format(R"(FirstC="{}" FirstT="{}" FirstZ="0" IFD="{}" PlaneCount="1")", i % 2, i / 2, i % 4));
    put(folder / names[0], file({0, 1, 2, 3}, ome(0, image("XYCZT", 1, 2, 3, blocks))));
    put(folder / names[1], file({4, 5}, elsewhere(1, names[0], 0)));
    for (const std::string& name : names) {
        const io::FileInfo info = io::info(folder / name);
        CHECK(info.desc.describe() == "u8 3 x 2 x 1 x 2 (t, c, y, x)");
        CHECK(info.warnings.empty());
        CHECK(firsts(io::read(folder / name)) == std::vector{0, 1, 2, 3, 4, 5});
    }
    fs::remove(folder / names[0]);
    CHECK(io::info(folder / names[1]).warnings.size() == 2);   // the words are gone, and its own are not followed
    CHECK(firsts(io::read(folder / names[1])) == std::vector{4, 5});
}

TEST_CASE("set: a file that is renamed is known by its UUID, else it is an error that says so") {
    const Three three;
    fs::rename(three.file(1), three.folder / "one.tif");
    CHECK(firsts(io::read(three.folder / "one.tif")) == all_of_three);
    CHECK(three.warnings(three.file(0))
              .find("has 4 of the 6 planes that its OME-XML describes (the first that is missing: z 1, c 0); "
                    "1.ome.tif is not there") != std::string::npos);
    CHECK(firsts(io::read(three.file(0))) == std::vector{0, 1, 20, 21});
    put(three.folder / "one.tif", pages_with({10, 11}, ome(-1, three.planes)));
    CHECK(three.problem(three.folder / "one.tif").find("none in one of its own name or UUID") != std::string::npos);
    // The only file that is named is this one, whatever its name.
    put(three.folder / "one.tif", pages_with({5, 6}, ome(-1, image("XYCZT", 1, 2, 1, block("gone.tif", 3, "")))));
    CHECK(firsts(io::read(three.folder / "one.tif")) == std::vector{5, 6});
    CHECK(io::info(three.folder / "one.tif").desc.describe() == "u8 2 x 1 x 2 (c, y, x)");
}

TEST_CASE("set: files that do not fit together are refused, and the file is named") {
    const auto expect = [](const std::string& words, const auto& change, int asked = 0) {
        const Three three;
        change(three);
        const std::string problem = three.problem(three.file(asked));
        CHECK_MESSAGE(problem.find(words) != std::string::npos, problem);
    };
    const auto with = [](int z, const std::string& bytes) { return [=](const Three& three) { put(three.file(z), bytes); }; };
    expect("names 1.ome.tif with UUID " + uuid(1) + ", and the file of that name has UUID " + uuid(9), [](const Three& three) {
        put(three.file(1), pages_with({10, 11}, ome(9, three.planes)));
    });
    expect("names 0.ome.tif with UUID " + uuid(0) + ", and the file of that name has UUID " + uuid(9), [](const Three& three) {
        put(three.file(0), pages_with({0, 1}, ome(9, three.planes)));
    });
    expect("says 2 x 1 pixels, and page 0 of 2.ome.tif has 3 x 1", with(2, pages_with({20, 21}, "", 3)));
    expect("its file 1.ome.tif: is no TIFF file", with(1, "something else"));
    expect("its file 1.ome.tif: the file is empty", with(1, ""));
    expect("its file 1.ome.tif: its TIFF directory 0 is damaged", [](const Three& three) {
        std::string bytes = get(three.file(1));
        const std::size_t at = bytes.find(std::string("\x00\x01\x04\x00", 4));   // the width goes
        REQUIRE(at != std::string::npos);
        bytes[at] = 2;
        put(three.file(1), bytes);
    });
    expect("1.ome.tif: is a folder", [](const Three& three) {
        fs::remove(three.file(1));
        fs::create_directory(three.file(1));
    });
    // Planes whose files have other pages.
    const auto two = [](const char* of_0) {
        return image("XYCZT", 2, 1, 1, block("0.ome.tif", 0, of_0) + block("9.ome.tif", 9, R"(FirstZ="1")"));
    };
    expect(
        "has 0 of the 2 planes that its OME-XML describes (the first that is missing: z 0); 9.ome.tif is not there, and 1 page "
        "without",
        [&](const Three& three) { put(three.file(0), pages_with({1}, ome(0, two(R"(IFD="5")")))); });
    expect("gives two places to the plane z 0, page 0", [](const Three& three) {
        const std::string twice = block("1.ome.tif", 1, R"(IFD="0" FirstZ="1")") + block("1.ome.tif", 1, R"(IFD="0")") +
                                  block("0.ome.tif", 0, R"(FirstZ="2")");
        put(three.file(0), pages_with({1}, ome(0, image("XYCZT", 3, 1, 1, twice))));
    });
    expect("a plane beyond the 6", [](const Three& three) {
        put(three.file(0), pages_with({0, 1}, ome(0, image("XYCZT", 3, 2, 1,
                                                           block("0.ome.tif", 0, "") + block("1.ome.tif", 1, R"(FirstZ="3")")))));
    });
    // None of them is there.
    const Three three;
    const fs::path companion = three.folder / "a.companion.ome";
    put(companion, ome(7, three.planes));
    for (const int z : {0, 1, 2}) fs::remove(three.file(z));
    CHECK(three.problem(companion).find("in other files: 0.ome.tif, 1.ome.tif and 1 more files are not there") !=
          std::string::npos);
    put(companion, ome(7, image("XYCZT", 1, 1, 1, "<TiffData/>")));
    CHECK(three.problem(companion).find("does not say in which file") != std::string::npos);
    put(companion, ome(7, image("XYCZT", 1, 1, 1, "<BinData Length=\"2\">AAA=</BinData>")));
    CHECK(three.problem(companion).find("in its OME-XML itself (BinData)") != std::string::npos);
    put(companion, ome(7, image("XYCZT", 1, 1, 1, "")));
    CHECK(three.problem(companion).find("says of no file") != std::string::npos);
    put(companion, ome(7, ""));
    CHECK(three.problem(companion).find("describes no image") != std::string::npos);
    put(companion, "<!-- " + std::string(600, 'x') + " -->" + ome(7, three.planes));   // longer than what a format is known by
    CHECK(three.problem(companion).find("are not there") != std::string::npos);
    put(companion, ome(7, three.planes).substr(0, 700));
    CHECK(three.problem(companion).find("is damaged: it ends inside") != std::string::npos);
}

TEST_CASE("set: names that lead elsewhere are refused, others are names") {
    const Three three;
    const auto named = [&](const std::string& name) {
        return ome(0, image("XYCZT", 2, 1, 1, block("0.ome.tif", 0, R"(IFD="0")") + block(name, 5, R"(FirstZ="1")")));
    };
    for (const char* const name :
         {"../b.tif", "/etc/passwd", "sub/b.tif", "..", ".", "./../b.tif", "C:\\data\\b.tif", "sub\\b.tif", "./"}) {
        CAPTURE(name);
        put(three.file(0), pages_with({1}, named(name)));
        CHECK(three.problem(three.file(0)).find("not in its own folder") != std::string::npos);
    }
    for (const char* const name : {"a b.tif", "\xc3\xa4.tif", "a&b.tif", "it's.tif", "100%.tif", "a\"b.tif", "x=1.tif"}) {
        CAPTURE(name);
        const std::string text = name;
        put(three.folder / fs::path(std::u8string(text.begin(), text.end())), pages_with({2}, ""));
        std::string written;
        for (const char c : text) written += c == '&' ? "&amp;" : c == '"' ? "&#x22;" : c == '\'' ? "&apos;" : std::string(1, c);
        put(three.file(0), pages_with({1}, named(written)));
        CHECK(firsts(io::read(three.file(0))) == std::vector{1, 2});
        put(three.file(0), pages_with({1}, named("./" + written)));
        CHECK(firsts(io::read(three.file(0))) == std::vector{1, 2});
    }
    // A second name of a file is that file.
    fs::create_symlink(three.file(0), three.folder / "link.tif");
    put(three.file(0),
        pages_with({1}, ome(-1, image("XYCZT", 2, 1, 1, block("0.ome.tif", -1, "") + block("link.tif", -1, R"(FirstZ="1")")))));
    CHECK(three.problem(three.file(0)).find("gives two places to the plane z 1, page 0") != std::string::npos);
}

TEST_CASE("set: pages without a stated number follow OME's schema, file by file") {
    const Folder folder;
    const auto read = [&](const std::string& blocks, const std::vector<int>& a, const std::vector<int>& b, int z, int c) {
        put(folder / "a.tif", pages_with(a, ome(0, image("XYZCT", z, c, 1, blocks))));
        put(folder / "b.tif", pages_with(b, ""));
        return firsts(io::read(folder / "a.tif"));
    };
    // All pages of each file, from its first on.
    CHECK(read(block("a.tif", 0, "") + block("b.tif", 1, R"(FirstC="1")"), {1, 2}, {3, 4}, 2, 2) == std::vector{1, 2, 3, 4});
    CHECK(read(block("b.tif", 1, R"(FirstC="1")") + block("a.tif", 0, ""), {1, 2}, {3, 4}, 2, 2) == std::vector{1, 2, 3, 4});
    // Without a page each is behind the one before, in its own file.
    CHECK(read(block("a.tif", 0, "") + block("b.tif", 1, R"(FirstZ="1")") + block("a.tif", 0, R"(FirstC="1")") +
                   block("b.tif", 1, R"(FirstZ="1" FirstC="1")"),
               {1, 3}, {2, 4}, 2, 2) == std::vector{1, 2, 3, 4});
    // The first plane of each file alone is said, and no number: as Bio-Formats, the others follow where that leaves no page and
    // no plane.
    CHECK(read(block("a.tif", 0, R"(IFD="0")") + block("b.tif", 1, R"(IFD="0" FirstC="1")"), {1, 2}, {3, 4}, 2, 2) ==
          std::vector{1, 2, 3, 4});
    put(folder / "b.tif", pages_with({3}, ""));
    CHECK(io_error(folder / "a.tif", [&] { io::info(folder / "a.tif"); }).problem.find("has 2 of the 4 planes") !=
          std::string::npos);
    // A page that no plane has is left out, and told.
    CHECK(read(block("a.tif", 0, R"(IFD="1" PlaneCount="1")") + block("b.tif", 1, R"(IFD="0" FirstZ="1")"), {1, 2}, {3}, 2, 1) ==
          std::vector{2, 3});
    CHECK(io::info(folder / "a.tif").ignored == std::vector<std::string>{"1 page that OME-XML gives no plane"});
}

TEST_CASE("set: of files that come by a pattern each is read alone") {
    const Three three;
    const io::ReadOptions alone{.alone = true};
    for (int z = 0; z < 3; ++z) {
        const io::FileInfo info = io::info(three.file(z), alone);
        CHECK(info.desc.describe() == "u8 2 x 1 x 2 (c, y, x)");
        CHECK(info.desc.unit == "um");
        CHECK(info.parts.empty());
        REQUIRE(info.warnings.size() == 1);
        CHECK(info.warnings[0].text.find("one of 3 files of an OME-TIFF") != std::string::npos);
        CHECK(firsts(io::read(three.file(z), alone)) == std::vector{10 * z, 10 * z + 1});
    }
    // The words may stand in another file; that is a part of it then.
    put(three.file(1), pages_with({10, 11}, elsewhere(1, "0.ome.tif", 0)));
    CHECK(io::info(three.file(1), alone).parts.size() == 1);
    CHECK(firsts(io::read(three.file(1), alone)) == std::vector{10, 11});
    fs::remove(three.file(2));
    CHECK(io::info(three.file(1), alone).desc.describe() == "u8 2 x 1 x 2 (c, y, x)");
    // Planes that are no part along the axes come as pages.
    put(three.file(2), pages_with({1, 2}, ome(2, image("XYCZT", 2, 2, 1,
                                                       block("2.ome.tif", 2, R"(IFD="0")") +
                                                           block("2.ome.tif", 2, R"(IFD="1" FirstZ="1" FirstC="1")") +
                                                           block("1.ome.tif", 1, R"(IFD="0" FirstC="1")")))));
    const io::FileInfo corners = io::info(three.file(2), alone);
    CHECK(corners.desc.describe() == "u8 2 x 1 x 2 (z, y, x)");
    CHECK(corners.warnings.size() == 2);
    // A file alone, and OME-XML beside files, are what they are.
    put(three.folder / "a.companion.ome", ome(7, three.planes));
    put(three.file(2), pages_with({20, 21}, ome(2, three.planes)));
    put(three.file(0), pages_with({0, 1}, ome(0, three.planes)));
    put(three.file(1), pages_with({10, 11}, ome(1, three.planes)));
    CHECK(firsts(io::read(three.folder / "a.companion.ome", alone)) == all_of_three);
}

TEST_CASE("set: of several images the one that the file has planes of is read, and others by \"series\"") {
    const Folder folder;
    const auto one = [](const std::string& name, int number) {
        return image("XYCZT", 2, 1, 1,
                     block(name, number, R"(IFD="0")") + block("more_" + name, number + 5, R"(FirstZ="1" IFD="0")"));
    };
    for (const int n : {1, 2}) {
        put(folder / fmt::format("{}.tif", n), pages_with({n}, ome(n, one("1.tif", 1) + one("2.tif", 2))));
        put(folder / fmt::format("more_{}.tif", n), pages_with({n + 10}, elsewhere(n + 5, "1.tif", 1)));
    }
    for (const int n : {1, 2}) {
        for (const std::string& name : {fmt::format("{}.tif", n), fmt::format("more_{}.tif", n)}) {
            CHECK(firsts(io::read(folder / name)) == std::vector{n, n + 10});
            CHECK(firsts(io::read(folder / name, {.series = 0})) == std::vector{1, 11});
            CHECK(firsts(io::read(folder / name, {.series = 1})) == std::vector{2, 12});
            CHECK(io_error(folder / name, [&] { io::info(folder / name, {.series = 2}); }).problem.find("holds 2 images") !=
                  std::string::npos);
        }
        CHECK(io::info(folder / fmt::format("{}.tif", n)).ignored ==
              std::vector<std::string>{"1 other image: \"series\" takes one of them"});
    }
}

TEST_CASE("set: an image behind another has the channels of its own pages") {
    const Folder folder;
    const std::string text =
        ome(-1, image("XYCZT", 1, 1, 1, R"(<TiffData IFD="0" PlaneCount="1"/>)") +
                    image("XYCZT", 1, 3, 1, R"(<Channel SamplesPerPixel="3"/><TiffData IFD="1" PlaneCount="1"/>)"));
    put(folder / "a.ome.tif", make_tiff({tiff_picture(2, 1, 8, 1, 8, 2, {tiff_text(270, text)}),
                                         tiff_picture(2, 1, 8, 2, 10, 6, {{258, 3, {8, 8, 8}}, {277, 3, {3}}})},
                                        std::string("\1\2\3\4\5\6\7\10", 8)));
    const io::FileInfo info = io::info(folder / "a.ome.tif", {.series = 1});
    CHECK(info.desc.describe() == "u8 1 x 2 x 3 (y, x, c)");
    CHECK(info.warnings.empty());   // before: one of three planes
    CHECK(values_of<std::uint8_t>(io::read(folder / "a.ome.tif", {.series = 1})) == std::vector<std::uint8_t>{3, 4, 5, 6, 7, 8});
}

TEST_CASE("set: images that lay claim to the same pages without a word on pages are refused") {
    const Folder folder;
    const fs::path path = folder / "a.ome.tif";
    const std::string empty = image("XYCZT", 2, 1, 1, "<TiffData/>");
    put(path, pages_with({1, 2, 3, 4}, ome(-1, empty + empty)));
    for (const std::optional<std::int64_t> series : {std::optional<std::int64_t>(), {0}, {1}}) {
        const IoError error = io_error(path, [&] { io::read(path, {.series = series}); });
        CHECK(error.problem.find("neither image 0 nor image 1 at which page (IFD)") != std::string::npos);
    }
    io_error(path, [&] { io::read(path, {.page_axis = 'z', .series = 1}); });
    CHECK(firsts(io::read(path, {.page_axis = 'z'})) == std::vector{1, 2, 3, 4});
    // Where one of them says its page they are told apart, and so are they in files of their own.
    put(path, pages_with({1, 2, 3, 4}, ome(-1, empty + image("XYCZT", 2, 1, 1, R"(<TiffData IFD="2" PlaneCount="2"/>)"))));
    CHECK(firsts(io::read(path)) == std::vector{1, 2});
    CHECK(firsts(io::read(path, {.series = 1})) == std::vector{3, 4});
    put(path, pages_with({1, 2}, ome(0, image("XYCZT", 2, 1, 1, block("a.ome.tif", 0, "")) +
                                            image("XYCZT", 2, 1, 1, block("b.ome.tif", 1, "")))));
    put(folder / "b.ome.tif", pages_with({3, 4}, ""));
    CHECK(firsts(io::read(path)) == std::vector{1, 2});
    CHECK(firsts(io::read(path, {.series = 1})) == std::vector{3, 4});
    put(path, pages_with({1, 2}, ome(0, image("XYCZT", 2, 1, 1, block("b.ome.tif", 1, "")) +
                                            image("XYCZT", 2, 1, 1, block("b.ome.tif", 1, "")) +
                                            image("XYCZT", 2, 1, 1, block("a.ome.tif", 0, "")))));
    CHECK(firsts(io::read(path)) == std::vector{1, 2});
    CHECK(io_error(path, [&] { io::read(path, {.series = 1}); }).problem.find("neither image 0 nor image 1") !=
          std::string::npos);
}

TEST_CASE("set: more files than are held open, slices, and a file that changes meanwhile") {
    const Folder folder;
    const auto name = [](int t) { return fmt::format("{}.ome.tif", t); };
    constexpr int files = 150;
    std::string blocks;
    for (int t = 0; t < files; ++t)   // z goes through the files, and back to the first for each t
        blocks += block(name(t), t, fmt::format(R"(IFD="0" FirstZ="{}")", t)) +
                  block(name(t), t, fmt::format(R"(IFD="1" FirstT="1" FirstZ="{}")", t));
    const std::string text = ome(7, image("XYZTC", files, 1, 2, blocks));
    put(folder / "a.companion.ome", text);
    for (int t = 0; t < files; ++t) put(folder / name(t), pages_with({t, 255 - t}, elsewhere(t, "a.companion.ome", 7)));
    std::vector<int> expected;
    for (int t = 0; t < files; ++t) expected.push_back(t);
    for (int t = 0; t < files; ++t) expected.push_back(255 - t);
    const fs::path path = folder / name(3);
    CHECK(firsts(io::read(path)) == expected);
    CHECK(io::info(path).parts.size() == files);

    put(folder / "a.companion.ome", ome(7, image(
                                               "XYZTC", files, 1, 1, blocks.substr(0, 0) + [&] {
                                                   std::string some;
                                                   for (int t = 0; t < files; ++t)
                                                       some += block(name(t), t, fmt::format(R"(IFD="0" FirstZ="{}")", t));
                                                   return some;
                                               }())));
    REQUIRE(io::info(path).in_slices);
    const auto change = [&](int file, bool replace) {
        io::SliceStream stream = io::open_slices(path);
        std::vector<std::byte> slices(2 * files);
        stream.next(10, slices.data());
        CHECK(slices[2] == std::byte{1});
        const std::string bytes = pages_with({77, 77}, elsewhere(file, "a.companion.ome", 7));
        if (replace) {
            put(folder / "new", bytes);
            fs::rename(folder / "new", folder / name(file));
        } else {
            std::ofstream(folder / name(file), std::ios::binary | std::ios::in)
                .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        }
        return io_error(path, [&] {
            try {
                stream.next(files - 10, slices.data());
            } catch (const IoError& error) {
                throw IoError(std::string(reinterpret_cast<const char*>(path.u8string().c_str())), error.problem, error.hint);
            }
        });
    };
    for (const int file : {20, 60, 149}) {
        for (const bool replace : {true, false}) {
            // Of one that is open and was replaced, the old one is read to its end: no matter.
            CAPTURE(file);
            CAPTURE(replace);
            if (replace && file == 149) continue;
            CHECK(change(file, replace).problem == fmt::format("its file {} has changed since it was looked at", name(file)));
            put(folder / name(file), pages_with({file, 255 - file}, elsewhere(file, "a.companion.ome", 7)));
        }
    }
}

TEST_CASE("set: levels of a pyramid, bytes of either order, and kinds of elements file by file") {
    const Folder folder;
    // Pages of 2 x 1 with a reduced page of 1 x 1 behind each.
    const auto file = [](int first, const std::string& text, bool big, bool big_tiff) {
        std::vector<std::vector<TiffEntry>> directories;
        const std::uint64_t at = big_tiff ? 16 : 8;
        for (int page = 0; page < 2; ++page) {
            std::vector<TiffEntry> more;
            if (page == 0) more.push_back(tiff_text(270, text));
            const auto from = at + 6 * static_cast<std::uint64_t>(page);
            directories.push_back(tiff_picture(2, 1, 16, 1, from, 4, more));
            directories.push_back(tiff_picture(1, 1, 16, 1, from + 4, 2, {{254, 4, {1}}}));
        }
        std::string data;
        for (int i = 0; i < 6; ++i) {
            const char value = static_cast<char>(first + i);
            data += big ? std::string{'\0', value} : std::string{value, '\0'};
        }
        return make_tiff(directories, data, big, big_tiff);
    };
    std::string text =
        ome(-1, image("XYCZT", 4, 1, 1,
                      block("a.tif", -1, R"(IFD="0")") + block("a.tif", -1, R"(IFD="2" FirstZ="1")") +
                          block("b.tif", -1, R"(IFD="0" FirstZ="2")") + block("b.tif", -1, R"(IFD="2" FirstZ="3")")));
    text.replace(text.find("uint8"), 5, "uint16");
    put(folder / "a.tif", file(1, text, false, false));
    put(folder / "b.tif", file(11, text, true, true));
    for (const char* const name : {"a.tif", "b.tif"}) {
        CHECK(values_of<std::uint16_t>(io::read(folder / name)) == std::vector<std::uint16_t>{1, 2, 4, 5, 11, 12, 14, 15});
        const HostArray level = io::read(folder / name, {.level = 1});
        CHECK(values_of<std::uint16_t>(level) == std::vector<std::uint16_t>{3, 6, 13, 16});
        CHECK(level.desc.find('x')->spacing == 1);
        CHECK(io::info(folder / name).ignored == std::vector<std::string>{"4 reduced images or masks: \"level\" takes one"});
    }
    CHECK(io_error(folder / "a.tif", [&] { io::read(folder / "a.tif", {.level = 2}); }).problem.find("has 1 level") !=
          std::string::npos);
    text.replace(text.find("uint16"), 6, "int16");   // of the same bits: as the pages say, with a word
    put(folder / "a.tif", file(1, text, false, false));
    REQUIRE(io::info(folder / "a.tif").warnings.size() == 1);
    CHECK(io::info(folder / "a.tif").warnings[0].text.find("says elements of int16, and its pages uint16") != std::string::npos);
    text.replace(text.find("int16"), 5, "float");
    put(folder / "a.tif", file(1, text, false, false));
    CHECK(io_error(folder / "a.tif", [&] {
              io::info(folder / "a.tif");
          }).problem.find("says elements of float, and page 0 of a.tif has 16 bits") != std::string::npos);
}

TEST_CASE("set: what is no tag of OME's where it stands is not followed") {
    const Folder folder;
    const fs::path path = folder / "a.ome.tif";
    const std::string inside =
        R"(<ome:Image Name="a > b"><!-- <Pixels SizeZ="9"/> --><ome:Pixels DimensionOrder="XYZCT" SizeX="2" SizeY="1" SizeZ="2" SizeC="1" SizeT="1">)"
        R"(<ome:TiffData IFD="1"><ome:UUID FileName="a.ome.tif"><![CDATA[)" +
        uuid(1) +
        R"(]]></ome:UUID></ome:TiffData><!-- <TiffData IFD="0"/> --><ome:TiffData FirstZ="1" IFD="0"/></ome:Pixels></ome:Image>)"
        R"(<ome:StructuredAnnotations><ome:XMLAnnotation><ome:Value><Image><Pixels SizeZ="7"/></Image></ome:Value></ome:XMLAnnotation></ome:StructuredAnnotations>)";
    put(path,
        pages_with({1, 2}, "<?xml version=\"1.0\"?><ome:OME xmlns:ome=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\">" +
                               inside + "</ome:OME>"));
    CHECK(firsts(io::read(path)) == std::vector{2, 1});
    CHECK(io::info(path).warnings.empty());
    CHECK(io::info(path).ignored.empty());
    put(path, pages_with({1, 2}, "<OME>" + inside));
    REQUIRE(io::info(path).warnings.size() == 1);
    CHECK(io::info(path).warnings[0].text == "its OME-XML is damaged, and not followed: it ends inside <OME>");
    CHECK(firsts(io::read(path)) == std::vector{1, 2});
}

TEST_CASE("set: a file whose name is in another Unicode form is known by its UUID, else told") {
    const std::string said = "pl\u00e4ne_1.ome.tif", there = "pla\u0308ne_1.ome.tif";
    const auto make = [&](const Folder& folder, int number, int of_the_file) {
        const std::string first = block("0.ome.tif", 0, R"(FirstZ="0" IFD="0")");
        const std::string words = image("XYCZT", 2, 1, 1, first + block(said, number, R"(FirstZ="1" IFD="0")"));
        put(folder / "0.ome.tif", pages_with({0}, ome(0, words)));
        put(folder / fs::path(std::u8string(there.begin(), there.end())), pages_with({10}, ome(of_the_file, words)));
        return io::info(folder / "0.ome.tif");
    };
    const Folder whole, unknown, another, several;
    const io::FileInfo info = make(whole, 1, 1);
    CHECK(info.warnings.empty());
    REQUIRE(info.parts.size() == 1);
    CHECK(io::show(info.parts[0].path.filename()) == there);
    CHECK(firsts(io::read(whole / "0.ome.tif")) == std::vector{0, 10});
    // No UUID; that of another.
    for (const auto& [folder, number] : {std::pair<const Folder*, int>{&unknown, -1}, {&another, 1}}) {
        const io::FileInfo part = make(*folder, number, folder == &another ? 7 : -1);
        REQUIRE(part.warnings.size() == 1);
        CHECK(part.warnings[0].text.find(said + " is not there (there is a file that looks alike, " + there) !=
              std::string::npos);
        CHECK(firsts(io::read(*folder / "0.ome.tif")) == std::vector{0});
    }
    put(several / fs::path(u8"pl\u00e0ne_1.ome.tif"), "another");
    const io::FileInfo none = make(several, 1, 1);
    REQUIRE(none.warnings.size() == 1);
    CHECK(none.warnings[0].text.find("looks alike") == std::string::npos);
}

TEST_CASE("set: many names with accents that are not there cost one look at their folder") {
    const Folder folder;
    constexpr int names = 300, others = 1500;
    std::string planes;
    for (int z = 0; z < names; ++z)
        planes += block(z == 0 ? "0.ome.tif" : fmt::format("pl\u00e4ne_{}.ome.tif", z), z, fmt::format(R"(FirstZ="{}" IFD="0")", z));
    put(folder / "0.ome.tif", pages_with({0}, ome(0, image("XYCZT", names, 1, 1, planes))));
    const auto seconds = [&] {
        const std::clock_t before = std::clock();
        CHECK_FALSE(io::info(folder / "0.ome.tif").warnings.empty());
        return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    };
    const double alone = seconds();
    for (int i = 0; i < others; ++i) put(folder / fmt::format("{}.txt", i), "");
    const double among = seconds();   // a look at each for each name takes a second
    CAPTURE(alone);
    CHECK(among < 4 * alone + 0.2);
}
