// Distances and times in others' units, and in those that others take them for.
#include <doctest/doctest.h>
#include <zlib.h>

#include <cmath>

#include "io/support.hpp"
#include "parallax/host/json.hpp"
#include "support/helper.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

constexpr const char* frames_of_nrrd =
    "NRRD0005\ntype: uchar\ndimension: 3\nsizes: 2 1 3\nkinds: domain domain time\nencoding: raw\n";

bool has_warning(const io::FileInfo& info, const char* text) {
    return std::any_of(info.warnings.begin(), info.warnings.end(),
                       [&](const io::Warning& warning) { return warning.text.find(text) != std::string::npos; });
}

/// Two frames of two slices of 3 x 4 pixels, with their distances in um and seconds.
HostArray frames_apart(double t, double z, double pixel) {
    HostArray frames = pattern(ArrayDesc::dense(ElementType::u8, {{'t', 2}, {'z', 2}, {'y', 3}, {'x', 4}}));
    frames.desc =
        frames.desc.with_spacing('t', t).with_spacing('z', z).with_spacing('y', pixel).with_spacing('x', pixel).with_unit("um");
    return frames;
}

}  // namespace

TEST_CASE("units: times of NRRD are in the unit that it names") {
    const Folder folder;
    struct Row { const char* unit; double seconds; };
    for (const Row& row : {Row{"ms", 0.04}, Row{"us", 4e-5}, Row{"min", 2400}, Row{"s", 40}, Row{"", 40}}) {
        CAPTURE(row.unit);
        put(folder / "t.nrrd",
            std::string(frames_of_nrrd) + "spacings: .5 .25 40\nunits: \"mm\" \"mm\" \"" + row.unit + "\"\n\nabcdef");
        const io::FileInfo info = io::info(folder / "t.nrrd");
        CHECK(info.desc.find('t')->spacing == row.seconds);
        CHECK(info.desc.find('x')->spacing == 0.5);
        CHECK(info.warnings.empty());
        put(folder / "s.nrrd",
            std::string("NRRD0005\ntype: uchar\ndimension: 4\nsizes: 2 1 1 3\nkinds: domain domain domain time\n"
                        "encoding: raw\nspace: left-posterior-superior-time\nspace directions: (1,0,0,0) (0,1,0,0) "
                        "(0,0,1,0) (0,0,0,40)\nspace units: \"mm\" \"mm\" \"mm\" \"") +
                row.unit + "\"\n\nabcdef");
        CHECK(io::info(folder / "s.nrrd").desc.find('t')->spacing == row.seconds);
    }
    put(folder / "u.nrrd", std::string(frames_of_nrrd) + "spacings: .5 .25 40\nunits: \"mm\" \"mm\" \"sols\"\n\nabcdef");
    const io::FileInfo unknown = io::info(folder / "u.nrrd");
    CHECK(unknown.desc.find('t')->spacing == 0);
    CHECK(has_warning(unknown, "unit of time is \"sols\""));
}

TEST_CASE("units: axes of NRRD in several units of length are told in one") {
    const Folder folder;
    const std::string head = "NRRD0005\ntype: uchar\ndimension: 3\nsizes: 2 1 3\nencoding: raw\n";
    put(folder / "a.nrrd", head + "kinds: domain domain domain\nspacings: .5 .25 2\nunits: \"um\" \"um\" \"mm\"\n\nabcdef");
    const ArrayDesc own = io::info(folder / "a.nrrd").desc;
    CHECK(own.unit == "um");
    CHECK(own.find('x')->spacing == 0.5);
    CHECK(own.find('z')->spacing == 2000);
    put(folder / "b.nrrd", head + "space: left-posterior-superior\nspace directions: (.5,0,0) (0,.25,0) (0,0,2)\n"
                                  "space units: \"um\" \"um\" \"mm\"\nspace origin: (1,2,3)\n\nabcdef");
    const io::FileInfo space = io::info(folder / "b.nrrd");
    CHECK(space.desc.unit == "um");
    CHECK(space.desc.find('y')->spacing == 0.25);
    CHECK(space.desc.find('z')->spacing == 2000);
    REQUIRE(space.metadata.affine);
    CHECK((*space.metadata.affine)[10] == doctest::Approx(2));   // mm
    CHECK((*space.metadata.affine)[11] == doctest::Approx(3));
    CHECK((*space.metadata.affine)[0] == doctest::Approx(-.0005));
    put(folder / "c.nrrd", head + "kinds: domain domain domain\nspacings: .5 .25 2\nunits: \"um\" \"um\" \"cubit\"\n\nabcdef");
    CHECK(has_warning(io::info(folder / "c.nrrd"), "\"um\" and \"cubit\""));
}

TEST_CASE("units: that of NRRD's axes is the first that x, y or z names") {
    const Folder folder;
    const std::string plane = "NRRD0005\ntype: uchar\ndimension: 2\nsizes: 2 3\nencoding: raw\nkinds: domain domain\n",
                      volume = "NRRD0005\ntype: uchar\ndimension: 3\nsizes: 2 1 3\nencoding: raw\n";
    put(folder / "a.nrrd", plane + "labels: \"y\" \"z\"\nspacings: .25 2\nunits: \"mm\" \"um\"\n\nabcdef");
    const io::FileInfo across = io::info(folder / "a.nrrd");
    CHECK(across.desc.unit == "mm");
    CHECK(across.desc.find('y')->spacing == .25);
    CHECK(across.desc.find('z')->spacing == .002);
    CHECK(told_of(across).empty());
    put(folder / "b.nrrd", volume + "spacings: .5 .25 2\nunits: \"\" \"mm\" \"mm\"\n\nabcdef");
    const io::FileInfo partly = io::info(folder / "b.nrrd");
    CHECK(partly.desc.unit == "mm");
    CHECK(partly.desc.find('x')->spacing == .5);
    CHECK(told_of(partly) == "it names a unit for some of its axes and none for x: this is taken to be in \"mm\" as well");
    // A plane that a volume was cut to, written here.
    HostArray cut = pattern(ArrayDesc::dense(ElementType::u8, {{'z', 3}, {'y', 2}}));
    cut.desc = cut.desc.with_spacing('z', 2).with_spacing('y', .25).with_unit("mm");
    io::write(folder / "c.nrrd", cut);
    CHECK(io::info(folder / "c.nrrd").desc == cut.desc);
}

TEST_CASE("units: NRRD is written in millimetres, which ITK takes its numbers for") {
    const Folder folder;
    HostArray volume = pattern(ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 3}, {'x', 4}}));
    struct Row { const char* unit; double mm; };
    for (const Row& row : {Row{"um", 1e-3}, Row{"nm", 1e-6}, Row{"m", 1000}, Row{"cm", 10}, Row{"mm", 1}}) {
        CAPTURE(row.unit);
        volume.desc = volume.desc.with_spacing('z', 2).with_spacing('y', 0.5).with_spacing('x', 0.25).with_unit(row.unit);
        for (const bool placed : {false, true}) {
            volume.metadata.affine.reset();
            if (placed) {
                const double s = row.mm;
                volume.metadata.affine =
                    std::array<double, 16>{.25 * s, 0, 0, 5 * s, 0, .5 * s, 0, 6 * s, 0, 0, 2 * s, 7 * s, 0, 0, 0, 1};
            }
            io::write(folder / "a.nrrd", volume, {.overwrite = true});
            const std::string text = get(folder / "a.nrrd");
            CHECK(text.find("\"mm\" \"mm\" \"mm\"") != std::string::npos);
            const HostArray back = io::read(folder / "a.nrrd");
            CHECK(back.desc.unit == "mm");
            CHECK(back.desc.find('x')->spacing == doctest::Approx(0.25 * row.mm).epsilon(1e-12));
            CHECK(back.desc.find('z')->spacing == doctest::Approx(2 * row.mm).epsilon(1e-12));
            REQUIRE(back.metadata.affine.has_value() == placed);
            if (placed) CHECK((*back.metadata.affine)[11] == doctest::Approx(7 * row.mm).epsilon(1e-12));
        }
    }
    volume.desc = volume.desc.with_unit("");   // no length, and left as it is
    volume.metadata.affine.reset();
    io::write(folder / "a.nrrd", volume, {.overwrite = true});
    CHECK(io::read(folder / "a.nrrd").desc.find('x')->spacing == 0.25);
}

TEST_CASE("units: axes of OME-Zarr, of length and of time, and a scale that is not of their number") {
    if (host::program_beside("parallax-read-zarr").empty()) {
        MESSAGE("skipped: the program that reads Zarr is not built");
        return;
    }
    const Folder folder;
    io::write(folder / "a.ome.zarr", frames_apart(500, 2000, 1));
    const fs::path words = folder / "a.ome.zarr/.zattrs";
    Json said = Json::parse(get(words));
    said.erase("parallax");
    Json& scales = said["multiscales"][0];
    const auto info_with = [&](const char* time, const char* depth) {
        scales["axes"][0]["unit"] = time;
        scales["axes"][1]["unit"] = depth;
        put(words, said.dump());
        return io::info(folder / "a.ome.zarr");
    };
    struct Row { const char* unit; double seconds; };
    for (const Row& row : {Row{"hour", 1.8e6}, Row{"microsecond", 5e-4}, Row{"day", 4.32e7}, Row{"second", 500}}) {
        CAPTURE(row.unit);
        const io::FileInfo info = info_with(row.unit, "micrometer");
        CHECK(info.desc.find('t')->spacing == row.seconds);
        CHECK(info.warnings.empty());
    }
    const io::FileInfo mixed = info_with("second", "nanometer");
    CHECK(mixed.desc.unit == "um");
    CHECK(mixed.desc.find('z')->spacing == 2);
    CHECK(mixed.desc.find('x')->spacing == 1);
    CHECK(mixed.warnings.empty());
    const io::FileInfo unknown = info_with("sol", "micrometer");
    CHECK(unknown.desc.find('t')->spacing == 0);
    CHECK(has_warning(unknown, "\"sol\""));
    scales["datasets"][0]["coordinateTransformations"][0]["scale"] = {2, 1, 1};
    CHECK(has_warning(info_with("second", "micrometer"), "not of 4 numbers"));
    // A 1 without a unit says nothing, however the axes come to their names.
    scales["datasets"][0]["coordinateTransformations"][0]["scale"] = {1, 1, 1, 1};
    const auto time_of = [&] {
        put(words, said.dump());
        return io::info(folder / "a.ome.zarr").desc.find('t')->spacing;
    };
    CHECK(info_with("second", "micrometer").desc.find('t')->spacing == 1);
    scales["axes"][0]["unit"] = nullptr;
    CHECK(time_of() == 0);
    scales["axes"][0] = {{"name", "q"}};
    CHECK(time_of() == 0);
    scales.erase("axes");
    CHECK(time_of() == 0);
}

TEST_CASE("units: axes of OME-Zarr that name no unit keep their scale, and it is told") {
    if (host::program_beside("parallax-read-zarr").empty()) {
        MESSAGE("skipped: the program that reads Zarr is not built");
        return;
    }
    const Folder folder;
    io::write(folder / "a.ome.zarr", frames_apart(5, 2, .25));
    const fs::path words = folder / "a.ome.zarr/.zattrs";
    Json said = Json::parse(get(words));
    said.erase("parallax");
    Json& axes = said["multiscales"][0]["axes"];
    const auto without = [&](std::size_t axis) {
        axes[axis].erase("unit");
        put(words, said.dump());
        return io::info(folder / "a.ome.zarr");
    };
    const io::FileInfo depth = without(1);
    CHECK(told_of(depth) == "its axis z names no unit: its distance is taken to be in um, as others are");
    CHECK(depth.desc.find('z')->spacing == 2);
    CHECK(told_of(without(0)).find("its frames are 5 of a unit that it does not name apart: seconds are taken") !=
          std::string::npos);
    axes[0]["unit"] = "second";
    without(2);
    const io::FileInfo none = without(3);
    CHECK(told_of(none) ==
          "its distances are of a unit that it does not name, most often um: \"spacing_um\" of the input states it");
    CHECK(none.desc.unit.empty());
    CHECK(none.desc.find('z')->spacing == 2);
    CHECK(none.desc.find('x')->spacing == .25);
    said["multiscales"][0]["datasets"][0]["coordinateTransformations"][0]["scale"] = {5, 1, 1, 1};
    CHECK(told_of(without(3)) == "");   // voxels
}

TEST_CASE("units: a single slice of NIfTI at several times stays as thick as it is") {
    const Folder folder;
    NiftiFixture file;
    file.dim = {4, 2, 2, 1, 3};
    file.datatype = 2;
    file.pixdim = {1, .5f, .5f, 3.5f, 2, 1, 1, 1};
    file.units = 2 | 8;
    const auto thickness = [&](const HostArray& array) {
        io::write(folder / "b.nii", array, {.overwrite = true});
        float step = 0;
        std::memcpy(&step, get(folder / "b.nii").data() + 76 + 3 * 4, 4);
        return step;
    };
    put(folder / "a.nii", file.header() + std::string(12, 'a'));
    HostArray array = io::read(folder / "a.nii");
    CHECK(array.desc.describe() == "u8 3 x 2 x 2 (t, y, x)");
    CHECK(thickness(array) == 3.5f);
    array.desc = array.desc.with_unit("um");   // as "spacing_um" states it
    CHECK(thickness(array) == 3500);
    array.desc = array.desc.with_unit("");
    CHECK(thickness(array) == 1);
    file.units = 0;
    put(folder / "a.nii", file.header() + std::string(12, 'a'));
    CHECK(thickness(io::read(folder / "a.nii")) == 3.5f);
    file.pixdim[3] = INFINITY;
    put(folder / "a.nii", file.header() + std::string(12, 'a'));
    CHECK(thickness(io::read(folder / "a.nii")) == 1);
}

TEST_CASE("units: volumes of MGH come in the time that stands behind the voxels, and lie as FreeSurfer takes them") {
    const Folder folder;
    Bytes mgh{{}, true};
    mgh.add_all<std::int32_t>({1, 3, 2, 2, 4, 0, 0}).add<std::int16_t>(1);
    mgh.add_all<float>({1, 1, 2, -1, 0, 0, 0, 0, -1, 0, 1, 0, 5, 6, 7}).pad_to(284);
    for (char i = 0; i < 48; ++i) mgh.text += i;
    put(folder / "none.mgh", mgh.text);
    CHECK(io::info(folder / "none.mgh").desc.find('t')->spacing == 0);
    mgh.add_all<float>({2000, 0.5f, 30, 0, 256});
    put(folder / "a.mgh", mgh.text);
    std::string packed(1024, '\0');
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(mgh.text.data());
    stream.avail_in = static_cast<uInt>(mgh.text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    put(folder / "a.mgz", packed);
    io::ReadOptions two;
    two.pages = {1, 3};
    for (const char* const name : {"a.mgh", "a.mgz"}) {
        CAPTURE(std::string(name));
        CHECK(io::info(folder / name).desc.find('t')->spacing == 2);
        CHECK(io::read(folder / name).desc.find('t')->spacing == 2);
        CHECK(io::read(folder / name, two).desc.find('t')->spacing == 2);
        CHECK(*io::read(folder / name, two).as<unsigned char>() == 12);
        CHECK(io::open_slices(folder / name).desc.find('t')->spacing == 2);
    }
    mgh.text[29] = 0;   // no orientation is said
    put(folder / "b.mgh", mgh.text);
    const io::FileInfo info = io::info(folder / "b.mgh");
    REQUIRE(info.metadata.affine);
    CHECK(*info.metadata.affine == std::array<double, 16>{-1, 0, 0, 1.5, 0, 0, 1, -1, 0, -1, 0, 1, 0, 0, 0, 1});
    CHECK(has_warning(info, "coronal"));
}

TEST_CASE("units: what stands behind the first picture of a PGM is told") {
    const Folder folder;
    put(folder / "one.pgm", "P5 3 1 255\nabc");
    CHECK(io::info(folder / "one.pgm").ignored.empty());
    put(folder / "two.pgm", "P5 3 1 255\nabcP5 3 1 255\ndef");
    const io::FileInfo info = io::info(folder / "two.pgm");
    REQUIRE(info.ignored.size() == 1);
    CHECK(info.ignored.front().find("another one") != std::string::npos);
    CHECK(values_of<std::uint8_t>(io::read(folder / "two.pgm")) == std::vector<std::uint8_t>{'a', 'b', 'c'});
    const std::pair<const char*, std::vector<std::string>> texts[] = {{"P2 3 1 255 1 2 3", {}},
                                                                      {"P2 3 1 255 1 2#4\n3#5\n \n# 6\n", {}},
                                                                      {"P2 3 1 255 1 2 3 4 5\n", {"4 bytes behind its pixels"}},
                                                                      {"P2 3 1 255 1 2 3#4\n5", {"1 bytes behind its pixels"}}};
    for (const auto& [text, left_out] : texts) {
        CAPTURE(text);
        put(folder / "text.pgm", text);
        CHECK(io::info(folder / "text.pgm").ignored == left_out);
        CHECK(values_of<std::uint8_t>(io::read(folder / "text.pgm")) == std::vector<std::uint8_t>{1, 2, 3});
    }
}

TEST_CASE("units: of a resolution in millimetres or micrometres, and of one that TIFF does not have") {
    const Folder folder;
    const auto two_a = [&](std::uint64_t unit, bool big) {
        put(folder / "a.tif",
            make_tiff({tiff_picture(2, 1, 8, 1, big ? 16 : 8, 2, {{282, 5, {2, 1}}, {283, 5, {4, 1}}, {296, 3, {unit}}})}, "ab",
                      big, big));
        return io::info(folder / "a.tif");
    };
    for (const bool big : {false, true}) {
        CAPTURE(big);
        for (const auto& [unit, um] : {std::pair{2, 12700.0}, {3, 5000.0}, {4, 500.0}, {5, 0.5}}) {
            CAPTURE(unit);
            const io::FileInfo info = two_a(static_cast<std::uint64_t>(unit), big);
            CHECK(info.desc.unit == "um");
            CHECK(info.desc.find('x')->spacing == um);
            CHECK(info.desc.find('y')->spacing == um / 2);
            CHECK(info.warnings.empty());
        }
        for (const std::uint64_t unit : {0, 6, 77}) {
            const io::FileInfo info = two_a(unit, big);
            CHECK(info.desc.unit.empty());
            CHECK(has_warning(info, "that TIFF does not have"));
        }
    }
}

TEST_CASE("units: slices whose distance nothing tells, beside pixels whose size is told") {
    const Folder folder;
    const auto page = tiff_picture(1, 1, 8, 1, 8, 1, {{282, 5, {2, 1}}, {283, 5, {2, 1}}, {296, 3, {3}}});
    put(folder / "a.tif", make_tiff({page, page}, "a"));
    CHECK(has_warning(io::info(folder / "a.tif"), "none of z: it is taken for 1 um"));
    REQUIRE(io::info(folder / "a.tif").warnings.size() == 1);
    CHECK(io::info(folder / "a.tif").warnings[0].about == io::Concern::slices);
    io::ReadOptions films;
    films.page_axis = 't';
    CHECK(io::info(folder / "a.tif", films).warnings.empty());
    const std::string head = "NRRD0005\ntype: uchar\ndimension: 3\nsizes: 2 1 3\nencoding: raw\n";
    put(folder / "a.nrrd", head + "spacings: .5 .5 NaN\nunits: \"mm\" \"mm\" \"mm\"\n\nabcdef");
    CHECK(has_warning(io::info(folder / "a.nrrd"), "none of z: it is taken for 1 mm"));
}

TEST_CASE("units: a unit in which no distance is told makes no voxels of its size") {
    const Folder folder;
    const std::string nrrd = "NRRD0005\ntype: uchar\ndimension: 3\nsizes: 2 1 3\nencoding: raw\n",
                      units = "units: \"mm\" \"mm\" \"mm\"\n";
    const auto nifti = [](float x, float y, float z, std::int16_t qform) {
        NiftiFixture file;
        file.dim = {3, 2, 2, 2}, file.datatype = 2, file.pixdim = {1, x, y, z, 1, 1, 1, 1}, file.qform = qform;
        return file.header() + std::string(8, 'a');
    };
    const char* const left_out = " names mm for its unit and gives no distance in it: the unit is left out";
    struct Row { const char* name; std::string bytes; const char* unit; std::string told; };
    const Row rows[] = {
        {"unit.nrrd", nrrd + units + "\nabcdef", "", std::string("its header") + left_out},
        {"space.nrrd", nrrd + "space: left-posterior-superior\n\nabcdef", "", std::string("its header") + left_out},
        {"none.nrrd", nrrd + "spacings: 0 0 0\n" + units + "\nabcdef", "", std::string("its header") + left_out},
        {"mins.nrrd", nrrd + "axis mins: 1 2 3\n" + units + "\nabcdef", "", std::string("its header") + left_out},
        {"zero.nrrd", nrrd + "spacings: 0 .5 2\n" + units + "\nabcdef", "mm",
         "its header gives a spacing of other axes and none of x: it is taken for 1 mm"},
        {"below.nrrd", nrrd + "spacings: -1 .5 2\n" + units + "\nabcdef", "mm", "its spacing along x is below 0: it counts by its size"},
        {"none.nii", nifti(0, 0, 0, 0), "", std::string("its header (pixdim)") + left_out},
        {"zero.nii", nifti(.5f, .5f, 0, 0), "mm",
         "its header (pixdim) gives a spacing of other axes and none of z: it is taken for 1 mm"},
        {"qform.nii", nifti(.5f, .5f, 0, 1), "mm",
         "its header (pixdim) gives a spacing of other axes and none of z: it is taken for 1 mm\n"
         "its qform goes by sizes (pixdim) of which one is 0: the qform is left out"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        put(folder / row.name, row.bytes);
        const io::FileInfo info = io::info(folder / row.name);
        CHECK(info.desc.unit == row.unit);
        CHECK(told_of(info) == row.told);
        CHECK_FALSE(info.metadata.affine);
    }
}

TEST_CASE("units: axes of NRRD from end to end have cells or nodes, as ITK places them") {
    const Folder folder;
    struct Row { const char* centres; double x, y, left, top; };
    for (const Row& row : {Row{"", 0.5, 1, 1.25, 2.5}, {"centers: cell cell\n", 0.5, 1, 1.25, 2.5},
                           {"centers: node node\n", 2.0 / 3, 1.25, 1, 2},
                           {"centerings: node node\n", 2.0 / 3, 1.25, 1, 2}, {"centers: node cell\n", 2.0 / 3, 1, 1, 2.5}}) {
        CAPTURE(row.centres);
        put(folder / "a.nrrd", std::string("NRRD0004\ntype: uint8\ndimension: 2\nsizes: 4 5\nencoding: raw\n") + row.centres +
                                   "axis mins: 1 2\naxis maxs: 3 7\n\n" + std::string(20, 'a'));
        const io::FileInfo info = io::info(folder / "a.nrrd");
        CHECK(info.desc.find('x')->spacing == doctest::Approx(row.x));
        CHECK(info.desc.find('y')->spacing == doctest::Approx(row.y));
        REQUIRE(info.metadata.affine);
        CHECK((*info.metadata.affine)[3] == doctest::Approx(-row.left));   // ITK's left is our right
        CHECK((*info.metadata.affine)[7] == doctest::Approx(-row.top));
    }
    // From 3 down to 1, by cells of a half.
    put(folder / "a.nrrd", "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 4 5\nencoding: raw\naxis mins: 3 2\naxis maxs: 1 7\n\n" +
                               std::string(20, 'a'));
    const io::FileInfo down = io::info(folder / "a.nrrd");
    CHECK(down.desc.find('x')->spacing == 0.5);
    REQUIRE(down.metadata.affine);
    CHECK((*down.metadata.affine)[0] == 0.5);   // to the right, which is away from ITK's left
    CHECK((*down.metadata.affine)[3] == -2.75);
}

TEST_CASE("units: NIfTI whose two ways to say distances differ tells which are taken") {
    const Folder folder;
    NiftiFixture file;
    file.dim = {3, 2, 2, 2};
    file.datatype = 2;
    file.sform = 1;
    file.srow = {2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0};
    put(folder / "a.nii", file.header() + std::string(8, 'a'));
    CHECK(has_warning(io::info(folder / "a.nii"), "(x 1 and 2, y 1 and 3, z 1 and 4): those of pixdim are taken"));
    file.pixdim = {1, 0, 0, 0, 1, 1, 1, 1};
    put(folder / "a.nii", file.header() + std::string(8, 'a'));
    CHECK(io::info(folder / "a.nii").warnings.empty());
    CHECK(io::info(folder / "a.nii").desc.find('z')->spacing == 4);
    file.pixdim = {1, 2, 3, 4, 1, 1, 1, 1};
    put(folder / "a.nii", file.header() + std::string(8, 'a'));
    CHECK(io::info(folder / "a.nii").warnings.empty());
    // Numbers that are none: the sform's, or where nothing is measured by it (time, one plane) none.
    file.pixdim[3] = NAN;
    put(folder / "a.nii", file.header() + std::string(8, 'a'));
    CHECK(told_of(io::info(folder / "a.nii")) == "its distance along z is nan (pixdim[3]): that of its sform is taken");
    CHECK(io::info(folder / "a.nii").desc.find('z')->spacing == 4);
    file.sform = 0;
    put(folder / "a.nii", file.header() + std::string(8, 'a'));
    io_error(folder / "a.nii", [&] { io::info(folder / "a.nii"); });
    file.dim = {3, 2, 4, 1};
    put(folder / "a.nii", file.header() + std::string(8, 'a'));
    CHECK(told_of(io::info(folder / "a.nii")) == "its distance along z is nan (pixdim[3]): it is left out");
    file.dim = {4, 2, 2, 1, 2}, file.pixdim[4] = INFINITY;
    put(folder / "a.nii", file.header() + std::string(8, 'a'));
    const io::FileInfo left_out = io::info(folder / "a.nii");
    CHECK(has_warning(left_out, "its distance along t is inf (pixdim[4]): it is left out"));
    CHECK(left_out.desc.find('x')->spacing == 2);
    CHECK(std::isfinite(left_out.desc.find('t')->spacing));
    std::string bits = NiftiFixture{.dim = {3, 2, 2, 2}}.header() + std::string(16, 'a');
    bits[72] = 8;   // bitpix
    put(folder / "a.nii", bits);
    CHECK(told_of(io::info(folder / "a.nii")) ==
          "it says that its elements have 8 bits (bitpix), and NIfTI's data type 4, which has 16: the data type is followed");
}

TEST_CASE("units: a qform or sform of NIfTI that is none is told, and left out") {
    const Folder folder;
    NiftiFixture file;
    file.dim = {3, 2, 2, 2};
    file.datatype = 2;
    file.qform = 1;
    const auto info = [&] {
        put(folder / "a.nii", file.header() + std::string(8, 'a'));
        return io::info(folder / "a.nii");
    };
    file.quaternion[0] = 1.0000002f;   // half a turn, and what f32 makes of it
    CHECK(info().warnings.empty());
    CHECK(info().metadata.affine);
    file.pixdim = {1, -.5f, 2, 3, 1, 1, 1, 1};   // sizes, which niftilib takes for 1 and nibabel without their sign
    CHECK(told_of(info()) == "its pixdim is -0.5 x 2 x 3, where the qform has sizes: numbers below 0 are taken without their sign");
    CHECK((*info().metadata.affine)[0] == .5);
    CHECK(info().desc.find('x')->spacing == .5);
    file.pixdim[1] = .5f;
    CHECK(info().warnings.empty());
    file.pixdim = {1, 1, 1, 1, 1, 1, 1, 1};
    file.quaternion[0] = 2;
    CHECK(has_warning(info(), "its qform's quaternion is no rotation"));
    CHECK_FALSE(info().metadata.affine);
    file.quaternion = {0, 0, 0, NAN, 0, 0};
    CHECK(has_warning(info(), "its qform has numbers that are none"));
    file.sform = 1, file.srow = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 5};
    CHECK(info().metadata.affine);
    file.srow[2] = NAN;
    CHECK(has_warning(info(), "its sform has numbers that are none"));
    CHECK_FALSE(info().metadata.affine);
}
