// Jobs of very many outputs, steps, files: the time to plan one grows with their number. Where it grew with the square each of these took
// more than ten seconds of a processor.
#include "support.hpp"
#include "support/sanitizers.hpp"

#include "parallax/host/json.hpp"

#include <string>
#include <vector>

using namespace parallax;
using namespace parallax::tests;

namespace {

Json job_of_outputs(int count) {
    Json job = Json::parse(R"({"parallax": 1, "inputs": {"image": "a.npy"}, "steps": [{"run": "crop"}], "outputs": {}})");
    for (int i = 0; i < count; ++i) job["outputs"]["o" + std::to_string(i)] = {{"of", "image"}, {"file", std::to_string(i) + ".npy"}};
    return job;
}

/// Each step crops what the one before has made, or all the same image.
Json job_of_steps(int count, bool chain) {
    Json job = Json::parse(R"({"parallax": 1, "inputs": {"image": "a.npy"}, "steps": [], "outputs": {}})");
    for (int i = 0; i < count; ++i) {
        const std::string name = "a" + std::to_string(i), from = chain && i > 0 ? "a" + std::to_string(i - 1) : "image";
        job["steps"].push_back({{"id", "s" + std::to_string(i)}, {"run", "crop"}, {"in", {{"image", from}}}, {"out", {{"image", name}}}});
        if (!chain || i + 1 == count) job["outputs"][name] = name + ".npy";
    }
    return job;
}

/// Their sum, each added by a step of its own.
Json job_of_inputs(int count) {
    Json job = Json::parse(R"({"parallax": 1, "inputs": {"a0": "a.npy"}, "steps": [], "outputs": {}})");
    for (int i = 1; i < count; ++i) {
        const std::string name = std::to_string(i), sum = "a" + std::to_string(i - 1);
        job["inputs"]["i" + name] = "a.npy";
        job["steps"].push_back({{"id", "s" + name}, {"run", "arithmetic"}, {"in", {{"image", sum}, {"other", "i" + name}}},
                                {"out", {{"image", "a" + name}}}});
    }
    job["outputs"]["a" + std::to_string(count - 1)] = "sum.npy";
    return job;
}

Json series_of_files(int count) {
    Json job = Json::parse(R"({"parallax": 1, "for_each": {"frame": {"files": []}}, "inputs": {"image": "{frame}"},
                               "steps": [{"run": "crop"}], "outputs": {"image": "{frame.index}.npy"}})");
    for (int i = 0; i < count; ++i) job["for_each"]["frame"]["files"].push_back("a.npy");
    return job;
}

/// Each output's name has many of them, of the last of the variables.
Json job_of_placeholders(int variables, int count) {
    Json job = Json::parse(R"({"parallax": 1, "for_each": {}, "inputs": {"image": {"files": [], "combine": "mean"}},
                               "steps": [{"run": "crop"}], "outputs": {}})");
    for (int i = 0; i < variables; ++i) {
        job["for_each"]["v" + std::to_string(i)] = "a.npy";
        job["inputs"]["image"]["files"].push_back("{v" + std::to_string(i) + "}");
    }
    const std::string last = "v" + std::to_string(variables - 1);
    std::string some;
    for (int i = 0; i < 20; ++i) some += "{" + last + ".index}";
    for (int i = 0; i < count / 20; ++i) job["outputs"]["o" + std::to_string(i)] = {{"of", "image"}, {"file", some + std::to_string(i) + ".npy"}};
    return job;
}

}  // namespace

TEST_CASE("many: outputs, steps, files and comments without end are planned soon") {
    TempFolder folder;
    io::write(folder / "a.npy", ramp(6, 4));
    Json commented = job_of_outputs(1);
    commented["//"] = Json::array();
    for (int i = 0; i < 300'000; ++i) commented["//"].push_back(Json::object());
    const std::vector<std::pair<const char*, Json>> jobs{{"outputs", job_of_outputs(10'000)},
                                                         {"outputs of steps", job_of_steps(10'000, false)},
                                                         {"steps", job_of_steps(16'000, true)},
                                                         {"files", series_of_files(10'000)},
                                                         {"placeholders", job_of_placeholders(64, 100'000)},
                                                         {"comments", commented}};
    for (const auto& [what, job] : jobs) {
        CAPTURE(what);
        write_text(folder / "job.json", job.dump());
        // What a neighbour takes of the machine does not count.
        const Run run = run_program({"plan", "job.json", "--device", "native"}, folder.path(), {}, {},
                                    {"sh", "-c", "ulimit -t 9; exec \"$@\"", "sh"});
        CHECK_MESSAGE(run.status == 0, run.err);
    }
}

TEST_CASE("many: a run of very many steps takes no longer than they, nor does its report") {
    TempFolder folder;
    io::write(folder / "a.npy", ramp(6, 4));
    // With the square they took 7 s more, each.
    const std::vector<std::pair<const char*, Json>> jobs{{"steps", job_of_steps(60'000, true)}, {"inputs and steps", job_of_inputs(10'000)}};
    for (const auto& [what, job] : jobs) {
        CAPTURE(what);
        write_text(folder / "job.json", job.dump());
        const Run run = run_program({"run", "job.json", "--device", "native", "--quiet", "--overwrite"}, folder.path(), {}, {},
                                    {"sh", "-c", std::string("ulimit -t ") + (PARALLAX_ADDRESS_SANITIZER ? "30" : "6") + "; exec \"$@\"", "sh"});
        CHECK_MESSAGE(run.status == 0, run.err);
    }
}

#if !defined(_WIN32)
TEST_CASE("many: folders of outputs may be more than a system lets a program have open until it asks for more") {
    TempFolder folder;
    io::write(folder / "a.npy", ramp(6, 4));
    Json job = job_of_outputs(60);
    for (int i = 0; i < 60; ++i) job["outputs"]["o" + std::to_string(i)]["file"] = std::to_string(i) + "/a.npy";
    write_text(folder / "job.json", job.dump());
    const auto run = [&](const char* limit, const char* out) {
        return run_program({"run", "job.json", "--device", "native", "--no-sync", "--out", out}, folder.path(), {}, {},
                           {"sh", "-c", limit, "sh"});
    };
    const Run asked = run("ulimit -Sn 64; exec \"$@\"", "soft");
    CHECK_MESSAGE(asked.status == 0, asked.err);
    CHECK(fs::is_regular_file(folder / "soft/59/a.npy"));
#if !PARALLAX_ADDRESS_SANITIZER   // which looks at an object through a pipe, and takes it for none where no pipe is to be had
    const Run limited = run("ulimit -n 64; exec \"$@\"", "hard");
    CHECK(limited.status == 1);
    CHECK_MESSAGE(limited.err.find("ulimit -n") != std::string::npos, limited.err);
    CHECK_FALSE(fs::exists(folder / "hard"));
#endif
}
#endif
