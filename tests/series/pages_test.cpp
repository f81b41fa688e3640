// Pages, and volumes, of one file as the items of a series.
#include "frames.hpp"
#include "jobs/ome_set.hpp"
#include "lines.hpp"

#include <algorithm>

using namespace parallax;
using namespace parallax::tests;

namespace {

/// A file of pages of one pixel that OME-XML tells of.
std::string ome_pages(const std::vector<std::uint8_t>& values, const std::string& images) {
    return pages_with(values, "<OME>" + images + "</OME>");
}

std::string ome_image(int planes, const std::string& blocks) {
    return fmt::format(R"(<Image><Pixels DimensionOrder="XYZTC" Type="uint8" SizeX="1" SizeY="1" SizeZ="{}" SizeC="1" SizeT="1">{}</Pixels></Image>)",
                       planes, blocks);
}

/// Three pages, of which the words count from behind: 1, 2 and 3 as they stand.
std::string backwards() {
    std::string blocks;
    for (int i = 0; i < 3; ++i) blocks += fmt::format(R"(<TiffData IFD="{}" FirstZ="{}" PlaneCount="1"/>)", i, 2 - i);
    return ome_pages({1, 2, 3}, ome_image(3, blocks));
}

Json job_of_pages(const Json& source, const Json& inputs) {
    return {{"parallax", 1},
            {"for_each", {{"a", source}}},
            {"inputs", inputs},
            {"steps", {{{"run", "crop"}}}},
            {"outputs", {{"image", "{a.page}.npy"}}}};
}

/// The only pixel of each output.
std::vector<int> pixels_of(const fs::path& out) {
    std::vector<int> pixels;
    for (int i = 0; fs::exists(out / fmt::format("{:04}.npy", i)); ++i)
        pixels.push_back(io::read(out / fmt::format("{:04}.npy", i)).as<std::uint8_t>()[0]);
    return pixels;
}

}  // namespace

TEST_CASE("series: pages are counted and read as the input says: of a file alone, of the image that it takes, along its axis") {
    const TempFolder folder;
    for (int t = 0; t < 3; ++t)
        write_text(folder / name_in_set(t),
                   pages_with({static_cast<std::uint8_t>(10 * t), static_cast<std::uint8_t>(10 * t + 1)}, words_of_set(3)));
    write_text(folder / "two.ome.tif", ome_pages({1, 2, 3, 4, 5}, ome_image(2, R"(<TiffData IFD="0" PlaneCount="2"/>)") +
                                                                      ome_image(3, R"(<TiffData IFD="2" PlaneCount="3"/>)")));
    write_text(folder / "back.ome.tif", backwards());
    struct Row { Json source, input; std::vector<int> pixels; };
    for (const Row& row : {Row{{{"pages", name_in_set(1)}}, "{a}", {10, 11}},
                           Row{{{"pages", "two.ome.tif"}}, {{"file", "{a}"}, {"series", 1}}, {3, 4, 5}},
                           Row{{{"pages", "back.ome.tif"}}, "{a}", {3, 2, 1}},
                           Row{{{"pages", "back.ome.tif"}, {"page_axis", "z"}}, "{a}", {1, 2, 3}},
                           Row{{{"pages", "back.ome.tif"}}, {{"file", "{a}"}, {"page_axis", "z"}}, {1, 2, 3}}}) {
        CAPTURE(row.source.dump() + " " + row.input.dump());
        write_text(folder / "job.json", job_of_pages(row.source, {{"image", row.input}}).dump());
        const Run run = run_program({"run", "job.json", "--out", "out", "--device", "native", "--quiet"}, folder.path());
        CHECK_MESSAGE(run.status == 0, run.err);
        CHECK(pixels_of(folder / "out") == row.pixels);
        fs::remove_all(folder / "out");
    }
    const Json first{{"file", "{a}"}, {"series", 0}}, second{{"file", "{a}"}, {"series", 1}};
    Json job = job_of_pages({{"pages", "two.ome.tif"}}, {{"image", first}, {"other", second}});
    job["steps"] = {{{"run", "arithmetic"}, {"op", "add"}, {"in", {{"image", "image"}, {"other", "other"}}}, {"out", {{"image", "sum"}}}}};
    job["outputs"] = {{"sum", "{a.page}.npy"}};
    write_text(folder / "job.json", job.dump());
    const Run unlike = run_program({"run", "job.json", "--out", "out", "--device", "native"}, folder.path());
    CAPTURE(unlike.err);
    CHECK(unlike.status == 2);
    CHECK(contains(unlike.err, "of which one input has 2 pages and another 3"));
}

TEST_CASE("series: --resume does again what another page_axis reads otherwise") {
    const TempFolder folder;
    write_text(folder / "back.ome.tif", backwards());
    const auto run = [&](const Json& source, const std::vector<std::string>& more) {
        write_text(folder / "job.json", job_of_pages(source, {{"image", "{a}"}}).dump());
        std::vector<std::string> words{"run", "job.json", "--out", "out", "--device", "native"};
        words.insert(words.end(), more.begin(), more.end());
        return run_program(words, folder.path());
    };
    REQUIRE(run({{"pages", "back.ome.tif"}}, {}).status == 0);
    CHECK(pixels_of(folder / "out") == std::vector{3, 2, 1});
    const Json other{{"pages", "back.ome.tif"}, {"page_axis", "z"}};
    const Run resumed = run(other, {"--resume"});
    CHECK_MESSAGE(resumed.status == 0, resumed.err);
    CHECK(pixels_of(folder / "out") == std::vector{1, 2, 3});
    CHECK(contains(run(other, {"--resume"}).err, "nothing left to do"));
}

TEST_CASE("series: a stack of the frames of one file has their time, and of several files none") {
    Json job = frames_job();
    job["steps"].erase(1);
    job["inputs"]["image"] = "{p}";
    const Folder folder(0, job);
    HostArray film = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'t', 7}, {'y', 12}, {'x', 16}}));
    for (int i = 0; i < 7; ++i) std::copy_n(frame(i).as<std::uint8_t>(), 192, film.as<std::uint8_t>() + 192 * i);
    film.desc = film.desc.with_spacing('t', 0.125);
    io::write(folder / "film.tif", film);
    io::write(folder / "film.nii", film);
    film.desc = film.desc.with_spacing('t', 1);
    io::write(folder / "seconds.tif", film);
    film.desc = film.desc.with_spacing('t', 0);   // nothing is said
    io::write(folder / "untimed.tif", film);
    struct Row {
        Json each;
        double interval;
    };
    const Row rows[] = {{{{"pages", "film.tif"}}, 0.125},
                        {{{"pages", "film.tif"}, {"stride", 3}}, 0.375},
                        {{{"volumes", "film.nii"}, {"range", {1, 5}}, {"stride", 2}}, 0.25},
                        {{{"pages", "seconds.tif"}}, 1},
                        {{{"pages", "seconds.tif"}, {"stride", 2}}, 2},
                        {{{"pages", "untimed.tif"}, {"stride", 2}}, 0},
                        {{{"pages", {"film.tif", "film.tif"}}}, 0}};   // what lies between two films nobody knows
    for (const Row& row : rows) {
        CAPTURE(row.each.dump());
        job["for_each"] = {{"p", row.each}};
        for (const char* const name : {"all.tif", "all.nii", "all.nrrd"}) {
            job["outputs"] = {{"all", {{"of", "sum"}, {"file", name}, {"combine", "stack"}}}};
            write_text(folder / "job.json", job.dump());
            const TempFolder out;
            const Run run = run_job(folder.path(), out.path().string(), {"--quiet"});
            CAPTURE(run.err);
            REQUIRE(run.status == 0);
            const HostArray all = io::read(out / name);
            REQUIRE(all.desc.find('t') != nullptr);
            CHECK(all.desc.find('t')->spacing == doctest::Approx(row.interval));
        }
    }
}

TEST_CASE("series: pages of a volume are put together as its slices") {
    Json job = frames_job();
    job["steps"].erase(1);
    job["inputs"]["image"] = "{p}";
    const Folder folder(0, job);
    HostArray volume = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'z', 7}, {'y', 12}, {'x', 16}}));
    for (int i = 0; i < 7; ++i) std::copy_n(frame(i).as<std::uint8_t>(), 192, volume.as<std::uint8_t>() + 192 * i);
    volume.desc = volume.desc.with_unit("um").with_spacing('z', 2).with_spacing('y', .5).with_spacing('x', .5);
    io::write(folder / "a.ome.tif", volume);
    struct Row { Json each, input; double z; };
    for (const Row& row :
         {Row{{{"pages", "a.ome.tif"}}, "{p}", 0.002}, Row{{{"pages", "a.ome.tif"}, {"stride", 3}}, "{p}", 0.006},
          Row{{{"pages", "a.ome.tif"}}, {{"file", "{p}"}, {"spacing_nm", {65, 65}}}, 0.002}}) {
        CAPTURE(row.each.dump());
        job["for_each"] = {{"p", row.each}};
        job["inputs"]["image"] = row.input;
        job["outputs"] = {{"all", {{"of", "sum"}, {"file", "all.nrrd"}, {"combine", "stack"}}}};
        write_text(folder / "job.json", job.dump());
        const TempFolder out;
        const Run run = run_job(folder.path(), out.path().string(), {"--quiet"});
        CAPTURE(run.err);
        REQUIRE(run.status == 0);
        const HostArray all = io::read(out / "all.nrrd");
        REQUIRE(all.desc.find('z') != nullptr);
        CHECK(all.desc.find('z')->spacing == doctest::Approx(row.z));   // in mm
        CHECK(all.as<std::uint8_t>()[7] == frame(0).as<std::uint8_t>()[7] + 1);
    }
}
