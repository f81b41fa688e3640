// A user's own job as a study: `parallax compare --job`.
#include <cmath>
#include <limits>

#include "cases/inputs.hpp"
#include "compare/small_study.hpp"
#include "io/io.hpp"
#include "jobs/support.hpp"
#include "parallax/host/enumerate.hpp"
#include "study/expand.hpp"
#include "study/study.hpp"

#include <fmt/format.h>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::compare;
using namespace parallax::tests;

TEST_CASE("compare: a job of one's own is measured on what its first item reads: page, neighbours, files that are combined") {
    const TempFolder folder;
    HostArray stack = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'t', 4}, {'y', 2}, {'x', 3}}));
    for (int i = 0; i < 24; ++i) stack.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i < 6 ? i : 10 * (i / 6) + i);
    io::write(folder / "stack.tif", stack);
    for (int i = 0; i < 3; ++i)
        io::write(folder / fmt::format("f{}.npy", i), floats(3, 2, std::vector<float>(6, static_cast<float>(10 * i * i))));
    struct Row {
        const char* each;
        const char* input;
        const char* array;          // as the job's plan describes it
        std::vector<double> first;  // elements
    };
    const Row rows[] = {
        {R"({"pages": "stack.tif"})", R"("{f}")", "u8 2 x 3 (y, x)", {0, 1, 2}},
        {R"({"pages": "stack.tif", "range": [1, 4]})", R"({"file": "{f}", "running": 1, "combine": "mean"})", "f32 2 x 3 (y, x)", {16, 17}},
        {R"({"pages": "stack.tif"})", R"({"file": "{f}", "running": 3, "combine": "mean"})", "f32 2 x 3 (y, x)", {8, 9}},
        {R"({"files": "f*.npy"})", R"({"file": "{f}", "running": 5, "combine": "median"})", "f32 2 x 3 (y, x)", {10, 10}},
        {R"({"files": "f*.npy"})", R"({"files": ["{f}", "f2.npy"], "combine": "mean"})", "f32 2 x 3 (y, x)", {20, 20}},
    };
    engine::Engine native(*host::native_device(), registry());
    Session session(native);
    for (const Row& row : rows) {
        CAPTURE(std::string(row.each));
        CAPTURE(std::string(row.input));
        Json job = Json::parse(R"({"parallax": 1, "steps": [{"run": "box_filter", "radius": 1, "out": {"image": "soft"}}],
            "outputs": {"soft": "{f.index}.npy", "mean": {"of": "image", "file": "mean.npy", "combine": "mean"}}})");
        job["for_each"]["f"] = Json::parse(row.each);
        job["inputs"]["image"] = Json::parse(row.input);
        const Locations where{folder.path(), {}, folder.path()};
        const Study study = parse_study(study_of_job(job, registry().algorithms(), where), registry().algorithms(), false);
        const std::vector<Point> points = expand(study, registry().algorithms());
        REQUIRE(points.size() == 1);
        CHECK(points[0].outputs == std::vector<std::string>{"soft"});   // an input that is put out is no work of a device
        const Json& spec = points[0].inputs["image"];
        CHECK(missing_file("image", spec, where).empty());
        const HostArray image = make_input("image", spec, session, {}, where);
        CHECK(image.desc.describe() == row.array);
        for (std::size_t i = 0; i < row.first.size(); ++i)
            CHECK((image.desc.type == ElementType::u8 ? image.as<std::uint8_t>()[i] : image.as<float>()[i]) == row.first[i]);
        write_text(folder / "job.json", job.dump());
        const Run plan = run_program({"plan", "job.json", "--device", "native", "--json"}, folder.path());
        CAPTURE(plan.err);
        REQUIRE(plan.status == 0);
        CHECK(Json::parse(plan.out)["arrays"][0]["array"] == row.array);
    }
    CHECK(run_program({"compare", "--job", "job.json", "--out", "none", "--json"}, folder.path()).status == 2);   // of a replay alone
    const Run run = run_program({"compare", "--job", "job.json", "--out", "out", "--quiet", "--device", "native"}, folder.path());
    CAPTURE(run.err);
    CHECK(run.status == 0);
    CHECK(Json::parse(read_text(folder / "out/report.json"))["rows"][0]["outcome"] == "ok");
}

TEST_CASE("compare: frames of a study's input say how they become one array") {
    const auto wrong = [](const char* spec) {
        return error_of<ConfigError>([&] { check_input_spec(Json::parse(spec), "/inputs/image", registry().algorithms(), {}); });
    };
    CHECK(wrong(R"({"frames": ["1.npy"]})").pointer == "/inputs/image");
    CHECK(wrong(R"({"frames": ["1.npy"], "combine": "sum"})").pointer == "/inputs/image/combine");
    CHECK(wrong(R"({"frames": [], "combine": "mean"})").pointer == "/inputs/image/frames");
    CHECK(wrong(R"({"frames": ["1.npy", {"page": 1}], "combine": "mean"})").pointer == "/inputs/image/frames/1");
    CHECK(wrong(R"({"frames": ["1.npy"], "file": "2.npy", "combine": "mean"})").pointer == "/inputs/image/file");
}

TEST_CASE("compare: a job of one's own is measured by its own rules: what is not finite, how much memory, how long a step") {
    const TempFolder folder;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    io::write(folder / "holes.npy", floats(3, 2, {1, nan, 3, 4, 5, 6}));
    Json job = Json::parse(R"({"parallax": 1, "inputs": {"image": "holes.npy"}, "steps": [{"run": "box_filter", "radius": 1,
                               "out": {"image": "soft"}}], "outputs": {"soft": "soft.npy"}})");
    const Locations where{folder.path(), {}, folder.path()};
    const auto point_of = [&] {
        const Study study = parse_study(study_of_job(job, registry().algorithms(), where), registry().algorithms(), false);
        return expand(study, registry().algorithms()).at(0);
    };
    CHECK(point_of().settings.empty());
    job["non_finite"] = "mask";
    job["memory_limit"] = "1 GiB";
    job["step_timeout_s"] = 7;
    const Point point = point_of();
    const Json written = job_of(point, {}, registry().algorithms());
    for (const char* const key : {"non_finite", "memory_limit", "step_timeout_s"}) CHECK(written[key] == job[key]);
    const Pipeline pipeline = pipeline_of(written, registry().algorithms());
    CHECK(pipeline.limits.memory_limit == std::uint64_t{1} << 30);
    CHECK(pipeline.limits.step_timeout_s == 7);
    engine::Engine native(*host::native_device(), registry());
    Session session(native);
    const auto second = [&](const Json& settings) {
        return make_input("image", point.inputs["image"], session, {}, where, settings).as<float>()[1];
    };
    CHECK(second(point.settings) == 0);
    CHECK(std::isnan(second(Json::object())));
    CHECK_THROWS_AS(second({{"non_finite", "reject"}}), IoError);

    const auto outcome = [&](const std::string& what) {   // of each row, with its reason
        write_text(folder / "job.json", job.dump());
        const Run run = run_program({"compare", "--job", "job.json", "--out", "out", "--overwrite", "--quiet", "--device", "native"},
                                    folder.path());
        CAPTURE(run.err);
        const Json report = Json::parse(read_text(folder / "out/report.json"));
        for (const Json& row : report["rows"]) CHECK((what.empty() ? row["outcome"] == "ok" : contains(row.value("reason", std::string()), what)));
    };
    outcome("");
    job["non_finite"] = "reject";
    outcome("holds nan");
    job["non_finite"] = "mask";
    job["memory_limit"] = 16;
    outcome("memory_limit");
    job["memory_limit"] = "16";
    CHECK(error_of<ConfigError>(point_of).pointer == "/memory_limit");   // as the job says it
}

TEST_CASE("compare: a case of a study that says how a job is to be run says it as a job does") {
    const auto wrong = [](const char* setting) {
        Json study = Json::parse(R"({"parallax_study": 1, "title": "t", "cases": [{"id": "a", "inputs": {"array": {"make": "random",
            "type": "f32", "axes": "x", "shape": [8]}}, "steps": [{"run": "sort"}]}]})");
        study["cases"][0].update(Json::parse(setting));
        return error_of<ConfigError>(
            [&] { expand(parse_study(study, registry().algorithms(), false), registry().algorithms()); });
    };
    CHECK(wrong(R"({"non_finite": "ignore"})").pointer == "/cases/0/non_finite");
    CHECK(wrong(R"({"memory_limit": -1})").pointer == "/cases/0/memory_limit");
    CHECK(wrong(R"({"step_timeout_s": "long"})").pointer == "/cases/0/step_timeout_s");
}
