// A series of off-axis holograms has one carrier: found in its first item, kept in the manifest, and the same for items that are
// done by another process, on another device, or later.
#include <cmath>
#include <cstdint>
#include <numbers>

#include "series/frames.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

constexpr int count = 5, width = 64, height = 48;

/// Fringes whose carrier drifts from frame to frame, in grey levels.
void write_holograms(const fs::path& folder) {
    for (int i = 0; i < count; ++i) {
        HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', height}, {'x', width}}));
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                const double turns = (14.3 + .6 * i) * x / width - (9.2 - .4 * i) * y / height;
                const double level = 120 + 90 * std::cos(2 * std::numbers::pi * turns);
                array.as<std::uint8_t>()[y * width + x] = static_cast<std::uint8_t>(std::lround(level));
            }
        const fs::path file = folder / (frame_name(i) + ".tif");
        io::write(file, array);
        // So that its time says something, whenever it is read.
        fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
    }
}

Json job_of(const char* frames) {
    return {{"parallax", 1},
            {"device", {{"backend", "native"}}},
            {"for_each", {{"frame", frames}}},
            {"inputs", {{"hologram", "{frame}"}}},
            {"steps", Json::array({{{"id", "recon"},
                                    {"run", "hologram"},
                                    {"wavelength_nm", 633},
                                    {"pixel_um", 5},
                                    {"distance_um", 500},
                                    {"off_axis", {{"side", "upper"}}}}})},
            {"outputs", {{"phase", "{frame.stem}.npy"}, {"carrier", {{"table", "carrier.csv"}}}}}};
}

Run run_into(const fs::path& folder, const std::string& job, const std::string& out, std::vector<std::string> more) {
    std::vector<std::string> arguments{"run", job, "--out", out, "--manifest", out + "/run.series", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments, folder);
}

}  // namespace

TEST_CASE("series: one carrier for all, whoever computes an item and when") {
    const TempFolder folder;
    fs::create_directory(folder / "frames");
    write_holograms(folder / "frames");
    write_text(folder / "all.json", job_of("frames/*.tif").dump());
    const Run whole = run_into(folder.path(), "all.json", "whole", {});
    CAPTURE(whole.err);
    REQUIRE(whole.status == 0);
    const auto expected = contents(folder / "whole");
    REQUIRE(expected.size() == count + 1);
    const Json found = Json::parse(read_text(folder / "whole/run.series/found-0.json"));
    CHECK(found["item"] == "frames/f000.tif");
    CHECK(found["record"]["x"].get<double>() == doctest::Approx(14.3).epsilon(.01));
    CHECK(found["record"]["confidence"].get<double>() > 8);

    // Shards one after the other, the first frame's last.
    for (const char* shard : {"3/3", "2/3", "1/3"}) {
        const Run run = run_into(folder.path(), "all.json", "shards", {"--shard", shard});
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
    }
    CHECK(run_into(folder.path(), "all.json", "shards", {"--resume"}).status == 0);
    CHECK(contents(folder / "shards") == expected);
    // What is no such record, of before there were checksums: it is looked for again.
    for (const char* const form : {R"({"item": 1, "record": {"x": 1, "y": 1, "radius": 1}, "warnings": []})",
                                   R"({"item": "a", "record": {"x": 1, "y": 1, "radius": 1}, "warnings": [1]})",
                                   R"({"item": "a", "record": {"x": 1}, "warnings": []})",
                                   R"({"item": "a", "record": [], "warnings": []})"}) {
        write_text(folder / "shards/run.series/found-0.json", form);
        fs::remove(folder / "shards/f000.npy");
        const Run run = run_into(folder.path(), "all.json", "shards", {"--resume"});
        CAPTURE(run.err);
        CHECK(run.status == 0);
        CHECK(contents(folder / "shards") == expected);
        CHECK(read_text(folder / "shards/run.series/found-0.json") == read_text(folder / "whole/run.series/found-0.json"));
    }

    // Interrupted and resumed: the frames that were done first are gone, and the one that had the carrier has changed by then.
    const Run first = run_into(folder.path(), "all.json", "resumed", {});
    REQUIRE(first.status == 0);
    for (const int i : {2, 4}) fs::remove(folder / "resumed" / (frame_name(i) + ".npy"));
    const Run second = run_into(folder.path(), "all.json", "resumed", {"--resume"});
    CAPTURE(second.err);
    CHECK(second.status == 0);
    CHECK(contents(folder / "resumed") == expected);

    // The frame that had it is another, or gone.
    const std::string first_frame = read_text(folder / "frames/f000.tif");
    fs::copy_file(folder / "frames/f001.tif", folder / "frames/f000.tif", fs::copy_options::overwrite_existing);
    const Run other = run_into(folder.path(), "all.json", "resumed", {"--resume"});
    CAPTURE(other.err);
    CHECK(other.status == 2);
    CHECK(contains(other.err, "f000.tif that has changed"));
    CHECK(contents(folder / "resumed") == expected);
    CHECK(run_into(folder.path(), "all.json", "resumed", {"--overwrite"}).status == 0);
    fs::remove(folder / "frames/f000.tif");
    fs::remove(folder / "resumed/f003.npy");
    const Run gone =
        run_program({"run", "all.json", "--out", "resumed", "--manifest", "resumed/run.series", "--resume"}, folder.path());
    CAPTURE(gone.err);
    CHECK(gone.status == 0);
    CHECK(contains(gone.err, "no longer there"));
    write_text(folder / "frames/f000.tif", first_frame);

    // By itself, a later frame has a carrier of its own: what the series would have got without the manifest.
    Json alone = job_of("frames/f004.tif");
    write_text(folder / "alone.json", alone.dump());
    REQUIRE(run_into(folder.path(), "alone.json", "alone", {}).status == 0);
    CHECK(contents(folder / "alone").at("f004.npy") != expected.at("f004.npy"));
}

TEST_CASE("series: a folder that was moved goes on by its carrier, where that was found in what the item still is") {
    const TempFolder above;
    const fs::path here = above / "here", there = above / "there";
    fs::create_directories(here / "frames");
    write_holograms(here / "frames");
    write_text(here / "all.json", job_of("frames/*.tif").dump());
    REQUIRE(run_into(here, "all.json", "out", {}).status == 0);
    const auto before = contents(here / "out");
    fs::rename(here, there);
    const Run moved = run_into(there, "all.json", "out", {"--resume"});
    CAPTURE(moved.err);
    CHECK(moved.status == 0);
    CHECK_FALSE(contains(moved.err, "no longer there"));
    CHECK(contents(there / "out") == before);
    fs::copy_file(there / "frames/f001.tif", there / "frames/f000.tif", fs::copy_options::overwrite_existing);
    const Run other = run_into(there, "all.json", "out", {"--resume"});
    CAPTURE(other.err);
    CHECK(other.status == 2);
    CHECK(contains(other.err, "f000.tif that has changed"));
}

TEST_CASE("series: in a folder that was moved the carrier's item reads the same files for the same inputs, and no more") {
    const TempFolder above;
    for (const char* const change : {"", "exchange", "add"}) {
        CAPTURE(change);
        const fs::path here = above / "here", there = above / "there";
        fs::remove_all(there);
        fs::create_directories(here / "frames");
        fs::create_directories(here / "bg");
        write_holograms(here / "frames");
        for (int i = 0; i < count; ++i)
            fs::copy_file(here / "frames" / (frame_name((i + 1) % count) + ".tif"), here / "bg" / (frame_name(i) + ".tif"));
        Json job = job_of("frames/*.tif");
        job["inputs"]["other"] = {{"files", "bg/{frame.stem}*.tif"}, {"combine", "mean"}};
        job["steps"].push_back({{"run", "arithmetic"}, {"op", "subtract"}, {"in", {{"image", "phase"}, {"other", "other"}}}, {"out", {{"image", "less"}}}});
        job["outputs"] = {{"less", "{frame.stem}.npy"}};
        write_text(here / "all.json", job.dump());
        const Run first = run_into(here, "all.json", "out", {});
        REQUIRE_MESSAGE(first.status == 0, first.err);
        fs::rename(here, there);
        fs::remove(there / "out/f003.npy");
        if (change == std::string("exchange")) {
            fs::rename(there / "frames/f000.tif", there / "aside");
            fs::rename(there / "bg/f000.tif", there / "frames/f000.tif");
            fs::rename(there / "aside", there / "bg/f000.tif");
        } else if (*change) {
            fs::copy_file(there / "bg/f000.tif", there / "bg/f000z.tif");
        }
        const Run moved = run_into(there, "all.json", "out", {"--resume"});
        CAPTURE(moved.err);
        CHECK(moved.status == (*change ? 2 : 0));
        CHECK(contains(moved.err, "has changed") == (*change != '\0'));
    }
}

TEST_CASE("series: a carrier is found beside an input that all items share") {
    const TempFolder folder;
    fs::create_directory(folder / "frames");
    write_holograms(folder / "frames");
    HostArray flat = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', height}, {'x', width}}));
    std::fill_n(flat.as<float>(), flat.desc.count(), 1.f);
    io::write(folder / "flat.npy", flat);
    Json job = job_of("frames/*.tif");
    job["inputs"]["flat"] = "flat.npy";
    job["steps"].push_back({{"run", "arithmetic"}, {"op", "subtract"}, {"in", {{"image", "phase"}, {"other", "flat"}}}, {"out", {{"image", "less"}}}});
    job["outputs"] = {{"less", "{frame.stem}.npy"}};
    write_text(folder / "all.json", job.dump());
    for (const std::vector<std::string>& how : std::vector<std::vector<std::string>>{{}, {"--resume"}, {"--overwrite"}}) {
        const Run run = run_into(folder.path(), "all.json", "out", how);
        CAPTURE(run.err);
        CHECK(run.status == 0);
        fs::remove(folder / "out/f003.npy");
    }
    const Run shard = run_into(folder.path(), "all.json", "out", {"--shard", "1/2", "--resume"});
    CAPTURE(shard.err);
    CHECK(shard.status == 0);
}

TEST_CASE("series: an in-line hologram in the place of the first off-axis one is refused") {
    const TempFolder folder;
    fs::create_directory(folder / "frames");
    write_frames(folder / "frames", 2);
    write_text(folder / "all.json", job_of("frames/*.tif").dump());
    const Run run = run_into(folder.path(), "all.json", "out", {});
    CAPTURE(run.err);
    CHECK(run.status == 2);
    CHECK(contains(run.err, "/steps/0/off_axis"));
    CHECK(contains(run.err, "leave off_axis out"));
}

TEST_CASE("series: an in-line hologram among off-axis ones is told that it has no fringes at their carrier") {
    const TempFolder folder;
    fs::create_directory(folder / "frames");
    write_holograms(folder / "frames");
    HostArray rings = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', height}, {'x', width}}));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const double r2 = (x - 30.0) * (x - 30.0) + (y - 20.0) * (y - 20.0);
            rings.as<std::uint8_t>()[y * width + x] = static_cast<std::uint8_t>(std::lround(120 + 60 * std::cos(r2 / 60)));
        }
    io::write(folder / "frames" / (frame_name(3) + ".tif"), rings, {.overwrite = true});
    write_text(folder / "all.json", job_of("frames/*.tif").dump());
    const Run run = run_program({"run", "all.json", "--out", "out", "--manifest", "out/run.series", "--report", "report.json"},
                                folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    CHECK(contains(run.err, "was found in frames/f000.tif, this hologram has less than a tenth"));
    CHECK(contains(run.err, "frames/f003.tif"));
    int told = 0;   // not of f004, whose carrier is three pixels off by then
    const Json report = Json::parse(read_text(folder / "report.json"));
    for (const Json& warning : report["warnings"])
        if (contains(warning["text"], "less than a tenth")) {
            ++told;
            CHECK(warning["first"] == "frames/f003.tif");
            CHECK(warning["items"] == 1);
        }
    CHECK(told == 1);
    // The item's own record has it, too.
    std::string records;
    for (const auto& [name, text] : contents(folder / "out/run.series")) records += name.starts_with("items-") ? text : "";
    const std::size_t item = records.find("\"item\":\"frames/f003.tif\"");
    REQUIRE(item != std::string::npos);
    CHECK(contains(records.substr(item, records.find('\n', item) - item), "less than a tenth"));
}

TEST_CASE("series: an off-axis hologram of another phase than the first is no hologram without fringes") {
    const TempFolder folder;
    fs::create_directory(folder / "frames");
    for (int i = 0; i < 3; ++i) {   // an empty one, one through a lens, one through an uneven layer
        HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 192}, {'x', 256}}));
        for (int y = 0; y < 192; ++y)
            for (int x = 0; x < 256; ++x) {
                const double r2 = (x - 128.0) * (x - 128.0) + (y - 96.0) * (y - 96.0);
                const double layer = 3 * (std::sin(x * .07) + std::cos(y * .09) + std::sin((x + y) * .05));
                const double phase = i == 0 ? 0 : i == 1 ? 40 * r2 / 25600 : layer;
                const double level = 120 + 90 * std::cos(2 * std::numbers::pi * (58.3 * x / 256 - 37.6 * y / 192) + phase);
                array.as<std::uint8_t>()[y * 256 + x] = static_cast<std::uint8_t>(std::lround(level));
            }
        io::write(folder / "frames" / (frame_name(i) + ".tif"), array);
    }
    write_text(folder / "all.json", job_of("frames/*.tif").dump());
    const Run run = run_into(folder.path(), "all.json", "out", {});
    CAPTURE(run.err);
    CHECK(run.status == 0);
    CHECK_FALSE(contains(run.err, "less than a tenth"));
}
