// What is known of a series before it runs.
#include "frames.hpp"
#include "lines.hpp"

#include <algorithm>

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("series: plan says how many items there are and what they take") {
    const Folder folder(4);
    const Run run = run_program({"plan", "job.json", "--device", "native", "--json"}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const Json plan = Json::parse(run.out);
    CHECK(plan["series"]["items"] == 4);
    CHECK(plan["series"]["first"] == "frames/f000.tif");
    CHECK(plan["upper_bound_bytes"].get<std::uint64_t>() >=
          plan["series"]["devices"][0]["in_flight"].get<std::uint64_t>() * 2 * 192);
    CHECK(plan["series"]["host_bytes"].get<std::uint64_t>() >= 2 * 192);
    CHECK(folder.listing().size() == 6);   // nothing was written
    // A window is of no more frames than there are.
    const auto bytes_with = [&](std::int64_t window) {
        Json job = frames_job();
        job["inputs"]["image"] = {{"file", "{frame}"}, {"running", window}, {"combine", "median"}};
        write_text(folder / "job.json", job.dump());
        const Run large = run_program({"plan", "job.json", "--device", "native", "--json"}, folder.path());
        REQUIRE_MESSAGE(large.status == 0, large.err);
        return Json::parse(large.out)["series"]["host_bytes"].get<std::uint64_t>();
    };
    CHECK(bytes_with(4611686018427387903) == bytes_with(5));
}

TEST_CASE("series: plan has items as the run has them, whole and as many at once, and refuses what that refuses") {
    Json job = frames_job();
    // In C++ boxes take memory of their own beside the arrays: by that a plan cut items, or refused them, and no run did.
    job["steps"] = Json::parse(R"([{"run": "box_filter", "radius": 2, "out": {"image": "sum"}}])");
    job["outputs"].erase("statistics");
    const Folder folder(4, job);
    for (const int limit : {383, 384, 500, 1000, 100000}) {
        CAPTURE(limit);
        const std::string setting = fmt::format("memory_limit={}", limit), out = fmt::format("out-{}", limit);
        const Run plan = run_program({"plan", "job.json", "--device", "native", "--set", setting, "--json"}, folder.path());
        const Run run = run_program({"run", "job.json", "--device", "native", "--set", setting, "--out", out, "--quiet", "--report",
                                     out + ".report.json"},
                                    folder.path());
        CAPTURE(plan.err);
        CAPTURE(run.err);
        CHECK((run.status == 0) == (limit >= 2 * 192));   // an item and what is made of it
        REQUIRE((plan.status == 0) == (run.status == 0));
        if (run.status != 0) continue;
        const Json said = Json::parse(plan.out), done = Json::parse(read_text(folder / (out + ".report.json")));
        CHECK(said["spills"] == false);
        CHECK(said["steps"][0]["tiles"].is_null());
        CHECK(said["steps"][0]["slab"] == 0);
        CHECK(said["steps"][0]["variant"] == done["steps"][0]["variant"]);
        CHECK(said["series"]["devices"][0]["in_flight"] == done["devices"][0]["in_flight"]);
    }
    // Nor does a run have slabs, of what all items share either.
    io::write(folder / "shared.npy", frame(7));
    job["inputs"]["shared"] = {{"file", "shared.npy"}, {"slab", 2}};
    job["steps"].push_back({{"run", "reduce"}, {"in", {{"array", "shared"}}}});
    job["outputs"]["statistics"] = {{"table", "statistics.csv"}};
    write_text(folder / "job.json", job.dump());
    for (const std::vector<std::string>& words : {std::vector<std::string>{"plan", "job.json"}, {"run", "job.json", "--out", "slabs"}}) {
        std::vector<std::string> all = words;
        all.insert(all.end(), {"--device", "native"});
        const Run refused = run_program(all, folder.path());
        CAPTURE(refused.err);
        CHECK(refused.status == 2);
        CHECK(contains(refused.err, "a slab in a series"));
    }
}
