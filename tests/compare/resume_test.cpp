// An interrupted study goes on with what it has measured of the same files, and with nothing that is not as it was written.
#ifndef _WIN32
#include <sys/resource.h>

#include <csignal>
#endif

#include <cmath>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <vector>

#include "compare/small_study.hpp"
#include "io/io.hpp"
#include "job/load.hpp"
#include "report/report.hpp"
#include "seed.hpp"
#include "support/warnings.hpp"

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::compare;
using namespace parallax::tests;

namespace {

/// Warnings while it lives.
class Warnings {
public:
    Warnings() {
        host::take_warnings();
        host::on_warning([this](const std::string& text) { all_ += text + '\n'; });
    }
    ~Warnings() { host::on_warning({}); }
    Warnings(const Warnings&) = delete;
    Warnings& operator=(const Warnings&) = delete;
    const std::string& all() const { return all_; }

private:
    std::string all_;
};

/// A file times one, two and three, and a made image: four rows.
Json study_of(const fs::path& file) {
    Json json = study_text(R"(["reference"])", 2);
    json["sampling"]["rounds"] = 1;
    json["cases"] = Json::parse(R"([{"id": "file", "grid": {"n": [1, 2, 3]}, "steps": [{"run": "arithmetic", "op": "multiply", "value": "$n"}]},
        {"id": "made", "grid": {"n": [1]}, "inputs": {"image": {"make": "random", "type": "u8", "axes": "yx", "shape": [8, 8]}},
         "steps": [{"run": "arithmetic", "op": "multiply", "value": 2}]}])");
    for (Json& one : json["cases"]) one["variants"] = {"reference"};
    json["cases"][0]["inputs"]["image"] = file.filename().string();
    json["report"] = Json::array();
    return json;
}

void put(const fs::path& file, float value) { io::write(file, floats(2, 1, {value, 1}), {.overwrite = true}); }

/// Stops when `what` begins, which is not measured.
void interrupt(const Ready& ready, CompareOptions options, const std::string& what) {
    bool there = false;
    options.progress = [&](const std::string& said, double) { there = there || said.starts_with(what); };
    options.cancelled = [&] { return there; };
    CHECK_THROWS_AS(ready.run(options), CancelledError);
}

/// Which rows are measured when it goes on.
std::set<std::string> measured(const Ready& ready, CompareOptions options, Json& report) {
    std::set<std::string> rows;
    options.resume = true;
    options.progress = [&](const std::string& said, double) {
        if (contains(said, "@")) rows.insert(said.substr(0, said.find("/reference")));
    };
    report = ready.run(options);
    return rows;
}

std::vector<std::string> lines_of(const fs::path& file) {
    std::vector<std::string> lines;
    std::istringstream text(read_text(file));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

void put_lines(const fs::path& file, const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    write_text(file, text);
}

}   // namespace

TEST_CASE("resume: rows of a file that has changed since are measured again, and told; others are not") {
    const TempFolder folder;
    CompareOptions options = options_in(folder);
    options.where.job_folder = folder.path();
    const fs::path file = folder / "in.npy";
    Json report;
    for (const char* how : {"moved", "came", "other contents"}) {
        CAPTURE(how);
        const std::string now = how;
        options.out = folder / how;
        fs::create_directories(options.out);
        put(file, 3);
        if (now == "came") fs::remove(file);
        const Ready ready(study_of(file));
        interrupt(ready, options, "file/n=3/reference@");
        if (now == "other contents" || now == "came") put(file, 5);
        if (now == "moved") {
            fs::create_directories(folder / "elsewhere");
            fs::rename(file, folder / "elsewhere/in.npy");
            options.where.job_folder = folder / "elsewhere";
        }
        const Warnings warnings;
        const std::set<std::string> rows = measured(ready, options, report);
        options.where.job_folder = folder.path();
        const bool again = now != "moved";
        CHECK(rows.count("file/n=1") == (again ? 1 : 0));
        CHECK(rows.count("file/n=2") == (again ? 1 : 0));
        CHECK(rows.count("file/n=3") == 1);
        CHECK(rows.count("made/n=1") == 1);
        CHECK(contains(warnings.all(), "2 rows of the study") == again);
        REQUIRE(report["rows"].size() == 4);
        for (const Json& row : report["rows"]) CHECK(row["outcome"] == "ok");
        CHECK_NOTHROW(check_report(report, "it"));
    }
    // All of them are of what the file holds.
    put(file, 5);
    fs::create_directories(folder / "new");
    options.out = folder / "new";
    const Json whole = Ready(study_of(file)).run(options);
    for (std::size_t i = 0; i < 4; ++i) CHECK(report["rows"][i]["hashes"] == whole["rows"][i]["hashes"]);
}

TEST_CASE("resume: a file that changes while further processes are measured makes no row of two contents") {
    const TempFolder folder;
    CompareOptions options = options_in(folder);
    options.where.job_folder = folder.path();
    const fs::path file = folder / "in.npy";
    put(file, 3);
    Json json = study_of(file);
    json["sampling"].update({{"samples", 3}, {"rounds", 3}, {"fresh_processes", true}});
    const Ready ready(json);
    interrupt(ready, options, "file/n=2/reference@" + ready.devices[0].label + ", process 2 of 3");
    bool changed = false;
    options.resume = true;
    options.progress = [&](const std::string&, double) {
        if (!changed) put(file, 5);   // behind the look at what has been measured
        changed = true;
    };
    const Json report = ready.run(options);
    CHECK(changed);
    for (const Json& row : report["rows"]) {
        CAPTURE(row.dump());
        CHECK(row["outcome"] == "ok");
        CHECK(row["samples"]["wall"].size() == (row["case"] == "made" ? 3 : row["grid"]["n"] == 1 ? 2 : 1));
    }
}

TEST_CASE("resume: a damaged journal goes on from the last line that is as it was written; one that was made up is refused") {
    const TempFolder folder;
    const Ready ready(study_of(folder / "in.npy"));
    put(folder / "in.npy", 3);
    CompareOptions options = options_in(folder);
    options.where.job_folder = folder.path();
    interrupt(ready, options, "file/n=3/reference@");
    const fs::path journal = options.out / "journal.jsonl";
    const std::vector<std::string> lines = lines_of(journal);
    REQUIRE(lines.size() == 4);   // header, session, two rows
    struct Damage { const char *key, *value; };
    for (const auto& [key, value] : {Damage{"/row/device", "-1"}, {"/row/session", "9"}, {"/row/outcome", "3"}, {"/row/samples/wall/0/0", "\"x\""},
                                     {"/row/samples/device/0/0", "1"}, {"/row/id", "7"}}) {
        CAPTURE(key);
        std::vector<std::string> damaged = lines;
        Json row = Json::parse(damaged[3]);
        row[Json::json_pointer(key)] = Json::parse(value);
        damaged[3] = row.dump();
        fs::remove_all(options.out);
        fs::create_directories(options.out);
        put_lines(journal, damaged);
        if (std::string(value) == "-1") {
            const Warnings warnings;
            Json report;
            const std::set<std::string> rows = measured(ready, options, report);
            CHECK(contains(warnings.all(), "is damaged behind its first 3 lines"));
            CHECK(rows.count("file/n=1") == 0);
            CHECK(rows.count("file/n=2") == 1);
            CHECK(report["rows"].size() == 4);
            CHECK_NOTHROW(check_report(report, "it"));
        }
        // With a hash of its own it is no damage.
        row.erase("hash");
        const std::string text = row.dump();
        damaged[3] = text.substr(0, text.size() - 1) + ",\"hash\":\"" + io::hash_text(text).substr(0, 16) + "\"}";
        fs::remove_all(options.out);
        fs::create_directories(options.out);
        put_lines(journal, damaged);
        options.resume = true;
        if (std::string(key) != "/row/samples/device/0/0")
            CHECK(error_of<ConfigError>([&] { ready.run(options); }).pointer == "--resume");
        options.resume = false;
    }
}

#ifndef _WIN32
TEST_CASE("resume: where files may have no more than so many bytes the cause is told, and what was measured before is gone on with") {
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    const TempFolder folder;
    put(folder / "in.npy", 3);
    const Ready ready(study_of(folder / "in.npy"));
    CompareOptions options = options_in(folder);
    options.where.job_folder = folder.path();
    rlimit usual{};
    ::getrlimit(RLIMIT_FSIZE, &usual);
    auto* const handled = std::signal(SIGXFSZ, SIG_IGN);
    int refused = 0;
    for (int i = 0; i < drawn_count(6); ++i) {
        const auto most = static_cast<rlim_t>(std::exp2(std::uniform_real_distribution<>(3, 20)(random)));
        CAPTURE(most);
        const std::string name = "out" + std::to_string(i);
        fs::create_directories(options.out = folder / name);
        const rlimit little{most, usual.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &little);
        std::string problem, hint;
        try {
            ready.run(options);
        } catch (const IoError& error) {
            problem = error.problem;
            hint = error.hint;
        }
        ::setrlimit(RLIMIT_FSIZE, &usual);
        CAPTURE(problem);
        CHECK(fs::exists(options.out / "report.json") == problem.empty());
        if (!problem.empty()) {
            CHECK(contains(problem, "File too large"));
            CHECK(!hint.empty());
            ++refused;
            Json report;
            measured(ready, options, report);
            CHECK(report["rows"].size() == 4);
        }
        CHECK_FALSE(fs::exists(options.out / "journal.jsonl"));
        CHECK_NOTHROW(check_report(load_json(options.out / "report.json"), "it"));
    }
    std::signal(SIGXFSZ, handled);
    MESSAGE(refused << " refused");
}
#endif
