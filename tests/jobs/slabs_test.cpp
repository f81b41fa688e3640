// Volumes that a job has in memory a few slices at a time.
#include "support.hpp"

#include <algorithm>
#include <fstream>
#include <iomanip>

using namespace parallax;
using namespace parallax::tests;

namespace {

HostArray volume(std::int64_t z = 50, std::int64_t y = 30, std::int64_t x = 41) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u16, {{'z', z}, {'y', y}, {'x', x}}));
    for (std::int64_t i = 0; i < array.desc.count(); ++i)
        array.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(i / 7 * 2654435761u >> 16);
    return array;
}

Json job(const Json& input) {
    return {{"parallax", 1},
            {"inputs", {{"volume", input}}},
            {"steps", {{{"run", "box_count"}, {"threshold", 30000}}}},
            {"outputs", {{"counts", "c.json"}}}};
}

Run run_job(const TempFolder& folder, const Json& json, const std::vector<std::string>& more = {}) {
    write_text(folder / "job.json", json.dump());
    std::vector<std::string> words{"run", "job.json", "--overwrite", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, folder.path());
}

/// The same counts in so little memory that the array comes in slabs.
void check_in_slabs(const TempFolder& folder, Json json, const Run& whole, int memory_limit) {
    json["memory_limit"] = memory_limit;
    const Run run = run_job(folder, json);
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    CHECK(Json::parse(run.out)["records"]["counts"] == Json::parse(whole.out)["records"]["counts"]);
    CHECK(Json::parse(run.out)["peak_device_bytes"] < memory_limit);
}

}  // namespace

TEST_CASE("slabs: every format gives slices that count as the whole does") {
    const TempFolder folder;
    const HostArray array = volume();
    for (const char* const name : {"v.npy", "v.nii", "v.nii.gz", "v.tif"}) io::write(folder / name, array);
    {
        std::ofstream raw(folder / "v.raw", std::ios::binary);
        raw.write(reinterpret_cast<const char*>(array.data()), static_cast<std::streamsize>(array.desc.dense_bytes()));
    }
    const Run whole = run_job(folder, job({{"file", "v.npy"}, {"page_axis", "z"}}));
    CAPTURE(whole.err);
    REQUIRE(whole.status == 0);
    const Json expected = Json::parse(whole.out)["records"]["counts"];
    const Json raw{{"type", "u16"}, {"axes", "zyx"}, {"shape", {50, 30, 41}}};
    for (const Json& input : {Json{{"file", "v.npy"}, {"page_axis", "z"}, {"slab", 7}}, Json{{"file", "v.nii"}, {"slab", 50}},
                              Json{{"file", "v.nii.gz"}, {"slab", 13}}, Json{{"file", "v.tif"}, {"page_axis", "z"}, {"slab", 1}},
                              Json{{"file", "v.raw"}, {"raw", raw}, {"slab", 1000}}}) {
        CAPTURE(input.dump());
        const Run run = run_job(folder, job(input));
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        CHECK(Json::parse(run.out)["records"]["counts"]["levels"] == expected["levels"]);
    }
    // What does not fit comes so without being told.
    Json small = job({{"file", "v.npy"}, {"page_axis", "z"}});
    small["memory_limit"] = 100000;
    const Run run = run_job(folder, small);
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    CHECK(Json::parse(run.out)["records"]["counts"] == expected);
    CHECK(Json::parse(run.out)["peak_device_bytes"] < 100000);
}

TEST_CASE("slabs: of files that are read as a whole, those of the array in host memory") {
    const TempFolder folder;
    HostArray array = volume(1, 300, 410);
    array.desc = ArrayDesc::dense(ElementType::u16, {{'y', 300}, {'x', 410}});
    io::write(folder / "v.npy", array);
    Json json = job({{"file", "v.npy"}});
    const Run whole = run_job(folder, json);
    CAPTURE(whole.err);
    REQUIRE(whole.status == 0);
    io::write(folder / "v.png", array);
    io::write(folder / "v.tif", array);
    for (const char* const name : {"v.png", "v.tif"}) {
        json["inputs"]["volume"]["file"] = name;
        check_in_slabs(folder, json, whole, 100000);
    }
}

TEST_CASE("slabs: large files come so of their own accord where one reading will do, and are hashed as well") {
    const TempFolder folder;
    {
        std::ofstream raw(folder / "v.raw", std::ios::binary);   // zeros that take no room on the disk, and one voxel
        raw.seekp(520 * 512 * 512 - 1).put('\1');
    }
    const auto job = [](std::int64_t slices, const Json& parameters = Json::object()) {
        Json step{{"run", "box_count"}};
        step.update(parameters);
        return Json{
            {"parallax", 1},
            {"inputs",
             {{"volume", {{"file", "v.raw"}, {"raw", {{"type", "u8"}, {"axes", "zyx"}, {"shape", {slices, 512, 512}}}}}}}},
            {"steps", {step}},
            {"outputs", {{"counts", "c.json"}}}};
    };
    const auto slab_of = [&](const Json& json) {
        write_text(folder / "job.json", json.dump());
        const Run run = run_program({"plan", "job.json", "--json"}, folder.path());
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        return Json::parse(run.out)["steps"][0]["slab"].get<int>();
    };
    CHECK(slab_of(job(520)) == 128);   // 32 MiB
    CHECK(slab_of(job(500)) == 0);     // less than 128 MiB
    CHECK(slab_of(job(520, {{"origin", "bounding_box"}})) == 0);   // would be read twice
    CHECK(slab_of(job(520, {{"variant", "hou"}})) == 0);
    // An axis of one element before those of the voxels: slabs would be cut along it, and one is the whole.
    Json flat = job(520);
    flat["inputs"]["volume"]["raw"] = {{"type", "u8"}, {"axes", "zyx"}, {"shape", {1, 520 * 512, 512}}};
    CHECK(slab_of(flat) == 0);
    flat["inputs"]["volume"]["slab"] = 1;
    CHECK(slab_of(flat) == 0);
    // What is not stored slice by slice comes as a whole.
    {
        const std::string header = "{'descr': '|u1', 'fortran_order': True, 'shape': (520, 512, 512), }";
        std::ofstream npy(folder / "f.npy", std::ios::binary);
        npy << "\x93NUMPY\x01" << '\0' << 'v' << '\0' << std::setw(117) << std::left << header << '\n';
        npy.seekp(128 + 520 * 512 * 512 - 1).put('\1');
    }
    Json columns = job(520);
    columns["inputs"]["volume"] = {{"file", "f.npy"}, {"page_axis", "z"}};
    CHECK(slab_of(columns) == 0);
    const Run run = run_job(folder, job(520), {"--out", "results", "--report", "results/report.json"});
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const Json report = Json::parse(read_text(folder / "results" / "report.json"));
    CHECK(report["records"]["counts"]["levels"][0]["black"] == 1);
    CHECK(report["inputs"]["volume"]["files"][0]["xxh3_128"] == io::hash_file(folder / "v.raw"));
    CHECK(report["peak_device_bytes"] < 100000000);
}

TEST_CASE("slabs: outlines, boxes, moved grids and resampling come out of a file as of one piece") {
    const TempFolder folder;
    HostArray array = volume(60, 64, 63);
    std::fill_n(array.data(), array.desc.dense_bytes() / 9, std::byte{0});
    array.desc = array.desc.with_unit("mm").with_spacing('x', .5).with_spacing('y', .5).with_spacing('z', .7);
    io::write(folder / "v.nii", array);
    array.desc = array.desc.with_spacing('z', .5);
    io::write(folder / "v.npy", array);
    for (const auto& [name, parameters] :
         {std::pair<std::string, Json>{"v.npy", {{"surface", true}, {"origin", "bounding_box"}}},
          {"v.npy", {{"offsets", 2}}},
          {"v.nii", {{"anisotropy", "resample"}, {"surface", true}, {"origin", "bounding_box"}, {"offsets", 2}}}}) {
        CAPTURE(parameters.dump());
        Json json = job(name == "v.npy" ? Json{{"file", name}, {"page_axis", "z"}} : Json{{"file", name}});
        json["steps"][0].update(parameters);
        const Run whole = run_job(folder, json);
        CAPTURE(whole.err);
        REQUIRE(whole.status == 0);
        check_in_slabs(folder, json, whole, 400000);
    }
}

TEST_CASE("slabs: what cannot come so is refused") {
    const TempFolder folder;
    const HostArray array = volume();
    io::write(folder / "v.npy", array);
    io::write(folder / "v.png", ramp(20, 20));
    io::write(folder / "v.tif", array);
    const std::string npy = read_text(folder / "v.npy");
    const auto refused = [&](const Json& json, int status, const std::string& word) {
        const Run run = run_job(folder, json);
        CAPTURE(json.dump());
        CAPTURE(run.err);
        CHECK(run.status == status);
        CHECK(run.err.find(word) != std::string::npos);
    };
    const Json input{{"file", "v.npy"}, {"page_axis", "z"}, {"slab", 7}};
    Json json = job(input);
    json["steps"][0]["variant"] = "hou";
    refused(json, 1, "as a whole");
    json = job(input);
    json["steps"].push_back({{"run", "reduce"}, {"in", {{"array", "volume"}}}});
    json["outputs"]["value"] = "v.json";
    refused(json, 2, "/inputs/volume/slab");
    refused(job({{"file", "v.png"}, {"slab", 3}}), 2, "read as a whole");
    refused(job({{"file", "v.tif"}, {"page_axis", "z"}, {"pages", {0, 40}}, {"slab", 3}}), 2, "/inputs/volume/slab");
    refused(job({{"file", "v.npy"}, {"slab", 0}}), 2, "/inputs/volume/slab");
    write_text(folder / "v.npy", npy.substr(0, npy.size() - 9000));
    refused(job(input), 1, "v.npy");
}

TEST_CASE("slabs: a volume of one slice is one slab, and counts as a whole") {
    const TempFolder folder;
    io::write(folder / "v.nii", volume(1));
    const Run whole = run_job(folder, job({{"file", "v.nii"}}));
    CAPTURE(whole.err);
    REQUIRE(whole.status == 0);
    for (const int slab : {1, 5}) {
        const Run run = run_job(folder, job({{"file", "v.nii"}, {"slab", slab}}));
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        CHECK(Json::parse(run.out)["records"]["counts"] == Json::parse(whole.out)["records"]["counts"]);
    }
}
