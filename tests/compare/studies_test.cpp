// Every study of configs/studies with its small sizes, and its report in a real browser.
#include "jobs/support.hpp"
#include "parallax/host/json.hpp"

#include <cstdlib>

using namespace parallax;
using namespace parallax::tests;

namespace {

/// A Chromium without a window; empty if there is none.
std::string browser() {
    for (const char* name : {"/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome"}) {
        if (fs::exists(name)) return name;
    }
    return {};
}

/// What the page has become once its script has run; empty where the browser fails.
std::string page_in_browser(const fs::path& page, const TempFolder& folder) {
    const fs::path out = folder / "dom.html";
    const std::string command = "timeout 60 '" + browser() +
                                "' --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --host-resolver-rules='MAP * "
                                "~NOTFOUND' --virtual-time-budget=5000 --user-data-dir='" +
                                (folder / "profile").string() + "' --dump-dom 'file://" + page.string() + "' > '" + out.string() +
                                "' 2> /dev/null";
    return std::system(command.c_str()) == 0 ? read_text(out) : std::string();
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("studies: each runs with its small sizes, agrees with the reference, and its page draws itself in a browser") {
    const auto configs = repository("configs");
    REQUIRE(configs);
    const TempFolder folder;
    if (browser().empty()) MESSAGE("no Chromium on this machine (Debian: chromium-headless-shell): pages are not looked at");
    std::size_t studies = 0;
    for (const auto& entry : fs::directory_iterator(*configs / "studies")) {
        const std::string name = entry.path().stem().string();
        CAPTURE(name);
        const Run run = run_program({"compare", entry.path().string(), "--quick", "--out", (folder / name).string(), "--quiet"},
                                    folder.path());
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
