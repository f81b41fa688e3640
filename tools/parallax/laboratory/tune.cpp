// parallax tune: the fastest policy of each variant on a device, for the jobs that come after.
#include "laboratory/commands.hpp"
#include "support/child.hpp"
#include "study/expand.hpp"
#include "console.hpp"
#include "job/load.hpp"
#include "job/paths.hpp"
#include "job/runner.hpp"
#include "support/temporary_folder.hpp"
#include "terminal.hpp"
#include "tune/own_problems.hpp"
#include "tune/tune.hpp"
#include "parallax/host/enumerate.hpp"
#include "peers/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace parallax::cli {

namespace {

using namespace engine::tune;
namespace compare = engine::compare;

struct Options {
    std::string device, from, out = "configs/tuning";
    std::vector<std::string> algorithms, variants, types, sizes, roles, roots;
    double seconds = 10, limit = 120;
    int candidates = 200;
    bool quick = false, again = false, list = false, quiet = false, json = false;
};

std::vector<engine::Role> roles_of(const std::vector<std::string>& names) {
    const std::vector<std::pair<std::string, engine::Role>> known{{"best", engine::Role::best},
                                                                  {"plain", engine::Role::plain},
                                                                  {"baseline", engine::Role::baseline},
                                                                  {"seed", engine::Role::baseline}};
    std::vector<engine::Role> roles;
    for (const std::string& name : names) {
        const auto role = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.first == name; });
        if (role == known.end())
            throw ConfigError("--role", fmt::format("\"{}\"", name), "best, plain or baseline",
                              did_you_mean(name, {"best", "plain", "baseline"}));
        roles.push_back(role->second);
    }
    return roles;
}

std::string milliseconds(double seconds) { return seconds > 0 ? fmt::format("{:.4g}", 1e3 * seconds) : ""; }
std::string work_of(const Task& task) {
    return task.set->work.type.empty() ? task.set->work.size : fmt::format("{} {}", task.set->work.type, task.set->work.size);
}

/// Columns as wide as what stands in them.
void print_table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += fmt::format("{:<{}}", row[i], i + 1 < row.size() ? widths[i] + 2 : 0);
        fmt::print("{}\n", line);
    }
}

std::string outcome_of(const Result& result) {
    if (result.verdict == Verdict::tuned) return result.policy.dump();
    return result.verdict == Verdict::defaults ? "defaults: " + result.reason
                                               : fmt::format("{}: {}", to_string(result.verdict), result.reason);
}

/// A user's own job or study: what it computes, and where it would run.
struct Own {
    compare::Study study;
    std::vector<compare::Point> points;
    engine::Locations where;
    host::DeviceSelector device;
};

Own read_own(const Options& asked, const std::vector<engine::Algorithm>& algorithms) {
    Own own;
    const std::filesystem::path file = engine::path_from(asked.from);
    own.where.job_folder = folder_of(file);
    own.where.roots = roots_from(asked.roots);
    Json json = engine::load_json(file);
    if (!json.is_object() || (!json.contains("parallax") && !json.contains("parallax_study")))
        throw ConfigError("", "neither a job nor a study in " + asked.from,
                          R"(a job ("parallax": 1) or a study ("parallax_study": 1))");
    if (json.contains("parallax")) {
        if (asked.quick) throw ConfigError("--quick", "a job", "a study, which may have small sizes");
        own.device = parse_job(json, algorithms).device;
        json = compare::study_of_job(json, algorithms, own.where);
    }
    own.study = compare::parse_study(json, algorithms, asked.quick);
    own.points = compare::expand(own.study, algorithms);
    return own;
}

/// For the inputs of a job's own problems. Throws IoError.
void make(std::optional<host::TemporaryFolder>& scratch) {
    try {
        scratch.emplace("tune");
    } catch (const std::filesystem::filesystem_error& error) {
        throw IoError(engine::to_utf8(error.path1()), "the temporary folder cannot be made: " + error.code().message(),
                      "TMPDIR says where it would be");
    }
}

int list(const host::DeviceInfo& device, const engine::Registry& registry, const TuneOptions& options, bool json) {
    Json tasks = Json::array();
    std::vector<std::vector<std::string>> rows{{"algorithm", "variant", "work", "policies", "problem"}};
    std::size_t open = 0;
    for (const Task& task : tasks_of(device, registry, options)) {
        const std::uint64_t size = Space::of(task.variant->policy).size();
        rows.push_back({task.algorithm->name, task.variant->name, work_of(task), std::to_string(size),
                        task.set->problem.name + (task.present ? " (tuned already)" : "")});
        tasks.push_back({{"algorithm", task.algorithm->name},
                         {"variant", task.variant->name},
                         {"work", work_of(task)},
                         {"policies", size},
                         {"problem", task.set->problem.name},
                         {"present", task.present}});
        open += task.present ? 0 : 1;
    }
    if (json) {
        fmt::print("{}\n", text_of(tasks));
        return 0;
    }
    print_table(rows);
    tell("{} searches on {}, at most {:.0f} s of them and about as long for references and comparisons\n", open, device.name,
         static_cast<double>(open) * options.budget.seconds);
    return 0;
}

void print_results(const std::vector<Result>& results) {
    std::vector<std::vector<std::string>> rows{{"algorithm", "variant", "work", "default ms", "tuned ms", "gain", "policy"}};
    for (const Result& r : results) {
        const bool timed = r.verdict == Verdict::tuned || r.verdict == Verdict::defaults;
        rows.push_back({r.task.algorithm->name, r.task.variant->name + (r.best ? " *" : ""), work_of(r.task),
                        timed ? milliseconds(r.default_s) : "", timed ? milliseconds(r.tuned_s) : "",
                        timed ? fmt::format("{:.2f}", r.gain) : "", outcome_of(r)});
    }
    if (results.empty()) return;
    print_table(rows);
    if (std::any_of(results.begin(), results.end(), [](const Result& r) { return r.best; }))
        fmt::print("* the fastest variant for such work: jobs that name none take it\n");
}

std::size_t count(const std::vector<Result>& results, Verdict verdict) {
    return static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(), [verdict](const Result& r) { return r.verdict == verdict; }));
}

int tune(const Options& asked) {
    TuneOptions options;
    options.algorithms = asked.algorithms;
    options.variants = asked.variants;
    options.types = asked.types;
    options.sizes = asked.sizes;
    if (!asked.roles.empty()) options.roles = roles_of(asked.roles);
    options.budget = {asked.seconds, asked.candidates};
    if (!(asked.seconds > 0)) throw ConfigError("--seconds", fmt::format("{}", asked.seconds), "a number above 0");
    if (!(asked.limit > 0)) throw ConfigError("--limit", fmt::format("{}", asked.limit), "a number above 0");
    if (asked.candidates < 1) throw ConfigError("--candidates", fmt::format("{}", asked.candidates), "an integer of at least 1");
    if (asked.out.empty()) throw ConfigError("--out", "an empty path", "a folder");
    options.out = engine::path_from(asked.out);
    options.again = asked.again;
    options.builders = builders_here();

    if (asked.from.empty() && asked.quick) throw ConfigError("--quick", "no --from", "--quick beside --from STUDY");
    if (asked.from.empty() && !asked.roots.empty()) throw ConfigError("--root", "no --from", "--root beside --from JOB");
    const engine::Registry registry = engine::registry_with_peers();
    for (const std::string& name : asked.algorithms) registry.get(name, "ALGORITHM");   // before a device is opened
    std::optional<Own> own;
    if (!asked.from.empty()) own = read_own(asked, registry.algorithms());
    const host::DeviceSelector wanted = !asked.device.empty() ? device_from(asked.device)
                                        : own                 ? own->device
                                                              : host::DeviceSelector();
    const host::Inventory inventory = host::enumerate(wanted);
    const host::Selection selection = wanted.select(inventory);
    const host::DeviceInfo& device = selection.device->info();
    require_policies(device);
    watch_interrupts();
    ProgressBar bar(!asked.quiet);
    std::optional<host::TemporaryFolder> scratch;
    if (own) {
        require_writable(options);
        if (!asked.list) make(scratch);
        engine::Engine judge(*inventory.native(), registry);
        options.own =
            problem_sets_of({own->study, own->points, own->where, engine::to_utf8(engine::path_from(asked.from).filename())},
                            judge, scratch ? scratch->path() : std::filesystem::path(), [&bar](const std::string& what) {
                                bar.show(what, 0);
                                if (interrupted()) throw CancelledError("stopped on request: nothing was tuned yet");
                            });
        bar.clear();
    }
    if (asked.list) return list(device, registry, options, asked.json);
    const std::filesystem::path program = host::own_program();
    if (program.empty())
        throw Error("the system does not tell which program this is, so that no worker can be started: tune runs on Linux");
    options.worker = {program.string(), "worker", "tune"};
    options.limit_s = asked.limit;

    options.cancelled = interrupted;
    std::string last;
    options.progress = [&](const std::string& what, double done) {
        bar.show(what, done);
        const std::string task = what.substr(0, what.find(','));
        if (asked.quiet || stderr_is_terminal() || task == last) return;
        tell("{:3.0f}%  {}\n", done * 100, task);
        last = task;
    };
    const Tuned tuned = run(device, registry, options);
    bar.clear();

    if (asked.json) {
        fmt::print("{}\n", text_of(to_json(tuned, device)));
    } else {
        print_results(tuned.results);
    }
    for (const Result& r : tuned.results)
        for (const std::string& lost : r.lost)
            tell("{} {} {}: passed over {}\n", r.task.algorithm->name, r.task.variant->name, work_of(r.task), lost);
    const bool any = count(tuned.results, Verdict::tuned) + count(tuned.results, Verdict::defaults) > 0;
    tell("{} tuned, {} best with their defaults, {} refused, {} failed, in {:.0f} s{}\n", count(tuned.results, Verdict::tuned),
         count(tuned.results, Verdict::defaults), count(tuned.results, Verdict::refused), count(tuned.results, Verdict::failed),
         tuned.seconds, any ? "; entries are in " + asked.out : "");
    if (tuned.results.empty() && tuned.ended.empty())
        tell("nothing was left to tune: --again does what has an entry once more, --list shows what there is{}\n",
             own ? " (not every algorithm has policies)" : "");
    if (!tuned.ended.empty()) tell("{}: what was found until then is kept, and the same command goes on\n", tuned.ended);
    return tuned.ended.empty() && count(tuned.results, Verdict::failed) == 0 ? 0 : 1;
}

}  // namespace

void add_tune(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand(
        "tune", "Find each variant's fastest policy on a device: verified, timed against the defaults, kept for later jobs");
    auto options = std::make_shared<Options>();
    sub->add_option("ALGORITHM", options->algorithms, "Only these algorithms");
    sub->add_option("--device", options->device, "Which device: gpu, cpu, an index, part of a name, JSON, or a .json file");
    sub->add_option("--from", options->from,
                    "A job or a study of your own: what it computes, at its sizes, instead of the program's problems");
    sub->add_flag("--quick", options->quick, "--from STUDY: its small sizes");
    sub->add_option("--root", options->roots, "NAME=DIR: where \"NAME:path\" in --from is")->allow_extra_args(false);
    sub->add_option("--variant", options->variants, "Only these variants")->allow_extra_args(false);
    sub->add_option("--role", options->roles, "Only variants of these roles: best, plain, baseline")->allow_extra_args(false);
    sub->add_option("--type", options->types, "Only these element types, such as f32")->allow_extra_args(false);
    sub->add_option("--size", options->sizes, "Only these classes: small (inputs below 1 MiB), medium (below 64 MiB), large")
        ->allow_extra_args(false);
    sub->add_option("--seconds", options->seconds, "Budget of each search: a variant on one type and size")
        ->capture_default_str();
    sub->add_option("--candidates", options->candidates, "The same in policies tried")->capture_default_str();
    sub->add_option("--limit", options->limit, "Seconds after which a candidate that does not answer has hung and is passed over")
        ->capture_default_str();
    sub->add_option("--out", options->out, "Folder of the tuning files")->capture_default_str();
    sub->add_flag("--again", options->again, "Search anew what this device, driver and version have an entry for");
    sub->add_flag("--list", options->list, "Say what would be searched, and search nothing");
    sub->add_flag("--quiet", options->quiet, "No progress");
    sub->add_flag("--json", options->json, "Print JSON");
    sub->footer("Jobs use a new entry once the engine is built anew, or at once with PARALLAX_TUNING=FOLDER.\n"
                "Exit status: 0 done, 1 a search failed or was interrupted, 2 the request was wrong.");
    sub->callback([options, &command] {
        command.origin = options->from;
        command.run = [options] { return tune(*options); };
    });
}

}  // namespace parallax::cli
