// A manifest that was damaged, that two processes want, and what `parallax series check` says of it.
#include "frames.hpp"
#include "seed.hpp"
#include "series/check.hpp"
#include "series/checked.hpp"
#include "support/file_lock.hpp"

#include <fstream>
#include <random>

using namespace parallax;
using namespace parallax::tests;
using engine::series::check;

namespace {

Json job_with_folds() {
    Json job = frames_job();
    job["outputs"]["mean"] = {{"of", "sum"}, {"file", "mean.npy"}, {"combine", "mean"}};
    job["outputs"]["middle"] = {{"of", "sum"}, {"file", "middle.npy"}, {"combine", "median"}};
    job["outputs"]["all"] = {{"of", "sum"}, {"file", "all.tif"}, {"combine", "stack"}};
    return job;
}

/// A file as a crash, a full disk or somebody's hand may leave it. What was done to it.
std::string damage(const fs::path& file, std::mt19937& random) {
    const std::string text = read_text(file);
    const unsigned how = static_cast<unsigned>(random()) % 5;
    if (how == 0) fs::remove(file);
    else if (how == 1) write_text(file, "");
    else if (how == 2) write_text(file, text.substr(0, text.size() / 2));
    else if (how == 3) write_text(file, std::string(text.size(), 'x'));
    else {
        std::string other = text;
        if (!other.empty()) other[random() % other.size()] ^= static_cast<char>(1 + random() % 127);
        write_text(file, other);
    }
    constexpr const char* words[] = {"removed", "emptied", "cut off", "written over", "one byte changed"};
    return file.filename().string() + " " + words[how];
}

}  // namespace

TEST_CASE("series check: says what is there, what is missing and what has changed") {
    const Folder folder(4, frames_job());
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    const fs::path manifest = folder / "out/job.series", output = folder / "out/sums/f001.npy";
    CHECK(check(manifest, true).whole());
    CHECK(check(manifest, false).done == 4);
    const Run whole = run_program({"series", "check", "out/job.series"}, folder.path());
    CHECK(whole.status == 0);
    CHECK(contains(whole.out, "4 items done, 0 failed"));
    const auto time = fs::last_write_time(output);
    std::string text = read_text(output);
    text.back() ^= 1;
    write_text(output, text);
    fs::last_write_time(output, time);
    CHECK(check(manifest, false).whole());   // size and time are trusted
    CHECK_FALSE(check(manifest, true).whole());
    fs::remove(output);
    const Run missing = run_program({"series", "check", "out/job.series", "--json"}, folder.path());
    CHECK(missing.status == 1);
    CHECK(contains(Json::parse(missing.out)["problems"][0].get<std::string>(), "f001.npy"));
    CHECK(run_program({"series", "check", "out"}, folder.path()).status == 2);
    REQUIRE(run_job(folder.path(), "out", {"--resume", "--quiet"}).status == 0);
    CHECK(check(manifest, true).whole());
}

TEST_CASE("series: one process at a time, or one for each shard") {
    using host::FileLock;
    const Folder folder(4, frames_job());
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
#if !defined(_WIN32)
    {
        const auto other = FileLock::take(folder / "out/job.series/lock", FileLock::Kind::shared);
        for (const char* const how : {"--resume", "--overwrite"}) {
            const Run run = run_job(folder.path(), "out", {how, "--quiet"});
            CHECK(run.status == 2);
            CHECK(contains(run.err, "another process is at work"));
        }
        CHECK(run_job(folder.path(), "out", {"--resume", "--quiet", "--shard", "1/2"}).status == 0);
        const auto first = FileLock::take(folder / "out/job.series/lock-1-of-2", FileLock::Kind::exclusive);
        CHECK(run_job(folder.path(), "out", {"--resume", "--quiet", "--shard", "1/2"}).status == 2);
        CHECK(run_job(folder.path(), "out", {"--resume", "--quiet", "--shard", "2/2"}).status == 0);
    }
#endif
    CHECK(run_job(folder.path(), "out", {"--overwrite", "--quiet"}).status == 0);
}

TEST_CASE("series: a lock that cannot be held is told, and does not lead elsewhere") {
    Folder folder(2);
    REQUIRE(shell(folder.path(), "mkdir -p out/job.series && ln -s ../../elsewhere out/job.series/lock") == 0);
    CHECK(shell(folder.path(), "timeout 60 \"$P\" run job.json --device native --out out 2> said") == 0);
    for (const char* const part : {"lock cannot be locked: Too many levels of symbolic links", "Nothing keeps another process",
                                   "remove what stands there, which is no file of its own"})
        CHECK(contains(read_text(folder / "said"), part));
    CHECK_FALSE(fs::exists(folder / "elsewhere"));
}

TEST_CASE("series: a word of its own that is damaged makes no record somebody else's file") {
    const Folder folder(2, job_with_folds());
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    for (const auto& [file, word] : {std::pair("series.json", "parallax_series"), {"series.json", "job"}, {"series.json", "shared"},
                                     {"made.json", "outputs"}, {"made.json", "format"}}) {
        CAPTURE(word);
        const fs::path record = folder / "out/job.series" / file;
        std::string text = read_text(record);
        text.replace(text.find(word), 1, "_");
        write_text(record, text);
        const Run resumed = run_job(folder.path(), "out", {"--resume", "--quiet"});
        CHECK((resumed.status == 0 || contains(resumed.err, "--overwrite")));
        CHECK(run_job(folder.path(), "out", {"--overwrite", "--quiet"}).status == 0);
    }
}

TEST_CASE("series: whatever is damaged in a manifest, --resume gives the same results, or says that --overwrite does") {
    const auto seed = static_cast<unsigned>(tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937 random(seed);
    const Folder folder(4, job_with_folds());
    REQUIRE(run_job(folder.path(), "whole", {"--quiet"}).status == 0);
    const auto wanted = contents(folder / "whole");
    int resumed = 0, refused = 0;
    for (int draw = 0; draw < 24; ++draw) {
        fs::remove_all(folder / "out");
        REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(folder / "out/job.series")) files.push_back(entry.path());
        std::sort(files.begin(), files.end());
        const std::string what = damage(files[random() % files.size()], random);
        CAPTURE(what);
        const Run run = run_job(folder.path(), "out", {"--resume", "--quiet"});
        CAPTURE(run.err);
        REQUIRE((run.status == 0 || run.status == 1 || run.status == 2));
        if (run.status == 0) {
            ++resumed;
            CHECK(contents(folder / "out") == wanted);
            continue;
        }
        ++refused;
        CHECK(contains(run.err, "--overwrite"));
        CHECK(run_job(folder.path(), "out", {"--overwrite", "--quiet"}).status == 0);
        CHECK(contents(folder / "out") == wanted);
    }
    MESSAGE(resumed << " resumed, " << refused << " begun anew");
}

#if !defined(_WIN32)
TEST_CASE("series: pipes, devices and lines without end in the place of records do not count, and hold nobody up") {
    Folder folder(3);
    REQUIRE(shell(folder.path(), "timeout 60 \"$P\" run job.json --device native --out out --quiet") == 0);
    const auto before = contents(folder / "out");
    for (const char* const put :
         {"mkfifo out/job.series/items-1-2-0.jsonl", "ln -s /dev/zero out/job.series/items-1-2-1.jsonl",
          "head -c 100000000 /dev/zero > out/job.series/items-1-2-2.jsonl; echo >> out/job.series/items-1-2-2.jsonl"}) {
        CAPTURE(put);
        REQUIRE(shell(folder.path(), put) == 0);
        CHECK(shell(folder.path(), "timeout 60 \"$P\" series check out/job.series > said") == 0);
        CHECK(contains(read_text(folder / "said"), "damaged records, which do not count"));
        CHECK(shell(folder.path(), "timeout 60 \"$P\" run job.json --device native --out out --resume 2> said") == 0);
        CHECK(contains(read_text(folder / "said"), "3 of 3 items were done before"));
        CHECK((contents(folder / "out") == before));
        REQUIRE(shell(folder.path(), "rm out/job.series/items-1-2-*") == 0);
    }
}
#endif

#if !defined(_WIN32)
TEST_CASE("series check: an output that cannot be read, or is a large folder, is told as one of the problems, and the rest is looked at") {
    const Folder folder(5, frames_job());
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    const fs::path manifest = folder / "out/job.series";
    REQUIRE(shell(folder.path(), "mkfifo out/pipe; mkdir out/tree; for i in 1 2 3 4 5 6 7 8 9; do echo some bytes > out/tree/$i; done") == 0);
    fs::remove(folder / "out/sums/f000.npy");
    int sequence = 1000;
    const auto forge = [&](int item, const fs::path& path, int bytes) {
        Json record{{"item", fmt::format("frames/{}.tif", frame_name(item))}, {"state", "done"}, {"at", 1}, {"sequence", ++sequence}};
        record["inputs"] = Json::array();
        record["outputs"] = Json::array({{{"path", path.string()}, {"bytes", bytes}, {"modified", 0}, {"xxh3_128", ""}}});
        const std::string text = record.dump();
        write_text(manifest / fmt::format("items-z{}.jsonl", sequence), io::hash_text(text).substr(0, 16) + ' ' + text + '\n');
    };
    forge(1, folder / "out/pipe", 0);
    forge(2, "/dev/null", 0);
    forge(3, folder / "out/tree", 20);
    const engine::series::Check found = check(manifest, true);
    CHECK(found.done == 5);
    CHECK(found.damaged_lines == 0);
    const Run told = run_program({"series", "check", "out/job.series", "--hashes", "--json"}, folder.path());
    CAPTURE(told.err);
    CHECK(told.status == 1);
    CHECK(Json::parse(told.out)["problems"] == Json(found.problems));
    std::string all;
    for (const std::string& problem : found.problems) all += problem + '\n';
    CAPTURE(all);
    CHECK(found.problems.size() == 4);
    for (const char* const part :
         {"f000.npy of frames/f000.tif is missing", "pipe of frames/f001.tif cannot be read", "/dev/null of frames/f002.tif cannot be read",
          "tree of frames/f003.tif has more than the 20 bytes that it had"})
        CHECK(contains(all, part));
}
#endif

TEST_CASE("series: a record of another form, though its checksum is right, does not count") {
    const Folder folder(3, frames_job());
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    const auto wanted = contents(folder / "out");
    const std::string item = R"({"item":"frames/f000.tif","state":"done","at":1,"sequence":1000,"inputs":[],"outputs":[])";
    const std::string deep = std::string(100000, '[') + std::string(100000, ']');
    const std::string forms[] = {
        "{}", "[]", "1", R"({"item":1,"state":"done","at":1,"inputs":[],"outputs":[]})",
        R"({"item":"frames/f000.tif","state":"done","at":1,"sequence":9223372036854775807,"inputs":[],"outputs":[]})",
        R"({"item":"frames/f000.tif","state":"done","at":1,"inputs":[{"path":"a","bytes":-1,"modified":0,"xxh3_128":""}],)"
        R"("outputs":[]})",
        R"({"item":"frames/f000.tif","state":"done","at":1e102,"inputs":[],"outputs":[]})", item + R"(,"rows":"text"})",
        item + R"(,"rows":{"statistics":"text"}})", item + R"(,"rows":{"statistics":["text"]}})",
        R"({"item":"frames/f000.tif","state":"done","at":1,"sequence":1000,"inputs":[],)"
        R"("outputs":[{"path":"","bytes":1,"modified":0,"xxh3_128":""}]})",
        R"({"item":"frames/f000.tif","state":"done","at":1,"sequence":1000,"outputs":[],)"
        R"("inputs":[{"path":"","bytes":1,"modified":0,"xxh3_128":""}]})",
        R"({"item":"frames/f000.tif","state":"done","at":1,"sequence":1000,"inputs":[],)"
        R"("outputs":[{"path":"a\u0000b","bytes":1,"modified":0,"xxh3_128":""}]})",
        item + R"(,"files":[""]})", item + R"(,"manifest":""})",
        item + R"(,"times":[1]})", item + R"(,"warnings":"text"})", item + R"(,"rows":{"statistics":)" + deep + "}}", deep};
    for (const std::string& form : forms) {
        CAPTURE(form.substr(0, 200));
        const fs::path journal = folder / "out/job.series/items-z.jsonl";
        write_text(journal, io::hash_text(form).substr(0, 16) + ' ' + form + '\n');
        const Run told = run_program({"series", "check", "out/job.series", "--json"}, folder.path());
        CAPTURE(told.err);
        CHECK(told.status == 0);
        CHECK(contains(told.out, "\"damaged_lines\": 1"));
        const Run run = run_job(folder.path(), "out", {"--resume", "--quiet"});
        CAPTURE(run.err);
        CHECK(run.status == 0);
        CHECK(contents(folder / "out") == wanted);
        fs::remove(journal);
    }
}

TEST_CASE("series: a header, what was made of all, and states of another form are damaged, though their checksums are right") {
    const Folder folder(3, job_with_folds());
    REQUIRE(run_job(folder.path(), "whole", {"--quiet"}).status == 0);
    const auto wanted = contents(folder / "whole");
    const auto changed = [&](const std::string& begins, const char* pointer, const Json& value) {
        fs::remove_all(folder / "out");
        REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
        fs::path file;
        for (const auto& entry : fs::directory_iterator(folder / "out/job.series")) {
            const std::string name = entry.path().filename().string();
            if (name.starts_with(begins) && name.ends_with(".json")) file = entry.path();
        }
        REQUIRE_FALSE(file.empty());
        Json document = Json::parse(read_text(file));
        const Json::json_pointer at(pointer);
        if (value.is_null()) document[at.parent_pointer()].erase(at.back());
        else document[at] = value;
        write_text(file, document.contains("checksum") ? engine::series::with_checksum(document).dump() : document.dump());
    };
    struct Row {
        const char* file;
        const char* pointer;
        Json value;
    };
    for (const Row& row : {Row{"made", "/outputs/0/path", ""}, Row{"made", "/manifest", ""}, Row{"fold-", "/files/mean", nullptr}, Row{"fold-", "/first/item", "none"},
                           Row{"fold-", "/first/arrays/mean/axes/0/1", 1e300}, Row{"fold-", "/first/arrays/mean/axes/0/1", -12},
                           Row{"fold-", "/first/arrays/mean/axes/0/1", std::int64_t{1} << 60}}) {
        CAPTURE(row.file);
        CAPTURE(row.pointer);
        changed(row.file, row.pointer, row.value);
        CHECK(run_program({"series", "check", "out/job.series"}, folder.path()).status == (std::string(row.file) == "made" ? 1 : 0));
        fs::remove(folder / "out/mean.npy");
        if (std::string(row.file) == "made") {   // nothing says that these are the series' own
            const Run refused = run_job(folder.path(), "out", {"--resume", "--quiet"});
            CHECK(refused.status == 2);
            CHECK(contains(refused.err, "made.json is damaged"));
            for (const auto& entry : fs::directory_iterator(folder / "out"))
                if (entry.is_regular_file()) fs::remove(entry.path());
        }
        const Run run = run_job(folder.path(), "out", {"--resume", "--quiet"});
        CAPTURE(run.err);
        CHECK(run.status == 0);
        CHECK(contents(folder / "out") == wanted);
    }
    for (const Json& shared : {Json(5), Json::object({{"path", "a"}}), Json::array({1}), Json::array({{{"path", 1}, {"xxh3_128", ""}}})}) {
        CAPTURE(shared.dump());
        changed("series", "/shared", shared);
        const Run run = run_job(folder.path(), "out", {"--resume", "--quiet"});
        CAPTURE(run.err);
        CHECK(run.status == 2);
        CHECK(contains(run.err, "the damaged series.json"));
    }
}
