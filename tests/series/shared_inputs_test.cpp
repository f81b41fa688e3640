// Inputs that all items share: what was read is what the records say.
#include "frames.hpp"

#include "job/hashing.hpp"
#include "job/read.hpp"
#include "registry/registry.hpp"
#include "series/shared_inputs.hpp"
#include "support/helper.hpp"

#include <algorithm>
#include <vector>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace {

Json job_with_dark() {
    Json job = frames_job();
    job["inputs"]["dark"] = "dark.tif";
    job["steps"] = Json::parse(R"([{"run": "arithmetic", "op": "subtract", "in": {"other": "dark"}, "out": {"image": "sum"}}])");
    job["outputs"] = {{"sum", "sums/{frame.stem}.npy"}};
    return job;
}

/// Three frames and the dark one in a new folder, and the series done.
void run_with_dark(const fs::path& folder) {
    fs::create_directories(folder / "frames");
    write_frames(folder / "frames", 3);
    write_text(folder / "job.json", job_with_dark().dump());
    io::write(folder / "dark.tif", frame(50));
    REQUIRE(run_job(folder, "out").status == 0);
}

}  // namespace

TEST_CASE("series: a folder that was moved goes on with its input of all items, and not with another") {
    const TempFolder above;
    run_with_dark(above / "here");
    fs::rename(above / "here", above / "there");
    const Run moved = run_job(above / "there", "out", {"--resume"});
    CHECK_MESSAGE(moved.status == 0, moved.err);
    io::write(above / "there/dark.tif", frame(51), {.overwrite = true});
    CHECK(run_job(above / "there", "out", {"--resume"}).status == 2);
}

TEST_CASE("series: a file of one input of all items is none of another's, and a chunk stands where it stood") {
    Json job = job_with_dark();
    job["inputs"]["dark"] = {{"files", "dark*.tif"}, {"combine", "mean"}};
    job["inputs"]["flat"] = {{"files", "flat*.tif"}, {"combine", "mean"}};
    job["steps"] = Json::parse(R"([
        {"run": "convert", "type": "f32", "out": {"image": "real"}},
        {"id": "less", "run": "arithmetic", "op": "subtract", "in": {"image": "real", "other": "dark"}, "out": {"image": "sum"}},
        {"id": "more", "run": "arithmetic", "op": "add", "in": {"image": "sum", "other": "flat"}, "out": {"image": "all"}}])");
    job["outputs"] = {{"all", "sums/{frame.stem}.npy"}};
    const Folder folder(3, job);
    for (const char* const name : {"dark1", "dark2", "flat3"}) io::write(folder / (std::string(name) + ".tif"), frame(name[4]));
    const Run first = run_job(folder.path(), "out", {"--quiet"});
    REQUIRE_MESSAGE(first.status == 0, first.err);
    fs::rename(folder / "dark2.tif", folder / "flat0.tif");   // the same files in the same order
    fs::remove(folder / "out/sums/f001.npy");
    const Run exchanged = run_job(folder.path(), "out", {"--quiet", "--resume"});
    CHECK(exchanged.status == 2);
    CHECK(contains(exchanged.err, "another input of all items"));
    if (host::program_beside("parallax-read-zarr").empty()) return;
    const Folder other(3, [] {
        Json with_store = job_with_dark();
        with_store["inputs"]["dark"] = "dark.zarr";
        return with_store;
    }());
    fs::create_directories(other / "dark.zarr/0");
    fs::create_directories(other / "dark.zarr/1");
    write_text(other / "dark.zarr/.zarray", R"({"zarr_format": 2, "shape": [12, 16], "chunks": [6, 8], "dtype": "|u1", "compressor": null,
        "fill_value": 0, "order": "C", "filters": null, "dimension_separator": "/"})");
    for (const char* const chunk : {"0/0", "0/1"}) write_text(other / "dark.zarr" / chunk, std::string(48, chunk[2]));
    const Run of_store = run_job(other.path(), "out", {"--quiet"});
    REQUIRE_MESSAGE(of_store.status == 0, of_store.err);
    fs::rename(other / "dark.zarr/0/1", other / "dark.zarr/1/1");
    fs::remove(other / "out/sums/f001.npy");
    CHECK(run_job(other.path(), "out", {"--quiet", "--resume"}).status == 2);
}

TEST_CASE("series: a header of an earlier version knows inputs of all items by their paths") {
    const TempFolder above;
    run_with_dark(above / "here");
    const fs::path header = above / "here/out/job.series/series.json";
    Json before = Json::parse(read_text(header));
    CHECK(before["shared"][0]["input"] == "dark");
    before["shared"][0].erase("input");
    write_text(header, before.dump());
    fs::remove(above / "here/out/sums/f001.npy");
    const Run resumed = run_job(above / "here", "out", {"--resume"});
    CHECK_MESSAGE(resumed.status == 0, resumed.err);
    fs::rename(above / "here", above / "there");
    const Run moved = run_job(above / "there", "out", {"--resume"});
    CHECK(moved.status == 2);
    CHECK(contains(moved.err, "dark.tif, another input of all items"));
}

TEST_CASE("series: an input of all items that changes before it is read is an error, though its time was put back") {
    const Folder folder(3, job_with_dark());
    const fs::path dark = folder / "dark.tif";
    io::write(dark, frame(50));
    const std::vector<Algorithm> algorithms = all_algorithms();   // a job points to them
    const Locations where{folder.path(), {}, folder / "out"};
    const auto prepared = series::prepare_series(parse_job(job_with_dark(), algorithms), where, {.manifest = folder / "m.series"});
    const series::SharedInputs inputs(prepared);
    const auto read = [&] {
        InputWarnings warnings;
        std::vector<FileReport> files;
        const auto spec = std::find_if(prepared.job.inputs.begin(), prepared.job.inputs.end(),
                                       [](const InputSpec& input) { return input.name == "dark"; });
        read_input(*spec, prepared.shared.at("dark"), prepared.job.non_finite, {}, warnings, &files);
        return files;
    };
    CHECK_NOTHROW(inputs.check("dark", read()));
    const auto time = fs::last_write_time(dark);
    io::write(folder / "other.tif", frame(51));
    write_text(dark, read_text(folder / "other.tif"));   // in its place: the same file
    fs::last_write_time(dark, time);
    CHECK_THROWS_AS(inputs.check("dark", read()), IoError);
}
