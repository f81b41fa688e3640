// MetaImage: its header, its space, and what of it is not followed.
#include <algorithm>

#include "io/volumes_by_hand.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

std::string padded(std::string text, std::size_t bytes) {
    text.resize(bytes, '#');
    return text;
}

}   // namespace

TEST_CASE("volumes: MetaImage, attached and beside, raw and packed, with its space") {
    const Folder folder;
    const std::string space = "Offset = 10 20 30\nElementSpacing = 0.5 0.5 2\nTransformMatrix = 0 1 0 1 0 0 0 0 1\n";
    put(folder / "v.raw", elements);
    const std::vector<std::pair<const char*, std::string>> rows = {
        {"attached.mha", meta(space) + elements},
        {"packed.mha", meta(space + "CompressedData = True\n") + deflated(elements, 15)},
        {"whole.mha", meta(space + "ElementNumberOfChannels = 1.0\nNDims = 3\nComment = a\nComment = b\n") + elements},
        {"from_the_end.mha", meta(space + "HeaderSize = -1\n") + "behind the header" + elements},
        {"from_the_beginning.mha", padded(meta(space + "HeaderSize = 400\n"), 400) + elements + "behind the elements"},
        {"in_another.mhd", meta(space + "HeaderSize = 3\n", "behind.raw")},
        {"beside.mhd", meta(space, "v.raw")},
        {"list.mhd", meta(space, "LIST\nv.raw")},
        {"pattern.mhd", meta(space, "part%03d.raw 1 2 1")},
        {"headed.mhd", meta(space + "HeaderSize = -1\n", "LIST\nshort_head.raw\nlong_head.raw")},
    };
    put(folder / "short_head.raw", "abc" + elements.substr(0, 8)), put(folder / "long_head.raw", "abcdefg" + elements.substr(8));
    put(folder / "behind.raw", "abc" + elements);
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

TEST_CASE("volumes: a spacing of MetaImage below 0 turns the axis, as ITK has it, and one of 0 is none") {
    const Folder folder;
    const auto info = [&](const std::string& more) {
        put(folder / "a.mha", meta(more) + elements);
        return io::info(folder / "a.mha");
    };
    constexpr const char* told = "its spacing along z is below 0: it counts by its size, and the axis goes the other way";
    const io::FileInfo placed =
        info("TransformMatrix = 1 0 0 0 1 0 0 0 1\nOffset = 10 20 30\nElementSpacing = 0.5 0.25 -2\n");
    CHECK(told_of(placed) == told);
    CHECK(placed.desc.find('z')->spacing == 2);
    REQUIRE(placed.metadata.affine);
    CHECK(*placed.metadata.affine == std::array<double, 16>{-.5, 0, 0, -10, 0, -.25, 0, -20, 0, 0, -2, 30, 0, 0, 0, 1});
    const io::FileInfo turned = info("ElementSpacing = 0.5 0.25 -2\n");
    CHECK(told_of(turned) == told);
    REQUIRE(turned.metadata.affine);
    CHECK((*turned.metadata.affine)[10] == -2);
    const io::FileInfo flat = info("ElementSpacing = 0.5 0.25 0\n");
    CHECK(told_of(flat) == "its header gives a spacing of other axes and none of z: it is taken for 1 mm");
    const io::FileInfo none = info("Offset = 1 2 3\nElementSpacing = 0 0 0\n");
    CHECK(told_of(none) == "its header names mm for its unit and gives no distance in it: the unit is left out");
    CHECK(none.desc.unit.empty());
    CHECK_FALSE(none.metadata.affine);
}

TEST_CASE("volumes: a scale of MetaImage's values is told, and not applied") {
    const Folder folder;
    put(folder / "a.mha", meta("ElementToIntensityFunctionSlope = 2\nElementToIntensityFunctionOffset = 10\n") + elements);
    CHECK(told_of(io::info(folder / "a.mha")).find("its values stand for 10 + 2 times what is stored") == 0);
    CHECK(values_of<std::int16_t>(io::read(folder / "a.mha")) == values);
    put(folder / "a.mha", meta("ElementToIntensityFunctionSlope = 1\nElementToIntensityFunctionOffset = 0\n") + elements);
    CHECK(told_of(io::info(folder / "a.mha")).empty());
}

TEST_CASE("volumes: an array without a place has none in a MetaImage") {
    const Folder folder;
    HostArray array = pattern(ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 3}, {'x', 4}}));
    array.desc = array.desc.with_spacing('z', 2).with_spacing('y', .5).with_spacing('x', .5).with_unit("mm");
    io::write(folder / "a.mha", array);
    const HostArray back = io::read(folder / "a.mha");
    CHECK(back.desc == array.desc);
    CHECK_FALSE(back.metadata.affine);
}

TEST_CASE("volumes: distances for which a format has no number are refused, and not written as infinite ones") {
    const Folder folder;
    const auto refusal = [&](const char* name, double spacing, const char* unit) {
        HostArray array = pattern(ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 2}, {'x', 2}}).with_unit(unit));
        for (Axis& axis : array.desc.axes) axis.spacing = spacing;
        io::WriteOptions again;
        again.overwrite = true;
        try {
            io::write(folder / name, array, again);
        } catch (const IoError& error) {
            return error.problem;
        }
        CHECK(io::info(folder / name).desc.find('x')->spacing > 0);   // read again
        return std::string();
    };
    for (const char* const name : {"o.mha", "o.nrrd", "o.nii"}) {
        CAPTURE(name);
        CHECK(refusal(name, 1e307, "m").find("of z, 1e+307") != std::string::npos);
        CHECK(refusal(name, 1e-306, name == std::string("o.nii") ? "nm" : "um").find("of z, 1e-306") != std::string::npos);
        CHECK(refusal(name, 1e30, "m").empty());
        CHECK(refusal(name, 0.5, "nm").empty());
    }
    CHECK(refusal("o.nii", 1e39, "mm").find("3.4e+38") != std::string::npos);
    CHECK(refusal("o.mha", 1e39, "mm").empty());
}
