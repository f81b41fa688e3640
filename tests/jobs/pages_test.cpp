// Pages of a file that are taken one by one.
#include "io/support.hpp"
#include "jobs/support.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("pages: of a TIFF with unlike pages each is taken by its number, and those that are no one array are refused") {
    const TempFolder folder;
    put(folder / "in.tif",
        make_tiff({tiff_picture(4, 1, 8, 1, 8, 4), tiff_picture(2, 1, 8, 1, 12, 2), tiff_picture(2, 1, 8, 1, 14, 2)},
                  "abcdefgh"));
    const auto run = [&](const char* choice) {
        write_text(folder / "job.json",
                   std::string(R"({"parallax": 1, "device": {"backend": "native"}, "inputs": {"image": {"file": "in.tif", )") +
                       choice + R"(}}, "steps": [{"run": "arithmetic", "value": 1}], "outputs": {"image": "out.npy"}})");
        return run_program({"run", "job.json", "--overwrite"}, folder.path());
    };
    struct Row { const char *choice, *values; };
    for (const Row& row :
         {Row{R"("page": 0)", "bcde"}, Row{R"("page": 1)", "fg"}, Row{R"("page": 2)", "hi"}, Row{R"("pages": [1, 3])", "fghi"}}) {
        CAPTURE(row.choice);
        const Run made = run(row.choice);
        CAPTURE(made.err);
        REQUIRE(made.status == 0);
        const HostArray array = io::read(folder / "out.npy");
        CHECK(std::string(array.as<char>(), static_cast<std::size_t>(array.desc.count())) == row.values);
    }
    const Run unlike = run(R"("pages": [0, 2])");
    CHECK(unlike.status == 1);
    CHECK(contains(unlike.err, "its page 1 has 2 x 1 pixels"));
    const Run beyond = run(R"("page": 3)");
    CAPTURE(beyond.err);
    CHECK(beyond.status == 2);
    CHECK(contains(beyond.err, "0 to 2"));
}

TEST_CASE("pages: of a NumPy array one by one, by a series, too; a page of what has none is refused in true words") {
    const TempFolder folder;
    put(folder / "in.npy", make_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 1, 2), }", "abcdef"));
    const auto run = [&](const std::string& input, const std::string& more, const char* out) {
        write_text(folder / "job.json",
                   R"({"parallax": 1, "device": {"backend": "native"}, "inputs": {"image": )" + input + "}, " + more +
                       R"("steps": [{"run": "arithmetic", "value": 1}], "outputs": {"image": ")" + out + R"("}})");
        return run_program({"run", "job.json", "--overwrite"}, folder.path());
    };
    const Run one = run(R"({"file": "in.npy", "page": 1})", "", "out.npy");
    CAPTURE(one.err);
    REQUIRE(one.status == 0);
    const HostArray array = io::read(folder / "out.npy");
    CHECK(std::string(array.as<char>(), static_cast<std::size_t>(array.desc.count())) == "de");
    const Run series = run(R"({"file": "{p}"})", R"("for_each": {"p": {"pages": "in.npy"}}, )", "o{p.page}.npy");
    CAPTURE(series.err);
    REQUIRE(series.status == 0);
    CHECK(io::read(folder / "o0002.npy").as<char>()[0] == 'f');
    CHECK(run(R"({"file": "in.npy", "page": 3})", "", "out.npy").status == 2);

    io::write(folder / "a.nii", io::read(folder / "in.npy"));
    const Run volume = run(R"({"file": "a.nii", "page": 0})", "", "out.npy");
    CAPTURE(volume.err);
    CHECK(volume.status == 2);
    CHECK(contains(volume.err, "one piece"));
    CHECK(contains(volume.err, R"("select")"));
    const Run times = run(R"({"file": "a.nii", "page_axis": "t"})", "", "out.nii");
    CAPTURE(times.err);
    CHECK(times.status == 0);
    CHECK(io::info(folder / "out.nii").desc.find('t') != nullptr);
}

TEST_CASE("pages: a single number, an array without axes, goes through a job, and formats that hold none say so") {
    const TempFolder folder;
    put(folder / "in.npy", make_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "\x05"));
    const auto run = [&](const std::string& step, const std::string& out) {
        write_text(folder / "job.json",
                   R"({"parallax": 1, "device": {"backend": "native"}, "inputs": {"image": "in.npy"}, "steps": [)" + step +
                       R"(], "outputs": {"image": ")" + out + R"("}})");
        const Run ran = run_program({"run", "job.json", "--overwrite"}, folder.path());
        CAPTURE(step);
        CAPTURE(out);
        CAPTURE(ran.err);
        CHECK((ran.status == 0 || ran.status == 2));   // no signal, no failure of our own
        return ran.status;
    };
    for (const auto& [step, value] : {std::pair<const char*, float>{R"({"run": "crop"})", 5},
                                      {R"({"run": "crop", "variant": "reference"})", 5},
                                      {R"({"run": "convert", "type": "f32"})", 5},
                                      {R"({"run": "arithmetic", "value": 1})", 6}}) {
        REQUIRE(run(step, "out.npy") == 0);
        const HostArray one = io::read(folder / "out.npy");
        CHECK(one.desc.axes.empty());
        CHECK((one.desc.type == ElementType::u8 ? static_cast<float>(*one.as<std::uint8_t>()) : *one.as<float>()) == value);
    }
    for (const char* const step : {R"({"run": "box_filter", "radius": 1})", R"({"run": "equalize"})", R"({"run": "noise"})",
                                   R"({"run": "select", "axis": "x", "index": 0})", R"({"run": "fft", "in": {"array": "image"}})",
                                   R"({"run": "metrics", "in": {"image": "image", "reference": "image"}})"})
        run(step, "out.npy");
    for (const char* const out : {"o.tif", "o.png", "o.gif", "o.mp4", "o.jpg", "o.nii", "o.nrrd", "o.mha", "o.h5", "o.zarr",
                                  "o.ome.zarr", "o.ome.tif"}) {
        CAPTURE(out);
        CHECK(run(R"({"run": "crop"})", out) == 2);
    }
}

TEST_CASE("pages: three numbers of spacing want an axis z") {
    const TempFolder folder;
    put(folder / "in.npy", make_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2), }", "ab"));
    const auto run = [&](const char* spacing) {
        write_text(folder / "job.json",
                   std::string(R"({"parallax": 1, "device": {"backend": "native"}, "inputs": {"image": {"file": "in.npy", )") +
                       spacing + R"(}}, "steps": [{"run": "arithmetic", "value": 1}], "outputs": {"image": "out.npy"}})");
        return run_program({"run", "job.json", "--overwrite"}, folder.path());
    };
    const Run three = run(R"("spacing_um": [1, 2, 3])");
    CAPTURE(three.err);
    CHECK(three.status == 2);
    CHECK(contains(three.err, "no axis z"));
    CHECK(run(R"("spacing_um": [1, 2])").status == 0);
    CHECK(run(R"("spacing_um": 1)").status == 0);
}

TEST_CASE("pages: slices keep the file's distance, in the unit of the pixels that a job states") {
    const TempFolder folder;
    HostArray stack = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 3}, {'y', 2}, {'x', 2}}));
    const auto z_of = [&](const char* name, const char* spacing) {
        write_text(folder / "job.json",
                   std::string(R"({"parallax": 1, "device": {"backend": "native"}, "inputs": {"image": {"file": ")") + name +
                       R"(", )" + spacing +
                       R"(}}, "steps": [{"run": "arithmetic", "value": 1}], "outputs": {"image": "o.nrrd"}})");
        const Run run = run_program({"run", "job.json", "--overwrite"}, folder.path());
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        const ArrayDesc desc = io::info(folder / "o.nrrd").desc;   // in mm
        return std::pair(desc.find('z')->spacing, contains(run.err, "none of z"));
    };
    stack.desc = stack.desc.with_unit("um").with_spacing('z', 2).with_spacing('y', .5).with_spacing('x', .5);
    io::write(folder / "a.ome.tif", stack);
    CHECK(z_of("a.ome.tif", R"("spacing_nm": [65, 65])") == std::pair(0.002, false));
    CHECK(z_of("a.ome.tif", R"("spacing_mm": [1, 2])") == std::pair(0.002, false));
    CHECK(z_of("a.ome.tif", R"("spacing_nm": [65, 65, 300])") == std::pair(0.0003, false));
    CHECK(z_of("a.ome.tif", R"("spacing_nm": 65)") == std::pair(0.000065, false));
    stack.desc = ArrayDesc::dense(ElementType::u8, {{'z', 3}, {'y', 2}, {'x', 2}});
    io::write(folder / "b.npy", stack);
    CHECK(z_of("b.npy", R"("spacing_nm": [65, 65])") == std::pair(0.000001, true));
    CHECK(z_of("b.npy", R"("spacing_nm": 65)") == std::pair(0.000065, false));
}

TEST_CASE("pages: what is lost where files are combined in f32 is told, where it is") {
    const TempFolder folder;
    const auto told = [&](ElementType type, double value) {
        HostArray array = HostArray::make(ArrayDesc::dense(type, {{'y', 2}, {'x', 2}}));
        std::memset(array.data(), 0, array.desc.dense_bytes());
        if (type == ElementType::f64) array.as<double>()[3] = value;
        if (type == ElementType::u32) array.as<std::uint32_t>()[3] = static_cast<std::uint32_t>(value);
        if (type == ElementType::i64) array.as<std::int64_t>()[3] = static_cast<std::int64_t>(value);
        io::write(folder / "a.npy", array, {.overwrite = true});
        write_text(folder / "job.json",
                   R"({"parallax": 1, "device": {"backend": "native"}, "inputs": {"image": {"files": ["a.npy", "a.npy"],
            "combine": "mean"}}, "steps": [{"run": "arithmetic", "value": 1}], "outputs": {"image": "o.npy"}})");
        const Run run = run_program({"run", "job.json", "--overwrite", "--report", "r.json"}, folder.path());
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        const Json report = Json::parse(read_text(folder / "r.json"));
        const bool said = contains(run.err, "combined as f32");
        CHECK(contains(report["inputs"]["image"]["warnings"].dump(), "combined as f32") == said);
        CHECK(contains(report.value("warnings", Json::array()).dump(), "input \\\"image\\\": its files are combined") == said);
        return said;
    };
    for (const ElementType type : {ElementType::u8, ElementType::f32, ElementType::u32, ElementType::i64, ElementType::f64}) {
        CAPTURE(to_string(type));
        CHECK_FALSE(told(type, 16777216));
        CHECK(told(type, 16777217) == (bytes_of(type) > 4 || type == ElementType::u32));
    }
    CHECK_FALSE(told(ElementType::f64, 0.375));
    CHECK_FALSE(told(ElementType::f64, std::numeric_limits<double>::quiet_NaN()));
    for (const double value : {0.1, 1e300, 1e-300}) CHECK(told(ElementType::f64, value));
}

TEST_CASE("pages: a range keeps the axis of its pages, of one page too, and is named where some are not there") {
    const TempFolder folder;
    HostArray stack = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'t', 4}, {'y', 2}, {'x', 3}}));
    for (int i = 0; i < 24; ++i) stack.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
    stack.desc = stack.desc.with_spacing('t', 0.5);
    for (const char* const name : {"a.ome.tif", "a.npy"}) io::write(folder / name, stack);
    const auto run = [&](const char* name, const char* choice) {
        write_text(folder / "job.json",
                   fmt::format(R"({{"parallax": 1, "device": {{"backend": "native"}}, "inputs": {{"image": {{"file": "{}", {}}}}},
                               "steps": [{{"run": "arithmetic", "value": 1}}], "outputs": {{"image": "o.nrrd"}}}})",
                               name, choice));
        return run_program({"run", "job.json", "--overwrite"}, folder.path());
    };
    struct Row { const char *name, *choice, *axes; };
    for (const Row& row : {Row{"a.ome.tif", R"("pages": [2, 3])", "u8 1 x 2 x 3 (t, y, x)"},
                           {"a.ome.tif", R"("page": 2)", "u8 2 x 3 (y, x)"},
                           {"a.npy", R"("pages": [2, 3], "page_axis": "t")", "u8 1 x 2 x 3 (t, y, x)"},
                           {"a.ome.tif", R"("pages": [2, 3], "page_axis": "z")", "u8 1 x 2 x 3 (z, y, x)"}}) {
        CAPTURE(row.name);
        CAPTURE(row.choice);
        const Run made = run(row.name, row.choice);
        CAPTURE(made.err);
        REQUIRE(made.status == 0);
        const HostArray array = io::read(folder / "o.nrrd");
        CHECK(array.desc.describe() == row.axes);
        CHECK(array.as<std::uint8_t>()[0] == 13);
        if (array.desc.find('t')) CHECK(array.desc.find('t')->spacing == (std::string(row.name) == "a.npy" ? 0 : 0.5));
    }
    for (const char* const key : {"page", "pages"}) {
        const Run beyond = run("a.npy", key == std::string("page") ? R"("page": 8)" : R"("pages": [1, 9])");
        CHECK(beyond.status == 2);
        CHECK(contains(beyond.err, std::string("/inputs/image/") + key + " "));
        CHECK(contains(beyond.err, "page 8"));
    }
}
