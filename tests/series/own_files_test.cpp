// What a series replaces without --overwrite: what its records say that it has made, and nobody else's files.
#include "frames.hpp"

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
        std::vector<fs::path> journals;
        for (const auto& entry : fs::directory_iterator(folder / "out/job.series"))
            if (entry.path().filename().string().starts_with("items-")) journals.push_back(entry.path());
        REQUIRE_FALSE(journals.empty());
        for (const fs::path& journal : journals) fs::remove(journal);
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
