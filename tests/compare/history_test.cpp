// Regressions: what is injected is found, what is the same is called so, and a row tells since when.
#include "compare/history.hpp"

#include <cmath>
#include <cstdlib>
#include <random>

#include "compare/replay.hpp"
#include "jobs/support.hpp"
#include "parallax/lab.hpp"
#include "report/report.hpp"
#include "timing/statistics.hpp"

using namespace parallax;
using namespace parallax::engine::compare;
using namespace parallax::tests;

namespace {

/// Samples as devices give them: a long tail above, and rounds that differ a little.
Json simulated(std::mt19937_64& random, double seconds, double noise, double drift) {
    std::normal_distribution<double> normal;
    Json rounds = Json::array();
    for (int r = 0; r < 5; ++r) {
        const double level = seconds * std::exp(drift * normal(random));
        rounds.push_back(Json::array());
        for (int i = 0; i < 6; ++i) rounds.back().push_back(level * std::exp(noise * std::abs(normal(random))));
    }
    return rounds;
}

/// Rows of one device, of which every one takes a millisecond `times` over.
Json night(std::mt19937_64& random, int rows, double times, const std::string& driver = "1", double noise = 0.01,
           double drift = 0.002) {
    Json report{
        {"parallax_comparison", 1},
        {"study", {{"title", "nightly"}, {"cases", Json::array({{{"id", "sum"}}})}}},
        {"devices",
         Json::array(
             {{{"label", "A"},
               {"info", {{"name", "A"}, {"backend", "opencl"}, {"type", "gpu"}, {"platform", "p"}, {"driver", driver}}}}})},
        {"sessions",
         Json::array(
             {{{"started", "2026-11-22"}, {"rates", Json::object()}, {"environment", {{"engine", "1"}, {"revision", "a"}}}}})},
        {"rows", Json::array()}};
    for (int i = 0; i < rows; ++i)
        report["rows"].push_back(
            {{"id", "sum/n=" + std::to_string(i) + "/fused@A"},
             {"case", "sum"},
             {"grid", {{"n", i}}},
             {"way", "fused"},
             {"device", 0},
             {"session", 0},
             {"outcome", "ok"},
             {"agreement", {{"exact", true}}},
             {"hashes", {{"value", "bits"}}},
             {"work", {{"scale", 1}, {"items", 0}, {"bytes", 0}}},
             {"samples", {{"device", simulated(random, 1e-3 * times, noise, drift)}, {"wall", Json::array()}}}});
    return report;
}

int count(const Json& history, const std::string& verdict) {
    int found = 0;
    for (const Json& row : history["rows"]) found += row["verdict"] == verdict;
    return found;
}

Json history(const std::vector<Json>& reports) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < reports.size(); ++i) names.push_back(std::to_string(i));
    return history_of(reports, names);
}

}  // namespace

TEST_CASE(
    "history: a slowdown of a twentieth is found, and equal nights are called the same, in 95% of the rows of a quiet machine") {
    std::mt19937_64 random(1);
    constexpr int rows = 200;
    const Json first = night(random, rows, 1);
    CHECK(count(history({first, night(random, rows, 1)}), "same") >= rows * 95 / 100);
    CHECK(count(history({first, night(random, rows, 1.05)}), "slower") >= rows * 95 / 100);
    CHECK(count(history({first, night(random, rows, 1 / 1.05)}), "faster") >= rows * 95 / 100);
    std::vector<Json> week{first};
    for (int i = 0; i < 6; ++i) week.push_back(night(random, rows, 1));
    CHECK(count(history(week), "same") >= rows * 95 / 100);
    week.back() = night(random, rows, 1.05);
    CHECK(count(history(week), "slower") >= rows * 95 / 100);
}

TEST_CASE("history: rows of fresh processes are held against what those differ by") {
    std::mt19937_64 random(20261125);
    constexpr int rows = 200;
    const auto fresh = [&](double times) {
        Json report = night(random, rows, times);
        for (Json& row : report["rows"]) {
            row["samples"]["fresh_processes"] = true;
            row["samples"]["device"] = Json::array();
            for (int half = 0; half < 2; ++half)   // ten of them, which differ by 1.5%
                for (Json& round : simulated(random, 1e-3 * times, 0.01, 0.015)) row["samples"]["device"].push_back(round);
        }
        return report;
    };
    const Json first = fresh(1);
    CHECK(count(history({first, fresh(1)}), "same") >= rows * 95 / 100);
    CHECK(count(history({first, fresh(1.05)}), "slower") >= rows * 95 / 100);
    CHECK(count(history({first, fresh(1 / 1.05)}), "faster") >= rows * 95 / 100);
    Json few = first;
    for (Json& row : few["rows"])
        row["samples"]["device"].erase(row["samples"]["device"].begin() + 3, row["samples"]["device"].end());
    const Json change = to_json(std::vector{change_of(few["rows"][0], few["rows"][1], false)})[0];
    CHECK(change["confidence"].get<double>() == doctest::Approx(0.9));   // of three to three
    CHECK(history({few, few})["rows"][0]["points"][1]["confidence"].get<double>() == doctest::Approx(0.9));
    CHECK_FALSE(contains(history({first, first}).dump(), "confidence"));
    // What three processes tell is no change yet, however large; four to four have their interval.
    const auto of = [&](std::size_t processes, double times) {
        Json report = fresh(times);
        for (Json& row : report["rows"]) {
            Json& rounds = row["samples"]["device"];
            rounds.erase(rounds.begin() + static_cast<std::ptrdiff_t>(processes), rounds.end());
        }
        return report;
    };
    const Json of_three = history({of(3, 1), of(3, 2)}), of_four = history({of(4, 1), of(4, 2)});
    CHECK(count(of_three, "ambiguous") == rows);
    CHECK(of_three["rows"][0]["why"] == "measured in 3 and 3 processes, too few to judge");
    CHECK(count(of_four, "slower") == rows);
    const Json turns = night(random, 1, 1);   // what one of the two tells of processes is nothing
    CHECK(change_of(first["rows"][0], first["rows"][1], false).of_processes);
    CHECK_FALSE(change_of(first["rows"][0], turns["rows"][0], false).of_processes);
}

TEST_CASE("history: reports of other studies, other sizes and other cases are refused; a case that came is not there yet") {
    std::mt19937_64 random(6);
    const Json first = night(random, 2, 1);
    const auto refused = [&](const Json& later) {
        const ConfigError error = error_of<ConfigError>([&] { history({first, later}); });
        CHECK(error_of<ConfigError>([&] { lab::changes(first.dump(), later.dump()); }).expected == error.expected);
        return error.found;
    };
    Json other = first;
    other["study"]["title"] = "weekly";
    other["study"]["cases"][0]["id"] = "product";
    CHECK(contains(refused(other), "which hold different studies (\"nightly\", \"weekly\")"));
    Json quick = first;
    quick["quick"] = true;
    CHECK(contains(refused(quick), "--quick"));
    Json larger = first;
    larger["study"]["cases"][0]["inputs"] = {{"array", {{"shape", {5}}}}};
    CHECK(contains(refused(larger), "the case \"sum\" is not the same"));
    Json more = first;
    more["study"]["cases"].push_back({{"id", "product"}});
    more["study"]["cases"][0]["frames_a_second"] = 30;   // what is wanted changes no time
    CHECK_FALSE(has_worsened(history({first, more})));
}

TEST_CASE("history: a noisy machine makes rows ambiguous, not slower") {
    std::mt19937_64 random(2);
    constexpr int rows = 100;
    const Json pair = history({night(random, rows, 1, "1", 0.2, 0.05), night(random, rows, 1, "1", 0.2, 0.05)});
    CHECK(count(pair, "slower") + count(pair, "faster") <= rows * 5 / 100);
    CHECK(count(pair, "ambiguous") > rows / 2);
    // Nights that differ by a twentieth, each of them quiet: the margin is learned.
    std::normal_distribution<double> normal;
    std::vector<Json> nights;
    for (int i = 0; i < 8; ++i) nights.push_back(night(random, 1, std::exp(0.05 * normal(random))));
    const Json learned = history(nights)["rows"][0];
    CHECK(learned["margin"] > 0.05);
    CHECK(learned["verdict"] != "slower");
}

TEST_CASE("history: a row says since which report it is slower, and with which driver that came") {
    std::mt19937_64 random(3);
    const Json all =
        history({night(random, 1, 1), night(random, 1, 1), night(random, 1, 1.08, "2"), night(random, 1, 1.08, "2")});
    CHECK(all["rows"][0]["verdict"] == "slower");
    CHECK(all["rows"][0]["since"] == 2);
    CHECK(all["reports"][2]["drivers"]["A"] == "2");
    CHECK(all["rows"][0]["points"].size() == 4);
    CHECK(has_worsened(all));
    const Json mended = history({night(random, 1, 1), night(random, 1, 1.08), night(random, 1, 1)});
    CHECK(mended["rows"][0]["verdict"] == "same");
    CHECK(mended["rows"][0]["since"].is_null());
    CHECK_FALSE(has_worsened(mended));
    CHECK(contains(error_of<ConfigError>([&] { history({night(random, 1, 1)}); }).found, "1 report"));
}

TEST_CASE(
    "history: another result and a row that is gone are worse, whatever they take; studies that rank so are read end to end") {
    std::mt19937_64 random(4);
    const Json first = night(random, 2, 1);
    Json wrong = night(random, 2, 1);
    wrong["rows"][0]["hashes"]["value"] = "other bits";
    wrong["rows"].erase(1);
    const Json all = history({first, wrong});
    CHECK(all["rows"][0]["verdict"] == "different result");
    CHECK(all["rows"][1]["verdict"] == "not there");
    CHECK(has_worsened(all));
    // Of what was left out for lack of time nothing is known, and that is nothing worse.
    Json hurried = first;
    hurried["rows"][0].update({{"outcome", "left out"}, {"reason", "5 minutes were over"}});
    hurried["rows"][0].erase("samples");
    const auto told = [&](const Json& was, const Json& is) {
        const Json all = history({was, is});
        CHECK(all["rows"][0]["verdict"] == "ambiguous");
        CHECK_FALSE(has_worsened(all));
        return all["rows"][0]["why"].get<std::string>();
    };
    CHECK(told(first, hurried) == "left out for lack of time, now");
    CHECK(told(hurried, first) == "left out for lack of time, before");
    CHECK(told(hurried, hurried) == "left out for lack of time, both times");
    // A row that has lost its times is not one whose times are the same.
    Json untimed = first;
    untimed["rows"][0].erase("samples");
    CHECK(told(first, untimed) == "not timed so now");
    CHECK(told(untimed, first) == "not timed so before");
    CHECK(history({untimed, untimed})["rows"][0]["verdict"] == "same");
    Json nothing = first;
    for (Json& round : nothing["rows"][0]["samples"]["device"])
        for (Json& sample : round) sample = 0.0;
    CHECK(told(first, nothing) == "not timed so now");
    // Reports in another order than they were made in are told.
    Json earlier = first, later = first;
    earlier["sessions"][0]["started"] = "2026-11-20T02:00:04Z";
    later["sessions"][0]["started"] = "2026-11-21T02:00:04Z";
    CHECK(history({earlier, later})["warnings"].empty());
    CHECK(contains(history({later, earlier})["warnings"].dump(),
                   "1 of 2026-11-20T02:00:04Z comes behind 0 of 2026-11-21T02:00:04Z"));
    // A machine that did other things tells of those, too.
    Json busy = first;
    busy["sessions"][0]["environment"].update({{"load", "9.40"}, {"threads", 16}});
    CHECK(contains(history({first, busy})["warnings"].dump(), "other work ran beside 1 (a load of 9.4 on 16 threads)"));
    CHECK(contains(derive(busy)["summary"].dump(), "Other work ran on the machine when this began"));
    busy["sessions"][0]["environment"]["threads"] = 32;
    CHECK(history({first, busy})["warnings"].empty());
    CHECK_FALSE(contains(derive(busy)["summary"].dump(), "Other work"));
    // Of a report without rows nothing can be worse; what the first does not have is not judged, and said.
    Json bare = first;
    bare["rows"] = Json::array();
    CHECK(error_of<ConfigError>([&] { history({bare, first}); }).found == "no rows in 0");
    CHECK(has_worsened(history({first, bare})));
    Json half = first;
    half["rows"].erase(0);
    CHECK(contains(history({half, first})["warnings"].dump(), "1 of the 2 rows of 1 are not in 0"));
    CHECK(history({first, half})["warnings"].empty());
    // A second machine of the same devices that is gone is not the first; a device under another label is the same one.
    Json both = first;
    both["devices"].push_back(both["devices"][0]);
    both["devices"][1]["label"] = "A (machine 2)";
    both["rows"][1]["device"] = 1;
    CHECK(history({both, first})["rows"][0]["verdict"] == "same");
    CHECK(history({both, first})["rows"][1]["verdict"] == "not there");
    Json renamed = first;
    renamed["devices"][0]["label"] = "A, by another driver";
    CHECK(history({first, renamed})["rows"][1]["verdict"] == "same");
    // Reals may round otherwise under another engine; integers may not.
    Json rounded = first;
    for (Json* one : {&rounded, &wrong}) (*one)["rows"][0]["agreement"]["exact"] = false;
    Json newer = rounded;
    newer["rows"][0]["hashes"]["value"] = "other bits";
    CHECK(history({rounded, newer})["rows"][0]["verdict"] == "different result");
    newer["sessions"][0]["environment"]["revision"] = "b";
    CHECK(history({rounded, newer})["rows"][0]["verdict"] == "same");

    Json ends = night(random, 1, 1), slow_ends = night(random, 1, 1);
    ends["study"]["ranked_by"] = slow_ends["study"]["ranked_by"] = "end_to_end";
    ends["rows"][0]["samples"]["end_to_end"]["wall"] = simulated(random, 2e-3, 0.01, 0.002);
    slow_ends["rows"][0]["samples"]["end_to_end"]["wall"] = simulated(random, 3e-3, 0.01, 0.002);
    CHECK(history({ends, slow_ends})["rows"][0]["verdict"] == "slower");
    CHECK(history_of({ends, slow_ends}, {"1", "2"}, Span::device)["rows"][0]["verdict"] == "same");
    CHECK(Json::parse(lab::history({ends.dump(), slow_ends.dump()}, "device"))["rows"][0]["verdict"] == "same");
    CHECK(lab::worse(lab::history({ends.dump(), slow_ends.dump()}, "end_to_end")));
    CHECK_THROWS_AS(lab::history({ends.dump(), slow_ends.dump()}, "clock"), ConfigError);
}

TEST_CASE("history: the command tells what changed, and its status is for a nightly job; so does the laboratory") {
    std::mt19937_64 random(5);
    const TempFolder folder;
    const Json first = night(random, 3, 1), same = night(random, 3, 1), slow = night(random, 3, 1.06, "2");
    write_text(folder / "1.json", first.dump());
    write_text(folder / "2.json", same.dump());
    write_text(folder / "3.json", slow.dump());
    const Run good = run_program({"history", "1.json", "2.json", "--all"}, folder.path());
    CHECK(good.status == 0);
    CHECK(contains(good.out, "same"));
    const Run bad = run_program({"history", "1.json", "2.json", "3.json"}, folder.path());
    CHECK(bad.status == 1);
    CHECK(contains(bad.out, "since 2"));
    CHECK(contains(bad.out, "drivers 2"));
    CHECK(run_program({"history", "1.json"}, folder.path()).status == 2);
    const auto refused = [&](const std::vector<std::string>& words) {
        const Run run = run_program(words, folder.path());
        CHECK(run.status == 2);
        return run.err;
    };
    CHECK(contains(refused({"history", "1.json", "2.json", "./1.json"}), "./1.json, a report that is there already"));
    CHECK(contains(refused({"report", "1.json", "1.json", "--out", "x"}), "each report once"));
    write_text(folder / "log.txt", "hello");
    CHECK(contains(refused({"history", "1.json", "log.txt"}), "a report.json of parallax compare, or a folder that has one"));
    CHECK_FALSE(contains(refused({"history", "1.json", "log.txt"}), "parallax init"));
    CHECK(contains(refused({"history", "1.json", "2.jso"}), "did you mean"));
    CHECK(run_program({"history", "1.json", "3.json", "--by", "device"}, folder.path()).status == 1);
    CHECK(run_program({"history", "1.json", "3.json", "--by", "clock"}, folder.path()).status == 2);
    CHECK(Json::parse(run_program({"history", "1.json", "3.json", "--json"}, folder.path()).out)["rows"].size() == 3);
    CHECK(lab::worse(lab::history({first.dump(), slow.dump()})));
    CHECK_FALSE(lab::worse(lab::history({first.dump(), same.dump()})));
}

TEST_CASE("statistics: what is said of a repeated measurement") {
    const auto verdict = [](double low, double high, double margin = 0.025) {
        return judge_repeat({(low + high) / 2, low, high}, 0.025, margin, 1e-3);
    };
    CHECK(verdict(0.99, 1.02) == Verdict::same);
    CHECK(verdict(1.03, 1.07) == Verdict::slower);
    CHECK(verdict(0.90, 0.95) == Verdict::faster);
    CHECK(verdict(0.99, 1.05) == Verdict::ambiguous);
    CHECK(verdict(0.99, 1.05, 0.06) == Verdict::same);        // within what nights differ by
    CHECK(verdict(1.03, 1.05, 0.06) == Verdict::ambiguous);   // and yet surely more than before
    CHECK(verdict(1.07, 1.09, 0.06) == Verdict::slower);
    CHECK(judge_repeat({2, 1.9, 2.1}, 0.025, 0.025, 1e-6) == Verdict::same);
}

TEST_CASE("history: a device that really is slower is found from end to end") {
    const char* const layer = std::getenv("PARALLAX_FAULT_LAYER");
    if (layer == nullptr) {
        MESSAGE("no layer that makes a device slower");
        return;
    }
    const TempFolder folder;
    write_text(folder / "study.json",
               R"({"parallax_study": 1, "title": "sums", "devices": [{"backend": "opencl"}], "ranked_by": "end_to_end",
        "sampling": {"samples": 8, "rounds": 8, "fresh_processes": true, "budget_s": 0.8},
        "cases": [{"id": "sum", "inputs": {"array": {"make": "random", "type": "u16", "axes": "n", "shape": [1000000]}},
                   "steps": [{"run": "reduce"}]}]})");
    const auto compare = [&](const char* out) {
        const Run run = run_program({"compare", "study.json", "--out", out, "--quiet"}, folder.path());
        CAPTURE(run.err);
        return run.status;
    };
    if (compare("before") != 0) {
        MESSAGE("no OpenCL device here");
        return;
    }
    // Thirty times as long, so that no other work on this machine hides it; tests/compare/slowdown.py finds a twentieth.
    ::setenv("OPENCL_LAYERS", layer, 1);
    ::setenv("PARALLAX_FAULTS_SLOWER", "29", 1);
    const int slower = compare("slower");
    ::unsetenv("OPENCL_LAYERS");
    ::unsetenv("PARALLAX_FAULTS_SLOWER");
    CHECK(slower == 0);
    const Run found = run_program({"history", "before", "slower", "--json"}, folder.path());
    CHECK(found.status == 1);
    const Json row = Json::parse(found.out)["rows"][0];
    CAPTURE(row.dump());
    CHECK(row["verdict"] == "slower");
    CHECK(row["points"][1]["ratio"] > 3);
}
