// Films: for how long each frame is shown.
#include <fmt/format.h>

#include "io/support.hpp"
#include "jobs/support.hpp"
#include "support/helper.hpp"

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("films: a pace that GIF has not is refused before anything runs, and a slow one is told") {
    if (host::program_beside("parallax-read-gif").empty()) {
        MESSAGE("skipped: the program that writes GIF is not built");
        return;
    }
    const TempFolder folder;
    const auto run = [&](double apart, const char* more) {
        HostArray stack = pattern(ArrayDesc::dense(ElementType::u8, {{'t', 3}, {'y', 4}, {'x', 5}}));
        stack.desc = stack.desc.with_spacing('t', apart);
        io::write(folder / "in.ome.tif", stack, {.overwrite = true});
        write_text(folder / "job.json",
                   fmt::format(R"({{"parallax": 1, "device": {{"backend": "native"}}, "inputs": {{"image": "in.ome.tif"}},
                               "steps": [{{"run": "arithmetic", "value": 1}}],
                               "outputs": {{"image": {{"file": "o.gif"{}}}}}}})",
                               more));
        return run_program({"run", "job.json", "--overwrite", "--report", "r.json"}, folder.path());
    };
    const Run refused = run(1000, "");
    CHECK(refused.status == 2);
    CHECK(contains(refused.err, "/outputs/image"));
    CHECK(contains(refused.err, "GIF shows a frame for up to 655.35 s, and these would be shown for 1000 s each"));
    CHECK(contains(refused.err, "\"frames_a_second\" of the output"));
    CHECK_FALSE(contains(refused.err, "did you mean"));   // its ending is no mistake of the pen
    struct Row { double apart; const char *more, *told; };
    for (const Row& row : {Row{1000, R"(, "frames_a_second": 5)", nullptr}, {0.04, "", nullptr},
                           {120, "", "its 3 frames are shown for 120 s each"}, {0.001, "", "go at 100 a second"}}) {
        CAPTURE(row.apart);
        const Run made = run(row.apart, row.more);
        CAPTURE(made.err);
        REQUIRE(made.status == 0);
        const Json report = Json::parse(read_text(folder / "r.json"));
        CHECK(report["outputs"]["image"].contains("warnings") == (row.told != nullptr));
        if (row.told == nullptr) continue;
        CHECK(contains(made.err, row.told));
        CHECK(contains(report["outputs"]["image"]["warnings"][0].get<std::string>(), row.told));
    }
}
