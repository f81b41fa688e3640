// Series from the command line: what they survive, and what --resume does then.
#include "frames.hpp"
#include "lines.hpp"
#include "seed.hpp"
#include "support/helper.hpp"

#include <chrono>
#include <fstream>
#include <numeric>
#include <random>
#include <thread>

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("series: a poisoned item fails alone; the rest is done; --resume tries it again") {
    const Folder folder(9);
    write_text(folder / "frames/f004.tif", "no image");
    fs::create_directories(folder / "out/sums");
    fs::create_directories(folder / "out/sums/f006.npy/full");   // a folder where the file should go
    const Run run = run_job(folder.path(), "out");
    CAPTURE(run.err);
    CHECK(run.status == 2);   // that is seen before anything is begun
    fs::remove_all(folder / "out");
    const Run poisoned = run_job(folder.path(), "out");
    CAPTURE(poisoned.err);
    CHECK(poisoned.status == 1);
    CHECK(contains(poisoned.err, "1 of 9 items failed"));
    CHECK(contains(poisoned.err, "frames/f004.tif: "));
    CHECK(contents(folder / "out").size() == 9);   // eight sums and the table
    CHECK(lines_of(folder / "out/statistics.csv").size() == 9);
    io::write(folder / "new.tif", frame(4));
    fs::rename(folder / "new.tif", folder / "frames/f004.tif");
    const Run resumed = run_job(folder.path(), "out", {"--resume"});
    CAPTURE(resumed.err);
    CHECK(resumed.status == 0);
    CHECK(contains(resumed.err, "1 of 9 items done"));
    CHECK(contains(resumed.err, "8 were done before"));
    CHECK(lines_of(folder / "out/statistics.csv").size() == 10);
}

TEST_CASE("series: on_error stop ends it after the first failure, and nothing is half-written") {
    Json job = frames_job();
    job["for_each"]["on_error"] = "stop";
    const Folder folder(60, job);
    write_text(folder / "frames/f005.tif", "no image");
    const Run run = run_job(folder.path(), "out", {"--readers", "1"});
    CAPTURE(run.err);
    CHECK(run.status == 1);
    CHECK(contains(run.err, "stopped with"));
    const auto files = contents(folder / "out");
    CHECK(files.size() >= 5);
    CHECK(files.size() < 40);
    CHECK(files.count("statistics.csv") == 0);
    for (const auto& [name, text] : files) CHECK(name.ends_with(".npy"));
}

TEST_CASE("series: --resume of what was not begun replaces nothing") {
    const Folder folder(3);
    const Run first = run_job(folder.path(), "out");
    REQUIRE(first.status == 0);
    const fs::path record = folder / "out/job.series";
    REQUIRE(fs::exists(record));
    fs::remove_all(record);
    const Run resumed = run_job(folder.path(), "out", {"--resume"});
    CHECK(resumed.status == 2);
    CHECK(contains(resumed.err, "--overwrite"));
    const Run again = run_job(folder.path(), "other", {"--resume"});   // it begins
    CHECK(again.status == 0);
}

TEST_CASE("series: from another folder --resume finds what is done") {
    Json job = frames_job();
    job["inputs"]["other"] = "frames/f000.tif";
    job["steps"][0]["in"] = {{"image", "image"}, {"other", "other"}};
    job["steps"][0].erase("value");
    const Folder folder(4, job);
    fs::create_directories(folder / "else/where");
    const auto run_in = [&](const std::string& there, const std::string& back) {
        return run_program({"run", back + "job.json", "--out", back + "out", "--resume", "--device", "native"}, folder / there);
    };
    REQUIRE(run_in(".", "").status == 0);
    const auto before = contents(folder / "out");
    struct Row { const char *there, *back; };
    for (const Row row : {Row{"else", "../"}, Row{"else/where", "../../"}, Row{"out", "../"}, Row{".", "./"},
                          Row{"frames", "../else/../"}}) {
        CAPTURE(std::string(row.there));
        const Run run = run_in(row.there, row.back);
        CAPTURE(run.err);
        CHECK(run.status == 0);
        CHECK(contains(run.out + run.err, "4 of 4 items were done before"));
    }
    CHECK(contents(folder / "out") == before);
}

TEST_CASE("series: --resume finds what is done though a folder that the path to it led through is gone") {
    const Folder folder(3, frames_job());
    const auto run_to = [&](const char* out) {
        return run_program({"run", "job.json", "--out", out, "--resume", "--device", "native"}, folder.path());
    };
    fs::create_directories(folder / "gone");
    REQUIRE(run_to("gone/../out").status == 0);
    fs::remove(folder / "gone");
    const Run second = run_to("out");
    CAPTURE(second.err);
    CHECK(second.status == 0);
    CHECK(contains(second.out + second.err, "3 of 3 items were done before"));
}

TEST_CASE("series: a copy of the job beside other frames does not take this one's results for its own") {
    Json job = frames_job();
    const Folder here(3, job), there(3, job);
    const std::string out = (here / "out").string();
    const auto run_in = [&](const fs::path& folder, std::vector<std::string> more) {
        std::vector<std::string> arguments{"run", "job.json", "--out", out, "--device", "native"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(arguments, folder);
    };
    REQUIRE(run_in(here.path(), {}).status == 0);
    const Run copy = run_in(there.path(), {"--resume"});
    CAPTURE(copy.out + copy.err);
    CHECK_FALSE(contains(copy.out + copy.err, "3 of 3 items were done before"));
    const Run again = run_in(there.path(), {"--resume"});
    CHECK(contains(again.out + again.err, "3 of 3 items were done before"));
}

TEST_CASE("series: one that ends before it has done anything leaves no record in the way of the mended job") {
    Json job = frames_job();
    job["device"] = {{"backend", "native"}};
    job["steps"][0]["variant"] = "device";   // which the native device does not have
    const Folder folder(2, job);
    const Run refused = run_program({"run", "job.json", "--out", "out"}, folder.path());
    CAPTURE(refused.err);
    CHECK(refused.status != 0);
    job["steps"][0].erase("variant");
    write_text(folder / "job.json", job.dump());
    fs::create_directories(folder / "out/sums");   // of it nothing has been begun: what has a result's name is somebody else's
    write_text(folder / "out/sums/f001.npy", "of somebody else");
    for (const std::vector<std::string>& how : {std::vector<std::string>{"--resume"}, {"--resume", "--shard", "2/2"}}) {
        std::vector<std::string> arguments{"run", "job.json", "--out", "out"};
        arguments.insert(arguments.end(), how.begin(), how.end());
        const Run run = run_program(arguments, folder.path());
        CHECK(run.status == 2);
        CHECK(contains(run.err, "the existing file"));
        CHECK(read_text(folder / "out/sums/f001.npy") == "of somebody else");
    }
    fs::remove(folder / "out/sums/f001.npy");
    const Run mended = run_program({"run", "job.json", "--out", "out"}, folder.path());
    CAPTURE(mended.err);
    CHECK(mended.status == 0);
}

TEST_CASE("series: --resume goes on with other comments, another step_timeout_s and another retry") {
    Json job = frames_job();
    job["inputs"]["image"] = {{"file", "{frame}"}, {"//", "as the camera wrote them"}};
    job["outputs"]["mean"] = {{"of", "sum"}, {"file", "mean.npy"}, {"combine", "mean"}};   // whose state knows of which job it is
    const Folder folder(3, job);
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    job["inputs"]["image"]["//"] = "of the first camera";
    job["inputs"]["image"]["// too"] = 7;
    job["step_timeout_s"] = 900;
    job["retry"] = false;
    write_text(folder / "job.json", job.dump());
    const Run resumed = run_job(folder.path(), "out", {"--resume"});
    CAPTURE(resumed.err);
    CHECK(resumed.status == 0);
    CHECK(contains(resumed.out + resumed.err, "nothing left to do"));
}

TEST_CASE("series: changes between two runs are noticed") {
    const Folder folder(5);
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    const auto before = contents(folder / "out");

    const Run again = run_job(folder.path(), "out");
    CHECK(again.status == 2);
    CHECK(contains(again.err, "--resume goes on"));
    const Run changed = run_job(folder.path(), "out", {"--resume", "--set", "add.value=2"});
    CAPTURE(changed.err);
    CHECK(changed.status == 2);
    CHECK(contains(changed.err, "/steps/0/value"));
    CHECK(contains(changed.err, "another job"));
    CHECK(contents(folder / "out") == before);

    io::WriteOptions replace;
    replace.overwrite = true;
    io::write(folder / "frames/f002.tif", frame(42), replace);              // other pixels
    fs::last_write_time(folder / "frames/f003.tif", fs::file_time_type());  // touched, but the same
    fs::remove(folder / "out/sums/f004.npy");                               // lost
    const Run resumed = run_job(folder.path(), "out", {"--resume"});
    CAPTURE(resumed.err);
    CHECK(resumed.status == 0);
    CHECK(contains(resumed.err, "2 of 5 items done"));
    const auto after = contents(folder / "out");
    CHECK(after.at("sums/f002.npy") != before.at("sums/f002.npy"));
    CHECK(after.at("sums/f004.npy") == before.at("sums/f004.npy"));
    CHECK(run_job(folder.path(), "out", {"--overwrite", "--set", "add.value=2", "--quiet"}).status == 0);
    CHECK(contents(folder / "out").at("sums/f000.npy") != before.at("sums/f000.npy"));
}

TEST_CASE("series: an input of all items that is another by now is named, and what to do") {
    Json job = frames_job();
    job["inputs"]["dark"] = "dark.tif";
    job["steps"] = Json::parse(R"([{"run": "arithmetic", "op": "subtract", "in": {"other": "dark"}, "out": {"image": "sum"}}])");
    job["outputs"] = {{"sum", "sums/{frame.stem}.npy"}};
    const Folder folder(3, job);
    io::write(folder / "dark.tif", frame(50));
    const Run first = run_job(folder.path(), "out");
    REQUIRE_MESSAGE(first.status == 0, first.err);
    io::write(folder / "dark.tif", frame(51), {.overwrite = true});
    const Run changed = run_job(folder.path(), "out", {"--resume"});
    CAPTURE(changed.err);
    CHECK(changed.status == 2);
    CHECK(contains(changed.err, "dark.tif, which has changed since"));
    CHECK(contains(changed.err, "--overwrite does every item again"));
    CHECK(!contains(changed.err, "xxh3"));
    io::write(folder / "dark.tif", frame(50), {.overwrite = true});
    CHECK(run_job(folder.path(), "out", {"--resume"}).status == 0);
    io::write(folder / "darker.tif", frame(50));
    job["inputs"]["dark"] = "darker.tif";
    write_text(folder / "job.json", job.dump());
    CHECK(run_job(folder.path(), "out", {"--resume"}).status == 2);
}

TEST_CASE("series: a file that holds the elements of an input of all items is a part of it, and so is what a folder holds") {
    Json job = frames_job();
    job["steps"] = Json::parse(R"([{"run": "arithmetic", "op": "subtract", "in": {"other": "dark"}, "out": {"image": "sum"}}])");
    job["outputs"] = {{"sum", "sums/{frame.stem}.npy"}};
    for (const std::string dark : {"dark.nhdr", "dark.mhd", "dark.ome.zarr"}) {
        CAPTURE(dark);
        if (dark.ends_with("zarr") && host::program_beside("parallax-read-zarr").empty()) continue;
        job["inputs"]["dark"] = dark;
        const Folder folder(3, job);
        const HostArray frames[] = {frame(50), frame(51)};
        const auto put_dark = [&](const HostArray& array) {
            const std::int64_t height = array.desc.size('y'), width = array.desc.size('x');
            if (dark.ends_with("zarr")) return io::write(folder / dark, array, {.overwrite = true});
            std::ofstream(folder / "dark.raw", std::ios::binary)
                .write(reinterpret_cast<const char*>(array.data()), static_cast<std::streamsize>(array.desc.dense_bytes()));
            const std::string sizes = std::to_string(width) + " " + std::to_string(height);
            write_text(folder / dark, dark.ends_with("nhdr")
                                          ? "NRRD0004\ntype: uchar\ndimension: 2\nsizes: " + sizes + "\nencoding: raw\ndata file: dark.raw\n\n"
                                          : "ObjectType = Image\nNDims = 2\nDimSize = " + sizes + "\nElementType = MET_UCHAR\nElementDataFile = dark.raw\n");
        };
        REQUIRE(frames[0].desc.type == ElementType::u8);
        put_dark(frames[0]);
        const Run first = run_job(folder.path(), "out");
        REQUIRE_MESSAGE(first.status == 0, first.err);
        CHECK(contains(run_job(folder.path(), "out", {"--resume"}).err, "nothing left to do"));
        put_dark(frames[1]);
        const Run changed = run_job(folder.path(), "out", {"--resume"});
        CAPTURE(changed.err);
        CHECK(changed.status == 2);
        CHECK(contains(changed.err, "which has changed since"));
        put_dark(frames[0]);
        CHECK(run_job(folder.path(), "out", {"--resume"}).status == 0);
    }
}

TEST_CASE("series: frames that are replaced while it runs are done again by --resume, whenever that was") {
    const auto seed = static_cast<unsigned>(tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937 random(seed);
    constexpr int frames = 7, rounds = 12;
    const TempFolder others;
    write_frames(others.path(), 2 * frames);   // of the same size; those from `frames` on take the places of the first
    int failed = 0;
    for (int round = 0; round < rounds; ++round) {
        const Folder folder(frames);
        std::vector<int> there(frames);
        std::iota(there.begin(), there.end(), 0);
        std::thread other([&, own = std::mt19937(random())]() mutable {
            for (int turn = 0; turn < 4; ++turn) {
                std::this_thread::sleep_for(std::chrono::milliseconds(own() % 60));
                const int i = static_cast<int>(own() % frames);
                there[static_cast<std::size_t>(i)] = frames + i;
                const fs::path from = others / frame_name(frames + i), to = folder / ("frames/" + frame_name(i));
                if (own() % 2 == 0) {
                    fs::copy_file(from.string() + ".tif", folder / "new.part", fs::copy_options::overwrite_existing);
                    fs::rename(folder / "new.part", to.string() + ".tif");
                } else {
                    write_text(to.string() + ".tif", read_text(from.string() + ".tif"));   // in place
                }
            }
        });
        failed += run_job(folder.path(), "out").status != 0 ? 1 : 0;
        other.join();
        const Run resumed = run_job(folder.path(), "out", {"--resume"});
        CAPTURE(resumed.err);
        CAPTURE(round);
        REQUIRE(resumed.status == 0);
        for (int i = 0; i < frames; ++i) {
            const HostArray sum = io::read(folder / ("out/sums/" + frame_name(i) + ".npy"));
            const HostArray expected = frame(there[static_cast<std::size_t>(i)]);
            bool same = true;
            for (std::int64_t n = 0; same && n < expected.desc.count(); ++n)
                same = sum.as<std::uint8_t>()[n] == expected.as<std::uint8_t>()[n] + 1;
            CHECK_MESSAGE(same, frame_name(i));
        }
    }
    MESSAGE(failed << " of " << rounds << " first runs ended with an item that had changed");
}

TEST_CASE("series: killed 20 times and resumed, it is what it would have been, each item done once") {
    Json job = frames_job();
    job["outputs"]["twice"] = {{"of", "sum"}, {"file", "twice/{frame.stem}.tif"}};
    const Folder folder(1000, job);
    REQUIRE(run_job(folder.path(), "whole", {"--quiet"}).status == 0);
    std::mt19937 random(7);
    int interrupted = 0;
    for (int kill = 0; kill < 20; ++kill) {
        const double seconds = 0.012 + 0.001 * static_cast<double>(random() % 40);
        const int status = shell(
            folder.path(), fmt::format("timeout -s KILL {} \"$P\" run job.json --out out --device native --quiet {} 2> err",
                                       seconds, fs::exists(folder / "out/job.series/series.json") ? "--resume" : "--overwrite"));
        if (status != 0) ++interrupted;
        else break;
    }
    CHECK(interrupted >= 10);
    const Run run = run_job(folder.path(), "out", {"--resume"});
    CAPTURE(run.err);
    CHECK(run.status == 0);
    CHECK(contents(folder / "out") == contents(folder / "whole"));   // no temporary file is left either
    const auto done = times_done(folder / "out/job.series");
    CHECK(done.size() == 1000);
    for (const auto& [item, times] : done) CHECK_MESSAGE(times == 1, item);
}

TEST_CASE("series: Ctrl-C finishes what is in flight") {
    const Folder folder(3000);
    const int status = shell(folder.path(),
                             "\"$P\" run job.json --out out --device native > log 2>&1 & p=$!; "
                             "while [ ! -e out/sums/f000.npy ] && kill -0 $p; do sleep 0.01; done; kill -TERM $p; wait $p");
    const std::string log = read_text(folder / "log");
    CAPTURE(log);
    CHECK(status != 0);
    CHECK(contains(log, "--resume goes on"));
    const std::size_t done = times_done(folder / "out/job.series").size();
    CHECK(contents(folder / "out").size() == done);   // each output has its record, and there is nothing else
    CHECK(done < 3000);
}

TEST_CASE("series: a full disk fails items and leaves nothing half-written") {
    Json job = frames_job();
    job["steps"][1] = {{"run", "convert"}, {"type", "f32"}, {"in", {{"image", "sum"}}}, {"out", {{"image", "large"}}}};
    job["outputs"] = {{"large", "{frame.stem}.npy"}, {"sum", {{"of", "sum"}, {"file", "small/{frame.stem}.npy"}}}};
    const Folder folder(6, job);
    HostArray wide = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 300}, {'x', 300}}));
    std::fill_n(wide.as<std::uint8_t>(), 90000, std::uint8_t{1});
    io::WriteOptions replace;
    replace.overwrite = true;
    io::write(folder / "frames/f003.tif", wide, replace);
    // No file beyond 200 blocks of 512 bytes or of 1024: the wide frame's 360 kB do not fit.
    const int status =
        shell(folder.path(), "(trap '' XFSZ; ulimit -f 200; \"$P\" run job.json --out out --device native > log 2>&1)");
    CAPTURE(read_text(folder / "log"));
    CHECK(status != 0);
    CHECK(contains(read_text(folder / "log"), "1 of 6 items failed"));
    const auto files = contents(folder / "out");
    CHECK(files.size() == 10);
    CHECK(files.count("f003.npy") == 0);
    CHECK(files.count("small/f003.npy") == 0);
    CHECK(run_job(folder.path(), "out", {"--resume", "--quiet"}).status == 0);
    CHECK(contents(folder / "out").size() == 12);
}

TEST_CASE("series: a fold that was interrupted counts each item once") {
    Json job = frames_job();
    job["for_each"]["frame"] = {{"files", "frames/*.tif"}, {"range", {0, 12}}};
    job["outputs"] = {{"sum", "sums/{frame.stem}.npy"}, {"low", {{"of", "sum"}, {"file", "low.tif"}, {"combine", "min"}}},
                      {"mean", {{"of", "sum"}, {"file", "mean.npy"}, {"combine", "mean"}}}};
    job["steps"].erase(1);
    const Folder folder(12, job);
    REQUIRE(run_job(folder.path(), "whole", {"--quiet"}).status == 0);
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    io::WriteOptions replace;
    replace.overwrite = true;
    io::write(folder / "frames/f001.tif", frame(77), replace);   // what was added of it must go
    const Run resumed = run_job(folder.path(), "out", {"--resume"});
    CAPTURE(resumed.err);
    REQUIRE(resumed.status == 0);
    REQUIRE(run_job(folder.path(), "fresh", {"--quiet"}).status == 0);
    CHECK(contents(folder / "out") == contents(folder / "fresh"));
    CHECK(contents(folder / "out") != contents(folder / "whole"));
    // A state that was lost: its items are added again.
    for (const auto& entry : fs::directory_iterator(folder / "fresh/job.series")) {
        if (entry.path().filename().string().starts_with("fold-") && entry.path().extension() == ".json")
            fs::remove(entry.path());
    }
    fs::remove(folder / "fresh/mean.npy");
    CHECK(run_job(folder.path(), "fresh", {"--resume", "--quiet"}).status == 0);
    CHECK(contents(folder / "fresh") == contents(folder / "out"));
}

TEST_CASE("series: what is combined is of the items that are there, also after one has gone") {
    for (const char* const how : {"mean", "median", "max", "stack"}) {
        CAPTURE(how);
        Json job = frames_job();
        job["outputs"]["all"] = {{"of", "sum"}, {"file", "all.npy"}, {"combine", how}};
        const Folder folder(5, job);
        REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
        fs::remove(folder / "frames/f002.tif");
        io::write(folder / "frames/f009.tif", frame(9));
        const Run resumed = run_job(folder.path(), "out", {"--resume", "--quiet"});
        CAPTURE(resumed.err);
        CHECK(resumed.status == 0);
        REQUIRE(run_job(folder.path(), "fresh", {"--quiet"}).status == 0);
        CHECK(read_text(folder / "out/all.npy") == read_text(folder / "fresh/all.npy"));
        CHECK(read_text(folder / "out/statistics.csv") == read_text(folder / "fresh/statistics.csv"));
    }
}
