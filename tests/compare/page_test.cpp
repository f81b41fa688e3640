// What a buyer reads off the page, in a real browser: what is asked there is answered, or said to be no question for this page.
#include "compare/browser.hpp"
#include "jobs/support.hpp"
#include "parallax/host/json.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

/// The shipped report of an H200 and 16 cores, each in two ways, as a page with prices.
fs::path page_of_four(const TempFolder& folder) {
    const auto results = repository("results");
    REQUIRE(results);
    const Run run = run_program({"report", (*results / "h200_two_minutes/buy").string(), "--price", "H200=31000 EUR", "--price",
                                 "Xeon=9000 EUR", "--out", (folder / "made").string()},
                                folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    return folder / "made/report.html";
}

/// The first table of the answer, when `script` has done in the page what a reader does.
std::string answer_in(const fs::path& page, const TempFolder& folder, const std::string& script) {
    std::string text = read_text(page);
    const std::size_t end = text.rfind("</body>");
    REQUIRE(end != std::string::npos);
    write_text(folder / "asked.html", text.insert(end, "<script>" + script + "</script>"));
    const std::string dom = page_in_browser(folder / "asked.html", folder);
    CHECK_FALSE(contains(dom, "data-error"));
    const std::size_t begins = dom.find("id=\"answer\"");
    REQUIRE(begins != std::string::npos);
    return dom.substr(begins, dom.find("</section>", begins) - begins);
}

std::string typed(const std::string& box, const std::string& text) {
    return "{const box = document.querySelector('[aria-label=\"" + box + "\"]'); box.value = '" + text +
           "'; box.dispatchEvent(new Event('change'));}";
}

}   // namespace

TEST_CASE("page: one piece of hardware has one price, however many devices it appears as, and cells hold their intervals") {
    if (browser().empty()) {
        MESSAGE("no Chromium on this machine (Debian: chromium-headless-shell): pages are not looked at");
        return;
    }
    const TempFolder folder;
    const fs::path page = page_of_four(folder);
    const std::string plain = answer_in(page, folder, "");
    CHECK(count_of(plain, "31000 EUR") == 1);
    CHECK(count_of(plain, "9000 EUR") == 1);
    CHECK(count_of(plain, "one piece of hardware, 2 ways to use it") == 2);
    // Against PoCL, the best of the processor's ways: no ratio by price for the other way of the same processor.
    CHECK(count_of(plain, "for the price") == 2 * 10);   // H200 by OpenCL and CUDA, nine cases and their mean
    CHECK(contains(plain, "12.2× to 13.1×"));            // of a ratio, in its cell
    CHECK(contains(plain, "(853.8 us to 876.5 us)"));    // of a time
    // One that is switched off leaves its head narrower.
    const std::string fewer = answer_in(page, folder, "document.querySelectorAll('.filter input')[2].click();");
    CHECK(count_of(fewer, "one piece of hardware, 2 ways to use it") == 1);
    CHECK(count_of(fewer, "31000 EUR") == 1);
    // A second card of the same name is another piece.
    std::string text = read_text(page);
    const std::string way = "NVIDIA H200, CUDA";
    for (std::size_t at = text.find(way); at != std::string::npos; at = text.find(way, at))
        text.replace(at, way.size(), "NVIDIA H200, OpenCL #2");
    write_text(folder / "two_cards.html", text);
    const std::string two = answer_in(folder / "two_cards.html", folder, "");
    CHECK(count_of(two, "one piece of hardware, 2 ways to use it") == 1);
    CHECK(count_of(two, "31000 EUR") == 2);
}

TEST_CASE("page: frames of another size are no question for it, and what was measured is answered") {
    if (browser().empty()) return;
    const TempFolder folder;
    const fs::path page = page_of_four(folder);
    const std::string other = answer_in(page, folder, typed("pixels of a frame", "1920 x 1080"));
    CHECK_FALSE(contains(other, "60/s: yes"));
    CHECK(count_of(other, "not measured at that size") == 6 * 4);   // the cases that say how many frames a second
    CHECK(contains(other, "a guess by pixels: 4000/s"));
    CHECK(contains(other, "cannot be answered from this page"));
    CHECK(contains(other, "parallax compare --job JOB"));
    const std::string measured =
        answer_in(page, folder, typed("pixels of a frame", "3072x2304") + typed("frames a second", "5000"));
    CHECK(count_of(measured, "5000/s: no") == 4);
    CHECK(
        contains(answer_in(page, folder, typed("pixels of a frame", "large")), "is no size of a frame: write it as 1920 x 1080"));
    CHECK(contains(answer_in(page, folder, typed("frames a second", "500")), "500/s: yes, 2.3"));
}

TEST_CASE("page: a price of no device is refused, and so is one that is no amount") {
    const TempFolder folder;
    const auto results = repository("results");
    REQUIRE(results);
    const auto said = [&](const std::string& price) {
        const Run run = run_program({"report", (*results / "h200_two_minutes/buy").string(), "--price", price, "--out", "made"},
                                    folder.path());
        CHECK(run.status == 2);
        CHECK_FALSE(fs::exists(folder / "made"));
        return run.err;
    };
    CHECK(contains(said("H2000=31000 EUR"), "\"H2000\", which is part of no device's name"));
    CHECK(contains(said("H2000=31000 EUR"), "NVIDIA H200, OpenCL"));
    for (const char* amount :
         {"inf EUR", "nan EUR", "-1 EUR", "0 EUR", "31,000 EUR", "31 000 EUR", "31.000 EUR", "EUR 31000", "31000"}) {
        CAPTURE(amount);
        CHECK(contains(said(std::string("H200=") + amount), "an amount with its currency"));
    }
    const Run compared =
        run_program({"compare", "buy", "--quick", "--device", "native", "--price", "H200=1 EUR", "--out", "out"}, folder.path());
    CHECK(compared.status == 2);
    CHECK(contains(compared.err, "part of no device's name"));
    CHECK_FALSE(fs::exists(folder / "out"));
}

TEST_CASE("page: on paper the answer says against what it is, and no figure is taller than a sheet") {
    if (browser().empty()) return;
    const TempFolder folder;
    const fs::path page = page_of_four(folder);
    const std::string tallest = "Math.max(...[...document.querySelectorAll('.figure')].map(one => one.offsetHeight))";
    const auto within = [&](const std::string& event) {
        return answer_in(page, folder,
                         "dispatchEvent(new Event('" + event + "')); document.getElementById('answer').append(" + tallest +
                             " <= 880 ? 'on a sheet' : 'taller than a sheet');");
    };
    CHECK(contains(within("beforeprint"), "on a sheet"));
    CHECK(contains(within("none"), "taller than a sheet"));   // 36 rows, on a screen
    CHECK(contains(within("none"), "times as fast as Intel Xeon Processor, PoCL; by end to end"));
}
