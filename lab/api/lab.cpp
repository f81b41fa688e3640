#include "parallax/lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "compare/budget.hpp"
#include "compare/compare.hpp"
#include "compare/history.hpp"
#include "compare/replay.hpp"
#include "compare/worker.hpp"
#include "job/load.hpp"
#include "parallax/host/enumerate.hpp"
#include "peers/peers.hpp"
#include "report/report.hpp"
#include "selftest/selftest.hpp"
#include "selftest/worker.hpp"
#include "support/child.hpp"
#include "support/given_path.hpp"
#include "tune/tune.hpp"
#include "tune/worker.hpp"

namespace parallax::lab {

namespace {

namespace fs = std::filesystem;

std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

Json parse(const std::string& text, const std::string& name) { return engine::parse_json(text, name); }

std::vector<std::string> worker_of(const Options& options, const std::string& whom) {
    return {host::program_path(host::check_path(options.program, "program")).string(), "worker", whom};
}

engine::Locations locations_of(const CompareOptions& options) {
    engine::Locations where;
    where.job_folder = engine::path_from(host::check_path(options.folder, "--folder"));
    for (const auto& [name, folder] : options.roots) {
        engine::check_root_name(name, "--root");
        where.roots.emplace(name, engine::path_from(host::check_path(folder, "--root")));
    }
    return where;
}

/// What an engine's function is to follow, whichever it is.
template <class To>
void follow(const Options& options, To& to) {
    to.cancelled = [cancel = options.cancel] { return cancel.cancelled(); };
    if (!options.progress) return;
    to.progress = [tell = options.progress, one = std::make_shared<std::mutex>()](const std::string& what, double done) {
        const std::lock_guard lock(*one);
        tell(what, done);
    };
}

/// Reports and what they are called in errors.
struct Reports {
    std::vector<Json> reports;
    std::vector<std::string> names;
};

Reports read_reports(const std::vector<std::string>& texts) {
    Reports read;
    for (const std::string& text : texts) {
        read.names.push_back(fmt::format("report {}", read.names.size() + 1));
        read.reports.push_back(parse(text, read.names.back()));
        engine::compare::check_report(read.reports.back(), read.names.back());
    }
    return read;
}

std::shared_ptr<const host::Device> device_of(const Options& options) {
    const host::DeviceSelector wanted =
        options.device.empty() ? host::DeviceSelector() : host::DeviceSelector::parse_spec(options.device);
    return wanted.select(host::enumerate(wanted)).device;
}

}  // namespace

std::string study(const std::string& name) { return text_of(engine::compare::study_named(name)); }

std::string compare(const std::string& text, const CompareOptions& options) {
    if (options.minutes != 0) engine::compare::check_minutes(options.minutes);
    const engine::Registry registry = engine::registry_with_peers();
    engine::compare::CompareOptions run;
    run.where = locations_of(options);
    Json json = parse(text, "the study");
    if (json.is_object() && json.contains("parallax"))
        json = engine::compare::study_of_job(json, registry.algorithms(), run.where);
    const engine::compare::Study study = engine::compare::parse_study(json, registry.algorithms(), options.quick);
    const auto points = engine::compare::expand(study, registry.algorithms());
    run.out = engine::compare::make_report_folder(host::check_path(options.out, "--out"), options.overwrite);
    run.worker = worker_of(options, "compare");
    run.resume = options.resume;
    run.overwrite = options.overwrite;
    run.minutes = options.minutes;
    if (!options.device.empty()) run.only = host::DeviceSelector::parse_spec(options.device);
    follow(options, run);
    auto devices = engine::compare::devices_of(study, run.only ? host::enumerate(*run.only, true) : host::enumerate(), run.only);
    for (const auto& [name, command] : options.programs) engine::compare::add_program(devices, name, command);
    return text_of(engine::compare::run(study, points, devices, registry.algorithms(), run));
}

std::string changes(const std::string& earlier, const std::string& later) {
    const Json was = parse(earlier, "the earlier report"), is = parse(later, "the later report");
    engine::compare::check_report(was, "the earlier report");
    engine::compare::check_report(is, "the later report");
    engine::compare::check_same_study(was, is, "the earlier report", "the later report");
    engine::compare::check_has_rows(was, "the earlier report");
    return text_of(engine::compare::to_json(engine::compare::changes_between(was, is)));
}

std::string history(const std::vector<std::string>& reports, const std::string& by) {
    const std::optional<engine::compare::Span> span = engine::compare::span_named(by);
    if (!by.empty() && !span) throw ConfigError("by", "\"" + by + "\"", "device or end_to_end");
    const Reports read = read_reports(reports);
    return text_of(engine::compare::history_of(read.reports, read.names, span));
}

bool worse(const std::string& history) {
    const Json json = parse(history, "a history");
    if (!json.is_object() || !json.contains("parallax_history")) throw ConfigError("", "no history", "what history() returned");
    return engine::compare::has_worsened(json);
}

std::string merge(const std::vector<std::string>& reports, const std::string& out, bool overwrite) {
    const Reports read = read_reports(reports);
    const fs::path folder = fs::absolute(engine::path_from(host::check_path(out, "--out")));
    engine::writable_ancestor(folder / "report.json", "--out");
    const Json merged = engine::compare::merge(read.reports, read.names);
    engine::compare::write_report(merged, folder, overwrite);
    return text_of(merged);
}

std::string self_test(const SelfTestOptions& options) {
    const engine::Registry registry = engine::registry_with_peers();
    for (const std::string& name : options.algorithms) registry.get(name, "--algorithm");   // before a device is opened
    engine::selftest::Options run{options.algorithms, options.thorough, options.workers, options.limit_s,
                                  worker_of(options, "selftest")};
    follow(options, run);
    const host::DeviceInfo device = device_of(options)->info();
    return text_of(to_json(engine::selftest::test_and_remember(device, registry, run), device));
}

bool passed(const std::string& self_test) {
    const Json result = parse(self_test, "the result of a self-test");
    const auto found = result.is_object() ? result.find("passed") : result.end();
    if (found == result.end() || !found->is_boolean())
        throw ConfigError("", "no \"passed\"", "what self_test() returned");
    return found->get<bool>();
}

std::string tune(const TuneOptions& options) {
    const engine::Registry registry = engine::registry_with_peers();
    engine::tune::TuneOptions run;
    run.algorithms = options.algorithms;
    run.variants = options.variants;
    if (!(options.seconds > 0)) throw ConfigError("--seconds", fmt::format("{}", options.seconds), "a number above 0");
    if (!(options.limit_s > 0)) throw ConfigError("--limit", fmt::format("{}", options.limit_s), "a number above 0");
    if (options.out.empty()) throw ConfigError("--out", "an empty path", "a folder");
    for (const std::string& name : options.algorithms) registry.get(name, "ALGORITHM");
    run.budget.seconds = options.seconds;
    run.out = engine::path_from(host::check_path(options.out, "--out"));
    run.again = options.again;
    run.builders = engine::tune::builders_here();
    run.worker = worker_of(options, "tune");
    run.limit_s = options.limit_s;
    follow(options, run);
    const host::DeviceInfo device = device_of(options)->info();
    engine::tune::require_policies(device);
    return text_of(to_json(engine::tune::run(device, registry, run), device));
}

int serve(const std::string& whom) {
    if (whom == "compare") return engine::compare::serve();
    if (whom == "selftest") return engine::selftest::serve();
    if (whom == "tune") return engine::tune::serve();
    throw ConfigError("", fmt::format("a worker of \"{}\"", whom), "compare, tune or selftest");
}

}  // namespace parallax::lab
