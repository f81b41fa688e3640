// Whatever report is written can be read again: times of coarse clocks, numbers at the end of what a double holds.
#include <limits>

#include "agreement/agreement.hpp"
#include "compare/replay.hpp"
#include "compare/row_room.hpp"
#include "compare/small_study.hpp"
#include "job/load.hpp"
#include "jobs/support.hpp"
#include "report/page.hpp"
#include "report/report.hpp"
#include "timing/sampling.hpp"
#include "timing/statistics.hpp"

using namespace parallax;
using namespace parallax::engine::compare;
using namespace parallax::tests;

namespace {

/// Two devices at one point, by their samples.
Json report_of(const Json& first, const Json& second) {
    Json report{{"parallax_comparison", 1},
                {"study",
                 {{"title", "t"},
                  {"cases", Json::array({{{"id", "one"}, {"frames_a_second", 10}}})},
                  {"claims", Json::array({{{"says", "A is faster than B"}, {"of", {{"device", "A"}}}, {"to", {{"device", "B"}}}}})},
                  {"report",
                   Json::array({{{"kind", "pairs"}, {"title", "A by B"}, {"of", {{"device", "A"}}}, {"to", {{"device", "B"}}}}})}}},
                {"devices", Json::array()},
                {"sessions", Json::array({{{"rates", {{"A", {{"copy_gbs", nullptr}}}, {"B", {{"copy_gbs", 1e-308}}}}}}})},
                {"rows", Json::array()}};
    for (const auto& [label, samples] : {std::pair<const char*, const Json&>{"A", first}, {"B", second}}) {
        report["rows"].push_back({{"id", std::string("one/fused@") + label},
                                  {"case", "one"},
                                  {"grid", Json::object()},
                                  {"way", "fused"},
                                  {"device", report["devices"].size()},
                                  {"session", 0},
                                  {"outcome", "ok"},
                                  {"work", {{"scale", 1e-300}, {"items", 1e300}, {"bytes", 1e300}, {"operations", 1e300}}},
                                  {"samples", samples}});
        report["devices"].push_back(
            {{"label", label}, {"info", {{"name", label}, {"backend", "opencl"}, {"platform", "p"}, {"driver", "1"}}}});
    }
    return report;
}

Json samples(const Json& rounds) { return {{"device", rounds}, {"wall", rounds}, {"end_to_end", {{"wall", rounds}}}}; }

/// Written and read again.
Json again(const Json& report) {
    check_report(report, "given");
    const TempFolder folder;
    write_report(derive(report), folder.path(), false);
    const std::string csv = read_text(folder / "report.csv");
    for (const char* word : {"nan", "inf", "NaN", "Inf"}) CHECK_FALSE(contains(csv, word));
    Json read = load_json(folder / "report.json");
    CHECK_NOTHROW(check_report(read, "written"));
    CHECK_FALSE(contains(read["answer"].dump(), "\"ratio\":null"));
    CHECK_FALSE(contains(read["answer"].dump(), "\"high\":null"));
    CHECK_FALSE(contains(read["pairs"].dump(), "\"ratio\":null"));
    CHECK(derive(read) == read);
    return read;
}

}   // namespace

TEST_CASE("readable: of a clock that tells 0 there is no ratio and no rate, and the report can be read again") {
    const Json good{{1e-3, 2e-3}, {1e-3}};
    for (const Json& rounds : {Json{{0, 0}, {0}}, Json{{0, 1e-3}, {0}}, Json{{0, 1e-3}, {2e-3}}, Json{{1e-320, 1e-320}, {1e-3}}}) {
        CAPTURE(rounds.dump());
        for (const bool fresh : {false, true}) {
            Json none = samples(rounds), some = samples(good);
            none["fresh_processes"] = some["fresh_processes"] = fresh;
            const Json read = again(report_of(none, some));
            CHECK(read["answer"]["spans"]["device"]["points"][0]["rows"] == Json({nullptr, 1}));
            CHECK(read["pairs"][0]["rows"].empty());
            again(report_of(some, none));
            again(report_of(none, none));
        }
    }
    // Where the driver's times are too coarse, the host's are taken, in both of two reports.
    Json coarse = samples(good);
    coarse["device"] = {{0, 1e-9}, {1e-9}};
    const Json read = again(report_of(coarse, samples(good)));
    CHECK(read["answer"]["spans"]["device"]["points"][0]["rows"] == Json({0, 1}));
    CHECK_FALSE(read["rows"][0]["times"].contains("device"));
    Json fine = coarse;
    fine["device"] = {{1e-9, 1e-9}, {1e-9}};
    CHECK(change_of(report_of(coarse, fine)["rows"][0], report_of(coarse, fine)["rows"][1], false).ratio == 1);
}

TEST_CASE("readable: what no clock tells is refused, and what no number holds is left out") {
    for (const char* seconds : {"1.7e308", "1e10", "-1"}) {
        CAPTURE(seconds);
        Json rounds{{1e-3, 2e-3}};
        rounds[0][1] = Json::parse(seconds);
        CHECK(error_of<ConfigError>([&] { check_report(report_of(samples(rounds), samples(rounds)), "it"); }).pointer ==
              "/rows/0/samples/device/0/1");
    }
    const Json read = again(report_of(samples({{1e-12, 1e9}}), samples({{1e9, 1e9}})));
    CHECK_FALSE(read["rows"][0]["metrics"].contains("rate"));   // 1e300 / 1e-300
    Json zero = report_of(samples({{1, 2}}), samples({{1, 2}}));
    zero["rows"][0]["work"]["scale"] = 0;
    zero["rows"][0]["sustained"] = {{"runs_a_second", 1}, {"p99_s", 1.7e308}};
    again(zero);
    const Estimate wide = geometric_mean({1e-20, 1e20});
    CHECK(wide.low > 0);
    CHECK(wide.high < std::numeric_limits<double>::infinity());
}

TEST_CASE("readable: work that no number holds is refused in a study, with its place") {
    for (const char* key : {"items", "bytes", "operations"}) {
        CAPTURE(key);
        Json study = study_text(R"(["reference"])");
        study["cases"][0]["work"][key] = {1e300, 1e300};
        CHECK(error_of<ConfigError>([&] { Ready all(study); }).pointer == std::string("/cases/0/work/") + key);
        study["cases"][0]["work"][key] = Json::array({{1e308}, {1e308}});
        CHECK(error_of<ConfigError>([&] { Ready all(study); }).pointer == std::string("/cases/0/work/") + key);
    }
}

TEST_CASE("readable: an error beyond what a number holds is the largest one") {
    const auto doubles = [](double value) {
        HostArray array = HostArray::make(ArrayDesc::dense(ElementType::f64, {{'n', 1}}));
        array.as<double>()[0] = value;
        return array;
    };
    for (const auto& [is, was] : {std::pair(1e308, -1e308), std::pair(1.0, 1e-320)}) {
        const Json json = compare_arrays(doubles(is), doubles(was), {}, "value").to_json();
        CAPTURE(json.dump());
        CHECK(json["agrees"] == false);
        CHECK_FALSE(contains(json.dump(), "null"));
    }
}

TEST_CASE("readable: a row has no more samples than a report of all rows has room for; of too many rows no study is begun") {
    const Ready ready(study_text(R"(["reference"])"));
    const RowRoom few = room_of_rows(36, 4, ready.study), many = room_of_rows(5000, 1, ready.study);
    const std::size_t rounds = 3;
    CHECK(few.device * rounds > 10000);   // what the studies that come with the program ask for
    CHECK(5000 * (many.device + many.end_to_end) * rounds < 1'600'000);
    CHECK(many.device >= 6);
    CHECK(error_of<ConfigError>([&] { room_of_rows(10000, 1, ready.study); }).pointer == "/cases");
    const auto run = [] { return Sample{1e-6, 1e-6, {{"one", 1e-6}, {"two", 1e-6}}}; };
    const Json request{{"samples", 100}, {"warmups", 0}, {"budget_s", 10}, {"least_s", 10}};
    Json narrow = request;
    narrow["values"] = 41;
    CHECK(take_samples(request, run)["wall"].size() == 1000);
    CHECK(take_samples(narrow, run)["wall"].size() == 10);
    narrow["values"] = 0;
    CHECK(take_samples(narrow, run)["wall"].size() == 1);
}

TEST_CASE("compare: names turn no line of a page round, and stay those of one thing") {
    const std::string turned = "\xe2\x80\xae" "gpj.exe";
    const std::string page = page_of("T\x1b[31m" + turned, {}, {{"label", turned}, {"rates", {{turned, 1}}}, {"two", "a\nb"}});
    CHECK_FALSE(contains(page, "\xe2\x80\xae"));
    CHECK(contains(page, R"(<title>T\x1b[31m\u202egpj.exe</title>)"));
    CHECK(contains(page, R"("label":"\\u202egpj.exe")"));
    CHECK(contains(page, R"({"\\u202egpj.exe":1})"));
    CHECK(contains(page, R"("a\nb")"));
}
