// The self-test finds what is wrong, passes what is right, and leaves no algorithm out.
#include "selftest/selftest.hpp"
#include "selftest/problems.hpp"

#include "jobs/support.hpp"
#include "parallax/host/enumerate.hpp"
#include "parallax/host/json.hpp"
#include "peers/peers.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <thread>

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::engine;

namespace {

/// Seconds for --limit within which nobody answers. A worker that is warm needs less than a tenth of a millisecond for a small row.
const std::string no_time = "1e-9";

/// The rows of an algorithm's variant with an outcome.
std::vector<Json> rows_of(const Json& report, const std::string& algorithm, const std::string& variant,
                          const std::string& outcome) {
    std::vector<Json> rows;
    for (const Json& row : report["rows"])
        if (row["algorithm"] == algorithm && row["variant"] == variant && row["outcome"] == outcome) rows.push_back(row);
    return rows;
}

/// Types that a problem's rules can make, and those that are as wide: what only copies elements goes by their width.
const std::vector<ElementType> makeable{ElementType::u8,  ElementType::i8,  ElementType::u16, ElementType::i16,
                                        ElementType::u32, ElementType::i32, ElementType::u64, ElementType::i64,
                                        ElementType::f32, ElementType::f64, ElementType::c64};

ArrayDesc desc_of(const Json& rule, ElementType type) {
    std::vector<ArrayDesc::Extent> extents;
    const std::string axes = rule["axes"];
    for (std::size_t i = 0; i < axes.size(); ++i) extents.push_back({axes[i], rule["shape"][i].get<std::int64_t>()});
    return ArrayDesc::dense(type, extents);
}

/// Whether the algorithm takes the problem with elements of this type where the problem has those of its own.
bool takes(const Algorithm& algorithm, const selftest::SmallProblem& problem, ElementType type) {
    Problem asked{{}, algorithm.parameters.parse(problem.parameters, ""), problem.outputs};
    const Json own = problem.inputs.begin().value()["type"];
    for (const auto& [port, rule] : problem.inputs.items())
        asked.inputs.emplace(port,
                             desc_of(rule, rule["type"] == own ? type : *element_type_from(rule["type"].get<std::string>())));
    try {
        algorithm.infer(asked);
        return true;
    } catch (const ConfigError&) {
        return false;
    }
}

/// A copy of the kernels with one text in one file replaced, everywhere it occurs.
fs::path kernels_with(const TempFolder& folder, const std::string& file, const std::string& text,
                      const std::string& replacement) {
    const auto kernels = repository("kernels_cl");
    REQUIRE(kernels);
    const fs::path copy = folder / "kernels_cl";
    fs::remove_all(copy);
    fs::copy(*kernels, copy, fs::copy_options::recursive);
    std::string source = read_text(copy / file);
    REQUIRE(contains(source, text));
    source.replace(source.find(text), text.size(), replacement);
    write_text(copy / file, source);
    return copy;
}

}  // namespace

TEST_CASE("selftest: every algorithm has problems, in every type that it takes and for every operation") {
    const Registry registry = registry_with_peers();
    const auto& problems = selftest::problems(selftest::Extent::cover);
    for (const selftest::SmallProblem& problem : problems) {
        CAPTURE(problem.algorithm);
        const Algorithm& algorithm = registry.get(problem.algorithm);
        CHECK(!problem.outputs.empty());
        for (const std::string& output : problem.outputs) CHECK(algorithm.output(output) != nullptr);
        for (const Port& port : algorithm.inputs) CHECK((!port.required || problem.inputs.contains(port.name)));
        algorithm.parameters.parse(problem.parameters, "");
    }
    for (const Algorithm& algorithm : registry.algorithms()) {
        CAPTURE(algorithm.name);
        std::set<std::string> tried, taken, names;
        std::set<std::size_t> widths;
        for (const selftest::SmallProblem& problem : problems) {
            if (problem.algorithm != algorithm.name) continue;
            CHECK(names.insert(problem.name).second);
            if (problem.inputs.empty() || !algorithm.input(problem.inputs.begin().key()))
                continue;   // no input, or one that is made of another
            const std::string type = problem.inputs.begin().value()["type"];
            tried.insert(type);
            widths.insert(bytes_of(*element_type_from(type)));
            for (const ElementType other : makeable)
                if (takes(algorithm, problem, other)) taken.insert(std::string(to_string(other)));
        }
        CHECK(!names.empty());
        const bool copies = algorithm.name == "crop" || algorithm.name == "select";
        for (const std::string& type : taken) {
            CAPTURE(type);
            CHECK((copies ? widths.count(bytes_of(*element_type_from(type))) : tried.count(type)) == 1);
        }
    }
    // What each of a few choices may be occurs.
    const std::map<std::string, std::vector<std::pair<std::string, std::vector<std::string>>>> operations{
        {"arithmetic", {{"op", {"add", "subtract", "multiply", "divide", "log", "exp", "abs", "sqrt", "clamp"}}}},
        {"box_filter", {{"border", {"reflect_101", "reflect", "replicate", "constant"}}}},
        {"convert", {{"type", {"u8", "u16", "i16", "u32", "i32", "f32"}}}},
        {"diffusion_aos", {{"edge_function", {"perona_malik_1", "perona_malik_2", "charbonnier", "weickert"}}}},
        {"diffusion_lb", {{"lattice", {"D2Q5", "D2Q9"}}}},
        {"equalize", {{"formula", {"opencv", "classic", "skimage"}}}},
        {"fft", {{"kind", {"c2c", "r2c", "c2r", "dct"}}}},
        {"noise", {{"kind", {"gaussian", "speckle", "salt_and_pepper"}}}},
        {"reduce", {{"op", {"sum", "min", "max"}}}},
        {"scan", {{"op", {"sum", "min", "max"}}, {"kind", {"exclusive"}}}},
        {"sort", {{"order", {"ascending", "descending"}}}},
        {"threshold", {{"method", {"otsu", "value"}}}}};
    for (const auto& [name, parameters] : operations)
        for (const auto& [parameter, values] : parameters)
            for (const std::string& value : values) {
                CAPTURE(name + " " + parameter + " " + value);
                CHECK(std::any_of(problems.begin(), problems.end(), [&](const selftest::SmallProblem& p) {
                    return p.algorithm == name && p.parameters.value(parameter, std::string()) == value;
                }));
            }
    // Each with each has these and more.
    CHECK(selftest::problems(selftest::Extent::product).size() > 2 * problems.size());
}

TEST_CASE("selftest: a device that computes rightly passes with every algorithm") {
    const TempFolder folder;
    const Run run = run_program({"selftest", "--quiet", "--json"}, folder.path());
    CAPTURE(run.out);
    CAPTURE(run.err);
    CHECK(run.status == 0);
    const Json report = Json::parse(run.out);
    CHECK(report["passed"] == true);
    const Registry registry = registry_with_peers();
    for (const Algorithm& algorithm : registry.algorithms()) {
        CAPTURE(algorithm.name);
        CHECK(std::any_of(report["rows"].begin(), report["rows"].end(),
                          [&](const Json& row) { return row["algorithm"] == algorithm.name && row["outcome"] == "pass"; }));
    }
    for (const Json& row : report["rows"]) {
        CAPTURE(row.dump());
        CHECK((row["outcome"] == "pass" || (row["outcome"] == "refuse" && !row["reason"].get<std::string>().empty())));
    }
}

TEST_CASE("selftest: the native device is held against the reference too, peers apart") {
    const TempFolder folder;
    const Run run = run_program({"selftest", "--quiet", "--device", R"({"backend": "native"})", "--json"}, folder.path());
    CAPTURE(run.err);
    CHECK(run.status == 0);
    const Json report = Json::parse(run.out);
    CHECK(!rows_of(report, "sort", "threaded", "pass").empty());
    // A library that is there is held against the reference in a problem that it takes.
    std::istringstream modules(PARALLAX_PEER_MODULES);
    const std::map<std::string, std::vector<std::string>> ran{
        {"tbb", {"reduce", "scan", "sort"}}, {"opencv", {"box_filter", "equalize", "histogram"}}, {"fftw", {"fft"}}};
    for (std::string name; modules >> name;) {
        for (const std::string& algorithm : ran.count(name) ? ran.at(name) : std::vector<std::string>()) {
            CAPTURE(name);
            CAPTURE(algorithm);
            const auto with = [&](const char* outcome) {
                return std::any_of(report["rows"].begin(), report["rows"].end(), [&](const Json& r) {
                    return r["algorithm"] == algorithm && r["variant"] == name && r["outcome"] == outcome;
                });
            };
            CHECK(with("pass"));
            CHECK_FALSE(with("fail"));
        }
    }
    for (const Json& row : report["rows"])
        CHECK(row["peer"] == (row["variant"] == "tbb" || row["variant"] == "opencv" || row["variant"] == "fftw"));
}

TEST_CASE("selftest: a kernel that computes something else is found and named, and the others still run") {
    const TempFolder folder;
    const fs::path kernels = kernels_with(folder, "mask/mask.cl", "b != 0 ? a", "b != 0 ? a + 1");
    const Run run = run_program({"selftest", "--quiet", "--algorithm", "mask", "--algorithm", "crop", "--json"}, folder.path(),
                                {"PARALLAX_KERNEL_DIR=" + kernels.string()});
    CAPTURE(run.err);
    CHECK(run.status == 1);
    const Json report = Json::parse(run.out);
    CHECK(report["passed"] == false);
    CHECK(rows_of(report, "mask", "device", "pass").empty());
    const std::vector<Json> failed = rows_of(report, "mask", "device", "fail");
    REQUIRE(failed.size() == 6);   // a type each
    for (const Json& row : failed) {
        CAPTURE(row.dump());
        CHECK(contains(row["reason"].get<std::string>(), "image: "));
        if (row["type"] == "f32") CHECK(row["agreement"]["max_error"].get<double>() == doctest::Approx(1).epsilon(1e-3));
    }
    CHECK(rows_of(report, "crop", "device", "pass").size() == 5);
    CHECK(report["not_chosen"].size() == 6);
}

TEST_CASE("selftest: a kernel that does not compile is a failure that says where") {
    const TempFolder folder;
    const fs::path kernels = kernels_with(folder, "mask/mask.cl", "b != 0 ? a", "b != 0 ? nonsense");
    const Run run =
        run_program({"selftest", "--quiet", "--algorithm", "mask"}, folder.path(), {"PARALLAX_KERNEL_DIR=" + kernels.string()});
    CAPTURE(run.out);
    CHECK(run.status == 1);
    CHECK(contains(run.out, "fail "));
    CHECK(contains(run.out, "mask/mask.cl"));
    CHECK(contains(run.out, "0 passed, 0 refused, 6 failed"));
}

TEST_CASE("selftest: what failed is not chosen until it passes, its kernels change, or it is forgotten") {
    const TempFolder folder;
    const fs::path kernels = kernels_with(folder, "phantom/phantom.cl", "set != 0 ? 255 : 0", "set != 0 ? 254 : 0");
    const std::vector<std::string> faulty{"PARALLAX_KERNEL_DIR=" + kernels.string(),
                                          "PARALLAX_CACHE_DIR=" + (folder / "cache").string()};
    const std::vector<std::string> sound{faulty[1]};
    write_text(folder / "job.json",
               R"({"parallax": 1, "steps": [{"run": "phantom", "size": 27}], "outputs": {"volume": "volume.npy"}})");
    const auto job = [&](const std::vector<std::string>& environment) {
        return run_program({"run", "job.json", "--overwrite", "--device", R"({"backend": "opencl"})"}, folder.path(),
                           environment);
    };
    CHECK(job(faulty).status == 0);

    const Run test = run_program({"selftest", "--quiet", "--algorithm", "phantom"}, folder.path(), faulty);
    CAPTURE(test.out);
    CHECK(test.status == 1);
    CHECK(contains(test.out, "phantom device is not chosen for"));
    const Run refused = job(faulty);
    CAPTURE(refused.err);
    CHECK(refused.status == 1);
    CHECK(contains(refused.err, "failed the self-test"));
    CHECK(contains(refused.err, "parallax selftest --algorithm phantom"));

    // Sound kernels are others than those that failed, and pass.
    CHECK(job(sound).status == 0);
    CHECK(job(faulty).status == 1);
    CHECK(run_program({"selftest", "--quiet", "--algorithm", "crop"}, folder.path(), sound).status == 0);
    CHECK(job(faulty).status == 1);
    CHECK(run_program({"selftest", "--quiet", "--algorithm", "phantom"}, folder.path(), sound).status == 0);
    CHECK(job(faulty).status == 0);

    CHECK(run_program({"selftest", "--quiet", "--algorithm", "phantom"}, folder.path(), faulty).status == 1);
    CHECK(job(faulty).status == 1);
    const Run forget = run_program({"selftest", "--forget"}, folder.path(), faulty);
    CHECK(forget.status == 0);
    CHECK(contains(forget.out, "1 failure of"));
    CHECK(job(faulty).status == 0);
}

TEST_CASE("selftest: what failed on the native device is not used there, by name or unasked, and the plan says so") {
    const TempFolder folder;
    const std::vector<std::string> environment{"PARALLAX_CACHE_DIR=" + (folder / "cache").string()};
    HostArray keys = HostArray::make(ArrayDesc::dense(ElementType::u32, {{'x', 64}}));
    std::fill_n(keys.data(), keys.desc.dense_bytes(), std::byte{7});
    io::write(folder / "in.npy", keys);
    const auto job = [&](const char* command, const std::string& variant) {
        write_text(folder / "job.json", R"({"parallax": 1, "steps": [{"run": "sort")" +
                                            (variant.empty() ? "" : R"(, "variant": ")" + variant + "\"") +
                                            R"(}], "inputs": {"keys": "in.npy"}, "outputs": {"keys": "out.npy"}})");
        std::vector<std::string> words{command, "job.json", "--device", "native"};
        if (std::string(command) == "run") words.emplace_back("--overwrite");
        return run_program(words, folder.path(), environment);
    };
    CHECK(contains(job("run", "").err, "threaded"));
    const Run test = run_program({"selftest", "--quiet", "--device", "native", "--algorithm", "sort", "--limit", no_time},
                                 folder.path(), environment);
    CAPTURE(test.out);
    CHECK(test.status == 1);
    CHECK(contains(test.out, "sort threaded is not chosen"));
    CHECK(!contains(test.out, "sort reference is not chosen"));   // by what would it be judged?
    const Run unasked = job("run", "");
    CAPTURE(unasked.err);
    CHECK(unasked.status == 0);
    CHECK(contains(unasked.err, "reference"));
    const Run by_name = job("run", "threaded");
    CAPTURE(by_name.err);
    CHECK(by_name.status == 1);
    CHECK(contains(by_name.err, "failed the self-test on this device"));
    const Run plan = job("plan", "");
    CAPTURE(plan.out);
    CHECK(plan.status == 0);
    CHECK(contains(plan.out, "reference"));
    CHECK(contains(plan.out, "failed the self-test on this device"));
}

TEST_CASE("selftest: two that end at once keep the verdicts of both, and one algorithm's can be forgotten alone") {
    const TempFolder folder;
    const std::vector<std::string> environment{"PARALLAX_CACHE_DIR=" + (folder / "cache").string()};
    const auto failing = [&](const char* algorithm) {
        return run_program(
            {"selftest", "--quiet", "--device", "native", "--algorithm", algorithm, "--limit", no_time, "--json"}, folder.path(),
            environment);
    };
    const auto forgotten = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"selftest", "--forget", "--device", "native", "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return Json::parse(run_program(words, folder.path(), environment).out);
    };
    for (int round = 0; round < 5; ++round) {
        std::vector<std::thread> both;
        std::map<std::string, Run> said{{"sort", {}}, {"reduce", {}}};
        for (auto& [algorithm, run] : said) both.emplace_back([&, name = algorithm.c_str(), to = &run] { *to = failing(name); });
        for (std::thread& one : both) one.join();
        for (const auto& [algorithm, run] : said) {
            CAPTURE(algorithm);
            CAPTURE(run.err);
            CAPTURE(run.out);
            CHECK(run.status == 1);
            REQUIRE(!Json::parse(run.out, nullptr, false).value("not_chosen", Json()).empty());
        }
        CHECK(forgotten({"--algorithm", "histogram"})["forgotten"] == 0);
        const Json of_one = forgotten({"--algorithm", "sort"});
        CHECK(of_one["forgotten"] > 0);
        CHECK(of_one["kept"] > 0);
        CHECK(forgotten({})["forgotten"] == of_one["kept"]);
    }
}

#if !defined(_WIN32)
TEST_CASE("selftest: a worker that others end says nothing of the variant: no verdict comes or goes by it") {
    const TempFolder folder;
    const std::string before = std::getenv("PARALLAX_CACHE_DIR") != nullptr ? std::getenv("PARALLAX_CACHE_DIR") : "";
    setenv("PARALLAX_CACHE_DIR", (folder / "cache").c_str(), 1);
    const Registry registry = registry_with_peers();
    const auto native = host::DeviceSelector::parse_spec("native");
    const host::DeviceInfo device = native.select(host::enumerate(native)).device->info();
    const auto test = [&](const std::string& end) {
        selftest::Options options;
        options.algorithms = {"sort"};
        options.workers = 1;
        options.worker = {"/bin/sh", "-c",
                          R"(while IFS= read -r line; do case "$line" in *'"do":"row"'*) kill -)" + end +
                              R"( $$; exit;; esac; printf '%s\n' "$line"; done | "$PARALLAX_BIN" worker selftest)"};
        return selftest::test_and_remember(device, registry, options);
    };
    const auto killed = test("KILL");
    REQUIRE(!killed.rows.empty());
    for (const selftest::Row& row : killed.rows) {
        CHECK(row.outcome == selftest::Outcome::failed);
        CHECK(contains(row.reason, "nothing is kept of it"));
    }
    CHECK(killed.verdicts.empty());
    const auto crashed = test("SEGV").verdicts;
    CHECK(!crashed.empty());
    CHECK(test("TERM").verdicts.size() == crashed.size());
    if (before.empty()) unsetenv("PARALLAX_CACHE_DIR");
    else setenv("PARALLAX_CACHE_DIR", before.c_str(), 1);
}
#endif

TEST_CASE("selftest: a row that ends or outlives its process has failed, and is told so") {
    const TempFolder folder;
    const Run late = run_program({"selftest", "--quiet", "--algorithm", "crop", "--limit", no_time, "--json"}, folder.path(),
                                 {"PARALLAX_CACHE_DIR=" + (folder / "cache").string()});
    CAPTURE(late.err);
    CHECK(late.status == 1);
    const Json report = Json::parse(late.out);
    const std::vector<Json> failed = rows_of(report, "crop", "device", "fail");
    CHECK(failed.size() == 5);
    for (const Json& row : failed) CHECK(contains(row["reason"].get<std::string>(), "did not answer"));
}

TEST_CASE("selftest: what it is asked wrongly it refuses in the usual words") {
    const TempFolder folder;
    const Run algorithm = run_program({"selftest", "--algorithm", "box_filtre"}, folder.path());
    CHECK(algorithm.status == 2);
    CHECK(contains(algorithm.err, "box_filter"));
    const Run rule = run_program({"selftest", "--device", R"({"typ": "gpu"})"}, folder.path());
    CHECK(rule.status == 2);
    CHECK(contains(rule.err, "type"));
    const Run none = run_program({"selftest", "--device", "no such device"}, folder.path());
    CHECK(none.status == 1);
    CHECK(contains(none.err, "no such device"));
}
