// Stacks whose pages are in another order than ImageJ's t, z, c.
#include <doctest/doctest.h>

#include "io/support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

/// The same array with its axes in another order.
HostArray reordered(const HostArray& array, const std::string& names) {
    HostArray view = array;
    std::sort(view.desc.axes.begin(), view.desc.axes.end(),
              [&](const Axis& a, const Axis& b) { return names.find(a.name) < names.find(b.name); });
    return view.to_dense();
}

HostArray drawn(ElementType type, const std::string& names) {
    std::vector<ArrayDesc::Extent> extents;
    for (const char name : names) extents.push_back({name, 2 + static_cast<std::int64_t>(std::string("ctzyx").find(name))});
    HostArray array = pattern(ArrayDesc::dense(type, extents).with_unit("um"));
    for (Axis& axis : array.desc.axes) axis.spacing = axis.name == 'c' ? 1 : axis.name == 't' ? 0.25 : axis.name == 'z' ? 3 : 0.5;
    if (names.find('c') != std::string::npos) array.metadata.channels = {"DAPI", "GFP"};
    return array;
}

}  // namespace

TEST_CASE("pages in any order: OME-TIFF keeps it, and TIFF has that of ImageJ") {
    const Folder folder;
    for (const char* const names : {"czyx", "tczyx", "ctyx", "zctyx", "ztyx", "tzcyx"}) {
        CAPTURE(std::string(names));
        const HostArray array = drawn(ElementType::u16, names);
        io::write(folder / "a.ome.tif", array, {.overwrite = true});
        const HostArray ome = io::read(folder / "a.ome.tif");
        CHECK(ome.desc == array.desc);
        CHECK(same_elements(ome, array));
        CHECK(ome.metadata.channels == array.metadata.channels);
        CHECK(io::info(folder / "a.ome.tif").warnings.empty());
        for (const int packed : {0, 6}) {
            io::write(folder / "a.tif", array, {.overwrite = true, .compression = packed});
            const HostArray tiff = io::read(folder / "a.tif"), expected = reordered(array, "tzcyx");
            CHECK(tiff.desc.describe() == expected.desc.describe());
            CHECK(same_elements(tiff, expected));
            for (const Axis& axis : expected.desc.axes)
                CHECK(tiff.desc.find(axis.name)->spacing == doctest::Approx(axis.spacing));
            CHECK(get(folder / "a.tif").find("ImageJ=") != std::string::npos);
        }
    }
    const HostArray mask = drawn(ElementType::boolean, "ctyx");   // it becomes 0 and 255
    io::write(folder / "m.tif", mask);
    CHECK(io::read(folder / "m.tif").desc.describe() == reordered(mask, "tcyx").desc.describe().replace(0, 4, "u8"));
}

TEST_CASE("pages in any order: what no format of a name holds is refused, and the hint names those that hold it") {
    const Folder folder;
    const ArrayDesc odd = ArrayDesc::dense(ElementType::u8, {{'n', 2}, {'c', 2}, {'y', 3}, {'x', 4}});
    for (const char* const name : {"a.tif", "a.ome.tif", "a.nii", "a.png"}) {
        CAPTURE(std::string(name));
        const IoError error = io_error(folder / name, [&] { io::check_writable(folder / name, odd); });
        for (const char* const refused : {".tif", ".nii", ".png"}) {
            CAPTURE(std::string(refused));
            CHECK(error.problem.find(refused) == std::string::npos);
            CHECK(error.hint.find(refused) == std::string::npos);
        }
        CHECK(error.hint.find(".npy") != std::string::npos);
    }
}

TEST_CASE("pages in any order: endings of names count in capitals and small letters") {
    const Folder folder;
    const HostArray volume = pattern(ArrayDesc::dense(ElementType::u8, {{'z', 3}, {'y', 4}, {'x', 5}}));
    for (const char* const name : {"a.nii.gz", "b.Nii.Gz", "c.NII.gZ", "d.NII.GZ"}) {
        CAPTURE(std::string(name));
        io::write(folder / name, volume);
        CHECK(get(folder / name).substr(0, 2) == "\x1f\x8b");
        CHECK(same_elements(io::read(folder / name), volume));
    }
    io::write(folder / "e.NiI", volume);
    CHECK(get(folder / "e.NiI").substr(0, 2) != "\x1f\x8b");
}
