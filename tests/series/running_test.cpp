// A running input takes the frames around an item: whatever happens to those between runs, the results are those of one run over
// what is there, and what has not changed is not done again.
#include "frames.hpp"
#include "seed.hpp"
#include "support/sanitizers.hpp"

#include <random>

using namespace parallax;
using namespace parallax::tests;

namespace {

Json running_job() {
    return Json::parse(R"({"parallax": 1, "for_each": {"frame": "frames/*.tif", "on_error": "continue"},
        "inputs": {"image": "{frame}", "around": {"file": "{frame}", "running": 3, "combine": "mean"},
                   "far": {"file": "{frame}", "running": 5, "combine": "median"}},
        "steps": [{"id": "f", "run": "convert", "type": "f32", "out": {"image": "own"}},
                  {"id": "a", "run": "arithmetic", "op": "subtract", "in": {"image": "own", "other": "around"}, "out": {"image": "r"}},
                  {"id": "b", "run": "arithmetic", "op": "add", "in": {"image": "r", "other": "far"}, "out": {"image": "sum"}}],
        "outputs": {"sum": "sums/{frame.stem}.npy", "mean": {"of": "sum", "file": "mean.npy", "combine": "mean"}}})");
}

void change(const Folder& folder, int i, int to) {
    const fs::path file = folder / "frames" / (frame_name(i) + ".tif");
    fs::remove(file);
    io::write(file, frame(to));
}

}  // namespace

TEST_CASE("running: what has frames around it that changed is done again, and nothing else, by whoever goes on") {
    Json job = running_job();
    job["outputs"].erase("mean");   // of which no item can be taken out again: all are added anew
    const Folder folder(9, job);
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    REQUIRE(run_job(folder.path(), "out", {"--quiet", "--resume"}).status == 0);
    for (const auto& [item, times] : times_done(folder / "out/job.series")) CHECK(times == 1);
    change(folder, 4, 100);
    for (const char* const shard : {"1/2", "2/2"})
        CHECK(run_job(folder.path(), "out", {"--quiet", "--resume", "--shard", shard}).status == 0);
    CHECK(run_job(folder.path(), "out", {"--quiet", "--resume"}).status == 0);
    for (const auto& [item, times] : times_done(folder / "out/job.series")) {
        CAPTURE(item);
        const int number = std::stoi(item.substr(item.find("/f") + 2));
        CHECK(times == (number >= 2 && number <= 6 ? 2 : 1));
    }
    REQUIRE(run_job(folder.path(), "fresh", {"--quiet"}).status == 0);
    CHECK(contents(folder / "out") == contents(folder / "fresh"));
}

TEST_CASE("running: a window of very many frames costs as many for each item, and not their square") {
    Json job = Json::parse(R"({"parallax": 1, "for_each": {"frame": {"pages": "pages.npy"}},
        "inputs": {"image": {"file": "{frame}", "running": 3001, "combine": "mean"}},
        "steps": [{"run": "reduce", "in": {"array": "image"}}], "outputs": {"value": {"table": "t.csv"}}})");
    const Folder folder(0, job);
    io::write(folder / "pages.npy", HostArray::make(ArrayDesc::dense(ElementType::u8, {{'t', 1500}, {'y', 2}, {'x', 2}})));
    const Run run = run_program({"run", "job.json", "--out", "out", "--device", "native", "--quiet", "--no-sync"}, folder.path(), {}, {},
                                {"sh", "-c", std::string("ulimit -t ") + (PARALLAX_ADDRESS_SANITIZER ? "90" : "12") + "; exec \"$@\"", "sh"});   // with the square 18 s
    CHECK_MESSAGE(run.status == 0, run.err);
}

TEST_CASE("running: the results of drawn histories of changes, shards, stops and runs that go on are those of one run") {
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    int changes = 100;
    for (int draw = 0; draw < drawn_count(4); ++draw) {
        CAPTURE(draw);
        const Folder folder(7, running_job());
        std::string history;
        std::vector<std::string> how{"--quiet"};
        for (int event = 0; event < 6; ++event) {
            const int what = static_cast<int>(random() % 5), item = static_cast<int>(random() % 7);
            if (what == 0) {
                change(folder, item, ++changes);
                history += fmt::format("change {}; ", item);
            } else if (what == 1) {   // ends in the midst
                shell(folder.path(), fmt::format("\"$P\" run job.json --out out --device native --quiet --resume > /dev/null 2>&1 & "
                                                 "sleep .0{}; kill -9 $! 2> /dev/null; wait", random() % 9));
                history += "kill; ";
            } else if (what == 2) {
                const auto shard = fmt::format("{}/2", 1 + random() % 2);
                run_job(folder.path(), "out", {"--quiet", "--resume", "--shard", shard});
                history += "shard " + shard + "; ";
            } else if (what == 3) {
                const fs::path file = folder / "frames" / (frame_name(item) + ".tif");
                if (fs::exists(file)) fs::rename(file, folder / "away");
                run_job(folder.path(), "out", {"--quiet", "--resume"});
                if (fs::exists(folder / "away")) fs::rename(folder / "away", file);
                history += fmt::format("without {}; ", item);
            } else {
                run_job(folder.path(), "out", {"--quiet", "--resume"});
                history += "resume; ";
            }
        }
        CAPTURE(history);
        const Run run = run_job(folder.path(), "out", {"--quiet", "--resume"});
        CAPTURE(run.err);
        CHECK(run.status == 0);
        REQUIRE(run_job(folder.path(), "fresh", {"--quiet"}).status == 0);
        CHECK(contents(folder / "out") == contents(folder / "fresh"));
    }
}
