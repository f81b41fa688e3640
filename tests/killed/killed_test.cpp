// The program is killed before every call that changes a file. Whoever comes next to the folder finds each job's outputs as they
// were before, or as they are afterwards, all of them, and nothing else.
#include "jobs/support.hpp"
#include "killed/disk.hpp"
#include "killed/traced.hpp"
#include "seed.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <ratio>
#include <set>

using namespace parallax;
using namespace parallax::tests;

namespace {

using Files = std::map<std::string, std::string>;   ///< contents by relative path

struct Scenario {
    const char* name;
    const char* job;
    std::vector<std::string> options;
    std::vector<std::vector<std::string>> together;   ///< what appears at once
    bool over_old = false;
    bool series = false;
};

const char* const volume = R"({"run": "phantom", "kind": "menger", "size": 9},
    {"run": "box_count", "in": {"volume": "volume", "image": null}})";

const std::vector<Scenario>& scenarios() {
    static const std::string steps = std::string(R"({"parallax": 1, "steps": [)") + volume;
    static const std::string
        one = steps + R"(], "outputs": {"counts": "out/counts.json"}})",
        three =
            steps +
            R"(, {"run": "reduce", "in": {"array": "volume"}}], "outputs":
                {"volume": "out/volume.npy", "counts": "out/counts.json",
                "value": "out/deep/er/c.csv"}})",
        below = steps + R"(], "outputs": {"volume": "volume.npy", "counts": "deep/er/counts.json"}})",   // of --out
        series = R"({"parallax": 1, "for_each": {"frame": "in/*.npy"}, "inputs": {"image": "{frame}"},
        "steps": [{"run": "box_filter", "radius": 1, "out": {"image": "soft"}}, {"run": "reduce", "in": {"array": "soft"}},
            {"run": "threshold", "in": {"image": "soft"}, "method": "value", "value": 20}],
        "outputs": {"soft": "out/{frame.stem}.npy", "mask": "out/masks/{frame.stem}.png", "value": {"table": "out/sums.csv"},
            "mean": {"file": "out/mean.npy", "of": "soft", "combine": "mean"}}})",
        store = R"({"parallax": 1, "steps": [{"run": "phantom", "kind": "menger", "size": 9}],
            "outputs": {"volume": "out/v.ome.zarr"}})",
        stores = steps + R"(], "outputs": {"volume": "out/v.ome.zarr", "counts": "out/counts.json",
            "other": {"file": "out/deep/er/w.zarr", "of": "volume"}}})",
        series_of_stores = R"({"parallax": 1, "for_each": {"frame": "in/*.npy"}, "inputs": {"image": "{frame}"},
        "steps": [{"run": "box_filter", "radius": 1, "out": {"image": "soft"}}],
        "outputs": {"soft": "out/{frame.stem}.ome.zarr", "again": {"file": "out/{frame.stem}.npy", "of": "soft"},
            "stack": {"file": "out/all.ome.zarr", "of": "soft", "combine": "stack"}}})";
    // Names that are no UTF-8, which a journal has to hold all the same.
    static const std::string odd = R"({"parallax": 1, "for_each": {"frame": "odd/*.npy"}, "inputs": {"image": "{frame}"},
        "steps": [{"run": "box_filter", "radius": 1, "out": {"image": "soft"}}],
        "outputs": {"soft": "out/{frame.stem}.npy", "again": {"file": "out/deep/{frame.stem}.tif", "of": "soft"}}})";
    // "stale": of an old one, which no new one has.
    const auto stored = [](const std::string& name, int planes) {
        std::vector<std::string> files;
        for (const char* const file : {".zgroup", ".zattrs", "0/.zarray", "0/.zattrs", "0/stale/1/0/0"})
            files.push_back(name + "/" + file);
        for (int i = 0; i < planes; ++i) files.push_back(name + "/0/" + std::to_string(i) + "/0/0");
        if (planes == 0) files.push_back(name + "/0/0/0");
        return files;
    };
    const auto both = [](std::vector<std::string> files, const std::vector<std::string>& more) {
        files.insert(files.end(), more.begin(), more.end());
        return files;
    };
    static const std::vector<std::string> all_stores =
        both(both(stored("v.ome.zarr", 9), stored("deep/er/w.zarr", 9)), {"counts.json"});
    static const std::vector<std::vector<std::string>> frames{
        both(stored("a.ome.zarr", 0), {"a.npy"}), both(stored("b.ome.zarr", 0), {"b.npy"}), stored("all.ome.zarr", 2)};
    static const std::vector<Scenario> list{
        {"one output", one.c_str(), {}, {{"counts.json"}}},
        {"one output, over an old one", one.c_str(), {"--overwrite"}, {{"counts.json"}}, true},
        {"three outputs", three.c_str(), {}, {{"volume.npy", "counts.json", "deep/er/c.csv"}}},
        {"three outputs, over old ones", three.c_str(), {"--overwrite"}, {{"volume.npy", "counts.json", "deep/er/c.csv"}}, true},
        {"three outputs, over old ones, without waiting for the disk",
         three.c_str(),
         {"--overwrite", "--no-sync"},
         {{"volume.npy", "counts.json", "deep/er/c.csv"}},
         true},
        {"one output with a report", one.c_str(), {"--report", "out/report.json"}, {{"counts.json", "report.json"}}},
        {"report and gallery", three.c_str(), {"--report", "out/report.json", "--gallery", "out/page.html"},
         {{"volume.npy", "counts.json", "deep/er/c.csv", "report.json", "page.html"}}},
        {"report elsewhere", below.c_str(), {"--out", "out", "--report", "logs/report.json"},
         {{"volume.npy", "deep/er/counts.json", "../logs/report.json"}}},
        {"report elsewhere, over old ones", below.c_str(), {"--overwrite", "--out", "out", "--report", "logs/report.json"},
         {{"volume.npy", "deep/er/counts.json", "../logs/report.json"}}, true},
        {"series with report and trace, over an old one",
         series.c_str(),
         {"--overwrite", "--report", "logs/report.json", "--gallery", "out/page.html", "--trace", "logs/trace.json"},
         {{"a.npy", "masks/a.png"}, {"b.npy", "masks/b.png"},
          {"mean.npy", "sums.csv", "page.html", "../logs/report.json", "../logs/trace.json"}},
         true,
         true},
        {"series",
         series.c_str(),
         {},
         {{"a.npy", "masks/a.png"}, {"b.npy", "masks/b.png"}, {"mean.npy", "sums.csv"}},
         false,
         true},
        {"series, over an old one",
         series.c_str(),
         {"--overwrite"},
         {{"a.npy", "masks/a.png"}, {"b.npy", "masks/b.png"}, {"mean.npy", "sums.csv"}},
         true,
         true},
        {"series of odd names, over an old one",
         odd.c_str(),
         {"--overwrite"},
         {{"o\xff.npy", "deep/o\xff.tif"}, {"o\xfe.npy", "deep/o\xfe.tif"}},
         true,
         true},
        {"a store", store.c_str(), {}, {stored("v.ome.zarr", 9)}},
        {"a store, over an old one", store.c_str(), {"--overwrite"}, {stored("v.ome.zarr", 9)}, true},
        {"stores and a file", stores.c_str(), {}, {all_stores}},
        {"stores and a file, over old ones", stores.c_str(), {"--overwrite"}, {all_stores}, true},
        {"series of stores", series_of_stores.c_str(), {}, frames, false, true},
        {"series of stores, over an old one", series_of_stores.c_str(), {"--overwrite"}, frames, true, true},
    };
    return list;
}

/// Whether a series has records: where none are, --resume goes on with nothing, and replaces nothing.
bool has_begun(const fs::path& records) {
    if (!fs::exists(records)) return false;
    return std::any_of(fs::directory_iterator(records), fs::directory_iterator(),
                       [](const fs::directory_entry& entry) { return !entry.path().filename().string().starts_with("."); });
}

Files files_of(const fs::path& folder) {
    Files files;
    if (!fs::exists(folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) files[entry.path().lexically_relative(folder).generic_string()] = read_text(entry.path());
    return files;
}

/// Below "out", and beside it in "logs". What tells of times is as good as another that is whole.
Files results_of(const fs::path& folder) {
    Files files = files_of(folder / "out");
    for (auto& [name, content] : files_of(folder / "logs")) files["../logs/" + name] = std::move(content);
    for (auto& [name, content] : files) {
        if (content.starts_with("<!doctype html>") && content.ends_with("</html>\n")) content = "a page";
        const Json json = Json::parse(content, nullptr, false);
        for (const char* const key : {"parallax_report", "parallax_series_report", "traceEvents"})
            if (json.is_object() && json.contains(key)) content = key;
    }
    return files;
}

/// An empty file by which a series looks whether two names are one in a folder. Who is killed between making and removing it
/// leaves it to the next who writes in that very folder.
bool is_look_at_names(const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    return entry.is_regular_file() && entry.file_size() == 0 && (name.ends_with("-a") || name.ends_with("-\xc3\xa9"));
}

/// What nobody asked for, in a folder and below.
std::string hidden(const fs::path& folder, bool looks_too = true) {
    std::string names;
    if (!fs::exists(folder)) return names;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (const std::string name = entry.path().filename().string();
            name.starts_with(".") && (looks_too || !is_look_at_names(entry)) && name != ".zgroup" && name != ".zattrs" &&
            name != ".zarray")
            names += entry.path().lexically_relative(folder).generic_string() + "\n";
    return names;
}

std::string listing(const Files& files) {
    std::string text;
    for (const auto& [name, content] : files) text += name + ", " + std::to_string(content.size()) + " bytes\n";
    return text;
}

/// A folder in which a scenario is about to run: inputs, and outputs that are there already.
void set_up(const Scenario& scenario, const fs::path& folder) {
    fs::remove_all(folder);
    fs::create_directories(folder / "in");
    write_text(folder / "job.json", scenario.job);
    io::write(folder / "in/a.npy", ramp(9, 7));
    io::write(folder / "in/b.npy", ramp(9, 7));
    fs::create_directories(folder / "odd");
    io::write(folder / "odd/o.npy", ramp(8, 5));
    fs::rename(folder / "odd/o.npy", folder / "odd/o\xfe.npy");
    fs::copy_file(folder / "in/a.npy", folder / "odd/o\xff.npy");
    write_text(
        folder / "touch.json",
        R"({"parallax": 1, "steps": [{"run": "phantom", "kind": "menger", "size": 3}], "outputs": {"volume": "out/touch.npy"}})");
    write_text(
        folder / "touch_below.json",
        R"({"parallax": 1, "steps": [{"run": "phantom", "kind": "menger", "size": 3}],
            "outputs": {"volume": "out/deep/er/touch.npy"}})");
    write_text(
        folder / "touch_logs.json",
        R"({"parallax": 1, "steps": [{"run": "phantom", "kind": "menger", "size": 3}], "outputs": {"volume": "logs/touch.npy"}})");
    fs::create_directories(folder / "logs");
    if (!scenario.over_old) return;
    for (const auto& group : scenario.together)
        for (const std::string& file : group) {
            fs::create_directories((folder / ("out/" + file)).parent_path());
            write_text(folder / ("out/" + file), "old " + file);
        }
}

const std::map<std::string, std::string> environment{{"OCL_ICD_VENDORS", "/proc/none"}, {"PARALLAX_CACHE_DIR", "/proc/none"}};

std::vector<std::string> command(const char* job, const std::vector<std::string>& options) {
    const char* const program = std::getenv("PARALLAX_BIN");
    if (program == nullptr) FAIL("PARALLAX_BIN must hold the path of the program");
    std::vector<std::string> words{program, "run", job, "--device", "native"};
    if (std::string(job) == "job.json") words.push_back("--quiet");
    words.insert(words.end(), options.begin(), options.end());
    return words;
}

enum class State { before, after, mixed };

State state_of(const std::vector<std::string>& group, const Files& now, const Files& before, const Files& after) {
    const auto same = [&](const Files& other) {
        return std::all_of(group.begin(), group.end(), [&](const std::string& file) {
            const auto here = now.find(file), there = other.find(file);
            return (here == now.end()) == (there == other.end()) && (here == now.end() || here->second == there->second);
        });
    };
    return same(after) ? State::after : same(before) ? State::before : State::mixed;
}

int stride() {
    const char* const text = std::getenv("PARALLAX_KILL_STRIDE");
    return text != nullptr ? std::max(1, std::atoi(text)) : 9;
}

/// As a backup that is restored, or mv to another disk: every file has another number, and the time that it had.
void copy_in_place(const fs::path& folder) {
    const std::string from = folder.string(), to = from + "-copy";
    REQUIRE(std::system(("cp -a '" + from + "' '" + to + "'").c_str()) == 0);
    fs::remove_all(from);
    fs::rename(to, from);
}

/// As a stick of FAT that is put in again: all files have other numbers, and times of two seconds.
void mount_in_place(const fs::path& folder) {
    copy_in_place(folder);
    using TwoSeconds = std::chrono::duration<std::int64_t, std::ratio<2>>;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        fs::last_write_time(entry, std::chrono::floor<TwoSeconds>(fs::last_write_time(entry)));
}

bool is_traced() {
    const std::string reason = why_not_traced();
    if (!reason.empty()) MESSAGE("skipped: " << reason);
    return reason.empty();
}

/// How many groups of outputs were so.
struct Counts {
    int before = 0, after = 0;
};

bool has_logs(const Scenario& scenario) { return scenario.together.back().back().starts_with("../logs/"); }

/// Somebody else's job, in the same folder or in one below: each group of outputs is as it was, or all there.
void check_touched(const Scenario& scenario, const fs::path& folder, int at, const Files& before, const Files& after, Counts& counts) {
    const char* const touch = has_logs(scenario) && at % 3 == 0                    ? "touch_logs.json"
                              : at % 2 != 0 || !fs::exists(folder / "out/deep/er") ? "touch.json"
                                                                                 : "touch_below.json";
    const TracedRun next = run_traced(command(touch, {}), folder.string(), environment, {});
    REQUIRE_MESSAGE(next.status == 0, next.err);
    const Files now = results_of(folder);
    for (const auto& group : scenario.together) {
        CAPTURE(group.front());
        const State state = state_of(group, now, before, after);
        if (state == State::mixed) MESSAGE(listing(now) << hidden(folder));
        CHECK(state != State::mixed);
        counts.before += state == State::before ? 1 : 0;
        counts.after += state == State::after ? 1 : 0;
    }
    if (std::string(touch) == "touch.json") {
        CHECK(hidden(folder / "out", false) == "");
        CHECK(hidden(folder / "logs", false) == "");
    }
}

/// And again, to its end.
void check_goes_on(const Scenario& scenario, const fs::path& folder, const Files& before, const Files& after) {
    std::vector<std::string> options = scenario.options;
    std::erase(options, "--overwrite");
    options.push_back(scenario.series && has_begun(folder / "out/job.series") ? "--resume" : "--overwrite");
    const TracedRun end = run_traced(command("job.json", options), folder.string(), environment, {});
    REQUIRE_MESSAGE(end.status == 0, end.err);
    const Files at_last = results_of(folder);
    for (auto group : scenario.together) {
        std::erase(group, "../logs/trace.json");   // of a run that has nothing left to do there is none
        CHECK(state_of(group, at_last, before, after) == State::after);
    }
    CHECK(hidden(folder) == "");
}

using Copying = void (*)(const fs::path&);

/// `disk`: whose power is cut at the same moment.
void kill_everywhere(Copying copied, Disk* disk = nullptr) {
    if (!is_traced()) return;
    const TempFolder top;
    const fs::path folder = disk ? disk->folder() / "work" : top / "work";
    int all_done = 0;
    for (const Scenario& scenario : scenarios()) {
        if (copied == mount_in_place && !scenario.over_old) continue;
        if (copied && has_logs(scenario)) continue;   // what lies elsewhere knows the folder by its number
        CAPTURE(std::string(scenario.name));
        set_up(scenario, folder);
        const Files before = results_of(folder);
        const TracedRun whole = run_traced(command("job.json", scenario.options), folder.string(), environment, {});
        REQUIRE_MESSAGE(whole.status == 0, whole.err);
        REQUIRE(hidden(folder).empty());
        const Files after = results_of(folder);
        Counts counts;
        const int step = std::min((copied || disk ? 3 : 1) * stride(), std::max(1, whole.calls / (disk ? 4 : 6)));
        const int first = disk ? 1 + static_cast<int>(drawn_seed() % static_cast<unsigned>(step)) : 1;
        for (int at = first; at <= whole.calls; at += step) {
            set_up(scenario, folder);
            if (disk) disk->sync();
            const TracedRun killed =
                run_traced(command("job.json", scenario.options), folder.string(), environment,
                           {at, 0, false, disk ? std::function<void()>([&] { disk->cut(); }) : nullptr});
            if (disk) disk->mount_again();
            if (killed.status == 0) continue;   // threads: this time there were fewer calls
            CAPTURE(at);
            CAPTURE(killed.last);
            REQUIRE(killed.status == 128 + 9);
            if (copied) copied(folder);
            if (at % 4 != 0) check_touched(scenario, folder, at, before, after, counts);   // else nobody comes by before it goes on
            check_goes_on(scenario, folder, before, after);
        }
        MESSAGE(std::string(scenario.name) << ": " << whole.calls << " calls, outputs as before " << counts.before << ", as afterwards "
                                           << counts.after);
        all_done += counts.after;
    }
    CHECK(all_done > 0);
}

}  // namespace

TEST_CASE("killed before every call that changes a file: all outputs or none, and nothing left behind") { kill_everywhere(nullptr); }

TEST_CASE("killed, and copied: so it is in the copy") { kill_everywhere(copy_in_place); }

TEST_CASE("killed, and mounted again where numbers are new and times of two seconds: so it is there") {
    kill_everywhere(mount_in_place);
}

TEST_CASE("the power is cut before a call that changes a file: all outputs or none, and nothing left behind") {
    Disk disk;
    if (!disk.why_not().empty()) {
        MESSAGE("skipped: " << disk.why_not());
        return;
    }
    kill_everywhere(nullptr, &disk);
}

TEST_CASE("killed: what somebody has written since stays, in the folder and in a copy of it") {
    if (!is_traced()) return;
    const TempFolder top;
    const fs::path folder = top / "work";
    for (const Scenario& scenario : scenarios()) {
        if (std::string(scenario.name) != "three outputs, over old ones") continue;
        set_up(scenario, folder);
        const int calls = run_traced(command("job.json", scenario.options), folder.string(), environment, {}).calls;
        for (const bool copied : {false, true}) {
            for (int at = 1; at <= calls; at += std::min(stride(), 3)) {
                set_up(scenario, folder);
                if (run_traced(command("job.json", scenario.options), folder.string(), environment, {at, 0, false}).status == 0) continue;
                CAPTURE(copied);
                CAPTURE(at);
                if (copied) copy_in_place(folder);
                fs::remove(folder / "out/counts.json");
                write_text(folder / "out/counts.json", "somebody's");
                const TracedRun next = run_traced(command("touch.json", {}), folder.string(), environment, {});
                REQUIRE_MESSAGE(next.status == 0, next.err);
                CHECK(read_text(folder / "out/counts.json") == "somebody's");
                CHECK(hidden(folder / "out", false) == "");
            }
        }
    }
}

TEST_CASE("failing calls that change files: an error and no output, or all of them") {
    if (!is_traced()) return;
    const TempFolder top;
    const fs::path folder = top / "work";
    int runs = 0, errors = 0;
    for (const Scenario& scenario : scenarios()) {
        CAPTURE(std::string(scenario.name));
        set_up(scenario, folder);
        const Files before = results_of(folder);
        const TracedRun whole = run_traced(command("job.json", scenario.options), folder.string(), environment, {});
        REQUIRE_MESSAGE(whole.status == 0, whole.err);
        const Files after = results_of(folder);
        for (int at = 1; at <= whole.calls; at += stride()) {
            const int error = at % 2 != 0 ? ENOSPC : EIO;
            set_up(scenario, folder);
            const TracedRun run =
                run_traced(command("job.json", scenario.options), folder.string(), environment, {at, error, false});
            CAPTURE(at);
            CAPTURE(run.last);
            CAPTURE(run.err);
            ++runs;
            REQUIRE((run.status == 0 || run.status == 1));
            errors += run.status;
            if (run.status == 1) CHECK(run.err.find("error") != std::string::npos);
            const Files now = results_of(folder);
            for (const auto& group : scenario.together) {
                // What is made of all items is made of those that did not fail.
                if (scenario.series && run.status == 1 && &group == &scenario.together.back()) continue;
                const State state = state_of(group, now, before, after);
                CHECK(state != State::mixed);
                if (run.status == 0) CHECK(state == State::after);
            }
            // What could not be removed is removed by the next one.
            const bool removing = run.last == "unlink" || run.last == "rmdir" ||
                                  (run.last == "rename" && run.status == 0);   // of a folder that is about to go
            if (!removing) CHECK(hidden(folder) == "");
            else if (!hidden(folder).empty()) {
                for (const char* const touch : {"touch.json", "touch_below.json", "touch_logs.json"})
                    run_traced(command(touch, {}), folder.string(), environment, {});
                if (!scenario.series) CHECK(hidden(folder) == "");
            }
            if (run.status == 1) check_goes_on(scenario, folder, before, after);
        }
    }
    MESSAGE(runs << " runs, of which " << errors << " ended with an error");
    CHECK(errors > 0);
}

TEST_CASE("file systems that cannot exchange names: a store is replaced all the same, or the old one stays") {
    if (!is_traced()) return;
    const TempFolder top;
    const fs::path folder = top / "work";
    int renamings = 0, replaced = 0;
    for (const Scenario& scenario : scenarios()) {
        if (!scenario.over_old || std::string(scenario.name).find("store") == std::string::npos || scenario.series) continue;
        CAPTURE(std::string(scenario.name));
        set_up(scenario, folder);
        const Files before = results_of(folder);
        const TracedRun whole =
            run_traced(command("job.json", scenario.options), folder.string(), environment, {0, 0, true});
        REQUIRE_MESSAGE(whole.status == 0, whole.err);
        const Files after = results_of(folder);
        for (int at = 1; at <= whole.calls; ++at) {
            if (whole.log[static_cast<std::size_t>(at - 1)] != "rename") continue;
            set_up(scenario, folder);
            const TracedRun run =
                run_traced(command("job.json", scenario.options), folder.string(), environment, {at, EINVAL, false});
            CAPTURE(at);
            CAPTURE(run.err);
            ++renamings;
            replaced += run.status == 0 ? 1 : 0;
            CHECK(results_of(folder) == (run.status == 0 ? after : before));
        }
    }
    MESSAGE(renamings << " renamings that the file system did not know, " << replaced << " replaced");
    CHECK(replaced > 0);
}

TEST_CASE("file systems without hard links: several files are replaced all the same, or none") {
    if (!is_traced()) return;
    const TempFolder top;
    const fs::path folder = top / "work";
    int links = 0;
    for (const Scenario& scenario : scenarios()) {
        if (std::string(scenario.name) != "three outputs, over old ones") continue;
        set_up(scenario, folder);
        const TracedRun whole = run_traced(command("job.json", scenario.options), folder.string(), environment, {0, 0, true});
        REQUIRE_MESSAGE(whole.status == 0, whole.err);
        const Files after = results_of(folder);
        for (int at = 1; at <= whole.calls; ++at) {
            if (whole.log[static_cast<std::size_t>(at - 1)] != "link") continue;
            set_up(scenario, folder);
            const TracedRun run =
                run_traced(command("job.json", scenario.options), folder.string(), environment, {at, EPERM, false});
            CAPTURE(at);
            CAPTURE(run.err);
            ++links;
            CHECK(run.status == 0);
            CHECK(results_of(folder) == after);
            CHECK(hidden(folder) == "");
        }
    }
    CHECK(links == 3);
}
