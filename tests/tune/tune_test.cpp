// From the command line to the entry and back into a job: what is tuned is right, kept, and taken.
#include "core/tuning.hpp"
#include "devices.hpp"
#include "jobs/support.hpp"
#include "tune/files.hpp"
#include "tune/problems.hpp"
#include "tune/tune.hpp"
#include "peers/peers.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::engine;

namespace {

/// Kernels whose mask does something else.
fs::path kernels_with(const TempFolder& folder, const std::string& apply) {
    const auto kernels = repository("kernels_cl");
    REQUIRE(kernels);
    const fs::path copy = folder / "kernels_cl";
    fs::copy(*kernels, copy, fs::copy_options::recursive);
    std::string source = read_text(copy / "mask/mask.cl");
    const std::string line = "INLINE OUT apply(A a, B b, const PARAMETER* parameters) { return b != 0 ? a : parameters[0]; }";
    REQUIRE(contains(source, line));
    source.replace(source.find(line), line.size(), apply);
    write_text(copy / "mask/mask.cl", source);
    return copy;
}

/// Slow, except where a work-item has four loads in flight, and where it has eight: those are wrong.
const char* const uneven = R"(
INLINE OUT apply(A a, B b, const PARAMETER* parameters) {
#if LOADS == 8
    return a;
#else
    float t = (float)a;
#if LOADS != 4
    for (int i = 0; i < 300; ++i) t = t * 0.999f + 0.001f;
#endif
    return b != 0 ? (t > 1e30f ? 0 : a) : parameters[0];
#endif
}
)";

/// Never ends with eight loads in flight, and writes to address 8 with one.
const char* const fatal = R"(
INLINE OUT apply(A a, B b, const PARAMETER* parameters) {
#if LOADS == 8
    for (volatile int i = 0; i >= 0; i = 0) {}
#elif LOADS == 1
    *(volatile GLOBAL int*)(size_t)(b + 8) = 1;
#endif
    return b != 0 ? a : parameters[0];
}
)";

TuningFile tuning_in(const fs::path& file) { return TuningFile::parse(read_text(file), file.string()); }

}  // namespace

TEST_CASE(
    "tune: a fast policy that computes something else is passed over, the fast one that is right is kept and taken by jobs") {
    const TempFolder folder;
    const std::vector<std::string> kernels{"PARALLAX_KERNEL_DIR=" + kernels_with(folder, uneven).string()};
    const std::vector<std::string> tune{"tune", "mask",         "--size", "small", "--type", "f32",    "--seconds",
                                        "60",   "--candidates", "9",      "--out", "found",  "--quiet"};
    const Run run = run_program(tune, folder.path(), kernels);
    CAPTURE(run.out);
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    CHECK(contains(run.err, "1 tuned"));
    CHECK(contains(run.out, R"("loads":4)"));
    REQUIRE(tuning_in(folder / "found/mask.json").entries.size() == 1);
    const TunedPolicy entry = tuning_in(folder / "found/mask.json").entries[0];
    CHECK(entry.policy.at("loads") == 4);
    CHECK(entry.work == WorkClass{"f32", "small"});
    CHECK(entry.found.at("gain").get<double>() > 1.5);
    CHECK(entry.found.at("interval")[0].get<double>() > tune::least_gain);
    CHECK(entry.found.at("candidates").at("tried") == 9);
    CHECK(entry.found.at("candidates").at("wrong") == 1);
    CHECK(contains(entry.found.at("reasons").dump(), "wrong: image: an error of"));
    CHECK(entry.found.at("checks").size() == 1);
    CHECK(entry.found.at("date").get<std::string>().size() == 10);

    const Run again = run_program(tune, folder.path(), kernels);   // it has been done
    CHECK(again.status == 0);
    CHECK(contains(again.err, "nothing was left to tune"));

    io::write(folder / "image.npy", floats(300, 200, std::vector<float>(60000, 1.5f)));
    io::write(folder / "mask.npy", ramp(300, 200));
    write_text(
        folder / "job.json",
        R"({"parallax": 1, "inputs": {"image": "image.npy", "mask": "mask.npy"}, "steps": [{"run": "mask"}],
            "outputs": {"image": "out.npy"}})");
    const Run job =
        run_program({"run", "job.json", "--report", "report.json"}, folder.path(), {kernels[0], "PARALLAX_TUNING=found"});
    CAPTURE(job.err);
    REQUIRE(job.status == 0);
    const std::string report = read_text(folder / "report.json");
    CHECK(contains(report, "tuned on this device"));
    CHECK(contains(report, R"("loads": 4)"));
}

TEST_CASE("tune: a candidate that hangs or crashes the driver is told and passed over, and the rest goes on in another process") {
    const TempFolder folder;
    const std::vector<DevicePtr> devices = devices_under_test();
    if (devices.empty() || devices.front()->info().type != host::DeviceType::cpu)
        return;   // to a GPU such kernels may mean more than the end of a process
    const std::vector<std::string> arguments{"tune",      "mask",  "--size",       "small",  "--type",  "f32",
                                             "--seconds", "60",    "--candidates", "12",     "--limit", "6",
                                             "--out",     "found", "--json",       "--quiet"};
    // The crash is to come as a signal where AddressSanitizer would make a report of it, too.
    const char* const sanitizer = std::getenv("ASAN_OPTIONS");
    const Run run =
        run_program(arguments, folder.path(),
                    {"PARALLAX_KERNEL_DIR=" + kernels_with(folder, fatal).string(),
                     "ASAN_OPTIONS=" + (sanitizer == nullptr ? std::string() : sanitizer + std::string(":")) + "handle_segv=0"});
    CAPTURE(run.out);
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const Json result = Json::parse(run.out)["results"][0];
    std::string lost;
    for (const Json& line : result["lost"]) lost += line.get<std::string>() + "\n";
    CHECK(contains(lost, R"("loads":8)"));
    CHECK(contains(lost, "hung: the worker did not answer \"measure\" within 6 s"));
    CHECK(contains(lost, R"("loads":1)"));
    CHECK(contains(lost, "crashed: the worker ended during \"measure\": signal 11"));
    CHECK(contains(run.err, "passed over"));
    CHECK(result["policy"].value("loads", 1) != 8);
    const TunedPolicy entry = tuning_in(folder / "found/mask.json").entries.at(0);
    CHECK(entry.found.at("candidates").at("failed") == result["lost"].size());
    CHECK(entry.found.at("candidates").at("tried").get<std::size_t>() > result["lost"].size());
}

TEST_CASE("tune: where no policy is faster the entry says so, and jobs keep the defaults") {
    const TempFolder folder;
    const Run run = run_program(
        {"tune", "crop", "--size", "small", "--type", "u8", "--candidates", "1", "--out", "found", "--json", "--quiet"},
        folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    CHECK(Json::parse(run.out)["results"][0]["verdict"] == "defaults");
    const TunedPolicy entry = tuning_in(folder / "found/crop.json").entries.at(0);
    CHECK(entry.policy.empty());
    CHECK(entry.found.at("gain") == 1);
    io::write(folder / "image.npy", ramp(300, 200));
    write_text(
        folder / "job.json",
        R"({"parallax": 1, "inputs": {"image": "image.npy"}, "steps": [{"run": "crop", "x": [1, 20]}],
            "outputs": {"image": "out.npy"}})");
    const Run plan = run_program({"plan", "job.json", "--json"}, folder.path(), {"PARALLAX_TUNING=found"});
    CAPTURE(plan.err);
    REQUIRE(plan.status == 0);
    CHECK(contains(Json::parse(plan.out)["steps"][0]["policy_from"].get<std::string>(),
                   "the defaults, the fastest when tuned on this device"));
}

TEST_CASE("tune: what is interrupted keeps what it found and goes on after it") {
    const TempFolder folder;
    const std::vector<DevicePtr> devices = devices_under_test();
    const auto opencl = std::find_if(devices.begin(), devices.end(),
                                     [](const DevicePtr& d) { return d->info().backend != host::Backend::native; });
    if (opencl == devices.end()) return;   // PARALLAX_TEST_DEVICES
    const host::DeviceInfo& device = (*opencl)->info();
    const Registry registry = registry_with_peers();
    tune::TuneOptions options;
    options.worker = {std::getenv("PARALLAX_BIN"), "worker", "tune"};
    options.algorithms = {"select"};
    options.sizes = {"small"};
    options.budget = {60, 2};
    options.out = folder / "found";
    int calls = 0;
    std::string seen;
    options.progress = [&](const std::string& what, double) { seen += what + "\n"; };
    options.cancelled = [&] { return contains(seen, "u8") && ++calls > 0; };   // once the second search has begun
    const tune::Tuned first = tune::run(device, registry, options);
    CHECK(first.ended == "interrupted");
    REQUIRE(tuning_in(folder / "found/select.json").entries.size() == 1);
    CHECK(tuning_in(folder / "found/select.json").entries[0].work.type == "f32");
    CHECK(folder.listing() == std::vector<std::string>{"found", "found/select.json"});   // and nothing half-written
    options.cancelled = {};
    const tune::Tuned second = tune::run(device, registry, options);
    CHECK(second.ended.empty());
    REQUIRE(second.results.size() == 1);
    CHECK(second.results[0].task.set->work.type == "u8");
    CHECK(tuning_in(folder / "found/select.json").entries.size() == 2);
}

TEST_CASE("tune: a job of one's own is tuned at its sizes, on what its steps hand on") {
    const TempFolder folder;
    for (const char* const name : {"a.npy", "b.npy"})
        io::write(folder / name, floats(150, 100, std::vector<float>(15000, 0.25f)));
    write_text(folder / "job.json", R"({"parallax": 1, "inputs": {"raw": "a.npy"}, "steps": [
        {"run": "convert", "type": "u8", "window": {"low": 0, "high": 1}, "in": {"image": "raw"}, "out": {"image": "bytes"}},
        {"run": "crop", "x": [10, 90], "in": {"image": "bytes"}, "out": {"image": "part"}}, {"run": "fft", "kind": "r2c",
            "in": {"array": "raw"}}], "outputs": {"part": "part.png", "array": "f.npy"}})");
    const auto before = folder.listing();
    const Run list = run_program({"tune", "--from", "job.json", "--list", "--json"}, folder.path());
    CAPTURE(list.err);
    REQUIRE(list.status == 0);
    const Json listed = Json::parse(list.out);
    REQUIRE(listed.size() == 2);   // transforms have no policies
    CHECK(listed[0]["problem"] == "f32 100 x 150 (y, x), job.json");
    CHECK(listed[1]["algorithm"] == "crop");
    CHECK(listed[1]["problem"] == "u8 100 x 150 (y, x), job.json");
    CHECK(folder.listing() == before);

    const std::vector<std::string> words{"tune", "crop",  "--from", "job.json", "--candidates",
                                         "2",    "--out", "own",    "--json",   "--quiet"};
    const Run run = run_program(words, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const TunedPolicy entry = tuning_in(folder / "own/crop.json").entries.at(0);
    CHECK(entry.work == WorkClass{"u8", "small"});
    CHECK(entry.found.at("problem") == "u8 100 x 150 (y, x), job.json");
    CHECK(entry.found.at("candidates").at("wrong") == 0);
    CHECK(contains(run_program(words, folder.path()).err, "nothing was left to tune"));

    write_text(
        folder / "series.json",
        R"({"parallax": 1, "for_each": {"frame": "*.npy"}, "inputs": {"image": "{frame}"}, "steps": [{"run": "crop", "x": [1,
            9]}], "outputs": {"image": "{frame.stem}.png"}})");
    CHECK(contains(run_program({"tune", "--from", "series.json", "--list"}, folder.path()).out,
                   "f32 100 x 150 (y, x), series.json"));   // its first item

    write_text(
        folder / "typo.json",
        R"({"parallax": 1, "inputs": {"image": "a.npy"}, "steps": [{"run": "crop", "xx": [1, 9]}],
            "outputs": {"image": "x.png"}})");
    write_text(
        folder / "missing.json",
        R"({"parallax": 1, "inputs": {"image": "aa.npy"}, "steps": [{"run": "crop", "x": [1, 9]}],
            "outputs": {"image": "x.png"}})");
    const auto refused = [&](const std::vector<std::string>& arguments, const std::string& said) {
        std::vector<std::string> all{"tune", "--from"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const Run run = run_program(all, folder.path());
        CAPTURE(said);
        CAPTURE(run.err);
        CHECK(run.status == 2);
        CHECK(contains(run.err, said));
    };
    refused({"typo.json"}, "/steps/0/xx in typo.json");
    refused({"missing.json"}, "/inputs/image in missing.json");
    refused({"no.json"}, "no file no.json");
    refused({"own/crop.json"}, "neither a job nor a study");
    refused({"job.json", "sort"}, "convert, crop, fft");
    refused({"job.json", "--quick"}, "--quick");
    refused({"job.json", "--out", "a.npy"}, "--out");
}

TEST_CASE("tune: one variant of a device and class is the fastest, and files of others stay as they are") {
    const TempFolder folder;
    const TunedDevice own{"opencl", "A", "", "V", "P", "cpu"}, other{"opencl", "B", "", "V", "P", "cpu"};
    const WorkClass work{"f32", "small"};
    tune::Files files(folder / "found", {});
    for (const char* const variant : {"x", "y"}) {
        files.put("scan", {own, work, variant, Json::object(), variant[0] == 'x', {{"date", "2026-01-01"}}});
        files.put("scan", {other, work, variant, Json::object(), variant[0] == 'x', {{"date", "2026-01-01"}}});
    }
    files.crown("scan", own, work, "y");
    const tune::Files read(folder / "found", {});
    CHECK(!read.find("scan", own, work, "x")->best);
    CHECK(read.find("scan", own, work, "y")->best);
    CHECK(read.find("scan", other, work, "x")->best);
    CHECK(read.find("scan", own, {"u8", "small"}, "x") == nullptr);
}

TEST_CASE("tune: two at once into one folder keep each other's entries; hidden files there are none") {
    const TempFolder folder;
    const WorkClass work{"f32", "small"};
    tune::Files one(folder / "found", {}), two(folder / "found", {});   // each has read the folder before the other wrote
    const auto device = [](const std::string& name) { return TunedDevice{"opencl", name, "", "V", "P", "cpu"}; };
    const auto entry = [&](const std::string& name) {
        return TunedPolicy{device(name), work, "x", Json::object(), true, {{"date", "2026-01-01"}}};
    };
    constexpr int each = 20;
    const auto fill = [&](tune::Files& files, const std::string& name) {
        for (int i = 0; i < each; ++i) files.put("scan", entry(name + std::to_string(i)));
    };
    std::thread other([&] { fill(one, "A"); });
    fill(two, "B");
    other.join();
    write_text(folder / "found/.parallax-1-0-0123abcd-0-scan.json", "");
    write_text(folder / "found/.x.json", "no JSON");
    const tune::Files read(folder / "found", {});
    for (int i = 0; i < each; ++i)
        for (const char* const name : {"A", "B"})
            CHECK(read.find("scan", device(name + std::to_string(i)), work, "x") != nullptr);
}

TEST_CASE("tune: a file under another algorithm's name is refused before its entries are lost") {
    const TempFolder folder;
    const TunedDevice own{"opencl", "A", "", "V", "P", "cpu"};
    const auto entry = [&] { return TunedPolicy{own, {"f32", "small"}, "x", Json::object(), true, {{"date", "2026-01-01"}}}; };
    tune::Files files(folder / "found", {});
    files.put("sort", entry());
    fs::copy_file(folder / "found/sort.json", folder / "found/reduce.json");
    const std::string before = read_text(folder / "found/reduce.json");
    CHECK_THROWS_WITH_AS(files.put("reduce", entry()), doctest::Contains("a second file for sort"), ConfigError);
    CHECK_THROWS_AS(tune::Files(folder / "found", {}), ConfigError);
    CHECK(read_text(folder / "found/reduce.json") == before);
}

TEST_CASE("tune: a folder that cannot be made is told with the files that would be in it") {
    const TempFolder folder;
    write_text(folder / "file", "");
    const tune::Files files(folder / "file/found", {});
    CHECK_THROWS_WITH_AS(files.require_writable(), doctest::Contains("ALGORITHM.json, although"), ConfigError);
}

TEST_CASE("tune: every problem is a problem of its algorithm and of its class") {
    const Registry registry = registry_with_peers();
    for (const tune::ProblemSet& set : tune::problem_sets()) {
        CAPTURE(set.algorithm);
        CAPTURE(set.problem.name);
        const Algorithm& algorithm = registry.get(set.algorithm);
        for (const std::string& variant : set.variants) CHECK(algorithm.variant(variant) != nullptr);
        std::vector<tune::TuningProblem> problems = set.checks;
        problems.push_back(set.problem);
        CHECK(!set.checks.empty());
        for (const tune::TuningProblem& problem : problems) {
            CAPTURE(problem.name);
            engine::Problem asked{{}, algorithm.parameters.parse(problem.parameters, ""), problem.outputs};
            for (const auto& [port, rule] : problem.inputs.items()) {
                const bool cells = rule.contains("run");
                std::vector<ArrayDesc::Extent> extents;
                for (std::size_t i = 0; i < (cells ? 3 : rule["shape"].size()); ++i)
                    extents.push_back({cells ? "zyx"[i] : rule["axes"].get<std::string>()[i],
                                       (cells ? rule["size"] : rule["shape"][i]).get<std::int64_t>()});
                asked.inputs.emplace(
                    port, ArrayDesc::dense(*element_type_from(cells ? "u8" : rule["type"].get<std::string>()), extents));
            }
            CHECK(WorkClass::of(algorithm, asked) == set.work);
            CHECK_NOTHROW(algorithm.infer(asked));
        }
    }
    // What jobs run by default can be tuned, too: a hologram is padded by reflection, which has variants of its own.
    for (const char* const variant : {"fused_mirrored", "mirrored_simd"}) {
        CAPTURE(std::string(variant));
        CHECK(std::any_of(tune::problem_sets().begin(), tune::problem_sets().end(), [&](const tune::ProblemSet& set) {
            const bool named = std::find(set.variants.begin(), set.variants.end(), variant) != set.variants.end();
            return set.algorithm == "hologram" && named && set.problem.parameters.at("padding") == "reflect";
        }));
    }
    // Whatever has policies to choose from can be tuned.
    for (const Algorithm& algorithm : registry.algorithms()) {
        const bool tunable = std::any_of(algorithm.variants.begin(), algorithm.variants.end(),
                                         [](const Variant& v) { return tune::Space::of(v.policy).size() > 1; });
        CAPTURE(algorithm.name);
        CHECK(tunable == std::any_of(tune::problem_sets().begin(), tune::problem_sets().end(),
                                     [&](const tune::ProblemSet& s) { return s.algorithm == algorithm.name; }));
    }
}

TEST_CASE("tune: what it is asked wrongly it refuses before it searches") {
    const TempFolder folder;
    const auto refused = [&](const std::vector<std::string>& arguments, const std::string& said, int status = 2) {
        std::vector<std::string> all{"tune"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const Run run = run_program(all, folder.path());
        CAPTURE(said);
        CAPTURE(run.err);
        CHECK(run.status == status);
        CHECK(contains(run.err, said));
    };
    refused({"box_filtre"}, "box_filter");
    refused({"mask", "--variant", "devise"}, "device");
    refused({"mask", "--type", "f23"}, "f32");
    refused({"mask", "--size", "smal"}, "small");
    refused({"mask", "--role", "bset"}, "best");
    refused({"mask", "--seconds", "0"}, "--seconds");
    refused({"mask", "--device", "native"}, "no policies to tune");
    refused({"mask", "--device", "no such device"}, "no such device", 1);
    write_text(folder / "file", "no folder");
    refused({"mask", "--out", "file"}, "--out");
    if (fs::is_directory("/proc/self")) refused({"mask", "--out", "/proc/self/tuning"}, "--out");   // even to root
    fs::create_directory(folder / "broken");
    write_text(folder / "broken/mask.json", "{");
    refused({"mask", "--out", "broken"}, "mask.json");
    CHECK(folder.listing() == std::vector<std::string>{"broken", "broken/mask.json", "file"});
    const Run list = run_program({"tune", "mask", "--list"}, folder.path());
    CHECK(list.status == 0);
    CHECK(contains(list.out, "f32 large"));
}
