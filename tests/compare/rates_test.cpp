// What devices reach, and where kernels lie below it.
#include "jobs/support.hpp"
#include "parallax/host/enumerate.hpp"
#include "report/report.hpp"
#include "timing/rates.hpp"

using namespace parallax;
using namespace parallax::engine::compare;
using namespace parallax::tests;

TEST_CASE("rates: every device has them, of each kind that it has, and none is nonsense") {
    for (const auto& device : host::enumerate().devices) {
        CAPTURE(device->info().name);
        const auto context = device->open({});
        const auto queue = context->create_queue();
        const Json rates = measure_rates(*context, *queue, true).to_json();
        for (const char* key : {"copy_gbs", "upload_gbs", "download_gbs", "peak_gflops"}) CHECK(rates[key] > 0);
        const Json roofs = measure_roofs(*context, *queue, true).to_json();
        CAPTURE(roofs.dump());
        CHECK(roofs["peak_i32_gops"] > 0);
        CHECK(roofs["peak_f64_gflops"].is_null() == !context->capabilities().fp64);
        CHECK(roofs["read_gbs"].size() == 3);
        CHECK(roofs["cache_latency_ns"] > 0.1);
        CHECK(roofs["memory_latency_ns"] > 0.1);
        CHECK(roofs["local_gbs"].is_null() == (device->info().type == host::DeviceType::cpu));
    }
}

TEST_CASE("rates: the command prints them for people and for programs") {
    const TempFolder folder;
    const Run plain = run_program({"rates", "--quick", "--device", "native"}, folder.path());
    CHECK(plain.status == 0);
    for (const char* shown : {"copy, read and written", "multiply-adds, f64", "reads of 32 KiB", "upload, pinned"})
        CHECK(contains(plain.out, shown));
    const Json json = Json::parse(run_program({"rates", "--quick", "--device", "native", "--json"}, folder.path()).out);
    REQUIRE(json.size() == 1);
    CHECK(json[0]["backend"] == "native");
    CHECK(json[0]["rates"]["peak_f64_gflops"] > 0);
    CHECK(run_program({"rates", "--device", "no such device"}, folder.path()).status != 0);
}

TEST_CASE("roofline: rows whose study counts operations have a place in it, and the session has the roofs") {
    const TempFolder folder;
    write_text(
        folder / "study.json",
        R"({"parallax_study": 1, "title": "sums", "devices": [{"backend": "native"}],
        "sampling": {"samples": 2, "rounds": 1},
        "cases": [{"id": "sum", "inputs": {"array": {"make": "random", "type": "f32", "axes": "n", "shape": [1000]}},
                   "steps": [{"run": "reduce"}],
                   "work": {"items": [1000], "bytes": [1000, 4], "operations": [1000]}}]})");
    const Run run = run_program({"compare", "study.json", "--quick", "--out", "out", "--quiet"}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const Json report = Json::parse(read_text(folder / "out/report.json"));
    CHECK_NOTHROW(check_report(report, "out"));
    CHECK(report["rows"][0]["metrics"]["intensity"] == 0.25);
    CHECK(report["rows"][0]["metrics"]["gflops"] > 0);
    CHECK(report["sessions"][0]["rates"].front()["read_gbs"].size() == 3);
}
