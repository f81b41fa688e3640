// The denoising jobs: the phantoms of the repository, and real images where they are.
#include "support.hpp"

#include <cmath>
#include <utility>

using namespace parallax;
using namespace parallax::tests;

namespace {

std::string job(const std::string& name) {
    const auto folder = repository("configs");
    REQUIRE_MESSAGE(folder.has_value(), "run this in the repository, or set PARALLAX_SOURCE to it");
    return (*folder / "jobs" / name).string();
}

double psnr(const Json& report, const char* record) { return report["records"][record]["psnr_db"].get<double>(); }

}  // namespace

TEST_CASE("denoise_psnr: the phantom comes nearer to what it was") {
    const TempFolder folder;
    const Run run = run_program({"run", job("denoise_psnr.json"), "--json"}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const Json report = Json::parse(run.out);
    CHECK(psnr(report, "metrics_before") == doctest::Approx(20.4).epsilon(.03));
    CHECK(psnr(report, "metrics_after") > psnr(report, "metrics_before") + 8);
    CHECK(report["records"]["metrics_after"]["ssim"].get<double>() > .6);
    CHECK(folder.listing() == std::vector<std::string>{"denoised.png", "metrics_after.json", "metrics_before.json", "noisy.png"});
}

TEST_CASE("denoise_ultrasound: the phantom, and a real image") {
    const TempFolder folder;
    CHECK(run_program({"run", job("denoise_ultrasound.json")}, folder.path()).status == 0);
    CHECK(folder.listing() == std::vector<std::string>{"ultrasound_denoised.png"});
    const fs::path data = test_data();
    if (data.empty()) {
        MESSAGE("SKIPPED: the real image is not there (PARALLAX_TEST_DATA)");
        return;
    }
    const Run run = run_program({"run", job("denoise_ultrasound.json"), "--in",
                                 "image=" + (data / "us/pydicomdata_US1_UNCR.png").string(), "--overwrite"},
                                folder.path());
    CAPTURE(run.err);
    CHECK(run.status == 0);
}

TEST_CASE("denoise_psnr: the PSNR that other programs have on camera.png") {
    const fs::path data = test_data();
    if (data.empty()) {
        MESSAGE("SKIPPED: camera.png is not there (PARALLAX_TEST_DATA)");
        return;
    }
    struct Row { const char* lattice; double variance, noisy, denoised; bool paper; };   // paper: 8 steps of 2; else the defaults
    const Row rows[] = {
        {"D2Q5", .01, 20.44, 27.45, true},  {"D2Q5", .05, 14.23, 24.50, true},  {"D2Q5", .09, 12.17, 22.21, true},
        {"D2Q9", .01, 20.44, 27.44, true},  {"D2Q9", .05, 14.23, 24.01, true},  {"D2Q9", .09, 12.17, 21.78, true},
        {"D2Q5", .01, 20.44, 27.21, false}, {"D2Q5", .05, 14.23, 24.78, false}, {"D2Q5", .09, 12.17, 22.56, false},
        {"D2Q9", .01, 20.44, 27.08, false}, {"D2Q9", .05, 14.23, 24.73, false}, {"D2Q9", .09, 12.17, 22.55, false}};
    for (const Row& row : rows) {
        CAPTURE(std::string(row.lattice));
        CAPTURE(row.variance);
        const TempFolder folder;
        std::vector<std::string> arguments{"run",
                                           job("denoise_psnr.json"),
                                           "--in",
                                           "image=" + (data / "std/camera.png").string(),
                                           "--json",
                                           "--set",
                                           "denoise.lattice=" + std::string(row.lattice),
                                           "--set",
                                           "spoil.variance=" + std::to_string(row.variance)};
        if (row.paper) arguments.insert(arguments.end(), {"--set", "denoise.step=2", "--set", "denoise.iterations=8"});
        const Run run = run_program(arguments, folder.path());
        CHECK(contains(run.err, "finest patterns") == row.paper);
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        const Json report = Json::parse(run.out);
        CHECK(std::abs(psnr(report, "metrics_before") - row.noisy) < .02);
        CHECK(std::abs(psnr(report, "metrics_after") - row.denoised) < .02);
    }
    struct Splitting { double variance, denoised; Json parameters; };
    const Json paper{{"tau", 2}, {"iterations", 8}}, standard = Json::object();
    const Splitting by_splitting[] = {{.01, 27.86, paper},    {.05, 24.67, paper},    {.09, 22.02, paper},
                                      {.01, 27.68, standard}, {.05, 24.75, standard}, {.09, 22.22, standard}};
    for (const auto& [variance, denoised, parameters] : by_splitting) {
        CAPTURE(variance);
        CAPTURE(parameters.dump());
        Json splitter{{"run", "diffusion_aos"}, {"in", {{"image", "noisy"}}}, {"out", {{"image", "denoised"}}}};
        splitter.update(parameters);
        const TempFolder folder;
        const Json splitting{{"parallax", 1},
                             {"inputs", {{"image", (data / "std/camera.png").string()}}},
                             {"steps", {{{"run", "noise"}, {"variance", variance}, {"out", {{"image", "noisy"}}}},
                                        splitter,
                                        {{"run", "metrics"}, {"in", {{"image", "denoised"}, {"reference", "image"}}}}}},
                             {"outputs", {{"metrics", "metrics.json"}}}};
        write_text(folder / "job.json", splitting.dump());
        const Run run = run_program({"run", "job.json"}, folder.path());
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        CHECK(std::abs(Json::parse(read_text(folder / "metrics.json"))["psnr_db"].get<double>() - denoised) < .02);
    }
}
