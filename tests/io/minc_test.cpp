// MINC 2, and what attributes of HDF5 say of values and distances.
#include <cmath>
#include <complex>
#include <cstdlib>

#include "support.hpp"
#include "support/helper.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

/// Files of chunks.c; false: HDF5 is not built in.
bool make_files(const Folder& folder) {
    const std::string maker = host::program_beside("make_chunks");
    if (maker.empty() || host::program_beside("parallax-read-hdf5").empty()) {
        MESSAGE("skipped: the program that reads HDF5 is not built");
        return false;
    }
    REQUIRE(std::system(("'" + maker + "' '" + folder.path().string() + "'").c_str()) == 0);
    return true;
}

io::ReadOptions of(const char* dataset) {
    io::ReadOptions options;
    options.dataset = dataset;
    return options;
}

}   // namespace

TEST_CASE("minc: voxels beyond the valid range, whose ends stand in either order, are NaN") {
    const Folder folder;
    if (!make_files(folder)) return;
    const std::vector<float> values = values_of<float>(io::read(folder / "cm.mnc"));
    REQUIRE(values.size() == 16);
    CHECK(std::isnan(values.front()));
    CHECK(values[1] == doctest::Approx(204800.0 / 4095));
    CHECK(values.back() == 100);
    for (const char* const name : {"/hard", "hard", "/minc-2.0//image/0/image"}) {   // the same by its other names
        CAPTURE(name);
        const std::vector<float> same = values_of<float>(io::read(folder / "cm.mnc", of(name)));
        CHECK(std::vector<float>(same.begin() + 1, same.end()) == std::vector<float>(values.begin() + 1, values.end()));
    }
}

TEST_CASE("minc: steps are in the units that its axes name") {
    const Folder folder;
    if (!make_files(folder)) return;
    const io::FileInfo cm = io::info(folder / "cm.mnc");
    CHECK(cm.desc.unit == "mm");
    for (const char axis : {'x', 'y', 'z'}) CHECK(cm.desc.find(axis)->spacing == 20);
    CHECK(cm.desc.find('t')->spacing == 2);
    REQUIRE(cm.metadata.affine);
    CHECK(*cm.metadata.affine == std::array<double, 16>{20, 0, 0, 1000, 0, 20, 0, 1000, 0, 0, 20, 1000, 0, 0, 0, 1});
    CHECK(cm.warnings.empty());
    // What cannot be followed is told, axis by axis, and the place is left out.
    const io::FileInfo odd = io::info(folder / "odd.mnc");
    CHECK(odd.desc.find('t')->spacing == 0);
    CHECK(odd.desc.find('z')->spacing == 1);
    CHECK(odd.desc.find('y')->spacing == 50.8);
    CHECK(odd.desc.find('x')->spacing == 1);
    CHECK_FALSE(odd.metadata.affine);
    CHECK(told_of(odd) ==
          "its axis time has a step that is no distance: its time is left out\n"
          "its axis zspace is not evenly spaced (irregular): its distance is left out, and so is where it lies\n"
          "its axis xspace is in \"furlong\", a unit that is not known: its distance is left out, and so is where it lies");
}

TEST_CASE("minc: scales that are not those of its slices are refused before they are read") {
    const Folder folder;
    if (!make_files(folder)) return;
    const IoError error = io_error(folder / "slices.mnc", [&] { io::info(folder / "slices.mnc"); });
    CHECK(error.problem.find("scales are missing or do not fit") != std::string::npos);
}

TEST_CASE("hdf5: texts of an attribute that are more than a million letters together are left out") {
    const Folder folder;
    if (!make_files(folder)) return;
    CHECK(io::info(folder / "texts.h5", of("few")).metadata.channels == std::vector<std::string>{"red", "green", "blue"});
    CHECK(io::info(folder / "texts.h5", of("many")).metadata.channels.empty());
}

TEST_CASE("hdf5: names and colours that do not fit the number of channels are left out, and choose nothing") {
    const Folder folder;
    if (!make_files(folder)) return;
    const fs::path file = folder / "texts.h5";
    const io::FileInfo info = io::info(file, of("more"));
    CHECK(info.metadata.channels.empty());
    CHECK(info.colour == io::Colour::other);
    CHECK(told_of(info) == "its 2 channels are no colours of \"rgb\": that is left out\nit has 3 names for 2 channels: they are left out");
    for (const char* const channel : {"blue", "2"}) {
        io::ReadOptions options = of("more");
        options.channel = channel;
        CHECK(io_error(file, [&] { io::read(file, options); }).problem.find("has 2 channels, and none is") == 0);
    }
    io::ReadOptions grey = of("more");
    grey.grey = true;
    CHECK(io_error(file, [&] { io::read(file, grey); }).problem.find("that are not colours") != std::string::npos);
}

TEST_CASE("hdf5: units of distances by their names, and a warning for others") {
    const Folder folder;
    if (!make_files(folder)) return;
    struct Row { const char *dataset, *unit; double spacing; const char* told; };
    for (const Row& row : {Row{"inch", "mm", 50.8, ""}, Row{"fft", "1/um", 2, ""},
                           Row{"furlong", "", 2,
                               "its distances are in \"furlong\", a unit that is not known: \"spacing_um\" of the input states it"},
                           Row{"none", "", 2,
                               "its distances are of a unit that it does not name: \"spacing_um\" of the input states it"}}) {
        CAPTURE(row.dataset);
        const io::FileInfo info = io::info(folder / "words.h5", of(row.dataset));
        CHECK(info.desc.unit == row.unit);
        CHECK(info.desc.find('x')->spacing == row.spacing);
        CHECK(told_of(info) == row.told);
    }
}

TEST_CASE("hdf5: a unit without distances makes no pixels of its size") {
    const Folder folder;
    if (!make_files(folder)) return;
    const io::FileInfo depth = io::info(folder / "words.h5", of("depth"));   // of the values
    CHECK(depth.desc.unit.empty());
    CHECK(depth.desc.find('x')->spacing == 1);
    const io::FileInfo nowhere = io::info(folder / "words.h5", of("nowhere"));
    CHECK(nowhere.desc.unit.empty());
    CHECK(told_of(nowhere) == "it tells no distance above 0 along y: 1 stands for it\n"
                              "it tells no distance above 0 along x: 1 stands for it");
    const io::FileInfo flat = io::info(folder / "words.h5", of("flat"));   // y and x alone, as Fiji writes them
    CHECK(flat.desc.unit == "um");
    CHECK(flat.desc.find('x')->spacing == 2);
    CHECK(told_of(flat) == "it tells no distance above 0 along z: 1 stands for it");
}

TEST_CASE("hdf5: values that a range of netCDF's leaves out are told") {
    const Folder folder;
    if (!make_files(folder)) return;
    CHECK(told_of(io::info(folder / "words.h5", of("depth"))) ==
          "its values beyond 1 to 253 and below 1 stand for none (valid_range, valid_min): they are read as they are stored");
}

TEST_CASE("hdf5: a text of MATLAB's is no array of numbers") {
    const Folder folder;
    if (!make_files(folder)) return;
    const auto problem = [&](const char* dataset) {
        return io_error(folder / "words.h5", [&] { io::info(folder / "words.h5", of(dataset)); }).problem;
    };
    CHECK(problem("text").find("holds texts (MATLAB's char is such)") != std::string::npos);
    CHECK(problem("").find("/text (") == std::string::npos);   // among those of numbers, of which one is to be chosen
}

TEST_CASE("hdf5: netCDF's unsigned integers are such, and values that stand for none are told") {
    const Folder folder;
    if (!make_files(folder)) return;
    CHECK(values_of<std::uint8_t>(io::read(folder / "words.h5", of("unsigned"))) ==
          std::vector<std::uint8_t>{255, 5, 0, 1, 2, 128});
    CHECK(told_of(io::info(folder / "words.h5", of("unsigned"))) ==
          "its values of 254 stand for none (_FillValue): they are read as they are stored");
}

TEST_CASE("hdf5: axes are what labels, scales and attributes call them, else by their order, with a warning") {
    const Folder folder;
    if (!make_files(folder)) return;
    struct Row { const char *dataset, *axes, *told; };
    for (const Row& row : {
             Row{"labels", "u8 2 x 3 x 4 (x, t, c)", ""}, Row{"places", "u8 2 x 3 x 4 (t, y, x)", ""},
             Row{"none", "u8 2 x 3 x 4 (z, y, x)", ""}, Row{"scales", "u8 2 x 3 x 4 (x, y, t)", ""},
             Row{"sentence", "u8 2 x 3 x 4 (t, z, y)", ""}, Row{"letters", "u8 2 x 3 x 4 (x, y, z)", ""},
             Row{"part", "u8 2 x 3 x 4 (c, y, x)",
                 "what it calls its axes (\"\", \"\") says nothing here: they are taken for y, x by their order"},
             Row{"twice", "u8 2 x 3 x 4 (z, y, x)",
                 "what it says of its axes ([\"lat\",\"y\",\"x\"]) is not followed: they are taken for zyx by their order"},
             Row{"words", "u8 2 x 3 x 4 (z, y, x)",
                 "what it says of its axes ([\"lat,lon\"]) is not followed: they are taken for zyx by their order"}}) {
        CAPTURE(row.dataset);
        const io::FileInfo info = io::info(folder / "axes.h5", of(row.dataset));
        CHECK(info.desc.describe() == row.axes);
        CHECK(told_of(info) == row.told);
        const std::vector<std::uint8_t> values = values_of<std::uint8_t>(io::read(folder / "axes.h5", of(row.dataset)));
        REQUIRE(values.size() == 24);
        for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == i);   // in the order in which they are stored
    }
    io::ReadOptions second = of("places");
    second.pages = {1, 2};
    CHECK(values_of<std::uint8_t>(io::read(folder / "axes.h5", second)).front() == 12);
}

TEST_CASE("hdf5: complex numbers of 16-bit floats are widened, and of others that are not read it is told of what they are") {
    const Folder folder;
    if (!make_files(folder)) return;
    using C = std::complex<float>;
    CHECK(values_of<C>(io::read(folder / "halves.h5")) == std::vector<C>{{1, 2}, {-.5f, 65504}});
    const IoError error = io_error(folder / "halves.h5", [&] { io::info(folder / "halves.h5", of("wide")); });
    CAPTURE(error.problem);
    if (sizeof(long double) > sizeof(double))
        CHECK(error.problem == "its dataset /wide holds complex numbers of " + std::to_string(8 * sizeof(long double)) +
                                   "-bit floating-point numbers, which are not read");
}
