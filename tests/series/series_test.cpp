// Series from the command line: what they make, and what they survive.
#include "frames.hpp"
#include "seed.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <thread>

using namespace parallax;
using namespace parallax::tests;

namespace {

std::vector<std::string> lines_of(const fs::path& file) {
    std::vector<std::string> lines;
    std::istringstream text(read_text(file));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

}  // namespace

TEST_CASE("series: every frame has its output, the table a row for each in their order") {
    const Folder folder(17);
    const Run run = run_job(folder.path(), "out", {"--report", "report.json", "--trace", "trace.json"});
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    CHECK(contains(run.err, "17 of 17 items done"));
    for (int i = 0; i < 17; ++i) {
        const HostArray sum = io::read(folder / ("out/sums/" + frame_name(i) + ".npy"));
        const HostArray expected = frame(i);
        bool same = sum.desc.count() == expected.desc.count();
        for (std::int64_t n = 0; same && n < expected.desc.count(); ++n)
            same = sum.as<std::uint8_t>()[n] == expected.as<std::uint8_t>()[n] + 1;
        CHECK(same);
    }
    const auto table = lines_of(folder / "out/statistics.csv");
    REQUIRE(table.size() == 18);
    CHECK(table[0].starts_with("index,item,"));
    CHECK(table[8].starts_with("7,frames/f007.tif,"));
    const Json report = Json::parse(read_text(folder / "report.json"));
    CHECK(report["items"]["done"] == 17);
    CHECK(report["devices"][0]["items"] == 17);
    std::set<std::string> rows;
    const Json trace = Json::parse(read_text(folder / "trace.json"));
    for (const Json& event : trace["traceEvents"]) {
        if (event["name"] == "thread_name") rows.insert(event["args"]["name"].get<std::string>());
        if (event["ph"] == "X") CHECK(event["ts"].get<double>() >= 0);
    }
    for (const char* row : {"upload", "steps", "download", "reader 1", "writer 1"}) CHECK(rows.count(row) == 1);
}

TEST_CASE("series: pages, volumes, ranges, strides, several variables, names in outputs") {
    const Folder folder(6);
    HostArray stack = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'t', 7}, {'y', 12}, {'x', 16}}));
    for (int i = 0; i < 7; ++i) std::copy_n(frame(10 + i).as<std::uint8_t>(), 192, stack.as<std::uint8_t>() + 192 * i);
    io::write(folder / "stack.tif", stack);
    io::write(folder / "scan.nii", stack);
    Json job = frames_job();
    job["steps"].erase(1);
    struct Row {
        const char* each;
        const char* input;
        const char* output;
        std::vector<std::string> files;
        std::vector<int> frames;
    };
    const Row rows[] = {
        {R"({"p": {"pages": "stack.tif", "range": [1, 6], "stride": 2}})",
         "{p}",
         "{p.stem}-{p.page}.npy",
         {"stack-0001.npy", "stack-0003.npy", "stack-0005.npy"},
         {11, 13, 15}},
        {R"({"p": {"volumes": "scan.nii", "range": [5, 7]}})", "{p}", "v/{p.volume}.npy", {"v/0005.npy", "v/0006.npy"}, {15, 16}},
        {R"({"a": ["frames/f002.tif", "frames/f00[0-1].tif", "frames/f000.tif"], "b": {"pages": "stack.tif", "range": [0, 2]}})",
         "frames/{a.name}",
         "{a.stem}{b.index}.npy",
         {"f0000001.npy", "f0020000.npy"},
         {0, 2}},
    };
    for (const Row& row : rows) {
        Json each = Json::parse(row.each);
        if (each.contains("a")) each["a"].erase(1);   // no sets of characters in patterns: two files are left
        CAPTURE(std::string(row.each));
        job["for_each"] = each;
        job["inputs"]["image"] = row.input;
        job["outputs"] = {{"sum", row.output}};
        write_text(folder / "job.json", job.dump());
        const TempFolder out;
        const Run run = run_job(folder.path(), out.path().string(), {"--quiet"});
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        std::vector<std::string> files;
        for (const auto& [name, text] : contents(out.path())) files.push_back(name);
        CHECK(files == row.files);
        for (std::size_t i = 0; i < row.files.size(); ++i) {
            const HostArray sum = io::read(out / row.files[i]);
            REQUIRE(sum.desc.count() == 192);
            CHECK(sum.as<std::uint8_t>()[7] == frame(row.frames[i]).as<std::uint8_t>()[7] + 1);
            CHECK(sum.as<std::uint8_t>()[191] == frame(row.frames[i]).as<std::uint8_t>()[191] + 1);
        }
    }
}

TEST_CASE("series: a stack of the frames of one file has their time, and of several files none") {
    Json job = frames_job();
    job["steps"].erase(1);
    job["inputs"]["image"] = "{p}";
    const Folder folder(0, job);
    HostArray film = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'t', 7}, {'y', 12}, {'x', 16}}));
    for (int i = 0; i < 7; ++i) std::copy_n(frame(i).as<std::uint8_t>(), 192, film.as<std::uint8_t>() + 192 * i);
    film.desc = film.desc.with_spacing('t', 0.125);
    io::write(folder / "film.tif", film);
    io::write(folder / "film.nii", film);
    film.desc = film.desc.with_spacing('t', 1);   // as where nothing is said
    io::write(folder / "untimed.tif", film);
    struct Row {
        Json each;
        double interval;
    };
    const Row rows[] = {{{{"pages", "film.tif"}}, 0.125},
                        {{{"pages", "film.tif"}, {"stride", 3}}, 0.375},
                        {{{"volumes", "film.nii"}, {"range", {1, 5}}, {"stride", 2}}, 0.25},
                        {{{"pages", "untimed.tif"}, {"stride", 2}}, 1},
                        {{{"pages", {"film.tif", "film.tif"}}}, 1}};   // what lies between two films nobody knows
    for (const Row& row : rows) {
        CAPTURE(row.each.dump());
        job["for_each"] = {{"p", row.each}};
        for (const char* const name : {"all.tif", "all.nii", "all.nrrd"}) {
            job["outputs"] = {{"all", {{"of", "sum"}, {"file", name}, {"combine", "stack"}}}};
            write_text(folder / "job.json", job.dump());
            const TempFolder out;
            const Run run = run_job(folder.path(), out.path().string(), {"--quiet"});
            CAPTURE(run.err);
            REQUIRE(run.status == 0);
            const HostArray all = io::read(out / name);
            REQUIRE(all.desc.find('t') != nullptr);
            CHECK(all.desc.find('t')->spacing == doctest::Approx(row.interval));
        }
    }
}

TEST_CASE("series: wrong requests are refused before anything is written") {
    const Folder folder(3);
    fs::create_directories(folder / "out/there");
    write_text(folder / "out/there/f001.npy", "mine");
    struct Row { const char* patch; std::vector<std::string> arguments; std::vector<std::string> fragments; };
    const Row rows[] = {
        {R"({"for_each": {"frame": "frames/*.png"}})",
         {},
         {"/for_each/frame", "no file that matches", "3 others, such as f000.tif"}},
        {R"({"for_each": {"frame": {"files": "frames/*.tif", "range": [0, 4]}}})",
         {},
         {"/for_each/frame/range", "at most [0, 3]: there are 3 files"}},
        {R"({"for_each": {"frame": "frmaes/*.tif"}})", {}, {"/for_each/frame", "there is no folder", "did you mean \"frames\""}},
        {R"({"for_each": {"frame": "frames"}})", {}, {"/for_each/frame", "its files are \"frames/*\""}},
        {R"({"for_each": {"onerror": "continue"}})", {}, {"/for_each/onerror", "did you mean \"on_error\""}},
        {R"({"for_each": {"dark": "frames/*.tif"}})", {}, {"/for_each/dark", "which nothing names"}},
        {R"({"inputs": {"image": "frames/f000.tif"}})", {}, {"/for_each/frame", "all items would be the same"}},
        {R"({"for_each": {"dark": ["job.json", "job.json"]}, "outputs": {"sum": "{frame.stem}{dark.stem}.npy"}})",
         {},
         {"/for_each/dark", "2 files for \"dark\"", "3, as many as for \"frame\""}},
        {R"({"for_each": {"frame": ["frames/f000.tif", "frames/f000.tif"]}})",
         {},
         {"/outputs/sum", "for frames/f000.tif and for", "{frame.index} differs"}},
        {R"({"outputs": {"sum": "../{frame.stem}.npy"}})", {}, {"/outputs/sum", "\"..\""}},
        {R"({"outputs": {"sum": "{frame.stem}.nii.npz"}})", {}, {"/outputs/sum", "a file that ends in one of"}},
        {R"({"inputs": {"image": {"file": "frames/f000.tif", "running": 3, "combine": "mean"}}})",
         {},
         {"/inputs/image/running", "a fixed file"}},
        {R"({"inputs": {"image": {"file": "{frame}", "running": 4, "combine": "mean"}}})",
         {},
         {"/inputs/image/running", "an odd number"}},
        {R"({"outputs": {"sum": {"file": "m.npy", "combine": "mode"}}})",
         {},
         {"/outputs/sum/combine", "mean | median | min | max"}},
        {"{}", {"--shard", "3/2"}, {"--shard", "1 <= i <= n"}},
        {"{}", {"--in-flight", "0"}, {"--in-flight"}},
        {R"({"outputs": {"sum": "there/{frame.stem}.npy"}})",
         {},
         {"/outputs/sum", "the existing file", "f001.npy", "--overwrite"}},
    };
    for (const Row& row : rows) {
        Json job = frames_job();
        job.merge_patch(Json::parse(row.patch));
        write_text(folder / "job.json", job.dump());
        const std::vector<std::string> before = folder.listing();
        const Run run = run_job(folder.path(), "out", row.arguments);
        CAPTURE(row.patch);
        CAPTURE(run.err);
        CHECK(run.status == 2);
        for (const std::string& fragment : row.fragments) CHECK_MESSAGE(contains(run.err, fragment), fragment);
        CHECK(folder.listing() == before);
    }
}

TEST_CASE("series: a file that two patterns find is told of") {
    Json job = frames_job();
    job["for_each"]["frame"] = Json::array({"frames/*.tif", "frames/f001.tif"});
    job["steps"].erase(1);
    job["outputs"] = {{"sum", "sums/{frame.index}.npy"}};
    const Folder folder(3, job);
    const Run twice = run_job(folder.path(), "out");
    CHECK_MESSAGE(twice.status == 0, twice.err);
    CHECK(contains(twice.err, "for_each \"frame\": the file"));
    CHECK(contains(twice.err, "f001.tif comes more than once, and is an item each time"));
    job["for_each"]["frame"] = Json::array({"frames/f000.tif", "frames/f001.tif"});
    write_text(folder / "job.json", job.dump());
    CHECK(!contains(run_job(folder.path(), "other").err, "more than once"));
}

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
    const Run mended = run_program({"run", "job.json", "--out", "out"}, folder.path());
    CAPTURE(mended.err);
    CHECK(mended.status == 0);
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

TEST_CASE("series: a table has a row for each label of each item, and what the data gives cause for is told once") {
    Json job = Json::parse(R"({"parallax": 1, "for_each": {"frame": "frames/*.tif"}, "inputs": {"image": "{frame}"},
        "steps": [{"run": "box_count", "labels": {"7": "thalamus", "3": "putamen", "90": "vermis"}},
                  {"run": "reduce", "in": {"array": "image"}, "op": "max", "out": {"value": "most"}},
                  {"id": "narrow", "run": "convert", "type": "i16", "out": {"image": "words"}},
                  {"id": "cut", "run": "arithmetic", "op": "multiply", "value": 300, "in": {"image": "words"},
                      "out": {"image": "large"}},
                  {"id": "back", "run": "convert", "type": "u8", "in": {"image": "large"}, "out": {"image": "cut_off"}}],
        "outputs": {"counts": {"table": "t.csv"}, "most": {"table": "t.csv"}, "cut_off": "{frame.stem}.npy"}})");
    const Folder folder(5, job);
    const Run run = run_job(folder.path(), "out", {"--report", "r.json"});
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const std::vector<std::string> lines = lines_of(folder / "out/t.csv");
    REQUIRE(lines.size() == 1 + 5 * 3);
    CHECK(lines[0].starts_with("index,item,counts.dimensions,"));
    CHECK(contains(lines[0], "counts.label,counts.name,counts.dimension"));
    CHECK(contains(lines[0], ",most.value"));
    CHECK(lines[1].starts_with("0,frames/f000.tif,"));
    CHECK(contains(lines[1], ",7,thalamus,"));
    CHECK(contains(lines[3], ",90,vermis,"));
    CHECK(lines[4].starts_with("1,frames/f001.tif,"));
    CHECK(contains(run.err, "without the list levels"));
    CHECK(contains(run.err, "step \"back\": numbers below 0 or above 255 are cut off"));
    CHECK(contains(run.err, "so for 5 items in all"));
    const Json report = Json::parse(read_text(folder / "r.json"));
    REQUIRE(report["warnings"].size() == 1);
    CHECK(report["warnings"][0]["items"] == 5);
    // The manifest keeps rows and warnings: a second run has nothing to do and the same table.
    const std::string before = read_text(folder / "out/t.csv");
    fs::remove(folder / "out/t.csv");
    CHECK(run_job(folder.path(), "out", {"--resume"}).status == 0);
    CHECK(read_text(folder / "out/t.csv") == before);
}

TEST_CASE("series: shards and devices give the same bytes as one process") {
    Json job = frames_job();
    job["outputs"]["mean"] = {{"of", "sum"}, {"file", "mean.npy"}, {"combine", "mean"}};
    job["outputs"]["median"] = {{"of", "image"}, {"file", "median.npy"}, {"combine", "median"}};
    job["outputs"]["film"] = {{"of", "image"}, {"file", "film.tif"}, {"combine", "stack"}};
    job["outputs"]["all"] = {{"of", "sum"}, {"file", "all.npy"}, {"combine", "stack"}};
    job["outputs"]["seen"] = {{"of", "sum"}, {"file", "seen.png"}, {"combine", "stack"}, {"montage", true}};
    job["steps"].push_back({{"id", "half"},
                            {"run", "arithmetic"},
                            {"op", "divide"},
                            {"value", 3},
                            {"in", {{"image", "sum"}}},
                            {"out", {{"image", "third"}}}});
    job["outputs"]["third"] = {{"file", "third.npy"}, {"combine", "mean"}};
    const Folder folder(21, job);
    REQUIRE(run_job(folder.path(), "whole", {"--quiet"}).status == 0);
    const auto whole = contents(folder / "whole");
    REQUIRE(whole.size() == 28);
    // The stacks are the items, in their order, with their type.
    const HostArray film = io::read(folder / "whole/film.tif"), all = io::read(folder / "whole/all.npy");
    CHECK(film.desc.size('t') == 21);
    CHECK(all.desc.axes.front().size == 21);
    for (std::size_t i = 0; i < 21; ++i) {
        const HostArray image = io::read(folder / fmt::format("frames/f{:03}.tif", i)),
                        sum = io::read(folder / fmt::format("whole/sums/f{:03}.npy", i));
        CHECK(film.desc.type == image.desc.type);
        CHECK(std::memcmp(film.data() + i * image.desc.dense_bytes(), image.data(), image.desc.dense_bytes()) == 0);
        CHECK(std::memcmp(all.data() + i * sum.desc.dense_bytes(), sum.data(), sum.desc.dense_bytes()) == 0);
    }
    for (const int shards : {2, 4, 8}) {
        CAPTURE(shards);
        const std::string out = fmt::format("out{}", shards);
        std::string line;
        for (int i = 1; i <= shards; ++i)
            line += fmt::format("\"$P\" run job.json --out {} --device native --quiet --shard {}/{} 2>> log & ", out, i, shards);
        CHECK(shell(folder.path(), line + "wait") == 0);
        CAPTURE(read_text(folder / "log"));
        CHECK_FALSE(contains(read_text(folder / "log"), "error"));
        const Run last =
            run_job(folder.path(), out, {"--resume"});   // nothing is left to do but, perhaps, what all shards gather
        CAPTURE(last.err);
        CHECK(last.status == 0);
        CHECK(contains(last.err, "nothing left to do: 21 of 21"));
        CHECK(contents(folder / out) == whole);
    }
    const bool pocl = fs::exists("/etc/OpenCL/vendors/pocl.icd");
    if (!pocl) {
        MESSAGE("SKIPPED: four devices of one process need PoCL");
        return;
    }
    std::map<std::string, std::string> one;
    for (const std::string devices : {"pthread", "pthread pthread pthread pthread"}) {
        const std::string out = devices.size() > 10 ? "four" : "one";
        const Run run = run_program({"run", "job.json", "--out", out, "--device", "all", "--json"}, folder.path(),
                                    {"OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd", "POCL_DEVICES=" + devices});
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        const Json report = Json::parse(run.out);
        CHECK(report["devices"].size() == (out == "four" ? 4 : 1));
        if (out == "one") one = contents(folder / out);
        else CHECK(contents(folder / out) == one);
    }
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

TEST_CASE("series: a running background is the median of the neighbours") {
    Json job = frames_job();
    job["inputs"]["other"] = {{"file", "{frame}"}, {"running", 5}, {"combine", "median"}};
    job["inputs"]["image"] = {{"file", "{frame}"}, {"running", 1}, {"combine", "mean"}};   // the frame itself, as f32
    job["steps"] = Json::array({{{"run", "arithmetic"},
                                 {"op", "subtract"},
                                 {"in", {{"image", "image"}, {"other", "other"}}},
                                 {"out", {{"image", "sum"}}}}});
    job["outputs"] = {{"sum", "{frame.index}.npy"}};
    const Folder folder(8, job);
    const Run run = run_job(folder.path(), "out", {"--quiet"});
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    for (const int i : {0, 3, 7}) {
        std::vector<HostArray> around;
        for (int n = std::max(0, i - 2); n <= std::min(7, i + 2); ++n) around.push_back(frame(n));
        const HostArray median = io::combine(around, "median"), difference = io::read(folder / fmt::format("out/{:04}.npy", i));
        bool same = true;
        for (std::int64_t n = 0; n < 192; ++n)
            same =
                same && difference.as<float>()[n] == static_cast<float>(frame(i).as<std::uint8_t>()[n]) - median.as<float>()[n];
        CHECK_MESSAGE(same, i);
    }
}

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
}

TEST_CASE("series: the real holograms and volumes") {
    const fs::path data = test_data();
    const auto configs = repository("configs");
    if (data.empty() || !configs) {
        MESSAGE("SKIPPED: the real data is not there (PARALLAX_TEST_DATA)");
        return;
    }
    const TempFolder out;
    for (const char* job : {"fringe_series", "brain_dimensions"}) {
        const Run run = run_program(
            {"run", (*configs / "jobs" / (std::string(job) + ".json")).string(), "--root", "data=" + data.string(), "--quiet"},
            out.path());
        CAPTURE(run.err);
        CHECK(run.status == 0);
    }
    const auto fringe = lines_of(out / "fringe_focus.csv"), brain = lines_of(out / "brain_dimensions.csv");
    REQUIRE(fringe.size() == 3);
    CHECK(std::abs(std::stod(fringe[1].substr(fringe[1].rfind(',') + 1)) - 300) < 30);
    CHECK(std::abs(std::stod(fringe[2].substr(fringe[2].rfind(',') + 1)) - 500) < 30);
    REQUIRE(brain.size() == 7);   // five files, one of them with two volumes
    CHECK(contains(brain[0], "counts.dimension"));
}

TEST_CASE("series: a job means the same files from every folder, by relative paths and roots as well") {
    const TempFolder folder;
    write_frames(folder / "job/frames", 4);
    io::write(folder / "job/job/frames" / fs::path(frame_name(0) + ".tif"),
              frame(40));   // where a path looked up twice would lead
    io::write(folder / "job/dark.tif", frame(9));
    Json json = frames_job();
    json["inputs"]["dark"] = "dark.tif";
    json["steps"][0] = {
        {"id", "add"}, {"run", "arithmetic"}, {"op", "add"}, {"in", {{"other", "dark"}}}, {"out", {{"image", "sum"}}}};
    write_text(folder / "job/job.json", json.dump());
    json["for_each"]["frame"] = "data:*.tif";
    write_text(folder / "job/rooted.json", json.dump());
    const std::vector<std::pair<std::vector<std::string>, fs::path>> ways = {
        {{"run", "job.json", "--out", "../a"}, folder / "job"},
        {{"run", "job/job.json", "--out", "b"}, folder.path()},
        {{"run", "./job/../job/job.json", "--out", "c"}, folder.path()},
        {{"run", "../job.json", "--out", "../../d"}, folder / "job/frames"},
        {{"run", (folder / "job/job.json").string(), "--out", "e"}, folder.path()},
        {{"run", "job/rooted.json", "--root", "data=job/frames", "--out", "f"}, folder.path()},
        {{"run", "job.json", "--out", "../b", "--resume"}, folder / "job"},   // what was done from elsewhere is done
    };
    std::map<std::string, std::string> first;
    for (const auto& [arguments, from] : ways) {
        CAPTURE(arguments[1]);
        std::vector<std::string> all = arguments;
        all.insert(all.end(), {"--device", "native"});
        const Run run = run_program(all, from);
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        const fs::path out = fs::weakly_canonical(from / *(std::find(arguments.begin(), arguments.end(), "--out") + 1));
        std::map<std::string, std::string> files = contents(out);
        REQUIRE(files.count("sums/f000.npy") == 1);
        files.erase("statistics.csv");   // names the items, by a root where there is one
        if (first.empty()) first = files;
        CHECK(files == first);
    }
    const HostArray sum = io::read(folder / "a/sums/f000.npy"), frame_0 = frame(0), dark = frame(9);
    CHECK(sum.as<std::uint8_t>()[5] == frame_0.as<std::uint8_t>()[5] + dark.as<std::uint8_t>()[5]);
}
