// A study in so many minutes, the oracle of large inputs, and caches that are cold.
#include "compare/budget.hpp"
#include "compare/compare.hpp"
#include "jobs/support.hpp"
#include "parallax/lab.hpp"
#include "report/report.hpp"

#include <chrono>
#include <cstdlib>

using namespace parallax;
using namespace parallax::engine::compare;
using namespace parallax::tests;

namespace {

std::string program_of_tests() {
    const char* const bin = std::getenv("PARALLAX_BIN");
    REQUIRE(bin != nullptr);
    return fs::absolute(bin).string();
}

/// The reference of the first case takes minutes, the second microseconds.
const char* const heavy_and_light = R"({"parallax_study": 1, "title": "heavy and light", "devices": [{"backend": "native"}],
    "sampling": {"samples": 5, "rounds": 2, "sustained_s": 5},
    "cases": [{"id": "heavy", "reference": "reference",
               "inputs": {"image": {"make": "blocks", "type": "u8", "axes": "yx", "shape": [1024, 1024]}},
               "steps": [{"run": "diffusion_lb", "iterations": 5000}], "variants": ["threaded"]},
              {"id": "light", "inputs": {"array": {"make": "random", "type": "u32", "axes": "n", "shape": [1000]}},
               "steps": [{"run": "reduce"}]}]})";

Json run_in(const TempFolder& folder, const std::string& study, double minutes) {
    lab::CompareOptions options{{.program = program_of_tests()}};
    options.out = (folder / "out").string();
    options.overwrite = true;
    options.minutes = minutes;
    return Json::parse(lab::compare(study, options));
}

}  // namespace

TEST_CASE("budget: a point's share is what is left by how many are left, and nothing is limited without minutes") {
    Budget none(0);
    CHECK_FALSE(none.limited());
    CHECK(none.begin_point(3));
    CHECK(none.limit_s(7) == 7);
    CHECK(none.sampling(Sampling{}, 4, 2).budget_s == Sampling{}.budget_s);
    none.leave_out("x");
    CHECK(none.to_json().is_null());

    Budget minute(1);
    CHECK(minute.begin_point(6));
    CHECK(minute.point_seconds() == doctest::Approx(10).epsilon(0.1));
    CHECK(minute.limit_s(120) <= 10);
    CHECK(minute.limit_s(0.5) == 0.5);
    Sampling asked;
    asked.sustained_s = 600;
    const Sampling given = minute.sampling(asked, 5, 1);
    CHECK(given.budget_s <= 1);
    CHECK(given.sustained_s == 0);
    minute.leave_out("x");
    minute.leave_out("x");
    for (const char* what : {"a", "b", "a"}) minute.leave_out(what, "for which no time was left");
    minute.leave_out("y");
    CHECK(minute.to_json()["left_out"] == Json({"x", "a, b, for which no time was left", "y"}));
    // Of ten rounds in fresh processes this point's time is for one.
    asked.fresh_processes = true;
    asked.rounds = 10;
    asked.budget_s = 100;
    CHECK(minute.sampling(asked, 5, 1).budget_s == doctest::Approx(10 * minute.point_seconds() / 5 / 2).epsilon(0.1));
    // Further rounds take a third of a first one, but what a point needs comes first.
    CHECK(minute.begin_point(6, 18));
    CHECK(minute.point_seconds() == doctest::Approx(5).epsilon(0.1));
    CHECK(minute.begin_point(3, 3));
    CHECK(minute.point_seconds() == doctest::Approx(15).epsilon(0.1));
    CHECK(minute.begin_point(60, 600));
    CHECK(minute.point_seconds() == doctest::Approx(1).epsilon(0.1));
    CHECK(minute.begin_round(6));
    CHECK(minute.point_seconds() == doctest::Approx(10).epsilon(0.1));
    CHECK(minute.begin_round(600));
    CHECK(minute.point_seconds() == doctest::Approx(1).epsilon(0.1));
    Budget nothing(1e-9);
    CHECK_FALSE(nothing.begin_point(1));
    CHECK_FALSE(nothing.begin_round(1));
    CHECK(nothing.over());
    CHECK_FALSE(none.over());
}

TEST_CASE("budget: minutes are counted from the call, with what opening the devices takes and what the report needs") {
    const auto ago = [](double seconds) {
        return Budget::Clock::now() - std::chrono::duration_cast<Budget::Clock::duration>(std::chrono::duration<double>(seconds));
    };
    CHECK(Budget(5).opening_s(3) == doctest::Approx(49.5).epsilon(0.01));   // half of what three seconds of a report leave
    CHECK(Budget(0.1).opening_s(1) == doctest::Approx(2.94).epsilon(0.02));
    Budget late(5, ago(280));
    CHECK(late.begin_point(1));
    CHECK(late.point_seconds() == doctest::Approx(17).epsilon(0.05));
    CHECK(late.to_json()["took_s"].get<double>() == doctest::Approx(280).epsilon(0.01));
    CHECK_FALSE(late.over());
    CHECK(Budget(5, ago(298)).over());
    CHECK_FALSE(Budget(5, ago(298)).begin_round(1));
}

TEST_CASE("budget: minutes that nobody can wait are refused, by the command and by the library") {
    const TempFolder folder;
    for (const char* minutes : {"0", "-1", "nan", "inf", "1e9", "10081"}) {
        CAPTURE(minutes);
        const Run run = run_program({"compare", "buy", "--minutes", minutes, "--out", "out"}, folder.path());
        CHECK(run.status == 2);
        CHECK(contains(run.err, "--minutes"));
        CHECK(contains(run.err, "more than 0 and at most 10080, a week"));
        CHECK_FALSE(fs::exists(folder / "out"));
        if (std::string(minutes) == "0") continue;   // of the library: no limit
        lab::CompareOptions options{{.program = program_of_tests()}};
        options.out = (folder / "out").string();
        options.minutes = std::strtod(minutes, nullptr);
        CHECK(error_of<ConfigError>([&] { lab::compare(heavy_and_light, options); }).pointer == "--minutes");
    }
}

TEST_CASE("budget: what takes too long is left out and said, the rest is measured, and the time is kept") {
    const TempFolder folder;
    const auto began = std::chrono::steady_clock::now();
    const Json report = run_in(folder, heavy_and_light, 0.1);
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));   // six, on a machine that does other things, too
    REQUIRE(report["rows"].size() == 2);
    CHECK(report["rows"][0]["case"] == "heavy");   // in the study's order, although it came again after the other
    for (const Json& row : report["rows"]) {
        CAPTURE(row.dump());
        CHECK(row["outcome"] == (row["case"] == "light" ? "ok" : "left out"));
    }
    CHECK(contains(report["summary"].back().get<std::string>(), " s of 0.1 minutes; left out:"));
    // Its reference, or, on a machine that does other things, what is measured after it, or nothing of it any more
    const std::string summary = report["summary"].back().get<std::string>();
    CHECK(contains(summary, "heavy"));
    CHECK((contains(summary, "did not end in its share of the time") || contains(summary, "for which no time was left")));
    CHECK(contains(summary, "runs without pause"));
    CHECK(contains(read_text(folder / "out/report.html"), "budget"));
    CHECK_NOTHROW(check_report(report, "budget"));
}

TEST_CASE(
    "compare: large inputs are held against the threaded reference where a study does not say, and rows tell which it was") {
    const TempFolder folder;
    const std::string study = R"({"parallax_study": 1, "title": "sums", "devices": [{"backend": "native"}],
        "sampling": {"samples": 2, "rounds": 1, "cold_cache": true},
        "cases": [{"id": "sum", "grid": {"n": [1000, 2000000]}, "variants": ["threaded"],
                   "inputs": {"array": {"make": "random", "type": "u32", "axes": "n", "shape": ["$n"]}},
                   "steps": [{"run": "reduce"}]}]})";
    const Json report = run_in(folder, study, 0);
    REQUIRE(report["rows"].size() == 2);
    CHECK(report["rows"][0]["reference"] == "reference");
    CHECK(report["rows"][1]["reference"] == "threaded");
    for (const Json& row : report["rows"]) CHECK(row["outcome"] == "ok");
    CHECK_FALSE(report["sessions"][0].contains("budget"));
}

TEST_CASE("compare: studies that come with the program are known by name") {
    const TempFolder folder;
    CHECK(Json::parse(lab::study("buy"))["title"] == "Which device to buy");
    CHECK(error_of<ConfigError>([] { lab::study("bui"); }).hint.find("buy") != std::string::npos);
    const Run wrong = run_program({"compare", "bui", "--out", "x"}, folder.path());
    CHECK(wrong.status == 2);
    CHECK(contains(wrong.err, "did you mean \"buy\"?"));
    CHECK(run_program({"compare", "buy", "--minutes", "0", "--out", "x"}, folder.path()).status == 2);
}
