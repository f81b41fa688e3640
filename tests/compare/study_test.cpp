// Studies as text: what is wrong with them, and what they expand to.
#include "study/expand.hpp"
#include "report/report.hpp"
#include "job/load.hpp"
#include "jobs/support.hpp"
#include "peers/peers.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::compare;
using namespace parallax::tests;

namespace {

const Registry& registry() {
    static const Registry all = registry_with_peers();
    return all;
}

Json good() {
    return Json::parse(R"({"parallax_study": 1, "title": "t", "cases": [{
        "id": "blur", "grid": {"radius": [1, 2], "size": [{"label": "small", "w": 8, "h": 4}, {"label": "large", "w": 16,
            "h": 8}]},
        "quick": {"grid": {"radius": [1]}},
        "inputs": {"image": {"make": "random", "type": "u8", "axes": "yx", "shape": ["$h", "$w"]}},
        "steps": [{"run": "box_filter", "radius": "$radius"}],
        "variants": ["fused", {"label": "narrow", "variant": "fused", "policy": {"work_group_size": 64}}, "threaded"],
        "work": {"unit": "MB/s", "scale": 1e6, "items": [["$w", "$h", 2], [1]]}}],
        "report": [{"kind": "line", "title": "f", "x": "radius", "y": "compute_ms"}]})");
}

Study parse(const Json& json, bool quick = false) { return parse_study(json, registry().algorithms(), quick); }

/// The error of a good study with the value at `pointer` replaced, or taken away by a discarded one.
ConfigError wrong(const std::string& pointer, const char* value) {
    Json json = good();
    json[Json::json_pointer(pointer)] = Json::parse(value);
    return error_of<ConfigError>([&] { expand(parse(json), registry().algorithms()); });
}

}  // namespace

TEST_CASE("study: a grid expands to points with their variables, work and jobs") {
    const Study study = parse(good());
    const std::vector<Point> points = expand(study, registry().algorithms());
    REQUIRE(points.size() == 4);
    CHECK(points[0].id == "blur/radius=1/size=small");
    CHECK(points[3].id == "blur/radius=2/size=large");
    CHECK(points[3].variables["w"] == 16);
    CHECK(points[3].inputs["image"]["shape"] == Json({8, 16}));
    CHECK(points[3].work.items == 16 * 8 * 2 + 1);
    const Json job = job_of(points[2], points[2].ways[1], registry().algorithms());
    CHECK(job["steps"][0]["radius"] == 2);
    CHECK(job["steps"][0]["variant"] == "fused");
    CHECK(job["steps"][0]["policy"]["work_group_size"] == 64);
    CHECK(runs_on(points[0], points[0].ways[0], host::Backend::opencl, registry().algorithms()));
    CHECK_FALSE(runs_on(points[0], points[0].ways[0], host::Backend::native, registry().algorithms()));
    CHECK(expand(parse(good(), true), registry().algorithms()).size() == 2);
}

TEST_CASE("study: a name that a variant had is understood; the row keeps it as its label") {
    Json json = good();
    json["cases"][0]["variants"] = {"lanes"};
    const std::vector<Point> points = expand(parse(json), registry().algorithms());
    CHECK(points[0].ways[0].label == "lanes");
    CHECK(points[0].ways[0].variant == "simd");
    CHECK(job_of(points[0], points[0].ways[0], registry().algorithms())["steps"][0]["variant"] == "simd");
}

TEST_CASE("study: all variants of an algorithm, peers among them") {
    Json json = good();
    json["cases"][0]["variants"] = "all";
    const auto points = expand(parse(json), registry().algorithms());
    CHECK(points[0].ways.size() == registry().get("box_filter").variants.size());
}

TEST_CASE("study: whatever is wrong is named with its place, before anything runs") {
    struct Row { const char *pointer, *value, *expected_pointer, *found, *hint; };
    const Row rows[] = {
        {"/parallax_study", "2", "/parallax_study", "2", ""},
        {"/titel", "\"x\"", "/titel", "titel", "title"},
        {"/cases", "[]", "/cases", "no case", ""},
        {"/cases/0/id", "\"a b\"", "/cases/0/id", "a b", ""},
        {"/cases/0/grid/radius", "3", "/cases/0/grid/radius", "3", ""},
        {"/cases/0/grid/radius", "[1, 2, 1]", "/cases/0/grid/radius/2", "1 a second time", ""},
        {"/cases/0/grid/radius", R"([{"label": "a", "s": 1}, {"label": "a", "s": 2}])", "/cases/0/grid/radius/1", "\"a\" a second time", ""},
        {"/cases/0/grid", R"({"radius": [1,2,3,4,5,6,7,8,9,10], "b": [1,2,3,4,5,6,7,8,9,10], "c": [1,2,3,4,5,6,7,8,9,10],
            "d": [1,2,3,4,5,6,7,8,9,10], "e": [1,2]})", "/cases/0/grid", "20000 points or more", "fewer values"},
        {"/cases/0/steps/0/radius", "\"$radios\"", "/cases/0/steps/0/radius", "$radios", "$radius"},
        {"/cases/0/steps/0/run", "\"box_filer\"", "/cases/0/steps/0/run", "box_filer", "box_filter"},
        {"/cases/0/steps/0/raduis", "1", "/cases/0/steps/0/raduis", "raduis", "radius"},
        {"/cases/0/variants/0", "\"fusd\"", "/cases/0/variants/0", "fusd", "fused"},
        {"/cases/0/variants/1/policy/work_group_size", "3", "/cases/0/variants/1/policy/work_group_size", "3", ""},
        {"/cases/0/variants/1/label", "\"fused\"", "/cases/0/variants/1", "a second time", ""},
        {"/cases/0/variants/1/backends", "\"vulkan\"", "/cases/0/variants/1/backends", "vulkan", ""},
        {"/cases/0/inputs/image/make", "\"noise\"", "/cases/0/inputs/image/make", "noise", ""},
        {"/cases/0/inputs/image/shape", "[3]", "/cases/0/inputs/image/shape", "[3]", ""},
        {"/cases/0/reference", "\"oracle\"", "/cases/0/steps/0/variant", "oracle", ""},
        {"/cases/0/outputs", "[\"imagine\"]", "/cases/0/outputs/imagine", "imagine", ""},
        {"/cases/0/keep", "\"nothing\"", "/cases/0/keep", "nothing", ""},
        {"/sampling", "{\"samples\": 0}", "/sampling/samples", "0", ""},
        {"/devices", "[{\"typ\": \"gpu\"}]", "/devices/0/typ", "typ", "type"},
        {"/report/0/kind", "\"lines\"", "/report/0/kind", "lines", "line"},
        {"/report/0/kind", "\"spread\"", "/report/0", "without \"values\"", ""},
        {"/report/0/cases", "[\"blurr\"]", "/report/0/cases", "blurr", "blur"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.pointer);
        CAPTURE(row.value);
        const ConfigError error = wrong(row.pointer, row.value);
        CHECK(error.pointer == row.expected_pointer);
        CHECK(contains(error.found, row.found));
        if (*row.hint != '\0') CHECK(contains(error.hint, row.hint));
    }
}

TEST_CASE(
    "report: configs/schema/report.schema.json is what the program prints, and kept tables are of the samples beside them") {
    const auto folder = repository("configs");
    REQUIRE(folder);
    CHECK_MESSAGE(read_text(*folder / "schema" / "report.schema.json") == report_schema().dump(2) + "\n",
                  "make it anew: parallax schema report > configs/schema/report.schema.json");
    const auto results = repository("docs/results");
    REQUIRE(results);
    const TempFolder temporary;
    const fs::path folder_of_all = temporary / "made";
    std::size_t kept = 0;
    for (const auto& entry : fs::directory_iterator(*results)) {
        const fs::path file = entry.path() / "report.json.gz";
        if (!fs::exists(file)) continue;
        CAPTURE(file.string());
        const Json report = load_json(file);
        CHECK_NOTHROW(check_report(report, "saved"));
        write_report(derive(report), folder_of_all / entry.path().filename(), false);
        CHECK_MESSAGE(read_text(folder_of_all / entry.path().filename() / "report.csv") == read_text(entry.path() / "report.csv"),
                      "the table is not of these samples: make it anew by parallax report");
        ++kept;
    }
    CHECK(kept >= 4);
}

TEST_CASE("study: configs/schema/study.schema.json is what the program prints") {
    const auto folder = repository("configs");
    REQUIRE(folder);
    CHECK_MESSAGE(read_text(*folder / "schema" / "study.schema.json") == study_schema(registry().algorithms()).dump(2) + "\n",
                  "make it anew: parallax schema study > configs/schema/study.schema.json");
}
