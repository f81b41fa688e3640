// Nothing that a series writes takes the place of what any of its items reads, of the job, or of its records.
#include "frames.hpp"
#include "series/check.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

Json with(Json patch) {
    Json job = frames_job();
    job.merge_patch(patch);
    return job;
}

void write_detached(const fs::path& header, const std::string& elements) {
    write_text(header, "ObjectType = Image\nNDims = 2\nDimSize = 8 8\nElementType = MET_UCHAR\nElementDataFile = " + elements + "\n");
    write_text(header.parent_path() / elements, std::string(64, 'x'));
}

struct Refusal {
    std::vector<std::string> more;
    const char* says;
};

/// Each way to run it is refused, and nothing is touched.
void check_refused(const Folder& folder, const std::string& out, const std::vector<Refusal>& ways) {
    const auto before = contents(folder.path());
    for (const Refusal& way : ways) {
        CAPTURE(fmt::format("{}", fmt::join(way.more, " ")));
        const Run refused = run_job(folder.path(), out, way.more);
        CHECK(refused.status == 2);
        CHECK_MESSAGE(contains(refused.err, way.says), refused.err);
        CHECK((contents(folder.path()) == before));
    }
}

}  // namespace

TEST_CASE("kept: no item's output replaces the job or the file of --device") {
    const Json records = with({{"outputs", {{"sum", nullptr}, {"statistics", "{frame.stem}.json"}}}});
    Folder folder(2, records);
    io::write(folder / "frames/job.tif", frame(2));
    check_refused(folder, ".", {{{"--overwrite"}, "job.json, which is the job"}, {{"--resume"}, "the existing file job.json"}});
    fs::rename(folder / "frames/job.tif", folder / "frames/rules.tif");
    write_text(folder / "rules.json", R"({"backend": "native"})");
    const Run refused = run_program({"run", "job.json", "--out", ".", "--overwrite", "--device", "rules.json"}, folder.path());
    CHECK(refused.status == 2);
    CHECK(contains(refused.err, "rules.json, which is the file of --device"));
    CHECK(read_text(folder / "rules.json") == R"({"backend": "native"})");
}

TEST_CASE("kept: no item's output, nor a report, replaces a file that another item's input names, or what another item reads by its names") {
    Folder detached(0, with({{"for_each", {{"frame", "frames/*.mhd"}}}, {"outputs", {{"sum", "{frame.stem}.npy"}}}}));
    // The elements of b are where the first item's output would go.
    write_detached(detached / "frames/a.mhd", "a.raw");
    write_detached(detached / "frames/b.mhd", "a.npy");
    check_refused(detached, "frames",
                  {{{"--overwrite"}, "a.npy, which the series reads"},
                   {{"--resume"}, "the existing file"},
                   {{"--overwrite", "--report", "frames/a.raw"}, "a.npy, which the series reads"}});
    Json elsewhere = Json::parse(read_text(detached / "job.json"));
    elsewhere["outputs"]["sum"] = "sums/{frame.stem}.npy";
    write_text(detached / "job.json", elsewhere.dump());
    check_refused(detached, "out", {{{"--overwrite", "--report", "frames/a.raw"}, "a.raw, which is an input"},
                                    {{"--overwrite", "--trace", "frames/a.npy"}, "a.npy, which is an input"}});
    Folder named(2, with({{"inputs", {{"image", "flat/{frame.stem}.npy"}}}, {"outputs", {{"sum", "flat/{frame.index}.npy"}}}}));
    fs::create_directory(named / "flat");
    fs::rename(named / "frames/f000.tif", named / "frames/0001.tif");
    fs::rename(named / "frames/f001.tif", named / "frames/b.tif");
    for (const char* const name : {"0001", "b"}) io::write(named / fmt::format("flat/{}.npy", name), frame(3));
    check_refused(named, ".", {{{"--overwrite"}, "0001.npy, which the series reads"}});
}

TEST_CASE("kept: outputs and records that have one folder do not replace each other, nor go with a store") {
    for (const char* const name : {"made", "series", "found-0"}) {
        Folder folder(2, with({{"outputs", {{"sum", nullptr}, {"statistics", "{frame.stem}.json"}}}}));
        io::write(folder / fmt::format("frames/{}.tif", name), frame(2));
        check_refused(folder, "out", {{{"--manifest", "out"}, "which is a record of the series"},
                                      {{"--manifest", "out", "--overwrite"}, "which is a record of the series"}});
        CHECK_FALSE(fs::exists(folder / "out"));
        CHECK(run_job(folder.path(), "out", {"--quiet"}).status == 0);   // records have a folder of their own
        CHECK(engine::series::check(folder / "out/job.series", true).whole());
    }
    Folder store(2, with({{"outputs", {{"sum", {{"of", "sum"}, {"combine", "stack"}, {"file", "all.zarr"}}}}}}));
    check_refused(store, "out", {{{"--manifest", "out/all.zarr/records"}, "in which the series keeps its records"}});
    CHECK_FALSE(fs::exists(store / "out"));
}
