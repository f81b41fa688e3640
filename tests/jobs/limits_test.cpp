// What a process may take: --limit of time, memory and output.
#include "parallax/host/json.hpp"
#include "support.hpp"
#include "support/helper.hpp"
#include "support/sanitizers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("cli: limits count for a plan, for frames on standard output and for a watch") {
    const TempFolder folder;
    write_text(folder / "frames.json", R"({"parallax": 1, "inputs": {"frame": "-"},
        "steps": [{"run": "box_filter", "radius": 1, "in": {"image": "frame"}, "out": {"image": "soft"}}],
        "outputs": {"soft": {"file": "-", "format": "pgm"}}})");
    write_text(folder / "small.json", R"({"parallax": 1, "steps": [{"run": "phantom", "kind": "menger", "size": 9}],
        "outputs": {"volume": "v.npy"}})");
    for (const char* const limit : {"foo=3", "memory=banana", "memory=60000KB", "memory=-1", "memory=", "time=-1s", "time=9999999h",
                                   "time=1000000001s", "time=nan", "time=inf", "memory=9e18B", "output=99999999TB"}) {
        CAPTURE(std::string(limit));
        const Run refused = run_program({"plan", "small.json", "--device", "native", "--limit", limit}, folder.path());
        CHECK(refused.status == 2);
        CHECK(contains(refused.err, "a number of bytes, or of B, kB, MB"));
    }
    for (const char* const limit : {"output=100000", "output=100000B", "output=100 kB"}) {   // as `memory_limit` takes them
        CAPTURE(std::string(limit));
        CHECK(run_program({"plan", "small.json", "--device", "native", "--limit", limit}, folder.path()).status == 0);
    }
    CHECK(run_program({"plan", "small.json", "--device", "native", "--limit", "time=10min,output=1KiB"}, folder.path()).status == 0);
    const Run late = run_program({"plan", "small.json", "--device", "native", "--limit", "time=0.0001s"}, folder.path());
    CHECK(late.status == 1);
    CHECK(contains(late.err, "--limit time=0.0001s"));
    CHECK(late.out.empty());
    write_text(folder / "log", std::string(300000, 'x'));   // what a shell's >> goes on with counts for nothing
    const Run appended = run_program({"run", "small.json", "--device", "native", "--out", "appended", "--limit", "output=100kB"},
                                     folder.path(), {}, {}, {"sh", "-c", "exec \"$@\" >> log", "sh"});
    CAPTURE(appended.err);
    CHECK(appended.status == 0);
    CHECK(contains(read_text(folder / "log"), "v.npy"));
    const Run longest = run_program({"run", "small.json", "--device", "native", "--limit", "time=277777h,output=8999999TB"},
                                    folder.path());
    CHECK_MESSAGE(longest.status == 0, longest.err);
    std::string frames;
    for (int i = 0; i < 5; ++i) frames += "P5\n10 10\n255\n" + std::string(100, static_cast<char>('a' + i));
    write_text(folder / "frames.pgm", frames);
    const Run whole = run_program({"run", "frames.json", "--device", "native", "--limit", "output=1KiB"}, folder.path(), {}, {},
                                  {"sh", "-c", "exec \"$@\" < frames.pgm", "sh"});
    CAPTURE(whole.err);
    CHECK(whole.status == 0);
    const Run run = run_program({"run", "frames.json", "--device", "native", "--limit", "output=250B"}, folder.path(), {}, {},
                                {"sh", "-c", "exec \"$@\" < frames.pgm > out.pgm", "sh"});
    CAPTURE(run.err);
    CHECK(run.status == 1);
    CHECK(contains(run.err, "left of the limit on outputs"));
    CHECK(fs::file_size(folder / "out.pgm") == whole.out.size() / 5 * 2);   // and half a frame is not
    // An item of a series that takes long has no result, and those before it stay.
    fs::create_directory(folder / "items");
    for (const char* const name : {"a", "b", "c"}) io::write(folder / "items" / (std::string(name) + ".npy"), ramp(90, 70));
    write_text(folder / "series.json", R"({"parallax": 1, "for_each": {"f": "items/*.npy"}, "inputs": {"image": "{f}"},
        "steps": [{"run": "diffusion_lb", "iterations": 1000000}], "outputs": {"image": "s/{f.stem}.npy"}})");
    const Run series = run_program({"run", "series.json", "--device", "native", "--limit", "time=1s"}, folder.path());
    CAPTURE(series.err);
    CHECK(series.status == 1);
    CHECK(contains(series.err, "stopped by --limit time=1s"));
    CHECK_FALSE(contains(series.err, "did not end"));
    CHECK_FALSE(fs::exists(folder / "s"));
    // A watch that a limit ends has not ended as it should.
    fs::create_directory(folder / "in");
    io::write(folder / "in/a.npy", ramp(9, 7));
    write_text(folder / "watch.json", R"({"parallax": 1, "for_each": {"f": "in/*.npy"}, "inputs": {"image": "{f}"},
        "steps": [{"run": "box_filter", "radius": 1}],
        "outputs": {"image": "o/{f.stem}.npy", "mean": {"file": "mean.npy", "of": "image", "combine": "mean"}}})");
    const Run watch = run_program({"run", "watch.json", "--device", "native", "--watch", "--limit", "time=4s"}, folder.path());
    CAPTURE(watch.err);
    CHECK(watch.status == 1);
    CHECK(contains(watch.err, "--limit time=4s"));
    CHECK(fs::exists(folder / "o/a.npy"));
    CHECK_FALSE(fs::exists(folder / "mean.npy"));
}

TEST_CASE("cli: a plan or a report for standard output that is beyond the limit of output is refused before any of it is printed") {
    const TempFolder folder;
    Json steps = Json::array({{{"id", "s0"}, {"run", "phantom"}, {"kind", "menger"}, {"size", 9}, {"out", {{"volume", "v0"}}}}});
    for (int i = 1; i < 200; ++i)
        steps.push_back({{"id", fmt::format("s{}", i)}, {"run", "crop"}, {"in", {{"image", fmt::format("v{}", i - 1)}}},
                         {"out", {{"image", fmt::format("v{}", i)}}}});
    write_text(folder / "job.json", Json{{"parallax", 1}, {"steps", steps}, {"outputs", {{"v199", "v.npy"}}}}.dump());
    struct Row { std::vector<std::string> words; const char* says; };
    for (const Row& row : {Row{{"plan", "job.json"}, "the plan for standard output"}, Row{{"plan", "job.json", "--json"}, "the plan for standard output"},
                           Row{{"run", "job.json", "--json"}, "the report for standard output"}}) {
        for (const std::vector<std::string>& launcher : {std::vector<std::string>{}, {"sh", "-c", "{ \"$@\"; echo $? > status; } | cat", "sh"}}) {
            std::vector<std::string> words = row.words;
            for (const char* const word : {"--device", "native", "--limit", "output=8kB"}) words.emplace_back(word);
            CAPTURE(words[0]);
            CAPTURE(launcher.size());
            const Run run = run_program(words, folder.path(), {}, {}, launcher);
            CHECK((launcher.empty() ? run.status == 1 : read_text(folder / "status") == "1\n"));
            CHECK_MESSAGE(contains(run.err, row.says), run.err);
            CHECK(contains(run.err, "left of the limit on outputs"));
            CHECK(run.out.empty());
            CHECK_FALSE(fs::exists(folder / "v.npy"));
        }
    }
}

TEST_CASE("cli: limits of a run end it with an error, and no output") {
    const TempFolder folder;
    write_text(folder / "large.json", R"({"parallax": 1, "steps": [{"run": "phantom", "kind": "menger", "size": 243}],
        "outputs": {"volume": "v.npy"}})");
    write_text(folder / "long.json", R"({"parallax": 1, "steps": [{"run": "phantom", "kind": "menger", "size": 81},
        {"run": "diffusion_lb", "iterations": 1000000, "in": {"image": "volume"}, "out": {"image": "b"}}],
        "outputs": {"b": "b.npy"}})");
    struct Row { const char* job; const char* limit; int status; const char* says; };
    for (const Row& row :
         {Row{"large.json", "output=1MB", 1, "cannot be written"}, Row{"large.json", "memory=10MB", 1, "14.3 MB"},
          Row{"large.json", "memory=7MB,time=10min", 1, "memory"},
          Row{"long.json", "time=.2s", 1, "took longer than --limit"},
          Row{"large.json", "output=15MB,time=10min,memory=4GiB", 0, ""}}) {
        CAPTURE(std::string(row.limit));
#if !defined(__linux__) || PARALLAX_ADDRESS_SANITIZER   // whose own memory is more than any limit here
        if (std::string(row.limit).find("memory") != std::string::npos) continue;
#endif
        const Run run = run_program({"run", row.job, "--device", "native", "--quiet", "--limit", row.limit}, folder.path());
        CAPTURE(run.err);
        CHECK(run.status == row.status);
        CHECK(contains(run.err, row.says));
        CHECK(fs::exists(folder / "v.npy") == (row.status == 0));
        CHECK_FALSE(fs::exists(folder / "b.npy"));
    }
}

#if defined(__linux__)
TEST_CASE("cli: what a limit of output ends is told in a log that is longer than the limit") {
    const TempFolder folder;
    write_text(folder / "job.json", R"({"parallax": 1, "steps": [{"run": "phantom", "kind": "menger", "size": 243}],
        "outputs": {"volume": "v.npy"}})");
    write_text(folder / "log", std::string(3'000'000, '.'));
    const Run run = run_program({"run", "job.json", "--device", "native", "--quiet", "--limit", "output=1MB"}, folder.path(), {}, {},
                                {"sh", "-c", "exec \"$@\" 2>> log", "sh"});
    CHECK(run.status == 1);
    CHECK(contains(read_text(folder / "log"), "cannot be written"));
    CHECK_FALSE(fs::exists(folder / "v.npy"));
}
#endif

TEST_CASE("cli: the limit of what is written counts the folders that are made for it") {
    const TempFolder folder;
    io::write(folder / "pages.npy", HostArray::make(ArrayDesc::dense(ElementType::u8, {{'t', 50}, {'y', 2}, {'x', 2}})));
    write_text(folder / "job.json", R"({"parallax": 1, "for_each": {"frame": {"pages": "pages.npy"}}, "inputs": {"image": "{frame}"},
        "steps": [{"run": "crop"}], "outputs": {"image": "{frame.page}/a/b/c/d/e/f/g/o.npy"}})");
    const auto run = [&](const char* limit) {
        return run_program({"run", "job.json", "--out", "out", "--device", "native", "--quiet", "--overwrite", "--limit", limit}, folder.path());
    };
    const Run little = run("output=1MiB"), enough = run("output=4MiB");   // 400 folders
    CHECK(little.status == 1);
    CHECK_MESSAGE(contains(little.err, "limit"), little.err);
    CHECK_MESSAGE(enough.status == 0, enough.err);
    io::write(folder / "stack.npy", HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 100}, {'y', 2}, {'x', 2}})));
    write_text(folder / "store.json", R"({"parallax": 1, "inputs": {"image": "stack.npy"}, "steps": [{"run": "crop"}], "outputs": {"image": "o.zarr"}})");
    const Run store = run_program({"run", "store.json", "--device", "native", "--quiet", "--limit", "output=200KiB"}, folder.path());
    CHECK_MESSAGE(store.status == 1, store.err);   // a folder for each slice
    CHECK_FALSE(fs::exists(folder / "o.zarr"));
    // The folder of a series' records is one, also of a confined job; one that was there is not.
    write_text(folder / "one.json", R"({"parallax": 1, "for_each": {"frame": "stack.npy"}, "inputs": {"image": "{frame}"},
        "steps": [{"run": "crop"}], "outputs": {"image": "{frame.stem}-cropped.npy"}})");
    const auto series = [&](const std::string& out, const std::vector<std::string>& more) {
        std::vector<std::string> words{"run", "one.json", "--device", "native", "--quiet", "--out", out};
        words.insert(words.end(), more.begin(), more.end());
        return run_program(words, folder.path());
    };
    REQUIRE(series("out0", {}).status == 0);
    std::uintmax_t bytes = 2048;   // some more: numbers in records have not the same digits each time
    for (const auto& entry : fs::recursive_directory_iterator(folder / "out0"))
        if (entry.is_regular_file()) bytes += entry.file_size();
    const std::string files = fmt::format("output={}B", bytes), all = fmt::format("output={}B", bytes + 4096);
    const Run less = series("out1", {"--limit", files});
    CHECK(less.status == 1);
    CHECK_MESSAGE(contains(less.err, "left of the limit on outputs"), less.err);
    CHECK(series("out2", {"--limit", files, "--confined"}).status == 1);
    const Run whole = series("out3", {"--limit", all}), confined = series("out4", {"--limit", all, "--confined"});
    CHECK_MESSAGE(whole.status == 0, whole.err);
    CHECK_MESSAGE(confined.status == 0, confined.err);
    fs::create_directories(folder / "out5/one.series");
    CHECK(series("out5", {"--limit", files}).status == 0);
}

#if defined(__linux__)
TEST_CASE("cli: the limit of time ends a process whose standard error nobody reads") {
    const TempFolder folder;
    fs::create_directories(folder / "in");
    for (int i = 0; i < 700; ++i) write_text(folder / ("in/" + std::string(200, 'n') + std::to_string(i) + ".npy"), "no array");
    write_text(folder / "job.json", R"({"parallax": 1, "for_each": {"frame": "in/*.npy", "on_error": "continue"}, "inputs": {"image": "{frame}"},
        "steps": [{"run": "crop"}], "outputs": {"image": "o/{frame.stem}.npy"}})");
    // The other end of the pipe stays open and is never read.
    const Run run = run_program({"run", "job.json", "--out", "out", "--device", "native", "--limit", "time=1s"}, folder.path(), {}, {},
                                {"sh", "-c", "mkfifo pipe; sleep 30 < pipe & exec timeout -s KILL 25 \"$@\" 2> pipe", "sh"});
    CHECK(run.status == 1);
}
#endif

#if defined(__linux__) && !PARALLAX_ADDRESS_SANITIZER && !PARALLAX_THREAD_SANITIZER
namespace {

/// A file of MATLAB (level 5) with one variable of bytes.
std::string matlab_file(std::uint32_t rows, std::uint32_t columns) {
    std::string file = "MATLAB 5.0 MAT-file";
    file.resize(124, ' ');
    file += std::string("\x00\x01IM", 4);
    const auto words = [&](std::initializer_list<std::uint32_t> list) {
        for (const std::uint32_t word : list) file.append(reinterpret_cast<const char*>(&word), 4);
    };
    constexpr std::uint32_t array = 14, u32 = 6, i32 = 5, i8 = 1, u8 = 2, uint8_class = 9;
    words({array, 16 + 16 + 8 + 8 + rows * columns, u32, 8, uint8_class, 0, i32, 8, rows, columns, 1 << 16 | i8, 'a', u8, rows * columns});
    return file + std::string(std::size_t{rows} * columns, '\7');
}

}  // namespace

TEST_CASE("cli: where memory is limited, a sound file is read, or what is said speaks of memory") {
    const TempFolder folder;
    const HostArray cube = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'z', 8}, {'y', 512}, {'x', 512}}));   // 8.4 MB
    std::vector<std::string> names{"a.npy", "a.tif", "a.nii.gz", "a.zarr"};
    if (!host::program_beside("parallax-read-hdf5").empty()) names.push_back("a.h5");
    for (const std::string& name : names) io::write(folder / name, cube);
    if (!host::program_beside("parallax-read-mat").empty()) {
        write_text(folder / "a.mat", matlab_file(2048, 4096));
        names.push_back("a.mat");
    }
    for (const std::string& name : names) {
        int right = 0, refused = 0;
        for (int megabytes = 3; megabytes <= 61; megabytes += 2) {
            write_text(folder / "job.json", Json{{"parallax", 1},
                                                 {"inputs", {{"image", name}}},
                                                 {"steps", {{{"run", "crop"}}}},
                                                 {"outputs", {{"image", "o.npy"}}}}.dump());
            const Run run = run_program({"run", "job.json", "--device", "native", "--quiet", "--overwrite", "--limit",
                                         "memory=" + std::to_string(megabytes) + "MB"}, folder.path());
            CAPTURE(name);
            CAPTURE(megabytes);
            ++(run.status == 0 ? right : refused);
            CHECK_MESSAGE((run.status == 0 || (run.status == 1 && contains(run.err, "memory"))), run.err);
        }
        CHECK_MESSAGE(right > 0, name);
        CHECK_MESSAGE(refused > 0, name);
    }
}
#endif
