// The program from outside: help, JSON for machines, every command.
#include "parallax/host/json.hpp"
#include "support.hpp"
#include "support/sanitizers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

using namespace parallax;
using namespace parallax::tests;

namespace {

Json json_of(const Run& run) {
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const Json json = Json::parse(run.out, nullptr, false);
    REQUIRE_FALSE(json.is_discarded());
    return json;
}

/// Simulates a bead and looks for it, small enough for the native device.
const Json small_job = Json::parse(R"({
    "parallax": 1, "comment": "a small one", "device": {"backend": "native"},
    "steps": [
        {"id": "simulate", "run": "hologram_simulate", "width": 64, "height": 48, "pixel_um": 2, "distance_um": 300, "count": 1},
        {"id": "recon", "run": "hologram", "wavelength_nm": 532, "pixel_um": 2, "distance_um": {"from": 200, "to": 400,
            "step": 50}, "autofocus": {"object": "amplitude"}, "planes": "best"}
    ],
    "outputs": {"hologram": {"file": "h.png", "window": [0, 2]}, "amplitude": "deep/a.tif", "focus": {"table": "f.csv"}}
})");

}  // namespace

TEST_CASE("help, version and slips of the command line") {
    const TempFolder folder;
    struct Row { std::vector<std::string> arguments; int status; const char* out; const char* err; };
    const Row rows[] = {
        {{"--help"}, 0, "Exit status", ""},
        {{"run", "--help"}, 0, "--set", ""},
        {{"--version"}, 0, "parallax 0", ""},
        {{}, 2, "", "one of the commands run"},
        {{"rnu"}, 2, "", "did you mean \"run\""},
        {{"run"}, 2, "", "JOB is required"},
        {{"run", "a.json", "b.json"}, 2, "", "b.json"},
        {{"devices", "--jsno"}, 2, "", "did you mean \"--json\""},
        {{"algorithms", "fftt"}, 2, "", "did you mean \"fft\""},
        {{"init", "holo"}, 2, "", "the name of an algorithm"},
        {{"info", "missing.png"}, 2, "", "no file"},
        {{"devices", "--explain", "missing.json"}, 2, "", "missing.json"},
        {{"devices", "--explain", "{\"tpye\": \"gpu\"}"}, 2, "", "did you mean \"type\""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.arguments.empty() ? "" : row.arguments.back());
        const Run run = run_program(row.arguments, folder.path());
        CAPTURE(run.err);
        CHECK(run.status == row.status);
        CHECK(contains(run.out, row.out));
        CHECK(contains(run.err, row.err));
        CHECK(run.out.empty() == (row.status != 0));
    }
    CHECK(folder.listing().empty());
}

TEST_CASE("an option is no value of the one before it") {
    const TempFolder folder, secret;
    io::write(secret / "secret.npy", ramp(8, 8));
    write_text(folder / "j.json", R"({"parallax": 1, "device": {"backend": "native"}, "inputs": {"image": ")" +
                                      (secret / "secret.npy").generic_string() +
                                      R"("}, "steps": [{"run": "box_filter", "radius": 1}], "outputs": {"image": "o.npy"}})");
    struct Row { std::vector<std::string> arguments; const char* option; const char* found; };
    const Row rows[] = {
        {{"run", "j.json", "--report", "--confined"}, "--report", "--confined"},
        {{"run", "j.json", "--manifest", "--confined"}, "--manifest", "--confined"},
        {{"run", "--out", "--confined", "j.json"}, "--out", "--confined"},
        {{"run", "j.json", "--trace", "--confined=true"}, "--trace", "--confined=true"},
        {{"run", "j.json", "--report", "--verbose"}, "--report", "--verbose"},
        {{"run", "j.json", "--set", "--out=b"}, "--set", "--out=b"},
        {{"info", "secret.npy", "--dataset", "--json"}, "--dataset", "--json"},
        {{"compare", "buy", "--note", "--quick", "--out", "b"}, "--note", "--quick"},
        {{"run", "j.json", "--report", "--confind"}, "--report", "--report=--confind"},
        {{"run", "j.json", "--manifest", "--confind=true"}, "--manifest", "--confind=true"},
        {{"run", "j.json", "--root", "=."}, "--root", "the root"},
        {{"run", "j.json", "--root", "a/b=."}, "--root", "the root"},
        {{"run", "j.json", "--root", "a:b=."}, "--root", "the root"},
        {{"run", "j.json", "--root", "a=."}, "--root", "the root"},
        {{"tune", "--root", "--list"}, "--root", "--list"},
        {{"tune", "--root", "garbage", "--list"}, "--root", "--from"},
    };
    for (const Row& row : rows) {
        CAPTURE(fmt::format("{}", fmt::join(row.arguments, " ")));
        const Run run = run_program(row.arguments, folder.path());
        CAPTURE(run.err);
        CHECK(run.status == 2);
        CHECK(contains(run.err, row.option));
        CHECK(contains(run.err, row.found));
        CHECK(folder.listing() == std::vector<std::string>{"j.json"});
    }
    const Run confined = run_program({"run", "j.json", "--report", "--confined"}, folder.path());
    CHECK(contains(confined.err, "--report=--confined"));
    CHECK(run_program({"run", "j.json", "--report=--confined"}, folder.path()).status == 0);   // which is meant
    CHECK(fs::exists(folder / "--confined"));
}

TEST_CASE("history: a name that no system takes is no report") {
    const TempFolder folder;
    const Run run = run_program({"history", std::string(70000, 'x'), "y"}, folder.path());
    CHECK(run.status == 2);
    CHECK(contains(run.err, "bytes in all"));
    CHECK(run.err.size() < 2000);
}

TEST_CASE("--idle without --watch is refused by its own name, whatever the job") {
    const TempFolder folder;
    write_text(folder / "job.json", R"({"parallax": 1, "inputs": {"image": "a.npy"}, "steps": [{"run": "crop"}],
        "outputs": {"image": "o.npy"}})");
    const Run refused = run_program({"run", "job.json", "--idle", "3"}, folder.path());
    CHECK(refused.status == 2);
    CHECK(contains(refused.err, "--idle without --watch"));
}

TEST_CASE("threads and the manifest of a series are refused for a job that is none") {
    const TempFolder folder;
    io::write(folder / "a.npy", ramp(5, 4));
    write_text(folder / "job.json", R"({"parallax": 1, "inputs": {"image": "a.npy"}, "steps": [{"run": "crop"}],
        "outputs": {"image": "o.npy"}})");
    for (const char* const option : {"--readers", "--writers", "--in-flight"}) {
        CAPTURE(std::string(option));
        const Run refused = run_program({"run", "job.json", "--device", "native", option, "2"}, folder.path());
        CHECK(refused.status == 2);
        CHECK(contains(refused.err, option));
        CHECK(contains(refused.err, "a job with for_each"));
        CHECK_FALSE(fs::exists(folder / "o.npy"));
    }
    for (const char* const command : {"run", "plan"}) {
        CAPTURE(std::string(command));
        const Run refused = run_program({command, "job.json", "--device", "native", "--manifest", "kept"}, folder.path());
        CHECK(refused.status == 2);
        CHECK(contains(refused.err, "found     --manifest\n  expected  a job with for_each"));
        CHECK_FALSE(fs::exists(folder / "o.npy"));
    }
}

TEST_CASE("--json is JSON") {
    const TempFolder folder;
    const Json devices = json_of(run_program({"devices", "--json"}, folder.path()));
    CHECK(devices["devices"].back()["backend"] == "native");
    const Json explained = json_of(run_program({"devices", "--json", "--explain", "native"}, folder.path()));
    CHECK(explained["chosen"] == devices["devices"].back()["index"]);
    CHECK(explained["devices"].size() == devices["devices"].size());
    for (const Json& verdict : explained["devices"]) CHECK_FALSE(verdict["reasons"].empty());
    const Json all = json_of(run_program({"algorithms", "--json"}, folder.path()));
    CHECK(all.size() >= 3);
    const Json one = json_of(run_program({"algorithms", "hologram", "--json"}, folder.path()));
    CHECK(one["name"] == "hologram");
    CHECK(one["parameters"][0]["key"] == "method");
    const Json schema = json_of(run_program({"schema"}, folder.path()));
    CHECK(schema["$defs"].contains("step_hologram"));
}

TEST_CASE("devices --explain: a rule that nothing meets is exit status 1 with a reason for each device") {
    const TempFolder folder;
    write_text(folder / "rules.json", R"({"// why": "a note", "prefer": [{"vendor": "no such vendor"}]})");
    const Run run = run_program({"devices", "--explain", "rules.json"}, folder.path());
    CHECK(run.status == 1);
    CHECK(contains(run.out, "not chosen"));
    CHECK(contains(run.out, "vendor is"));
    CHECK(contains(run.err, "no device meets the rules"));
}

TEST_CASE("without any OpenCL platform a job says what to install") {
    const TempFolder folder;
    Json job = small_job;
    job["device"] = {{"backend", "opencl"}};
    write_text(folder / "job.json", job.dump());
    const Run run = run_program({"run", "job.json"}, folder.path(), {"OCL_ICD_VENDORS=" + (folder / "none").string()});
    CAPTURE(run.err);
    CHECK(run.status == 1);
    CHECK(contains(run.err, "install"));
    CHECK(folder.listing() == std::vector<std::string>{"job.json"});
}

TEST_CASE("init: the job of every algorithm reads back, comments and all") {
    const TempFolder folder;
    HostArray hologram = ramp(16, 16);
    hologram.desc = hologram.desc.with_spacing('x', 1.4).with_spacing('y', 1.4).with_unit(
        "um");   // the pixel, which the job leaves to the file
    io::write(folder / "hologram.tif", hologram);
    for (const Json& algorithm : json_of(run_program({"algorithms", "--json"}, folder.path()))) {
        const std::string name = algorithm["name"];
        CAPTURE(name);
        const Run init = run_program({"init", name}, folder.path());
        const Json job = json_of(init);
        for (const Json& parameter : algorithm["parameters"]) {
            CHECK(job["steps"][0].contains("//" + parameter["key"].get<std::string>()));
            const Json& value = job["steps"][0][parameter["key"].get<std::string>()];
            const bool second_operand = name == "arithmetic" && parameter["key"] == "value";   // 0 is for one with `other`
            if (parameter["required"] == true || second_operand) CHECK_FALSE(value.is_null());
            else CHECK(value == parameter["default"]);
        }
        // With files of the names and endings that it has it runs.
        const TempFolder own;
        fs::copy_file(folder / "hologram.tif", own / "hologram.tif");
        const Json inputs = job.value("inputs", Json::object());
        for (const auto& [input, file] : inputs.items()) {
            if (input.starts_with("//") || input == "hologram") continue;
            const bool line = input == "keys" || (input == "array" && name != "fft");
            HostArray array = HostArray::make(
                line ? ArrayDesc::dense(ElementType::u32, {{'x', 100}})
                : name == "select"   // of a stack, by its default
                    ? ArrayDesc::dense(ElementType::u8, {{'z', 2}, {'y', 16}, {'x', 16}})
                    : ArrayDesc::dense(name == "fft" ? ElementType::c64 : ElementType::u8, {{'y', 16}, {'x', 16}}));
            std::memset(array.data(), 0, array.desc.dense_bytes());
            for (std::int64_t i = 0; i < 100; ++i) array.data()[i] = static_cast<std::byte>(i);
            io::write(own / file.get<std::string>(), array);
        }
        write_text(own / "job.json", init.out);
        const Run run = run_program({"run", "job.json", "--device", "native"}, own.path());
        CAPTURE(run.err);
        CHECK(run.status == 0);
        if (name == "hologram") CHECK(fs::exists(own / "amplitude.npy"));
    }
}

TEST_CASE("bytes behind a raw layout are told of, and files that two patterns find") {
    const TempFolder folder;
    write_text(folder / "r.bin", std::string(24, 'a'));
    Json layout{{"type", "u8"}, {"axes", "yx"}, {"shape", {4.0, 5}}};   // 4.0 is an integer, too
    const auto info = [&] { return run_program({"info", "r.bin", "--raw", layout.dump().c_str()}, folder.path()); };
    CHECK(contains(info().out, "4 of its 24 bytes lie behind the raw layout, which takes 20 from byte 0 on"));
    layout["offset"] = 4;
    CHECK(!contains(info().out, "warning"));
    layout = {{"type", "u8"}, {"axes", "tyx"}, {"shape", {2, 3, 4}}};
    CHECK(!contains(info().out, "warning"));
    layout["shape"] = {1, 3, 4};
    const auto run = [&](const Json& inputs) {
        const Json job{{"parallax", 1},
                       {"device", {{"backend", "native"}}},
                       {"inputs", inputs},
                       {"steps", {{{"run", "box_filter"}, {"radius", 1}}}},
                       {"outputs", {{"image", "out.npy"}}}};
        write_text(folder / "job.json", job.dump());
        const Run done = run_program({"run", "job.json", "--overwrite"}, folder.path());
        CHECK_MESSAGE(done.status == 0, done.err);
        return done.err;
    };
    CHECK(contains(run({{"image", {{"file", "r.bin"}, {"raw", layout}}}}), "input \"image\": 12 of its 24 bytes"));
    io::write(folder / "a.npy", floats(8, 8, {1}));
    io::write(folder / "b.npy", floats(8, 8, {2}));
    const auto mean_of = [&](const Json& files) { return run({{"image", {{"files", files}, {"combine", "mean"}}}}); };
    CHECK(contains(mean_of(Json::array({"?.npy", "b.npy"})), "b.npy comes more than once, and counts as often"));
    CHECK(!contains(mean_of("?.npy"), "more than once"));
}

TEST_CASE("info: of a channel a plain number is its number, as in a job, and one in quotation marks its name") {
    const TempFolder folder;
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'c', 4}, {'y', 1}, {'x', 1}}));
    for (int i = 0; i < 4; ++i) array.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
    array.metadata.channels = {"1", "0", "488", "A"};
    io::write(folder / "numbered.ome.tif", array);
    struct Row {
        const char* channel;
        int taken;
        bool told;
    };
    for (const Row& row : {Row{"1", 1, true}, Row{"\"1\"", 0, false}, Row{"0", 0, true}, Row{"\"0\"", 1, false}, Row{"2", 2, false},
                           Row{"488", 2, false}, Row{"\"488\"", 2, false}}) {
        CAPTURE(row.channel);
        const Json info = json_of(run_program({"info", "numbered.ome.tif", "--channel", row.channel, "--json"}, folder.path()));
        CHECK(info["range"]["min"] == row.taken);
        CHECK(contains(info["warnings"].dump(), "is taken for a number") == row.told);
    }
    CHECK(run_program({"info", "numbered.ome.tif", "--channel", "4"}, folder.path()).status == 1);
}

TEST_CASE("info: where channels are pages, one channel has the pages that are left") {
    const TempFolder folder;
    const auto pages_of_one = [&](const std::vector<ArrayDesc::Extent>& axes) {
        HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, axes));
        std::fill_n(array.data(), array.desc.dense_bytes(), std::byte{7});
        io::write(folder / "a.ome.tif", array, {.overwrite = true});
        return json_of(run_program({"info", "a.ome.tif", "--channel", "1", "--json"}, folder.path()))["pages"];
    };
    CHECK(pages_of_one({{'c', 3}, {'y', 5}, {'x', 7}}) == 1);
    CHECK(pages_of_one({{'t', 2}, {'c', 3}, {'y', 5}, {'x', 7}}) == 2);
    CHECK(pages_of_one({{'t', 2}, {'y', 5}, {'x', 7}, {'c', 3}}) == 2);
}

TEST_CASE("info: what a file holds") {
    const TempFolder folder;
    io::write(folder / "a.npy", floats(3, 2, {-1, 0, 5, 1, 1, 1}));
    const Json info = json_of(run_program({"info", "a.npy", "--json"}, folder.path()));
    CHECK(info["format"] == "npy");
    CHECK(info["type"] == "f32");
    CHECK(info["axes"][0]["size"] == 2);
    CHECK(info["range"]["min"] == -1.0);
    CHECK(info["range"]["max"] == 5.0);
    CHECK(contains(run_program({"info", "a.npy"}, folder.path()).out, "f32 2 x 3 (y, x)"));
    write_text(folder / "b.npy", read_text(folder / "a.npy").substr(0, 100));
    CHECK(run_program({"info", "b.npy"}, folder.path()).status == 1);
    // Of time nothing is claimed that the file does not say.
    HostArray film = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'t', 3}, {'y', 2}, {'x', 2}}));
    std::fill_n(film.as<std::uint8_t>(), 12, std::uint8_t{1});
    for (const double interval : {0.0, 1.0, 0.25}) {
        film.desc = film.desc.with_spacing('t', interval);
        io::write(folder / "film.tif", film, {.overwrite = true});
        CHECK(contains(run_program({"info", "film.tif"}, folder.path()).out,
                       interval > 0 ? fmt::format("spacing  t {} s, y 1, x 1 pixels", interval) : "spacing  t not said, y 1, x 1 pixels"));
        const Json step = json_of(run_program({"info", "film.tif", "--json"}, folder.path()))["axes"][0]["spacing"];
        CHECK(step == (interval > 0 ? Json(interval) : Json()));
    }
}

TEST_CASE("run: outputs, summary, report; a second run needs --overwrite; the reported job repeats the run") {
    const TempFolder folder;
    write_text(folder / "job.json", small_job.dump());
    const Run first = run_program({"run", "job.json", "--out", "o", "--report", "r.json"}, folder.path());
    CAPTURE(first.err);
    REQUIRE(first.status == 0);
    CHECK(contains(first.err, "best_distance_um"));
    CHECK_FALSE(contains(first.err, "\r"));   // no bar without a terminal
    CHECK(folder.listing() ==
          std::vector<std::string>{"job.json", "o", "o/deep", "o/deep/a.tif", "o/f.csv", "o/h.png", "r.json"});
    CHECK(read_text(folder / "o/f.csv").starts_with("metric,object,"));

    const Json report = Json::parse(read_text(folder / "r.json"));
    CHECK(contains(report["engine"]["version"].get<std::string>(), "."));
    CHECK(report["device"]["backend"] == "native");
    CHECK_FALSE(report["device"]["driver"].get<std::string>().empty());
    CHECK(report["job"]["steps"][1]["refractive_index"] == 1.0);
    CHECK(report["job"]["steps"][1]["distance_um"].size() == 5);
    CHECK(report["steps"][1]["variant"] == report["job"]["steps"][1]["variant"]);
    CHECK_FALSE(report["steps"][1]["refusals"].empty());   // those that need OpenCL
    CHECK(report["outputs"]["amplitude"]["xxh3_128"] == io::hash_file(folder / "o/deep/a.tif"));
    CHECK(report["records"]["focus"].contains("best_distance_um"));
    CHECK(report["wall_seconds"].get<double>() > 0);
    CHECK(report["peak_device_bytes"].get<std::uint64_t>() >= 64 * 48 * 4);
    std::vector<std::string> kinds;
    for (const Json& stage : report["stages"]) kinds.push_back(stage["kind"]);
    for (const char* kind : {"host", "kernel", "download"}) CHECK(std::find(kinds.begin(), kinds.end(), kind) != kinds.end());

    const Run again = run_program({"run", "job.json", "--out", "o"}, folder.path());
    CHECK(again.status == 2);
    CHECK(contains(again.err, "--overwrite"));
    CHECK(run_program({"run", "job.json", "--out", "o", "--overwrite", "--quiet"}, folder.path()).status == 0);

    write_text(folder / "repeat.json", report["job"].dump());
    const Json repeated = json_of(run_program({"run", "repeat.json", "--out", "p", "--json"}, folder.path()));
    for (const char* output : {"hologram", "amplitude", "focus"}) {
        CHECK(repeated["outputs"][output]["xxh3_128"] == report["outputs"][output]["xxh3_128"]);
    }
    CHECK(repeated["job"] == report["job"]);
}

TEST_CASE("a line feed in a name begins no line of a message") {
    const TempFolder folder;
    const std::string name = "a\nerror: all is lost\nb";
    Json job = {{"parallax", 1}, {"device", {{"backend", "native"}}}, {"inputs", {{"image", name + ".npy"}}},
                {"steps", {{{"run", "equalize"}}}}, {"outputs", {{"image", "o.npy"}}}};
    write_text(folder / "job.json", job.dump());
    write_text(folder / (name + ".txt"), "no image");
    write_text(folder / "step.json", R"({"parallax": 1, "steps": [{"run": "a\nerror: b"}]})");
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"run", "job.json"}, {"plan", "job.json"}, {"info", name + ".txt"}, {"info", name}, {"run", "step.json"}, {"run", name}}) {
        const Run run = run_program(arguments, folder.path());
        CAPTURE(run.err);
        CHECK(run.status != 0);
        CHECK(contains(run.err, "\\x0aerror: "));
        CHECK_FALSE(contains(run.err, "\nerror: "));
    }
}

TEST_CASE("run: files from the command line, hashed in the report") {
    const TempFolder folder, elsewhere;
    io::write(elsewhere / "x.png", ramp(16, 16));
    write_text(
        folder / "job.json",
        R"({"parallax": 1, "device": {"backend": "native"}, "inputs": {"hologram": {"file": "missing.png", "spacing_um": 3}},
        "steps": [{"run": "hologram", "wavelength_nm": 532}], "outputs": {"amplitude": "a.npy"}})");
    const Json report = json_of(run_program({"run", (folder / "job.json").string(), "--in", "hologram=x.png", "--set",
                                             "hologram.distance_mm=2", "--set", "hologram.padding=none", "--json"},
                                            elsewhere.path()));
    CHECK(report["inputs"]["hologram"]["files"][0]["xxh3_128"] == io::hash_file(elsewhere / "x.png"));
    CHECK(report["inputs"]["hologram"]["files"][0]["path"] == (elsewhere / "x.png").generic_string());
    CHECK(report["job"]["steps"][0]["distance_um"] == 2000);
    CHECK(report["job"]["steps"][0]["padding"] == "none");
    CHECK(fs::exists(elsewhere / "a.npy"));
}

TEST_CASE("run: several files become one, non-finite values are masked") {
    const TempFolder folder;
    io::write(folder / "h.npy", floats(8, 8, {1, 2, std::numeric_limits<float>::quiet_NaN()}));
    io::write(folder / "b1.npy", floats(8, 8, {}));
    io::write(folder / "b2.npy", floats(8, 8, {3}));
    const std::string job = R"({"parallax": 1, "device": {"backend": "native"}, "non_finite": "mask",
        "inputs": {"hologram": "h.npy", "background": {"files": "b?.npy", "combine": "mean"}},
        "steps": [{"run": "hologram", "wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000, "padding": "none"}],
            "outputs": {"amplitude": "a.npy"}})";
    write_text(folder / "job.json", job);
    const Json report = json_of(run_program({"run", "job.json", "--json"}, folder.path()));
    CHECK(report["inputs"]["background"]["files"].size() == 2);
    CHECK(report["inputs"]["background"]["array"] == "f32 8 x 8 (y, x)");
    CHECK(json_of(run_program({"info", "a.npy", "--json"}, folder.path()))["non_finite"] == 0);
}

TEST_CASE("run: what the data gives cause to tell is told with what to do, and recorded") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const TempFolder folder;
    io::write(folder / "share.npy", floats(8, 8, {.25f, .5f, .75f, 1}));
    io::write(folder / "holes.npy", floats(8, 8, {nan, 2, 3}));
    const auto run_on = [&](const std::string& file, const Json& step, const Json& outputs,
                            const Json& device = {{"backend", "native"}}) {
        const Json job{
            {"parallax", 1}, {"device", device}, {"inputs", {{"image", file}}}, {"steps", {step}}, {"outputs", outputs}};
        write_text(folder / "job.json", job.dump());
        const Run run = run_program({"run", "job.json", "--overwrite", "--report", "report.json"}, folder.path());
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        return std::pair(run.err, Json::parse(read_text(folder / "report.json")));
    };
    const Json to_bytes{{"id", "narrow"}, {"run", "convert"}, {"type", "u8"}, {"out", {{"image", "bytes"}}}};
    {
        const auto [err, report] = run_on("share.npy", to_bytes, {{"bytes", "b.png"}});
        CHECK(contains(err, "step \"narrow\": all finite numbers lie about 0 to 1"));
        CHECK(contains(err, "\"window\": {\"low\": 0, \"high\": 1}"));
        CHECK(contains(report["warnings"][0].get<std::string>(), "about 0 to 1"));
        CHECK(contains(report["steps"][0]["warnings"][0].get<std::string>(), "about 0 to 1"));
    }
    {
        Json windowed = to_bytes;
        windowed["window"] = {{"low", 0}, {"high", 1}};
        const auto [err, report] = run_on("share.npy", windowed, {{"bytes", "b.png"}});
        CHECK_FALSE(contains(err, "warning"));
        CHECK_FALSE(report.contains("warnings"));
    }
    {
        const Json twice{{"run", "arithmetic"}, {"op", "multiply"}, {"value", 2}, {"out", {{"image", "double"}}}};
        const auto [err, report] = run_on("holes.npy", twice, {{"double", "d.png"}});
        CHECK(contains(err, "output \"double\": 1 of 64 elements are NaN or infinite"));
        CHECK(contains(err, "non_finite"));
        CHECK(contains(report["outputs"]["double"]["warnings"][0].get<std::string>(), "1 of 64"));
    }
    {   // one hologram stays on one device, whatever was asked
        const auto [err, report] = run_on("share.npy", to_bytes, {{"bytes", "b.npy"}}, {{"use", {{{"backend", "native"}}}}});
        CHECK(contains(err, "\"use\" asks for several devices"));
        CHECK(contains(err, "for_each"));
        CHECK(report["warnings"].size() == 2);
    }
}

TEST_CASE("run: a .csv and a table have rows for each label, by name; lists that a table leaves out are named") {
    const TempFolder folder;
    io::write(folder / "atlas.npy", ramp(32, 32));
    write_text(folder / "job.json", R"({"parallax": 1, "device": {"backend": "native"}, "inputs": {"image": "atlas.npy"},
        "steps": [{"run": "box_count", "labels": {"7": "thalamus", "3": "putamen"}}],
        "outputs": {"counts": "c.csv", "short": {"of": "counts", "table": "t.csv"}, "all": {"of": "counts",
            "file": "c.json"}}})");
    const Run run = run_program({"run", "job.json", "--report", "r.json"}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const std::string table = read_text(folder / "t.csv"), csv = read_text(folder / "c.csv");
    CHECK(table.starts_with("dimensions,grid,count,unit,label,name,dimension,"));
    CHECK(std::count(table.begin(), table.end(), '\n') == 3);
    CHECK(contains(table, ",7,thalamus,"));
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 2 * 6);   // labels by levels
    CHECK(contains(csv, "levels.black"));
    CHECK(contains(run.err, "table    short: without the list levels"));
    CHECK(Json::parse(read_text(folder / "r.json"))["outputs"]["short"]["left_out"] == Json{"levels"});
}

TEST_CASE("plan: arrays and bytes, nothing written") {
    const TempFolder folder;
    write_text(folder / "job.json", small_job.dump());
    const Json plan = json_of(run_program({"plan", "job.json", "--json"}, folder.path()));
    CHECK(plan["arrays"].size() == 2);
    CHECK(plan["arrays"][0]["bytes"] == 64 * 48 * 4);
    CHECK(plan["upper_bound_bytes"] >= plan["array_bytes"]);
    CHECK(plan["steps"][1]["id"] == "recon");
    CHECK(contains(run_program({"plan", "job.json"}, folder.path()).out, "of device memory"));
    CHECK(folder.listing() == std::vector<std::string>{"job.json"});
}

TEST_CASE("what the host's memory cannot hold is refused before a byte is read; of a large file what is read is hashed") {
    const TempFolder folder;
    const std::uint64_t bytes = std::uint64_t{1} << 40;   // 1 TiB without a byte on the disk
    write_text(folder / "big.raw", "x");
    fs::resize_file(folder / "big.raw", bytes);
    const auto job = [&](const Json& shape, std::uint64_t offset) {
        write_text(
            folder / "job.json",
            Json{{"parallax", 1},
                 {"inputs",
                  {{"image",
                    {{"file", "big.raw"}, {"raw", {{"type", "f32"}, {"axes", "zyx"}, {"shape", shape}, {"offset", offset}}}}}}},
                 {"steps", Json::array({{{"run", "convert"}, {"type", "u16"}}})},
                 {"outputs", {{"image", "o.npy"}}}}
                .dump());
    };
    job({1000, 16384, 16384}, 0);
    for (const char* const command : {"plan", "run"}) {
        const Run refused = run_program({command, "job.json", "--device", "native"}, folder.path());
        CAPTURE(refused.err);
        CHECK(refused.status == 1);
        CHECK(contains(refused.err, "does not fit into the memory of the host"));
        // The arrays are 1.61 TB; with what the device may hold of them, which is a share of this machine's memory.
        const std::size_t takes = refused.err.find("it takes ");
        REQUIRE(takes != std::string::npos);
        CHECK(std::stod(refused.err.substr(takes + 9)) >= 1.61);
        CHECK(contains(refused.err, " TB at once"));
        CHECK(contains(refused.err, "are left"));
    }
    CHECK(folder.listing() == std::vector<std::string>{"big.raw", "job.json"});
    job({1, 64, 64}, bytes / 2);
    const Json plan = json_of(run_program({"plan", "job.json", "--json", "--device", "native"}, folder.path()));
    CHECK(plan["host_bytes"] >= 64 * 64 * 6);
    CHECK(plan["host_bytes"] <= 64 * 64 * 6 * 2 + 65536);
    const Run run = run_program({"run", "job.json", "--device", "native", "--report", "r.json"}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const Json file = Json::parse(read_text(folder / "r.json"))["inputs"]["image"]["files"][0];
    CHECK(file["hashed"] == Json({{"from", bytes / 2}, {"bytes", 64 * 64 * 4}}));
}

TEST_CASE("a full disk behind stdout is exit status 1") {
    if (!fs::exists("/dev/full")) {
        MESSAGE("SKIPPED: this system has no /dev/full");
        return;
    }
    const TempFolder folder;
    const Run run = run_program({"schema"}, folder.path(), {}, "/dev/full");
    CHECK(run.status == 1);
    CHECK(contains(run.err, "error: "));
}
