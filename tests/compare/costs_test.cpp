// What a report costs to read, to hold against another and to write: in proportion to what stands in it.
#include <chrono>
#include <string>

#include "compare/history.hpp"
#include "compare/small_study.hpp"
#include "jobs/support.hpp"
#include "report/report.hpp"

using namespace parallax;
using namespace parallax::engine::compare;
using namespace parallax::tests;

namespace {

Json report_of(std::size_t devices) {
    Json report{{"parallax_comparison", 1},
                {"study", {{"title", "t"}, {"cases", Json::array()}}},
                {"devices", Json::array()},
                {"sessions", Json::array({{{"rates", Json::object()}}})},
                {"rows", Json::array()}};
    for (std::size_t d = 0; d < devices; ++d)
        report["devices"].push_back(
            {{"label", "d" + std::to_string(d)}, {"info", {{"name", "n"}, {"backend", "opencl"}, {"platform", "p"}, {"driver", "1"}}}});
    return report;
}

Json row(const std::string& id, std::size_t device, int n) {
    return {{"id", id + "/" + std::to_string(n) + "@" + std::to_string(device)},
            {"case", id},
            {"grid", {{"n", n}}},
            {"way", "fused"},
            {"device", device},
            {"session", 0},
            {"outcome", "ok"},
            {"work", {{"scale", 1}, {"items", 0}, {"bytes", 0}}},
            {"samples", {{"device", {{1e-3, 2e-3}}}}}};
}

/// Which has nothing to be estimated.
Json failed(const std::string& id, int n) {
    Json one = row(id, 0, n);
    one["outcome"] = "failed";
    one.erase("samples");
    return one;
}

double seconds_of(const auto& work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}   // namespace

TEST_CASE("costs: of devices that share no point a report keeps nothing of their pairs") {
    Json report = report_of(most_devices);
    report["study"]["cases"].push_back({{"id", "one"}});
    for (std::size_t d = 0; d < most_devices; ++d) report["rows"].push_back(row("one", d, static_cast<int>(d)));
    CHECK_NOTHROW(check_report(report, "it"));
    const Json derived = derive(report);
    const Json& point = derived["answer"]["spans"]["device"]["points"][1];
    CHECK(point["speed"].size() == most_devices);
    CHECK(point["speed"][0].empty());
    CHECK(point["speed"][1].size() == most_devices);
    CHECK(point["speed"][1][0].is_null());
    CHECK(point["speed"][1][1]["ratio"] == 1);
    CHECK(derived.dump().size() < 40 * report.dump().size());
    CHECK_NOTHROW(check_report(derived, "it"));
}

TEST_CASE("costs: more devices than can be held against each other are refused, in reports, in several of them and in studies") {
    const std::string most = std::to_string(most_devices);
    const ConfigError error = error_of<ConfigError>([] { check_report(report_of(most_devices + 1), "it"); });
    CHECK(error.pointer == "/devices");
    CHECK(contains(error.expected, most));
    const Json half = report_of(most_devices / 2 + 1);
    CHECK(contains(error_of<ConfigError>([&] { merge({half, half}, {"a", "b"}); }).expected, most));
    Json study = study_text(R"(["reference"])");
    for (std::size_t d = 0; d < most_devices; ++d)
        study["devices"].push_back({{"backend", "native"}, {"label", "again " + std::to_string(d)}});
    CHECK(error_of<ConfigError>([&] { Ready all(study); }).pointer == "/devices");
    study["devices"].erase(0);
    std::vector<StudyDevice> devices = Ready(study).devices;
    CHECK(devices.size() == most_devices);
    CHECK(contains(error_of<ConfigError>([&] { add_program(devices, "mine", "cat"); }).expected, most));
}

TEST_CASE("costs: the rows of a night find those of the one before, and cases their rows, without a look at all of them") {
    constexpr int many = 16000;
    Json rows = report_of(1), cases = report_of(1);
    rows["study"]["cases"].push_back({{"id", "one"}});
    for (int i = 0; i < many; ++i) {
        rows["rows"].push_back(failed("one", i));
        cases["rows"].push_back(failed("c" + std::to_string(i), 0));
        cases["study"]["cases"].push_back({{"id", "c" + std::to_string(i)}, {"frames_a_second", 1}});
    }
    CHECK(seconds_of([&] { history_of({rows, rows}, {"a", "b"}); }) < 8);   // half a second; before, a minute
    CHECK(seconds_of([&] { derive(cases); }) < 8);
    // Whole numbers are the same with and without a fraction of 0; of rows at one place the last counts.
    Json was = report_of(1), is = report_of(1);
    for (Json* report : {&was, &is}) (*report)["study"]["cases"].push_back({{"id", "one"}});
    was["rows"] = {row("one", 0, 2)};
    is["rows"] = {failed("one", 2), row("one", 0, 2)};
    is["rows"][1]["grid"]["n"] = 2.0;
    CHECK(history_of({was, is}, {"a", "b"})["rows"][0]["verdict"] == "same");
}
