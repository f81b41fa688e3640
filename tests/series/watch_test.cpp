// Files that come while a series runs, in all the ways in which programs write them: none is lost, none is read half.
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <thread>

#include "frames.hpp"
#include "lines.hpp"
#include "seed.hpp"
#include "series/folder_watch.hpp"
#include "series/series.hpp"
#include "watching_run.hpp"

#if defined(__linux__)
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

using namespace parallax;
using namespace parallax::tests;
using engine::series::Arrival;
using engine::series::FolderWatch;

namespace {

using std::chrono::milliseconds;

Json watched_job() {
    Json job = frames_job();
    job["for_each"] = {{"frame", "frames/f*.tif"}, {"on_error", "continue"}};
    job["outputs"]["all"] = {{"of", "image"}, {"file", "all.npy"}, {"combine", "stack"}};
    return job;
}

#if !defined(_WIN32)   // where a test can end a program as Ctrl-C does
/// As a camera program, a copy, a slow network drive, a careful program, or one that closes each file twice has it.
void write_somehow(const fs::path& folder, int number, unsigned how) {
    const fs::path target = folder / "frames" / (frame_name(number) + ".tif"),
                   aside = folder / (frame_name(number) + ".part.tif");
    if (how == 0) return io::write(target, frame(number));
    io::write(aside, frame(number));
    const std::string bytes = read_text(aside);
    if (how == 1) return fs::rename(aside, target);
    if (how >= 4) {
        const auto half = static_cast<std::streamsize>(bytes.size() / 2),
                   rest = static_cast<std::streamsize>(bytes.size()) - half;
        std::ofstream(target, std::ios::binary).write(bytes.data(), half);
        if (how == 5) std::this_thread::sleep_for(milliseconds(3));
        std::ofstream(target, std::ios::binary | std::ios::app).write(bytes.data() + half, rest);
        fs::remove(aside);
        return;
    }
    std::ofstream file(target, std::ios::binary);
    const std::size_t pieces = how == 2 ? 3 : 8;
    for (std::size_t i = 0; i < pieces; ++i) {
        const std::size_t from = bytes.size() * i / pieces, end = bytes.size() * (i + 1) / pieces;
        file.write(bytes.data() + from, static_cast<std::streamsize>(end - from));
        file.flush();
        std::this_thread::sleep_for(milliseconds(how == 2 ? 3 : 40));
    }
    file.close();
    fs::remove(aside);
}
#endif

}   // namespace

#if !defined(_WIN32)

TEST_CASE("watch: frames at 50 a second, however they are written, are all done, and none half") {
    const auto seed = static_cast<unsigned>(tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    constexpr int before = 3, frames = 150;
    const Folder folder(before, watched_job());
    WatchingRun watching(folder.path(), {"--report", "report.json"});
    std::mt19937 random(seed);
    std::vector<std::thread> slow;
    std::vector<std::string> names;
    for (int i = 0; i < frames; ++i) {
        names.push_back(frame_name(i));
        if (i < before) continue;
        const unsigned how = static_cast<unsigned>(random() % 6);
        if (how < 2)
            write_somehow(folder.path(), i, how);
        else
            slow.emplace_back([&folder, i, how] { write_somehow(folder.path(), i, how); });
        std::this_thread::sleep_for(milliseconds(20));
    }
    for (std::thread& thread : slow) thread.join();
    watching.has_done(names);
    const Run run = watching.end();
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const Json report = Json::parse(read_text(folder / "report.json"));
    CHECK(report["items"]["done"] == frames);
    CHECK(report["items"]["failed"] == 0);
    CHECK(contains(run.err, "latency"));
    MESSAGE("median " << report["latency_seconds"]["median"] << " s, 99% " << report["latency_seconds"]["p99"] << " s");
    for (int i = 0; i < frames; ++i) {
        const HostArray sum = io::read(folder / "out/sums" / (frame_name(i) + ".npy")), image = frame(i);
        bool right = sum.desc.count() == image.desc.count();
        for (std::int64_t n = 0; right && n < image.desc.count(); ++n)
            right =
                io::read(folder / "out/sums" / (frame_name(i) + ".npy")).as<std::uint8_t>()[n] == image.as<std::uint8_t>()[n] + 1;
        CHECK_MESSAGE(right, "frame ", i);
    }
    CHECK(io::read(folder / "out/all.npy").desc.axes.front().size == frames);
    // What was done is known: nothing is left for a run without a watch.
    const Run again = run_program({"run", "job.json", "--out", "out", "--device", "native", "--resume"}, folder.path());
    CHECK(again.status == 0);
    CHECK(contains(again.err, "nothing left to do"));
}

TEST_CASE("watch: an empty folder is waited at, and Ctrl-C or --idle end it") {
    const Folder folder(0, watched_job());
    const Run none =
        run_program({"run", "job.json", "--out", "out", "--device", "native", "--watch", "--idle", "0.5"}, folder.path());
    CHECK(none.status == 2);
    CHECK(contains(none.err, "no file that came"));
    WatchingRun idle(folder.path(), {"--idle", "3"});
    for (int i = 0; i < 5; ++i) write_somehow(folder.path(), i, 4);   // the first is told of twice
    const Run some = idle.wait_for_end();
    CAPTURE(some.err);
    CHECK(some.status == 0);
    CHECK(contains(some.err, "5 of 5 items done"));
    fs::remove_all(folder / "out");
    WatchingRun watching(folder.path());
    watching.has_done({"f000", "f001", "f002", "f003", "f004"});
    const Run stopped = watching.end();
    CAPTURE(stopped.err);
    CHECK(stopped.status == 0);
    CHECK(contains(stopped.err, "5 of 5 items done"));
    CHECK(fs::exists(folder / "out/all.npy"));
}

TEST_CASE("watch: taken up again at once, each file counts once, and all is as of a series of what is there") {
    const Folder folder(2, watched_job());
    WatchingRun watching(folder.path());
    write_text(folder / "frames/.f9.tif", "a name that programs use before they rename");
    io::write(folder / "frames/f000b.tif", frame(7));   // before the second by its name, and taken before the first
    watching.has_done({"f000", "f000b", "f001"});
    const Run first = watching.end();
    CAPTURE(first.err);
    CHECK(contains(first.err, "3 of 3 items done"));
    io::write(folder / "frames/f005.tif", frame(5));
    const Run second = run_program(
        {"run", "job.json", "--out", "out", "--device", "native", "--watch", "--idle", "1", "--resume"}, folder.path());
    CAPTURE(second.err);
    CHECK(second.status == 0);
    CHECK(contains(second.err, "1 of 4 items done"));
    REQUIRE(run_program({"run", "job.json", "--out", "fresh", "--device", "native", "--quiet"}, folder.path()).status == 0);
    CHECK(contents(folder / "out") == contents(folder / "fresh"));
}

#endif

TEST_CASE("watch: numbers that are not padded are told of at the end, where tables and stacks are put together by name") {
    const Folder folder(0, watched_job());
    for (const char* const name : {"f1.tif", "f2.tif", "f10.tif"}) io::write(folder / "frames" / name, frame(1));
    const Run run = run_job(folder.path(), "out", {"--watch", "--idle", "1"});
    CAPTURE(run.err);
    CHECK(run.status == 0);
    CHECK(contains(run.err, "f10.tif comes before f2.tif: pad the numbers with zeros\n"));
}

TEST_CASE("watch: what cannot be watched is refused with the reason") {
    const auto refused = [](const Json& patch, const char* says, std::vector<std::string> more = {}) {
        Json job = watched_job();
        job.merge_patch(patch);
        const Folder folder(2, job);
        std::vector<std::string> arguments{"run", "job.json", "--out", "out", "--device", "native", "--watch", "--idle", "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Run run = run_program(arguments, folder.path());
        CAPTURE(run.err);
        CHECK(run.status == 2);
        CHECK(contains(run.err, says));
    };
    refused({{"for_each", {{"frame", {{"pages", "frames/f000.tif"}}}}}}, "files that come");
    refused({{"for_each", {{"frame", {{"files", "frames/f*.tif"}, {"range", {0, 1}}}}}}}, "every file that comes");
    refused({{"for_each", {{"frame", "nowhere/*.tif"}}}}, "is not there");
    refused({{"for_each", {{"frame", "job.json/*.tif"}}}}, "is no folder");
    refused({{"inputs", {{"image", {{"file", "{frame}"}, {"running", 3}, {"combine", "mean"}}}}}}, "later frames");
    refused(Json::object(), "one process that watches", {"--shard", "1/2"});
    Json inside = watched_job();
    inside["outputs"]["sum"] = "frames/f_{frame.stem}.tif";
    const Folder folder(2, inside);
    const Run run = run_program({"run", "job.json", "--device", "native", "--watch", "--idle", "1"}, folder.path());
    CHECK(run.status == 2);
    CAPTURE(run.err);
    CHECK(contains(run.err, "for a file that came"));
    CHECK(run_program({"run", "job.json", "--device", "native", "--idle", "1"}, folder.path()).status == 2);
}

TEST_CASE("watch: by looking alone, a file is taken when it no longer grows") {
    const TempFolder folder;
    fs::create_directories(folder / "deep/a");
    engine::Locations where;
    where.job_folder = folder.path();
    FolderWatch watch({"deep/*/x*.raw"}, "/for_each/frame", where);   // no notices of folders that a pattern finds
    write_text(folder / "deep/a/x1.raw", "one");
    write_text(folder / "deep/a/y1.raw", "other");
    std::vector<Arrival> arrivals = watch.wait(milliseconds(1));
    REQUIRE(arrivals.empty());
    REQUIRE(watch.expects());   // it has been seen, and grows
    write_text(folder / "deep/a/x1.raw", "one and more");
    const auto grew = std::chrono::steady_clock::now();
    while (arrivals.empty() && std::chrono::steady_clock::now() - grew < std::chrono::seconds(20))
        arrivals = watch.wait(milliseconds(200));
    REQUIRE(arrivals.size() == 1);
    CHECK(arrivals[0].file.filename() == "x1.raw");
    CHECK(std::chrono::steady_clock::now() - grew >= FolderWatch::settle);
    CHECK(watch.wait(milliseconds(1500)).empty());
    fs::remove_all(folder / "deep");
    CHECK(watch.wait(milliseconds(300)).empty());
}

namespace {

/// A watched folder, camera/, of f*.raw.
struct Watched {
    TempFolder folder;
    fs::path camera = folder / "camera";
    std::unique_ptr<FolderWatch> watch;

    Watched() { fs::create_directory(camera), begin(); }
    void begin() {
        engine::Locations where;
        where.job_folder = folder.path();
        watch = std::make_unique<FolderWatch>(std::vector<std::string>{"camera/f*.raw"}, "/for_each/frame", where);
        watch->wait(milliseconds(1));
    }
    /// What is told within some seconds.
    std::string news() {
        const auto began = std::chrono::steady_clock::now();
        std::string all;
        while (all.empty() && std::chrono::steady_clock::now() - began < std::chrono::seconds(10)) {
            for (Arrival& arrival : watch->wait(milliseconds(100))) come.push_back(arrival.file.filename().string());
            for (const std::string& text : watch->news()) all += text + "\n";
        }
        return all;
    }
    /// The next that comes, and whether that was by a notice: sooner than by looking alone.
    std::string next() {
        const auto began = std::chrono::steady_clock::now();
        while (come.empty() && std::chrono::steady_clock::now() - began < std::chrono::seconds(10))
            for (Arrival& arrival : watch->wait(milliseconds(100))) come.push_back(arrival.file.filename().string());
        soon = std::chrono::steady_clock::now() - began < FolderWatch::settle;
        if (come.empty()) return "nothing came";
        const std::string name = come.front();
        come.erase(come.begin());
        return name;
    }
    std::vector<std::string> come;
    bool soon = false;
};

}   // namespace

TEST_CASE("watch: a folder that is removed and made again is told of, and files of the new one are taken") {
    Watched w;
    write_text(w.camera / "f1.raw", "one");
    CHECK(w.next() == "f1.raw");
    CHECK(w.watch->gone().empty());
    std::ofstream open(w.camera / "f2.raw");   // in the middle of a file
    open << "half" << std::flush;
    w.watch->wait(milliseconds(100));
    CHECK(w.watch->expects());
    fs::remove_all(w.camera);
    CHECK(contains(w.news(), "is not there"));
    REQUIRE(w.watch->gone().size() == 1);
    CHECK(contains(w.watch->gone()[0], "camera is not there"));
    CHECK_FALSE(w.watch->expects());   // that file will never be whole
    CHECK(w.watch->wait(milliseconds(1500)).empty());
    CHECK(w.watch->news().empty());   // told once
    fs::create_directory(w.camera);
    CHECK(contains(w.news(), "its files are taken"));
    CHECK(w.watch->gone().empty());
    write_text(w.camera / "f3.raw", "three");
    CHECK(w.next() == "f3.raw");
    CHECK(w.soon);
    write_text(w.camera / "f1.raw", "another one");   // of a name that has been taken
    CHECK(w.next() == "f1.raw");
}

TEST_CASE("watch: a folder that gives its place to another, to a file, or to nothing, is no longer looked into") {
    Watched w;
    write_text(w.camera / "f1.raw", "one");
    CHECK(w.next() == "f1.raw");
    // To another of the same name, at once.
    fs::rename(w.camera, w.folder / "full");
    fs::create_directory(w.camera);
    write_text(w.camera / "f2.raw", "two");
    CHECK(contains(w.news(), "is another one now"));
    CHECK(w.next() == "f2.raw");
    write_text(w.folder / "full/f8.raw", "in the old one");
    write_text(w.camera / "f3.raw", "three");
    CHECK(w.next() == "f3.raw");
    CHECK(w.soon);
    // To a file.
    fs::remove_all(w.camera);
    write_text(w.camera, "a file");
    CHECK(contains(w.news(), "is no folder"));
    // To nothing, and back: what it has is known.
    fs::remove(w.camera);
    fs::create_directory(w.camera);
    write_text(w.camera / "f4.raw", "four");
    CHECK(contains(w.news(), "its files are taken"));
    CHECK(w.next() == "f4.raw");
    fs::rename(w.camera, w.folder / "aside");
    CHECK(contains(w.news(), "is not there"));
    write_text(w.folder / "aside/f5.raw", "five");
    fs::rename(w.folder / "aside", w.camera);
    CHECK(contains(w.news(), "is there again"));
    CHECK(w.next() == "f5.raw");
    CHECK(w.watch->wait(milliseconds(1500)).empty());
}

#if defined(__linux__)
TEST_CASE("watch: a folder that can no longer be read, or is no longer mounted, is told of") {
    Watched w;
    const uid_t own = geteuid();
    fs::permissions(w.camera, fs::perms::none);
    if (own == 0) REQUIRE(seteuid(65534) == 0);
    const std::string news = w.news();
    if (own == 0) REQUIRE(seteuid(own) == 0);
    CHECK(contains(news, "cannot be read"));
    fs::permissions(w.camera, fs::perms::owner_all);
    CHECK(contains(w.news(), "is there again"));

    if (::mount("none", w.camera.c_str(), "tmpfs", 0, nullptr) != 0) {
        MESSAGE("not mounted: this user may not, or not here");
        return;
    }
    w.begin();
    write_text(w.camera / "f1.raw", "one");
    CHECK(w.next() == "f1.raw");
    REQUIRE(::umount(w.camera.c_str()) == 0);
    CHECK(contains(w.news(), "is not mounted"));
    CHECK(w.watch->gone().size() == 1);
    REQUIRE(::mount("none", w.camera.c_str(), "tmpfs", 0, nullptr) == 0);
    CHECK(contains(w.news(), "its files are taken"));
    write_text(w.camera / "f2.raw", "two");
    CHECK(w.next() == "f2.raw");
    CHECK(::umount(w.camera.c_str()) == 0);
}
#endif

#if !defined(_WIN32)
namespace {

void replace(const fs::path& file, const HostArray& array) {
    const fs::path aside = file.parent_path().parent_path() / "aside.tif";
    io::write(aside, array);
    fs::rename(aside, file);
}

}   // namespace

#if !defined(_WIN32)
TEST_CASE("watch: a file that is written by another name comes once more, and one that is only touched by chmod or ln does not") {
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    for (int draw = 0; draw < drawn_count(2); ++draw) {
        Watched watched;
        const fs::path store = watched.folder / "store";
        fs::create_directory(store);
        std::set<std::string> names;
        for (int i = 0; i < 6; ++i) {
            const std::string name = "f" + std::to_string(i) + ".raw";
            write_text(store / name, "one " + name);
            if (const auto how = random() % 3; how == 0) fs::create_symlink("../store/" + name, watched.camera / name);
            else if (how == 1) fs::create_hard_link(store / name, watched.camera / name);
            else fs::rename(store / name, watched.camera / name), fs::create_symlink("../camera/" + name, store / name);
            names.insert(name);
        }
        std::set<std::string> come;
        for (std::size_t i = 0; i < names.size(); ++i) come.insert(watched.next());
        CHECK(come == names);
        for (const std::string& name : names) {
            fs::permissions(store / name, fs::perms::owner_all);
            fs::create_hard_link(fs::canonical(store / name), watched.folder / ("copy of " + name));
        }
        CHECK(watched.watch->wait(milliseconds(1500)).empty());
        for (const std::string& name : names) write_text(store / name, (random() % 2 == 0 ? "two " : "another ") + name);
        come.clear();
        while (come.size() < names.size()) {   // one whose time was put back after it had been seen comes twice
            const std::string next = watched.next();
            if (names.count(next) == 0) break;
            come.insert(next);
        }
        CHECK(come == names);
    }
}

TEST_CASE("watch: what is made of a link is made again when what it leads to is written") {
    Json job = watched_job();
    job["outputs"].erase("all");
    const Folder folder(0, job);
    fs::create_directory(folder / "store");
    io::write(folder / "store/f000.tif", frame(1));
    fs::create_symlink("../store/f000.tif", folder / "frames/f000.tif");
    WatchingRun watching(folder.path(), {"--overwrite"});
    watching.has_done({"f000"});
    io::write(folder / "store/f000.tif", frame(2), {.overwrite = true});
    watching.has_done({"f000"}, 2);
    CHECK(watching.end().status == 0);
}
#endif

TEST_CASE("watch: another file of a name that is done is done again, or fails; the same file once more is nothing new") {
    for (const bool overwrite : {false, true}) {
        CAPTURE(overwrite);
        Json job = watched_job();
        job["outputs"].erase("all");
        job["for_each"].erase("on_error");   // none of this ends a watch
        const Folder folder(0, job);
        std::vector<std::string> more{"--report", "report.json"};
        if (overwrite) more.emplace_back("--overwrite");
        WatchingRun watching(folder.path(), more);
        const auto dealt_with = [&](const char* name, int times) {   // what failed once is left to --resume whatever comes then
            if (overwrite)
                watching.has_done({name}, times + 1);
            else
                watching.has_failed({name});
        };
        write_frames(folder / "frames", 3);
        watching.has_done({"f000", "f001", "f002"});
        const auto time = fs::last_write_time(folder / "frames/f000.tif");
        fs::create_directory(folder / "other");
        io::write(folder / "other/f000.tif", frame(40));   // as long and as old as the first, and another
        fs::last_write_time(folder / "other/f000.tif", time);
        fs::copy_file(folder / "frames/f001.tif", folder / "other/f001.tif");
        io::write(folder / "other/f009.tif", frame(9));
        fs::rename(folder / "frames", folder / "full");
        fs::rename(folder / "other", folder / "frames");
        watching.has_done({"f009"});
        dealt_with("f000", 1);
        fs::copy_file(folder / "full/f002.tif", folder / "frames/f002.tif");
        replace(folder / "frames/f009.tif", frame(80));   // in the same folder, and once more
        dealt_with("f009", 1);
        replace(folder / "frames/f009.tif", frame(90));
        dealt_with("f009", 2);
        const Run run = watching.end();
        CAPTURE(run.err);
        CHECK(contains(run.err, "is another one now"));
        CHECK(contains(run.err, "another file of its name came after it was done"));
        CHECK(run.status == (overwrite ? 0 : 1));
        const Json report = Json::parse(read_text(folder / "report.json"));
        CHECK(report["items"]["done"] == (overwrite ? 4 : 2));
        CHECK(report["items"]["failed"] == (overwrite ? 0 : 2));
        const auto is_of = [&](const char* name, int number) {
            return io::read(folder / "out/sums" / (std::string(name) + ".npy")).as<std::uint8_t>()[5] ==
                   frame(number).as<std::uint8_t>()[5] + 1;
        };
        CHECK(is_of("f000", overwrite ? 40 : 0));
        CHECK(is_of("f001", 1));
        CHECK(is_of("f009", overwrite ? 90 : 9));
        const Run after = run_program({"run", "job.json", "--out", "out", "--device", "native", "--resume"}, folder.path());
        CAPTURE(after.err);
        CHECK(after.status == 0);
        CHECK(contains(after.err, overwrite ? "nothing left to do" : "2 of 4 items done"));
        CHECK(is_of("f000", 40));
        CHECK(is_of("f009", 90));
    }
    // What is combined of all items holds the first already.
    const Folder folder(0, watched_job());
    WatchingRun watching(folder.path(), {"--overwrite"});
    write_frames(folder / "frames", 2);
    watching.has_done({"f000", "f001"});
    for (const int number : {30, 40}) {   // what came once more is not added either
        replace(folder / "frames/f000.tif", frame(number));
        watching.has_failed({"f000"});
    }
    const Run run = watching.end();
    CAPTURE(run.err);
    CHECK(run.status == 1);
    CHECK(contains(run.err, "--resume does it again"));
    CHECK(lines_of(folder / "out/statistics.csv").size() == 3);   // the table has its row, as the stack has its frame
    CHECK(io::read(folder / "out/all.npy").desc.axes.front().size == 2);
    CHECK(run_program({"run", "job.json", "--out", "out", "--device", "native", "--resume", "--quiet"}, folder.path()).status ==
          0);
    CHECK(io::read(folder / "out/all.npy").as<std::uint8_t>()[5] == frame(40).as<std::uint8_t>()[5]);
}

TEST_CASE(
    "watch: a run whose folder is gone at its end says so at once, keeps what it has, and fails; one whose folder came back does "
    "not") {
    for (const bool back : {false, true}) {
        CAPTURE(back);
        const Folder folder(0, watched_job());
        WatchingRun watching(folder.path(), {"--report", "report.json"});
        write_frames(folder / "frames", 3);
        watching.has_done({"f000", "f001", "f002"});
        fs::rename(folder / "frames", folder / "away");
        watching.says("is not there: it is waited for");
        if (back) {
            fs::create_directory(folder / "frames");
            io::write(folder / "frames/f004.tif", frame(4));
            watching.has_done({"f004"});
        }
        const Run run = watching.end();
        CAPTURE(run.err);
        const Json report = Json::parse(read_text(folder / "report.json"));
        const int came = back ? 4 : 3;
        CHECK(run.status == (back ? 0 : 1));
        CHECK(contains(run.err, "is not there: it is waited for"));
        CHECK(contains(run.err, "at the end of the watch") == !back);
        CHECK(report["folders_gone"].size() == (back ? 0 : 1));
        CHECK(report["items"]["done"] == came);
        CHECK(report["latency_seconds"]["files"] == came);   // the first, for which all was prepared, as well
        CHECK(io::read(folder / "out/all.npy").desc.axes.front().size == came);
    }
    const Folder folder(0, watched_job());
    WatchingRun watching(folder.path());
    fs::remove_all(folder / "frames");
    watching.says("is not there: it is waited for");
    const Run none = watching.end();
    CAPTURE(none.err);
    CHECK(none.status == 2);
    CHECK(contains(none.err, "frames is not there"));
}
#endif

#if defined(__linux__)
TEST_CASE("watch: confined, no folder elsewhere is watched or told of, and a link that leads out keeps no other file away") {
    const TempFolder elsewhere;
    fs::create_directory(elsewhere / "there");
    write_frames(elsewhere / "there", 1);
    std::set<std::string> answers;
    for (const std::string& place : {(elsewhere / "there").string(), (elsewhere / "none").string(), (elsewhere / "there/f000.tif").string(),
                                    std::string("link")}) {
        Json job = frames_job();
        job["for_each"]["frame"] = place + "/*.tif";
        const Folder folder(1, job);
        fs::create_directory_symlink(elsewhere / "there", folder / "link");
        const Run run = run_job(folder.path(), "out", {"--watch", "--idle", "1", "--confined"});
        CAPTURE(run.err);
        CHECK(run.status == 2);
        CHECK(contains(run.err, "outside the job's folder and every root"));
        std::string said = run.err;
        for (std::size_t at; (at = said.find(place)) != std::string::npos;) said.replace(at, place.size(), "PLACE");
        for (std::size_t at; (at = said.find(folder.path().string() + "/")) != std::string::npos;) said.erase(at, folder.path().string().size() + 1);
        answers.insert(said);
    }
    CHECK(answers.size() == 1);
    for (const std::string& answer : answers) CAPTURE(answer);
    // One link among files, and one that comes.
    const Folder folder(2);
    fs::create_symlink(elsewhere / "there/f000.tif", folder / "frames/out.tif");
    {
        WatchingRun run(folder.path(), {"--confined"});
        run.has_done({"f000", "f001"});
        run.says("out.tif, outside the job's folder and every root: it is not taken");
        io::write(folder / "new.tif", frame(2));
        fs::rename(folder / "new.tif", folder / "frames/f002.tif");
        run.has_done({"f002"});
        // A link that is moved in: whatever is there, it is told alike and ends nothing.
        for (const char* const to : {"there/f000.tif", "nothing.tif"}) {
            fs::create_symlink(elsewhere / to, folder / "moved.link");
            const std::string name = std::string(to) == "nothing.tif" ? "b.tif" : "a.tif";
            fs::rename(folder / "moved.link", folder / "frames" / name);
            run.says(name + ", outside the job's folder and every root: it is not taken");
        }
        // The folder gives its place to a link.
        fs::rename(folder / "frames", folder / "aside");
        fs::create_directory_symlink(elsewhere / "there", folder / "frames");
        run.says("frames is not there: it is waited for");
        io::write(elsewhere / "there/patient.tif", frame(3));
        std::this_thread::sleep_for(std::chrono::milliseconds(2500));
        fs::remove(folder / "frames");
        fs::rename(folder / "aside", folder / "frames");
        run.says("frames is there again");
        const Run end = run.end();
        CHECK_FALSE(contains(end.err, "patient"));
    }
}

TEST_CASE("watch: a file of a time that C++ cannot hold is taken, too") {
    const Folder folder(1);
    const timespec times[2] = {{0, UTIME_OMIT}, {10'413'792'000, 0}};   // of the year 2300
    if (::utimensat(AT_FDCWD, (folder / "frames/f000.tif").c_str(), times, 0) != 0) return;
    WatchingRun run(folder.path());
    run.has_done({"f000"});
    run.end();
}
#endif
