// Colours and other channels of a job's inputs.
#include "support.hpp"
#include "support/helper.hpp"

#include <set>

using namespace parallax;
using namespace parallax::tests;

namespace {

/// 4 x 3 pixels of red, green and blue: 200, 100, 50 and so on.
HostArray colours() {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 3}, {'x', 4}, {'c', 3}}));
    for (std::int64_t i = 0; i < array.desc.count(); ++i)
        array.as<std::uint8_t>()[i] = static_cast<std::uint8_t>((200 >> (i % 3)) - i / 3);
    return array;
}

Run run_job(const TempFolder& folder, const Json& input, const Json& steps, const Json& outputs,
            const std::vector<std::string>& more = {}) {
    write_text(folder / "job.json", Json{{"parallax", 1},
                                         {"inputs", {{"image", input}}},
                                         {"steps", steps.is_array() ? steps : Json::array({steps})},
                                         {"outputs", outputs}}
                                        .dump());
    std::vector<std::string> words{"run", "job.json", "--overwrite", "--device", "native"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, folder.path());
}

}  // namespace

TEST_CASE("channels: they are kept unless the job says grey") {
    const TempFolder folder;
    const HostArray image = colours();
    for (const char* const name : {"a.png", "a.tif"}) {
        CAPTURE(name);
        io::write(folder / name, image);
        const Json crop{{{"run", "crop"}, {"x", {1, 2}}}};
        Run run = run_job(folder, name, crop, {{"image", "o.npy"}});
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        HostArray out = io::read(folder / "o.npy");
        REQUIRE(out.desc.count() == 3 * 2 * 3);
        CHECK(out.as<std::uint8_t>()[0] == image.as<std::uint8_t>()[3]);
        CHECK(out.as<std::uint8_t>()[2] == image.as<std::uint8_t>()[5]);

        run = run_job(folder, name, {{{"run", "select"}, {"axis", "c"}, {"index", 1}}}, {{"image", "o.npy"}});
        REQUIRE(run.status == 0);
        out = io::read(folder / "o.npy");
        CHECK(out.desc.describe() == "u8 3 x 4 (y, x)");
        CHECK(out.as<std::uint8_t>()[1] == image.as<std::uint8_t>()[4]);

        for (const Json& grey : {Json{{"file", name}, {"grey", true}}, Json{{"file", name}, {"keep_channels", false}}}) {
            run = run_job(folder, grey, crop, {{"image", "o.npy"}});
            REQUIRE(run.status == 0);
            out = io::read(folder / "o.npy");
            CHECK(out.desc.describe() == "u8 3 x 2 (y, x)");
            const std::uint8_t* const pixel = image.as<std::uint8_t>() + 3;
            CHECK(out.as<std::uint8_t>()[0] == (pixel[0] * 19595u + pixel[1] * 38470u + pixel[2] * 7471u + 0x8000u) >> 16);
        }
        run = run_job(folder, {{"file", name}, {"keep_channels", true}}, crop, {{"image", "o.png"}});
        REQUIRE(run.status == 0);
        CHECK(io::read(folder / "o.png").desc.describe() == "u8 3 x 2 x 3 (y, x, c)");
    }
}

TEST_CASE("channels: a step that takes one says what makes one of them") {
    const TempFolder folder;
    io::write(folder / "a.png", colours());
    const Json hologram{
        {"run", "hologram"}, {"wavelength_nm", 532}, {"pixel_um", 1.4}, {"distance_um", 100}, {"in", {{"hologram", "image"}}}};
    Run run = run_job(folder, "a.png", {hologram}, {{"amplitude", "o.npy"}});
    CHECK(run.status != 0);
    for (const char* const words : {"takes one channel", "u8 3 x 4 x 3 (y, x, c)", "\"grey\": true", "select"})
        CHECK(contains(run.err, words));
    CHECK_FALSE(fs::exists(folder / "o.npy"));
    run = run_job(folder, {{"file", "a.png"}, {"grey", true}}, {hologram}, {{"amplitude", "o.npy"}});
    CAPTURE(run.err);
    CHECK(run.status == 0);
    run = run_job(folder, "a.png", {Json{{"run", "box_count"}, {"threshold", 90}}}, {{"counts", "o.json"}});
    CHECK(contains(run.err, "takes one channel"));
    // Behind another step, too; and a transform does not run along channels.
    run = run_job(folder, "a.png",
                  {Json{{"run", "convert"}, {"type", "f32"}, {"out", {{"image", "real"}}}},
                   Json{{"run", "fft"}, {"kind", "r2c"}, {"in", {{"array", "real"}}}}},
                  {{"array", "o.npy"}});
    CHECK(run.status != 0);
    CHECK(contains(run.err, "takes one channel"));
    run = run_job(folder, {{"file", "a.png"}, {"grey", true}, {"keep_channels", true}}, {hologram}, {{"amplitude", "o.npy"}});
    CHECK(run.status == 2);
    CHECK(contains(run.err, "/inputs/image/keep_channels"));
}

TEST_CASE("axes: three of an array without a description are z, y, x, and a job can say t") {
    const TempFolder folder;
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 5}, {'y', 4}, {'x', 6}}));
    for (std::int64_t i = 0; i < array.desc.count(); ++i) array.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
    io::write(folder / "a.npy", array);
    const Json along_z{{{"run", "select"}, {"axis", "z"}, {"index", 2}}},
        along_t{{{"run", "select"}, {"axis", "t"}, {"index", 2}}};
    CHECK(run_job(folder, "a.npy", along_z, {{"image", "o.npy"}}).status == 0);
    CHECK(io::read(folder / "o.npy").as<std::uint8_t>()[0] == 48);
    CHECK(run_job(folder, "a.npy", along_t, {{"image", "o.npy"}}).status == 2);
    CHECK(run_job(folder, {{"file", "a.npy"}, {"page_axis", "t"}}, along_t, {{"image", "o.npy"}}).status == 0);
}

TEST_CASE("warnings of a file stand on stderr, in the plan and in the report") {
    const TempFolder folder;
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 2}, {'x', 2}}));
    std::fill_n(array.as<std::uint8_t>(), 8, std::uint8_t{3});
    array.desc = array.desc.with_spacing('x', 0.5).with_spacing('y', 0.5).with_spacing('z', 0.5);
    io::write(folder / "a.nii", array);   // voxels of .5 without a unit
    const Json crop{{{"run", "crop"}, {"x", {0, 1}}}};
    const Run run = run_job(folder, "a.nii", crop, {{"image", "o.npy"}}, {"--report", "r.json"});
    REQUIRE(run.status == 0);
    CHECK(contains(run.err, "0.5 x 0.5 x 0.5 of a unit that it does not name"));
    CHECK(contains(Json::parse(read_text(folder / "r.json"))["inputs"]["image"]["warnings"][0].get<std::string>(), "spacing_mm"));
    CHECK(contains(run_program({"plan", "job.json", "--device", "native"}, folder.path()).out, "spacing_mm"));
    const Run info = run_program({"info", "a.nii"}, folder.path());
    CHECK(contains(info.out, "without a unit"));
    CHECK(contains(info.out, "warning"));
    CHECK_FALSE(
        contains(run_job(folder, {{"file", "a.nii"}, {"spacing_mm", 0.5}}, crop, {{"image", "o.npy"}}).err, "does not name"));
}

TEST_CASE("a part of a NIfTI volume lies where it lay in the whole") {
    const TempFolder folder;
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::i16, {{'z', 5}, {'y', 6}, {'x', 7}})
                                          .with_unit("mm")
                                          .with_spacing('x', 0.5)
                                          .with_spacing('y', 0.75)
                                          .with_spacing('z', 2));
    for (std::int64_t i = 0; i < array.desc.count(); ++i) array.as<std::int16_t>()[i] = static_cast<std::int16_t>(i);
    array.metadata.affine = {-0.5, 0, 0, 32, 0, 0.75, 0, -40, 0, 0, 2, -16, 0, 0, 0, 1};
    array.metadata.notes = {{"nifti.sform", "4"}, {"nifti.qform", "1"}, {"nifti.intent", "1005 0 0 0 z scores"}};
    io::write(folder / "a.nii.gz", array);
    CHECK(io::read(folder / "a.nii.gz").metadata.notes == array.metadata.notes);
    for (const Json& limit : {Json(nullptr), Json(468)}) {   // and in just as much memory as it takes
        CAPTURE(limit.dump());
        std::vector<std::string> more;
        if (!limit.is_null()) more = {"--set", "memory_limit=" + limit.dump()};
        const Run run = run_job(folder, "a.nii.gz", {Json{{"run", "crop"}, {"x", {3, 2}}, {"y", {1, 4}}, {"z", {2, 3}}}},
                                {{"image", "o.nii"}}, more);
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        const HostArray out = io::read(folder / "o.nii");
        REQUIRE(out.metadata.affine.has_value());
        CHECK((*out.metadata.affine)[3] == doctest::Approx(32 - 0.5 * 3));
        CHECK((*out.metadata.affine)[7] == doctest::Approx(-40 + 0.75));
        CHECK((*out.metadata.affine)[11] == doctest::Approx(-16 + 2 * 2));
        CHECK((*out.metadata.affine)[0] == doctest::Approx(-0.5));
        CHECK(out.metadata.notes.at("nifti.sform") == "4");
        CHECK(out.metadata.notes.at("nifti.qform") == "1");
        CHECK(out.metadata.notes.at("nifti.intent") == "1005 0 0 0 z scores");
    }
    const Run run = run_job(folder, "a.nii.gz", {Json{{"run", "select"}, {"axis", "z"}, {"index", -2}}}, {{"image", "s.nii"}});
    REQUIRE(run.status == 0);
    CHECK((*io::read(folder / "s.nii").metadata.affine)[11] == doctest::Approx(-16 + 2 * 3));
}

TEST_CASE("a stated spacing is the affine's, too, and pixels that are not alike are told") {
    const TempFolder folder;
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 2}, {'x', 2}}));
    std::fill_n(array.as<std::uint8_t>(), 8, std::uint8_t{3});
    array.desc = array.desc.with_spacing('x', 1).with_spacing('y', 2).with_spacing('z', 3).with_unit("mm");
    array.metadata.affine = std::array<double, 16>{0, 2, 0, -4, -1, 0, 0, 5, 0, 0, 3, 6, 0, 0, 0, 1};
    io::write(folder / "a.nii", array);
    const Json crop{{{"run", "crop"}, {"x", {0, 1}}}};
    for (const char* const name : {"o.nii", "o.nrrd"}) {
        CAPTURE(std::string(name));
        REQUIRE(run_job(folder, {{"file", "a.nii"}, {"spacing_um", 500}}, crop, {{"image", name}}).status == 0);
        const HostArray made = io::read(folder / name);
        const bool in_mm = std::string(name) == "o.nrrd";   // as ITK reads it
        CHECK(made.desc.unit == (in_mm ? "mm" : "um"));
        CHECK(made.desc.find('z')->spacing == doctest::Approx(in_mm ? .5 : 500));
        REQUIRE(made.metadata.affine);
        const std::array<double, 16> right{0, 0.5, 0, -4, -0.5, 0, 0, 5, 0, 0, 0.5, 6, 0, 0, 0, 1};
        for (std::size_t i = 0; i < 16; ++i) CHECK((*made.metadata.affine)[i] == doctest::Approx(right[i]));
    }
    array.metadata.affine.reset();
    io::write(folder / "b.nii", array);
    array.desc = array.desc.with_spacing('y', 1);
    io::write(folder / "c.nii", array);
    for (const bool alike : {true, false}) {
        write_text(folder / "two.json", Json{{"parallax", 1},
                                             {"inputs", {{"image", "b.nii"}, {"other", alike ? "b.nii" : "c.nii"}}},
                                             {"steps", {{{"run", "mask"}, {"in", {{"mask", "other"}}}}}},
                                             {"outputs", {{"image", "m.npy"}}}}
                                            .dump());
        const Run run = run_program({"run", "two.json", "--device", "native", "--out", alike ? "o1" : "o2"}, folder.path());
        CHECK(run.status == 0);
        CHECK(contains(run.err, "pixels are not alike: y is 2 mm and 1 mm") == !alike);
    }
}

TEST_CASE("files and inputs that lie elsewhere, or are turned, are told of where they are taken pixel by pixel") {
    const TempFolder folder;
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 4}, {'y', 5}, {'x', 6}})
                                          .with_unit("mm")
                                          .with_spacing('x', 1)
                                          .with_spacing('y', 2)
                                          .with_spacing('z', 3));
    std::fill_n(array.as<std::uint8_t>(), array.desc.count(), std::uint8_t{7});
    using Affine = std::array<double, 16>;
    const Affine here{1, 0, 0, -20, 0, 2, 0, -30, 0, 0, 3, -40, 0, 0, 0, 1};
    struct Row {
        Affine other;
        const char* told;   // nullptr: nothing
    };
    const Row rows[] = {
        {here, nullptr},
        {{1, 0, 0, -20.001, 0, 2, 0, -30, 0, 0, 3, -40, 0, 0, 0, 1}, nullptr},   // less than a hundredth of a voxel
        {{1, 0, 0, -18, 0, 2, 0, -30, 0, 0, 3, -40, 0, 0, 0, 1}, "up to 2 mm away"},
        {{-1, 0, 0, -20, 0, 2, 0, -30, 0, 0, 3, -40, 0, 0, 0, 1}, "x, y, z go towards RAS and LAS"},   // left for right
        {{0, 2, 0, -20, 1, 0, 0, -30, 0, 0, 3, -40, 0, 0, 0, 1}, "x, y, z go towards RAS and ARS"},
    };
    array.metadata.affine = here;
    io::write(folder / "a1.nii", array);
    for (const Row& row : rows) {
        CAPTURE(row.told == nullptr ? "" : row.told);
        array.metadata.affine = row.other;
        io::write(folder / "a2.nii", array, {.overwrite = true});
        const auto told = [&](const Run& run, const char* what) {
            CAPTURE(run.err);
            CHECK(run.status == 0);
            CHECK(contains(run.err, what) == (row.told != nullptr));
            if (row.told != nullptr) CHECK(contains(run.err, row.told));
            CHECK(contains(run.err, "lie elsewhere") == (row.told != nullptr));
        };
        told(run_job(folder, {{"files", "a?.nii"}, {"combine", "mean"}}, {{{"run", "reduce"}, {"in", {{"array", "image"}}}}},
                     {{"value", "v.json"}}),
             "a2.nii are combined pixel by pixel");
        // Of two inputs, also behind a step that cuts both alike.
        for (const bool cut : {false, true}) {
            Json steps = Json::array();
            if (cut) {
                const Json box{{"run", "crop"}, {"x", {1, 3}}};
                for (const char* const name : {"one", "two"}) {
                    steps.push_back(box);
                    steps.back()["id"] = name, steps.back()["in"] = {{"image", name}},
                    steps.back()["out"] = {{"image", std::string(name) + "_cut"}};
                }
            }
            const std::string end = cut ? "_cut" : "";
            steps.push_back({{"run", "mask"}, {"in", {{"image", "one" + end}, {"mask", "two" + end}}}});
            write_text(folder / "two.json", Json{{"parallax", 1},
                                                 {"inputs", {{"one", "a1.nii"}, {"two", "a2.nii"}}},
                                                 {"steps", steps},
                                                 {"outputs", {{"image", "m.npy"}}}}
                                                .dump());
            told(run_program({"run", "two.json", "--overwrite", "--device", "native"}, folder.path()),
                 "\"image\" and \"mask\" are taken pixel by pixel");
        }
    }
}

TEST_CASE("axes: columns before rows are refused where rows of columns are meant") {
    const TempFolder folder;
    write_text(folder / "a.raw", std::string(6 * 8, 'a'));
    const Json turned{{"file", "a.raw"}, {"spacing_um", 2}, {"raw", {{"type", "u8"}, {"axes", "xy"}, {"shape", {6, 8}}}}};
    const Json hologram{{"run", "hologram"}, {"in", {{"hologram", "image"}}}, {"wavelength_nm", 532}, {"distance_um", 100}};
    const Json real{{"run", "convert"}, {"type", "f32"}, {"out", {{"image", "real"}}}}, crop{{"run", "crop"}};
    struct Row { Json steps, outputs; const char* expected; };
    for (const Row& row : {Row{{hologram}, {{"amplitude", "o.npy"}}, "y before x"},
                           {{real, {{"run", "fft"}, {"in", {{"array", "real"}}}, {"kind", "dct"}, {"dimensions", 1}}},
                            {{"array", "o.npy"}},
                            "y before x"},
                           {{crop}, {{"image", "o.png"}}, "whose columns come first"},
                           {{crop}, {{"image", "o.tif"}}, "whose columns come first"},
                           {{crop}, {{"image", "o.ome.tif"}}, "whose columns come first"}}) {
        const Run run = run_job(folder, turned, row.steps, row.outputs);
        CAPTURE(run.err);
        CHECK(run.status == 2);
        CHECK(contains(run.err, row.expected));
    }
    CHECK(run_job(folder, turned, {crop}, {{"image", "o.npy"}}).status == 0);   // as it stands
}

TEST_CASE("axes: a second array that goes with an image by sizes alone is told of, or refused where it lies across") {
    const TempFolder folder;
    write_text(folder / "a.raw", std::string(27, 'a'));
    const auto of = [](const char* axes) {
        return Json{{"file", "a.raw"}, {"raw", {{"type", "u8"}, {"axes", axes}, {"shape", Json::array()}}}};
    };
    struct Row { const char *image, *other; int status; bool told; };
    for (const Row& row : {Row{"yxc", "yxc", 0, false},
                           {"yxc", "yx", 0, false},
                           {"tyx", "zyx", 0, false},
                           {"zyx", "yx", 0, false},
                           {"yxc", "zyx", 0, false},   // as NPY has it, which cannot say otherwise
                           {"yxc", "ctz", 0, true},
                           {"yxc", "zt", 0, true},
                           {"zyx", "xc", 0, true},
                           {"yx", "xy", 2, false},
                           {"yxc", "cxy", 2, false}}) {
        CAPTURE(std::string(row.image) + " with " + row.other);
        Json image = of(row.image), other = of(row.other);
        for (Json* const one : {&image, &other})
            for (std::size_t i = 0; i < (*one)["raw"]["axes"].get<std::string>().size(); ++i) (*one)["raw"]["shape"].push_back(3);
        write_text(folder / "job.json", Json{{"parallax", 1},
                                             {"inputs", {{"image", image}, {"other", other}}},
                                             {"steps", {{{"run", "arithmetic"}, {"op", "add"}}}},
                                             {"outputs", {{"image", "o.npy"}}}}
                                            .dump());
        const Run run = run_program({"run", "job.json", "--overwrite", "--device", "native"}, folder.path());
        CAPTURE(run.err);
        CHECK(run.status == row.status);
        CHECK(contains(run.err, "their names are unlike") == row.told);
        if (row.status == 2) CHECK(contains(run.err, "y and x in the order of the image"));
    }
}

TEST_CASE("channels: more names than HDF5 holds are refused before anything is computed") {
    if (host::program_beside("parallax-read-hdf5").empty()) {
        MESSAGE("skipped: the program that writes HDF5 is not built");
        return;
    }
    const TempFolder folder;
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'c', 4092}, {'y', 1}, {'x', 2}}));
    std::fill_n(array.data(), array.desc.dense_bytes(), std::byte{3});
    for (int i = 0; i < 4092; ++i) array.metadata.channels.push_back("dye " + std::to_string(i));
    io::write(folder / "in.ome.tif", array);
    const Json crop{{"run", "crop"}};
    const Run run = run_job(folder, "in.ome.tif", crop, {{"image", "o.h5"}});
    CAPTURE(run.err);
    CHECK(run.status == 2);
    CHECK(contains(run.err, "an attribute may have 64 KiB; this has 4092 names"));
    CHECK_FALSE(contains(run.err, "step "));   // none has begun
    CHECK_FALSE(fs::exists(folder / "o.h5"));
    CHECK(run_program({"plan", "job.json", "--device", "native"}, folder.path()).status == 2);
    const Run some = run_job(folder, "in.ome.tif", {{{"run", "crop"}, {"c", {1, 4091}}}}, {{"image", "o.h5"}});
    CAPTURE(some.err);
    CHECK(some.status == 0);
    CHECK(io::info(folder / "o.h5").metadata.channels.size() == 4091);
}

TEST_CASE("channels: a name that XML does not hold is refused for an OME-TIFF before anything is computed") {
    if (host::program_beside("parallax-read-zarr").empty()) {
        MESSAGE("skipped: the program that reads Zarr is not built");
        return;
    }
    const TempFolder folder;
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'c', 2}, {'y', 1}, {'x', 2}}));
    std::fill_n(array.data(), array.desc.dense_bytes(), std::byte{3});
    array.metadata.channels = {"dye", "q\x01r"};
    io::write(folder / "in.zarr", array);
    const Json crop{{"run", "crop"}};
    const Run run = run_job(folder, "in.zarr", crop, {{"image", "o.ome.tif"}});
    CAPTURE(run.err);
    CHECK(run.status == 2);
    CHECK(contains(run.err, "that of channel 1 has U+0001 in it"));
    CHECK_FALSE(contains(run.err, "step "));   // none has begun
    CHECK_FALSE(fs::exists(folder / "o.ome.tif"));
    CHECK(run_job(folder, "in.zarr", crop, {{"image", "o.tif"}}).status == 0);
}
