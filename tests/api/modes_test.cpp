// Jobs on files in every mode that the command line has: alone, a series, shared by several devices.
#include "api/support.hpp"

#include <fstream>
#include <iterator>

using namespace parallax;
using namespace parallax::tests;

namespace {

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// A PGM of 64 x 48.
void write_frame(const std::string& path, int seed) {
    std::ofstream file(path, std::ios::binary);
    file << "P5\n64 48\n255\n";
    for (int i = 0; i < 64 * 48; ++i) file.put(static_cast<char>((i * 7 + seed * 31) % 251));
}

Job smooth_all() {
    return Job::parse(R"({"parallax": 1, "for_each": {"frame": "*.pgm", "on_error": "continue"}, "inputs": {"image": "{frame}"},
        "steps": [{"run": "box_filter", "radius": 2}], "outputs": {"image": "{frame.stem}.png"}})");
}

struct Frames {
    explicit Frames(int count) {
        for (int i = 0; i < count; ++i) write_frame(in / ("f" + std::to_string(i) + ".pgm").c_str(), i);
    }
    Folder in, out;
};

bool has(const std::string& report, const std::string& text) { return report.find(text) != std::string::npos; }

}  // namespace

TEST_CASE("a series runs from a program, by one engine and by several, and goes on where it stopped") {
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const Frames frames(7);
        const Engine engine({.device = spec});
        std::vector<std::string> stages;
        const std::string report =
            engine.run(smooth_all(), {.folder = frames.in.text(),
                                      .out = frames.out.text(),
                                      .progress = [&](const std::string& stage, double) { stages.push_back(stage); }});
        CHECK(has(report, "\"done\":7"));
        CHECK(has(report, "\"complete\":true"));
        REQUIRE(!stages.empty());
        CHECK(stages.back() == "7 of 7");
        CHECK_THROWS_AS(engine.run(smooth_all(), {.folder = frames.in.text(), .out = frames.out.text()}),
                        ConfigError);   // it is there

        write_frame(frames.in / "f7.pgm", 7);
        const std::string more = engine.run(smooth_all(), {.folder = frames.in.text(), .out = frames.out.text(), .resume = true});
        CHECK(has(more, "\"done\":1"));
        CHECK(has(more, "\"before\":7"));

        const Folder together;
        const std::string shared =
            run(smooth_all(), {engine, Engine({.device = spec})}, {.folder = frames.in.text(), .out = together.text()});
        CHECK(has(shared, "\"done\":8"));
        for (int i = 0; i < 8; ++i) {
            const std::string name = "f" + std::to_string(i) + ".png";
            CHECK(!bytes_of(frames.out / name.c_str()).empty());
            CHECK(bytes_of(frames.out / name.c_str()) == bytes_of(together / name.c_str()));
        }
    }
}

TEST_CASE("whatever a caller's progress throws ends a series as it ends a job, and reaches the caller") {
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const Frames frames(4);
        const Engine engine({.device = spec});
        const JobOptions options{.folder = frames.in.text(), .out = frames.out.text()};
        for (const int calls : {1, 3}) {
            JobOptions throwing = options;
            throwing.overwrite = true;
            throwing.progress = [left = calls](const std::string&, double) mutable {
                if (--left == 0) throw 7;
            };
            CHECK_THROWS_AS(engine.run(smooth_all(), throwing), int);
        }
        std::ofstream(frames.in / "f9.pgm") << "no image";   // an item that fails is told of by another thread
        JobOptions failing = options;
        failing.overwrite = true;
        failing.progress = [](const std::string&, double) { throw 7; };
        CHECK_THROWS_AS(engine.run(smooth_all(), failing), int);
        std::filesystem::remove(frames.in / "f9.pgm");
        JobOptions more = options;
        more.resume = true;
        CHECK(has(engine.run(smooth_all(), more), "\"complete\":true"));
    }
}

TEST_CASE("shards of a series share a manifest") {
    const Frames frames(5);
    for (std::size_t shard = 1; shard <= 2; ++shard) {
        const std::string report =
            run(smooth_all(), {.folder = frames.in.text(), .out = frames.out.text(), .shard = shard, .shards = 2},
                {.device = "native"});
        CHECK(has(report, shard == 1 ? "\"done\":3" : "\"done\":2"));
        CHECK(has(report, shard == 1 ? "\"complete\":false" : "\"complete\":true"));
    }
}

TEST_CASE("an item that fails is in the report, and no other suffers") {
    const Frames frames(4);
    std::ofstream(frames.in / "f2.pgm") << "P5\n64 48\n255\nshort";
    const std::string report = run(smooth_all(), {.folder = frames.in.text(), .out = frames.out.text()}, {.device = "native"});
    CHECK(has(report, "\"done\":3"));
    CHECK(has(report, "f2.pgm"));
    CHECK(bytes_of(frames.out / "f2.png").empty());
}

TEST_CASE("several engines share one problem, to the bit") {
    const Frames frames(1);
    const auto job = Job::parse(
        R"({"parallax": 1, "inputs": {"image": "f0.pgm"}, "steps": [{"run": "diffusion_lb", "iterations": 20}],
            "outputs": {"image": "out.npy"}})");
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const Engine engine({.device = spec});
        if (engine.device().backend == host::Backend::native) continue;   // its variants work alone
        const Folder alone, together;
        engine.run(job, {.folder = frames.in.text(), .out = alone.text()});
        const std::string report = run(job, {engine, engine}, {.folder = frames.in.text(), .out = together.text()});
        CHECK(has(report, "\"ranks\""));
        CHECK(bytes_of(alone / "out.npy") == bytes_of(together / "out.npy"));
    }
}

TEST_CASE("an engine with a memory limit does a job in parts that does not fit it, to the bit") {
    const Folder in;
    std::string pixels(1024 * 1024, ' ');
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<char>(i * i % 253);
    std::ofstream(in / "large.pgm", std::ios::binary) << "P5\n1024 1024\n255\n" << pixels;
    const auto job = Job::parse(
        R"({"parallax": 1, "inputs": {"image": "large.pgm"}, "steps": [{"run": "box_filter", "radius": 3,
            "out": {"image": "smooth"}}],
        "outputs": {"smooth": "out.npy"}})");
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const Folder whole, parts;
        run(job, {.folder = in.text(), .out = whole.text()}, {.device = spec});
        const std::string report =
            run(job, {.folder = in.text(), .out = parts.text()}, {.device = spec, .memory_limit = 1536 * 1024});
        CHECK_FALSE(has(report, "\"tiles\":1,"));
        CHECK(!bytes_of(whole / "out.npy").empty());
        CHECK(bytes_of(whole / "out.npy") == bytes_of(parts / "out.npy"));
    }
}

TEST_CASE("a token ends a single job by an error, and a series by a report that says so") {
    const Frames frames(3);
    JobOptions options{.folder = frames.in.text(), .out = frames.out.text(), .cancel = CancelToken()};
    options.cancel.cancel();
    const std::string report = run(smooth_all(), options, {.device = "native"});
    CHECK(has(report, "\"stopped\":true"));
    CHECK(has(report, "\"complete\":false"));
    const auto single = Job::parse(
        R"({"parallax": 1, "inputs": {"image": "f0.pgm"}, "steps": [{"run": "box_filter"}], "outputs": {"image": "out.npy"}})");
    CHECK_THROWS_AS(run(single, options, {.device = "native"}), CancelledError);
}

#if !defined(_WIN32)
TEST_CASE("in a working folder that is gone a job works by absolute paths, and else says which option is none") {
    const Frames frames(1);
    const auto single = Job::parse(
        R"({"parallax": 1, "inputs": {"image": "f0.pgm"}, "steps": [{"run": "box_filter"}], "outputs": {"image": "out.npy"}})");
    const std::filesystem::path gone = frames.in / "gone";
    struct Back {
        std::filesystem::path folder = std::filesystem::current_path();
        ~Back() { std::filesystem::current_path(folder); }
    } const back;
    std::filesystem::create_directory(gone);
    std::filesystem::current_path(gone);
    std::filesystem::remove(gone);
    CHECK_THROWS_WITH_AS(run(single, {.out = frames.out.text()}, {.device = "native"}),
                         doctest::Contains("let \"folder\" be an absolute path"), IoError);
    CHECK_THROWS_WITH_AS(run(single, {.folder = frames.in.text()}, {.device = "native"}),
                         doctest::Contains("let \"out\" be an absolute path"), IoError);
    CHECK(has(run(single, {.folder = frames.in.text(), .out = frames.out.text()}, {.device = "native"}), "out.npy"));
}
#endif

TEST_CASE("what only a series has, and what no run can have, is refused by the name of the option") {
    const Frames frames(1);
    const auto single = Job::parse(
        R"({"parallax": 1, "inputs": {"image": "f0.pgm"}, "steps": [{"run": "box_filter"}], "outputs": {"image": "out.npy"}})");
    const auto pointer_of = [&](const Job& job, JobOptions options,
                                const EngineOptions& engine = {.device = "native"}) -> std::string {
        options.folder = frames.in.text();
        options.out = frames.out.text();
        try {
            run(job, options, engine);
        } catch (const ConfigError& error) {
            return error.pointer;
        }
        return "nothing";
    };
    CHECK(pointer_of(single, {.resume = true}) == "resume");
    CHECK(pointer_of(single, {.shard = 2, .shards = 3}) == "shard");
    CHECK(pointer_of(single, {.shard = 4, .shards = 3}) == "shard");
    CHECK(pointer_of(single, {.readers = -1}) == "readers");
    CHECK(pointer_of(single, {.writers = 257}) == "writers");
    CHECK(pointer_of(single, {.in_flight = 0}) == "in_flight");
    CHECK(pointer_of(single, {.trace = frames.out / "trace.json"}) == "trace");
    CHECK(pointer_of(single, {.manifest = frames.out / "kept"}) == "manifest");
    CHECK(pointer_of(single, {}) == "nothing");
    CHECK(pointer_of(single, {.roots = {{"data", ""}}}) == "roots");
    for (const JobOptions& empty : {JobOptions{.folder = "", .out = frames.out.text()}, {.folder = frames.in.text(), .out = ""}})
        CHECK_THROWS_WITH_AS(run(single, empty, {.device = "native"}),
                             doctest::Contains((empty.out.empty() ? "out: found an empty path, expected a folder"
                                                                  : "folder: found an empty path, expected a folder")),
                             ConfigError);
    const auto cut = [](const std::string& path) { return path + std::string("\0/elsewhere", 11); };
    CHECK(pointer_of(single, {.roots = {{"data", cut("data")}}}) == "roots");
    CHECK(pointer_of(single, {.manifest = cut("manifest")}) == "manifest");
    CHECK(pointer_of(single, {.trace = cut("trace.json")}) == "trace");
    CHECK(pointer_of(single, {.overwrite = true}, {.device = "native", .cache_folder = cut("cache")}) == "cache_folder");
    CHECK_THROWS_WITH_AS(run(single, {.folder = frames.in.text(), .out = cut(frames.out / "new")}, {.device = "native"}),
                         doctest::Contains("with \\u0000 behind it"), ConfigError);
    CHECK_THROWS_WITH_AS(run(single, {.folder = cut(frames.in.text()), .out = frames.out.text()}, {.device = "native"}),
                         doctest::Contains("with \\u0000 behind it"), ConfigError);
    std::ofstream(frames.in / "f0.json") << R"({"parallax": 1, "for_each": {"frame": "*.pgm"}, "inputs": {"image": "{frame}"},
        "steps": [{"run": "reduce", "in": {"array": "image"}}], "outputs": {"statistics": "{frame.stem}.json"}})";
    CHECK(pointer_of(smooth_all(), {.overwrite = true, .trace = frames.in / "f0.pgm"}) == "trace");
    const Folder fresh;
    std::ofstream(fresh / "notes.txt") << "MINE";
    for (const bool resume : {false, true})
        CHECK_THROWS_WITH_AS(run(smooth_all(),
                                 {.folder = frames.in.text(), .out = fresh.text(), .resume = resume, .trace = fresh / "notes.txt"},
                                 {.device = "native"}),
                             doctest::Contains("the existing file"), ConfigError);
    CHECK(bytes_of(fresh / "notes.txt").size() == 4);
    CHECK_THROWS_WITH_AS(run(Job::load(frames.in / "f0.json"), {.folder = frames.in.text(), .out = frames.in.text(), .overwrite = true},
                             {.device = "native"}),
                         doctest::Contains("f0.json, which is the job"), ConfigError);
    CHECK_THROWS_WITH_AS(Job::load(cut(frames.in / "job.json")), doctest::Contains("with \\u0000 behind it"), ConfigError);
    CHECK_THROWS_AS(run(single, std::vector<Engine>{}, {}), ConfigError);
    CHECK_THROWS_AS(
        run(single, {.folder = frames.in.text(), .out = frames.out.text(), .overwrite = true}, {.device = "no such device"}),
        UnsupportedError);
}
