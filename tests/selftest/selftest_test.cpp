// The self-test finds what is wrong, passes what is right, and leaves no algorithm out.
#include "selftest/selftest.hpp"
#include "selftest/problems.hpp"

#include "jobs/support.hpp"
#include "parallax/host/json.hpp"

#include <algorithm>
#include <map>
#include <sstream>

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::engine;

namespace {

Json row_of(const Json& report, const std::string& algorithm, const std::string& variant) {
    for (const Json& row : report["rows"]) {
        if (row["algorithm"] == algorithm && row["variant"] == variant) return row;
    }
    return Json::object();
}

/// A copy of the kernels with one text in one file replaced, everywhere it occurs.
fs::path kernels_with(const TempFolder& folder, const std::string& file, const std::string& text, const std::string& replacement) {
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

TEST_CASE("selftest: every algorithm has a problem, and every problem an algorithm") {
    const Registry registry;
    for (const Algorithm& algorithm : registry.algorithms()) {
        CAPTURE(algorithm.name);
        CHECK(std::any_of(selftest::problems().begin(), selftest::problems().end(), [&](const selftest::SmallProblem& p) { return p.algorithm == algorithm.name; }));
    }
    for (const selftest::SmallProblem& problem : selftest::problems()) {
        CAPTURE(problem.algorithm);
        const Algorithm& algorithm = registry.get(problem.algorithm);
        CHECK(!problem.outputs.empty());
        for (const std::string& variant : problem.variants) CHECK((variant == "npp" || algorithm.variant(variant) != nullptr));   // NPP: only where it was compiled in
        for (const std::string& output : problem.outputs) CHECK(algorithm.output(output) != nullptr);
        for (const Port& port : algorithm.inputs) CHECK((!port.required || problem.inputs.contains(port.name)));
    }
}

TEST_CASE("selftest: a device that computes rightly passes with every algorithm") {
    const TempFolder folder;
    const Run run = run_program({"selftest", "--quiet", "--json"}, folder.path());
    CAPTURE(run.out);
    CAPTURE(run.err);
    CHECK(run.status == 0);
    const Json report = Json::parse(run.out);
    CHECK(report["passed"] == true);
    const Registry registry;
    for (const Algorithm& algorithm : registry.algorithms()) {
        CAPTURE(algorithm.name);
        CHECK(std::any_of(report["rows"].begin(), report["rows"].end(), [&](const Json& row) { return row["algorithm"] == algorithm.name && row["outcome"] == "pass"; }));
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
    CHECK(row_of(report, "sort", "threaded")["outcome"] == "pass");
    // A library that is there is held against the reference wherever it takes the problem, and refuses the rest with its reason.
    std::istringstream modules(PARALLAX_PEER_MODULES);
    const std::map<std::string, std::vector<std::string>> ran{{"tbb", {"reduce", "scan", "sort"}}, {"opencv", {"box_filter", "equalize", "histogram"}}, {"fftw", {"fft"}}};
    for (std::string name; modules >> name;) {
        for (const std::string& algorithm : ran.count(name) ? ran.at(name) : std::vector<std::string>()) {
            CAPTURE(name);
            CAPTURE(algorithm);
            const auto with = [&](const char* outcome) {
                return std::any_of(report["rows"].begin(), report["rows"].end(), [&](const Json& r) { return r["algorithm"] == algorithm && r["variant"] == name && r["outcome"] == outcome; });
            };
            CHECK(with("pass"));
            CHECK_FALSE(with("fail"));
            if (name == "tbb" && algorithm == "sort") CHECK(with("refuse"));   // values
        }
    }
    for (const Json& row : report["rows"]) CHECK(row["peer"] == (row["variant"] == "tbb" || row["variant"] == "opencv" || row["variant"] == "fftw"));
}

TEST_CASE("selftest: a kernel that computes something else is found and named, and the others still run") {
    const TempFolder folder;
    const fs::path kernels = kernels_with(folder, "mask/mask.cl", "b != 0 ? a", "b != 0 ? a + 1");
    const Run run = run_program({"selftest", "--quiet", "--algorithm", "mask", "--algorithm", "crop", "--json"}, folder.path(), {"PARALLAX_KERNEL_DIR=" + kernels.string()});
    CAPTURE(run.err);
    CHECK(run.status == 1);
    const Json report = Json::parse(run.out);
    CHECK(report["passed"] == false);
    const Json mask = row_of(report, "mask", "device");
    CAPTURE(mask.dump());
    CHECK(mask["outcome"] == "fail");
    CHECK(contains(mask["reason"].get<std::string>(), "image: an error of"));
    CHECK(mask["agreement"]["max_error"].get<double>() == doctest::Approx(1).epsilon(1e-3));
    CHECK(row_of(report, "crop", "device")["outcome"] == "pass");
}

TEST_CASE("selftest: a kernel that does not compile is a failure that says where") {
    const TempFolder folder;
    const fs::path kernels = kernels_with(folder, "mask/mask.cl", "b != 0 ? a", "b != 0 ? nonsense");
    const Run run = run_program({"selftest", "--quiet", "--algorithm", "mask"}, folder.path(), {"PARALLAX_KERNEL_DIR=" + kernels.string()});
    CAPTURE(run.out);
    CHECK(run.status == 1);
    CHECK(contains(run.out, "fail "));
    CHECK(contains(run.out, "mask/mask.cl"));
    CHECK(contains(run.out, "0 passed, 0 refused, 1 failed"));
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
