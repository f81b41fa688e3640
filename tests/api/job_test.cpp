#include "api/support.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#if !defined(_WIN32)
#include <unistd.h>
#endif

using namespace parallax;
using namespace parallax::tests;

namespace {

Job phantom_job() {
    Job job;
    return job.step(PhantomParameters{.kind = PhantomParameters::Kind::carpet, .size = 81}, {.out = {{"volume", "carpet"}}})
        .step(ReduceParameters{}, {.in = {{"array", "carpet"}}})
        .output("carpet", "carpet.npy")
        .output("value", "value.json");
}

std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a job in memory holds to what it says of inputs: spacing and values that are not finite") {
    const auto job = [](const std::string& input, const std::string& more) {
        return Job::parse(R"({"parallax": 1, "inputs": {"image": )" + input + "}, " + more +
                          R"("steps": [{"run": "crop", "out": {"image": "part"}}], "outputs": ["part"]})");
    };
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const Engine engine({.device = spec});
        Session session(engine);
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> given{1, 2, nan, 4, 5, 6};
        const View view(given, {{'y', 2}, {'x', 3}});

        const Result stated = session.run(job(R"({"file": "f.npy", "spacing_um": [2, 3]})", ""), {{"image", view}});
        const ArrayDesc& desc = stated.array("part").desc();
        CHECK(desc.unit == "um");
        CHECK(desc.find('x')->spacing == 2);
        CHECK(desc.find('y')->spacing == 3);
        CHECK(stated.warnings.empty());

        const Array array = session.upload(view);
        for (const Input& input : {Input(view), Input(array)}) {
            const Result masked = session.run(job(R"("f.npy")", R"("non_finite": "mask", )"), {{"image", input}});
            CHECK(values<float>(session, masked.array("part")) == std::vector<float>{1, 2, 0, 4, 5, 6});
            CHECK_THROWS_WITH_AS(session.run(job(R"("f.npy")", R"("non_finite": "reject", )"), {{"image", input}}),
                                 doctest::Contains("holds nan at [0, 2] (y, x)"), IoError);
        }
        CHECK(std::isnan(given[2]));   // the caller's own
        CHECK(std::isnan(values<float>(session, array)[2]));

        const Result whole =
            session.run(job(R"({"file": "f.npy", "page": 1})", ""), {{"image", View(given, {{'z', 6}, {'x', 1}})}});
        REQUIRE(whole.warnings.size() == 1);
        CHECK(whole.report.find("\"warnings\":[\"") != std::string::npos);   // where C's callers find them
        CHECK(whole.warnings[0].find("\"page\" is of files") != std::string::npos);
        CHECK(session.run(job(R"({"file": "f.npy", "page": 1})", ""), {{"image", view}}).warnings.empty());   // it is the page
        const View film(given, {{'t', 3}, {'z', 2}, {'x', 1}});   // "pages" of a file of volumes
        CHECK(session.run(job(R"({"file": "f.nii", "pages": [2, 5]})", ""), {{"image", film}}).warnings.empty());
        CHECK(session.run(job(R"({"file": "f.nii", "pages": [2, 6]})", ""), {{"image", film}}).warnings.size() == 1);
        CHECK_THROWS_WITH_AS(session.run(job(R"({"spacing_um": [2, 3, 4]})", ""), {{"image", view}}),
                             doctest::Contains("which has no axis z"), ConfigError);
        const auto told = [&](const char* keys, const View& array) {
            const Result done = session.run(job(keys, ""), {{"image", array}});
            return done.warnings.empty() ? std::string() : done.warnings[0];
        };
        CHECK(told(R"({"files": "*.npy", "combine": "mean"})", view).empty());
        CHECK(told(R"({"files": "*.nii", "combine": "mean"})", View(given, {{'z', 2}, {'y', 3}, {'x', 1}})).empty());
        CHECK(told(R"({"files": "*.npy", "combine": "mean"})", film).find("\"combine\" is of files") != std::string::npos);
        CHECK(told(R"({"file": "f.ome.tif", "level": 0})", view).empty());
        CHECK(told(R"({"file": "f.ome.tif", "level": 1})", view).find("\"level\" is of files") != std::string::npos);
        const View times(given, {{'t', 6}, {'x', 1}});
        CHECK(told(R"({"file": "f.tif", "page_axis": "t"})", times).empty());
        CHECK(told(R"({"file": "f.tif", "page_axis": "z"})", times).find("\"page_axis\" is of files") != std::string::npos);
        const View slices(given, {{'z', 2}, {'y', 3}, {'x', 1}});   // nobody has said how far they lie apart
        const Result guessed = session.run(job(R"({"spacing_um": [2, 3]})", ""), {{"image", slices}});
        REQUIRE(guessed.warnings.size() == 1);
        CHECK(guessed.warnings[0].find("[x, y, z] states it") != std::string::npos);
        CHECK_THROWS_WITH_AS(session.run(job(R"({"spacing_mu": 2})", ""), {{"image", view}}),
                             doctest::Contains("unknown key \"spacing_mu\""), ConfigError);
    }
}

TEST_CASE("a job built in code is the job of its text") {
    const Job job = phantom_job();
    CHECK(Job::parse(job.json()).json() == job.json());
    CHECK(job.json().find("\"kind\": \"carpet\"") != std::string::npos);
    CHECK_THROWS_AS(Job::parse("{\"parallax\": 1, \"parallax\": 1}"), ConfigError);
    CHECK_THROWS_AS(Job().set("recon.distance_um=5"), ConfigError);
    CHECK(Job(job).set("phantom.size=27").json().find("27") != std::string::npos);
}

TEST_CASE("a job in memory gives what the same job gives in files") {
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const Folder folder;
        const Engine engine({.device = spec});
        Session session(engine);
        const Result memory = session.run(phantom_job(), {});
        std::vector<std::string> stages;
        const std::string report =
            engine.run(phantom_job(),
                       {.out = folder.text(), .progress = [&](const std::string& stage, double) { stages.push_back(stage); }});
        CHECK(report.find("\"steps\"") != std::string::npos);
        CHECK(std::find(stages.begin(), stages.end(), "compute phantom") != stages.end());
        CHECK(text_of(folder / "value.json").find(memory.record("value").substr(1, 5)) != std::string::npos);
        const auto carpet = values<std::uint8_t>(session, memory.array("carpet"));
        const std::string file = text_of(folder / "carpet.npy");
        REQUIRE(file.size() > carpet.size());
        CHECK(std::equal(carpet.begin(), carpet.end(), file.end() - static_cast<std::ptrdiff_t>(carpet.size()),
                         [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); }));
        CHECK_THROWS_AS(engine.run(phantom_job(), {.out = folder.text()}), Error);   // the outputs are there
    }
}

TEST_CASE("a cancelled job ends between launches and leaves no file") {
    for (const std::string& spec : specs()) {
        CAPTURE(spec);
        const Folder folder;
        const Engine engine({.device = spec});
        const CancelToken token;
        JobOptions options{.out = folder.text(), .cancel = token};
        // Told before the first launch of the second step: the check between launches is the only one left.
        options.progress = [&](const std::string& stage, double) {
            if (stage == "compute reduce") token.cancel();
        };
        CHECK_THROWS_AS(engine.run(phantom_job(), options), CancelledError);
        CHECK(std::filesystem::is_empty(folder.text()));
    }
}

TEST_CASE("a relative folder of outputs is that of the call, wherever the application goes meanwhile") {
    const Folder folder, elsewhere;
    const std::filesystem::path before = std::filesystem::current_path();
    struct Back {
        std::filesystem::path folder;
        ~Back() { std::filesystem::current_path(folder); }
    } const back{before};
    std::filesystem::current_path(folder.text());
    const Engine engine({.device = "native"});
    JobOptions options{.out = "made"};
    options.progress = [&](const std::string&, double) { std::filesystem::current_path(elsewhere.text()); };
    engine.run(phantom_job(), options);
    CHECK(std::filesystem::is_empty(elsewhere.text()));
    CHECK(!std::filesystem::is_empty(std::filesystem::path(folder.text()) / "made"));
}

#if !defined(_WIN32)
TEST_CASE("nothing is printed; what there is to say goes to the log") {
    const Folder folder;
    std::fflush(stdout);
    std::fflush(stderr);
    const int out = dup(1), err = dup(2);
    std::FILE* const caught = std::fopen((folder / "caught").c_str(), "w+");
    REQUIRE(caught != nullptr);
    dup2(fileno(caught), 1);
    dup2(fileno(caught), 2);
    int said = 0;
    for (const std::string& spec : specs()) {
        const Engine engine({.device = spec, .log = [&](LogLevel, const std::string&) { ++said; }});
        Session session(engine);
        session.run(phantom_job(), {});
        try {
            session.run({"no such algorithm"});
        } catch (const Error&) {   // an error is not printed either
        }
    }
    std::fflush(stdout);
    std::fflush(stderr);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    std::fclose(caught);
    CHECK(text_of(folder / "caught").empty());
    CHECK(said >= 2);
}
#endif

TEST_CASE("parallax/algorithms.hpp is what the tables say") {
    const char* const program = std::getenv("PARALLAX_BIN");
    const char* const source = std::getenv("PARALLAX_SOURCE");
    if (program == nullptr || source == nullptr) return;
    const Folder folder;
    REQUIRE(std::system((std::string(program) + " bindings cpp > " + (folder / "algorithms.hpp")).c_str()) == 0);
    // parallax bindings cpp > engine/include/parallax/algorithms.hpp
    CHECK((text_of(folder / "algorithms.hpp") == text_of(std::string(source) + "/engine/include/parallax/algorithms.hpp")));
}
