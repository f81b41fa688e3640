// Studies that run: workers that die, hang and are interrupted, reports that are made, merged and repeated.
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "cases/inputs.hpp"
#include "compare/replay.hpp"
#include "compare/small_study.hpp"
#include "core/tuning.hpp"
#include "io/file.hpp"
#include "jobs/support.hpp"
#include "parallax/host/enumerate.hpp"
#include "report/report.hpp"
#include "study/expand.hpp"
#include "study/study.hpp"
#include "workers/device_worker.hpp"

#include <fmt/format.h>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::compare;
using namespace parallax::tests;

namespace {

const Json& row_of(const Json& report, const std::string& way, int n) {
    for (const Json& row : report["rows"]) {
        if (row["way"] == way && row["grid"]["n"] == n) return row;
    }
    throw std::out_of_range("no row of " + way);
}

const Json& row_at(const Json& report, const std::string& way) {
    for (const Json& row : report["rows"]) {
        if (row["way"] == way) return row;
    }
    throw std::out_of_range("no row of " + way);
}

}   // namespace

TEST_CASE("compare: every row is held against the reference and timed; reports are made of report.json alone, byte for byte") {
    const TempFolder folder;
    const Ready ready(study_text(R"(["reference", "threaded"])"));
    const Json report = ready.run(options_in(folder));
    REQUIRE(report["rows"].size() == 4);
    for (const Json& row : report["rows"]) {
        CAPTURE(row.dump());
        CHECK(row["outcome"] == "ok");
        CHECK(row["agreement"]["exact"] == true);
        CHECK(row["samples"]["wall"].size() == 3);
        CHECK(row["samples"]["end_to_end"]["wall"].size() == 3);
        CHECK(row["times"]["wall"]["low"] <= row["times"]["wall"]["median"]);
        CHECK(row["metrics"]["rate"] > 0);
        CHECK(row["metrics"]["copy_share"] > 0);
    }
    const std::string best = report["summary"].at(0);   // what the device does best at the last point, and how long that takes
    CHECK(contains(best, "sum at n 1000: " + ready.devices[0].label));
    CHECK((contains(best, "(reference)") || contains(best, "(threaded)")));
    CHECK(folder.listing().size() >= 4);
    CHECK_FALSE(fs::exists(folder / "out/journal.jsonl"));
    CHECK(work_in(folder / "out").empty());
    CHECK(contains(read_text(folder / "out/report.csv"), "case,n,variant"));

    const std::string html = read_text(folder / "out/report.html");
    for (const char* outside : {"src=\"http", "href=\"http", "@import", "url(http"}) CHECK_FALSE(contains(html, outside));
    const Run again =
        run_program({"report", (folder / "out/report.json").string(), "--out", (folder / "again").string()}, folder.path());
    CHECK(again.status == 0);
    CHECK(read_text(folder / "again/report.html") == html);
    CHECK(read_text(folder / "again/report.json") == read_text(folder / "out/report.json"));
    CHECK(read_text(folder / "again/report.csv") == read_text(folder / "out/report.csv"));
    const Run twice =
        run_program({"report", (folder / "out/report.json").string(), "--out", (folder / "again").string()}, folder.path());
    CHECK(twice.status == 2);
    CHECK(contains(twice.err, "the existing report"));
    // Packed, as reports are kept, and cut off.
    const std::string json = read_text(folder / "out/report.json");
    io::GzWriter packed(folder / "report.json.gz");
    packed.write(json.data(), json.size());
    packed.close();
    const std::vector<std::string> words{"report", (folder / "report.json.gz").string(), "--overwrite", "--out",
                                         (folder / "again").string()};
    CHECK(run_program(words, folder.path()).status == 0);
    CHECK(read_text(folder / "again/report.html") == html);
    fs::resize_file(folder / "report.json.gz", fs::file_size(folder / "report.json.gz") / 2);
    const Run cut = run_program(words, folder.path());
    CHECK(cut.status == 1);
    CHECK(contains(cut.err, "report.json.gz"));
}

TEST_CASE("compare: each row says whose choice its policy was: the study's, a tuning file's, or the variant's own") {
    const TempFolder folder;
    write_text(
        folder / "study.json",
        R"({"parallax_study": 1, "title": "policies", "devices": [{"backend": "opencl"}], "sampling": {"samples": 2,
            "rounds": 1, "budget_s": 0.1},
        "cases": [{"id": "sum", "inputs": {"array": {"make": "random", "type": "u32", "axes": "n", "shape": [5000]}},
            "steps": [{"run": "reduce"}],
            "variants": ["grid_stride", {"label": "given", "variant": "grid_stride", "policy": {"loads": 2}}]}]})");
    const auto rows_with = [&](const fs::path& tuning) {
        fs::create_directories(tuning);
        const Run run = run_program({"compare", "study.json", "--out", "out", "--overwrite", "--quiet"}, folder.path(),
                                    {"PARALLAX_TUNING=" + tuning.string()});
        CAPTURE(run.err);
        REQUIRE(run.status <= 1);   // 1: this machine has no OpenCL
        return run.status == 0 ? Json::parse(read_text(folder / "out/report.json")) : Json();
    };
    const Json untuned = rows_with(folder / "none");
    if (untuned.is_null()) return;
    CHECK(untuned["rows"][0]["policy_from"] == "default");
    CHECK(row_at(untuned, "given")["policy_from"] == "given");
    CHECK(row_at(untuned, "given")["policy"]["loads"] == 2);

    const Json& info = untuned["devices"][0]["info"];
    const TunedPolicy entry{{info["backend"], info["name"], "", info["vendor"], info["platform"], info["type"]},
                            {"u32", "small"},
                            "grid_stride",
                            {{"loads", 8}},
                            false,
                            {{"date", "2026-11-21"}, {"driver", "1"}, {"gain", 2}}};
    fs::create_directories(folder / "tuned");
    write_text(folder / "tuned/reduce.json", TuningFile{"reduce", {entry}}.to_json().dump());
    const Json tuned = rows_with(folder / "tuned");
    CHECK(contains(row_at(tuned, "grid_stride")["policy_from"].get<std::string>(), "tuned on this device, 2026-11-21"));
    CHECK(row_at(tuned, "grid_stride")["policy"]["loads"] == 8);
    CHECK(row_at(tuned, "given")["policy_from"] == "given");
    const std::string csv = read_text(folder / "out/report.csv");
    CHECK(contains(csv, ",policy,policy_from,"));
    CHECK(contains(csv, "tuned on this device"));
    CHECK(contains(read_text(folder / "out/report.html"), "tuned on this device"));
}

TEST_CASE("compare: what a title holds cannot end the page's script") {
    Json report{{"study", {{"title", "</script><b>&"}, {"cases", Json::array()}}},
                {"rows", Json::array()},
                {"devices", Json::array()},
                {"sessions", Json::array()},
                {"summary", {"</script>"}}};
    const std::string html = html_of(report);
    CHECK(contains(html, "<title>&lt;/script&gt;&lt;b&gt;&amp;</title>"));
    std::size_t ends = 0;
    for (std::size_t at = html.find("</script>"); at != std::string::npos; at = html.find("</script>", at + 1)) ++ends;
    CHECK(ends == 3);
}

#if !defined(_WIN32)
TEST_CASE("compare: a worker that dies or hangs costs its row, and the rest goes on") {
    const TempFolder folder;
    Json json = study_text(R"(["reference", "threaded"])");
    json["sampling"]["limit_s"] = 1.5;
    const Ready ready(json);
    CompareOptions options = options_in(folder);
    // Between study and worker: of the reference at 100 the request is lost, at 1000 the worker loses its input and ends.
    const std::string prepare = R"("do":"prepare".*"variant":"reference".*)";
    options.worker = {
        "/bin/sh", "-c",
        "sed -u '/" + prepare + R"(-study\/0\//d; /)" + prepare + R"(-study\/1\//Q' | ')" + program() + "' worker"};
    const Json report = ready.run(options);
    REQUIRE(report["rows"].size() == 4);
    CHECK(row_of(report, "reference", 100)["outcome"] == "hung");
    CHECK(row_of(report, "reference", 1000)["outcome"] == "crashed");
    CHECK(contains(row_of(report, "reference", 1000)["reason"].get<std::string>(), "prepare"));
    CHECK(row_of(report, "threaded", 100)["outcome"] == "ok");
    CHECK(row_of(report, "threaded", 1000)["outcome"] == "ok");
    CHECK_FALSE(row_of(report, "reference", 100)["metrics"].contains("wall_ms"));
}

TEST_CASE("compare: a worker's death is told with the signal and its last words, and three losses end it") {
    const TempFolder folder;
    WorkerOptions options{{"/bin/sh", "-c", "read line; echo '{}'; read line; echo 'the driver gives up' >&2; kill -SEGV $$"},
                          {},
                          folder / "log",
                          {},
                          false};
    DeviceWorker worker(Json::object(), options);
    for (int i = 0; i < 3; ++i) {
        CHECK_FALSE(worker.given_up());
        const WorkerLost lost = error_of<WorkerLost>([&] { worker.ask({{"do", "sample"}}, 10); });
        CHECK(lost.outcome == "crashed");
        CHECK(contains(lost.what(), "signal 11"));
        CHECK(contains(lost.what(), "the driver gives up"));
    }
    CHECK(worker.given_up());
    CHECK(error_of<WorkerLost>([&] { worker.ask({{"do", "sample"}}, 10); }).outcome == "not run");
}
#endif

TEST_CASE("compare: a result that disagrees has no time") {
    const TempFolder folder;
    Json json = Json::parse(
        R"({"parallax_study": 1, "title": "wrong", "devices": [{"backend": "native"}], "sampling": {"samples": 2,
            "budget_s": 0.1},
        "cases": [{"id": "blur", "inputs": {"image": {"make": "random", "type": "f32", "axes": "yx", "shape": [8, 8]}},
            "steps": [{"run": "box_filter", "radius": 1}], "variants": [{"variant": "threaded", "label": "wider",
                "set": {"radius": 2}}, "threaded"]}]})");
    const Json report = Ready(json).run(options_in(folder));
    CHECK(report["rows"][0]["outcome"] == "disagrees");
    CHECK(contains(report["rows"][0]["reason"].get<std::string>(), "image"));
    CHECK(report["rows"][0]["times"].empty());
    CHECK_FALSE(report["rows"][0].contains("samples"));
    CHECK(report["rows"][1]["outcome"] == "ok");
}

TEST_CASE("compare: where a study asks for it each round is of a process of its own; interrupted, it goes on where it was") {
    const TempFolder folder;
    Json json = study_text(R"(["reference", "threaded"])", 8);
    json["sampling"].update({{"rounds", 4}, {"fresh_processes", true}});
    const Ready ready(json);
    CompareOptions options = options_in(folder);
    const std::string began = (folder / "began").string();
    options.worker = {"/bin/sh", "-c", "echo $$ >> \"$0\"; exec \"$@\"", began, program(), "worker"};
    bool third = false;
    options.progress = [&](const std::string& what, double done) {
        CHECK(done <= 1);
        third = third || contains(what, "process 3 of 4");
    };
    options.cancelled = [&] { return third; };
    CHECK_THROWS_AS(ready.run(options), CancelledError);
    const auto processes = [&] {
        std::set<std::string> all;
        std::istringstream lines(read_text(began));
        for (std::string line; std::getline(lines, line);) all.insert(line);
        return all.size();
    };
    const std::size_t before =
        processes();   // the reference's and three of the device's, the last of which may not have come far
    CHECK(before >= 3);
    CHECK(before <= 4);
    options.cancelled = nullptr;
    options.resume = true;
    const Json report = ready.run(options);
    CHECK(processes() == before + 1 + 3);   // begun again, and the third and fourth
    REQUIRE(report["rows"].size() == 4);
    for (const Json& row : report["rows"]) {
        CAPTURE(row.dump());
        CHECK(row["outcome"] == "ok");
        CHECK(row["agreement"]["exact"] == true);
        CHECK(row["samples"]["fresh_processes"] == true);
        CHECK(row["samples"]["wall"].size() == 4);
        CHECK(row["samples"]["end_to_end"]["wall"].size() == 4);
        CHECK(row["times"]["end_to_end"]["low"] <= row["times"]["end_to_end"]["median"]);
        CHECK(row["times"]["end_to_end"]["confidence"] == 0.875);   // of four processes
    }
    CHECK_NOTHROW(check_report(report, "fresh"));
    CHECK(change_of(report["rows"][0], report["rows"][0], true, Span::end_to_end).of_processes);
    CHECK(work_in(folder / "out").empty());
    json["sampling"]["rounds"] = json["sampling"]["samples"] = 101;
    CHECK(error_of<ConfigError>([&] { Ready again(json); }).pointer == "/sampling/rounds");
}

TEST_CASE("compare: a point's inputs lie on the disk until its last row has been measured, and no longer") {
    const TempFolder folder;
    Json json = study_text(R"(["threaded"])", 8);
    json["sampling"].update({{"rounds", 4}, {"fresh_processes", true}});
    CompareOptions options = options_in(folder);
    std::map<std::string, bool> there;   // when another row began
    options.progress = [&](const std::string& what, double) {
        there[what.substr(0, what.find('@')) + what.substr(std::min(what.find(", process"), what.size()))] =
            fs::exists(work_in(options.out) / "0/inputs/array.npy");
    };
    Ready(json).run(options);
    CHECK(there.at("sum/n=1000/threaded"));   // the first point comes again
    CHECK(there.at("sum/n=100/threaded, process 4 of 4"));
    CHECK(there.count("sum/n=1000/threaded, process 4 of 4") == 1);
    CHECK_FALSE(there["sum/n=1000/threaded, process 4 of 4"]);
    CHECK(there.at("sum/n=1000/threaded, process 3 of 4"));
    // Rows of which one run says it all are measured in no further process.
    json["sampling"]["budget_s"] = 1e-9;
    options.overwrite = true;
    there.clear();
    Ready(json).run(options);
    CHECK(there.at("sum/n=100/threaded"));
    CHECK(there.count("sum/n=1000/threaded") == 1);
    CHECK_FALSE(there["sum/n=1000/threaded"]);
    CHECK(there.count("sum/n=1000/threaded, process 2 of 4") == 0);
}

TEST_CASE("compare: a row that crashes in a later process has crashed, and one for which no time is left keeps what it had") {
    const TempFolder folder;
    Json json = study_text(R"(["threaded"])", 8);
    json["sampling"].update({{"rounds", 4}, {"fresh_processes", true}});
    json["cases"][0]["grid"]["n"] = {100};
    const Ready ready(json);
    CompareOptions options = options_in(folder);
    const std::string began = (folder / "began").string();
    // The third process is the device's second.
    options.worker = {"/bin/sh", "-c",      "echo $$ >> \"$0\"; [ $(wc -l < \"$0\") != 3 ] || exit 7; exec \"$@\"",
                      began,     program(), "worker"};
    const Json crashed = ready.run(options);
    CHECK(crashed["rows"][0]["outcome"] == "crashed");
    CHECK(crashed["rows"][0]["times"].empty());

    options = options_in(folder);
    options.overwrite = true;
    options.minutes = 0.2;
    json["sampling"]["rounds"] = json["sampling"]["samples"] = 100;
    const Json hurried = Ready(json).run(options);
    CAPTURE(hurried["summary"].dump());
    CHECK(hurried["rows"][0]["outcome"] == "ok");
    const std::size_t rounds = hurried["rows"][0]["samples"]["wall"].size();
    CHECK(rounds > 0);
    if (rounds < 100) CHECK(contains(hurried["summary"].back().get<std::string>(), "of 100 in fresh processes"));
}

TEST_CASE("compare: in so many minutes inputs that take too long are left out and told, and other points have their time") {
    const TempFolder folder;
    const Ready ready(study_text(R"(["threaded"])"));
    CompareOptions options = options_in(folder);
    options.minutes = 0.2;
    // Whoever makes the inputs of the first point sleeps before that.
    options.worker = {"/bin/sh", "-c",
                      "while IFS= read -r line; do case \"$line\" in *'\"make\"'*'\"shape\":[100]'*) sleep 100;; esac; "
                      "printf '%s\\n' \"$line\"; done | \"$0\" worker",
                      program()};
    const auto began = std::chrono::steady_clock::now();
    const Json report = ready.run(options);
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(60));
    CAPTURE(report["summary"].dump());
    REQUIRE(report["rows"].size() == 2);
    CHECK(row_of(report, "threaded", 1000)["outcome"] == "ok");
    const Json& slow = row_of(report, "threaded", 100);
    CHECK(slow["outcome"] == "left out");
    CHECK(contains(slow["reason"].get<std::string>(), "did not answer \"make\""));
    CHECK(contains(report["summary"].back().get<std::string>(), "sum/n=100, whose inputs did not end in its share of the time"));
}

TEST_CASE("compare: interrupted and resumed, no row is lost or run twice; another study's journal is refused") {
    const TempFolder folder;
    const Ready ready(study_text(R"(["reference", "threaded"])"));
    CompareOptions options = options_in(folder);
    std::set<std::string> first;
    options.progress = [&](const std::string& what, double) { first.insert(what); };
    options.cancelled = [&] { return first.count("sum/n=100/threaded@" + ready.devices[0].label) > 0; };
    CHECK_THROWS_AS(ready.run(options), Error);
    CHECK(folder.listing() == std::vector<std::string>{"out", "out/journal.jsonl"});
    const std::string journal = read_text(folder / "out/journal.jsonl");
    write_text(folder / "out/journal.jsonl", journal + R"({"row": {"id": "to)");   // torn by the end of the process

    options.cancelled = nullptr;
    CHECK(error_of<ConfigError>([&] { ready.run(options); }).pointer == "--out");
    options.resume = true;
    const Ready other(study_text(R"(["reference"])"));
    CHECK(error_of<ConfigError>([&] { other.run(options); }).pointer == "--resume");
    std::set<std::string> second;
    options.progress = [&](const std::string& what, double) { second.insert(what); };
    const Json report = ready.run(options);
    CHECK(report["rows"].size() == 4);
    CHECK(report["sessions"].size() == 2);
    CHECK(second.count("sum/n=100/reference@" + ready.devices[0].label) == 0);
    CHECK(second.count("sum/n=100/threaded@" + ready.devices[0].label) == 1);
    CHECK(report["rows"][0]["session"] == 0);
    CHECK(report["rows"][1]["session"] == 1);
}

TEST_CASE("compare: a stop ends a worker that is at work, at once") {
    const TempFolder folder;
    Json json = study_text(R"(["reference"])");
    json["sampling"]["sustained_s"] = 60;
    const Ready ready(json);
    CompareOptions options = options_in(folder);
    std::optional<std::chrono::steady_clock::time_point> began;
    options.progress = [&](const std::string& what, double) {
        if (what.find("without pause") != std::string::npos) began = std::chrono::steady_clock::now();
    };
    options.cancelled = [&] { return began && std::chrono::steady_clock::now() - *began > std::chrono::milliseconds(200); };
    try {
        ready.run(options);
        FAIL("it was not stopped");
    } catch (const CancelledError& error) {
        CHECK(std::string(error.what()).find("--resume") != std::string::npos);
    }
    REQUIRE(began);
    CHECK(std::chrono::steady_clock::now() - *began < std::chrono::seconds(10));
}

TEST_CASE("compare: a point that would take too long, by the one before, is left out and says so") {
    const TempFolder folder;
    Json json = study_text(R"(["reference"])");
    json["cases"][0]["grid"]["n"] = {100000, 100000000};
    json["cases"][0]["inputs"]["array"]["shape"] = {1000};   // the work is what is said of it
    json["sampling"]["row_limit_s"] = 1e-3;
    const Json report = Ready(json).run(options_in(folder));
    CHECK(row_of(report, "reference", 100000)["outcome"] == "ok");
    CHECK(row_of(report, "reference", 100000000)["outcome"] == "too long");
    CHECK(row_of(report, "reference", 100000000)["expected_s"].get<double>() > 1e-3);
}

TEST_CASE("compare: reports of two machines as one, the same study repeated, and what changed") {
    const TempFolder folder;
    const Ready ready(study_text(R"(["reference"])", 10));
    const Json report = ready.run(options_in(folder));
    const Json merged = merge({report, report}, {"a", "b"});
    CHECK(merged["devices"].size() == 2);
    CHECK(merged["devices"][0]["label"] != merged["devices"][1]["label"]);
    CHECK(merged["rows"].size() == 4);
    std::set<std::string> ids;
    for (const Json& row : merged["rows"]) {
        ids.insert(row["id"].get<std::string>());
        CHECK(row["metrics"].contains("copy_share"));   // of its own machine's copy
    }
    CHECK(ids.size() == 4);
    // A machine has one number for all of its devices, those too whose label nobody else has.
    Json more = report;
    more["devices"].push_back(more["devices"][0]);
    more["devices"][1]["label"] = "another";
    const Json three = merge({report, more, more}, {"a", "b", "c"});
    const std::string label = report["devices"][0]["label"].get<std::string>();
    std::vector<std::string> labels;
    for (const Json& device : three["devices"])
        labels.push_back(device["label"].get<std::string>() + device.value("machine", Json()).dump());
    CHECK(labels == std::vector<std::string>{label + "null", label + " (machine 2)2", "another2", label + " (machine 3)3",
                                             "another (machine 3)3"});
    CHECK_NOTHROW(check_report(three, "three"));
    // Of reports that are of several machines already, each is another one.
    const Json nested = merge({report, merged}, {"a", "b"});
    labels.clear();
    for (const Json& device : nested["devices"])
        labels.push_back(device["label"].get<std::string>() + device.value("machine", Json()).dump());
    CHECK(labels == std::vector<std::string>{label + "null", label + " (machine 2)2", label + " (machine 3)3"});
    CHECK_NOTHROW(check_report(nested, "nested"));
    Json other = report;
    other["study"]["cases"][0]["id"] = "different";
    CHECK(contains(error_of<ConfigError>([&] { merge({report, other}, {"a", "b"}); }).found, "different studies"));
    CHECK_THROWS_AS(check_report(Json{{"rows", 1}}, "x"), ConfigError);

    // What is no whole report is told with its place, before anything is computed.
    const auto refused_at = [&](const std::string& pointer, const Json& value) {
        Json torn = report;
        if (value.is_discarded())
            torn[Json::json_pointer(pointer.substr(0, pointer.rfind('/')))].erase(pointer.substr(pointer.rfind('/') + 1));
        else torn[Json::json_pointer(pointer)] = value;
        CAPTURE(pointer);
        CHECK(error_of<ConfigError>([&] { check_report(torn, "torn.json"); }).pointer == pointer);
    };
    const Json nothing(Json::value_t::discarded);
    refused_at("/parallax_comparison", 2);
    refused_at("/devices/0/info", nothing);
    refused_at("/sessions/0", "x");
    refused_at("/sessions/0/rates", nothing);
    refused_at("/rows/0/device", 7);
    refused_at("/rows/1/grid", "x");
    refused_at("/rows/1/work/items", nothing);
    refused_at("/rows/0/samples/wall", "x");
    refused_at("/rows/0/samples/wall/0/0", -1e-3);
    refused_at("/rows/0/samples/end_to_end", Json::array());
    refused_at("/study/cases/0/id", nothing);
    Json ragged = report;
    ragged["rows"][0]["samples"]["end_to_end"]["upload"] = Json::array();
    ragged["rows"][0]["samples"]["device"] = ragged["rows"][0]["samples"]["wall"] = {Json::array()};
    CHECK_NOTHROW(check_report(ragged, "ragged"));
    CHECK_FALSE(derive(ragged)["rows"][0]["metrics"].contains("host_ms"));
    // Nor is a study that this version cannot run.
    Json newer = report;
    newer["study"]["cases"][0]["steps"][0]["run"] = "reduces";
    newer["sessions"][0]["environment"]["engine"] = "9.9";
    write_text(folder / "newer.json", newer.dump());
    const Run unknown = run_program({"compare", "--replay", "newer.json", "--out", "never"}, folder.path());
    CHECK(unknown.status == 2);
    CHECK(contains(unknown.err, "/study/cases/0/steps/0/run in newer.json"));
    CHECK(contains(unknown.err, "the report is of Parallax 9.9"));
    CHECK_FALSE(fs::exists(folder / "never"));
    CHECK(contains(run_program({"compare", "--replay", "newer.jsn", "--out", "never"}, folder.path()).err,
                   "did you mean \"newer.json\"?"));
    CHECK(contains(run_program({"compare", "--replay", ".", "--out", "never"}, folder.path()).err, "no report in the folder"));

    const Run replay =
        run_program({"compare", "--replay", (folder / "out").string(), "--out", (folder / "later").string(), "--json", "--quiet"},
                    folder.path());
    CAPTURE(replay.err);
    const Json changes = Json::parse(replay.out);
    REQUIRE(changes.size() == 2);
    bool slower = false;   // by other work on the machine
    for (const Json& change : changes) {
        CHECK(change["verdict"] != "different result");
        slower = slower || change["verdict"] == "slower";
    }
    CHECK(replay.status == (slower ? 1 : 0));

    // A device that the report has no rows of is measured only by request.
    Json one = report;
    one["study"]["devices"] = Json::parse(R"([{"backend": "native"}, {"backend": "native", "label": "another"}])");
    write_text(folder / "one.json", one.dump());
    const auto devices_of_replay = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"compare", "--replay", "one.json", "--out", "one", "--quiet", "--overwrite"};
        words.insert(words.end(), more.begin(), more.end());
        run_program(words, folder.path());
        return Json::parse(read_text(folder / "one/report.json"))["devices"].size();
    };
    CHECK(devices_of_replay({}) == 1);
    CHECK(devices_of_replay({"--device", "native"}) == 2);

    // What stands beside --replay is heard or refused, and what has come to its end has nothing to be resumed.
    const auto beside = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"compare", "--replay", (folder / "out").string(), "--out", (folder / "beside").string(),
                                       "--quiet"};
        words.insert(words.end(), more.begin(), more.end());
        return run_program(words, folder.path());
    };
    CHECK(contains(beside({"--cold-cache"}).err, "it beside --replay"));
    CHECK(contains(beside({"--price", "nobody=1 EUR"}).err, "part of no device's name"));
    CHECK(beside({"--price", "native=7 EUR", "--overwrite"}).status <= 1);
    CHECK(Json::parse(read_text(folder / "beside/report.json"))["study"]["prices"]["native"] == "7 EUR");
    CHECK(contains(beside({"--resume"}).err, "a study that has come to its end"));

    Json wrong = report["rows"][0];
    wrong["records"]["value"]["value"] = 1;
    CHECK(change_of(report["rows"][0], wrong, true).verdict == "different result");
    wrong = report["rows"][0];
    wrong["outcome"] = "disagrees";
    CHECK(change_of(report["rows"][0], wrong, false).verdict == "different result");
    wrong["reason"] = "2 of 3 differ";
    CHECK(change_of(wrong, wrong, true).verdict == "same");
    CHECK(change_of(wrong, wrong, true).why == "disagrees both times: 2 of 3 differ");
    CHECK(change_of(report["rows"][0], report["rows"][0], true).verdict == "same");
    CHECK(change_of(report["rows"][0], report["rows"][0], true).why.empty());
    Json slow = report["rows"][0];
    for (const char* name : {"wall", "device"})
        for (Json& round : slow["samples"][name])
            for (Json& value : round) value = value.get<double>() * 2 + 1e-3;
    CHECK(change_of(report["rows"][0], slow, true).verdict == "slower");
    CHECK(change_of(slow, report["rows"][0], true).verdict == "faster");
}

TEST_CASE("compare: a job of one's own on every device, and what the command line refuses") {
    const TempFolder folder;
    io::write(folder / "in.png", ramp(32, 24));
    write_text(folder / "job.json", R"({"parallax": 1, "inputs": {"image": "in.png"},
        "steps": [{"id": "blur", "run": "box_filter", "radius": 2}, {"id": "spread", "run": "equalize",
            "in": {"image": "image"}, "out": {"image": "even"}}], "outputs": {"even": "even.png"}})");
    write_text(folder / "job.json", R"({"parallax": 1, "inputs": {"raw": "in.png"},
        "steps": [{"id": "blur", "run": "box_filter", "radius": 2, "in": {"image": "raw"}, "out": {"image": "smooth"}},
                  {"id": "spread", "run": "equalize", "in": {"image": "smooth"}, "out": {"image": "even"}}],
                      "outputs": {"even": "even.png"}})");
    const Run run = run_program({"compare", "--job", "job.json", "--out", "out", "--quiet", "--device", "native"}, folder.path());
    CAPTURE(run.err);
    CHECK(run.status == 0);
    const Json report = Json::parse(read_text(folder / "out/report.json"));
    REQUIRE(report["rows"].size() == 1);
    CHECK(report["rows"][0]["outcome"] == "ok");
    CHECK(report["rows"][0]["agreement"]["agrees"] == true);
    CHECK(report["rows"][0]["stages"].size() >= 2);

    // Of a series its first item; what outputs are called does not matter.
    write_text(folder / "series.json",
               R"({"parallax": 1, "for_each": {"frame": "*.png"}, "inputs": {"image": "{frame}"}, "steps": [{"run": "equalize"}],
        "outputs": {"final": {"of": "image", "file": "{frame.stem}-even.png"}}})");
    const Run series =
        run_program({"compare", "--job", "series.json", "--out", "series", "--quiet", "--device", "native"}, folder.path());
    CAPTURE(series.err);
    CHECK(series.status == 0);
    CHECK(Json::parse(read_text(folder / "series/report.json"))["rows"][0]["outcome"] == "ok");

    fs::rename(folder / "in.png", folder / "out.png");
    const Run missing =
        run_program({"compare", "--job", "job.json", "--out", "missing", "--device", "native", "--quiet"}, folder.path());
    CHECK(contains(missing.err, "1 refused with a reason"));
    CHECK(contains(missing.err, "no file in.png"));   // said where nothing was timed
    CHECK(run_program({"compare", "--job", "job.json", "--out", "out", "--device", "native"}, folder.path()).status ==
          2);   // the report is there
    CHECK(run_program({"compare", "--job", "job.json"}, folder.path()).status == 2);
    CHECK(run_program({"compare", "--out", "x"}, folder.path()).status == 2);
    CHECK(run_program({"report", "job.json", "--out", "x"}, folder.path()).status == 2);
}
