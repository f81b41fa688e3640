// What arrays mean survives formats that have other axes, units and numbers of dimensions than ours.
#include "io/support.hpp"

#include "io/io.hpp"
#include "io/window.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

using namespace parallax;
using namespace parallax::tests;

namespace {

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
}

void check_affine(const HostArray& back, const std::array<double, 16>& right) {
    REQUIRE(back.metadata.affine);
    for (std::size_t i = 0; i < 16; ++i) CHECK((*back.metadata.affine)[i] == doctest::Approx(right[i]));
}

}  // namespace

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
    volumes.desc = volumes.desc.with_spacing('t', 1.5).with_spacing('z', 3).with_spacing('y', 2).with_spacing('x', 2).with_unit("mm");
    volumes.metadata.affine = std::array<double, 16>{2, 0, 0, 1, 0, 2, 0, 2, 0, 0, 3, 3, 0, 0, 0, 1};
    io::write(folder / "v.nrrd", volumes);
    CHECK(io::read(folder / "v.nrrd").desc == volumes.desc);
    check_affine(io::read(folder / "v.nrrd"), *volumes.metadata.affine);
    CHECK(text_of(folder / "v.nrrd").find("space: left-posterior-superior-time") != std::string::npos);
}

TEST_CASE("meaning: vectors without time are NIfTI's fifth axis, as they came") {
    const Folder folder;
    const HostArray vectors = pattern(ArrayDesc::dense(ElementType::i16, {{'n', 3}, {'z', 7}, {'y', 6}, {'x', 5}}));
    io::write(folder / "v.nii", vectors);
    const std::string header = text_of(folder / "v.nii").substr(40, 12);
    CHECK(header == std::string("\5\0\5\0\6\0\7\0\1\0\3\0", 12));   // dim: 5 of them, x, y, z, no time, 3
    CHECK(io::read(folder / "v.nii").desc == vectors.desc);
}

TEST_CASE("meaning: a unit that is no length is no millimetre") {
    const Folder folder;
    HostArray spectrum = pattern(ArrayDesc::dense(ElementType::f32, {{'y', 5}, {'x', 6}}));
    spectrum.desc = spectrum.desc.with_spacing('x', 0.1).with_spacing('y', 0.2).with_unit("1/mm");
    io::write(folder / "s.mha", spectrum);
    CHECK(text_of(folder / "s.mha").find("ElementSpacing = 0.1 0.2\n") != std::string::npos);
}

TEST_CASE("meaning: two colours of three are not grey and alpha") {
    const Folder folder;
    HostArray two = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 5}, {'x', 6}, {'c', 2}}));
    struct Row {
        std::vector<std::string> names;
        bool others;
    };
    for (const Row& row : {Row{{}, false}, Row{{"grey", "alpha"}, false}, Row{{"green", "blue"}, true}, Row{{"DAPI", "GFP"}, false}}) {
        two.metadata.channels = row.names;
        CHECK(io::has_other_colours(two) == row.others);
        io::WriteOptions options;
        CHECK(io::display_loss(folder / "a.png", two, options).empty() != row.others);
        io::write(folder / "a.tif", two, {.overwrite = true});
        if (row.names.empty()) CHECK(io::info(folder / "a.tif").colour == io::Colour::grey_alpha);
        if (row.others) CHECK(io::info(folder / "a.tif").colour != io::Colour::grey_alpha);
    }
    HostArray three = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 5}, {'x', 6}, {'c', 3}}));
    three.metadata.channels = {"green", "blue", "alpha"};
    io::write(folder / "b.tif", three);
    CHECK(io::info(folder / "b.tif").colour != io::Colour::rgb);
    io::write(folder / "b.nrrd", three);
    CHECK(io::info(folder / "b.nrrd").colour == io::Colour::other);
    three.metadata.channels = {"red", "green", "blue"};
    io::write(folder / "c.tif", three);
    CHECK(io::info(folder / "c.tif").colour == io::Colour::rgb);
}
