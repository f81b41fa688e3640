// parallax compare: a study, or a job of one's own, on every device that it names; and the same study again, against what it was.
#include "compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "compare/budget.hpp"
#include "cases/inputs.hpp"
#include "compare/replay.hpp"
#include "compare/report_names.hpp"
#include "console.hpp"
#include "io/transaction.hpp"
#include "job/files_of_run.hpp"
#include "job/load.hpp"
#include "laboratory/commands.hpp"
#include "parallax/host/enumerate.hpp"
#include "parallax/lab.hpp"
#include "peers/peers.hpp"
#include "report/contribution.hpp"
#include "report/report.hpp"
#include "report/selection.hpp"
#include "report/unread.hpp"
#include "support/child.hpp"
#include "terminal.hpp"

namespace parallax::cli {

namespace {

namespace fs = std::filesystem;
using namespace engine::compare;

struct Options {
    std::string study, job, replay, out, device, contribute, note;
    std::vector<std::string> roots, prices, programs;
    std::optional<double> minutes;
    bool quick = false, cold_cache = false, resume = false, overwrite = false, quiet = false, json = false;
};

constexpr const char* an_earlier_report = "the report that is run again";

/// What to compare, where its files are, and the report that it is held against.
struct Asked {
    Study study;
    std::vector<Point> points;
    engine::Locations where;
    Json earlier;
};

/// The version of the engine that made a report; empty where it does not say.
std::string written_by(const Json& report) {
    if (report["sessions"].empty()) return {};
    const Json engine = report["sessions"].front().value("environment", Json::object()).value("engine", Json());
    return engine.is_string() ? engine.get<std::string>() : std::string();
}

/// "buy" and no file of that name: a study that comes with the program.
bool is_name_of_study(const std::string& given) {
    return !given.empty() && given.find_first_of("./\\") == std::string::npos && !fs::exists(engine::path_from(given));
}

Asked read(const Options& options, const engine::Registry& registry) {
    if (options.json && options.replay.empty())
        throw ConfigError("--json", "it without --replay", "--replay, of which it prints what changed", "report.json is JSON already");
    const int given = !options.study.empty() + !options.job.empty() + !options.replay.empty();
    if (given != 1)
        throw ConfigError("", fmt::format("{} of STUDY, --job and --replay", given), "one of them",
                          "parallax compare configs/studies/lb_throughput.json --out results");
    const std::string& file = !options.study.empty() ? options.study : !options.job.empty() ? options.job : options.replay;
    Asked asked;
    asked.where.job_folder = folder_of(options.replay.empty() ? engine::path_from(file) : report_file(file));
    asked.where.roots = roots_from(options.roots);
    asked.where.own.push_back({options.replay.empty() ? engine::path_from(file) : report_file(file),
                               !options.replay.empty() ? an_earlier_report : !options.job.empty() ? "the job" : "the study"});
    bool quick = options.quick;
    if (!options.replay.empty()) {
        if (quick) throw ConfigError("--quick", "it beside --replay", "--replay alone, which takes the sizes of the report");
        if (options.cold_cache)
            throw ConfigError("--cold-cache", "it beside --replay", "--replay alone, which measures as the report did");
        asked.earlier = load_report(options.replay);
        check_has_rows(asked.earlier, options.replay);
        quick = asked.earlier.value("quick", false);
        Json json = asked.earlier["study"];
        add_prices(json, options.prices);
        try {
            asked.study = parse_study(json, registry.algorithms(), quick);
            asked.points = expand(asked.study, registry.algorithms());
        } catch (const ConfigError& error) {   // of another version, or changed by hand
            const std::string wrote = written_by(asked.earlier);
            throw ConfigError("/study" + error.pointer, error.found, error.expected,
                              wrote.empty() || wrote == PARALLAX_VERSION
                                  ? error.hint
                                  : fmt::format("the report is of Parallax {}, this is " PARALLAX_VERSION, wrote));
        }
        return asked;
    }
    Json json = is_name_of_study(options.study) ? study_named(options.study) : engine::load_json(engine::path_from(file));
    if (!options.job.empty()) json = study_of_job(json, registry.algorithms(), asked.where);
    if (options.cold_cache && json.is_object()) json["sampling"]["cold_cache"] = true;
    add_prices(json, options.prices);
    asked.study = parse_study(json, registry.algorithms(), quick);
    asked.points = expand(asked.study, registry.algorithms());
    return asked;
}

/// What else is different between two reports, a line each: changes of times may come from there.
std::vector<std::string> differences(const Json& earlier, const Json& later) {
    std::vector<std::string> lines;
    const auto note = [&](const std::string& what, const Json& was, const Json& is) {
        if (was != is && was.is_string() && is.is_string())
            lines.push_back(fmt::format("{}: {} before, {} now", what, was.get<std::string>(), is.get<std::string>()));
    };
    for (const Json& device : later["devices"]) {
        for (const Json& before : earlier["devices"]) {
            if (before["label"] == device["label"])
                note("driver of " + device["label"].get<std::string>(), before["info"]["driver"], device["info"]["driver"]);
        }
    }
    if (earlier["sessions"].empty()) return lines;
    const Json was = earlier["sessions"].back().value("environment", Json::object()),
               is = later["sessions"].back().value("environment", Json::object());
    for (const char* key : {"engine", "revision", "compiler", "build", "processor", "system"})
        note(key, was.value(key, Json()), is.value(key, Json()));
    return lines;
}

void print_changes(const std::vector<Change>& changes, bool json) {
    if (json) {
        fmt::print("{}\n", text_of(to_json(changes)));
        return;
    }
    const auto sure = [](double confidence) {
        const std::string text = confidence_text(confidence);
        return text.empty() ? text : ", " + text;
    };
    std::map<std::string, int> counts;
    for (const Change& c : changes) {
        ++counts[c.verdict];
        const std::string ratio =
            c.ratio > 0 ? fmt::format("{:.3f} times as long [{:.3f}, {:.3f}{}]{}{}", c.ratio, c.low, c.high, sure(c.confidence),
                                      c.why.empty() ? "" : ": ", c.why)
                        : c.why;
        say("{:<16} {:<60} {}\n", c.verdict, c.row, ratio);
    }
    for (const auto& [verdict, count] : counts) tell("{} {}\n", count, verdict);
}

/// What the command reads, with every file of the study's inputs.
engine::FilesOfRun files_of_command(const Options& options, const Asked& asked) {
    return {[&options, &asked](engine::FilesOfRun& files) {
                files.add(asked.where.own);
                for (const Point& point : asked.points)
                    for (const auto& [name, spec] : point.inputs.items()) {
                        if (!is_read(spec)) continue;
                        try {
                            for (const fs::path& file : files_of(name, spec, asked.where)) files.add_input(file);
                        } catch (const Error&) {   // its rows will say so
                        }
                    }
                if (names_file(options.device)) files.add(std::vector{engine::OwnFile{engine::path_from(options.device), "the file of --device"}});
            },
            true};
}

/// A file that may be given away appears with the report. Throws ConfigError before hours of measuring.
void take_along(const Options& options, CompareOptions& run, engine::FilesOfRun& read) {
    const fs::path file = engine::path_from(options.contribute);
    check_contribution(file, options.overwrite, read, engine::path_from(options.out),
                       options.resume ? "use another name, or `parallax report` when the study has come to its end"
                                      : "use --overwrite to replace it");
    run.along = [file, overwrite = options.overwrite](const Json& report, io::Transaction& files) {
        files.add_beside(file, overwrite, [&](const fs::path& part) { write_contribution(report, part, true); });
    };
}

int compare(const Options& options) {
    const engine::Registry registry = engine::registry_with_peers();
    const Asked asked = read(options, registry);
    if (options.out.empty()) throw ConfigError("--out", "nothing", "a folder for the report");
    if (options.minutes) check_minutes(*options.minutes);
    CompareOptions run;
    const fs::path program = host::own_program();
    if (program.empty())
        throw Error("the system does not tell which program this is, so that no worker can be started: compare runs on Linux");
    run.worker = {program.string(), "worker"};
    run.where = asked.where;
    run.resume = options.resume;
    run.overwrite = options.overwrite;
    run.minutes = options.minutes.value_or(0);
    run.note = options.note;
    if (!options.device.empty()) run.only = device_from(options.device);
    std::vector<StudyDevice> devices =
        devices_of(asked.study, run.only ? host::enumerate(*run.only, true) : host::enumerate(), run.only);
    if (!asked.earlier.is_null() && options.device.empty()) devices = devices_again(asked.earlier, devices);
    for (const std::string& one : options.programs) {
        const std::size_t equals = std::min(one.find('='), one.size());
        add_program(devices, one.substr(0, equals), one.substr(std::min(equals + 1, one.size())));
    }
    std::vector<std::pair<std::string, std::string>> names;
    for (const StudyDevice& device : devices) names.emplace_back(device.label, device.info.name);
    check_prices(options.prices, names);
    watch_interrupts();
    run.cancelled = interrupted;
    ProgressBar bar(!options.quiet);
    std::string last;
    run.progress = [&](const std::string& what, double done) {
        bar.show(what, done);
        if (options.quiet || stderr_is_terminal() || what == last) return;
        tell("{:3.0f}%  {}\n", done * 100, what);
        last = what;
    };
    engine::FilesOfRun read_files = files_of_command(options, asked);
    // The report takes the place of nothing that it is made of, but for one that is run again.
    check_unread(engine::path_from(options.out), read_files, an_earlier_report);
    if (!options.contribute.empty()) take_along(options, run, read_files);
    run.out = make_report_folder(options.out, options.overwrite, options.resume);
    const Json found = engine::compare::run(asked.study, asked.points, devices, registry.algorithms(), run);
    bar.clear();

    for (const Json& line : found["summary"]) tell("{}\n", line.get<std::string>());
    int wrong = 0;
    const bool nothing =
        std::none_of(found["rows"].begin(), found["rows"].end(), [](const Json& row) { return row["outcome"] == "ok"; });
    for (const Json& row : found["rows"]) {
        const std::string outcome = row["outcome"].get<std::string>();
        const bool is_wrong = outcome != "ok" && outcome != "refused" && outcome != "too long" && outcome != "left out";
        if (!is_wrong && !nothing) continue;   // where nothing was timed even refusals are news
        wrong += is_wrong;
        put(indented(fmt::format("{}: {}: {}", row["id"].get<std::string>(), outcome, row.value("reason", std::string()))) + "\n");
    }
    if (!options.contribute.empty() && !options.quiet)
        put(host::printable(how_to_contribute(engine::path_from(options.contribute))) + "\n");
    bool changed = false;
    if (!asked.earlier.is_null()) {
        const std::vector<Change> changes = changes_between(asked.earlier, found);
        print_changes(changes, options.json);
        for (const std::string& line : differences(asked.earlier, found)) tell("{}\n", line);
        for (const Change& change : changes) changed = changed || is_worse(change);
    } else {
        fmt::print("{}\n", engine::to_utf8(run.out / "report.html"));
    }
    return wrong > 0 || changed ? 1 : 0;
}

}  // namespace

void add_compare(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("compare", "Compare devices and variants by a study, or a job of one's own");
    auto options = std::make_shared<Options>();
    sub->add_option("STUDY", options->study,
                    "A study file, or the name of one that comes with the program: buy (configs/studies)");
    sub->add_option("--job", options->job, "A job instead: its steps on every device");
    sub->add_option("--replay", options->replay,
                    "A report.json, or a folder that has one: run its study here and say what changed");
    sub->add_option("--out", options->out, "Folder for report.json, report.csv and report.html");
    sub->add_flag("--quick", options->quick, "The study's small sizes: a look, not a measurement");
    sub->add_option(
           "--worker", options->programs,
           "NAME=COMMAND: a program that computes the same cases by its own means, as a device beside the others (docs/peers.md)")
        ->allow_extra_args(false);
    sub->add_option("--contribute", options->contribute,
                    "Also write a file that may be given away, packed where its name ends in .gz: no names, paths, serial "
                    "numbers or images");
    sub->add_option("--note", options->note, "What readers should know of this machine, such as \"two cores, shared\"");
    sub->add_flag("--cold-cache", options->cold_cache,
                  "Leave nothing of a row's arrays in the device's caches before each sample");
    sub->add_option("--minutes", options->minutes, "In about so many minutes: what does not fit is left out, and said");
    sub->add_flag("--resume", options->resume, "Go on with an interrupted study");
    sub->add_flag("--overwrite", options->overwrite, "Replace an earlier report");
    sub->add_option("--device", options->device,
                    "Only these of the study's devices: gpu, cpu, an index, part of a name, JSON, or a .json file");
    sub->add_option("--root", options->roots, "NAME=DIR: where \"NAME:path\" in the study is")->allow_extra_args(false);
    sub->add_option("--price", options->prices, "NAME=PRICE, such as \"H200=31000 EUR\": what devices of that name cost")
        ->allow_extra_args(false);
    sub->add_flag("--quiet", options->quiet, "No progress");
    sub->add_flag("--json", options->json, "--replay: print what changed as JSON");
    sub->callback([options, &command] {
        command.origin = !options->study.empty() ? options->study : !options->job.empty() ? options->job : options->replay;
        command.run = [options] { return compare(*options); };
    });
}

void add_worker(CLI::App& app, Command& command) {
    CLI::App* sub =
        app.add_subcommand("worker", "Serves compare, tune or selftest: one device, requests on standard input")->group("");
    auto whom = std::make_shared<std::string>("compare");
    sub->add_option("WHOM", *whom, "compare, tune or selftest")->check(CLI::IsMember({"compare", "tune", "selftest"}));
    sub->callback([whom, &command] {
        command.run = [whom] {
            return lab::serve(*whom);
        };
    });
}

}  // namespace parallax::cli
