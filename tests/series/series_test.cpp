// Series from the command line: what they make.
#include "frames.hpp"
#include "lines.hpp"

#include <algorithm>
#include <set>

using namespace parallax;
using namespace parallax::tests;

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

TEST_CASE("series: what is lost where items are combined in f32 is told, where it is") {
    Json job = frames_job();
    job["steps"].erase(1);
    job["for_each"] = {{"d", "d*.npy"}};
    job["inputs"]["image"] = "{d}";
    job["outputs"] = {{"sum", "{d.stem}.npy"},
                      {"mean", {{"of", "image"}, {"file", "mean.npy"}, {"combine", "mean"}}},
                      {"all", {{"of", "image"}, {"file", "all.npy"}, {"combine", "stack"}}}};
    const Folder folder(0, job);
    for (const std::uint32_t value : {16777216u, 16777217u}) {
        CAPTURE(value);
        HostArray image = HostArray::make(ArrayDesc::dense(ElementType::u32, {{'y', 2}, {'x', 3}}));
        for (const char* const name : {"d0.npy", "d1.npy"}) {
            std::fill_n(image.as<std::uint32_t>(), 6, name[1] == '0' ? 1u : value);
            io::write(folder / name, image, {.overwrite = true});
        }
        const TempFolder out;
        const Run run = run_job(folder.path(), out.path().string(), {"--report", "r.json", "--overwrite"});
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        const Json told = Json::parse(read_text(folder / "r.json"))["warnings"];
        CAPTURE(told.dump());
        REQUIRE(told.size() == (value == 16777217 ? 1 : 0));
        if (value != 16777217) continue;
        CHECK(contains(told[0]["text"].get<std::string>(), "output \"mean\": its items are combined as f32"));
        CHECK(told[0]["items"] == 1);
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
        {R"({"for_each": {"frame": ["frames/*.tif", "frames/f001.tif"]}, "outputs": {"sum": "{frame.index}.npy"},
             "inputs": {"image": {"file": "{frame}", "running": 3, "combine": "mean"}}})",
         {},
         {"/for_each/frame", "f001.tif (time 2)\" more than once", "\"running\"", "see whether the patterns overlap"}},
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

TEST_CASE("series: numbers that are not padded are told of where the order of the items shows") {
    const auto said = [](const std::vector<const char*>& names, const Json& outputs, const char* pattern = "frames/*.tif") {
        Json job = frames_job();
        job["for_each"]["frame"] = pattern == nullptr ? Json::array({"frames/f?.tif", "frames/f??.tif"}) : Json(pattern);
        job["outputs"] = outputs;
        if (!outputs.contains("statistics")) job["steps"].erase(1);
        const Folder folder(0, job);
        for (std::size_t i = 0; i < names.size(); ++i) io::write(folder / "frames" / names[i], frame(static_cast<int>(i)));
        const Run run = run_job(folder.path(), "out");
        CHECK_MESSAGE(run.status == 0, run.err);
        return run.err;
    };
    const Json film = {{"all", {{"of", "sum"}, {"file", "all.npy"}, {"combine", "stack"}}}};
    const Json mean = {{"all", {{"of", "sum"}, {"file", "all.npy"}, {"combine", "mean"}}}};
    const Json table = {{"statistics", {{"table", "statistics.csv"}}}};
    const char* const told = "for_each \"frame\": items go by the letters of their names, and f10.tif comes before f2.tif: pad";
    CHECK(contains(said({"f1.tif", "f2.tif", "f10.tif"}, film), told));
    CHECK(contains(said({"f1.tif", "f2.tif", "f10.tif"}, table), told));
    CHECK(contains(said({"f1.tif", "f2.tif", "f10.tif"}, {{"sum", "{frame.index}.npy"}}), told));
    const char* const go = "go by the letters";
    CHECK(!contains(said({"f1.tif", "f2.tif", "f10.tif"}, film, nullptr), go));   // patterns as it advises
    CHECK(!contains(said({"f1.tif", "f2.tif", "f10.tif"}, mean), go));            // no order shows
    CHECK(!contains(said({"f1.tif", "f2.tif", "f10.tif"}, {{"sum", "{frame.stem}.npy"}}), go));
    CHECK(!contains(said({"f01.tif", "f02.tif", "f10.tif"}, film), go));
    CHECK(!contains(said({"z0.5.tif", "z0.25.tif", "z1.5.tif"}, film), go));      // fractions are in order
    CHECK(!contains(said({"3fa.tif", "12ab.tif", "2b.tif"}, film), go));          // letters differ, too: no count
    CHECK(contains(said({"day2-9.tif", "day2-10.tif", "day10-1.tif"}, film), "day10-1.tif comes before day2-10.tif"));
}

TEST_CASE("series: items whose pixels are of unlike sizes are combined with a warning") {
    for (const char* const how : {"stack", "mean"}) {
        Json job = frames_job();
        job["steps"].erase(1);
        job["outputs"] = {{"all", {{"of", "sum"}, {"file", "all.npy"}, {"combine", how}}}};
        const Folder folder(0, job);
        for (int i = 0; i < 3; ++i) {
            HostArray array = frame(i);
            array.desc = array.desc.with_spacing('x', i < 2 ? 1.5 : 2).with_spacing('y', 1.5).with_unit("um");
            io::write(folder / "frames" / (frame_name(i) + ".tif"), array);
        }
        const Run run = run_job(folder.path(), "out");
        CAPTURE(run.err);
        CHECK(run.status == 0);
        CHECK(contains(run.err, "output \"all\": items are combined pixel by pixel, and their pixels are not alike: x is "));
        fs::remove(folder / "frames/f002.tif");
        CHECK(!contains(run_job(folder.path(), "other").err, "pixel by pixel"));
    }
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

TEST_CASE("series: --resume makes anew what had other neighbours") {
    Json job = frames_job();
    job["inputs"]["image"] = {{"file", "{frame}"}, {"running", 3}, {"combine", "mean"}};
    job["steps"].erase(1);
    job["outputs"] = {{"sum", "{frame.stem}.npy"}, {"all", {{"of", "sum"}, {"file", "all.npy"}, {"combine", "stack"}}}};
    const Folder folder(6, job);
    const auto from_scratch = [&] {
        const Run run = run_job(folder.path(), "new", {"--quiet", "--manifest", (folder / "new.series").string()});
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        auto files = contents(folder / "new");
        fs::remove_all(folder / "new");
        fs::remove_all(folder / "new.series");
        return files;
    };
    const auto resumed = [&] {
        const Run run = run_job(folder.path(), "out", {"--quiet", "--resume", "--manifest", (folder / "m.series").string()});
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        return contents(folder / "out");
    };
    const auto frame_at = [&](int number) { return folder / fmt::format("frames/f{:03}.tif", number); };
    fs::create_directory(folder / "later");
    for (const int number : {3, 4, 5}) fs::rename(frame_at(number), folder / "later" / frame_at(number).filename());
    CHECK(resumed() == from_scratch());
    for (const int number : {3, 5}) fs::rename(folder / "later" / frame_at(number).filename(), frame_at(number));   // at the end
    CHECK(resumed() == from_scratch());
    fs::rename(folder / "later" / frame_at(4).filename(), frame_at(4));   // in the middle
    CHECK(resumed() == from_scratch());
    job["for_each"]["frame"] = {{"files", job["for_each"]["frame"]}, {"stride", 2}};
    write_text(folder / "job.json", job.dump());
    const auto all = resumed(), anew = from_scratch();
    for (const auto& [name, bytes] : anew) CHECK(all.at(name) == bytes);   // the others stay
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
