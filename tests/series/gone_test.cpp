// What a series writes to goes away, grows beyond a limit, or holds what another series has left.
#include "series/check.hpp"
#include "watching_run.hpp"

using namespace parallax;
using namespace parallax::tests;
using engine::series::check;

namespace {

/// Frames of 90,000 bytes, all in one file.
Json film_job() {
    Json job = frames_job();
    job["steps"].erase(1);
    job["outputs"] = {{"film", {{"of", "sum"}, {"file", "film.npy"}, {"combine", "stack"}}}};
    return job;
}

void write_wide_frames(const fs::path& folder, int count) {
    for (int i = 0; i < count; ++i) {
        HostArray wide = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 300}, {'x', 300}}));
        std::fill_n(wide.as<std::uint8_t>(), 90000, static_cast<std::uint8_t>(i));
        io::write(folder / (frame_name(i) + ".tif"), wide, {.overwrite = true});
    }
}

std::uintmax_t bytes_in(const fs::path& folder) {
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder)) bytes += fs::file_size(entry.path());
    return bytes;
}

std::vector<fs::path> states_in(const fs::path& manifest) {
    std::vector<fs::path> states;
    for (const auto& entry : fs::directory_iterator(manifest))
        if (entry.path().filename().string().starts_with("fold-")) states.push_back(entry.path());
    return states;
}

Json job_of_all() {
    Json job = frames_job();
    job["outputs"]["mean"] = {{"of", "sum"}, {"file", "mean.npy"}, {"combine", "mean"}};
    job["outputs"]["all"] = {{"of", "sum"}, {"file", "all.npy"}, {"combine", "stack"}};
    return job;
}

}  // namespace

#if !defined(_WIN32)

TEST_CASE("series: a folder of outputs, a manifest or records that go away while it runs are an error") {
    // What is noticed first depends on the moment: the file of records, its folder, or a folder of outputs that an item has made anew.
    for (const char* what : {"rm -rf out/job.series", "rm out/job.series/items-*", "mv out out.kept", "mv out out.kept && mkdir -p out"}) {
        CAPTURE(what);
        const Folder folder(1500);
        const int status = shell(folder.path(),
                                 fmt::format("\"$P\" run job.json --out out --device native --writers 1 --report report.json 2> log & "
                                             "p=$!; while ! ls out/job.series/items-* && kill -0 $p; do sleep 0.01; done > ls 2>&1; {}; wait $p",
                                             what));
        const std::string log = read_text(folder / "log");
        CAPTURE(log);
        CHECK(status == 1);
        CHECK((contains(log, "has gone while the series ran") || contains(log, "is another than when the series began")));
        CHECK(contains(log, "--resume"));
        CHECK_FALSE(contains(log, "other shards"));
        CHECK_FALSE(fs::exists(folder / "report.json"));
        CHECK_FALSE(fs::exists(folder / "out/statistics.csv"));
        if (fs::exists(folder / "out.kept")) REQUIRE(shell(folder.path(), "rm -rf out && mv out.kept out") == 0);
        // Without records there is nothing to go on with, and nothing that says whose the files are.
        const bool has_records = fs::exists(folder / "out/job.series") && !contains(what, "items-");
        const char* const how = has_records ? "--resume" : "--overwrite";
        const bool has_outputs = fs::exists(folder / "out/sums/f000.npy") || fs::exists(folder / "out/sums/f001.npy");   // it may end before
        if (!has_records && has_outputs) {
            const Run run = run_job(folder.path(), "out", {"--resume", "--quiet"});
            CHECK(run.status == 2);
            CHECK(contains(run.err, "--overwrite"));
        }
        CHECK(run_job(folder.path(), "out", {how, "--quiet"}).status == 0);
        CHECK(fs::exists(folder / "out/statistics.csv"));
    }
}

TEST_CASE("watch: a manifest that goes ends the watch with an error") {
    const Folder folder(1);
    WatchingRun run(folder.path(), {"--idle", "60"});
    run.has_done({"f000"});
    fs::remove_all(folder / "out/job.series");
    io::write(folder / "frames/f001.tif", frame(1));
    const Run end = run.wait_for_end();
    CAPTURE(end.err);
    CHECK(end.status == 1);
    CHECK(contains(end.err, "the folder of the manifest"));
    CHECK(run_job(folder.path(), "out", {"--resume", "--quiet"}).status == 2);
    CHECK(run_job(folder.path(), "out", {"--overwrite", "--quiet"}).status == 0);
}

#endif

TEST_CASE("series: the limit on outputs counts frames and records that are kept beside them") {
    const Folder folder(0, film_job());
    write_wide_frames(folder / "frames", 12);
    REQUIRE(run_job(folder.path(), "whole", {"--quiet"}).status == 0);
    const Run frames = run_job(folder.path(), "out", {"--quiet", "--limit", "output=390KiB"});
    CAPTURE(frames.err);
    CHECK(frames.status == 1);
    CHECK(contains(frames.err, "of the limit on outputs"));
    CHECK(bytes_in(folder / "out/job.series") < 400000 + 90000);
    CHECK(run_job(folder.path(), "out", {"--quiet", "--resume"}).status == 0);
    CHECK(contents(folder / "out") == contents(folder / "whole"));

    const Folder many(100);
    const Run records = run_job(many.path(), "out", {"--quiet", "--limit", "output=58KiB"});
    CAPTURE(records.err);
    CHECK(records.status == 1);
    CHECK(contains(records.err, "of the limit on outputs"));
    CHECK(bytes_in(many / "out/job.series") < 60000);
}

TEST_CASE("series check: looks at what was made of all items, too") {
    const Folder folder(4, job_of_all());
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    const fs::path manifest = folder / "out/job.series";
    CHECK(check(manifest, true).whole());
    CHECK(check(manifest, true).made == 3);
    for (const char* const name : {"statistics.csv", "mean.npy", "all.npy"}) {
        CAPTURE(name);
        const fs::path file = folder / "out" / name;
        std::string text = read_text(file);
        const auto time = fs::last_write_time(file);
        text.back() ^= 1;
        write_text(file, text);
        fs::last_write_time(file, time);
        CHECK(check(manifest, false).whole());   // size and time are trusted
        CHECK_FALSE(check(manifest, true).whole());
        fs::remove(file);
        const Run missing = run_program({"series", "check", "out/job.series"}, folder.path());
        CHECK(missing.status == 1);
        CHECK(contains(missing.out, fmt::format("{}, made of all items, is missing", name)));
        REQUIRE(run_job(folder.path(), "out", {"--resume", "--quiet"}).status == 0);
        CHECK(check(manifest, true).whole());
    }
    write_text(manifest / "made.json", "{}");
    CHECK_FALSE(check(manifest, false).whole());
    fs::remove(manifest / "made.json");   // as versions before leave it
    const Run before = run_program({"series", "check", "out/job.series"}, folder.path());
    CHECK(before.status == 0);
    CHECK(contains(before.out, "what is made of all items is not recorded"));
}

TEST_CASE("series check: where frames come or go, other items write the same files, and only the last record of each counts") {
    Json job = frames_job();
    job["for_each"] = {{"frame", "frames/*.tif"}, {"dark", "darks/*.tif"}};
    job["inputs"]["dark"] = "{dark}";
    job["steps"] = Json::parse(R"([{"run": "arithmetic", "op": "subtract", "in": {"other": "dark"}, "out": {"image": "sum"}}])");
    job["outputs"] = {{"sum", "sums/{frame.stem}.npy"}, {"second", {{"of", "sum"}, {"file", "second/{frame.stem}.npy"}}}};
    const Folder folder(4, job);
    fs::create_directory(folder / "darks");
    write_frames(folder / "darks", 4);
    const fs::path manifest = folder / "out/job.series";
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    struct Row {
        const char* what;
        int gone_frame, gone_dark;   ///< -1: another comes
        std::size_t done;            ///< with the item of a frame that has gone, whose output is there
    };
    for (const Row& row : {Row{"the last frame and the first dark go", 3, 0, 4}, Row{"a frame and a dark come before all others", -1, -1, 5}}) {
        CAPTURE(std::string(row.what));
        for (const auto& [name, gone] : {std::pair("frames", row.gone_frame), std::pair("darks", row.gone_dark)}) {
            if (gone >= 0) fs::remove(folder / name / (frame_name(gone) + ".tif"));
            else io::write(folder / name / "a.tif", frame(20 + static_cast<int>(name[0])));
        }
        REQUIRE(run_job(folder.path(), "out", {"--resume", "--quiet"}).status == 0);
        const auto found = check(manifest, true);
        CAPTURE(found.problems);
        CHECK(found.whole());
        CHECK(found.done == row.done);
    }
    write_text(folder / "out/sums/f001.npy", "another");
    const auto found = check(manifest, true);
    REQUIRE(found.problems.size() == 1);
    CHECK(contains(found.problems.front(), "frames/f001.tif + darks/"));
    REQUIRE(run_job(folder.path(), "out", {"--resume", "--quiet"}).status == 0);   // which does it again, as it was told
    CHECK(check(manifest, true).whole());
}

TEST_CASE("series check: a failed item whose file is gone beside others is no damage; what was made of one that is gone is told") {
    const Folder folder(4);
    const fs::path manifest = folder / "out/job.series";
    write_text(folder / "frames/f009.tif", "no image");
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 1);
    CHECK(check(manifest, false).failed == 1);
    fs::rename(folder / "frames", folder / "away");
    CHECK(check(manifest, false).failed == 1);   // a drive that is not there says nothing
    fs::rename(folder / "away", folder / "frames");
    fs::remove(folder / "frames/f009.tif");
    REQUIRE(run_job(folder.path(), "out", {"--resume", "--quiet"}).status == 0);
    const auto whole = check(manifest, false);
    CHECK(whole.whole());
    CHECK(whole.done == 4);
    CHECK(whole.gone == 1);
    fs::remove(folder / "frames/f001.tif");
    CHECK(check(manifest, false).whole());
    fs::remove(folder / "out/sums/f001.npy");
    fs::remove(folder / "out/sums/f003.npy");
    const auto found = check(manifest, false);
    REQUIRE(found.problems.size() == 2);
    CHECK(contains(found.problems.front(), "its own files are gone"));
    CHECK(!contains(found.problems.back(), "its own files are gone"));
}

TEST_CASE("series: states of other items of the same names are not used, nor one a second time") {
    const Folder folder(5, job_of_all());
    REQUIRE(run_job(folder.path(), "before", {"--quiet"}).status == 0);
    for (int i = 0; i < 5; ++i)
        io::write(folder / ("frames/" + frame_name(i) + ".tif"), frame(50 + i), {.overwrite = true});
    REQUIRE(run_job(folder.path(), "whole", {"--quiet"}).status == 0);
    const fs::path manifest = folder / "out/job.series";
    const auto resumed = [&] {
        for (const char* const name : {"mean.npy", "all.npy"}) fs::remove(folder / "out" / name);
        const Run run = run_job(folder.path(), "out", {"--resume", "--quiet"});
        CAPTURE(run.err);
        CHECK(run.status == 0);
        CHECK(contents(folder / "out") == contents(folder / "whole"));
    };
    for (const bool own_too : {true, false}) {
        CAPTURE(own_too);
        fs::remove_all(folder / "out");
        REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
        if (!own_too)
            for (const fs::path& state : states_in(manifest)) fs::remove(state);
        for (const fs::path& state : states_in(folder / "before/job.series")) fs::copy_file(state, manifest / state.filename());
        resumed();
    }
    for (const fs::path& state : states_in(manifest))
        if (state.extension() == ".json") fs::copy_file(state, manifest / "fold-1-2-3.json");
    resumed();
    for (const fs::path& state : states_in(manifest)) {   // as earlier versions have it
        if (state.extension() != ".json") continue;
        Json json = Json::parse(read_text(state));
        for (const char* const key : {"read", "checksum"}) json.erase(key);
        json["checksum"] = io::hash_text(json.dump());
        write_text(state, json.dump());
    }
    resumed();
}
