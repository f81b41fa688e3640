// A series of a stranger's, who can write in the manifest's folder.
#include "frames.hpp"
#include "lines.hpp"

#if defined(__linux__)
#include <sys/stat.h>
#endif

using namespace parallax;
using namespace parallax::tests;

#if defined(__linux__)

namespace {

/// A record as whoever can write in the manifest's folder can make it: the checksum needs no key.
void forge(const fs::path& manifest, Json record, int sequence) {
    record["sequence"] = sequence;
    const std::string text = record.dump();
    write_text(manifest / ("items-z" + std::to_string(sequence) + ".jsonl"), io::hash_text(text).substr(0, 16) + ' ' + text + '\n');
}

Json record_of(const fs::path& manifest, const std::string& item) {
    for (const auto& entry : fs::directory_iterator(manifest)) {
        if (!entry.path().filename().string().starts_with("items-")) continue;
        for (const std::string& line : lines_of(entry.path()))
            if (const Json record = Json::parse(line.substr(17)); record.value("item", "") == item) return record;
    }
    FAIL("no record");
    return {};
}

}  // namespace

TEST_CASE("series: confined, a record that names a file elsewhere counts as little, whatever is there") {
    const TempFolder elsewhere;
    write_text(elsewhere / "secret", "a secret");
    const Folder folder(3);
    fs::create_symlink(elsewhere / "secret", folder / "link");
    const fs::path manifest = folder / "out/job.series";
    const auto said = [&](std::vector<std::string> more) {
        more.push_back("--confined");
        const Run run = run_job(folder.path(), "out", more);
        CAPTURE(run.err);
        CHECK(run.status == 0);
        return run.out + run.err;
    };
    said({});
    const Json record = record_of(manifest, "frames/f001.tif");
    const std::string hash = io::hash_file(elsewhere / "secret"), wrong(hash.size(), '0');
    struct Row {
        std::string path;
        int bytes;
        std::string hash;
    };
    int sequence = 1000;
    for (const Row& row : {Row{(elsewhere / "secret").string(), 8, hash}, Row{(elsewhere / "secret").string(), 8, wrong},
                           Row{(elsewhere / "secret").string(), 9, hash}, Row{(elsewhere / "none").string(), 8, hash},
                           Row{(folder / "link").string(), 8, hash}, Row{(folder / "frames/../link").string(), 8, hash}}) {
        CAPTURE(row.path);
        Json forged = record;
        forged["inputs"].push_back({{"path", row.path}, {"bytes", row.bytes}, {"modified", 0}, {"xxh3_128", row.hash}, {"inode", 0}});
        forge(manifest, forged, sequence);
        CHECK(contains(said({"--resume"}), "1 of 3 items done"));
        sequence += 1000;
    }
    forge(manifest, record, sequence);   // of what it may read, a record counts as before
    CHECK(contains(said({"--resume"}), "3 of 3 items were done before"));
}

TEST_CASE("series: confined, a link in the manifest's folder is no file of the series', whatever is behind it") {
    Json job = frames_job();
    for (const char* how : {"mean", "median", "stack"})
        job["outputs"][how] = {{"of", "sum"}, {"file", std::string(how) + ".npy"}, {"combine", how}};
    const Folder folder(3, job);
    const TempFolder elsewhere;
    const fs::path manifest = folder / "out/job.series", kept = folder / "kept";
    REQUIRE(run_job(folder.path(), "out", {"--confined"}).status == 0);
    const auto expected = contents(folder / "out");
    fs::copy(folder / "out", kept, fs::copy_options::recursive);
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(manifest)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with("lock")) files.push_back(name);
    }
    REQUIRE(files.size() == 7);   // header, records, what was made, and of what is combined a header and three states
    for (const std::string& file : files) {
        CAPTURE(file);
        std::string first;
        for (const std::string end : {"a copy", "a secret", "nothing", "a pipe", "a folder"}) {
            CAPTURE(end);
            fs::remove_all(folder / "out");
            fs::copy(kept, folder / "out", fs::copy_options::recursive);
            const fs::path behind = elsewhere / "behind";
            fs::remove_all(behind);
            if (contains(end, "copy")) fs::copy_file(manifest / file, behind);
            if (contains(end, "secret")) write_text(behind, R"({"job": {"inputs": {"image": "a secret name"}}, "shared": []})");
            if (contains(end, "pipe")) REQUIRE(::mkfifo(behind.c_str(), 0600) == 0);
            if (contains(end, "folder")) fs::create_directory(behind);
            fs::remove(manifest / file);
            fs::create_symlink(behind, manifest / file);
            const Run run = run_job(folder.path(), "out", {"--confined", "--resume", "--quiet"});
            const std::string said = fmt::format("{} {} {}", run.status, run.out, run.err);
            if (first.empty()) first = said;
            CHECK(said == first);
            CHECK_FALSE(contains(said, "secret"));
            if (run.status == 0) CHECK(contents(folder / "out") == expected);
        }
    }
}

TEST_CASE("series: confined, a manifest behind a link is not looked at") {
    const Folder folder(2);
    const TempFolder elsewhere;
    REQUIRE(run_job(folder.path(), "out").status == 0);
    fs::rename(folder / "out/job.series", elsewhere / "job.series");
    fs::create_symlink(elsewhere / "job.series", folder / "out/job.series");
    const auto said = [&] {
        const Run run = run_job(folder.path(), "out", {"--confined", "--resume"});
        return fmt::format("{} {} {}", run.status, run.out, run.err);
    };
    const std::string there = said();
    fs::remove_all(elsewhere / "job.series");
    CHECK(there == said());
}

#endif
