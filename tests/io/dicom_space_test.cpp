// Where frames and slices of DICOM lie in space and time, together and in folders.
#include <cmath>
#include <map>

#include "io/dicom_read.hpp"

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("dicom: a folder says what of it is not read, and why") {
    if (!can_read_dicom()) return;
    const Folder folder;
    fs::create_directory(folder / "slices");
    Dicom wrong;
    wrong.photometric = "RGB";
    put(folder / "slices/b.dcm", wrong.bytes());
    const auto ignored = [&] {
        std::string all;
        for (const std::string& thing : io::info(folder / "slices").ignored) all += thing + "\n";
        return all;
    };
    try {
        ignored();
        FAIL("read");
    } catch (const IoError& error) {
        has(error.problem, "no DICOM picture that is read (b.dcm says that its one sample a pixel is RGB");
    }
    put(folder / "slices/a.dcm", Dicom{}.bytes());
    put(folder / "slices/c.txt", "a note");
    CHECK(ignored() == "a file that is no DICOM picture\n");                          // of pictures a warning tells, once
    const std::vector<io::Warning> warnings = io::info(folder / "slices").warnings;   // who runs a job is told, too
    REQUIRE(!warnings.empty());
    has(warnings.front().text, "it is without a picture that is not read (b.dcm says");

    // What stands where the kind of colours should may tell of a patient.
    Dicom strange;
    strange.photometric = "DOE JANE";
    put(folder / "strange.dcm", strange.bytes());
    const io::FileInfo told = io::info(folder / "strange.dcm");
    std::string all = told.detail;
    for (const io::Warning& warning : told.warnings) all += warning.text;
    has(all, "what DICOM does not know");
    CHECK(all.find("DOE") == std::string::npos);
}

TEST_CASE("dicom: a time of frames is as many seconds as the file says") {
    if (!can_read_dicom()) return;
    const Folder folder;
    for (const auto& [ms, seconds] :
         std::map<std::string, double>{{"33.3", .0333}, {"16.7", .0167}, {"40", .04}, {"66.67", .06667}}) {
        Dicom file;
        file.frame_ms = ms.size() % 2 ? ms + " " : ms;
        file.pixels = std::string(8, '\1');
        put(folder / "a.dcm", file.bytes());
        const ArrayDesc desc = io::info(folder / "a.dcm").desc;
        REQUIRE(desc.find('t'));
        CHECK(desc.find('t')->spacing == seconds);
    }
}

TEST_CASE("dicom: directions have no length, and those that place no pixel are left out") {
    if (!can_read_dicom()) return;
    const Folder folder;
    struct Row {
        const char *directions, *words;
        bool placed;
    };
    for (const Row& row : {Row{"1\\0\\0\\0\\1\\0", "", true}, Row{".9999\\0\\0\\0\\1\\0", "", true},
                           Row{"2\\0\\0\\0\\4\\0", "count as if they were", true}, Row{"1e200\\0\\0\\0\\1\\0", "count as if they were", true},
                           Row{"0\\0\\0\\0\\1\\0", "not of length 1: they are left out", false},
                           Row{"1\\0\\0\\1\\0\\0", "have the determinant 0", false}}) {
        CAPTURE(row.directions);
        Dicom file;
        file.position = "1\\2\\3", file.directions = row.directions;
        const std::string all = told(folder, file);
        if (*row.words) has(all, row.words);
        else CHECK(all.empty());
        const io::FileInfo info = io::info(folder / "a.dcm");
        CHECK(info.desc.find('x')->spacing == .5);
        REQUIRE(info.metadata.affine.has_value() == row.placed);
        if (row.placed) CHECK((*info.metadata.affine)[0] == doctest::Approx(-.5).epsilon(1e-3));
        CHECK(read<std::uint8_t>(folder, file) == std::vector<std::uint8_t>{1, 2, 3, 255});
    }
}

TEST_CASE("dicom: planes lie as far apart, and in that order, as the frames of a dose say, or a distance that may be below 0") {
    if (!can_read_dicom()) return;
    const Folder folder;
    struct Row {
        const char *offsets, *between;
        double step;
        const char* words;
    };
    for (const Row& row : {Row{"0\\2.5\\5", "", 2.5, ""}, Row{"0\\-2.5\\-5", "", -2.5, ""}, Row{"10\\12.5\\15", "", 2.5, ""},
                           Row{"0\\2.5\\9", "", 1, "do not lie one distance apart: 1 mm"}, Row{"0\\2.5", "", 1, "it says of 2 frames"},
                           Row{"0\\2,5\\5", "", 1, "(3004,000c) is \"0\\2,5\\5\""}, Row{"", "-4", -4, ""}, Row{"", "4", 4, ""},
                           Row{"", "", 1, "does not say how far its planes lie apart: 1 mm"}}) {
        CAPTURE(row.offsets);
        CAPTURE(row.between);
        Dicom file;
        file.frames = "3", file.pixels = std::string(12, '\1');
        file.position = "1\\2\\3", file.offsets = row.offsets, file.between = row.between;
        const std::string all = told(folder, file);
        if (*row.words) has(all, row.words);
        else CHECK(all.empty());
        const io::FileInfo info = io::info(folder / "a.dcm");
        CHECK(info.desc.find('z')->spacing == std::abs(row.step));
        REQUIRE(info.metadata.affine);
        CHECK((*info.metadata.affine)[10] == row.step);
    }
    Dicom bare;   // no size of pixels, and so no unit
    bare.frames = "3", bare.pixels = std::string(12, '\1'), bare.between = "4";
    CHECK(told(folder, bare) == "it says that its planes lie 4 mm apart, and not how large its pixels are: the distance is left out\n");
    CHECK(io::info(folder / "a.dcm").desc.find('z')->spacing == 1);
    Dicom file;
    file.spacing = ".5\\.5", file.detector_position = "1\\2\\3";
    CHECK(told(folder, file).empty());
    const io::FileInfo info = io::info(folder / "a.dcm");
    REQUIRE(info.metadata.affine);
    CHECK((*info.metadata.affine)[3] == -1);
    CHECK((*info.metadata.affine)[11] == 3);
}

TEST_CASE("dicom: distances and directions that frames do not share are told and left out, and slices of a folder refused") {
    if (!can_read_dicom()) return;
    const Folder folder;
    const auto file = [](Dicom::FramePlace third) {
        Dicom one;
        one.frames = "3", one.pixels = std::string(12, '\1');
        third.position = "0\\0\\4";
        one.frame_places = {{"0\\0\\0"}, {"0\\0\\2"}, third};
        return one;
    };
    CHECK(told(folder, file({})).empty());
    io::FileInfo info = io::info(folder / "a.dcm");
    CHECK(info.desc.find('z')->spacing == 2);
    CHECK(info.desc.unit == "mm");
    CHECK(info.metadata.affine);

    has(told(folder, file({"", "1\\0\\0\\0\\1\\0", ".5\\1"})), "frame 3 has other distances");
    info = io::info(folder / "a.dcm");
    for (const char axis : {'z', 'y', 'x'}) CHECK(info.desc.find(axis)->spacing == 1);
    CHECK(info.desc.unit.empty());
    CHECK_FALSE(info.metadata.affine);

    has(told(folder, file({"", "0\\1\\0\\0\\0\\1", ".5\\.5"})), "frame 3 lies in other directions");
    info = io::info(folder / "a.dcm");
    CHECK(info.desc.find('z')->spacing == 1);
    CHECK(info.desc.find('y')->spacing == .5);
    CHECK_FALSE(info.metadata.affine);

    fs::create_directory(folder / "slices");
    for (const bool turned : {false, true}) {
        for (int i = 0; i < 2; ++i) {
            Dicom slice;
            slice.position = "0\\0\\" + std::to_string(2 * i);
            if (i == 1) (turned ? slice.directions : slice.spacing) = turned ? "0\\1\\0\\0\\0\\1" : ".5\\1";
            put(folder / "slices" / (std::to_string(i) + ".dcm"), slice.bytes());
        }
        has(io_error(folder / "slices", [&] { io::info(folder / "slices"); }).problem, "holds slices that are unlike");
    }
}

TEST_CASE("dicom: slices of a folder have one type, whatever their tables of values make of them") {
    if (!can_read_dicom()) return;
    const Folder folder;
    const auto problem = [&](std::vector<Dicom> slices) {
        for (std::size_t i = 0; i < slices.size(); ++i) {
            slices[i].position = "0\\0\\" + std::to_string(i);
            put(folder / (std::to_string(i) + ".dcm"), slices[i].bytes());
        }
        try {
            io::read(folder.path());
        } catch (const IoError& error) {
            return error.problem;
        }
        return std::string();
    };
    Dicom plain, through, scaled;
    through.table = {1, 2, 300}, scaled.slope = "2 ", scaled.intercept = "1 ";
    CHECK(problem({through, through}).empty());
    CHECK(problem({plain, scaled}).empty());
    for (const auto& slices : {std::vector{plain, through}, std::vector{through, plain}, std::vector{through, scaled}})
        has(problem(slices), "holds slices that are unlike");
}

TEST_CASE("dicom: slices of a tilted gantry are told") {
    if (!can_read_dicom()) return;
    const Folder folder;
    for (const bool tilted : {false, true}) {
        CAPTURE(tilted);
        const fs::path scan = folder / (tilted ? "tilted" : "straight");
        fs::create_directory(scan);
        for (int i = 0; i < 4; ++i) {
            Dicom slice;
            slice.position = "10\\" + std::to_string(tilted ? i * 0.5 : 0) + "\\" + std::to_string(i * 2);
            put(scan / (std::to_string(i) + ".dcm"), slice.bytes());
        }
        const io::FileInfo info = io::info(scan);
        // From one to the next, as ITK counts it, and each where its header says.
        CHECK(info.desc.find('z')->spacing == doctest::Approx(tilted ? std::sqrt(4.25) : 2));
        REQUIRE(info.metadata.affine);
        CHECK((*info.metadata.affine)[2] == 0);
        CHECK((*info.metadata.affine)[6] == (tilted ? -0.5 : 0));
        CHECK((*info.metadata.affine)[10] == 2);
        const bool told = std::any_of(info.warnings.begin(), info.warnings.end(), [](const io::Warning& warning) {
            return warning.text.find("tilted gantry") != std::string::npos && warning.text.find("0.5 mm") != std::string::npos;
        });
        CHECK(told == tilted);
    }
}
