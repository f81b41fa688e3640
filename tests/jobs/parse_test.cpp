// Job files as text: what is understood, and what each slip gets for an answer.
#include "fakes.hpp"
#include "job/job.hpp"
#include "job/load.hpp"
#include "support.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace {

const std::vector<Algorithm> algorithms = fake_algorithms();

Job parse(const std::string& text) { return parse_job(parse_json(text, "test"), algorithms); }

/// A job with these members beside the version.
std::string job(const std::string& members) { return R"({"parallax": 1, )" + members + "}"; }

const std::string steps = R"("steps": [{"run": "make"}])";
const std::string outputs = R"("outputs": {"image": "a.npy"})";
const std::string rest = steps + ", " + outputs;

}  // namespace

TEST_CASE("job: everything that may stand in one is read") {
    const Job j = parse(R"({
        "$schema": "x.json", "parallax": 1, "comment": "run 7", "//why": "a note",
        "non_finite": "mask", "memory_limit": "1.5 GiB",
        "device": {"//": "note", "prefer": [{"type": "gpu"}, {"type": "cpu"}], "on_missing": "next"},
        "inputs": {
            "image": {"file": "data:a.tif", "page": 3, "spacing_um": [1.4, 1.5], "keep_channels": true},
            "mask": {"files": ["m/*.tif", "n.tif"], "combine": "median", "pages": [1, 4], "page_axis": "z", "grey": true},
            "raw": {"file": "x.raw", "raw": {"type": "u16", "axes": "yx", "shape": [480, 640], "offset": 16, "big_endian": true}}
        },
        "steps": [
            {"id": "first", "run": "blur", "radius": 3, "width_nm": 500, "out": {"image": "soft"}},
            {"id": "second", "run": "blur", "in": {"image": "soft", "mask": null}, "out": {"image": "softer", "stats": "sums"}},
            {"id": "third", "run": "blur", "in": {"image": "raw", "mask": null}, "out": {"edges": "rims"}}
        ],
        "outputs": {"softer": {"file": "out/b.png", "window": [0, 1], "bits": 16}, "sums": {"table": "s.csv"}, "rims": "r.nii.gz"}
    })" + std::string());
    CHECK(j.comment == "run 7");
    CHECK(j.non_finite == NonFinite::mask);
    CHECK(j.limits.memory_limit == std::uint64_t{1610612736});
    REQUIRE(j.inputs.size() == 3);
    CHECK(j.inputs[0].read.pages == std::pair<std::int64_t, std::int64_t>{3, 4});
    CHECK_FALSE(j.inputs[0].read.grey);
    CHECK(j.inputs[0].spacing->values == std::vector<double>{1.4, 1.5});
    CHECK(j.inputs[0].spacing->unit == "um");
    CHECK(j.inputs[1].combine == "median");
    CHECK(j.inputs[1].read.page_axis == 'z');
    CHECK(j.inputs[1].read.grey);
    CHECK(j.inputs[0].read.page_axis == '\0');
    CHECK(j.inputs[2].read.raw->type == ElementType::u16);
    CHECK(j.inputs[2].read.raw->axes[1].size == 640);
    CHECK(j.inputs[2].read.raw->big_endian);
    REQUIRE(j.steps.size() == 3);
    CHECK(j.steps[0].parameters.as<BlurParameters>().radius == 3);
    CHECK(j.steps[0].parameters.as<BlurParameters>().width == 500e-9);
    CHECK(j.steps[0].inputs.at("mask") == Source{std::nullopt, "mask"});
    CHECK(j.steps[1].inputs.at("image") == Source{0, "image"});
    CHECK_FALSE(j.steps[1].inputs.count("mask"));
    CHECK(j.steps[2].outputs == std::vector<std::string>{"edges"});
    CHECK(j.outputs[0].write.png_bits == 16);
    CHECK(j.outputs[1].form == OutputForm::table);
    CHECK(j.outputs[1].source.port == "stats");
}

TEST_CASE("job: names that agree need no in and out; the id is the algorithm's name") {
    const Job j = parse(job(R"("inputs": {"image": "a.tif"}, "steps": [{"run": "blur"}], "outputs": {"image": "b.npy"})"));
    CHECK(j.steps[0].id == "blur");
    CHECK(j.steps[0].inputs.at("image") == Source{std::nullopt, "image"});
    CHECK(j.outputs[0].source == Source{0, "image"});
}

TEST_CASE("job: written with every default, it reads back the same") {
    const Job first = parse(job(R"("inputs": {"image": "a.tif"}, "non_finite": "reject", "memory_limit": 1000,
        "steps": [{"id": "a", "run": "blur", "radius": 4, "out": {"image": "b"}}, {"id": "c", "run": "blur",
            "in": {"image": "b"}}],
        "outputs": {"image": "b.npy"})"));
    const Json written = to_json(first);
    CHECK(to_json(parse_job(written, algorithms)) == written);
    CHECK(written["steps"][0]["width_um"] == 2);
    CHECK(written["steps"][1]["radius"] == 1);
    CHECK(written["steps"][1]["in"].dump() == R"({"image":"b","mask":null})");
    CHECK(written["memory_limit"] == 1000);
}

TEST_CASE("job: for_each is understood in all its forms") {
    const auto each = [](const std::string& text, const std::string& file = "o/{frame.stem}.npy") {
        return *parse(job(R"("for_each": )" + text +
                          R"(, "inputs": {"image": "{frame}"}, "steps": [{"run": "blur"}], "outputs": {"image": ")" + file +
                          R"("})"))
                    .for_each;
    };
    CHECK(each(R"({"frame": "run7/*.tif"})").sources[0].patterns == std::vector<std::string>{"run7/*.tif"});
    CHECK(each(R"({"frame": ["a.tif", "b.tif"], "on_error": "continue"})").continue_on_error);
    CHECK(each(R"({"frame": {"pages": "stack.tif"}})").sources[0].kind == "pages");
    CHECK(each(R"({"frame": {"volumes": "fmri.nii"}})").sources[0].kind == "volumes");
    const ForEach zipped = each(R"({"frame": {"files": "a*.tif", "range": [2, 9], "stride": 3}, "dark": "d*.tif"})",
                                "o/{frame.stem}-{dark.stem}.npy");
    REQUIRE(zipped.sources.size() == 2);
    CHECK(*zipped.find("frame")->range == std::pair<std::int64_t, std::int64_t>{2, 9});
    CHECK(zipped.find("frame")->stride == 3);
    Json many = Json::parse(job(R"("for_each": {}, "inputs": {}, "steps": [{"run": "blur"}], "outputs": {"image": "{v0.index}.npy"})"));
    for (int i = 0; i < 65; ++i) {
        many["for_each"]["v" + std::to_string(i)] = "*.tif";
        many["inputs"]["i" + std::to_string(i)] = "{v" + std::to_string(i) + "}";
    }
    CHECK_THROWS_WITH_AS(parse(many.dump()), doctest::Contains("65 variables"), ConfigError);
}

TEST_CASE("job: each slip is an error that names the place, what is there and what may be") {
    struct Row { std::string text; const char* pointer; const char* fragment; };
    const std::string blur = R"("inputs": {"image": "a.tif"}, "steps": [{"run": "blur"}], )";
    const Row rows[] = {
        {"[]", "", "a job"},
        {"{}", "/parallax", "add \"parallax\": 1"},
        {R"({"parallax": 2, )" + rest + "}", "/parallax", "the number 2"},
        {job(R"("stpes": [], )" + outputs), "/stpes", "did you mean \"steps\""},
        {job(outputs), "/steps", "a list of steps"},
        {job(R"("steps": [], )" + outputs), "/steps", "an empty list"},
        {job(R"("steps": {}, )" + outputs), "/steps", "an empty object"},
        {job(R"("steps": [3], )" + outputs), "/steps/0", "the number 3"},
        {job(R"("steps": [{"rnu": "make"}], )" + outputs), "/steps/0", "\"rnu\" should be \"run\""},
        {job(R"("steps": [{"run": "maek"}], )" + outputs), "/steps/0/run", "did you mean \"make\""},
        {job(R"("steps": [{"run": 1}], )" + outputs), "/steps/0/run", "the number 1"},
        {job(R"("steps": [{"run": "make", "szie": 1}], )" + outputs), "/steps/0/szie", "did you mean \"size\""},
        {job(R"("steps": [{"run": "make", "size": 0}], )" + outputs), "/steps/0/size", "an integer at least 1"},
        {job(R"("steps": [{"run": "make", "id": "a b"}], )" + outputs), "/steps/0/id", "\"a b\""},
        {job(R"("steps": [{"run": "make", "variant": "plane"}], )" + outputs), "/steps/0/variant", "did you mean \"plain\""},
        {job(R"("steps": [{"run": "make", "policy": {"work_group_size": 32}}], )" + outputs), "/steps/0/policy",
         "\"variant\" beside"},
        {job(R"("steps": [{"run": "make", "variant": "plain", "policy": {"work_group_size": 33}}], )" + outputs),
         "/steps/0/policy/work_group_size", "32 | 64"},
        {job(R"("steps": [{"run": "make", "variant": "plain", "policy": {"work_group": 32}}], )" + outputs),
         "/steps/0/policy/work_group", "one of work_group_size"},
        {job(R"("steps": [{"run": "make"}, {"run": "make"}], )" + outputs), "/steps/1/id", "an id of its own"},
        {job(R"("steps": [{"run": "make", "out": {"imge": "b"}}], )" + outputs), "/steps/0/out/imge", "did you mean \"image\""},
        {job(R"("steps": [{"run": "make", "in": {"image": "b"}}], )" + outputs), "/steps/0/in/image", "it has none"},
        {job(R"("steps": [{"run": "make", "out": {"image": "b"}}], )" + outputs), "/outputs/image", "which no step makes"},
        {job(R"("steps": [{"run": "blur"}], )" + outputs), "/steps/0/in", "no array \"image\""},
        {job(R"("inputs": {"imgae": "a.tif"}, "steps": [{"run": "blur"}], )" + outputs), "/steps/0/in", "did you mean \"imgae\""},
        {job(R"("inputs": {"image": "a.tif", "msak": "b.tif"}, "steps": [{"run": "blur"}], )" + outputs), "/inputs/msak",
         "did you mean \"mask\""},
        {job(R"("inputs": {"image": "a.tif"}, "steps": [{"run": "blur", "in": {"image": "imag"}}], )" + outputs),
         "/steps/0/in/image", "did you mean \"image\""},
        {job(R"("inputs": {"image": "a.tif"}, "steps": [{"run": "blur", "in": {"image": null}}], )" + outputs),
         "/steps/0/in/image", "required"},
        {job(R"("inputs": {"image": "a.tif"}, "steps": [{"run": "blur", "in": {"image": "edges"}}], )" + outputs),
         "/steps/0/in/image", "this step itself"},
        {job(R"("steps": [{"run": "blur", "in": {"image": "x"}}, {"run": "make", "out": {"image": "x"}}], )" + outputs),
         "/steps/0/in/image", "move step \"make\" to the front"},
        {job(R"("steps": [{"run": "blur", "out": {"image": "b"}}, {"run": "make"}], "outputs": {"b": "b.npy"})"), "/steps/0/in",
         "step \"make\" makes"},
        {job(R"("steps": [{"run": "make"}, {"id": "b", "run": "blur"}, {"id": "c", "run": "blur"}], )" + outputs), "/steps/2/in",
         "\"out\": {\"image\": \"image_2\"}"},
        {job(R"("steps": [{"run": "make"}, {"run": "blur", "out": {"image": "c"}}, {"id": "d", "run": "blur",
            "out": {"image": "c"}}], "outputs": {"c": "c.npy"})"),
         "/steps/2/out/image", "step \"blur\" has an array of that name"},
        {job(R"("steps": [{"run": "make"}, {"run": "blur", "out": {"stats": "s"}}, {"id": "d", "run": "blur",
            "in": {"image": "s"}}], "outputs": {"image": "c.npy"})"),
         "/steps/2/in/image", "which is a record"},
        {job(R"("inputs": {"image": "a.tif"}, "steps": [{"run": "blur", "out": {"edges": "e"}}], )" + outputs),
         "/steps/0/out/edges", "which nothing uses"},
        {job(R"("steps": [{"run": "make"}, {"id": "two", "run": "make", "out": {"image": "b"}}], "outputs": {"b": "b.npy"})"),
         "/steps/0", "whose outputs nothing uses"},
        {job(steps), "/outputs", "nothing"},
        {job(steps + R"(, "outputs": {})"), "/outputs", "at least one"},
        {job(steps + R"(, "outputs": {"imgae": "a.npy"})"), "/outputs/imgae", "did you mean \"image\""},
        {job(steps + R"(, "outputs": {"image": 3})"), "/outputs/image", "the number 3"},
        {job(steps + R"(, "outputs": {"image": "a.json"})"), "/outputs/image", "for the array"},
        {job(steps + R"(, "outputs": {"image": "{frame}.npy"})"), "/outputs/image", "the placeholder {frame}"},
        {job(steps + R"(, "outputs": {"image": {"fiel": "a.npy"}})"), "/outputs/image/fiel", "did you mean \"file\""},
        {job(steps + R"(, "outputs": {"image": {"file": "a.png", "table": "b.csv"}})"), "/outputs/image",
         "\"file\" beside \"table\""},
        {job(steps + R"(, "outputs": {"image": {"file": "a.npy", "window": [0, 1]}})"), "/outputs/image/window",
         ".png or .jpg"},
        {job(steps + R"(, "outputs": {"image": {"file": "a.png", "window": [1, 0]}})"), "/outputs/image/window", "low < high"},
        {job(steps + R"(, "outputs": {"image": {"file": "a.png", "window_percentile": [1, 101]}})"),
         "/outputs/image/window_percentile", "100"},
        {job(steps + R"(, "outputs": {"image": {"file": "a.png", "window": [0, 1], "window_percentile": [1, 99]}})"),
         "/outputs/image/window_percentile", "beside"},
        {job(steps + R"(, "outputs": {"image": {"file": "a.png", "bits": 12}})"), "/outputs/image/bits", "8 or 16"},
        {job(blur + R"("outputs": {"stats": "a.png"})"), "/outputs/stats", "for the record"},
        {job(blur + R"("outputs": {"stats": {"table": "a.json"}})"), "/outputs/stats/table", "a .csv file"},
        {job(R"("inputs": [], )" + rest), "/inputs", "an empty list"},
        {job(R"("inputs": {"a b": "x"}, )" + rest), "/inputs/a b", "a letter"},
        {job(R"("inputs": {"image": 7}, )" + rest), "/inputs/image", "the number 7"},
        {job(R"("inputs": {"image": {}}, )" + rest), "/inputs/image", "neither"},
        {job(R"("inputs": {"image": {"file": "a", "files": "b"}}, )" + rest), "/inputs/image", "beside"},
        {job(R"("inputs": {"image": {"files": "b/*"}}, )" + rest), "/inputs/image", "\"combine\""},
        {job(R"("inputs": {"image": {"files": [], "combine": "mean"}}, )" + rest), "/inputs/image/files", "an empty list"},
        {job(R"("inputs": {"image": {"files": "b/*", "combine": "maen"}}, )" + rest), "/inputs/image/combine",
         "did you mean \"mean\""},
        {job(R"("inputs": {"image": {"file": "b", "combine": "mean"}}, )" + rest), "/inputs/image/combine", "\"files\""},
        {job(R"("inputs": {"image": {"file": "b", "page": -1}}, )" + rest), "/inputs/image/page", "-1"},
        {job(R"("inputs": {"image": {"file": "b", "page": 1.5}}, )" + rest), "/inputs/image/page", "1.5"},
        {job(R"("inputs": {"image": {"file": "b", "page": 1, "pages": [0, 1]}}, )" + rest), "/inputs/image/pages", "beside"},
        {job(R"("inputs": {"image": {"file": "b", "pages": [3, 3]}}, )" + rest), "/inputs/image/pages/1", "at least 4"},
        {job(R"("inputs": {"image": {"file": "b", "volume": "x"}}, )" + rest), "/inputs/image/volume", "\"x\""},
        {job(R"("inputs": {"image": {"file": "b", "spacing_um": 0}}, )" + rest), "/inputs/image/spacing_um", "above 0"},
        {job(R"("inputs": {"image": {"file": "b", "spacing_um": 1, "spacing_mm": 1}}, )" + rest), "/inputs/image/spacing_mm",
         "beside"},
        {job(R"("inputs": {"image": {"file": "b", "raw": {"type": "u16"}}}, )" + rest), "/inputs/image/raw", "without \"axes\""},
        {job(R"("inputs": {"image": {"file": "b", "raw": {"type": "u17", "axes": "x", "shape": [3]}}}, )" + rest),
         "/inputs/image/raw/type", "did you mean \"u16\""},
        {job(R"("inputs": {"image": {"file": "b", "raw": {"type": "u16", "axes": "yy", "shape": [3, 3]}}}, )" + rest),
         "/inputs/image/raw/axes", "none twice"},
        {job(R"("inputs": {"image": {"file": "b", "raw": {"type": "u16", "axes": "yx", "shape": [3]}}}, )" + rest),
         "/inputs/image/raw/shape", "a list of 2 sizes"},
        {job(R"("inputs": {"image": {"file": "b", "raw": {"type": "u16", "axes": "yx", "shape": [3, 0]}}}, )" + rest),
         "/inputs/image/raw/shape/1", "at least 1"},
        {job(R"("device": {"prefer": [{"tpye": "gpu"}]}, )" + rest), "/device/prefer/0/tpye", "type"},
        {job(R"("device": 3, )" + rest), "/device", "3"},
        {job(R"("comment": 3, )" + rest), "/comment", "a string"},
        {job(R"("non_finite": "drop", )" + rest), "/non_finite", "propagate | reject | mask"},
        {job(R"("memory_limit": "lots", )" + rest), "/memory_limit", "512 MiB"},
        {job(R"("step_timeout_s": -1, )" + rest), "/step_timeout_s", "0 for no limit"},
        {job(R"("retry": "once", )" + rest), "/retry", "true or false"},
        {job(R"("memory_limit": 0, )" + rest), "/memory_limit", "the number 0"},
        {job(R"("for_each": {}, )" + rest), "/for_each", "no variable"},
        {job(R"("for_each": {"a": "x"}, "inputs": {"image": {"files": "{a}", "running": 3, "combine": "mean"}}, )" + rest),
         "/inputs/image/running", "beside \"files\""},
        {job(R"("for_each": {"a": {"pages": "x"}, "b": {"pages": "y"}},
            "inputs": {"image": {"files": ["{a}", "{b}"], "combine": "mean"}}, )" + rest),
         "/inputs/image/files", "\"{b}\" beside \"{a}\""},
        {job(R"("for_each": {"a": {"volumes": "x"}}, "inputs": {"image": {"files": ["y", "{a}"], "combine": "mean"}}, )" + rest),
         "/inputs/image/files", "\"y\" beside \"{a}\", a volume of a file"},
        {job(R"("for_each": {"a": {"pages": "x"}}, "inputs": {"image": {"file": "{a}", "page": 7}}, )" + rest),
         "/inputs/image/page", "which is a page already"},
        {job(R"("for_each": {"a": {"pages": "x"}}, "inputs": {"image": {"file": "{a}", "pages": [0, 2]}}, )" + rest),
         "/inputs/image/pages", "which is a page already"},
        {job(R"("for_each": {"a": {"pages": "x"}}, "inputs": {"image": {"file": "{a}", "volume": 1}}, )" + rest),
         "/inputs/image/volume", "which is a page already"},
        {job(R"("for_each": {"a": {"volumes": "x"}}, "inputs": {"image": {"file": "{a}", "volume": 1}}, )" + rest),
         "/inputs/image/volume", "which is a volume already"},
        {job(R"("for_each": {"a": {"pages": "x", "page_axis": "t"}}, "inputs": {"image": {"file": "{a}", "page_axis": "z"}}, )" + rest),
         "/inputs/image/page_axis", "where for_each says \"t\""},
        {job(R"("for_each": {"a": {"files": "x", "range": [3, 3]}}, )" + rest), "/for_each/a/range/1", "at least 4"},
        {job(R"("for_each": {"a": {"files": "x", "page_axis": "z"}}, )" + rest), "/for_each/a/page_axis", "beside \"pages\""},
        {job(R"("for_each": {"frame": "x"}, )" + steps + R"(, "outputs": {"image": "b.npy"})"), "/outputs/image", "{frame.stem}"},
        {job(R"("for_each": {"frame": "x"}, )" + steps +
             R"(, "outputs": {"image": {"file": "{frame.stem}.npy", "combine": "mean"}})"),
         "/outputs/image", "a plain path"},
        {job(R"("for_each": {"frame": "x"}, )" + steps + R"(, "outputs": {"image": "{frame}.npy"})"), "/outputs/image",
         "frame.stem"},
        {job(steps + R"(, "outputs": {"image": {"file": "b.npy", "combine": "mean"}})"), "/outputs/image/combine",
         "without for_each"},
        {job(R"("for_each": {"a": "x", "on_error": "ignore"}, )" + rest), "/for_each/on_error", "stop | continue"},
        {job(R"("for_each": {"a": {"pgaes": "x"}}, )" + rest), "/for_each/a/pgaes", "did you mean \"pages\""},
        {job(R"("for_each": {"frame": "x"}, )" + steps + R"(, "outputs": {"image": "{frame.step}.npy"})"), "/outputs/image",
         "did you mean \"frame.stem\""},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.text));
        const auto error = error_of<ConfigError>([&] { parse(row.text); });
        CAPTURE(std::string(error.what()));
        CHECK(error.pointer == row.pointer);
        CHECK(contains(error.what(), row.fragment));
    }
}

TEST_CASE("job: text that is no JSON says where") {
    struct Row { const char* text; const char* fragment; };
    const Row rows[] = {
        {"", "line 1, column 1"},
        {"{\n  \"a\": 1,\n}", "line 3, column 1"},
        {"{\"a\": nan}", "line 1, column"},
        {"{\"a\": 1} x", "line 1, column 10"},
        {"{\"a\": 1e999}", "no JSON in test"},
        {"{\"a\": \"\xff\"}", "line 1, column"},
        {"{\"a\": 1, \"b\": {\"a\": 2}, \"a\": 3}", "the key \"a\" twice"},
        {"// comment\n{}", "line 1, column 1"},
        {"{\"id\": \"\\ud800\"}", "half of a pair"},
        {"{\"id\": \"a\\uDBFFb\"}", "half of a pair"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.text));
        const auto error = error_of<ConfigError>([&] { parse_json(row.text, "test"); });
        CAPTURE(std::string(error.what()));
        CHECK(contains(error.what(), row.fragment));
    }
    CHECK(contains(error_of<ConfigError>([] { parse_json(std::string(100000, '['), "test"); }).what(), "nested too deep"));
    std::string many = "[0";
    for (int i = 0; i < 2'000'000; ++i) many += ",0";
    CHECK(contains(error_of<ConfigError>([&] { parse_json(many + "]", "test"); }).what(), "more than 2000000 values"));
    const std::string blanks(std::size_t{2} << 20, '\n');
    CHECK(contains(error_of<ConfigError>([&] { parse_json("{" + blanks, "test"); }).what(), "more than 1048576 blanks in a row"));
    CHECK(parse_json("[1," + blanks.substr(0, 1 << 20) + "2]", "test") == Json({1, 2}));
}

TEST_CASE("--set: reaches parameters, nested ones and the job itself; another unit gives way") {
    const std::string text = job(
        R"("inputs": {"image": "a.tif"}, "steps": [{"id": "soft", "run": "blur", "width_nm": 500}],
            "outputs": {"image": "b.npy"})");
    Json j = parse_json(text, "test");
    apply_setting(j, "soft.radius=7", algorithms);
    apply_setting(j, "soft.width_um=3", algorithms);
    apply_setting(j, "non_finite=mask", algorithms);
    apply_setting(j, "retry=false", algorithms);
    apply_setting(j, "step_timeout_s=2.5", algorithms);
    const Job parsed = parse_job(j, algorithms);
    CHECK(parsed.steps[0].parameters.as<BlurParameters>().radius == 7);
    CHECK(parsed.steps[0].parameters.as<BlurParameters>().width == 3e-6);
    CHECK(parsed.non_finite == NonFinite::mask);
    CHECK_FALSE(parsed.retry);
    CHECK(parsed.limits.step_timeout_s == 2.5);

    struct Row { const char* setting; const char* fragment; };
    for (const Row& row : {Row{"sotf.radius=1", "did you mean \"soft\""}, Row{"soft.raduis=1", "did you mean \"radius\""},
                           Row{"soft.width=1", "width_um"}, Row{"radius", "step.key=value"},
                           Row{"non_finit=mask", "did you mean \"non_finite\""}, Row{"=3", "step.key=value"},
                           Row{"soft.radius={\"x\": 1, \"x\": 5}", "the key \"x\" twice"}}) {
        CAPTURE(std::string(row.setting));
        const auto error = error_of<ConfigError>([&] { apply_setting(j, row.setting, algorithms); });
        CHECK(contains(error.what(), row.fragment));
    }
}

TEST_CASE("--in: replaces the file and keeps the options; new inputs must have a use") {
    Json j = parse_json(
        job(R"("inputs": {"image": {"files": "a/*", "combine": "mean", "page": 2}}, "steps": [{"run": "blur"}],
            "outputs": {"image": "b.npy"})"),
        "test");
    apply_input(j, "image=x.tif", algorithms);
    apply_input(j, "mask=data:m.tif", algorithms);
    const Job parsed = parse_job(j, algorithms);
    CHECK(parsed.inputs[0].files[0] == (fs::current_path() / "x.tif").generic_string());
    CHECK(parsed.inputs[0].read.pages->first == 2);
    CHECK(parsed.inputs[1].files[0] == "data:m.tif");
    CHECK(contains(error_of<ConfigError>([&] { apply_input(j, "imgae=x", algorithms); }).what(), "did you mean \"image\""));
    CHECK(contains(error_of<ConfigError>([&] { apply_input(j, "image", algorithms); }).what(), "name=file"));
    CHECK(contains(error_of<ConfigError>([&] { apply_input(j, "image=", algorithms); }).what(), "an empty path"));
}
