// Reports that are given away, and the collection of those that were: results/.
#include "jobs/support.hpp"
#include "job/load.hpp"
#include "report/collection.hpp"
#include "report/contribution.hpp"
#include "report/report.hpp"

#include <set>

using namespace parallax;
using namespace parallax::engine::compare;
using namespace parallax::tests;

namespace {

/// A report of a job with somebody's file, on a machine with a name.
Json private_report() {
    return Json::parse(R"({"parallax_comparison": 1, "quick": false,
        "study": {"title": "Ada's patients", "cases": [{"id": "job", "steps": [{"run": "reduce"}],
                  "inputs": {"scan": "/home/ada/Smith_John.tif", "other": {"file": "Smith.raw", "raw": {"type": "u8"}},
                             "made": {"make": "random"}, "public": "data:brain.nii"}}]},
        "devices": [{"label": "GPU of workhorse",
                     "info": {"name": "GPU", "backend": "opencl", "type": "gpu", "platform": "p", "driver": "1",
                     "uuid": "c9770d01-35e8", "pci": "0000:00:07.0", "serial": "123"}}],
        "sessions": [{"started": "2026-11-22T08:01:02Z", "rates": {"GPU of workhorse": {"copy_gbs": 100}},
                      "environment": {"processor": "CPU", "engine": "1", "user": "ada", "cwd": "/home/ada"},
                      "problems": {"x": "cannot open /dev/dri/card0 on workhorse"}}],
        "rows": [{"id": "job/chosen@GPU of workhorse", "case": "job", "grid": {}, "way": "chosen",
                  "device": 0, "session": 0, "outcome": "failed",
                  "reason": "no file C:\\Users\\ada\\x.tif at 3.5 GB/s", "work": {"scale": 1, "items": 0, "bytes": 0},
                  "hashes": {"a": "1"},
                  "pictures": {"scan": {"pixels": "AAAA"}}, "records": {"v": 1}, "kernels": [{"file": "x"}]}]})");
}

}  // namespace

TEST_CASE("contribution: nothing of whose machine it was, and all of how fast it is") {
    const Json given = contribution_of(private_report(), {"workhorse", "ada", "/home/ada", "root"});
    const std::string text = given.dump();
    CAPTURE(text);
    for (const char* gone : {"workhorse", "ada", "Smith", "home", "c9770d01", "0000:00", "123", "card0", "Users", "08:01",
                             "pixels", "hashes", "records", "kernels", "cwd"})
        CHECK_FALSE(contains(text, gone));
    CHECK(given["rows"][0]["reason"] == "no file (a path) at 3.5 GB/s");
    CHECK(given["sessions"][0]["started"] == "2026-11-22");
    CHECK(given["sessions"][0]["rates"]["GPU of (a name)"]["copy_gbs"] == 100);
    CHECK(given["study"]["cases"][0]["inputs"]["public"] == "data:brain.nii");
    CHECK(given["study"]["cases"][0]["inputs"]["made"]["make"] == "random");
    CHECK_NOTHROW(check_report(given, "given"));
    CHECK(contribution_of(given, {"workhorse"}) == given);
}

TEST_CASE("contribution: paths go whole, with blanks, dots and letters of any language in them") {
    for (const auto& [reason, given] :
         {std::pair<std::string, std::string>{"lost in /home/ada lovelace/my scans/x.so: said", "lost in (a path) said"},
          {"no file \"/home/ada/my own scan\" there", "no file \"(a path)\" there"},
          {"at /.config/ada/x, then", "at (a path), then"},
          {"at /\u00dcnal/x;", "at (a path);"},
          {"on \\\\server\\ada\\x.tif now", "on (a path) now"},
          {"/tmp/scan of ada.tif 3.5 GB/s", "(a path) of (a name).tif 3.5 GB/s"},
          {"12 GB/s and/or 1 / 2", "12 GB/s and/or 1 / 2"}}) {
        Json report = private_report();
        report["rows"][0]["reason"] = reason;
        CHECK(contribution_of(report, {"ada"})["rows"][0]["reason"] == given);
    }
}

TEST_CASE("contribution: of results that were made, bits and records stay, and the same study lies beside others") {
    Json report = private_report();
    report["study"]["cases"][0]["inputs"] = {{"made", {{"make", "random"}}}};
    report["rows"][0]["outcome"] = "ok";
    const Json given = contribution_of(report, {});
    CHECK(given["rows"][0]["hashes"]["a"] == "1");
    CHECK(cases_of(given) == cases_of(report));
    const TempFolder folder;
    write_contribution(report, folder / "a.json.gz", false);
    CHECK(engine::load_json(folder / "a.json.gz")["devices"].size() == 1);
    CHECK(error_of<ConfigError>([&] { write_contribution(report, folder / "a.json.gz", false); }).pointer == "--contribute");
    CHECK_NOTHROW(write_contribution(report, folder / "a.json.gz", true));
    CHECK(contains(how_to_contribute("a.json.gz"), "results/"));
}

TEST_CASE("results: every report in the collection keeps to the schema, holds nothing private, and is described") {
    const auto results = repository("results");
    REQUIRE(results);
    const std::string described = read_text(*results / "README.md");
    std::size_t reports = 0;
    for (const auto& entry : fs::recursive_directory_iterator(*results)) {
        if (!entry.is_regular_file() || entry.path().filename() == "README.md") continue;
        CAPTURE(entry.path().string());
        REQUIRE(entry.path().filename() == "report.json.gz");
        CHECK(fs::file_size(entry.path()) < 1000000);
        const Json report = engine::load_json(entry.path());
        CHECK_NOTHROW(check_report(report, "kept"));
        CHECK(contribution_of(report, {}) == report);
        CHECK(contains(described, entry.path().parent_path().lexically_relative(*results).generic_string()));
        CHECK_FALSE(derive(report)["summary"].empty());
        ++reports;
    }
    CHECK(reports >= 3);
}

TEST_CASE("results: one command makes an index and a page a study, with one's own report beside the others") {
    const TempFolder folder;
    Json one = private_report(), other = one;
    one["study"]["cases"][0]["inputs"] = other["study"]["cases"][0]["inputs"] = Json::object();
    one["study"]["title"] = "First: one";
    other["study"]["title"] = "Second";
    other["study"]["cases"][0]["steps"][0]["run"] = "scan";
    fs::create_directories(folder / "all/a");
    fs::create_directories(folder / "all/b/second");
    write_text(folder / "all/a/report.json", one.dump());
    write_text(folder / "all/b/second/report.json", other.dump());
    write_text(folder / "mine.json", one.dump());
    const Run run = run_program({"results", "all", "mine.json", "--out", "pages"}, folder.path());
    CAPTURE(run.err);
    CHECK(run.status == 0);
    CHECK(contains(run.out, "index.html"));
    const std::string index = read_text(folder / "pages/index.html");
    CHECK(contains(index, "first_one/report.html"));
    CHECK(contains(index, "second/report.html"));
    CHECK(engine::load_json(folder / "pages/first_one/report.json")["devices"].size() == 2);   // ours and theirs
    CHECK(run_program({"results", "all", "--out", "pages"}, folder.path()).status == 2);       // they are there
    CHECK(run_program({"results", "all", "--out", "pages", "--overwrite"}, folder.path()).status == 0);
    // Pages may lie among reports, and are none of them; a report that they are made of stays.
    fs::rename(folder / "pages", folder / "all/pages");
    CHECK(run_program({"results", "all", "--out", "all/pages", "--overwrite"}, folder.path()).status == 0);
    CHECK(engine::load_json(folder / "all/pages/first_one/report.json")["devices"].size() == 1);
    CHECK(contains(run_program({"results", "all", "--out", "all/../all", "--overwrite"}, folder.path()).err, "whose reports are read"));
    const Run over = run_program({"results", "all/b", "--out", "all/b/..", "--overwrite"}, folder.path());
    CHECK(over.status == 0);   // all/second
    fs::rename(folder / "all/b/second", folder / "own");
    fs::create_directories(folder / "one");
    fs::rename(folder / "own", folder / "one/second");
    const std::string precious = read_text(folder / "one/second/report.json");
    const Run lost = run_program({"results", "one/second/report.json", "--out", "one", "--overwrite"}, folder.path());
    CHECK(lost.status == 2);
    CHECK(contains(lost.err, "a report that is read"));
    CHECK(read_text(folder / "one/second/report.json") == precious);
    fs::create_directories(folder / "empty");
    const Run nothing = run_program({"results", "empty", "--out", "x"}, folder.path());
    CHECK(nothing.status == 2);
    CHECK(contains(nothing.err, "no report.json"));
    CHECK_FALSE(contains(nothing.err, "try"));
    fs::copy_file(folder / "mine.json", folder / "empty/mine.json");   // what --contribute wrote, under a name of its own
    CHECK(contains(run_program({"results", "empty", "--out", "x"}, folder.path()).err, "parallax results empty/mine.json"));
    CHECK(run_program({"results", "empty/mine.json", "--out", "x"}, folder.path()).status == 0);
}

TEST_CASE("results: a title may be of any length, and studies whose titles begin alike have folders of their own") {
    const TempFolder folder;
    for (const char* const name : {"a", "b"}) {
        Json report = private_report();
        report["study"]["cases"][0]["inputs"] = Json::object();
        report["study"]["cases"][0]["steps"][0]["run"] = name == std::string("a") ? "scan" : "sort";
        report["study"]["title"] = std::string(300, 'A') + name;
        fs::create_directories(folder / "all" / name);
        write_text(folder / "all" / name / "report.json", report.dump());
    }
    const Run run = run_program({"results", "all", "--out", "pages"}, folder.path());
    CAPTURE(run.err);
    CHECK(run.status == 0);
    CHECK(fs::exists(folder / "pages" / std::string(100, 'a') / "report.html"));
    CHECK(fs::exists(folder / "pages" / (std::string(100, 'a') + "_2") / "report.html"));
}

TEST_CASE("results: a file counts once, and what results made before is no machine's report") {
    const TempFolder folder;
    Json report = private_report();
    report["study"]["cases"][0]["inputs"] = Json::object();
    report["study"]["title"] = "Study";
    fs::create_directories(folder / "all/a");
    write_text(folder / "all/a/report.json", report.dump());
    const auto devices_in = [&](const std::string& pages) {
        return engine::load_json(folder / pages / "study/report.json")["devices"].size();
    };
    REQUIRE(run_program({"results", "all", "all/a", "all/a/report.json", "--out", "once"}, folder.path()).status == 0);
    CHECK(devices_in("once") == 1);
    // Pages that an earlier command left among the reports are told and left out; named by themselves they are refused.
    REQUIRE(run_program({"results", "all", "--out", "all/first"}, folder.path()).status == 0);
    const Json page = engine::load_json(folder / "all/first/study/report.json");
    CHECK(page["collected"] == 1);
    CHECK_NOTHROW(check_report(page, "a page"));
    const Run second = run_program({"results", "all", "--out", "all/second"}, folder.path());
    CHECK(second.status == 0);
    CHECK(contains(second.err, "study/report.json is left out"));
    CHECK(devices_in("all/second") == 1);
    const Run named = run_program({"results", "all/a", "all/first/study/report.json", "--out", "named"}, folder.path());
    CHECK(named.status == 2);
    CHECK(contains(named.err, "which parallax results made"));
    const Run alone = run_program({"results", "all/first", "--out", "alone"}, folder.path());
    CHECK(alone.status == 2);
    CHECK_FALSE(contains(alone.err, "is given by itself"));
    // Made anew where it lies it stays what it is; what somebody puts together counts.
    REQUIRE(run_program({"report", "all/first/study"}, folder.path()).status == 0);
    CHECK(engine::load_json(folder / "all/first/study/report.json").contains("collected"));
    REQUIRE(run_program({"report", "all/first/study", "all/a", "--out", "both"}, folder.path()).status == 0);
    CHECK(run_program({"results", "both", "--out", "of_both"}, folder.path()).status == 0);
    CHECK(devices_in("of_both") == 2);
}
