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
    return {{"parallax", 1},
            {"inputs", {{"volume", input}}},
            {"steps", {step}},
            {"outputs", {{"counts", "c.json"}, {"plot", "p.svg"}}}};
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
    for (const Json& input :
         {Json("v.nii"), Json("v.nii.gz"), Json{{"file", "v.tif"}, {"page_axis", "z"}}, Json{{"file", "v.raw"}, {"raw", raw}}}) {
        CAPTURE(input.dump());
        CHECK(files_of(folder, job(input), 3) == whole);
    }
}

TEST_CASE("box counts on ranks: labels, small tiles, an image that is decoded as a whole") {
    const TempFolder folder;
    io::write(folder / "v.npy", volume(ElementType::u8));
    const Json labels = job({{"file", "v.npy"}, {"page_axis", "z"}},
                            {{"labels", {7, 90, 255}}, {"variant", "pyramid"}, {"policy", {{"tile", 32}}}});
    CHECK(files_of(folder, labels, 4) == files_of(folder, labels, 1));

    HostArray image = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 300}, {'x', 123}}));
    for (std::int64_t i = 0; i < image.desc.count(); ++i) image.as<std::uint8_t>()[i] = (i / 123 & i % 123) == 0 ? 255 : 0;
    io::write(folder / "i.png", image);
    Json flat = job("i.png");
    flat["inputs"] = {{"image", "i.png"}};
    CHECK(files_of(folder, flat, 3) == files_of(folder, flat, 1));
}

TEST_CASE("box counts on ranks: outlines, bounding boxes, several grids and resampled slices do not depend on the cut") {
    const TempFolder folder;
    // Two labels that begin in different slices, neither where a tile does; nothing in the first and the last.
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 205}, {'y', 70}, {'x', 41}}));
    for (std::int64_t z = 37; z < 190; ++z)
        for (std::int64_t y = 3; y < 70; ++y)
            for (std::int64_t x = 5; x < 40; ++x) {
                const std::uint32_t noise = static_cast<std::uint32_t>((z / 5 * 70 + y / 5) * 41 + x / 5) * 2654435761u >> 24;
                array.as<std::uint8_t>()[(z * 70 + y) * 41 + x] = noise < 40 ? 0 : noise < 150 || z < 133 ? 1 : 2;
            }
    io::write(folder / "v.npy", array);
    array.desc.unit = "mm";
    for (Axis& axis : array.desc.axes)
        axis.spacing = axis.name == 'z' ? 0.7 : 1.9;   // several slices of the array come more than once, some never
    io::write(folder / "v.nii", array);
    array.desc.axes[0].spacing = 3.1;
    io::write(folder / "w.nii", array);

    const Json npy{{"file", "v.npy"}, {"page_axis", "z"}};
    struct Case {
        Json input, step;
    };
    for (const Case& c :
         {Case{npy, {{"surface", true}}}, Case{npy, {{"fit", "auto"}}},
          Case{"w.nii", {{"anisotropy", "resample"}, {"origin", "bounding_box"}, {"fit", "auto"}}}, Case{npy, {{"offsets", 3}}},
          Case{npy, {{"origin", "bounding_box"}}}, Case{"v.nii", {{"anisotropy", "resample"}}},
          Case{"w.nii", {{"anisotropy", "resample"}, {"surface", true}, {"origin", "bounding_box"}, {"offsets", 2}}}}) {
        CAPTURE(c.step.dump());
        Json step = c.step;
        step["labels"] = {1, 2, 3};
        step["variant"] = "pyramid";
        step["policy"] = {{"tile", 32}};
        const std::string whole = files_of(folder, job(c.input, step), 1);
        for (const int ranks : {2, 3, 8}) {
            CAPTURE(ranks);
            CHECK(files_of(folder, job(c.input, step), ranks) == whole);
        }
    }

    HostArray image = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 300}, {'x', 123}}));
    for (std::int64_t i = 45 * 123; i < image.desc.count(); ++i) image.as<std::uint8_t>()[i] = (i / 123 & i % 123) == 0 ? 255 : 0;
    io::write(folder / "i.png", image);
    Json flat =
        job("i.png",
            {{"surface", true}, {"origin", "bounding_box"}, {"offsets", 4}, {"variant", "pyramid"}, {"policy", {{"tile", 32}}}});
    flat["inputs"] = {{"image", "i.png"}};
    CHECK(files_of(folder, flat, 5) == files_of(folder, flat, 1));
}
