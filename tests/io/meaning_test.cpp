// What arrays mean survives formats that have other axes, units and numbers of dimensions than ours.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "core/colours.hpp"
#include "io/format.hpp"
#include "io/io.hpp"
#include "io/support.hpp"
#include "io/units.hpp"
#include "io/window.hpp"
#include "seed.hpp"
#include "support/helper.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
}

/// Whether each element lies where it lay, by the names of the axes; an axis of one index may come and go.
bool same_by_names(const HostArray& a, const HostArray& b) {
    const std::size_t bytes = bytes_of(a.desc.type);
    if (a.desc.type != b.desc.type || a.desc.count() != b.desc.count()) return false;
    for (const Axis& axis : b.desc.axes)
        if (a.desc.size(axis.name) != axis.size) return false;
    for (std::int64_t i = 0; i < a.desc.count(); ++i) {
        std::int64_t left = i, place = 0;
        for (std::size_t n = a.desc.axes.size(); n-- > 0;) {
            const Axis& axis = a.desc.axes[n];
            if (const Axis* const there = b.desc.find(axis.name)) place += left % axis.size * there->stride;
            left /= axis.size;
        }
        if (std::memcmp(a.data() + static_cast<std::size_t>(i) * bytes, b.data() + static_cast<std::size_t>(place) * bytes,
                        bytes) != 0)
            return false;
    }
    return true;
}

bool has_rows_and_columns(const ArrayDesc& desc) {
    std::string names;
    for (const Axis& axis : desc.axes) names += axis.name;
    return names.ends_with("yx") || names.ends_with("yxc");
}

void check_affine(const HostArray& back, const std::array<double, 16>& right) {
    REQUIRE(back.metadata.affine);
    for (std::size_t i = 0; i < 16; ++i) CHECK((*back.metadata.affine)[i] == doctest::Approx(right[i]));
}

}  // namespace

TEST_CASE("meaning: what channels are that go by their number, one alone too") {
    using engine::usual_names;
    CHECK(usual_names(0).empty());
    REQUIRE(usual_names(1).size() == 1);
    CHECK(usual_names(1)[0] == "grey");
    CHECK(usual_names(2)[0] == "grey");
    CHECK(usual_names(2)[1] == "alpha");
    CHECK(usual_names(3)[0] == "red");
    CHECK(usual_names(7).size() == 4);
}

TEST_CASE("meaning: a slice that lies anywhere but flat is a volume of one plane") {
    const Folder folder;
    HostArray slice = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 6}, {'x', 5}}));
    slice.desc = slice.desc.with_spacing('x', 1).with_spacing('y', 2).with_unit("mm");
    slice.metadata.affine = std::array<double, 16>{0, 0, 3, -4, 1, 0, 0, -20, 0, 2, 0, -30, 0, 0, 0, 1};
    for (const char* const name : {"s.mha", "s.nrrd"}) {
        CAPTURE(std::string(name));
        io::write(folder / name, slice);
        const HostArray back = io::read(folder / name);
        CHECK(back.desc.describe() == "u8 1 x 6 x 5 (z, y, x)");
        CHECK(back.desc.find('z')->spacing == doctest::Approx(3));
        CHECK(same_elements(slice, back));
        check_affine(back, *slice.metadata.affine);
        CHECK(io::info(folder / name).warnings.empty());
    }
    slice.metadata.affine = std::array<double, 16>{1, 0, 0, -4, 0, 2, 0, -20, 0, 0, 1, 0, 0, 0, 0, 1};
    for (const char* const name : {"f.mha", "f.nii"}) {   // flat
        CAPTURE(std::string(name));
        io::write(folder / name, slice);
        CHECK(io::read(folder / name).desc == slice.desc);
        check_affine(io::read(folder / name), *slice.metadata.affine);
    }
}

TEST_CASE("meaning: a second between frames is one, and no time is none, in every format that has a word for it") {
    const Folder folder;
    for (const double seconds : {0.0, 1.0, 2.5})
        for (const bool volumes : {false, true})
            for (const char* const name : {"t.tif", "t.ome.tif", "t.nii", "t.nii.gz", "t.nrrd", "t.mha", "t.h5", "t.zarr", "t.ome.zarr",
                                           "t.gif", "t.npy"}) {
                const std::string format = name;
                CAPTURE(format);
                CAPTURE(seconds);
                std::vector<ArrayDesc::Extent> extents{{'t', 4}, {'y', 5}, {'x', 6}};
                if (volumes) extents.insert(extents.begin() + 1, {'z', 3});
                HostArray film = pattern(ArrayDesc::dense(ElementType::u8, extents));
                CHECK(film.desc.find('t')->spacing == 0);
                film.desc = film.desc.with_spacing('t', seconds);
                try {
                    io::write(folder / name, film, {.overwrite = true});
                } catch (const IoError&) {
                    CHECK((volumes && format == "t.gif"));
                    continue;
                }
                const io::FileInfo info = io::info(folder / name);
                const Axis* const back = info.desc.find('t');
                if (back == nullptr) continue;   // NPY's axes have no names
                // MetaImage has a number for each axis and no unit of time; GIF's frames are shown for some time in any case.
                const double expected = format == "t.npy" || (format == "t.mha" && seconds == 1) ? 0
                                        : format == "t.gif" && seconds == 0                      ? 0.1
                                                                                                 : seconds;
                CHECK(back->spacing == doctest::Approx(expected));
                CHECK(io::read(folder / name).desc.find('t')->spacing == back->spacing);
            }
}

TEST_CASE("meaning: time stays time where a format's third axis is z") {
    const Folder folder;
    HostArray frames = pattern(ArrayDesc::dense(ElementType::u8, {{'t', 4}, {'y', 5}, {'x', 6}}));
    frames.desc = frames.desc.with_spacing('t', 0.2).with_spacing('x', 0.25).with_spacing('y', 0.5).with_unit("mm");
    HostArray course = pattern(ArrayDesc::dense(ElementType::u8, {{'t', 4}, {'x', 6}}));
    course.desc = course.desc.with_spacing('t', 0.2).with_spacing('x', 0.25).with_unit("mm");
    for (const HostArray& array : {frames, course})
        for (const char* const name : {"t.mha", "t.nii", "t.nrrd"}) {
            CAPTURE(std::string(name));
            CAPTURE(array.desc.describe());
            io::write(folder / name, array, {.overwrite = true});
            const HostArray back = io::read(folder / name);
            CHECK(same_elements(array, back));
            REQUIRE(back.desc.find('t') != nullptr);
            CHECK(back.desc.find('t')->size == 4);
            CHECK(back.desc.find('t')->spacing == doctest::Approx(0.2));
            CHECK(back.desc.find('x')->spacing == doctest::Approx(0.25));
            CHECK(back.desc.size('z') <= 1);
        }
    // With a place in space, NRRD counts time among its directions.
    HostArray volumes = pattern(ArrayDesc::dense(ElementType::u8, {{'t', 3}, {'z', 4}, {'y', 5}, {'x', 6}}));
    volumes.desc =
        volumes.desc.with_spacing('t', 1.5).with_spacing('z', 3).with_spacing('y', 2).with_spacing('x', 2).with_unit("mm");
    volumes.metadata.affine = std::array<double, 16>{2, 0, 0, 1, 0, 2, 0, 2, 0, 0, 3, 3, 0, 0, 0, 1};
    io::write(folder / "v.nrrd", volumes);
    CHECK(io::read(folder / "v.nrrd").desc == volumes.desc);
    check_affine(io::read(folder / "v.nrrd"), *volumes.metadata.affine);
    CHECK(text_of(folder / "v.nrrd").find("space: left-posterior-superior-time") != std::string::npos);
    // ITK counts directions, whether a time is said or not.
    for (const double seconds : {0.0, 1.0}) {
        volumes.desc = volumes.desc.with_spacing('t', seconds);
        io::write(folder / "v.nrrd", volumes, {.overwrite = true});
        CHECK(io::read(folder / "v.nrrd").desc == volumes.desc);
        CHECK(text_of(folder / "v.nrrd").find("space: left-posterior-superior-time") != std::string::npos);
    }
}

TEST_CASE("meaning: vectors without time are NIfTI's fifth axis, as they came") {
    const Folder folder;
    const HostArray vectors = pattern(ArrayDesc::dense(ElementType::i16, {{'n', 3}, {'z', 7}, {'y', 6}, {'x', 5}}));
    io::write(folder / "v.nii", vectors);
    const std::string header = text_of(folder / "v.nii").substr(40, 12);
    CHECK(header == std::string("\5\0\5\0\6\0\7\0\1\0\3\0", 12));   // dim: 5 of them, x, y, z, no time, 3
    CHECK(io::read(folder / "v.nii").desc == vectors.desc);
}

TEST_CASE("meaning: of a frame alone NIfTI makes no volume of one plane") {
    const Folder folder;
    struct Row {
        std::vector<ArrayDesc::Extent> extents;
        const char* back;
    };
    for (const Row& row : {Row{{{'t', 1}, {'y', 4}, {'x', 5}}, "u8 4 x 5 (y, x)"},
                           {{{'n', 1}, {'t', 1}, {'y', 4}, {'x', 5}}, "u8 4 x 5 (y, x)"},
                           {{{'n', 1}, {'t', 2}, {'y', 4}, {'x', 5}}, "u8 2 x 4 x 5 (t, y, x)"},
                           {{{'t', 1}, {'x', 5}}, "u8 5 (x)"},
                           {{{'z', 1}, {'y', 4}, {'x', 5}}, "u8 1 x 4 x 5 (z, y, x)"},
                           {{{'t', 1}, {'z', 1}, {'y', 4}, {'x', 5}}, "u8 1 x 4 x 5 (z, y, x)"}}) {
        CAPTURE(row.back);
        HostArray array = pattern(ArrayDesc::dense(ElementType::u8, row.extents));
        array.desc = array.desc.with_spacing('x', 0.25).with_unit("mm");
        io::write(folder / "a.nii", array, {.overwrite = true});
        const HostArray back = io::read(folder / "a.nii");
        CHECK(back.desc.describe() == row.back);
        CHECK(back.desc.find('x')->spacing == 0.25);
        CHECK(same_elements(back, array));
    }
}

TEST_CASE("meaning: what NIfTI says of values stays, where one of its numbers is none, too") {
    const Folder folder;
    HostArray array = pattern(ArrayDesc::dense(ElementType::f32, {{'z', 2}, {'y', 3}, {'x', 4}}));
    for (const char* const intent : {"3 nan 2.5 7 t test of two", "3 12 inf -inf t test", "1005 0 0 0 z scores", "2 1 2 nan "}) {
        CAPTURE(std::string(intent));
        array.metadata.notes["nifti.intent"] = intent;
        io::write(folder / "a.nii", array, {.overwrite = true});
        CHECK(io::read(folder / "a.nii").metadata.notes.at("nifti.intent") == intent);
    }
}

TEST_CASE("meaning: an array that says no distances has none in any format") {
    const Folder folder;
    const HostArray plain = pattern(ArrayDesc::dense(ElementType::u8, {{'z', 3}, {'y', 5}, {'x', 6}}));
    for (const char* const name : {"a.tif", "a.ome.tif", "a.nii", "a.nrrd", "a.mha", "a.h5", "a.zarr", "a.ome.zarr"}) {
        CAPTURE(std::string(name));
        try {
            io::check_writable(folder / name, plain.desc);
        } catch (const IoError&) {   // HDF5 and Zarr where they are not built in
            continue;
        }
        io::write(folder / name, plain);
        const HostArray back = io::read(folder / name);
        CHECK(back.desc.unit.empty());
        CHECK_FALSE(back.metadata.affine.has_value());
        CHECK(same_elements(plain, back));
    }
}

TEST_CASE("meaning: pixels that TIFF's resolution does not hold are refused, and OME-TIFF says them in words") {
    const Folder folder;
    HostArray image = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 5}, {'x', 6}}));
    for (const double side : {1e-9, 1e15, 1e-320}) {   // um
        image.desc = image.desc.with_unit("um").with_spacing('x', side).with_spacing('y', side);
        if (side < 1e-300) {   // too little for any number of words, too
            io_error(folder / "a.tif", [&] { io::write(folder / "a.tif", image); });
            continue;
        }
        // Before the work, and with what holds them.
        const IoError error = io_error(folder / "a.tif", [&] { io::check_writable(folder / "a.tif", image.desc); });
        CHECK(error.problem.find("holds no pixels of") != std::string::npos);
        CHECK(error.problem.find(".ome.tif") != std::string::npos);
        CHECK(error.hint.find(".nrrd") != std::string::npos);
        CHECK(error.hint.find(".tif") == std::string::npos);
        io_error(folder / "a.tif", [&] { io::write(folder / "a.tif", image); });
        // Who did not ask before is not given a file that says less.
        const IoError unasked = io_error("a.tif", [&] { io::tiff::write(folder / "b.tif", "a.tif", image, {}); });
        CHECK(unasked.problem.find("holds no pixels of") != std::string::npos);
        CHECK_FALSE(fs::exists(folder / "a.tif"));
        CHECK_FALSE(fs::exists(folder / "b.tif"));
        io::write(folder / "a.ome.tif", image, {.overwrite = true});
        CHECK(io::read(folder / "a.ome.tif").desc.find('x')->spacing == doctest::Approx(side));
    }
    image.desc = image.desc.with_spacing('x', 0.00123).with_spacing('y', 30e6);   // of an atom and of a satellite
    io::write(folder / "a.tif", image);
    CHECK(io::read(folder / "a.tif").desc.find('x')->spacing == doctest::Approx(0.00123));
    CHECK(io::read(folder / "a.tif").desc.find('y')->spacing == doctest::Approx(30e6));
}

TEST_CASE("meaning: a unit that is no length is no millimetre") {
    const Folder folder;
    HostArray spectrum = pattern(ArrayDesc::dense(ElementType::f32, {{'y', 5}, {'x', 6}}));
    spectrum.desc = spectrum.desc.with_spacing('x', 0.1).with_spacing('y', 0.2).with_unit("1/mm");
    io::write(folder / "s.mha", spectrum);
    CHECK(text_of(folder / "s.mha").find("ElementSpacing") == std::string::npos);   // which all its readers take for millimetres
    spectrum.desc = spectrum.desc.with_unit("um");
    io::write(folder / "um.mha", spectrum);
    CHECK(text_of(folder / "um.mha").find("ElementSpacing = 0.0001 0.0002\n") != std::string::npos);
}

TEST_CASE("meaning: two colours of three are not grey and alpha") {
    const Folder folder;
    HostArray two = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 5}, {'x', 6}, {'c', 2}}));
    struct Row {
        std::vector<std::string> names;
        bool others, grey_and_alpha;
    };
    for (const Row& row : {Row{{}, false, true}, Row{{"grey", "alpha"}, false, true}, Row{{"green", "blue"}, true, false},
                           Row{{"DAPI", "GFP"}, false, false}}) {
        two.metadata.channels = row.names;
        CHECK(io::has_other_colours(two) == row.others);
        io::WriteOptions options;
        CHECK(io::display_loss(folder / "a.png", two, options).empty() != row.others);
        io::write(folder / "a.tif", two, {.overwrite = true});
        CHECK((io::info(folder / "a.tif").colour == io::Colour::grey_alpha) == row.grey_and_alpha);
    }
    HostArray three = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 5}, {'x', 6}, {'c', 3}}));
    three.metadata.channels = {"green", "blue", "alpha"};
    io::write(folder / "b.tif", three);
    CHECK(io::info(folder / "b.tif").colour != io::Colour::rgb);
    io::write(folder / "b.nrrd", three);
    CHECK(io::info(folder / "b.nrrd").colour == io::Colour::other);
    three.metadata.channels = {"DAPI", "GFP", "mCherry"};   // stains
    io::write(folder / "d.tif", three);
    CHECK(io::info(folder / "d.tif").colour == io::Colour::other);
    CHECK(same_elements(io::read(folder / "d.tif"), three));
    io::write(folder / "d.nrrd", three);
    CHECK(io::info(folder / "d.nrrd").colour == io::Colour::other);
    const bool hdf5 = !host::program_beside("parallax-read-hdf5").empty();
    const auto colour_in_hdf5 = [&] {
        io::write(folder / "h.h5", three, {.overwrite = true});
        const HostArray back = io::read(folder / "h.h5");
        CHECK(back.metadata.channels == three.metadata.channels);
        CHECK(same_elements(back, three));
        return io::info(folder / "h.h5").colour;
    };
    if (hdf5) CHECK(colour_in_hdf5() == io::Colour::other);
    three.metadata.channels = {"green", "blue", "alpha"};   // of four
    if (hdf5) CHECK(colour_in_hdf5() == io::Colour::other);
    three.metadata.channels = {};
    if (hdf5) CHECK(colour_in_hdf5() == io::Colour::rgb);
    three.metadata.channels = {"red", "green", "blue"};
    if (hdf5) CHECK(colour_in_hdf5() == io::Colour::rgb);
    io::write(folder / "c.tif", three);
    CHECK(io::info(folder / "c.tif").colour == io::Colour::rgb);
    // In OME-TIFF names stand beside planes alone: those that the colours say already need none, those that they do not say do.
    for (const ElementType type : {ElementType::u8, ElementType::u16, ElementType::boolean, ElementType::u32, ElementType::f32}) {
        CAPTURE(to_string(type));
        HostArray typed = HostArray::make(three.desc.with_type(type));
        std::fill_n(typed.data(), typed.desc.dense_bytes(), std::byte{1});
        typed.metadata.channels = three.metadata.channels;
        io::write(folder / "e.ome.tif", typed, {.overwrite = true});
        const bool colours = bytes_of(type) < 4;
        const io::FileInfo info = io::info(folder / "e.ome.tif");
        CHECK((info.colour == io::Colour::rgb) == colours);
        CHECK(info.desc.axes.back().name == (colours ? 'c' : 'x'));
        CHECK((io::read(folder / "e.ome.tif").metadata.channels == three.metadata.channels) == !colours);
    }
    two.metadata.channels = {"grey", "alpha"};
    io::write(folder / "f.ome.tif", two);
    CHECK(io::info(folder / "f.ome.tif").colour == io::Colour::grey_alpha);
}

TEST_CASE("meaning: NIfTI's fourth axis is time where it is in a unit of time, and told where it is not") {
    const Folder folder;
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    struct Row {
        int code;
        double seconds;     ///< 0: no time
        const char* told;   ///< nullptr: nothing
    };
    const Row rows[] = {
        {8, 1, nullptr},  {16, 1e-3, nullptr},          {24, 1e-6, nullptr},        {0, 1, "a unit that it does not name"},
        {32, 0, "hertz"}, {40, 0, "parts per million"}, {48, 0, "radians a second"}};
    for (const Row& row : rows) {
        for (const int length : {0, 1, 2, 3}) {   // not said, m, mm, um
            NiftiFixture nifti;
            nifti.big = random() % 2 == 0;
            nifti.dim = {4, 2, 1, 1, 3};
            nifti.units = static_cast<std::uint8_t>(length | row.code);
            const float step = static_cast<float>(1 + static_cast<double>(1 + random() % 5000) / 7);   // not 1
            nifti.pixdim[4] = step;
            CAPTURE(row.code);
            CAPTURE(step);
            Bytes voxels{{}, nifti.big};
            voxels.add_all<std::int16_t>({1, 2, 3, 4, 5, 6});
            put(folder / "a.nii", nifti.header() + voxels.text);
            const io::FileInfo info = io::info(folder / "a.nii");
            REQUIRE(info.desc.find('t') != nullptr);
            CHECK(info.desc.find('t')->spacing == doctest::Approx(row.seconds > 0 ? step * row.seconds : 0));
            const auto told = [&](const std::string& word) {
                return std::count_if(info.warnings.begin(), info.warnings.end(),
                                     [&](const io::Warning& warning) { return warning.text.find(word) != std::string::npos; });
            };
            if (row.told != nullptr) {
                CHECK(told(row.told) == 1);
                CHECK(told(fmt::format("{}", step)) == 1);
            } else {
                CHECK(told("fourth axis") + told("frames") == 0);
            }
        }
    }
}

TEST_CASE("meaning: ImageJ's pixels, planes and frames each have a unit of their own") {
    const Folder folder;
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    using Units = std::vector<std::pair<const char*, double>>;
    const Units lengths = {{"micron", 1e-3}, {"um", 1e-3}, {"\\u00B5m", 1e-3}, {"nm", 1e-6},
                           {"mm", 1},        {"cm", 10},   {"inch", 25.4}};   // in mm
    const Units times = {{"", 1}, {"s", 1}, {"sec", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}, {"hour", 3600}};
    const auto number = [&] { return static_cast<double>(1 + random() % 999) / 8; };
    for (int turn = 0; turn < 100; ++turn) {
        const auto any_of = [&](const Units& units) { return units[random() % units.size()]; };
        const auto [x_unit, x_mm] = any_of(lengths);
        const auto [y_unit, y_mm] = any_of(lengths);
        const auto [z_unit, z_mm] = any_of(lengths);
        const auto [t_unit, seconds] = any_of(times);
        const bool own_y = random() % 2 == 0, own_z = random() % 2 == 0, fathoms = random() % 8 == 0, moons = random() % 8 == 0;
        const double between = number(), interval = number();
        const std::uint64_t per_x = 1 + random() % 50, per_y = 1 + random() % 50;   // pixels in a unit
        std::string text = "ImageJ=1.54f\nimages=4\nslices=2\nframes=2\nhyperstack=true\n";
        text += fmt::format("unit={}\nspacing={}\nfinterval={}\n", x_unit, between, interval);
        if (own_y) text += fmt::format("yunit={}\n", y_unit);
        if (own_z || fathoms) text += fmt::format("zunit={}\n", fathoms ? "fathom" : z_unit);
        if (*t_unit != '\0' || moons) text += fmt::format("tunit={}\n", moons ? "moon" : t_unit);
        CAPTURE(text);
        std::vector<std::vector<TiffEntry>> pages;
        for (std::uint64_t page = 0; page < 4; ++page)
            pages.push_back(tiff_picture(2, 1, 8, 1, 8 + 2 * page, 2,
                                         {tiff_text(270, text), {282, 5, {per_x, 1}}, {283, 5, {per_y, 1}}, {296, 3, {1}}}));
        put(folder / "a.tif", make_tiff(pages, "abcdefgh"));
        const io::FileInfo info = io::info(folder / "a.tif");
        CHECK(info.desc.describe() == "u8 2 x 2 x 1 x 2 (t, z, y, x)");
        const double mm = io::millimetres(info.desc.unit);
        REQUIRE(mm > 0);
        CHECK(info.desc.find('x')->spacing * mm == doctest::Approx(x_mm / static_cast<double>(per_x)));
        CHECK(info.desc.find('y')->spacing * mm == doctest::Approx((own_y ? y_mm : x_mm) / static_cast<double>(per_y)));
        CHECK(info.desc.find('z')->spacing * mm == doctest::Approx(between * (own_z && !fathoms ? z_mm : x_mm)));
        CHECK(info.desc.find('t')->spacing == doctest::Approx(moons ? 0 : interval * seconds));
        CHECK(info.warnings.size() == static_cast<std::size_t>(fathoms) + static_cast<std::size_t>(moons));
        for (const io::Warning& warning : info.warnings)
            CHECK(warning.text.find(warning.text.find("length") != std::string::npos ? "\"fathom\"" : "\"moon\"") !=
                  std::string::npos);
    }
}

TEST_CASE("meaning: whatever axes an array has, a format gives them back or refuses them before it writes") {
    const Folder folder;
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    constexpr ElementType types[] = {ElementType::u8, ElementType::u16, ElementType::i16, ElementType::f32, ElementType::c64};
    std::map<std::string, int> written;
    for (int turn = 0; turn < 60; ++turn) {
        std::string names = "ntzyxc";
        if (turn % 3 == 0) std::shuffle(names.begin(), names.end(), random);
        if (turn % 4 == 0) names += "nzx"[random() % 3];   // a second one
        std::vector<ArrayDesc::Extent> extents;
        for (const char name : names)
            if (random() % 4 != 0) extents.push_back({name, 1 + static_cast<std::int64_t>(random() % 4)});
        if (extents.empty()) continue;
        const HostArray array = pattern(ArrayDesc::dense(types[random() % std::size(types)], extents));
        CAPTURE(array.desc.describe());
        for (const char* const name :
             {"a.npy", "a.tif", "a.ome.tif", "a.nii", "a.nrrd", "a.mha", "a.h5", "a.zarr", "a.ome.zarr"}) {
            CAPTURE(std::string(name));
            const fs::path path = folder / name;
            fs::remove_all(path);
            try {
                io::check_writable(path, array.desc, {});
            } catch (const IoError& refused) {
                CHECK_FALSE(refused.hint.empty());
                continue;
            }
            io::write(path, array);
            ++written[name];
            const HostArray back = io::read(path);
            // NumPy's axes have no names, and a TIFF's rows and columns are y and x, whatever they were.
            const bool tiff = std::string(name).ends_with(".tif"), picture = tiff && !has_rows_and_columns(array.desc);
            CHECK((name == std::string("a.npy") || picture ? same_elements(array, back) : same_by_names(array, back)));
        }
    }
    CHECK(written["a.npy"] > 40);
    CHECK(written.size() > 5);   // HDF5 and Zarr where they are built in
}
