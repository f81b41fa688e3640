// The runner from inside: stopping it, what it says of its progress, memory that it gives back.
#include "job/load.hpp"
#include "job/runner.hpp"
#include "support.hpp"
#include "peers/peers.hpp"

#include <cstdlib>
#include <map>
#include <set>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace {

const char* const text = R"({"parallax": 1, "inputs": {"image": "h.png"},
    "steps": [
        {"id": "first", "run": "hologram", "in": {"hologram": "image"}, "wavelength_nm": 532, "pixel_um": 1.4,
            "distance_um": 1000, "padding": "none", "out": {"intensity": "half"}},
        {"id": "second", "run": "hologram", "in": {"hologram": "half"}, "wavelength_nm": 532, "distance_um": 1000,
            "padding": "none", "out": {"amplitude": "whole"}}
    ],
    "outputs": {"whole": "a/b/whole.npy", "half": "half.tif"}})";

}  // namespace

TEST_CASE("run: stopped at any stage, it leaves nothing; run through, everything") {
    const TempFolder folder;
    io::write(folder / "h.png", ramp(12, 10));
    const Registry registry = registry_with_peers();
    Locations where;
    where.job_folder = folder.path();
    where.out = folder / "out";
    const Prepared prepared = prepare(parse_job(parse_json(text, "text"), registry.algorithms()), where, false);
    CHECK(prepared.resolved.desc({1, "amplitude"}).describe() == "f32 10 x 12 (y, x)");
    Engine engine(*host::enumerate().native(), registry_with_peers());

    std::size_t stages = 0;
    double last = -1;
    for (std::size_t stop = 0;; ++stop) {
        stages = 0;
        last = -1;
        RunOptions options;
        options.cancelled = [&] { return stages == stop; };
        options.progress = [&](const std::string&, double done) {
            CHECK(done > last);
            last = done;
            ++stages;
        };
        REQUIRE(stop < 100);
        try {
            const JobResult result = run(prepared, engine, options);
            CHECK(result.steps.size() == 2);
            CHECK(result.outputs.size() == 2);
            break;
        } catch (const Error& error) {
            CHECK(contains(error.what(), "stopped on request"));
            CHECK(folder.listing() == std::vector<std::string>{"h.png"});
        }
        CHECK(engine.context().allocated() == 0);
    }
    CHECK(stages == 11);   // the plan, one input, two for each step and output, and the end
    CHECK(last == 1.0);
    CHECK(folder.listing() == std::vector<std::string>{"h.png", "out", "out/a", "out/a/b", "out/a/b/whole.npy", "out/half.tif"});
    CHECK(engine.context().allocated() == 0);
}

TEST_CASE("run: an output that appears after the checks is not touched") {
    const TempFolder folder;
    io::write(folder / "h.png", ramp(12, 10));
    const Registry registry = registry_with_peers();
    Locations where;
    where.job_folder = where.out = folder.path();
    const Prepared prepared = prepare(parse_job(parse_json(text, "text"), registry.algorithms()), where, false);
    write_text(folder / "half.tif", "someone else's");
    Engine engine(*host::enumerate().native(), registry_with_peers());
    CHECK_THROWS_AS(run(prepared, engine), IoError);
    CHECK(folder.listing() == std::vector<std::string>{"h.png", "half.tif"});
    CHECK(read_text(folder / "half.tif") == "someone else's");
}

TEST_CASE("the spacing of a job replaces that of the file and reaches the steps") {
    const TempFolder folder;
    io::write(folder / "h.png", ramp(12, 10));
    Json job = parse_json(text, "text");
    job["inputs"]["image"] = {{"file", "h.png"}, {"spacing_nm", {100, 200}}};
    const Registry registry = registry_with_peers();
    Locations where;
    where.job_folder = where.out = folder.path();
    const Prepared prepared = prepare(parse_job(job, registry.algorithms()), where, false);
    CHECK(prepared.inputs[0].desc.unit == "nm");
    CHECK(prepared.inputs[0].desc.find('x')->spacing == 100);
    CHECK(prepared.inputs[0].desc.find('y')->spacing == 200);
}

#if !defined(_WIN32)
TEST_CASE("a reader that others end says nothing of the file; one that ends itself calls it damaged") {
    const TempFolder folder;
    fs::create_directory(folder / "bin");
    fs::copy_file(std::getenv("PARALLAX_BIN"), folder / "bin/parallax");
    fs::create_directory(folder / "in.zarr");
    write_text(folder / "in.zarr/.zarray", R"({"zarr_format": 2, "shape": [4, 4], "chunks": [4, 4], "dtype": "|u1", "compressor": null,
                                             "fill_value": 0, "order": "C", "filters": null})");
    write_text(folder / "job.json", R"({"parallax": 1, "inputs": {"image": "in.zarr"}, "steps": [{"run": "box_filter", "radius": 1}],
                                       "outputs": {"image": "out.npy"}})");
    const fs::path reader = folder / "bin/parallax-read-zarr";
    for (const auto& [signal, by_others] : std::map<std::string, bool>{{"TERM", true}, {"KILL", true}, {"SEGV", false}}) {
        CAPTURE(signal);
        write_text(reader, "#!/bin/sh\nulimit -c 0\nkill -" + signal + " $$\n");
        fs::permissions(reader, fs::perms::owner_all);
        const Run run = run_program({"run", "job.json", "--device", "native"}, folder.path(), {}, {},
                                    {"sh", "-c", "shift; exec bin/parallax \"$@\"", "sh"});
        CAPTURE(run.err);
        CHECK(run.status == 1);
        CHECK(contains(run.err, "ended from outside") == by_others);
        CHECK(contains(run.err, "damaged") == !by_others);
    }
}
#endif
