// What a person opens after a run: nothing missing, nothing from elsewhere, and names are only names.
#include <cmath>

#include "frames.hpp"
#include "gallery/html.hpp"
#include "gallery/thumbnail.hpp"

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::engine::gallery;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

/// Whether all that it shows is inside.
bool needs_nothing(const std::string& page) {
    return !contains(page, "http:") && !contains(page, "https:") && !contains(page, "<script") && !contains(page, "src=\"/") &&
           !contains(page, "url(");
}

}   // namespace

TEST_CASE("gallery: a job's inputs, outputs and records are on one page") {
    const TempFolder folder;
    io::write(folder / "a&b<script>.tif", ramp(40, 30));
    io::write(folder / "v.npy", HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 20}, {'y', 8}, {'x', 9}})));
    write_text(folder / "job.json", R"({"parallax": 1, "comment": "Beads <b>of</b> \"5 um\"",
        "inputs": {"image": "a&b<script>.tif", "volume": "v.npy"},
        "steps": [{"run": "histogram", "in": {"image": "image"}}, {"id": "blur", "run": "box_filter", "radius": 1, "in": {"image": "image"}, "out": {"image": "filtered"}},
                  {"run": "reduce", "in": {"array": "volume"}}],
        "outputs": {"seen": {"of": "filtered", "file": "seen.png", "colour_map": "magma"}, "filtered": "f.tif", "histogram": "h.npy",
                    "value": "value.json"}})");
    const Run run = run_program({"run", "job.json", "--device", "native", "--gallery", "page.html"}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    CHECK(contains(run.out, "page.html"));
    const std::string page = read_text(folder / "page.html");
    CHECK(needs_nothing(page));
    CHECK(contains(page, "Beads &lt;b&gt;of&lt;/b&gt; &quot;5 um&quot;"));
    CHECK(contains(page, "a&amp;b&lt;script&gt;.tif"));
    CHECK(count_of(page, "src=\"data:image/") == 4);   // two inputs, two outputs
    CHECK(count_of(page, "<svg") == 1);                // the histogram
    CHECK(contains(page, "9 planes of 20"));
    CHECK_FALSE(contains(page, "not shown"));

    const Run again =
        run_program({"run", "job.json", "--out", "other", "--device", "native", "--gallery", "page.html"}, folder.path());
    CHECK(again.status == 2);
    CHECK(contains(again.err, "--gallery"));
    const Run own = run_program({"run", "job.json", "--device", "native", "--overwrite", "--gallery", "f.tif"}, folder.path());
    CHECK(own.status == 2);
    const Run confined = run_program(
        {"run", "job.json", "--device", "native", "--overwrite", "--confined", "--gallery", "page.html"}, folder.path());
    CHECK(confined.status == 2);
    CHECK(contains(confined.err, "--confined"));
}

TEST_CASE("gallery: a series shows its items, those that failed, and its tables") {
    Json job = frames_job();
    job["outputs"]["sum"] = "sums/{frame.stem}.png";
    job["outputs"]["film"] = {{"of", "sum"}, {"file", "film.png"}, {"combine", "stack"}, {"montage", true}};
    const Folder folder(7, job);
    write_text(folder / "frames/f003.tif", "no picture");
    const Run run = run_program({"run", "job.json", "--device", "native", "--gallery", "page.html"}, folder.path());
    CHECK(run.status == 1);
    const std::string page = read_text(folder / "page.html");
    CHECK(needs_nothing(page));
    CHECK(contains(page, "6 of 7 items done, 1 failed"));
    CHECK(contains(page, "class=\"failed\""));
    CHECK(count_of(page, "src=\"data:image/") == 6 * 2 + 1);
    CHECK(contains(page, "<th>mean</th>"));
}

TEST_CASE("gallery: names of files are bytes of any kind, and the page is UTF-8") {
    const TempFolder folder;
    for (const char* const name : {"a\xff\xfe#1%20.png", "\xc3\xa9.png"}) io::write(folder / name, ramp(20, 10));
    write_text(folder / "job.json", R"({"parallax": 1, "for_each": {"f": "*.png"}, "inputs": {"image": "{f}"},
        "steps": [{"run": "box_filter", "radius": 1}], "outputs": {"image": "out/{f.stem}.png"}})");
    const Run run = run_program({"run", "job.json", "--device", "native", "--gallery", "page.html"}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const std::string page = read_text(folder / "page.html");
    CHECK_NOTHROW(Json(page).dump());   // which throws at what is no UTF-8
    CHECK(contains(page, "\xc3\xa9.png"));
    CHECK(contains(page, "#1%20.png"));
    CHECK(count_of(page, "src=\"data:image/") == 4);
}

TEST_CASE("gallery: a name turns no line of the page round") {
    const TempFolder folder;
    io::write(folder / "a\xe2\x80\xae" "gpj.tif", ramp(20, 10));
    write_text(folder / "job.json", R"({"parallax": 1, "comment": "T\u001b[31m\u202egpj.exe", "inputs": {"image": "a\u202egpj.tif"},
        "steps": [{"run": "box_filter", "radius": 1}], "outputs": {"image": "o.png"}})");
    const Run run = run_program({"run", "job.json", "--device", "native", "--gallery", "page.html"}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const std::string page = read_text(folder / "page.html");
    CHECK_FALSE(contains(page, "\xe2\x80\xae"));
    CHECK(contains(page, "T\\x1b[31m\\u202egpj.exe"));
    CHECK(contains(page, "a\\u202egpj.tif"));
}

TEST_CASE("gallery: of a series of more items than are shown, all that failed are among them") {
    const Folder folder(150, frames_job());
    for (const char* broken : {"f007", "f077", "f149"})
        write_text(folder / (std::string("frames/") + broken + ".tif"), "no picture");
    const Run run = run_program({"run", "job.json", "--device", "native", "--no-sync", "--gallery", "page.html"}, folder.path());
    CHECK(run.status == 1);
    const std::string page = read_text(folder / "page.html");
    CHECK(count_of(page, "class=\"failed\"") == 3);
    for (const char* broken : {"f007.tif", "f077.tif", "f149.tif"})
        CHECK(contains(page, std::string(broken) + "</h3><p class=\"failed\""));
    CHECK(contains(page, "60 of 150 items"));
}

TEST_CASE("gallery: what a job's inputs and steps give cause to warn of is on the page") {
    const TempFolder folder;
    write_text(folder / "a.bin", std::string(2 * 12, 'a'));
    HostArray bright = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', 8}, {'x', 8}}));
    std::fill_n(bright.as<float>(), 64, 200.0f);
    io::write(folder / "b.npy", bright);
    write_text(folder / "job.json", R"({"parallax": 1,
        "inputs": {"image": {"file": "a.bin", "raw": {"type": "u8", "axes": "yx", "shape": [3, 4]}}, "bright": "b.npy"},
        "steps": [{"run": "crop", "in": {"image": "image"}, "out": {"image": "part"}},
                  {"run": "noise", "in": {"image": "bright"}, "out": {"image": "noisy"}},
                  {"id": "smooth", "run": "diffusion_lb", "step": 50, "in": {"image": "bright"}, "out": {"image": "even"}}],
        "outputs": {"part": "part.npy", "noisy": "noisy.npy", "even": "even.npy"}})");
    const Run run = run_program({"run", "job.json", "--device", "native", "--gallery", "page.html"}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const std::string page = read_text(folder / "page.html");
    CHECK(contains(run.err, "12 of its 24 bytes lie behind the raw layout"));
    CHECK(contains(page, "<p class=\"warning\">12 of its 24 bytes lie behind the raw layout"));
    CHECK(contains(run.err, "warning: step \"noise\": "));
    CHECK(count_of(page, "<p class=\"warning\">step &quot;noise&quot;: ") == 1);   // of its data, and told once
    CHECK(count_of(page, "<p class=\"warning\">step &quot;smooth&quot;: 32 iterations") == 1);   // of its plan
}

TEST_CASE("gallery: a picture that says it is to be turned is shown as it is read") {
    const TempFolder folder;
    io::write(folder / "a.jpg", ramp(40, 30));
    const std::string plain = read_text(folder / "a.jpg");
    std::string exif = {'\xff', '\xe1', 0, 34, 'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1,
                        1,      18,     0, 3,  0,   0,   0,   1,   0, 6, 0,   0,   0, 0,  0, 0};   // orientation 6
    write_text(folder / "a.jpg", plain.substr(0, 2) + exif + plain.substr(2));
    const std::string turned = shown(folder / "a.jpg", {}, 640, {});
    CHECK(contains(turned, "src=\"data:image/jpeg"));
    CHECK_FALSE(contains(turned, data_link("image/jpeg", read_text(folder / "a.jpg"))));
    exif[29] = 1;
    write_text(folder / "a.jpg", plain.substr(0, 2) + exif + plain.substr(2));
    CHECK(contains(shown(folder / "a.jpg", {}, 640, {}), data_link("image/jpeg", read_text(folder / "a.jpg"))));
}

TEST_CASE("gallery: curves are drawn over what rises, and tables are read as they are written") {
    const Json record =
        Json::parse(R"({"distance_um": [1, 2, 4], "value": [3, null, 5], "words": ["a", "b", "c"], "two": [1, 2], "best": 7})");
    const std::vector<Curve> curves = curves_of(record);
    REQUIRE(curves.size() == 1);
    CHECK(curves[0].name == "value");
    CHECK(curves[0].of == "distance_um");
    CHECK(curves[0].x == std::vector<double>{1, 2, 4});
    CHECK(std::isnan(curves[0].y[1]));
    CHECK(contains(drawn(curves[0]), "M"));
    CHECK(drawn({"none", "", {0, 1, 2}, {NAN, NAN, NAN}}).empty());
    CHECK(contains(scalars_of(record), "<th>best</th><td>7</td>"));
    Json columns;
    const std::string table = table_of("item,v\n\"a,\"\"b\"\"\",1.5\nc,2\n\"d\ne\",\n", 2, columns);
    CHECK(contains(table, "<td>a,&quot;b&quot;</td><td>1.5</td>"));
    CHECK(contains(table, "2 of 3 rows"));
    CHECK(columns["v"] == Json::parse("[1.5, 2, null]"));
    CHECK(columns["item"][2] == "d\ne");
    CHECK(data_link("a/b", "Man") == "data:a/b;base64,TWFu");
    CHECK(data_link("a/b", "Ma") == "data:a/b;base64,TWE=");
    CHECK(data_link("a/b", "M") == "data:a/b;base64,TQ==");
}

TEST_CASE("gallery: numbers of 64 bits beyond those of 32 are shown as others are") {
    for (const double unit : {1.0, 1e305, 1e-200}) {
        CAPTURE(unit);
        HostArray array = HostArray::make(ArrayDesc::dense(ElementType::f64, {{'y', 16}, {'x', 16}}));
        for (int i = 0; i < 256; ++i) array.as<double>()[i] = unit * (i % 16);
        const HostArray picture = small_picture(array, 9, 300);
        CHECK(picture.as<std::uint8_t>()[0] == 0);
        CHECK(picture.as<std::uint8_t>()[8] == doctest::Approx(136).epsilon(0.02));
        CHECK(picture.as<std::uint8_t>()[15] == 255);
    }
}

TEST_CASE("gallery: arrays of any shape and type become small pictures") {
    for (const ElementType type : {ElementType::boolean, ElementType::u8, ElementType::u16, ElementType::i32, ElementType::f32,
                                   ElementType::f64, ElementType::c64, ElementType::c128}) {
        const std::vector<std::vector<ArrayDesc::Extent>> shapes = {{{'y', 1}, {'x', 1}},
                                                                    {{'y', 700}, {'x', 30}},
                                                                    {{'y', 5}, {'x', 1300}, {'c', 3}},
                                                                    {{'y', 9}, {'x', 8}, {'c', 4}},
                                                                    {{'y', 9}, {'x', 8}, {'c', 7}},
                                                                    {{'c', 2}, {'y', 9}, {'x', 8}},
                                                                    {{'t', 3}, {'z', 40}, {'y', 33}, {'x', 65}}};
        for (const auto& shape : shapes) {
            HostArray array = HostArray::make(ArrayDesc::dense(type, shape));
            std::fill_n(array.data(), array.desc.dense_bytes(), std::byte{0});
            CAPTURE(array.desc.describe());
            const HostArray picture = small_picture(array, 9, 300);
            CHECK(picture.desc.type == ElementType::u8);
            CHECK(picture.desc.size('x') <= 300 + 4);
            CHECK(picture.desc.size('y') <= 300 + 4);
        }
    }
}
