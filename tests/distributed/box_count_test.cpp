// Slices of a volume on several ranks: the counts of one device.
#include "support.hpp"

#include <fstream>

using namespace parallax;
using namespace parallax::tests;

namespace {

HostArray volume(ElementType type) {
    HostArray array = HostArray::make(ArrayDesc::dense(type, {{'z', 205}, {'y', 70}, {'x', 41}}));
    for (std::int64_t i = 0; i < array.desc.count(); ++i) {
        const std::uint32_t noise = static_cast<std::uint32_t>(i / 5) * 2654435761u >> 24;
        if (type == ElementType::u8) array.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(noise);
        else array.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(noise);
    }
    return array;
}

Json job(const Json& input, Json step = Json::object()) {
    step["run"] = "box_count";
    if (!step.contains("labels")) step["threshold"] = 200;
    return {{"parallax", 1}, {"inputs", {{"volume", input}}}, {"steps", {step}}, {"outputs", {{"counts", "c.json"}, {"plot", "p.svg"}}}};
}

std::string files_of(const TempFolder& folder, const Json& json, int ranks) {
    run_job(folder, json, ranks);
    return read_text(folder / "c.json") + read_text(folder / "p.svg");
}

}  // namespace

TEST_CASE("box counts on ranks: every format that is read in slices, more ranks than layers of tiles") {
    const TempFolder folder;
    const HostArray array = volume(ElementType::u16);
    for (const char* const name : {"v.npy", "v.nii", "v.nii.gz", "v.tif"}) io::write(folder / name, array);
    {
        std::ofstream raw(folder / "v.raw", std::ios::binary);
        raw.write(reinterpret_cast<const char*>(array.data()), static_cast<std::streamsize>(array.desc.dense_bytes()));
    }
    const std::string whole = files_of(folder, job({{"file", "v.npy"}, {"page_axis", "z"}}), 1);
    for (const int ranks : {2, 3, 8}) {
        CAPTURE(ranks);
        CHECK(files_of(folder, job({{"file", "v.npy"}, {"page_axis", "z"}}), ranks) == whole);
    }
    const Json raw{{"type", "u16"}, {"axes", "zyx"}, {"shape", {205, 70, 41}}};
    for (const Json& input : {Json("v.nii"), Json("v.nii.gz"), Json{{"file", "v.tif"}, {"page_axis", "z"}}, Json{{"file", "v.raw"}, {"raw", raw}}}) {
        CAPTURE(input.dump());
        CHECK(files_of(folder, job(input), 3) == whole);
    }
}

TEST_CASE("box counts on ranks: labels, small tiles, an image that is decoded as a whole") {
    const TempFolder folder;
    io::write(folder / "v.npy", volume(ElementType::u8));
    const Json labels = job({{"file", "v.npy"}, {"page_axis", "z"}}, {{"labels", {7, 90, 255}}, {"variant", "pyramid"}, {"policy", {{"tile", 32}}}});
    CHECK(files_of(folder, labels, 4) == files_of(folder, labels, 1));

    HostArray image = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 300}, {'x', 123}}));
    for (std::int64_t i = 0; i < image.desc.count(); ++i) image.as<std::uint8_t>()[i] = (i / 123 & i % 123) == 0 ? 255 : 0;
    io::write(folder / "i.png", image);
    Json flat = job("i.png");
    flat["inputs"] = {{"image", "i.png"}};
    CHECK(files_of(folder, flat, 3) == files_of(folder, flat, 1));
}

TEST_CASE("box counts on ranks: what needs the array as a whole is refused with the reason") {
    const TempFolder folder;
    io::write(folder / "v.npy", volume(ElementType::u8));
    const auto error = error_of<UnsupportedError>([&] { run_job(folder, job({{"file", "v.npy"}, {"page_axis", "z"}}, {{"surface", true}}), 2); });
    CHECK(contains(error.what(), "one device must have the outline of the whole array"));
    CHECK_FALSE(fs::exists(folder / "c.json"));
}
