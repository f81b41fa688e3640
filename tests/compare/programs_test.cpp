// Programs that are no Parallax as devices of a study: Python's, by the worker of python/peers.
#include "jobs/support.hpp"
#include "parallax/lab.hpp"
#include "report/report.hpp"

#include <cstdlib>

using namespace parallax;
using namespace parallax::tests;

namespace {

const char* const study_of_blurs =
    R"({"parallax_study": 1, "title": "blurs", "devices": [{"backend": "native"}],
    "sampling": {"samples": 4, "rounds": 2, "budget_s": 0.2},
    "cases": [{"id": "sum", "inputs": {"array": {"make": "random", "type": "u16", "axes": "n", "shape": [1000]}},
               "steps": [{"run": "reduce"}], "variants": ["reference", "threaded"]},
              {"id": "blur", "inputs": {"image": {"make": "random", "type": "u16", "axes": "yx", "shape": [40, 50]}},
               "steps": [{"run": "box_filter", "radius": 2}]},
              {"id": "spectrum", "tolerance": 1e-5,
               "inputs": {"array": {"make": "random", "type": "c64", "axes": "yx", "shape": [16, 32]}},
               "steps": [{"run": "fft"}]}]})";

/// What libraries of pictures have.
const char* const study_of_pictures =
    R"({"parallax_study": 1, "title": "pictures", "devices": [{"backend": "native"}],
    "sampling": {"samples": 4, "rounds": 2, "budget_s": 0.2},
    "cases": [{"id": "levels", "tolerance": 1e-6, "inputs": {"image": {"make": "random", "type": "u8", "axes": "yx", "shape": [40, 50]}},
               "steps": [{"run": "equalize", "formula": "skimage"}]},
              {"id": "likeness", "tolerance": 1e-6,
               "inputs": {"image": {"make": "random", "type": "u8", "axes": "yx", "shape": [40, 50]},
                          "reference": {"make": "random", "seed": 2, "type": "u8", "axes": "yx", "shape": [40, 50]}},
               "steps": [{"run": "metrics"}]}]})";

/// python3 with these modules, or nothing.
bool has_python(const std::string& modules) {
    return std::system(("python3 -c 'import " + modules + "' > /dev/null 2>&1").c_str()) == 0;
}

const Json* row_of(const Json& report, const std::string& id, const std::string& label) {
    for (const Json& row : report["rows"]) {
        if (row["case"] == id && report["devices"][row["device"].get<std::size_t>()]["label"] == label) return &row;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("programs: a program that is none, or does not answer, is refused before anything is measured") {
    const TempFolder folder;
    write_text(folder / "study.json", study_of_blurs);
    for (const char* wrong :
         {"mine=true", "mine=no-such-program-there", "mine", "=true", "mine=echo '{\"error\": {\"message\": \"no card\"}}'"}) {
        CAPTURE(wrong);
        const Run run = run_program({"compare", "study.json", "--out", "out", "--quiet", "--worker", wrong}, folder.path());
        CHECK(run.status == 2);
        CHECK(contains(run.err, "--worker"));
    }
    const Run said = run_program({"compare", "study.json", "--out", "out", "--quiet", "--worker",
                                  "mine=sh -c 'echo Trace >&2; echo no card of mine >&2; exit 3'"},
                                 folder.path());
    CHECK(contains(said.err, "exit status 3; it said: no card of mine"));
}

TEST_CASE("programs: a row of one's own from Python is held against the reference and timed; what it cannot is refused") {
    if (!has_python("numpy")) {
        MESSAGE("python3 has no numpy here");
        return;
    }
    const auto peers = repository("python/peers");
    REQUIRE(peers);
    const TempFolder folder;
    write_text(folder / "study.json", study_of_blurs);
    write_text(folder / "mine.py", R"(
import sys
sys.path.insert(0, )" + Json(peers->string()).dump() +
                                       R"()
from worker import Refused, serve

def prepare(steps, inputs):
    run = steps[0]["run"]
    if run == "reduce":
        return "mine", lambda: {"value": {"value": int(inputs["array"].sum()), "count": inputs["array"].size}}
    if run == "box_filter":
        assert steps[0]["parameters"]["border"] == "reflect_101"   # defaults are said
        print("noise on standard output")
        return "wrong", lambda: {"image": inputs["image"]}
    raise Refused("no such thing here")

serve("my lab's computer", "1.0", prepare)
)");
    lab::CompareOptions options{{.program = std::getenv("PARALLAX_BIN")}};
    options.out = (folder / "out").string();
    options.programs = {{"mine", "python3 " + (folder / "mine.py").string()}};
    const Json report = Json::parse(lab::compare(read_text(folder / "study.json"), options));
    CHECK_NOTHROW(engine::compare::check_report(report, "out"));
    REQUIRE(report["rows"].size() == 3 + 4);   // one of the program's a case
    const Json& sum = *row_of(report, "sum", "mine");
    CAPTURE(sum.dump());
    CHECK(sum["outcome"] == "ok");
    CHECK(sum["way"] == "program");
    CHECK(sum["variant"] == "mine");
    CHECK(sum["agreement"]["exact"] == true);
    CHECK(sum["metrics"]["end_to_end_ms"] > 0);
    CHECK(sum["times"].contains("wall"));
    CHECK(row_of(report, "blur", "mine")->at("outcome") == "disagrees");
    CHECK(row_of(report, "blur", "mine")->at("times").empty());
    CHECK(row_of(report, "spectrum", "mine")->at("outcome") == "refused");
    CHECK(row_of(report, "spectrum", "mine")->at("reason") == "no such thing here");
    CHECK(report["devices"][1]["info"]["name"] == "my lab's computer");
    CHECK(report["devices"][1]["info"]["driver"] == "1.0");
    CHECK(contains(read_text(folder / "out/report.html"), "my lab's computer"));
}

TEST_CASE("programs: a row of one's own from C++ is held against the reference and timed; what it cannot is refused") {
    const fs::path mine = fs::path(std::getenv("PARALLAX_BIN")).parent_path() / "peer_snippet";
    REQUIRE(fs::exists(mine));
    const TempFolder folder;
    lab::CompareOptions options{{.program = std::getenv("PARALLAX_BIN")}};
    options.out = (folder / "out").string();
    options.programs = {{"mine", "'" + mine.string() + "'"}};
    Json study = Json::parse(study_of_blurs);
    study["sampling"].update({{"sustained_s", 0.5}, {"fresh_processes", true}});
    const Json report = Json::parse(lab::compare(study.dump(), options));
    const Json& sum = *row_of(report, "sum", "mine");
    CAPTURE(sum.dump());
    CHECK(sum["outcome"] == "ok");
    CHECK(sum["variant"] == "my_sum");
    CHECK(sum["agreement"]["exact"] == true);
    CHECK(sum["times"].contains("wall"));
    CHECK(sum["metrics"]["end_to_end_ms"] > 0);
    CHECK(sum["metrics"]["runs_a_second"] > 0);
    CHECK(sum["sustained"]["p999_s"] >= sum["sustained"]["median_s"]);
    CHECK(sum["samples"]["fresh_processes"] == true);
    for (const char* span : {"wall", "device"}) CHECK(sum["samples"][span].size() == 2);
    for (const char* part : {"wall", "upload", "run", "download"}) CHECK(sum["samples"]["end_to_end"][part].size() == 2);
    for (const char* id : {"blur", "spectrum"}) {
        CHECK(row_of(report, id, "mine")->at("outcome") == "refused");
        CHECK(row_of(report, id, "mine")->at("reason") == "only sums");
    }
    CHECK(report["devices"][1]["info"]["name"] == "my lab's sums");

    // Rows of two devices of one name could not be told apart.
    options.programs = {{report["devices"][0]["label"].get<std::string>(), "'" + mine.string() + "'"}};
    options.out = (folder / "again").string();
    CHECK(error_of<ConfigError>([&] { lab::compare(study.dump(), options); }).pointer == "--worker");
    write_text(folder / "study.json", study.dump());
    const std::string twice = "mine='" + mine.string() + "'";
    const Run run = run_program({"compare", "study.json", "--out", "twice", "--worker", twice, "--worker", twice}, folder.path());
    CHECK(run.status == 2);
    CHECK(contains(run.err, "\"mine\", which is the name of another device"));
    CHECK_FALSE(fs::exists(folder / "twice"));
}

TEST_CASE("programs: the libraries that people know agree with the reference where they are installed") {
    const auto peers = repository("python/peers");
    REQUIRE(peers);
    struct Library {
        std::string file, modules;
        bool pictures;
    };
    for (const Library& library :
         {Library{"scikit_image_peer.py", "skimage, scipy", true}, Library{"opencv_peer.py", "cv2", false},
          Library{"cupy_peer.py", "cupy; cupy.arange(3).sum()", false},
          Library{"cucim_peer.py", "cucim.skimage, cupy; cupy.arange(3).sum()", true}}) {
        CAPTURE(library.file);
        if (!has_python(library.modules)) {
            MESSAGE("python3 lacks what this needs: ", library.modules);
            continue;
        }
        const auto agrees = [&](const char* study, std::initializer_list<const char*> cases) {
            const TempFolder folder;
            write_text(folder / "study.json", study);
            const Run run = run_program({"compare", "study.json", "--out", "out", "--quiet", "--worker",
                                         "peer=python3 " + (*peers / library.file).string()},
                                        folder.path());
            CAPTURE(run.err);
            CHECK(run.status == 0);
            const Json report = Json::parse(read_text(folder / "out/report.json"));
            for (const char* id : cases) {
                CAPTURE(row_of(report, id, "peer")->dump());
                CHECK(row_of(report, id, "peer")->at("outcome") == "ok");
            }
        };
        agrees(study_of_blurs, {"blur", "spectrum"});
        if (library.pictures) agrees(study_of_pictures, {"levels", "likeness"});
    }
}
