// The folder of a study's report: what others have there stays, one study is at work in it at a time, and its files appear
// together, whatever ends the process.
#include <algorithm>
#include <csignal>
#include <map>
#include <string>
#include <vector>

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "compare/small_study.hpp"
#include "io/io.hpp"
#include "io/transaction.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::compare;
using namespace parallax::tests;

namespace {

/// Two rows.
const Ready& ready() {
    static const Ready one(study_text(R"(["reference"])", 2));
    return one;
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

const std::vector<std::string> whole{"logs", "report.csv", "report.html", "report.json"};
/// Of a study for which no process was needed any more.
const std::vector<std::string> without_logs{"report.csv", "report.html", "report.json"};

std::map<std::string, std::string> reports_in(const fs::path& folder) {
    std::map<std::string, std::string> all;
    for (const char* name : {"report.json", "report.csv", "report.html"}) all[name] = read_text(folder / name);
    return all;
}

/// Refused before anything is measured.
template <class E = ConfigError>
E refused(CompareOptions options) {
    options.progress = [](const std::string& what, double) { FAIL("it began: ", what); };
    return error_of<E>([&] { ready().run(options); });
}

/// Stops behind the first row.
void interrupt(CompareOptions options) {
    bool second = false;
    options.progress = [&](const std::string& what, double) { second = second || contains(what, "n=1000"); };
    options.cancelled = [&] { return second; };
    CHECK_THROWS_AS(ready().run(options), CancelledError);
}

#if !defined(_WIN32)
/// A study in a process that is killed when its report is written, and not yet in its place.
void killed_before_the_report(CompareOptions options) {
    options.along = [](const Json&, io::Transaction&) { ::raise(SIGKILL); };
    ready();
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            ready().run(options);
        } catch (...) {
        }
        ::_exit(1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
}
#endif

/// A study that was killed when its report was in its place, and its journal not yet removed.
Json killed_behind_the_report(const TempFolder& folder, CompareOptions options) {
    options.along = [&](const Json&, io::Transaction&) {
        fs::create_hard_link(options.out / "journal.jsonl", folder / "journal");
    };
    Json report = ready().run(options);
    fs::rename(folder / "journal", options.out / "journal.jsonl");
    return report;
}

}   // namespace

TEST_CASE("compare: what others have in the folder of a report stays, also behind links") {
    const TempFolder folder;
    const CompareOptions options = options_in(folder);
    for (const char* name : {"out/0", "out/.parallax-mine-study", "out/logs", "data/0"}) fs::create_directories(folder / name);
    for (const char* file : {"out/0/a", "out/.parallax-mine-study/a", "out/logs/a", "data/0/a"})
        write_text(folder / file, "precious");
    fs::create_directory_symlink(folder / "data", folder / "out/work");
    fs::create_directory_symlink(folder / "data", folder / "out/.parallax-1-0-0123abcd-0-study");   // as of a transaction that is no more: it goes, not what it leads to
    CHECK(ready().run(options)["rows"].size() == 2);
    for (const char* file : {"out/0/a", "out/.parallax-mine-study/a", "out/logs/a", "data/0/a"}) {
        CAPTURE(file);
        CHECK(read_text(folder / file) == "precious");
    }
    CHECK(names_in(options.out) == std::vector<std::string>{".parallax-mine-study", "0", "logs",
                                                            "report.csv", "report.html", "report.json", "work"});
    CHECK(names_in(options.out / "logs") == std::vector<std::string>{"a", "device-0.log", "reference.log"});
}

TEST_CASE("compare: a file under a name that a study needs is refused before anything is measured, and stays") {
    for (const std::string name : {"report.json", "report.csv", "report.html", "logs/device-0.log"}) {
        CAPTURE(name);
        const TempFolder folder;
        CompareOptions options = options_in(folder);
        fs::create_directories((options.out / name).parent_path());
        write_text(options.out / name, "mine");
        CHECK(contains(refused(options).found, name));
        options.resume = true;
        CHECK(contains(refused(options).found, name));
        CHECK(read_text(options.out / name) == "mine");
        CHECK_FALSE(fs::exists(options.out / "journal.jsonl"));
        if (!contains(name, "logs"))
            CHECK(error_of<ConfigError>([&] { make_report_folder(options.out.string(), false); }).pointer == "--out");
        options.overwrite = true;
        CHECK_NOTHROW(ready().run(options));
        CHECK(read_text(options.out / name) != "mine");
        CHECK(names_in(options.out) == whole);
    }
    const TempFolder folder;
    CompareOptions options = options_in(folder);
    options.overwrite = true;
    fs::create_directories(options.out / "report.html");
    CHECK(contains(refused<IoError>(options).problem, "is a folder"));
    fs::remove(options.out / "report.html");
    fs::create_directories(folder / "elsewhere");
    fs::create_directory_symlink(folder / "elsewhere", options.out / "logs");
    CHECK(contains(refused(options).found, "a link"));
    CHECK(names_in(options.out) == std::vector<std::string>{"logs"});
}

TEST_CASE("compare: a journal that was torn in its first line is begun anew: nothing had been done") {
    for (const char* torn : {R"({"para)", R"({"parallax_journal":1,"engi)"}) {
        CAPTURE(torn);
        const TempFolder folder;
        CompareOptions options = options_in(folder);
        write_text(options.out / "journal.jsonl", torn);
        CHECK_NOTHROW(ready().run(options));
        CHECK(!fs::exists(options.out / "journal.jsonl"));
        CHECK(fs::exists(options.out / "report.json"));
    }
}

TEST_CASE("compare: a journal.jsonl that no study has written is refused, and not touched") {
    const TempFolder folder;
    CompareOptions options = options_in(folder);
    const fs::path journal = options.out / "journal.jsonl";
    const auto is_refused = [&] {
        for (const auto& [resume, overwrite] : {std::pair(false, false), {true, false}, {false, true}}) {
            options.resume = resume, options.overwrite = overwrite;
            CHECK(contains(refused(options).found, "no study's journal"));
        }
    };
    for (const char* text : {"my own notes", "my own notes\n", "{\"row\": 1}\n", "[1]\n"}) {
        CAPTURE(text);
        write_text(journal, text);
        is_refused();
        CHECK(read_text(journal) == text);
    }
    fs::rename(journal, folder / "notes");
    fs::create_symlink(folder / "notes", journal);
    is_refused();
    CHECK(fs::is_symlink(journal));
    fs::remove(journal);
    fs::create_directories(journal);
    is_refused();
    CHECK(names_in(options.out) == std::vector<std::string>{"journal.jsonl"});
}

TEST_CASE("compare: where a study is at work no other begins, whatever it is asked for") {
    const TempFolder folder;
    const CompareOptions options = options_in(folder);
    int asked = 0;
    CompareOptions first = options;
    first.progress = [&](const std::string&, double) {
        CompareOptions second = options;
        second.resume = asked % 3 == 1, second.overwrite = asked % 3 == 2;
        ++asked;
        const ConfigError error = refused(second);
        CHECK(contains(error.found, "another study is at work"));
        CHECK(fs::exists(work_in(options.out)));
    };
    const Json report = ready().run(first);
    CHECK(asked >= 3);
    for (const Json& row : report["rows"]) CHECK(row["outcome"] == "ok");
    CHECK(names_in(options.out) == whole);
}

TEST_CASE("compare: a study that was stopped before its first row leaves its journal alone, and an old report as it was") {
    const TempFolder folder;
    CompareOptions options = options_in(folder);
    write_text(options.out / "journal.jsonl", "");   // of one that was killed before it could begin it
    ready().run(options);
    CHECK(names_in(options.out) == whole);
    const auto old = reports_in(options.out);
    options.overwrite = true;
    options.cancelled = [] { return true; };
    CHECK_THROWS_AS(ready().run(options), CancelledError);
    CHECK(names_in(options.out) == std::vector<std::string>{"journal.jsonl", "logs", "report.csv", "report.html", "report.json"});
    CHECK(reports_in(options.out) == old);
    options.overwrite = false;
    CHECK(contains(refused(options).found, "an interrupted study"));
    options.resume = true;
    options.cancelled = nullptr;
    ready().run(options);
    CHECK(names_in(options.out) == whole);
    CHECK(reports_in(options.out) != old);
}

TEST_CASE("compare: a file that somebody puts there while a study is interrupted is not replaced by --resume") {
    const TempFolder folder;
    CompareOptions options = options_in(folder);
    interrupt(options);
    write_text(options.out / "report.csv", "mine");
    options.resume = true;
    CHECK(contains(refused(options).found, "report.csv"));
    CHECK(read_text(options.out / "report.csv") == "mine");
    fs::remove(options.out / "report.csv");
    CHECK(ready().run(options)["sessions"].size() == 2);   // and the first row is not lost
}

TEST_CASE("compare: what --overwrite began --resume may end") {
    const TempFolder folder;
    CompareOptions options = options_in(folder);
    ready().run(options);
    options.overwrite = true;
    const auto old = reports_in(options.out);
    interrupt(options);
    CHECK(reports_in(options.out) == old);
    CHECK(make_report_folder(options.out.string(), false, true) == options.out);
    options.overwrite = false, options.resume = true;
    const Json report = ready().run(options);
    CHECK(report["sessions"].size() == 2);
    CHECK(Json::parse(read_text(options.out / "report.json")) == report);
    CHECK(names_in(options.out) == whole);
}

TEST_CASE("compare: what goes along with a report appears with it or not at all") {
    const TempFolder folder;
    CompareOptions options = options_in(folder);
    options.along = [&](const Json&, io::Transaction& files) {
        files.add_beside(folder / "along", false, [](const fs::path& part) { write_text(part, "along"); });
        throw IoError("along", "cannot be written");
    };
    CHECK_THROWS_AS(ready().run(options), IoError);
    CHECK(folder.listing() == std::vector<std::string>{"out", "out/journal.jsonl"});
    options.resume = true;
    options.along = [&](const Json&, io::Transaction& files) {
        files.add_beside(folder / "along", false, [](const fs::path& part) { write_text(part, "along"); });
    };
    CHECK(ready().run(options)["sessions"].size() == 1);
    CHECK(read_text(folder / "along") == "along");
    CHECK(names_in(options.out) == without_logs);
}

#if !defined(_WIN32)
TEST_CASE("compare: killed before its report is in its place, a study goes on to it without measuring") {
    const TempFolder folder;
    CompareOptions options = options_in(folder);
    std::map<std::string, std::string> old;
    for (const bool over : {false, true}) {
        CAPTURE(over);
        options.overwrite = over, options.resume = false;
        killed_before_the_report(options);
        CHECK(fs::exists(options.out / "journal.jsonl"));
        CHECK_FALSE(work_in(options.out).empty());
        if (over) {   // whatever comes next to the folder, and not a study alone
            io::look_again();
            io::recover(options.out);
            CHECK(work_in(options.out).empty());
        }
        CHECK(reports_in(options.out) == (over ? old : reports_in(folder / "nowhere")));
        options.overwrite = false, options.resume = true;
        options.progress = [](const std::string& what, double) { FAIL("measured again: ", what); };
        const Json report = ready().run(options);
        options.progress = nullptr;
        CHECK(report["rows"].size() == 2);
        CHECK(names_in(options.out) == without_logs);
        CHECK(reports_in(options.out) != old);
        old = reports_in(options.out);
        CHECK(Json::parse(old["report.json"]) == report);
    }
}
#endif

TEST_CASE("compare: killed when its report is in its place, a study has come to its end") {
    const TempFolder folder;
    CompareOptions options = options_in(folder);
    const Json report = killed_behind_the_report(folder, options);
    const auto made = reports_in(options.out);
    options.resume = true;
    options.progress = [](const std::string& what, double) { FAIL("measured again: ", what); };
    CHECK(ready().run(options) == report);
    CHECK(reports_in(options.out) == made);
    CHECK(names_in(options.out) == whole);

    options.resume = false, options.overwrite = true;
    options.progress = nullptr;
    killed_behind_the_report(folder, options);
    options.overwrite = false;
    CHECK(contains(refused(options).found, "the existing report"));
    CHECK(names_in(options.out) == whole);   // of what the other had no time for nothing is left

    options.overwrite = true;
    killed_behind_the_report(folder, options);
    bool measured = false;
    options.progress = [&](const std::string&, double) { measured = true; };
    ready().run(options);
    CHECK(measured);
    CHECK(names_in(options.out) == whole);
}

TEST_CASE("compare: a contribution appears with the report; one that is there is refused before anything is measured") {
    const TempFolder folder;
    write_text(folder / "study.json", study_text(R"(["reference"])", 2).dump());
    std::vector<std::string> words{"compare", "study.json", "--out", "out", "--contribute", "given.json.gz"};
    write_text(folder / "given.json.gz", "mine");
    const Run there = run_program(words, folder.path());
    CHECK(there.status == 2);
    CHECK(contains(there.err, "--contribute"));
    CHECK_FALSE(fs::exists(folder / "out"));
    words.emplace_back("--overwrite");
    const std::string study = read_text(folder / "study.json");
    for (const std::string taken : {"study.json", "./out/../study.json", "out/report.json", "out/journal.jsonl", "out/logs/x.json"}) {
        CAPTURE(taken);
        const Run over = run_program({"compare", "study.json", "--out", "out", "--overwrite", "--contribute", taken}, folder.path());
        CHECK(over.status == 2);
        CHECK(contains(over.err, "--contribute"));
        CHECK(read_text(folder / "study.json") == study);
        CHECK_FALSE(fs::exists(folder / "out/report.json"));
    }
    fs::copy_file(folder / "study.json", folder / "report.json");   // a study that is called as the report would be
    CHECK(run_program({"compare", "report.json", "--out", ".", "--overwrite"}, folder.path()).status == 2);
    CHECK(read_text(folder / "report.json") == study);
    const Run run = run_program(words, folder.path());
    CAPTURE(run.err);
    CHECK(run.status == 0);
    CHECK(contains(run.err, "To offer it"));
    const std::string report = read_text(folder / "out/report.json");
    for (const char* taken : {"out/report.json", "out/report.html"})
        CHECK(run_program({"report", "out", "--overwrite", "--contribute", taken}, folder.path()).status == 2);
    CHECK(read_text(folder / "out/report.json") == report);
    CHECK(read_text(folder / "given.json.gz").substr(0, 2) == "\x1f\x8b");
    CHECK(names_in(folder / "out") == whole);
}
