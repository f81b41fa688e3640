// Axes of OME-Zarr by their types and names, their scales, and what else stands beside the image that is read.
#include <algorithm>

#include "parallax/host/json.hpp"
#include "support.hpp"
#include "support/helper.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

bool can_read_zarr() {
    const bool can = !host::program_beside("parallax-read-zarr").empty();
    if (!can) MESSAGE("skipped: the program that reads Zarr is not built");
    return can;
}

Json image_of(const Json& axes, const Json& scale) {
    const Json step{{"type", "scale"}, {"scale", scale}};
    const Json level{{"path", "0"}, {"coordinateTransformations", Json::array({step})}};
    return {{"version", "0.4"}, {"axes", axes}, {"datasets", Json::array({level})}};
}

/// An OME-Zarr of bytes, one chunk, the sizes of whose axes are 2, 3, ...
io::FileInfo info_of(const Folder& folder, const Json& images) {
    const std::size_t n = images[0]["datasets"][0]["coordinateTransformations"][0]["scale"].size();
    std::vector<std::size_t> sizes;
    std::size_t count = 1;
    std::string chunk;
    for (std::size_t i = 0; i < n; ++i) sizes.push_back(i + 2), count *= i + 2, chunk += i ? ".0" : "0";
    fs::remove_all(folder / "a.zarr");
    fs::create_directories(folder / "a.zarr/0");
    put(folder / "a.zarr/.zgroup", R"({"zarr_format": 2})");
    put(folder / "a.zarr/.zattrs", Json{{"multiscales", images}}.dump());
    put(folder / "a.zarr/0/.zarray", Json{{"zarr_format", 2}, {"shape", sizes}, {"chunks", sizes}, {"dtype", "|u1"}, {"order", "C"},
                                          {"compressor", nullptr}, {"filters", nullptr}, {"fill_value", 0}}.dump());
    put(folder / "a.zarr/0" / chunk, std::string(count, 'a'));
    return io::info(folder / "a.zarr");
}

Json space(const char* name) { return {{"name", name}, {"type", "space"}, {"unit", "micrometer"}}; }

std::string letters(const io::FileInfo& info) {
    std::string names;
    for (const Axis& axis : info.desc.axes) names += axis.name;
    return names;
}

}   // namespace

TEST_CASE("zarr: axes of names of any length are what their types and names say, else by their order, with a warning") {
    if (!can_read_zarr()) return;
    const Folder folder;
    const Json time{{"name", "T"}, {"type", "time"}, {"unit", "second"}}, channel{{"name", "stain"}, {"type", "channel"}};
    struct Row { Json axes; const char *letters, *told; };
    const Row rows[] = {
        {{channel, space("z"), space("y"), space("x")}, "czyx", ""},
        {{time, channel, space("row"), space("col")}, "tcyx", ""},
        {{time, space("Z"), space("Y"), space("X")}, "tzyx", ""},
        {{time, space("X"), space("Row"), space("Z")}, "txyz", ""},
        {{{{"name", "t"}}, {{"name", "Channel"}}, {{"name", "y"}}, {{"name", "x"}}}, "tcyx", ""},
        {{"t", "c", "y", "x"}, "tcyx", ""},   // of version 0.3
        {{channel, space("a"), space("y"), space("b")}, "czyx",
         "what it calls its axes (\"a\", \"b\") says nothing here: they are taken for z, x by their order"},
        {{{{"name", "q"}}, space("z"), space("y"), space("x")}, "tzyx",
         "what it calls its axes (\"q\") says nothing here: they are taken for t by their order\n"
         "its frames are 3 of a unit that it does not name apart: seconds are taken"}};
    for (const Row& row : rows) {
        CAPTURE(row.axes.dump());
        const io::FileInfo info = info_of(folder, Json::array({image_of(row.axes, {3, 2, .5, .25})}));
        CHECK(letters(info) == row.letters);
        if (row.axes[3].is_object() && row.axes[3].contains("unit")) {
            CHECK(info.desc.unit == "um");
            CHECK(info.desc.axes[3].spacing == .25);
            CHECK(told_of(info) == row.told);
        }
    }
    for (const Json& axes : {Json{channel, channel, space("y"), space("x")}, Json{space("z"), space("y"), space("x"), space("w")},
                             Json{space("z"), space("y"), space("x")}}) {
        CAPTURE(axes.dump());
        const io::FileInfo info = info_of(folder, Json::array({image_of(axes, {3, 2, .5, .25})}));
        CHECK(letters(info) == "tzyx");
        CHECK(told_of(info).find("is not followed: they are taken for tzyx by their order") != std::string::npos);
    }
}

TEST_CASE("zarr: what xarray calls its axes is followed by the same names") {
    if (!can_read_zarr()) return;
    const Folder folder;
    struct Row { Json names; const char *letters, *told; };
    const Row rows[] = {
        {{"time", "lev", "lat", "lon"}, "tzyx", ""},
        {{"x", "y", "z", "t"}, "xyzt", ""},
        {{"x", "y", "sample", "channel"}, "xyzc",
         "what it calls its axes (\"sample\") says nothing here: they are taken for z by their order"},
        {{"member", "z", "y", "x"}, "tzyx", "what it calls its axes (\"member\") says nothing here: they are taken for t by their order"},
        {{"y", "x", "x", "z"}, "tzyx",
         "what it says of its axes ([\"y\",\"x\",\"x\",\"z\"]) is not followed: they are taken for tzyx by their order"},
        {{"y", "x"}, "tzyx", "what it says of its axes ([\"y\",\"x\"]) is not followed: they are taken for tzyx by their order"}};
    info_of(folder, Json::array({image_of({"t", "z", "y", "x"}, {1, 1, 1, 1})}));
    for (const Row& row : rows) {
        CAPTURE(row.names.dump());
        put(folder / "a.zarr/0/.zattrs", Json{{"_ARRAY_DIMENSIONS", row.names}}.dump());
        put(folder / "a.zarr/.zattrs", "{}");
        const io::FileInfo info = io::info(folder / "a.zarr");
        CHECK(letters(info) == row.letters);
        CHECK(told_of(info) == row.told);
    }
}

TEST_CASE("zarr: names of channels that are no texts are left out, and told") {
    if (!can_read_zarr()) return;
    const Folder folder;
    const Json images = Json::array({image_of({{{"name", "c"}, {"type", "channel"}}, space("y"), space("x")}, {1, 1, 1})});
    info_of(folder, images);
    const auto with = [&](const char* key, const Json& channels) {
        put(folder / "a.zarr/.zattrs", Json{{"multiscales", images}, {key, {{"channels", channels}}}}.dump());
        return io::info(folder / "a.zarr");
    };
    const Json named{{"label", "DAPI"}}, number{{"label", 2}}, nothing{{"label", nullptr}};
    CHECK(with("omero", Json::array({named, nothing})).metadata.channels == std::vector<std::string>{"DAPI", ""});
    CHECK(with("parallax", {"DAPI", "GFP"}).metadata.channels == std::vector<std::string>{"DAPI", "GFP"});
    const std::pair<const char*, Json> rows[] = {
        {"omero", Json::array({named, number})}, {"parallax", {"DAPI", 2}}, {"parallax", Json::array({1, 2})}, {"parallax", 7}};
    for (const auto& [key, channels] : rows) {
        CAPTURE(channels.dump());
        const io::FileInfo info = with(key, channels);
        CHECK(info.metadata.channels.empty());
        CHECK(told_of(info).find("where the name of a channel should be, which is no text: such names are left out") != std::string::npos);
    }
    CHECK(told_of(with("parallax", nullptr)).find("it has null where") == 0);
    CHECK(with("omero", Json::array({"DAPI", 2})).metadata.channels.empty());   // no channels of OME's
}

TEST_CASE("zarr: scales that are no distances above 0 are told") {
    if (!can_read_zarr()) return;
    const Folder folder;
    const Json axes = {space("z"), space("y"), space("x")};
    const io::FileInfo below = info_of(folder, Json::array({image_of(axes, {1, -.5, .5})}));
    CHECK(below.desc.find('y')->spacing == .5);
    CHECK(told_of(below).find("its axis y has a scale below 0: it counts by its size, and the axis goes the other way") == 0);
    REQUIRE(below.metadata.affine);
    CHECK((*below.metadata.affine)[0] == -5e-4);   // x to the left, as ITK takes it
    CHECK((*below.metadata.affine)[5] == 5e-4);    // y the other way
    const io::FileInfo zero = info_of(folder, Json::array({image_of(axes, {0, .5, .5})}));
    CHECK(told_of(zero) == "its axis z has a scale of 0, which is no distance: it is taken for 1 um");
    CHECK(zero.desc.find('x')->spacing == .5);
    const io::FileInfo text = info_of(folder, Json::array({image_of(axes, {"4", .5, .5})}));
    CHECK(told_of(text) == "it has a scale or a translation that is not of 3 numbers, one for each axis: that is left out\n"
                           "its axes are in um and have no scale: the unit is left out");
    CHECK(text.desc.unit.empty());   // 1 um would be a size that nobody measured
    CHECK(text.desc.find('x')->spacing == 1);
}

TEST_CASE("zarr: an array that an image around it names as a level has that image's axes") {
    if (!can_read_zarr()) return;
    const Folder folder;
    const Json channel{{"name", "c"}, {"type", "channel"}};
    const Json images = Json::array({image_of({channel, space("y"), space("x")}, {1, .5, .25})});
    info_of(folder, images);
    const fs::path store = folder / "b.zarr";   // as bioformats2raw lays it out, and a plate of one well
    for (const char* const inner : {"0", "A/1/0"}) {
        CAPTURE(inner);
        fs::remove_all(store);
        fs::create_directories((store / inner).parent_path());
        fs::copy(folder / "a.zarr", store / inner, fs::copy_options::recursive);
        put(store / ".zgroup", R"({"zarr_format": 2})");
        put(store / ".zattrs", R"({"bioformats2raw.layout": 3})");
        const std::string group = inner;
        for (const std::string& dataset : {std::string(), group, group + "/0", group + "/0/", "./" + group + "/0"}) {
            CAPTURE(dataset);
            io::ReadOptions options;
            options.dataset = dataset;
            const io::FileInfo info = io::info(store, options);
            CHECK(letters(info) == "cyx");
            CHECK(info.desc.unit == "um");
            CHECK(info.desc.find('x')->spacing == .25);
            CHECK(told_of(info).empty());
        }
    }
    put(store / "A/1/0/.zattrs", "{}");
    CHECK(letters(io::info(store)) == "zyx");
}

TEST_CASE("zarr: other images of a group are told") {
    if (!can_read_zarr()) return;
    const Folder folder;
    const Json axes = {space("y"), space("x")};
    Json other = image_of(axes, {2, 2});
    other["datasets"][0]["path"] = "1";
    const io::FileInfo info = info_of(folder, Json::array({image_of(axes, {1, 1}), other}));
    REQUIRE(info.ignored.size() == 1);
    CHECK(told_of(info).find("it holds 2 images (\"multiscales\"), of which the first is read") != std::string::npos);
    CHECK(info.ignored[0] == "1 other image of its \"multiscales\": \"dataset\" takes an array of one, for instance \"1\"");
    for (const Json& nothing : {Json(), Json{{"name", "labels"}}, Json{{"datasets", Json::array()}}}) {
        const io::FileInfo one = info_of(folder, Json::array({image_of(axes, {1, 1}), nothing}));
        REQUIRE(one.ignored.size() == 1);
        CHECK(one.ignored[0] == "1 other image of its \"multiscales\"");
    }
}

TEST_CASE("zarr: a chunk far larger than its array is refused by its bytes") {
    if (!can_read_zarr()) return;
    const Folder folder;
    fs::create_directory(folder / "a.zarr");
    put(folder / "a.zarr/0", "x");
    for (const char* const type : {"|u1", "<f4", "<f8"}) {   // 64 MiB are read
        CAPTURE(type);
        put(folder / "a.zarr/.zarray", Json{{"zarr_format", 2}, {"shape", {1}}, {"chunks", {16 << 20}}, {"dtype", type},
                                            {"order", "C"}, {"compressor", {{"id", "zstd"}}}, {"filters", nullptr}, {"fill_value", 0}}.dump());
        const std::string problem = io_error(folder / "a.zarr", [&] { io::read(folder / "a.zarr"); }).problem;
        CHECK((problem.find("has chunks of 16777216 elements") != std::string::npos) == (type[2] == '8'));
    }
}

TEST_CASE("zarr: a store that lacks chunks is read up to 64 MiB whatever is there, and beyond by its bytes") {
    if (!can_read_zarr()) return;
    const Folder folder;
    const fs::path store = folder / "a.zarr";
    fs::create_directory(store);
    const auto declare = [&](int side, int chunk, const Json& compressor) {
        put(store / ".zarray", Json{{"zarr_format", 2}, {"shape", {side, side}}, {"chunks", {chunk, chunk}}, {"dtype", "|u1"},
                                    {"order", "C"}, {"compressor", compressor}, {"filters", nullptr}, {"fill_value", 7}}.dump());
    };
    const auto refused = [&] { return io_error(store, [&] { io::info(store); }); };
    const Json zstd{{"id", "zstd"}};
    put(store / "0.0", std::string("\x28\xb5\x2f\xfd\x60\x10\x26\x83\x38\x01"
                                   "a", 11));   // 10,000 times an "a"
    declare(5000, 100, zstd);
    CHECK(told_of(io::info(store)) == "2499 of its 2500 chunks are not there: they are filled with 7");
    const std::vector<std::uint8_t> read = values_of<std::uint8_t>(io::read(store));
    CHECK(std::count(read.begin(), read.end(), 'a') == 10000);
    CHECK(std::count(read.begin(), read.end(), 7) == 25000000 - 10000);
    CHECK((read[99 * 5000 + 99] == 'a' && read[99 * 5000 + 100] == 7));
    declare(20000, 100, zstd);
    const IoError sparse = refused();
    CHECK(sparse.problem == "has 1 of its 40000 chunks, with 11 bytes for an array of 400000000: so sparse an array is not read");
    CHECK(sparse.hint.find("write_empty_chunks") != std::string::npos);
    declare(20000, 10, zstd);
    const IoError divided = refused();
    CHECK(divided.problem == "is divided into 4000000 chunks; up to 1048576 are read");
    CHECK(divided.hint == "write it with larger chunks");
    // What is there is held against its own bytes.
    declare(5000, 100, nullptr);
    CHECK(refused().problem == "has a chunk 0.0 of 11 bytes, out of which 10000 cannot come");
}
