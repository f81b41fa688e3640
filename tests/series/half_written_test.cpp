// Watched files that are half written when a watch begins, or are closed before they are whole: they are waited for, and have
// failed only where nothing more comes.
#if !defined(_WIN32)   // where a test can end a program as Ctrl-C does

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "frames.hpp"
#include "series/folder_watch.hpp"
#include "watching_run.hpp"

using namespace parallax;
using namespace parallax::tests;
using engine::series::Arrival;
using engine::series::FolderWatch;

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Frames of PNG: half of one says its size and lacks its pixels, half of a TIFF does not even say that.
Json job_of(const std::string& ending, const char* on_error) {
    Json job = frames_job();
    job["for_each"] = {{"frame", "frames/f*." + ending}, {"on_error", on_error}};
    return job;
}

/// A frame's file in two halves, each of which is closed.
struct Halves {
    fs::path file;
    std::string bytes;

    Halves(const Folder& folder, int number, const std::string& ending, const HostArray& array)
        : file(folder / "frames" / (frame_name(number) + "." + ending)) {
        const fs::path aside = folder / ("aside." + ending);
        io::write(aside, array);
        bytes = read_text(aside);
        fs::remove(aside);
    }
    Halves(const Folder& folder, int number, const std::string& ending) : Halves(folder, number, ending, frame(number)) {}
    void first() const { put(0, bytes.size() / 2, std::ios::trunc); }
    void second() const { put(bytes.size() / 2, bytes.size(), std::ios::app); }

private:
    void put(std::size_t from, std::size_t end, std::ios::openmode how) const {
        std::ofstream(file, std::ios::binary | how).write(bytes.data() + from, static_cast<std::streamsize>(end - from));
    }
};

void make_old(const fs::path& file) { fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::seconds(20)); }

bool is_done(const Folder& folder, int number) {
    return io::read(folder / "out/sums" / (frame_name(number) + ".npy")).as<std::uint8_t>()[100] ==
           frame(number).as<std::uint8_t>()[100] + 1;
}

}   // namespace


namespace {

/// Something that comes every quarter of a second, ten seconds long if nobody ends it before.
class Coming {
public:
    static constexpr int most = 40;
    explicit Coming(std::function<void(int)> put)
        : thread_([this, put = std::move(put)] {
              for (; count < most && !ended_; ++count) put(count), std::this_thread::sleep_for(milliseconds(250));
          }) {}
    ~Coming() { ended_ = true, thread_.join(); }
    Coming(const Coming&) = delete;
    Coming& operator=(const Coming&) = delete;

    std::atomic<int> count{0};

private:
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

/// A file of which nobody is told when it is closed: the folder is one that a pattern finds, which is looked at.
struct LookedAt {
    TempFolder folder;
    fs::path file = folder / "run1/f1.raw";
    std::unique_ptr<FolderWatch> watch;

    LookedAt() {
        fs::create_directory(folder / "run1");
        engine::Locations where;
        where.job_folder = folder.path();
        watch = std::make_unique<FolderWatch>(std::vector<std::string>{"run*/f*.raw"}, "/for_each/frame", where);
    }
    /// How many come in that time; until the first, or all of it.
    std::size_t come(milliseconds most, bool all = false) {
        const auto until = steady_clock::now() + most;
        std::size_t came = 0;
        while ((all || came == 0) && steady_clock::now() < until) came += watch->wait(milliseconds(50)).size();
        return came;
    }
};

}   // namespace

TEST_CASE("watch: by looking alone, a file that becomes empty before it is taken is waited for as an empty one") {
    LookedAt at;
    write_text(at.file, "a half");
    CHECK(at.come(FolderWatch::look_every + milliseconds(300)) == 0);
    CHECK(at.watch->awaits(at.file));
    write_text(at.file, "");
    CHECK(at.come(FolderWatch::settle * 2, true) == 0);
    CHECK_FALSE(at.watch->expects());
    CHECK(at.watch->incomplete() == std::vector<std::string>{at.file.string()});
    write_text(at.file, "the whole of it");
    CHECK(at.come(FolderWatch::settle * 3) == 1);
    // One that was taken and given back comes, so that it has failed if it stays so.
    CHECK(at.watch->give_back(at.file));
    write_text(at.file, "");
    CHECK(at.come(FolderWatch::settle * 3) == 1);
    CHECK(at.watch->give_back(at.file));
    CHECK(at.come(FolderWatch::settle * 3) == 1);
    CHECK_FALSE(at.watch->give_back(at.file));
}

TEST_CASE("watch: a file that is given back is waited for with its folder, whenever that goes") {
    for (const bool before : {true, false}) {
        CAPTURE(before);
        TempFolder folder;
        fs::create_directory(folder / "camera");
        engine::Locations where;
        where.job_folder = folder.path();
        FolderWatch watch({"camera/f*.raw"}, "/for_each/frame", where);
        const fs::path file = folder / "camera/f1.raw";
        const auto next = [&] {
            const auto until = steady_clock::now() + FolderWatch::settle * 4;
            std::size_t came = 0;
            for (; came == 0 && steady_clock::now() < until; watch.news()) came += watch.wait(milliseconds(50)).size();
            return came;
        };
        write_text(file, "half");
        REQUIRE(next() == 1);
        if (!before) CHECK(watch.give_back(file));
        fs::rename(folder / "camera", folder / "away");
        if (before) CHECK(watch.give_back(file));   // no look has been taken since
        const auto until = steady_clock::now() + FolderWatch::settle * 2;
        bool awaited = true;
        while (steady_clock::now() < until) {
            CHECK(watch.wait(milliseconds(50)).empty());
            awaited &= watch.give_back(file);
            watch.news();   // else the next wait gives them at once
        }
        CHECK(awaited);
        CHECK(watch.is_away(file));
        CHECK_FALSE(watch.expects());   // --idle may end the wait
        fs::rename(folder / "away", folder / "camera");
        CHECK(next() == 1);
        CHECK_FALSE(watch.is_away(file));
    }
}

TEST_CASE("watch: a job that is wrong for the data fails at its first file, whatever comes beside") {
    Json job = frames_job();
    job["for_each"] = {{"frame", "frames/f*.npy"}};
    job["steps"] = Json::array({{{"run", "equalize"}}});
    job["outputs"] = {{"image", "{frame.stem}.npy"}};
    HostArray floats = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', 12}, {'x', 16}}));
    std::fill_n(floats.as<float>(), floats.desc.count(), 0.5f);
    const Folder folder(0, job);
    WatchingRun watching(folder.path());
    const Coming coming([&](int i) {
        io::write(folder / "aside.npy", floats);
        fs::rename(folder / "aside.npy", folder / "frames" / (frame_name(i) + ".npy"));
    });
    const Run run = watching.wait_for_end();
    CAPTURE(run.err);
    CHECK(coming.count < Coming::most);
    CHECK(run.status == 2);
    CHECK(contains(run.err, "f32"));
}

TEST_CASE("watch: where an error ends the series, the first file that stays half ends it, whatever comes beside") {
    const Folder folder(0, job_of("tif", "stop"));
    WatchingRun watching(folder.path());
    const Coming coming([&](int i) { Halves(folder, i, "tif").first(); });
    const Run run = watching.wait_for_end();
    CAPTURE(run.err);
    CHECK(coming.count < Coming::most);
    CHECK(run.status == 1);
    CHECK(contains(run.err, "f000.tif"));
}

TEST_CASE("watch: where an error ends the series, a result that cannot be written ends it at once") {
    const Folder folder(0, job_of("png", "stop"));
    WatchingRun watching(folder.path());
    io::write(folder / "frames/f900.png", frame(0));
    watching.has_done({"f900.png"});
    fs::remove_all(folder / "out/sums");
    write_text(folder / "out/sums", "no folder");
    const Coming coming([&](int i) {
        io::write(folder / "aside.png", frame(i));
        fs::rename(folder / "aside.png", folder / "frames" / (frame_name(i) + ".png"));
    });
    const Run run = watching.wait_for_end();
    CAPTURE(run.err);
    CHECK(run.status == 1);
    const auto failed = recorded(folder / "out/job.series", "failed");
    CHECK(failed.contains("frames/f000.png"));
    CHECK(failed.size() < 4);   // those that were under way
}

TEST_CASE("watch: where an error ends the series, nothing is begun beside a file that may be half") {
    for (const bool becomes_whole : {false, true}) {
        CAPTURE(becomes_whole);
        const Folder folder(0, job_of("png", "stop"));
        WatchingRun watching(folder.path());
        io::write(folder / "frames/f001.png", frame(1));
        watching.has_done({"f001.png"});
        const Halves file(folder, 2, "png");
        file.first();
        std::this_thread::sleep_for(milliseconds(800));
        io::write(folder / "frames/f003.png", frame(3));
        if (becomes_whole) file.second(), watching.has_done({"f002.png", "f003.png"});
        const Run run = becomes_whole ? watching.end() : watching.wait_for_end();
        CAPTURE(run.err);
        CHECK(run.status == (becomes_whole ? 0 : 1));
        CHECK(fs::exists(folder / "out/sums/f003.npy") == becomes_whole);
        CHECK(contains(run.err, "f002.png") == !becomes_whole);
    }
}

TEST_CASE("watch: a folder that is away while a file of it is waited for ends nothing") {
    const Folder folder(0, job_of("png", "stop"));
    WatchingRun watching(folder.path());
    io::write(folder / "frames/f001.png", frame(1));
    watching.has_done({"f001.png"});
    Halves file(folder, 2, "png");
    file.first();
    std::this_thread::sleep_for(milliseconds(500));
    fs::rename(folder / "frames", folder / "away");
    watching.says("is not there: it is waited for");
    std::this_thread::sleep_for(milliseconds(500));
    file.file = folder / "away/f002.png";
    file.second();
    fs::rename(folder / "away", folder / "frames");
    watching.has_done({"f002.png"});
    const Run run = watching.end();
    CAPTURE(run.err);
    CHECK(run.status == 0);
    CHECK(recorded(folder / "out/job.series", "failed").empty());

    // --idle ends the wait for one that stays away.
    const Folder other(0, job_of("png", "continue"));
    WatchingRun idle(other.path(), {"--idle", "2"});
    io::write(other / "frames/f001.png", frame(1));
    idle.has_done({"f001.png"});
    Halves(other, 2, "png").first();
    std::this_thread::sleep_for(milliseconds(500));
    fs::rename(other / "frames", other / "away");
    const Run ended = idle.wait_for_end();
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(contains(ended.err, "f002.png"));
}

TEST_CASE(
    "watch: a file that is given back comes when it is closed once more or is settled, and once only where it stays as it is") {
    const TempFolder folder;
    engine::Locations where;
    where.job_folder = folder.path();
    FolderWatch watch({"f*.raw"}, "/for_each/frame", where);
    const auto comes_within = [&](milliseconds most) {
        const auto until = steady_clock::now() + most;
        std::size_t came = 0;
        while (came == 0 && steady_clock::now() < until) came += watch.wait(milliseconds(50)).size();
        return came > 0;
    };
    const fs::path file = folder / "f1.raw";
    write_text(file, "half");
    REQUIRE(comes_within(FolderWatch::settle * 3));
    CHECK_FALSE(watch.awaits(file));
    CHECK(watch.give_back(file));
    CHECK(watch.give_back(file));   // it has not come since
    CHECK(watch.awaits(file));
    CHECK(watch.expects());
    write_text(file, "half and half");   // where the system tells of it, at once
    REQUIRE(comes_within(FolderWatch::settle * 3));
    CHECK(watch.give_back(file));
    const auto given = steady_clock::now();
    REQUIRE(comes_within(FolderWatch::settle * 3));
    CHECK(steady_clock::now() - given >= FolderWatch::settle);
    CHECK_FALSE(watch.give_back(file));   // the same as before
    CHECK_FALSE(watch.awaits(file));
    fs::remove(file);
    CHECK_FALSE(watch.give_back(file));
}

TEST_CASE("watch: a first file of which only half is there is waited for, whether it is closed before or after the start") {
    for (const std::string ending : {"tif", "png"}) {
        for (const char* const on_error : {"stop", "continue"}) {
            for (const bool before : {false, true}) {
                CAPTURE(ending);
                CAPTURE(on_error);
                CAPTURE(before);
                const Folder folder(0, job_of(ending, on_error));
                const Halves file(folder, 3, ending);
                if (before) file.first(), make_old(file.file);
                WatchingRun watching(folder.path());
                if (!before) file.first();
                std::this_thread::sleep_for(milliseconds(500));
                file.second();
                watching.has_done({"f003." + ending});
                const Run run = watching.end();
                CAPTURE(run.err);
                CHECK(run.status == 0);
                CHECK(is_done(folder, 3));
            }
        }
    }
}

TEST_CASE("watch: a file that is closed before it is whole has not failed, whatever an error ends") {
    const Folder folder(1, job_of("png", "stop"));
    WatchingRun watching(folder.path(), {"--report", "report.json"});
    io::write(folder / "frames/f001.png", frame(1));
    watching.has_done({"f001.png"});
    const Halves file(folder, 2, "png");
    file.first();
    std::this_thread::sleep_for(milliseconds(500));
    file.second();
    watching.has_done({"f002.png"});
    const Run run = watching.end();
    CAPTURE(run.err);
    CHECK(run.status == 0);
    CHECK(Json::parse(read_text(folder / "report.json"))["items"]["done"] == 2);
    CHECK(recorded(folder / "out/job.series", "failed").empty());
    CHECK(is_done(folder, 2));
}

TEST_CASE("watch: what a step looks for in the first item is not looked for in half of it") {
    constexpr int width = 64, height = 48;
    HostArray hologram = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', height}, {'x', width}}));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            hologram.as<std::uint8_t>()[y * width + x] =
                static_cast<std::uint8_t>(std::lround(120 + 90 * std::cos(6.28318 * (14.3 * x / width - 9.2 * y / height))));
    const Json job = {{"parallax", 1},
                      {"for_each", {{"frame", "frames/f*.png"}}},
                      {"inputs", {{"hologram", "{frame}"}}},
                      {"steps", Json::array({{{"run", "hologram"},
                                              {"wavelength_nm", 633},
                                              {"pixel_um", 5},
                                              {"distance_um", 500},
                                              {"off_axis", {{"side", "upper"}}}}})},
                      {"outputs", {{"phase", "{frame.stem}.npy"}}}};
    const Folder folder(0, job);
    WatchingRun watching(folder.path());
    const Halves file(folder, 0, "png", hologram);
    file.first();
    std::this_thread::sleep_for(milliseconds(500));
    file.second();
    watching.has_done({"f000.png"});
    const Run run = watching.end();
    CAPTURE(run.err);
    CHECK(run.status == 0);
}

TEST_CASE("watch: a file that stays half has failed, by its name; others are done where an error ends nothing") {
    for (const std::string ending : {"tif", "png"}) {
        for (const bool goes_on : {false, true}) {
            CAPTURE(ending);
            CAPTURE(goes_on);
            const Folder folder(0, job_of(ending, goes_on ? "continue" : "stop"));
            const Halves file(folder, 3, ending);
            file.first();
            make_old(file.file);
            WatchingRun watching(folder.path());
            if (goes_on) {
                io::write(folder / ("frames/f004." + ending), frame(4));
                watching.has_done({"f004." + ending});
                watching.has_failed({"f003." + ending});
            }
            const Run run = goes_on ? watching.end() : watching.wait_for_end();
            CAPTURE(run.err);
            CHECK(run.status == 1);
            CHECK(contains(run.err, "f003." + ending));
            CHECK_FALSE(fs::exists(folder / "out/sums/f003.npy"));
            if (goes_on) CHECK(is_done(folder, 4));
        }
    }
    // One that is removed meanwhile will not come: nothing waits for it.
    const Folder folder(0, job_of("png", "continue"));
    WatchingRun watching(folder.path(), {"--idle", "1"});
    io::write(folder / "frames/f001.png", frame(1));
    watching.has_done({"f001.png"});
    const Halves file(folder, 3, "png");
    file.first();
    std::this_thread::sleep_for(milliseconds(500));
    fs::remove(file.file);
    const Run run = watching.wait_for_end();
    CAPTURE(run.err);
    CHECK(run.status == 1);
    CHECK(contains(run.err, "1 of 2 items done"));
}

#endif
