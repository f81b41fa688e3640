// What is written is read back, element by element, with its spacing.
#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

constexpr ElementType every_type[] = {ElementType::boolean, ElementType::u8,  ElementType::i8,  ElementType::u16,
                                      ElementType::i16,     ElementType::u32, ElementType::i32, ElementType::u64,
                                      ElementType::i64,     ElementType::f32, ElementType::f64, ElementType::c64,
                                      ElementType::c128};

const ArrayDesc picture(ElementType type) { return ArrayDesc::dense(type, {{'y', 13}, {'x', 17}}); }

}   // namespace

TEST_CASE("every type survives NPY") {
    const Folder folder;
    for (const ElementType type : every_type) {
        for (const ArrayDesc& desc : {ArrayDesc::dense(type, {}), ArrayDesc::dense(type, {{'x', 5}}), picture(type),
                                      ArrayDesc::dense(type, {{'z', 2}, {'y', 3}, {'x', 4}}),
                                      ArrayDesc::dense(type, {{'n', 2}, {'t', 3}, {'z', 4}, {'y', 5}, {'x', 6}})}) {
            CAPTURE(desc.describe());
            const HostArray array = pattern(desc);
            io::write(folder / "a.npy", array, {.overwrite = true});
            const HostArray back = io::read(folder / "a.npy");
            CHECK(back.desc == array.desc);
            CHECK(same_elements(back, array));
            CHECK(io::info(folder / "a.npy").desc == array.desc);
        }
    }
    CHECK(folder.entries() == 1);
}

TEST_CASE("every real type survives TIFF, with pages, channels and spacing") {
    const Folder folder;
    for (const ElementType type : every_type) {
        if (is_complex(type)) continue;
        for (const ArrayDesc& shape : {picture(type), ArrayDesc::dense(type, {{'t', 3}, {'y', 13}, {'x', 17}}),
                                       ArrayDesc::dense(type, {{'y', 13}, {'x', 17}, {'c', 3}}),
                                       ArrayDesc::dense(type, {{'t', 2}, {'y', 13}, {'x', 17}, {'c', 2}})}) {
            const ArrayDesc desc = shape.with_unit("um").with_spacing('x', 0.25).with_spacing('y', 0.5);
            CAPTURE(desc.describe());
            const HostArray array = pattern(desc);
            io::write(folder / "packed.tif", array,
                      {.overwrite = true, .compression = 1 + static_cast<int>(desc.axes.size()) * 2});
            io::write(folder / "a.tif", array, {.overwrite = true});
            const HostArray back = io::read(folder / "a.tif"), packed = io::read(folder / "packed.tif");
            CHECK(packed.desc == back.desc);
            CHECK(same_elements(packed, back));
            if (type == ElementType::boolean) {
                REQUIRE(back.desc == desc.with_type(ElementType::u8));
                for (std::int64_t i = 0; i < desc.count(); ++i)
                    REQUIRE(back.as<std::uint8_t>()[i] == 255 * array.as<std::uint8_t>()[i]);
                continue;
            }
            CHECK(back.desc == desc);
            CHECK(same_elements(back, array));
        }
    }
}

TEST_CASE("packed TIFF: pages of many strips, and less than it was") {
    const Folder folder;
    for (const ElementType type : {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::f32}) {
        HostArray array = HostArray::make(ArrayDesc::dense(type, {{'t', 2}, {'y', 1111}, {'x', 1500}}));
        std::memset(array.data(), 0, array.desc.dense_bytes());
        for (std::int64_t i = 0; i < array.desc.count(); i += 3)
            array.data()[i * static_cast<std::int64_t>(bytes_of(type))] = static_cast<std::byte>(i / 1500);
        io::write(folder / "a.tif", array, {.overwrite = true, .compression = 1});
        CAPTURE(array.desc.describe());
        CHECK(same_elements(io::read(folder / "a.tif"), array));
        CHECK(fs::file_size(folder / "a.tif") < array.desc.dense_bytes() / 2);
        // ImageJ undoes no differences (predictor 2, an entry of one u16) that deflate packed.
        CHECK(get(folder / "a.tif").find(std::string("\x3d\x01\x03\x00\x01\x00\x00\x00", 8)) == std::string::npos);
    }
}

TEST_CASE("spacing travels through TIFF") {
    const Folder folder;
    struct Row {
        const char* unit;
        double x, y, x_um;
    };
    for (const Row& row : {Row{"um", 0.0388007, 1.4, 0.0388007}, Row{"nm", 65, 65, 0.065}, Row{"mm", 0.3, 0.2, 300},
                           Row{"cm", 2, 2, 20000}, Row{"m", 0.001, 0.001, 1000}}) {
        CAPTURE(std::string(row.unit));
        io::write(folder / "a.tif",
                  pattern(picture(ElementType::u8).with_unit(row.unit).with_spacing('x', row.x).with_spacing('y', row.y)),
                  {.overwrite = true});
        const ArrayDesc desc = io::info(folder / "a.tif").desc;
        CHECK(desc.unit == "um");
        CHECK(desc.find('x')->spacing == doctest::Approx(row.x_um).epsilon(1e-6));
        CHECK(desc.find('y')->spacing == doctest::Approx(row.y * row.x_um / row.x).epsilon(1e-6));
    }
    SUBCASE("no unit, no resolution") {
        io::write(folder / "b.tif", pattern(picture(ElementType::u8).with_spacing('x', 3)));
        CHECK(io::info(folder / "b.tif").desc.unit.empty());
    }
    SUBCASE("the distance of slices, in ImageJ's words") {
        const ArrayDesc desc = ArrayDesc::dense(ElementType::u16, {{'z', 4}, {'y', 5}, {'x', 6}})
                                   .with_unit("um")
                                   .with_spacing('z', 2.5)
                                   .with_spacing('y', 0.5)
                                   .with_spacing('x', 0.25);
        io::write(folder / "b.tif", pattern(desc));
        const HostArray back = io::read(folder / "b.tif", {.page_axis = 'z'});
        CHECK(back.desc == desc);
        CHECK(same_elements(back, pattern(desc)));
    }
    SUBCASE("a description is written back, unless it tells of a structure") {
        HostArray array = pattern(picture(ElementType::u8));
        array.metadata.notes["tiff.description"] = "20 um beads, run 7";
        io::write(folder / "b.tif", array);
        CHECK(io::read(folder / "b.tif").metadata.notes.at("tiff.description") == "20 um beads, run 7");
        array.metadata.notes["tiff.description"] = "ImageJ=1.53\nimages=99\n";
        io::write(folder / "c.tif", array);
        CHECK(io::read(folder / "c.tif").metadata.notes.count("tiff.description") == 0);
    }
}

TEST_CASE("every real type survives NIfTI, packed or not, with space and time") {
    const Folder folder;
    for (const char* name : {"a.nii", "a.nii.gz"}) {
        for (const ElementType type : every_type) {
            if (is_complex(type)) continue;
            for (const ArrayDesc& shape : {picture(type), ArrayDesc::dense(type, {{'z', 3}, {'y', 4}, {'x', 5}}),
                                           ArrayDesc::dense(type, {{'t', 2}, {'y', 4}, {'x', 5}}),
                                           ArrayDesc::dense(type, {{'t', 2}, {'z', 3}, {'y', 4}, {'x', 5}})}) {
                const ArrayDesc desc =
                    shape.with_unit("mm").with_spacing('x', 0.5).with_spacing('y', 0.75).with_spacing('z', 2).with_spacing('t',
                                                                                                                           2.5);
                CAPTURE(std::string(name));
                CAPTURE(desc.describe());
                HostArray array = pattern(desc);
                array.metadata.affine = {-0.5, 0, 0, 32, 0, 0.75, 0, -40, 0, 0, 2, -16, 0, 0, 0, 1};
                array.metadata.notes["nifti.sform"] = "4";
                array.metadata.notes["nifti.description"] = "made by a test";
                io::write(folder / name, array, {.overwrite = true});
                const HostArray back = io::read(folder / name);
                CHECK(back.desc == (type == ElementType::boolean ? desc.with_type(ElementType::u8) : desc));
                CHECK(std::memcmp(back.data(), array.data(), desc.dense_bytes()) == 0);
                CHECK(back.metadata.affine == array.metadata.affine);
                CHECK(back.metadata.notes == array.metadata.notes);
            }
        }
    }
    SUBCASE("units other than mm, the affine stays in mm") {
        HostArray array = pattern(picture(ElementType::u8).with_unit("nm").with_spacing('x', 500).with_spacing('y', 250));
        array.metadata.affine = {0.0005, 0, 0, 1, 0, 0.00025, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1};
        io::write(folder / "n.nii", array);
        const HostArray back = io::read(folder / "n.nii");
        CHECK(back.desc.unit == "um");
        CHECK(back.desc.find('x')->spacing == doctest::Approx(0.5));
        for (std::size_t i = 0; i < 16; ++i)
            CHECK((*back.metadata.affine)[i] == doctest::Approx((*array.metadata.affine)[i]).epsilon(1e-6));
    }
    SUBCASE("an axis too long for NIfTI-1 makes a NIfTI-2 file") {
        const HostArray array = pattern(ArrayDesc::dense(ElementType::i16, {{'y', 2}, {'x', 40000}}));
        io::write(folder / "long.nii.gz", array);
        CHECK(io::info(folder / "long.nii.gz").detail == "version 2, little-endian, gzip");
        const HostArray back = io::read(folder / "long.nii.gz");
        CHECK(back.desc == array.desc);
        CHECK(same_elements(back, array));
    }
}

TEST_CASE("u8 and u16 survive PNG, in grey and in colour") {
    const Folder folder;
    for (const ElementType type : {ElementType::u8, ElementType::u16}) {
        for (const std::int64_t channels : {1, 2, 3, 4}) {
            ArrayDesc desc = picture(type);
            if (channels > 1) desc = ArrayDesc::dense(type, {{'y', 13}, {'x', 17}, {'c', channels}});
            CAPTURE(desc.describe());
            const HostArray array = pattern(desc);
            io::write(folder / "a.png", array, {.overwrite = true});
            const HostArray back = io::read(folder / "a.png");
            CHECK(back.desc == desc);
            CHECK(same_elements(back, array));
            CHECK(io::info(folder / "a.png").desc == desc);
            const HostArray grey = io::read(folder / "a.png", {.grey = true});
            CHECK(grey.desc == picture(type));
            if (channels == 2) {
                const auto at = [&](std::int64_t i) {
                    return type == ElementType::u8 ? array.as<std::uint8_t>()[i] : array.as<std::uint16_t>()[i];
                };
                const auto got = [&](std::int64_t i) {
                    return type == ElementType::u8 ? grey.as<std::uint8_t>()[i] : grey.as<std::uint16_t>()[i];
                };
                for (std::int64_t i = 0; i < grey.desc.count(); ++i) REQUIRE(got(i) == at(2 * i));
            }
        }
    }
}

TEST_CASE("one row and singleton axes can be written as a picture") {
    const Folder folder;
    io::write(folder / "row.png", pattern(ArrayDesc::dense(ElementType::u8, {{'x', 9}})));
    CHECK(io::read(folder / "row.png").desc.describe() == "u8 1 x 9 (y, x)");
    io::write(folder / "one.png", pattern(ArrayDesc::dense(ElementType::u8, {{'t', 1}, {'z', 1}, {'y', 3}, {'x', 9}})));
    CHECK(io::read(folder / "one.png").desc.describe() == "u8 3 x 9 (y, x)");
    io::write(folder / "one.tif", pattern(ArrayDesc::dense(ElementType::u8, {{'t', 1}, {'z', 2}, {'y', 3}, {'x', 9}})));
    CHECK(io::read(folder / "one.tif").desc.describe() == "u8 2 x 3 x 9 (z, y, x)");
}

TEST_CASE("a strided array is written as what it shows") {
    const Folder folder;
    HostArray view = pattern(picture(ElementType::f32));
    std::swap(view.desc.axes[0], view.desc.axes[1]);
    std::swap(view.desc.axes[0].name, view.desc.axes[1].name);
    for (const char* name : {"a.npy", "a.tif", "a.nii"}) {
        CAPTURE(std::string(name));
        io::write(folder / name, view);
        CHECK(same_elements(io::read(folder / name), view));
    }
}

TEST_CASE("readers decode into the caller's memory") {
    const Folder folder;
    const HostArray array = pattern(picture(ElementType::u16));
    for (const char* name : {"a.png", "a.tif", "a.npy", "a.nii.gz"}) {
        CAPTURE(std::string(name));
        io::write(folder / name, array);
        HostArray mine;
        io::ReadOptions options;
        options.allocate = [&](const ArrayDesc& desc) { return mine = HostArray::make(desc); };
        const HostArray back = io::read(folder / name, options);
        CHECK(back.memory == mine.memory);
        CHECK(same_elements(back, array));
        options.allocate = [](const ArrayDesc&) { return HostArray::make(ArrayDesc::dense(ElementType::u8, {{'x', 1}})); };
        io_error(folder / name, [&] { io::read(folder / name, options); });
    }
}

TEST_CASE("a file says whether slice after slice can be read of it, and is the same then") {
    const Folder folder;
    const auto check = [&](const fs::path& path, bool in_slices, const io::ReadOptions& options = {}) {
        CAPTURE(path);
        CHECK(io::info(path, options).in_slices == in_slices);
        if (!in_slices) return static_cast<void>(io_error(path, [&] { io::open_slices(path, options); }));
        const HostArray whole = io::read(path, options), parts = HostArray::make(whole.desc);
        const io::SliceStream stream = io::open_slices(path, options);
        const std::size_t slice = whole.desc.dense_bytes() / static_cast<std::size_t>(whole.desc.axes.front().size);
        CHECK(stream.desc == whole.desc);
        stream.next(2, parts.data());
        stream.next(whole.desc.axes.front().size - 2, parts.data() + 2 * slice);
        CHECK(same_elements(parts, whole));
    };
    const HostArray volume = pattern(ArrayDesc::dense(ElementType::u16, {{'z', 5}, {'y', 6}, {'x', 7}})),
                    plane = pattern(picture(ElementType::u16));
    for (const char* name : {"v.tif", "v.npy", "v.nii", "v.nii.gz"}) {
        io::write(folder / name, volume);
        check(folder / name, true);
    }
    for (const char* name : {"p.png", "p.tif", "p.npy", "p.nii"}) {
        io::write(folder / name, plane);
        check(folder / name, std::string(name) == "p.npy" || std::string(name) == "p.nii");
    }
    io::write(folder / "colour.tif", pattern(ArrayDesc::dense(ElementType::u8, {{'t', 3}, {'y', 6}, {'x', 7}, {'c', 3}})));
    check(folder / "colour.tif", false);
    io::write(folder / "line.npy", pattern(ArrayDesc::dense(ElementType::u8, {{'x', 30}})));
    check(folder / "line.npy", false);
    const std::string elements(reinterpret_cast<const char*>(volume.data()), volume.desc.dense_bytes());
    for (const char* order : {"False", "True"}) {
        put(folder / "order.npy",
            make_npy(std::string("{'descr': '<u2', 'fortran_order': ") + order + ", 'shape': (5, 6, 7), }", elements));
        check(folder / "order.npy", order[0] == 'F');
    }
    put(folder / "v.raw", elements);
    io::ReadOptions options;
    options.raw = io::RawLayout{ElementType::u16, {{'z', 5}, {'y', 6}, {'x', 7}}};
    check(folder / "v.raw", true, options);
}
