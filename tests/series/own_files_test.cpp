// What a series replaces without --overwrite: what its records say that it has made, and nobody else's files.
#include "frames.hpp"

#include "series/check.hpp"

#include <sstream>

using namespace parallax;
using namespace parallax::tests;

namespace {

Json job_with_mean() {
    Json job = frames_job();
    job["outputs"]["mean"] = {{"of", "sum"}, {"file", "mean.npy"}, {"combine", "mean"}};
    return job;
}

void put_mine(const fs::path& file) {
    fs::create_directories(file.parent_path());
    write_text(file, "MINE");
}

/// The run is refused with a word on how to replace the file, which stays.
void check_refused(const Folder& folder, const fs::path& file, std::vector<std::string> how) {
    CAPTURE(file.string());
    how.push_back("--quiet");
    const Run run = run_job(folder.path(), "out", how);
    CAPTURE(run.err);
    CHECK(run.status == 2);
    CHECK(contains(run.err, "--overwrite"));
    CHECK(read_text(file) == "MINE");
}

int status_of(const Folder& folder, std::vector<std::string> how) {
    how.push_back("--quiet");
    const Run run = run_job(folder.path(), "out", how);
    CAPTURE(run.err);
    return run.status;
}

/// Of the records, lines that have a word; how many these are.
int keep_lines(const Folder& folder, const std::string& word) {
    int kept = 0;
    for (const auto& entry : fs::directory_iterator(folder / "out/job.series")) {
        if (!entry.path().filename().string().starts_with("items-")) continue;
        std::istringstream lines(read_text(entry.path()));
        std::string all;
        for (std::string line; std::getline(lines, line);)
            if (contains(line, word)) all += line + '\n', ++kept;
        write_text(entry.path(), all);
    }
    return kept;
}

}  // namespace

TEST_CASE("series: what is made of all items replaces no file that the series has not made") {
    for (const char* const name : {"statistics.csv", "mean.npy"}) {
        const Folder folder(4, job_with_mean());
        const fs::path file = folder / "out" / name;
        put_mine(file);
        for (const char* const shard : {"1/2", "2/2"}) {
            check_refused(folder, file, {"--shard", shard});
            check_refused(folder, file, {"--shard", shard, "--resume"});
        }
        fs::remove(file);
        REQUIRE(status_of(folder, {"--shard", "1/2"}) == 0);
        put_mine(file);   // of a series that has begun
        check_refused(folder, file, {"--shard", "2/2"});
        check_refused(folder, file, {"--resume"});
        fs::remove(file);
        REQUIRE(status_of(folder, {"--shard", "2/2"}) == 0);
        const std::string made = read_text(file);
        fs::remove(folder / "out/sums/f001.npy");
        CHECK(status_of(folder, {"--resume"}) == 0);   // it is its own
        CHECK((read_text(file) == made));
        fs::remove(folder / "out/job.series/made.json");   // as an earlier version leaves it
        put_mine(file);
        check_refused(folder, file, {"--resume"});
    }
}

TEST_CASE("series: a shard that resumes replaces no output of an item that no shard has begun") {
    const Folder folder(4);
    const fs::path file = folder / "out/sums/f001.npy";
    put_mine(file);
    REQUIRE(status_of(folder, {"--shard", "1/2", "--resume"}) == 0);
    check_refused(folder, file, {"--shard", "2/2", "--resume"});
    check_refused(folder, file, {"--resume"});
    fs::remove(file);
    REQUIRE(status_of(folder, {"--shard", "2/2", "--resume"}) == 0);
}

TEST_CASE("series: files that a kill left without a record are their series' own") {
    for (const char* const shard : {"1/1", "2/2"}) {
        CAPTURE(shard);
        const Folder folder(4);
        REQUIRE(status_of(folder, {"--shard", shard}) == 0);
        CHECK(keep_lines(folder, "\"begun\"") >= 1);   // what a kill leaves between a file and its record
        CHECK(status_of(folder, {"--shard", shard, "--resume"}) == 0);
    }
}

TEST_CASE("series: --resume replaces a report, a trace or a gallery of a series, and no other file") {
    for (const auto& [option, name] : {std::pair("--report", "r.json"), {"--trace", "t.json"}, {"--gallery", "g.html"}}) {
        CAPTURE(option);
        const Folder folder(2);
        const fs::path file = folder / name;
        put_mine(file);
        check_refused(folder, file, {"--resume", option, name});   // nothing is begun
        fs::remove(file);
        REQUIRE(status_of(folder, {option, name}) == 0);
        CHECK(status_of(folder, {"--resume", option, name}) == 0);
        put_mine(file);
        check_refused(folder, file, {"--resume", option, name});
        CHECK(status_of(folder, {"--overwrite", option, name}) == 0);
    }
}

TEST_CASE("series: an item that came later, or in another order, is its own only where a record says so") {
    for (const bool wider : {false, true}) {   // items that are there and are taken later, or come later
        Json job = frames_job();
        if (wider) job["for_each"]["frame"] = {"frames/f000.tif", "frames/f001.tif", "frames/f002.tif"};
        const Folder folder(wider ? 4 : 3, job);
        const fs::path file = folder / "out/sums/f003.npy";
        put_mine(file);
        REQUIRE(status_of(folder, {}) == 0);
        if (wider) {
            job["for_each"]["frame"] = "frames/*.tif";
            write_text(folder / "job.json", job.dump());
        } else {
            fs::copy_file(folder / "frames/f000.tif", folder / "frames/f003.tif");
        }
        check_refused(folder, file, {"--resume"});
        fs::remove(file);
        CHECK(status_of(folder, {"--resume"}) == 0);
        CHECK(status_of(folder, {"--resume"}) == 0);
    }
    const Folder folder(3);   // the second shard's item becomes one of the first's
    const fs::path file = folder / "out/sums/f001.npy";
    REQUIRE(status_of(folder, {"--shard", "1/2"}) == 0);
    put_mine(file);
    check_refused(folder, file, {"--shard", "2/2", "--resume"});
    fs::copy_file(folder / "frames/f000.tif", folder / "frames/a.tif");
    check_refused(folder, file, {"--shard", "1/2", "--resume"});
}

TEST_CASE("series: what a run has not come to is not its own, be it stopped, failed or begun anew") {
    const Folder folder(4, job_with_mean());
    const fs::path file = folder / "out/sums/f000.npy";
    CHECK(status_of(folder, {"--limit", "time=0.001s"}) != 0);   // before its first item
    if (!fs::exists(file)) {
        put_mine(file);
        check_refused(folder, file, {"--resume"});
        fs::remove(file);
    }
    REQUIRE(status_of(folder, {"--resume"}) == 0);
    Json job = job_with_mean();   // begun anew as a job that cannot be done
    job["memory_limit"] = 100;
    job["outputs"]["sum"] = "other/{frame.stem}.npy";
    write_text(folder / "job.json", job.dump());
    CHECK(status_of(folder, {"--overwrite"}) == 1);
    put_mine(folder / "out/other/f001.npy");
    job.erase("memory_limit");
    write_text(folder / "job.json", job.dump());
    CHECK(status_of(folder, {"--resume"}) == 2);   // of another job
    CHECK(read_text(folder / "out/other/f001.npy") == "MINE");
    write_text(folder / "job.json", job_with_mean().dump());   // whose records stand
    const Run again = run_job(folder.path(), "out", {"--resume"});
    CHECK(again.status == 0);
    CHECK(contains(again.out + again.err, "nothing left to do"));
}

TEST_CASE("series: what --overwrite was to replace --resume replaces, where it had not come to that, or failed") {
    const Folder folder(60);
    REQUIRE(status_of(folder, {}) == 0);
    const std::string good = read_text(folder / "frames/f007.tif"), result = read_text(folder / "out/sums/f007.npy");
    write_text(folder / "frames/f007.tif", good.substr(0, good.size() / 2));
    CHECK(status_of(folder, {"--overwrite", "--limit", "time=0.03s"}) != 0);   // some are not come to, or all but one are done
    write_text(folder / "frames/f007.tif", good);
    put_mine(folder / "out/other.npy");
    CHECK(status_of(folder, {"--resume"}) == 0);
    CHECK(status_of(folder, {"--resume"}) == 0);
    CHECK((read_text(folder / "out/sums/f007.npy") == result));
    CHECK(engine::series::check(folder / "out/job.series", true).whole());
}

TEST_CASE("series: an item that failed by somebody's file leaves that to its owner") {
    Json job = frames_job();
    job["for_each"]["on_error"] = "continue";
    const Folder folder(150, job);
    const fs::path file = folder / "out/sums/f149.npy";
    const int status = shell(folder.path(),
                             "\"$P\" run job.json --out out --device native --readers 1 --writers 1 --quiet 2> log & p=$!; "
                             "while ! [ -e out/sums/f000.npy ] && kill -0 $p; do :; done 2> /dev/null; printf MINE > out/sums/f149.npy; wait $p");
    if (read_text(file) == "MINE") {   // it came in time
        CHECK(status == 1);
        check_refused(folder, file, {"--resume"});
        fs::remove(file);
    }
    CHECK(status_of(folder, {"--resume"}) == 0);
}

TEST_CASE("series: records are of the files that they name, in whatever folder those of another run are") {
    const Folder folder(3);
    REQUIRE(run_job(folder.path(), "out", {"--quiet", "--manifest", "kept"}).status == 0);
    const fs::path file = folder / "other/sums/f001.npy";
    put_mine(file);
    const Run run = run_job(folder.path(), "other", {"--quiet", "--manifest", "kept", "--resume"});
    CAPTURE(run.err);
    CHECK(run.status == 2);
    CHECK(read_text(file) == "MINE");
    fs::remove(file);
    CHECK(run_job(folder.path(), "other", {"--quiet", "--manifest", "kept", "--resume"}).status == 0);
    const Folder moved(3);   // with its records
    REQUIRE(run_job(moved.path(), "out", {"--quiet"}).status == 0);
    fs::rename(moved / "out", moved / "out2");
    CHECK(run_job(moved.path(), "out2", {"--quiet", "--resume"}).status == 0);
    REQUIRE(run_job(moved.path(), "out2", {"--quiet", "--resume"}).status == 0);
    fs::rename(moved / "out2", moved / "out3");
    write_text(moved / "out3/sums/f001.npy", "MINE");
    CHECK(run_job(moved.path(), "out3", {"--quiet", "--resume"}).status == 2);
    CHECK(read_text(moved / "out3/sums/f001.npy") == "MINE");
}

TEST_CASE("series: what is made of all items is its own in a folder that was moved only as it was written") {
    for (const char* const name : {"statistics.csv", "mean.npy"}) {
        CAPTURE(name);
        const Folder folder(3, job_with_mean());
        REQUIRE(run_job(folder.path(), "first", {"--quiet"}).status == 0);
        fs::create_directory(folder / "out");
        fs::copy(folder / "first/job.series", folder / "out/job.series");   // its records alone
        const fs::path file = folder / "out" / name;
        put_mine(file);
        check_refused(folder, file, {"--resume"});
        check_refused(folder, file, {"--shard", "1/2", "--resume"});
        check_refused(folder, file, {"--resume", "--confined"});
        fs::remove_all(folder / "out");
        fs::rename(folder / "first", folder / "out");   // with all its own files beside them
        CHECK(status_of(folder, {"--resume"}) == 0);
        CHECK(engine::series::check(folder / "out/job.series", true).whole());
    }
}

TEST_CASE("series: of a damaged record nothing that was made of all items is its own, and what to do is said") {
    const Folder folder(3, job_with_mean());
    REQUIRE(status_of(folder, {}) == 0);
    const fs::path record = folder / "out/job.series/made.json", file = folder / "out/mean.npy";
    const std::string mean = read_text(file);
    write_text(record, read_text(record).replace(read_text(record).find("checksum"), 8, "checksun"));
    put_mine(file);
    check_refused(folder, file, {"--resume"});
    CHECK(contains(run_job(folder.path(), "out", {"--resume"}).err, "made.json is damaged"));
    fs::remove(file);
    fs::remove(folder / "out/statistics.csv");
    CHECK(status_of(folder, {"--resume"}) == 0);
    CHECK((read_text(file) == mean));
}

TEST_CASE("series: what --overwrite was to replace of all items --resume replaces, too") {
    for (const char* const name : {"statistics.csv", "mean.npy"}) {
        CAPTURE(name);
        const Folder folder(4, job_with_mean());
        const fs::path file = folder / "out" / name;
        put_mine(file);
        REQUIRE(status_of(folder, {"--shard", "1/2", "--overwrite"}) == 0);
        CHECK(read_text(file) == "MINE");
        CHECK(status_of(folder, {"--shard", "2/2", "--resume"}) == 0);
        CHECK(read_text(file) != "MINE");
        fs::remove_all(folder / "out/job.series");   // and without records, by a run that its limit ends
        put_mine(file);
        CHECK(status_of(folder, {"--overwrite", "--limit", "output=6KiB"}) == 1);
        CHECK(read_text(file) == "MINE");
        CHECK(status_of(folder, {"--resume"}) == 0);
        CHECK(read_text(file) != "MINE");
    }
}

TEST_CASE("series: a folder with files that are no records has no series begun") {
    for (const char* const name : {"lock", "lock.txt", "fold-mine", "items-mine.jsonl"}) {
        CAPTURE(name);
        const Folder folder(3);
        fs::create_directories(folder / "out/job.series");
        write_text(folder / "out/job.series" / name, "");
        const fs::path file = folder / "out/sums/f001.npy";
        put_mine(file);
        check_refused(folder, file, {"--resume"});
        fs::remove(file);
        CHECK(status_of(folder, {"--resume"}) == 0);
    }
}

TEST_CASE("series: an item whose record did not fit is the series' own") {
    // Its file is in its place, and with a larger limit --resume goes on.
    int ended = 0;
    for (int bytes = 9000; bytes < 14000; bytes += 250) {
        const Folder folder(1);
        const Run run = run_job(folder.path(), "out", {"--quiet", "--limit", "output=" + std::to_string(bytes) + "B"});
        if (run.status == 0) continue;
        ++ended;
        CAPTURE(bytes);
        CAPTURE(run.err);
        CHECK(status_of(folder, {"--resume"}) == 0);
    }
    MESSAGE(ended);
}

TEST_CASE("series: a job's gallery is no series' own") {
    const Folder folder(2);
    Json job = frames_job();
    job.erase("for_each");
    job["inputs"]["image"] = "frames/f000.tif";
    job["steps"].erase(1);
    job["outputs"] = {{"sum", "single.npy"}};
    write_text(folder / "single.json", job.dump());
    REQUIRE(run_program({"run", "single.json", "--out", "single", "--device", "native", "--gallery", "g.html"}, folder.path()).status == 0);
    const std::string page = read_text(folder / "g.html");
    REQUIRE(status_of(folder, {}) == 0);
    CHECK(status_of(folder, {"--resume", "--gallery", "g.html"}) == 2);
    CHECK((read_text(folder / "g.html") == page));
}

namespace {

/// Names by number, so that items come and go under names that others had.
Json job_by_index() {
    Json job = frames_job();
    job["for_each"]["on_error"] = "stop";
    job["outputs"] = {{"sum", "sums/{frame.index}.npy"}};
    job["steps"].erase(1);
    return job;
}

/// A frame that cannot be read for as long as this lives.
class Damaged {
public:
    explicit Damaged(fs::path file) : file_(std::move(file)), whole_(read_text(file_)) { write_text(file_, whole_.substr(0, whole_.size() / 2)); }
    ~Damaged() { write_text(file_, whole_); }
    Damaged(const Damaged&) = delete;
    Damaged& operator=(const Damaged&) = delete;

private:
    fs::path file_;
    std::string whole_;
};

}  // namespace

TEST_CASE("series: files by number are the series' own, whichever item they were of") {
    const Folder folder(4, job_by_index());
    const auto move = [&](const char* from, const char* to) { fs::rename(folder / from, folder / to); };
    REQUIRE(status_of(folder, {}) == 0);
    move("frames/f000.tif", "f000.tif");   // the others become those before them, and back
    CHECK(status_of(folder, {"--resume"}) == 0);
    move("f000.tif", "frames/f000.tif");
    CHECK(status_of(folder, {"--resume"}) == 0);
    move("frames/f002.tif", "f002.tif");   // what is begun anew is of fewer, and they come back
    CHECK(status_of(folder, {"--overwrite"}) == 0);
    move("f002.tif", "frames/f002.tif");
    CHECK(status_of(folder, {"--resume"}) == 0);
    fs::copy_file(folder / "frames/f000.tif", folder / "frames/a.tif");
    put_mine(folder / "out/sums/0004.npy");   // one more file, which nobody has written
    check_refused(folder, folder / "out/sums/0004.npy", {"--resume"});
    fs::remove(folder / "out/sums/0004.npy");
    CHECK(status_of(folder, {"--resume"}) == 0);
    fs::remove(folder / "frames/a.tif");
    CHECK(status_of(folder, {"--resume"}) == 0);
    move("out", "out2");   // several records of one file, of which one is as it is
    CHECK(run_job(folder.path(), "out2", {"--resume", "--quiet"}).status == 0);
    CHECK(run_job(folder.path(), "out", {"--manifest", "out2/job.series", "--resume", "--quiet"}).status == 0);
    CHECK(run_job(folder.path(), "out2", {"--resume", "--quiet"}).status == 0);
}

TEST_CASE("series: of a folder that was moved what other items have written since is whole") {
    Json job = frames_job();
    job["steps"].erase(1);
    job["outputs"] = {{"sum", "{frame.index}.npy"}};
    const Folder folder(3, job);
    REQUIRE(status_of(folder, {}) == 0);
    fs::rename(folder / "out", folder / "first");
    fs::remove(folder / "frames/f001.tif");   // so that the third takes the second's number
    REQUIRE(run_job(folder.path(), "first", {"--quiet", "--resume"}).status == 0);
    const engine::series::Check check = engine::series::check(folder / "first/job.series", true);
    CAPTURE(fmt::format("{}", fmt::join(check.problems, "; ")));
    CHECK(check.whole());
}

TEST_CASE("series: files that a kill left are the series' own, whatever happens to their items before they are done") {
    for (const bool stopped : {false, true}) {
        CAPTURE(stopped);
        const Folder folder(4, job_by_index());
        REQUIRE(status_of(folder, {}) == 0);
        REQUIRE(keep_lines(folder, "\"begun\"") >= 1);
        {   // before others are come to, or the last
            const Damaged damaged(folder / "frames" / (stopped ? "f001.tif" : "f003.tif"));
            CHECK(status_of(folder, {"--resume", "--readers", "1", "--writers", "1"}) == 1);
        }
        CHECK(status_of(folder, {"--resume"}) == 0);
    }
}

TEST_CASE("series: --overwrite that ended before it had begun leaves a series that goes on") {
    const Folder folder(4, job_by_index());
    REQUIRE(status_of(folder, {}) == 0);
    int ended = 0;
    for (int bytes = 100; bytes < 4000; bytes += 150) {
        CAPTURE(bytes);
        ended += status_of(folder, {"--overwrite", "--limit", "output=" + std::to_string(bytes) + "B"}) == 0 ? 0 : 1;
        CHECK(status_of(folder, {"--resume"}) == 0);
    }
    CHECK(ended > 5);
    CHECK(status_of(folder, {"--overwrite", "--limit", "time=0.001s"}) == 1);
    CHECK(status_of(folder, {"--resume"}) == 0);
}

TEST_CASE("series: where the limit on outputs ended a run it is said what had not been begun") {
    int ended = 0;
    for (int bytes = 11000; bytes <= 16000; bytes += 1000) {
        const Folder folder(30);
        const Run run = run_job(folder.path(), "out", {"--quiet", "--limit", "output=" + std::to_string(bytes) + "B"});
        const fs::path file = folder / "out/sums/f029.npy";
        if (run.status == 0 || fs::exists(file)) continue;
        ++ended;
        put_mine(file);
        check_refused(folder, file, {"--resume"});
        fs::remove(file);
        CHECK(status_of(folder, {"--resume"}) == 0);
    }
    CHECK(ended > 0);
}
