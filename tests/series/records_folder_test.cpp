// The folder of a series' records: what of it is the series' own, what killed runs leave in it, and copies of it.
#include "frames.hpp"
#include "series/check.hpp"
#include "support/file_lock.hpp"

#include <chrono>
#include <fstream>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#endif

using namespace parallax;
using namespace parallax::tests;
using engine::series::check;

namespace {

Json job_with_mean(const std::string& how = "mean") {
    Json job = frames_job();
    job["outputs"]["mean"] = {{"of", "sum"}, {"file", "mean.npy"}, {"combine", how}};
    return job;
}

std::uintmax_t bytes_below(const fs::path& folder) {
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) bytes += entry.file_size();
    return bytes;
}

}  // namespace

TEST_CASE("records: files of others in their folder stay, whatever they are called") {
    const std::vector<std::string> harmless{"fold-1.pgm",   "fold-a.json",     "found-notes.json", "items-list.jsonl",
                                            "lock.txt",     "items-1-2.jsonl", "fold-7-8-9.f32",   "found-.json",
                                            "fold-1-2-0123abcd.txt", "fold-1-2-0123abcd-.pgm"};
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"--quiet"}, {"--quiet", "--limit", "output=1400B"}, {"--quiet", "--overwrite"}}) {
        const Folder folder(3, job_with_mean());
        fs::create_directory(folder / "kept");
        for (const std::string& name : harmless) write_text(folder / "kept" / name, "mine");
        std::vector<std::string> more{"--manifest", "kept"};
        if (options.size() == 2) REQUIRE(run_job(folder.path(), "out", {"--manifest", "kept", "--quiet"}).status == 0);
        more.insert(more.end(), options.begin(), options.end());
        const Run run = run_job(folder.path(), "out", more);
        CAPTURE(run.err);
        CHECK((run.status == 0) == (options.size() < 3));   // with the limit it ends before it has done anything
        for (const std::string& name : harmless) CHECK(read_text(folder / "kept" / name) == "mine");
    }
    for (const char* const name : {"made.json", "found-1.json", "series.json"}) {
        for (const char* const text : {"mine", "{\"mine\": 1}", "[1, 2]"}) {
            CAPTURE(std::string(name) + " " + text);
            const Folder folder(3, job_with_mean());
            fs::create_directory(folder / "kept");
            write_text(folder / "kept" / name, text);
            for (const char* const how : {"--quiet", "--overwrite", "--resume"}) {
                const Run run = run_job(folder.path(), "out", {"--manifest", "kept", how});
                CHECK(run.status == 2);
                CHECK(contains(run.err, name));
                CHECK(contains(run.err, "is no record of a series"));
                CHECK(read_text(folder / "kept" / name) == text);
            }
        }
    }
}

TEST_CASE("records: a folder of theirs that is an output's place is refused before all else") {
    const Folder folder(3, job_with_mean());
    for (const char* const records : {"out/mean.npy", "out/sums/f001.npy", "out/sums/f001.npy/"}) {
        const Run run = run_job(folder.path(), "out", {"--manifest", records, "--quiet"});
        CAPTURE(run.err);
        CHECK(run.status == 2);
        CHECK(contains(run.err, "where the series keeps its records"));
        CHECK(!fs::exists(folder / "out"));
    }
}

TEST_CASE("records: what others have put beside the records of a series is refused, damaged ones of its own are not") {
    for (const char* const name : {"made.json", "found-1.json"}) {
        const Folder folder(3, job_with_mean());
        REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
        const fs::path file = folder / "out/job.series" / name;
        write_text(file, "{\"mine\": 1}");
        for (const char* const how : {"--overwrite", "--resume"}) {
            const Run run = run_job(folder.path(), "out", {how, "--quiet"});
            CHECK(run.status == 2);
            CHECK(contains(run.err, name));
            CHECK(read_text(file) == "{\"mine\": 1}");
        }
        write_text(file, "{\"outpu");
        CHECK(run_job(folder.path(), "out", {"--overwrite", "--quiet"}).status == 0);
        CHECK(check(folder / "out/job.series", true).whole());
    }
}

TEST_CASE("records: a damaged header of a series is one, and --overwrite replaces it") {
    const Folder folder(3, job_with_mean());
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    write_text(folder / "out/job.series/series.json", "{\"parallax_ser");
    CHECK(run_job(folder.path(), "out", {"--resume"}).status == 2);
    CHECK(run_job(folder.path(), "out", {"--overwrite", "--quiet"}).status == 0);
    CHECK(check(folder / "out/job.series", true).whole());
}

TEST_CASE("records: what a process that was killed has begun goes with the next run that is alone") {
    const Folder folder(4, job_with_mean("median"));
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    const fs::path manifest = folder / "out/job.series";
    const std::vector<std::string> left{"fold-12-3-0123abcd-mean.f32", "fold-12-3-0123abcd-mean-4.sum", "fold-12-3-0123abcd.json",
                                        "fold-12-3-0123abcd-mean-4.min", "fold-12-3-0123abcd-mean-4.max",
                                        "fold-12-3-0123abcd-mean.frames"};
    for (const std::string& name : left) write_text(manifest / name, "half");
    write_text(manifest / "fold-12-3-mine.f32", "mine");
    const auto before = contents(folder / "out");
    {
        const auto shard = host::FileLock::take(manifest / "lock", host::FileLock::Kind::shared);   // another may need them
        REQUIRE(run_job(folder.path(), "out", {"--resume", "--quiet", "--shard", "1/2"}).status == 0);
        for (const std::string& name : left) CHECK(fs::exists(manifest / name));
    }
    REQUIRE(run_job(folder.path(), "out", {"--resume", "--quiet"}).status == 0);
    for (const std::string& name : left) CHECK_FALSE(fs::exists(manifest / name));
    CHECK(fs::exists(manifest / "fold-12-3-mine.f32"));
    CHECK(contents(folder / "out") == before);
    CHECK(check(manifest, true).whole());
}

TEST_CASE("records: --overwrite leaves no state of the run before, however arrays are combined") {
    for (const std::string how : {"mean", "median", "min", "max", "stack"}) {
        CAPTURE(how);
        const Folder folder(2, job_with_mean(how));
        const auto states = [&] {
            std::size_t count = 0;
            for (const auto& entry : fs::directory_iterator(folder / "out/job.series"))
                count += entry.path().filename().string().starts_with("fold-") ? 1 : 0;
            return count;
        };
        REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
        CHECK(states() == 2);   // a header and what it speaks of
        REQUIRE(run_job(folder.path(), "out", {"--quiet", "--overwrite"}).status == 0);
        CHECK(states() == 2);
    }
}

TEST_CASE("records: shards of unlike numbers are not at work at once") {
    const Folder folder(4, frames_job());
    REQUIRE(run_job(folder.path(), "out", {"--quiet", "--shard", "1/2"}).status == 0);
    const fs::path manifest = folder / "out/job.series";
    {
        const auto common = host::FileLock::take(manifest / "lock", host::FileLock::Kind::shared);
        const auto second = host::FileLock::take(manifest / "lock-2-of-2", host::FileLock::Kind::exclusive);
        const auto mine = host::FileLock::take(manifest / "lock-of-mine", host::FileLock::Kind::exclusive);
        const Run run = run_job(folder.path(), "out", {"--quiet", "--shard", "1/3", "--resume"});
        CHECK(run.status == 2);
        CHECK(contains(run.err, "1/3, while 2/2 is at work"));
        CHECK(run_job(folder.path(), "out", {"--quiet", "--shard", "1/2", "--resume"}).status == 0);
    }
    CHECK(run_job(folder.path(), "out", {"--quiet", "--shard", "3/3", "--resume"}).status == 0);   // nobody is
}

#if !defined(_WIN32)
TEST_CASE("records: an input whose time may stay the same is known by its hash, and one whose time was put back by its time of change") {
    const auto set_time = [](const fs::path& file, std::int64_t seconds, long nanoseconds) {
        const timespec times[2]{{static_cast<time_t>(seconds), nanoseconds}, {static_cast<time_t>(seconds), nanoseconds}};
        REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
    };
    const auto replace = [](const Folder& folder, const fs::path& file) {   // in place, of one length
        io::write(folder / "other.tif", frame(9));
        const std::string text = read_text(folder / "other.tif");
        REQUIRE(text.size() == fs::file_size(file));
        std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
    };
    struct Row { int ago; long nanoseconds; bool certain; };
    for (const Row& row : {Row{0, 0, false}, Row{1, 0, false}, Row{-60, 0, false}, Row{10, 0, true}, Row{10, 5, true}}) {
        CAPTURE(row.ago);
        const Folder folder(1, frames_job());
        const fs::path frame_file = folder / "frames/f000.tif";
        const auto now = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
        set_time(frame_file, now - row.ago, row.nanoseconds);
        REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
        const auto end = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
        if (!row.certain && end - now + row.ago > 1) {   // under sanitizers: two seconds after, a time of seconds is certain
            MESSAGE("skipped: the first run took too long");
            continue;
        }
        replace(folder, frame_file);
        set_time(frame_file, now - row.ago, row.nanoseconds);
        REQUIRE(run_job(folder.path(), "out", {"--quiet", "--resume"}).status == 0);
        CHECK(times_done(folder / "out/job.series").at("frames/f000.tif") == 2);
    }
}
#endif

TEST_CASE("records: of a copy the files beside it are looked at; a folder that was moved is whole") {
    const Folder folder(3, job_with_mean());
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    fs::copy(folder / "out", folder / "copy", fs::copy_options::recursive);
    CHECK(check(folder / "copy/job.series", true).whole());
    CHECK(check(folder / "copy/job.series", true).moved_from == (folder / "out/job.series").string());
    fs::remove(folder / "copy/sums/f001.npy");
    write_text(folder / "copy/mean.npy", "");
    const auto copy = check(folder / "copy/job.series", false);
    REQUIRE(copy.problems.size() == 2);
    CHECK(contains(copy.problems[0], "copy/sums/f001.npy"));
    CHECK(contains(copy.problems[1], "copy/mean.npy"));
    CHECK(check(folder / "out/job.series", true).whole());
    fs::rename(folder / "out", folder / "moved");
    CHECK(check(folder / "moved/job.series", true).whole());
    fs::rename(folder / "moved", folder / "out");
    fs::rename(folder / "out/job.series", folder / "alone");   // without what it speaks of
    CHECK(check(folder / "alone", true).whole());
    CHECK(check(folder / "alone", true).moved_from.empty());
}

TEST_CASE("records: the limit on outputs counts what stands, and not each state anew") {
    Json job = job_with_mean();
    job["inputs"]["image"] = {{"file", "{frame}"}};
    const Folder folder(6, job);
    REQUIRE(run_job(folder.path(), "out", {"--quiet", "--shard", "1/1"}).status == 0);
    const std::uintmax_t bytes = bytes_below(folder / "out");
    // States are saved while the series is watched, four times a second at most.
    const fs::path late = folder / "late";
    fs::create_directory(late);
    for (int i = 0; i < 6; ++i) fs::rename(folder / ("frames/" + frame_name(i) + ".tif"), late / (frame_name(i) + ".tif"));
    const std::string arrive = "(for f in late/*; do sleep .3; mv $f frames/; done) & ";
    const std::string limit = fmt::format("output={}B", bytes + 4 * 4096);   // of folders, too
    CHECK(shell(folder.path(), arrive + "$P run job.json --device native --out watched --quiet --watch --idle 2 --limit " + limit) == 0);
    CHECK(check(folder / "watched/job.series", true).whole());
    CHECK(shell(folder.path(), "$P run job.json --device native --out small --quiet --limit output=6kB 2> err; test $? = 1 && grep -q 'limit' err") == 0);
}
