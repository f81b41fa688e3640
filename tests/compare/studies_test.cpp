// Every study of configs/studies with its small sizes, and its report in a real browser.
#include "compare/browser.hpp"
#include "jobs/support.hpp"
#include "parallax/host/json.hpp"

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("studies: each runs with its small sizes, agrees with the reference, and its page draws itself in a browser") {
    const auto configs = repository("configs");
    REQUIRE(configs);
    const TempFolder folder;
    if (browser().empty()) MESSAGE("no Chromium on this machine (Debian: chromium-headless-shell): pages are not looked at");
    std::size_t studies = 0;
    for (const auto& entry : fs::directory_iterator(*configs / "studies")) {
        const std::string name = entry.path().stem().string();
        CAPTURE(name);
        const Run run = run_program({"compare", name, "--quick", "--out", (folder / name).string(), "--quiet"}, folder.path());
        CAPTURE(run.err);
        CHECK(run.status == 0);
        if (run.status != 0) continue;
        ++studies;
        const Json report = Json::parse(read_text(folder / name / "report.json"));
        std::size_t timed = 0, refused = 0;
        for (const Json& row : report["rows"]) {
            timed += row["outcome"] == "ok";
            refused += row["outcome"] == "refused";
        }
        CHECK(timed + refused == report["rows"].size());
        CHECK(timed > refused);
        if (report["study"].contains("claims"))   // by name, so that its images come from the program
            CHECK(contains(report["summary"][0].get<std::string>(), report["study"]["source"].get<std::string>() + ": "));
        if (browser().empty()) continue;
        const std::string dom = page_in_browser(folder / name / "report.html", folder);
        CHECK_FALSE(contains(dom, "data-error"));
        CHECK(contains(dom, "data-charts=\""));
        CHECK(count_of(dom, "<section") >= report["study"]["report"].size() + 4);   // answer, summary, devices, every row
        CHECK(contains(dom, "id=\"answer\""));
        CHECK(contains(dom, "href=\"#row-"));
        CHECK(contains(dom, report["study"]["title"].get<std::string>()));
    }
    CHECK(studies == 17);
}
