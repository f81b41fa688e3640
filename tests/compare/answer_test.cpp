// What a report says first: who is faster, by how much, who keeps up with the frames, and how late the latest runs come.
#include "report/answer.hpp"

#include <cmath>

#include "compare/browser.hpp"
#include "jobs/support.hpp"
#include "report/report.hpp"
#include "timing/statistics.hpp"

using namespace parallax;
using namespace parallax::engine::compare;
using namespace parallax::tests;

namespace {

/// 30 samples in five rounds about `seconds`, within a thousandth.
Json samples_about(double seconds, int each = 6) {
    Json rounds = Json::array();
    for (int r = 0; r < 5; ++r) {
        rounds.push_back(Json::array());
        for (int i = 0; i < each; ++i) rounds.back().push_back(seconds * (1 + 1e-4 * ((r + 3 * i) % 7 - 3)));
    }
    return rounds;
}

Json row(const std::string& id, std::size_t device, double seconds, double end, const std::string& way = "fused", int each = 6) {
    return {{"id", id + "/" + way + "@" + std::to_string(device)},
            {"case", id},
            {"grid", Json::object()},
            {"way", way},
            {"device", device},
            {"session", 0},
            {"outcome", "ok"},
            {"work", {{"unit", "x"}, {"scale", 1}, {"items", 0}, {"bytes", 0}}},
            {"samples",
             {{"device", samples_about(seconds)},
              {"wall", samples_about(seconds)},
              {"end_to_end", {{"wall", samples_about(end, each)}}}}}};
}

Json device(const std::string& label) {
    return {{"label", label},
            {"info", {{"name", label}, {"backend", "opencl"}, {"type", "gpu"}, {"platform", "p"}, {"driver", "1"}}}};
}

/// A twice, four times and eight times as fast by itself, and 1.5 times from end to end.
Json two_devices() {
    Json report{
        {"parallax_comparison", 1},
        {"study", {{"title", "t"}, {"cases", Json::array()}}},
        {"devices", {device("A"), device("B")}},
        {"sessions", Json::array({{{"started", "2026-11-25"}, {"rates", Json::object()}, {"environment", Json::object()}}})},
        {"rows", Json::array()}};
    int i = 0;
    for (const char* id : {"one", "two", "three"}) {
        const double times = std::pow(2.0, ++i);
        report["study"]["cases"].push_back({{"id", id}});
        report["rows"].push_back(row(id, 0, 1e-3, 1e-2));
        report["rows"].push_back(row(id, 0, 5e-3, 5e-2, "slow"));
        report["rows"].push_back(row(id, 1, 1e-3 * times, 1.5e-2));
    }
    return report;
}

}  // namespace

TEST_CASE("answer: cases by devices, with the fastest row of each, ratios both ways and their geometric mean") {
    const Json answer = derive(two_devices())["answer"];
    CHECK(answer["by"] == "device");
    const Json& device = answer["spans"]["device"];
    REQUIRE(device["points"].size() == 3);
    CHECK(device["points"][0]["rows"] == Json({0, 2}));
    CHECK(device["points"][1]["speed"][0][1]["ratio"].get<double>() == doctest::Approx(4).epsilon(1e-3));
    CHECK(device["points"][1]["speed"][1][0]["ratio"].get<double>() == doctest::Approx(0.25).epsilon(1e-3));
    CHECK(device["points"][1]["speed"][0][1]["low"].get<double>() > 3.9);
    const Json& mean = device["overall"][0][1];
    CHECK(mean["ratio"].get<double>() == doctest::Approx(4).epsilon(1e-3));
    CHECK(mean["cases"] == 3);
    // Of ln 2, ln 4, ln 8: t of two degrees of freedom is 4.303.
    CHECK(mean["low"].get<double>() == doctest::Approx(4 / std::exp(4.303 * std::log(2) / std::sqrt(3))).epsilon(1e-2));
    CHECK(answer["spans"]["end_to_end"]["overall"][0][1]["ratio"].get<double>() == doctest::Approx(1.5).epsilon(1e-3));
}

TEST_CASE("answer: in words, by the time that the study ranks by, and who keeps up with the frames") {
    Json report = two_devices();
    report["study"]["ranked_by"] = "end_to_end";
    report["study"]["cases"][0]["frames_a_second"] = 80;
    report["study"]["cases"][1]["frames_a_second"] = 6000;
    report["study"]["cases"][1]["frames"] = 64;
    const Json summary = derive(report)["summary"];
    CHECK(contains(summary[0].get<std::string>(),
                   "From host memory to host memory: A is the fastest at 3 of 3 points; 1.5 times as fast as B"));
    CHECK(summary[1] == "80 frames a second of one: A yes, 100 a second, 1.25 times that; B no, 66.7 a second, 0.833 times that");
    CHECK(contains(summary[2].get<std::string>(), "A yes, 6400 a second, 1.07 times that; B no"));
    // What two cases that differ say of a third is no interval.
    Json apart = two_devices();
    apart["study"]["ranked_by"] = "end_to_end";
    for (Json& row : apart["rows"])
        if (row["case"] == "three")
            row["outcome"] = "failed";
        else if (row["case"] == "two" && row["device"] == 1)
            row["samples"]["end_to_end"]["wall"] = samples_about(15);
    CHECK(contains(derive(apart)["summary"][0].get<std::string>(), "over the cases is sure (2 cases that differ)"));
    // Without a word of the study, what runs without pause is judged from end to end.
    report["study"].erase("ranked_by");
    CHECK(ranked_by(report["study"]) == "device");
    report["study"]["sampling"]["sustained_s"] = 600;
    CHECK(ranked_by(report["study"]) == "end_to_end");
}

TEST_CASE("answer: a row that failed is no answer, and one point alone has its own interval") {
    Json report = two_devices();
    report["rows"][0]["outcome"] = "disagrees";
    report["rows"].erase(8);
    report["rows"].erase(5);
    const Json device = derive(report)["answer"]["spans"]["device"];
    CHECK(device["points"][0]["rows"] == Json({1, 2}));
    CHECK(device["points"][1]["rows"][1].is_null());
    CHECK(device["points"][1]["speed"][0][1].is_null());
    const Json& mean = device["overall"][0][1];
    CHECK(mean["ratio"] == device["points"][0]["speed"][0][1]["ratio"]);
    CHECK(mean["high"] == device["points"][0]["speed"][0][1]["high"]);
}

TEST_CASE("report: latencies are told as far as the number of runs goes, and of the runs without pause where there are some") {
    Json report = two_devices();
    report["rows"] = {row("one", 0, 1e-3, 1e-2), row("one", 1, 1e-3, 1e-2, "fused", 300)};
    report = derive(report);
    const Json& few = report["rows"][0]["metrics"];
    CHECK(few.contains("latency_p50_ms"));
    CHECK(few.contains("latency_p95_ms"));
    CHECK_FALSE(few.contains("latency_p99_ms"));   // of 30 runs
    const Json& many = report["rows"][1]["metrics"];
    CHECK(many["latency_p999_ms"].get<double>() == doctest::Approx(10).epsilon(1e-2));
    report["rows"][0]["sustained"] = {{"runs_a_second", 9}, {"median_s", 0.1}, {"p95_s", 0.2}, {"p99_s", 0.3}, {"p999_s", 0.4}};
    const Json without_pause = derive(report)["rows"][0]["metrics"];
    CHECK(without_pause["latency_p50_ms"].get<double>() == doctest::Approx(100));
    CHECK(without_pause["latency_p999_ms"].get<double>() == doctest::Approx(400));
}

TEST_CASE("report: where processes are too few for intervals of 95% it says so, in numbers, words, table and page") {
    const TempFolder folder;
    const auto of_processes = [](std::size_t count) {
        Json report = two_devices();
        report["study"].update(
            {{"ranked_by", "end_to_end"},
             {"claims", Json::array({{{"says", "A is faster than B"}, {"of", {{"device", "A"}}}, {"to", {{"device", "B"}}}}})},
             {"report",
              Json::array({{{"kind", "pairs"}, {"title", "A by B"}, {"of", {{"device", "A"}}}, {"to", {{"device", "B"}}}}})}});
        report["study"]["cases"][0]["frames_a_second"] = 80;
        for (Json& row : report["rows"]) {
            Json& samples = row["samples"];
            samples["fresh_processes"] = true;
            for (Json* rounds : {&samples["device"], &samples["wall"], &samples["end_to_end"]["wall"]}) {
                rounds->erase(rounds->begin() + static_cast<std::ptrdiff_t>(count), rounds->end());
                for (std::size_t r = 0; r < count; ++r)   // what processes differ by
                    for (Json& sample : (*rounds)[r]) sample = sample.get<double>() * (1 + 1e-3 * static_cast<double>(r));
            }
        }
        return report;
    };
    const auto said = [](const Json& report) { return report["summary"].dump(); };
    const Json four = derive(of_processes(4)), two = derive(of_processes(2)), one = derive(of_processes(1)),
               turns = derive(two_devices());
    CHECK(four["rows"][0]["times"]["end_to_end"]["confidence"] == 0.875);
    CHECK_FALSE(four["answer"]["spans"]["device"]["points"][0]["speed"][0][1].contains("confidence"));   // 4 to 4: 97%
    CHECK(contains(said(four), "A yes (87.5%), "));
    CHECK_FALSE(contains(said(four), ", 87.5%]"));
    const double of_ratio = 2.0 / 3;
    for (const auto& [i, j] : {std::pair(0, 1), std::pair(1, 0)})
        CHECK(two["answer"]["spans"]["device"]["points"][0]["speed"][i][j]["confidence"].get<double>() ==
              doctest::Approx(of_ratio));
    CHECK(two["pairs"][0]["rows"][0]["confidence"].get<double>() == doctest::Approx(of_ratio));
    CHECK(two["rows"][0]["times"]["device"]["confidence"] == 0.5);
    CHECK_FALSE(two["answer"]["spans"]["device"]["overall"][0][1].contains("confidence"));   // over three cases: Student's
    CHECK(contains(said(two), "A yes (50%), "));
    CHECK(contains(said(two), ", 66.67%], fused on A against fused on B: measured in too few processes to say"));
    CHECK(contains(said(one), ", one process], fused on A"));
    CHECK(one["rows"][0]["times"]["device"]["confidence"] == 0);
    CHECK_FALSE(contains(turns.dump(), "confidence"));
    for (const Json* report : {&four, &two, &one, &turns}) CHECK_NOTHROW(check_report(*report, "it"));

    write_report(two, folder / "two", false);
    write_report(turns, folder / "turns", false);
    CHECK(contains(read_text(folder / "two/report.csv"), "device_high_ms,device_confidence,"));
    CHECK_FALSE(contains(read_text(folder / "turns/report.csv"), "confidence"));
    if (browser().empty()) return;
    const std::string few = page_in_browser(folder / "two/report.html", folder),
                      many = page_in_browser(folder / "turns/report.html", folder);
    for (const std::string& page : {few, many}) CHECK_FALSE(contains(page, "data-error"));
    CHECK(contains(few, ", 66.67%</div>"));   // behind a ratio
    CHECK(contains(few, ", 50%)"));           // behind a time
    CHECK(contains(few, "80/s: yes, 50%,"));
    CHECK(contains(few, ">interval, 95% where it says nothing<"));
    CHECK(contains(many, ">95% interval<"));
    CHECK_FALSE(contains(many, ">interval, 95% where it says nothing<"));
}

TEST_CASE("report: what is wanted of a device is no other study") {
    Json more = two_devices(), less = two_devices();
    more["study"]["cases"][0]["frames_a_second"] = 30;
    CHECK(merge({more, less}, {"a", "b"})["study"]["cases"][0]["frames_a_second"] == 30);
    CHECK(merge({less, more}, {"a", "b"})["study"]["cases"][0]["frames_a_second"] == 30);
}

TEST_CASE("statistics: a geometric mean of ratios and its interval") {
    const Estimate mean = geometric_mean({2, 8});
    CHECK(mean.median == doctest::Approx(4));
    CHECK(mean.low == doctest::Approx(4 / std::exp(12.706 * std::log(2))));
    CHECK(mean.low * mean.high == doctest::Approx(16));
    CHECK(geometric_mean({3}).low == doctest::Approx(3));
    CHECK(geometric_mean({1, 1, 1, 1}).high == doctest::Approx(1));
}
