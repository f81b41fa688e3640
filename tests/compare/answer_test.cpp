// What a report says first: who is faster, by how much, who keeps up with the frames, and how late the latest runs come.
#include "jobs/support.hpp"
#include "report/answer.hpp"
#include "report/report.hpp"
#include "timing/statistics.hpp"

#include <cmath>

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
    Json report{{"parallax_comparison", 1},
                {"study", {{"title", "t"}, {"cases", Json::array()}}},
                {"devices", {device("A"), device("B")}},
                {"sessions", Json::array({{{"rates", Json::object()}}})},
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
