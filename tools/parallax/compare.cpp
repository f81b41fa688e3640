// parallax compare: a study, or a job of one's own, on every device that it names; and the same study again, against what it was.
#include "commands.hpp"
#include "console.hpp"
#include "child.hpp"
#include "compare/compare.hpp"
#include "compare/replay.hpp"
#include "compare/report.hpp"
#include "compare/worker.hpp"
#include "job/load.hpp"
#include "terminal.hpp"
#include "tune/worker.hpp"

#include <fmt/format.h>

namespace parallax::cli {

namespace {

namespace fs = std::filesystem;
using namespace engine::compare;

struct Options {
    std::string study, job, replay, out, device;
    std::vector<std::string> roots;
    bool quick = false, resume = false, overwrite = false, quiet = false, json = false;
};

/// What to compare, where its files are, and the report that it is held against.
struct Asked {
    Study study;
    engine::Locations where;
    Json earlier;
};

Asked read(const Options& options, const engine::Registry& registry) {
    const int given = !options.study.empty() + !options.job.empty() + !options.replay.empty();
    if (given != 1) throw ConfigError("", fmt::format("{} of STUDY, --job and --replay", given), "one of them", "parallax compare configs/studies/lb_throughput.json --out results");
    const std::string& file = !options.study.empty() ? options.study : !options.job.empty() ? options.job : options.replay;
    Asked asked;
    asked.where.job_folder = engine::path_from(file).parent_path();
    if (asked.where.job_folder.empty()) asked.where.job_folder = ".";
    asked.where.roots = roots_from(options.roots);
    Json json = engine::load_json(engine::path_from(file));
    if (!options.job.empty()) json = study_of_job(json, registry.algorithms(), asked.where);
    bool quick = options.quick;
    if (!options.replay.empty()) {
        check_report(json, options.replay);
        asked.earlier = std::move(json);
        json = asked.earlier["study"];   // after --quick, where it had it
        quick = asked.earlier.value("quick", false);
    }
    asked.study = parse_study(json, registry.algorithms(), quick);
    return asked;
}

void print_changes(const std::vector<Change>& changes, bool json) {
    if (json) {
        Json list = Json::array();
        for (const Change& c : changes)
            list.push_back({{"row", c.row}, {"device", c.device}, {"verdict", c.verdict}, {"ratio", c.ratio > 0 ? Json(c.ratio) : Json()}, {"low", c.low}, {"high", c.high}, {"why", c.why}});
        fmt::print("{}\n", text_of(list));
        return;
    }
    std::map<std::string, int> counts;
    for (const Change& c : changes) {
        ++counts[c.verdict];
        const std::string ratio = c.ratio > 0 ? fmt::format("{:.3f} times [{:.3f}, {:.3f}]", c.ratio, c.low, c.high) : c.why;
        fmt::print("{:<16} {:<60} {}\n", c.verdict, c.row, ratio);
    }
    for (const auto& [verdict, count] : counts) fmt::print(stderr, "{} {}\n", count, verdict);
}

int compare(const Options& options) {
    if (options.out.empty()) throw ConfigError("--out", "nothing", "a folder for the report");
    const engine::Registry registry;
    const Asked asked = read(options, registry);
    const std::vector<Point> points = expand(asked.study, registry.algorithms());
    CompareOptions run;
    run.out = fs::absolute(engine::path_from(options.out));
    const fs::path report = run.out / "report.json";
    if (fs::exists(report) && !options.overwrite) {
        throw ConfigError("--out", fmt::format("the existing report {}", engine::to_utf8(report)), "a folder without one", "use --overwrite to replace it");
    }
    std::error_code error;
    fs::create_directories(run.out, error);
    if (error) throw IoError(options.out, "the folder cannot be made: " + error.message());
    const fs::path program = host::own_program();
    if (program.empty()) throw Error("the system does not tell which program this is, so that no worker can be started: compare runs on Linux");
    run.worker = {program.string(), "worker"};
    run.where = asked.where;
    run.resume = options.resume;
    run.overwrite = options.overwrite;
    if (!options.device.empty()) run.only = device_from(options.device);
    const std::vector<StudyDevice> devices = devices_of(asked.study, host::enumerate(), run.only);

    watch_interrupts();
    run.cancelled = interrupted;
    ProgressBar bar(!options.quiet);
    std::string last;
    run.progress = [&](const std::string& what, double done) {
        bar.show(what, done);
        if (options.quiet || stderr_is_terminal() || what == last) return;
        fmt::print(stderr, "{:3.0f}%  {}\n", done * 100, what);
        last = what;
    };
    const Json found = engine::compare::run(asked.study, points, devices, registry.algorithms(), run);
    bar.clear();

    for (const Json& line : found["summary"]) fmt::print(stderr, "{}\n", line.get<std::string>());
    int wrong = 0;
    for (const Json& row : found["rows"]) {
        const std::string outcome = row["outcome"].get<std::string>();
        if (outcome == "ok" || outcome == "refused" || outcome == "too long") continue;
        ++wrong;
        fmt::print(stderr, "{}: {}: {}\n", row["id"].get<std::string>(), outcome, row.value("reason", std::string()));
    }
    bool changed = false;
    if (!asked.earlier.is_null()) {
        const std::vector<Change> changes = changes_between(asked.earlier, found);
        print_changes(changes, options.json);
        for (const Change& change : changes) changed = changed || change.verdict == "different result";
    } else {
        fmt::print("{}\n", engine::to_utf8(run.out / "report.html"));
    }
    return wrong > 0 || changed ? 1 : 0;
}

}  // namespace

void add_compare(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("compare", "Compare devices and variants by a study, or a job of one's own");
    auto options = std::make_shared<Options>();
    sub->add_option("STUDY", options->study, "The study file (configs/studies)");
    sub->add_option("--job", options->job, "A job instead: its steps on every device");
    sub->add_option("--replay", options->replay, "A report.json: run its study here and say what changed");
    sub->add_option("--out", options->out, "Folder for report.json, report.csv and report.html");
    sub->add_flag("--quick", options->quick, "The study's small sizes: a look, not a measurement");
    sub->add_flag("--resume", options->resume, "Go on with an interrupted study");
    sub->add_flag("--overwrite", options->overwrite, "Replace an earlier report");
    sub->add_option("--device", options->device, "Only these of the study's devices: gpu, cpu, an index, part of a name, JSON, or a .json file");
    sub->add_option("--root", options->roots, "NAME=DIR: where \"NAME:path\" in the study is")->allow_extra_args(false);
    sub->add_flag("--quiet", options->quiet, "No progress");
    sub->add_flag("--json", options->json, "--replay: print what changed as JSON");
    sub->callback([options, &command] {
        command.origin = !options->study.empty() ? options->study : !options->job.empty() ? options->job : options->replay;
        command.run = [options] { return compare(*options); };
    });
}

void add_worker(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("worker", "Serves compare or tune: one device, requests on standard input")->group("");
    auto whom = std::make_shared<std::string>("compare");
    sub->add_option("WHOM", *whom, "compare or tune")->check(CLI::IsMember({"compare", "tune"}));
    sub->callback([whom, &command] { command.run = [whom] { return *whom == "tune" ? engine::tune::serve() : serve(); }; });
}

}  // namespace parallax::cli
