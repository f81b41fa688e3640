// parallax selftest: does this device compute what the reference computes?
#include "support/child.hpp"
#include "laboratory/commands.hpp"
#include "console.hpp"
#include "core/verdicts.hpp"
#include "job/report.hpp"
#include "parallax/host/enumerate.hpp"
#include "selftest/selftest.hpp"
#include "terminal.hpp"
#include "peers/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace parallax::cli {

namespace {

using namespace engine::selftest;

struct Asked {
    std::string device;
    std::vector<std::string> algorithms;
    int workers = 0;
    double limit = 300;
    bool thorough = false, forget = false, quiet = false, json = false;
};

std::string how_close(const Row& row) {
    if (row.exact()) return "exact";
    const double relative = row.agreement.value("relative", 0.0);
    return relative > 0 ? fmt::format("within {:.1e}", relative)
                        : fmt::format("within {:g}", row.agreement.value("max_error", 0.0));
}

std::size_t count(const std::vector<Row>& rows, Outcome outcome) {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [outcome](const Row& row) { return row.outcome == outcome; }));
}

/// A line for each algorithm, or each library of others.
void print_table(const std::vector<Row>& rows, const char* title, bool peers) {
    std::vector<std::pair<std::string, std::vector<Row>>> lines;
    for (const Row& row : rows) {
        if (row.peer != peers) continue;
        const std::string& name = peers ? row.variant : row.algorithm;
        const auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.first == name; });
        (line != lines.end() ? *line : lines.emplace_back(name, std::vector<Row>())).second.push_back(row);
    }
    if (lines.empty()) return;
    fmt::print("\n{:<18}  {:>6}  {:>7}  {:>6}  {}\n", title, "passed", "refused", "failed", "furthest from the reference");
    for (const auto& [name, own] : lines) {
        const Row* worst = nullptr;
        for (const Row& row : own) {
            if (row.outcome != Outcome::pass) continue;
            if (worst == nullptr || row.agreement.value("relative", 0.0) > worst->agreement.value("relative", 0.0)) worst = &row;
        }
        fmt::print("{:<18}  {:>6}  {:>7}  {:>6}  {}\n", name, count(own, Outcome::pass), count(own, Outcome::refused),
                   count(own, Outcome::failed), worst ? how_close(*worst) : "");
    }
}

void print_failures(const std::vector<Row>& rows) {
    for (const Row& row : rows)
        if (row.outcome == Outcome::failed)
            fmt::print("\nfail  {} {} ({})\n      {}\n", row.algorithm, row.variant, row.problem, row.reason);
}

/// Of these algorithms; none: of all.
int forget(const host::DeviceInfo& device, const std::vector<std::string>& algorithms, bool json) {
    std::size_t known = 0;
    const auto left = engine::change_verdicts(device, [&](std::vector<engine::Verdict> verdicts) {
        known = std::erase_if(verdicts, [&](const engine::Verdict& v) {
            return algorithms.empty() || std::find(algorithms.begin(), algorithms.end(), v.algorithm) != algorithms.end();
        });
        return verdicts;
    });
    if (json)
        fmt::print("{}\n", text_of(Json{{"device", engine::to_json(device)}, {"forgotten", known}, {"kept", left.size()}}));
    else fmt::print("{} of {} forgotten\n", known == 1 ? "1 failure" : fmt::format("{} failures", known), device.name);
    return 0;
}

int selftest(const Asked& asked) {
    if (std::isnan(asked.limit)) throw ConfigError("--limit", "nan", "seconds");   // between any two numbers, for CLI11
    const engine::Registry registry = engine::registry_with_peers();
    for (const std::string& name : asked.algorithms) registry.get(name, "--algorithm");   // before a device is opened
    const host::DeviceSelector selector = asked.device.empty() ? host::DeviceSelector() : device_from(asked.device);
    const host::Inventory inventory = host::enumerate(selector);
    const host::Selection selection = selector.select(inventory);
    const host::DeviceInfo& device = selection.device->info();
    if (asked.forget) return forget(device, asked.algorithms, asked.json);
    const std::filesystem::path program = host::own_program();
    Options options{asked.algorithms, asked.thorough, asked.workers, asked.limit, {}};
    if (!program.empty())
        options.worker = {program.string(), "worker", "selftest"};   // else the system has no other process for us
    ProgressBar bar(!asked.quiet);
    std::mutex mutex;
    options.progress = [&](const std::string& what, double done) {
        const std::lock_guard lock(mutex);
        bar.show(what, done);
    };
    options.cancelled = interrupted;
    const Tested tested = test_and_remember(device, registry, options);
    bar.clear();
    const std::vector<Row>& rows = tested.rows;
    const bool sound = passed(rows);
    if (asked.json) {
        fmt::print("{}\n", text_of(to_json(tested, device)));
        return sound ? 0 : 1;
    }
    fmt::print("{} ({}, driver {})\n", device.name, device.platform, device.driver);
    print_table(rows, "algorithm", false);
    print_table(rows, "others' libraries", true);
    print_failures(rows);
    if (!tested.verdicts.empty()) fmt::print("\n");
    for (const engine::Verdict& v : tested.verdicts)
        fmt::print("{} {} is not chosen for {} on this device until it passes; --forget lets it be used\n", v.algorithm,
                   v.variant, v.type.empty() ? "any input" : v.type);
    fmt::print("\n{} passed, {} refused, {} failed, in {:.1f} s\n", count(rows, Outcome::pass), count(rows, Outcome::refused),
               count(rows, Outcome::failed), tested.seconds);
    return sound ? 0 : 1;
}

}  // namespace

void add_selftest(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("selftest", "Hold every algorithm and variant on a device against its reference");
    auto options = std::make_shared<Asked>();
    sub->add_option("--device", options->device, "Which device: gpu, cpu, an index, part of a name, JSON, or a .json file");
    sub->add_option("--algorithm", options->algorithms, "Only these algorithms");
    sub->add_flag("--thorough", options->thorough, "Every variant, type, operation and size with each other: minutes to hours");
    sub->add_option("--workers", options->workers, "Processes that compile and run side by side; 0: one a core, 8 at most")
        ->check(CLI::Range(0, 256));
    sub->add_option("--limit", options->limit, "Seconds after which a row has failed")->check(CLI::PositiveNumber);
    sub->add_flag("--forget", options->forget,
                  "Forget what failed on this device before, of these algorithms or all, and do nothing else");
    sub->add_flag("--quiet", options->quiet, "No progress");
    sub->add_flag("--json", options->json, "Print JSON");
    sub->footer("Exit status: 0 all passed or refused, 1 a variant failed, 2 the request was wrong.");
    sub->callback([options, &command] { command.run = [options] { return selftest(*options); }; });
}

}  // namespace parallax::cli
