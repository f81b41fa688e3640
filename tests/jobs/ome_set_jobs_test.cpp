// Jobs on OME-TIFF of several files: the whole by any one of them, each by itself where they come by a pattern, confined or not.
#include <cstdint>

#include "ome_set.hpp"
#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

void make_set(const fs::path& folder) {
    for (std::uint8_t t = 0; t < 3; ++t)
        write_text(folder / name_in_set(t),
                   pages_with({static_cast<std::uint8_t>(10 * t), static_cast<std::uint8_t>(10 * t + 1)}, words_of_set(3)));
}

std::vector<int> values_in(const fs::path& file) {
    const HostArray array = io::read(file);
    std::vector<int> values(static_cast<std::size_t>(array.desc.count()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = array.as<std::uint8_t>()[i];
    return values;
}

const char* const one =
    R"({"parallax": 1, "inputs": {"image": "t1.ome.tif"}, "steps": [{"run": "crop", "variant": "reference"}], "outputs": {"image": "o.npy"}})";

Run run_job(const TempFolder& folder, const std::string& json, const std::vector<std::string>& more = {}) {
    write_text(folder / "job.json", json);
    std::vector<std::string> arguments{"run", "job.json", "--device", "native", "--overwrite"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments, folder.path());
}

}   // namespace

TEST_CASE("sets: a job reads the whole by one file, confined or not, and its report has all files") {
    const TempFolder folder, outside;
    make_set(folder.path());
    for (const bool confined : {false, true}) {
        CAPTURE(confined);
        std::vector<std::string> more{"--report", "report.json"};
        if (confined) more.emplace_back("--confined");
        const Run run = run_job(folder, one, more);
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        CHECK(values_in(folder / "o.npy") == std::vector{0, 1, 10, 11, 20, 21});
        const Json report = Json::parse(read_text(folder / "report.json"));
        CHECK(report.at("inputs").at("image").at("files").size() == 3);
        CHECK_FALSE(contains(run.err, "warning"));
        fs::remove(folder / "o.npy");
    }
#if defined(__linux__)
    // A link that leads out is not followed where the job is confined, and nothing of its end is told.
    fs::rename(folder / "t2.ome.tif", outside / "hidden-name.tif");
    fs::create_symlink(outside / "hidden-name.tif", folder / "t2.ome.tif");
    const Run linked = run_job(folder, one, {"--confined"});
    CHECK(linked.status != 0);
    CHECK_FALSE(contains(linked.err, "hidden-name"));
    CHECK_FALSE(fs::exists(folder / "o.npy"));
    CHECK(run_job(folder, one).status == 0);
    CHECK(values_in(folder / "o.npy") == std::vector{0, 1, 10, 11, 20, 21});
#endif
    fs::remove(folder / "t2.ome.tif");
    for (const bool confined : {false, true}) {
        CAPTURE(confined);
        const Run run = run_job(folder, one, confined ? std::vector<std::string>{"--confined"} : std::vector<std::string>{});
        CAPTURE(run.err);
        CHECK(run.status == 0);
        CHECK(contains(run.err, "t2.ome.tif is not there"));
        CHECK(values_in(folder / "o.npy") == std::vector{0, 1, 10, 11});
    }
}

TEST_CASE("sets: of files that come by a pattern each is read alone, and that is told") {
    const TempFolder folder;
    make_set(folder.path());
    const Run series = run_job(
        folder,
        R"({"parallax": 1, "for_each": {"frame": "t*.ome.tif"}, "inputs": {"image": "{frame}"}, "steps": [{"run": "crop", "variant": "reference"}],
            "outputs": {"image": "{frame.stem}.npy"}})");
    CAPTURE(series.err);
    REQUIRE(series.status == 0);
    CHECK(contains(series.err, "one of 3 files of an OME-TIFF"));
    for (int t = 0; t < 3; ++t)
        CHECK(values_in(folder / ("t" + std::to_string(t) + ".ome.npy")) == std::vector{10 * t, 10 * t + 1});
    const Run mean = run_job(folder, R"({"parallax": 1, "inputs": {"image": {"files": "t*.ome.tif", "combine": "mean"}},
        "steps": [{"run": "convert", "type": "u8", "variant": "reference"}], "outputs": {"image": "mean.npy"}})");
    CAPTURE(mean.err);
    REQUIRE(mean.status == 0);
    CHECK(values_in(folder / "mean.npy") == std::vector{10, 11});
    // The words beside them are one item, and the whole.
    write_text(folder / "a.companion.ome", words_of_set(3));
    const Run whole = run_job(
        folder,
        R"({"parallax": 1, "for_each": {"set": "*.companion.ome"}, "inputs": {"image": "{set}"}, "steps": [{"run": "crop", "variant": "reference"}],
            "outputs": {"image": "{set.stem}.npy"}})");
    CAPTURE(whole.err);
    REQUIRE(whole.status == 0);
    CHECK(values_in(folder / "a.companion.npy") == std::vector{0, 1, 10, 11, 20, 21});
}
