// Volumes of several formats alike: partners beside a header, packed pixels, places, and what is written of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "io/volumes_by_hand.hpp"
#include "support/helper.hpp"

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("volumes: directions of which one goes nowhere, or where another goes, are left out and told") {
    const Folder folder;
    const std::string ends = "encoding: raw\n", lps = "space: left-posterior-superior\nspace origin: (1,2,3)\nspace directions: ";
    NiftiFixture nifti;
    nifti.dim = {3, 2, 2, 2}, nifti.pixdim = {1, 2, 2, 2, 1, 1, 1, 1}, nifti.sform = 1;
    const auto placed = [&](std::vector<float> rows_of_sform) {
        nifti.srow = std::move(rows_of_sform);
        return nifti.header();
    };
    const std::pair<const char*, std::string> rows[] = {
        {"zero.nii", placed({2, 0, 0, 1, 0, 2, 0, 2, 0, 0, 0, 3}) + elements},
        {"alike.nii", placed({2, 0, 1.2f, 1, 0, 2, 1.6f, 2, 0, 0, 0, 3}) + elements},
        {"zero.mha", meta("TransformMatrix = 1 0 0 0 1 0 0 0 0\nOffset = 1 2 3\nElementSpacing = 2 2 2\n") + elements},
        {"alike.mha", meta("TransformMatrix = 1 0 0 0.6 0.8 0 0.8 0.6 0\nElementSpacing = 2 2 2\n") + elements},
        {"zero.nrrd", nrrd(lps + "(0,0,0) (0,2,0) (0,0,2)\n" + ends) + elements},
        {"alike.nrrd", nrrd(lps + "(2,0,0) (0,2,0) (1.2,1.6,0)\n" + ends) + elements},
    };
    for (const auto& [name, bytes] : rows) {
        CAPTURE(name);
        put(folder / name, bytes);
        const HostArray array = io::read(folder / name);
        CHECK(values_of<std::int16_t>(array) == values);
        CHECK_FALSE(array.metadata.affine);
        CHECK(array.desc.find('y')->spacing == 2);
        CHECK(told_of(io::info(folder / name)).find("have the determinant 0") != std::string::npos);
    }
    // Along an axis of one index no step is taken.
    put(folder / "plane.nrrd",
        "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 2 2 1\n" + lps + "(2,0,0) (0,2,0) (0,0,0)\n" + ends + "\nabcd");
    CHECK(io::info(folder / "plane.nrrd").metadata.affine);
    nifti.dim[3] = 1;
    put(folder / "plane.nii", placed({2, 0, 0, 1, 0, 2, 0, 2, 0, 0, 0, 3}) + elements.substr(0, 8));
    const HostArray plane = io::read(folder / "plane.nii");
    REQUIRE(plane.metadata.affine);
    CHECK(*plane.metadata.affine == std::array<double, 16>{2, 0, 0, 1, 0, 2, 0, 2, 0, 0, 2, 3, 0, 0, 0, 1});
}

TEST_CASE("volumes: directions of determinant 0 are not written, since ITK refuses the file") {
    const Folder folder;
    HostArray array = array_of(ArrayDesc::dense(ElementType::i16, {{'z', 2}, {'y', 2}, {'x', 2}}), values);
    array.desc = array.desc.with_unit("mm");
    array.metadata.affine = std::array<double, 16>{1, 0, 1, 5, 0, 1, 0, 6, 0, 0, 0, 7, 0, 0, 0, 1};
    for (const char* const name : {"a.nrrd", "a.mha", "a.nii", "a.h5", "a.zarr", "a.ome.zarr"}) {
        CAPTURE(name);
        try {
            io::check_writable(folder / name, array.desc);
        } catch (const IoError& error) {   // by a program that is not built
            MESSAGE("not tried: ", error.problem);
            continue;
        }
        io::write(folder / name, array);
        const io::FileInfo info = io::info(folder / name);   // of NRRD and MetaImage 0, 0, 0 towards nothing that was said
        CHECK(told_of(info).find("determinant") == std::string::npos);
        if (info.metadata.affine) CHECK(origin_of(info.metadata) == std::array<double, 3>{0, 0, 0});
        CHECK(values_of<std::int16_t>(io::read(folder / name)) == values);
    }
}

TEST_CASE("volumes: a byte 0 in what a header says is shown, and does not end the message") {
    const Folder folder;
    const std::string zero(1, '\0'), nrrd_of = "NRRD0004\ndimension: 1\nsizes: 4\nendian: little\n",
                      meta_of = "ObjectType = Image\nNDims = 1\nDimSize = 4\n";
    const std::pair<const char*, std::string> rows[] = {
        {"file.nhdr", nrrd_of + "type: uint16\nencoding: raw\ndata file: a" + zero + "b\n"},
        {"type.nrrd", nrrd_of + "type: a" + zero + "b\nencoding: raw\n\n"},
        {"encoding.nrrd", nrrd_of + "type: uint16\nencoding: a" + zero + "b\n\n"},
        {"file.mhd", meta_of + "ElementType = MET_UCHAR\nElementDataFile = a" + zero + "b\n"},
        {"type.mha", meta_of + "ElementType = a" + zero + "b\nElementDataFile = LOCAL\n"},
    };
    for (const auto& [name, bytes] : rows) {
        CAPTURE(name);
        put(folder / name, bytes);
        const IoError error = io_error(folder / name, [&, file = folder / name] { io::info(file); });
        CHECK(error.problem.find("a\\x00b") != std::string::npos);
        CHECK(error.problem.find('\0') == std::string::npos);
        CHECK_FALSE(error.hint.empty());
        CHECK(std::string(error.what()).find(error.problem) != std::string::npos);
    }
}

TEST_CASE("volumes: a chunk of Zarr may be several members of gzip, and nothing else may stand behind it") {
    const Folder folder;
    try {
        io::check_writable(folder / "a.zarr", ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 2}}));
    } catch (const IoError& error) {
        MESSAGE("not tried: ", error.problem);
        return;
    }
    const auto gzipped = [](const char* text) { return deflated(text, 15 + 16); };
    fs::create_directory(folder / "a.zarr");
    put(folder / "a.zarr/.zarray", R"({"zarr_format": 2, "shape": [6], "chunks": [6], "dtype": "|u1", "order": "C",
        "compressor": {"id": "gzip", "level": 1}, "fill_value": 0, "filters": null})");
    put(folder / "a.zarr/0", gzipped("abc") + gzipped("") + gzipped("def"));
    CHECK(values_of<std::uint8_t>(io::read(folder / "a.zarr")) == std::vector<std::uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'});
    put(folder / "a.zarr/0", gzipped("abcdef") + std::string(5, '\0'));   // which fill up a block
    CHECK(values_of<std::uint8_t>(io::read(folder / "a.zarr")).size() == 6);
    for (const std::string& behind : {gzipped("g"), std::string("rest"), std::string("\x1f"), gzipped("").substr(0, 12)}) {
        put(folder / "a.zarr/0", gzipped("abcdef") + behind);
        CHECK(io_error(folder / "a.zarr", [&] { io::read(folder / "a.zarr"); }).problem.find("does not unpack") !=
              std::string::npos);
    }
    put(folder / "a.zarr/.zarray", R"({"zarr_format": 2, "shape": [6], "chunks": [6], "dtype": "|u1", "order": "C",
        "compressor": {"id": "zlib", "level": 1}, "fill_value": 0, "filters": null})");
    put(folder / "a.zarr/0", deflated("abcdef", 15) + std::string(5, '\0'));
    CHECK(values_of<std::uint8_t>(io::read(folder / "a.zarr")).size() == 6);
    put(folder / "a.zarr/0", deflated("abcdef", 15) + "zz");
    CHECK(io_error(folder / "a.zarr", [&] { io::read(folder / "a.zarr"); }).problem.find("does not unpack") != std::string::npos);
}

TEST_CASE("volumes: what files of packed elements go on with is counted of all together") {
    const Folder folder;
    put(folder / "v.gz", deflated(elements.substr(0, 8) + std::string(33 << 20, '\0'), 15 + 16));   // up to 64 MiB are read
    put(folder / "twice.nhdr", nrrd("encoding: gzip\ndata file: LIST\nv.gz\nv.gz\n"));
    std::string problem;
    try {
        io::read(folder / "twice.nhdr");
    } catch (const IoError& error) {
        problem = error.problem;
    }
    CHECK(problem.find("bytes behind its elements") != std::string::npos);
}

TEST_CASE("volumes: patterns of names that do not fit, or lead elsewhere, are refused") {
    const Folder folder;
    for (const auto& [pattern, words] :
         std::map<std::string, std::string>{{"a%s.raw 1 2 1", "not one that is followed"},
                                            {"a%d%d.raw 1 2 1", "not one that is followed"},
                                            {"a%n.raw 1 2 1", "not one that is followed"},
                                            {"a%999999999d.raw 1 2 1", "not one that is followed"},
                                            {"a%d.raw 1 2 0", "do not fit together"},
                                            {"a%d.raw 2 1 1", "do not fit together"},
                                            {"a%d.raw -3 1 1", "do not fit together"},
                                            {"a%d.raw one 2 1", "do not fit together"},
                                            {"a%d.raw 1 1000000000 1", "more than 4096 names"},
                                            {"a%d.raw 0 9223372036854775807 1", "do not fit together"},
                                            {"../a%d.raw 1 2 1", "not in its own folder"},
                                            {"a%d.raw 1 2 1", "names the file \"a1.raw\""}}) {
        CAPTURE(pattern);
        put(folder / "p.nhdr", nrrd("encoding: raw\ndata file: " + pattern + "\n"));
        CHECK(io_error(folder / "p.nhdr", [&] { io::info(folder / "p.nhdr"); }).problem.find(words) != std::string::npos);
        put(folder / "p.mhd", meta("", pattern));
        CHECK(io_error(folder / "p.mhd", [&] { io::info(folder / "p.mhd"); }).problem.find(words) != std::string::npos);
    }
}

TEST_CASE("volumes: MATLAB 4 has no mark, and is known by what its header must be") {
    const Folder folder;
    for (const bool big : {false, true}) {
        Bytes file{{}, big};
        file.add<std::int32_t>(big ? 1000 : 0)
            .add<std::int32_t>(2)
            .add<std::int32_t>(3)
            .add<std::int32_t>(0)
            .add<std::int32_t>(4);
        file.add_text(std::string("abc\0", 4)).add_all<double>({1, 2, 3, 4, 5, 6});
        put(folder / "four.mat", file.text);
        if (host::program_beside("parallax-read-mat").empty()) {
            CHECK(io_error(folder / "four.mat", [&] { io::info(folder / "four.mat"); }).problem.find("MATLAB") !=
                  std::string::npos);
            continue;
        }
        const HostArray array = io::read(folder / "four.mat");
        CHECK(array.desc.describe() == "f64 2 x 3 (y, x)");
        CHECK(values_of<double>(array) == std::vector<double>{1, 3, 5, 2, 4, 6});
    }
    put(folder / "none.mat", std::string(100, '\0'));
    CHECK(io_error(folder / "none.mat", [&] { io::info(folder / "none.mat"); }).problem.find("does not begin as one") !=
          std::string::npos);
}

TEST_CASE("volumes: a NIfTI pair") {
    const Folder folder;
    NiftiFixture fixture;
    fixture.dim = {3, 2, 2, 2};
    std::string header = fixture.header().substr(0, 348);
    header.replace(344, 3, "ni1");
    std::string at_0 = header;   // its voxels begin where its file does
    at_0.replace(108, 4, std::string(4, '\0'));
    put(folder / "a.hdr", at_0), put(folder / "a.img", elements);
    CHECK(values_of<std::int16_t>(io::read(folder / "a.hdr")) == values);
    CHECK(io::info(folder / "a.hdr").parts.size() == 1);
    put(folder / "b.hdr", header), put(folder / "b.img", std::string(352, '\0') + elements);
    CHECK(values_of<std::int16_t>(io::read(folder / "b.hdr")) == values);
    for (const char* const ending : {".img", ".img.gz", ".raw"}) {   // the elements themselves: told what to read instead
        const fs::path file = folder / (std::string("a") + ending);
        put(file, elements);
        CHECK(io_error(file, [&] { io::info(file); }).hint.starts_with("a.hdr beside it"));
    }
    put(folder / "alone.img", elements);
    CHECK(io_error(folder / "alone.img", [&] { io::info(folder / "alone.img"); }).hint.starts_with("readable are"));
    put(folder / "c.hdr", at_0);
    CHECK(io_error(folder / "c.hdr", [&] { io::info(folder / "c.hdr"); }).problem.find("c.img") != std::string::npos);
}

TEST_CASE("volumes: of a NIfTI pair the voxels are those whose name belongs to the header's") {
    const Folder folder;
    NiftiFixture fixture;
    fixture.dim = {3, 2, 2, 2};
    std::string header = fixture.header().substr(0, 348);
    header.replace(344, 3, "ni1"), header.replace(108, 4, std::string(4, '\0'));
    const std::string plain(16, '\1'), packed(16, '\2');
    put(folder / "a.hdr", header), put(folder / "a.hdr.gz", deflated(header, 31));
    const auto first = [&](const char* name) { return values_of<std::int16_t>(io::read(folder / name))[0]; };
    put(folder / "a.img.gz", deflated(packed, 31));
    CHECK(first("a.hdr") == 0x202);
    CHECK(first("a.hdr.gz") == 0x202);
    put(folder / "a.img", plain);
    CHECK(first("a.hdr") == 0x101);
    CHECK(first("a.hdr.gz") == 0x202);
    fs::remove(folder / "a.img.gz");
    CHECK(first("a.hdr.gz") == 0x101);
}

TEST_CASE("volumes: an affine of an HDF5 file that is no number is left out, and it is told") {
    if (host::program_beside("parallax-read-hdf5").empty()) return;
    const Folder folder;
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 2}, {'x', 2}}));
    std::fill_n(array.as<std::uint8_t>(), 8, std::uint8_t{5});
    const double mark = 12345.678, none = std::numeric_limits<double>::quiet_NaN();
    array.metadata.affine = {mark, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    io::write(folder / "a.h5", array);
    REQUIRE(io::info(folder / "a.h5").metadata.affine);
    std::string bytes = get(folder / "a.h5");
    const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&mark), sizeof mark));
    REQUIRE(at != std::string::npos);
    put(folder / "a.h5", bytes.replace(at, sizeof none, reinterpret_cast<const char*>(&none), sizeof none));
    const io::FileInfo info = io::info(folder / "a.h5");
    CHECK_FALSE(info.metadata.affine);
    REQUIRE(info.warnings.size() == 1);
    CHECK(info.warnings[0].text.find("where its elements lie") != std::string::npos);
    CHECK(values_of<std::uint8_t>(io::read(folder / "a.h5")) == std::vector<std::uint8_t>(8, 5));
}

TEST_CASE("volumes: packed pixels of cameras") {
    const Folder folder;
    io::ReadOptions options;
    options.raw = io::RawLayout{ElementType::u16, {{'y', 1}, {'x', 4}}, 1, false, 12};
    put(folder / "p12.raw", std::string("\xff\x23\x61\x45\xbc\xfa\xde", 7));   // 0x123, 0x456, 0xabc, 0xdef behind one byte
    CHECK(values_of<std::uint16_t>(io::read(folder / "p12.raw", options)) ==
          std::vector<std::uint16_t>{0x123, 0x456, 0xabc, 0xdef});
    options.raw = io::RawLayout{ElementType::u16, {{'y', 1}, {'x', 4}}, 0, false, 10};
    put(folder / "p10.raw", std::string("\x01\x08\x30\x00\x01", 5));   // 1, 2, 3, 4
    CHECK(values_of<std::uint16_t>(io::read(folder / "p10.raw", options)) == std::vector<std::uint16_t>{1, 2, 3, 4});
    put(folder / "p10.raw", std::string("\x01\x08\x30\x00", 4));
    io_error(folder / "p10.raw", [&] { io::info(folder / "p10.raw", options); });
}

TEST_CASE("volumes: 16-bit floats of TIFF") {
    const Folder folder;
    put(folder / "half.tif", make_tiff({tiff_picture(2, 1, 16, 1, 8, 4, {{339, 3, {3}}})}, std::string("\x00\x3c\x00\xc1", 4)));
    CHECK(values_of<float>(io::read(folder / "half.tif")) == std::vector<float>{1.0f, -2.5f});
}

TEST_CASE("volumes: what is written is read back, with its space") {
    const Folder folder;
    HostArray array = array_of(ArrayDesc::dense(ElementType::i16, {{'z', 2}, {'y', 2}, {'x', 2}}), values);
    array.desc = array.desc.with_spacing('x', 0.5).with_spacing('y', 0.25).with_spacing('z', 2).with_unit("mm");
    array.metadata.affine = std::array<double, 16>{0, 0.25, 0, 1, -0.5, 0, 0, 2, 0, 0, 2, 3, 0, 0, 0, 1};
    for (const char* const name : {"a.nrrd", "a.mha"}) {
        CAPTURE(name);
        io::write(folder / name, array);
        const HostArray back = io::read(folder / name);
        CHECK(same_elements(array, back));
        CHECK(back.desc == array.desc);
        REQUIRE(back.metadata.affine);
        for (std::size_t i = 0; i < 16; ++i) CHECK((*back.metadata.affine)[i] == doctest::Approx((*array.metadata.affine)[i]));
        CHECK(io::info(folder / name).warnings.empty());
    }
    for (const ElementType type :
         {ElementType::u8, ElementType::i8, ElementType::u16, ElementType::u32, ElementType::i32, ElementType::u64,
          ElementType::i64, ElementType::f32, ElementType::f64, ElementType::c64, ElementType::c128}) {
        const HostArray one = pattern(ArrayDesc::dense(type, {{'y', 3}, {'x', 5}}).with_spacing('x', 2).with_unit("mm"));
        CAPTURE(to_string(type));
        io::write(folder / "t.nrrd", one, {.overwrite = true});
        CHECK(same_elements(one, io::read(folder / "t.nrrd")));
        CHECK(io::read(folder / "t.nrrd").desc == one.desc);
        if (is_complex(type)) continue;
        io::write(folder / "t.mha", one, {.overwrite = true});
        CHECK(same_elements(one, io::read(folder / "t.mha")));
    }
    const HostArray colours = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 3}, {'x', 5}, {'c', 3}}));
    for (const char* const name : {"c.nrrd", "c.mha"}) {
        io::write(folder / name, colours);
        CHECK(io::info(folder / name).colour == io::Colour::rgb);
        CHECK(same_elements(colours, io::read(folder / name)));
    }
}

TEST_CASE("volumes: a single plane or voxel keeps its place and its thickness, whatever its header has for axes of one index") {
    const Folder folder;
    for (const std::int64_t width : {4, 1})
        for (const bool told : {false, true}) {   // a foreign header may have 1 for what its matrix says
            HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 1}, {'y', 1}, {'x', width}}));
            std::fill_n(array.data(), width, std::byte{7});
            array.desc = array.desc.with_unit("mm").with_spacing('y', 0.5).with_spacing('x', 0.5).with_spacing('z', told ? 3 : 1);
            array.metadata.affine = {0.5, 0, 0, -20, 0, 0.5, 0, 30, 0, 0, 3, 11, 0, 0, 0, 1};
            for (const char* const name : {"a.nii", "a.nii.gz", "a.nrrd", "a.mha", "a.zarr", "a.ome.zarr"}) {
                CAPTURE(name);
                CAPTURE(width);
                CAPTURE(told);
                io::write(folder / name, array, {.overwrite = true});
                const HostArray again = io::read(folder / name);
                REQUIRE(again.metadata.affine.has_value());
                if (const Axis* const z = again.desc.find('z')) CHECK(z->spacing == doctest::Approx(told ? 3 : 1));
                for (const std::size_t i : {3, 7, 11})
                    CHECK((*again.metadata.affine)[i] == doctest::Approx((*array.metadata.affine)[i]));
            }
        }
    // A column of zeros says nothing: where a plane stands across the two others is all that can be meant, and of more no place
    // is made up.
    HostArray flat = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 1}, {'y', 2}, {'x', 2}}));
    std::fill_n(flat.data(), 4, std::byte{7});
    flat.desc = flat.desc.with_unit("mm").with_spacing('z', 2).with_spacing('y', 0.5).with_spacing('x', 0.5);
    for (const char* const name : {"b.nrrd", "b.mha"}) {
        CAPTURE(name);
        flat.metadata.affine = {0.5, 0, 0, -20, 0, 0.5, 0, 30, 0, 0, 0, 11, 0, 0, 0, 1};
        io::write(folder / name, flat, {.overwrite = true});
        HostArray again = io::read(folder / name);
        REQUIRE(again.metadata.affine.has_value());
        CHECK((*again.metadata.affine)[10] == doctest::Approx(2));
        CHECK(get(folder / name).find("-0 ") == std::string::npos);
        flat.metadata.affine = {0, 0, 0, -20, 0, 0.5, 0, 30, 0, 0, 0, 11, 0, 0, 0, 1};
        io::write(folder / name, flat, {.overwrite = true});
        again = io::read(folder / name);
        CHECK(again.desc.find('z')->spacing == 2);
        CHECK(again.desc.find('x')->spacing == 0.5);
        if (again.metadata.affine) CHECK((*again.metadata.affine)[3] == 0);   // no place of its own
    }

    HostArray plane = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 2}}));
    std::fill_n(plane.data(), 4, std::byte{7});
    plane.desc = plane.desc.with_unit("mm").with_spacing('y', 0.5).with_spacing('x', 0.5);
    plane.metadata.affine = {0.5, 0, 0, -20, 0, 0.5, 0, 30, 0, 0, 3, 11, 0, 0, 0, 1};
    io::write(folder / "plane.nii", plane);
    float thickness = 0;
    const std::string header = get(folder / "plane.nii");
    std::memcpy(&thickness, header.data() + 76 + 3 * sizeof(float), sizeof thickness);   // pixdim[3]
    CHECK(thickness == 3);
}

TEST_CASE("volumes: OME-TIFF keeps axes, distances, times and names of channels") {
    const Folder folder;
    HostArray array = pattern(ArrayDesc::dense(ElementType::u16, {{'t', 2}, {'z', 3}, {'c', 2}, {'y', 4}, {'x', 5}}));
    array.desc =
        array.desc.with_unit("um").with_spacing('x', 0.5).with_spacing('y', 0.25).with_spacing('z', 2).with_spacing('t', 0.1);
    array.metadata.channels = {"DAPI", "a & \"b\""};
    io::write(folder / "a.ome.tif", array);
    const HostArray back = io::read(folder / "a.ome.tif");
    CHECK(same_elements(array, back));
    CHECK(back.desc == array.desc);
    CHECK(back.metadata.channels == array.metadata.channels);
    CHECK(io::info(folder / "a.ome.tif").warnings.empty());
    const HostArray wide = pattern(ArrayDesc::dense(ElementType::u64, {{'y', 4}, {'x', 5}}));
    CHECK(io_error(folder / "b.ome.tif", [&] { io::write(folder / "b.ome.tif", wide); }).problem.find("u64") !=
          std::string::npos);
    const HostArray rgb = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 4}, {'x', 5}, {'c', 3}}));
    io::write(folder / "c.ome.tif", rgb);
    CHECK(io::read(folder / "c.ome.tif").desc.describe() == rgb.desc.describe());

    // Samples of a pixel have one name together: those with names of their own are written as planes.
    for (const ElementType type : {ElementType::u8, ElementType::f32, ElementType::boolean}) {
        HostArray stains = pattern(ArrayDesc::dense(type, {{'z', 2}, {'y', 4}, {'x', 5}, {'c', 3}}));
        if (type == ElementType::boolean)
            std::transform(stains.data(), stains.data() + stains.desc.count(), stains.data(),
                           [](std::byte b) { return b & std::byte{1}; });
        stains.metadata.channels = {"DAPI", "GFP", "red"};
        fs::remove(folder / "d.ome.tif");
        io::write(folder / "d.ome.tif", stains);
        const HostArray planes = io::read(folder / "d.ome.tif");
        CHECK(planes.desc.describe() == fmt::format("{} 2 x 3 x 4 x 5 (z, c, y, x)", type == ElementType::f32 ? "f32" : "u8"));
        CHECK(planes.metadata.channels == stains.metadata.channels);
        bool right = true;
        const std::size_t bytes = bytes_of(type);
        for (std::size_t z = 0; z < 2; ++z)
            for (std::size_t at = 0; at < 20; ++at)
                for (std::size_t c = 0; c < 3; ++c) {
                    const std::byte *from = stains.data() + ((z * 20 + at) * 3 + c) * bytes,
                                    *to = planes.data() + ((z * 3 + c) * 20 + at) * bytes;
                    right = right && (type == ElementType::boolean ? (*from != std::byte{0}) == (*to != std::byte{0})
                                                                   : std::memcmp(from, to, bytes) == 0);
                }
        CHECK(right);
    }
    HostArray named = rgb;
    named.metadata.channels = {"red", "green", "blue"};   // as the colours say already
    io::write(folder / "e.ome.tif", named);
    CHECK(io::read(folder / "e.ome.tif").desc.describe() == rgb.desc.describe());
    HostArray line = pattern(ArrayDesc::dense(ElementType::u16, {{'x', 5}, {'c', 2}}));
    line.metadata.channels = {"DAPI", "GFP"};
    io::write(folder / "f.ome.tif", line);
    CHECK(io::read(folder / "f.ome.tif").metadata.channels == line.metadata.channels);
}

TEST_CASE("volumes: more files than slices are refused, and so are files that slices cannot be divided among") {
    const Folder folder;
    for (int i = 1; i <= 8; ++i) put(folder / ("s" + std::to_string(i) + ".raw"), std::string(256, static_cast<char>(i)));
    struct Row {
        std::string sizes;   ///< the fastest first, of bytes
        int files;
        bool right;
    };
    for (const Row& row : {Row{"4 3 4", 2, true}, Row{"4 3 2", 1, true}, Row{"4 6 2", 2, true}, Row{"4 6 3", 3, true},
                           Row{"4 6 2", 3, false}, Row{"4 6 3", 2, false}, Row{"6 4 2 4", 8, true}, Row{"6 4 2 4", 4, true},
                           Row{"6 4 2 4", 3, false}, Row{"6 4 2 4", 6, false}, Row{"2 2 6 2", 2, true}, Row{"4 3 3", 2, false}}) {
        CAPTURE(row.sizes);
        CAPTURE(row.files);
        const int count = static_cast<int>(std::count(row.sizes.begin(), row.sizes.end(), ' ')) + 1;
        std::string names;
        for (int i = 1; i <= row.files; ++i) names += "s" + std::to_string(i) + ".raw\n";
        put(folder / "l.nhdr", "NRRD0004\ntype: uchar\ndimension: " + std::to_string(count) + "\nsizes: " + row.sizes +
                                   "\nencoding: raw\ndata file: LIST\n" + names);
        put(folder / "l.mhd", "ObjectType = Image\nNDims = " + std::to_string(count) + "\nDimSize = " + row.sizes +
                                  "\nElementType = MET_UCHAR\nElementDataFile = LIST\n" + names);
        for (const char* const name : {"l.nhdr", "l.mhd"}) {
            CAPTURE(std::string(name));
            if (row.right) CHECK_NOTHROW(io::read(folder / name));
            else CHECK_THROWS_AS(io::read(folder / name), IoError);
        }
    }
}
