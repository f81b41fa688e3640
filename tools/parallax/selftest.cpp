// parallax selftest: does this device compute what the reference computes?
#include "commands.hpp"
#include "console.hpp"
#include "job/runner.hpp"
#include "selftest/selftest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace parallax::cli {

namespace {

using namespace engine::selftest;

struct Options {
    std::string device;
    std::vector<std::string> algorithms;
    bool quiet = false, json = false;
};

std::string what_of(const Row& row) {
    if (row.outcome != Outcome::pass) return row.reason;
    if (row.agreement.exact) return "exact";
    return row.agreement.relative > 0 ? fmt::format("within {:.1e} of the largest magnitude", row.agreement.relative) : fmt::format("within {:g}", row.agreement.max_error);
}

void print_rows(const std::vector<Row>& rows, bool peers) {
    std::size_t algorithm = 0, problem = 0, variant = 0;
    for (const Row& row : rows) {
        algorithm = std::max(algorithm, row.algorithm.size());
        problem = std::max(problem, row.problem.size());
        variant = std::max(variant, row.variant.size());
    }
    for (const Row& row : rows) {
        if (row.peer == peers) fmt::print("{:<6}  {:<{}}  {:<{}}  {:<{}}  {}\n", to_string(row.outcome), row.algorithm, algorithm, row.variant, variant, row.problem, problem, what_of(row));
    }
}

std::size_t count(const std::vector<Row>& rows, Outcome outcome) {
    return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [outcome](const Row& row) { return row.outcome == outcome; }));
}

int selftest(const Options& options) {
    const auto start = std::chrono::steady_clock::now();
    const host::Inventory inventory = host::enumerate();
    const engine::Registry registry;
    for (const std::string& name : options.algorithms) registry.get(name, "--algorithm");   // before a device is opened
    const host::Selection selection = (options.device.empty() ? host::DeviceSelector() : device_from(options.device)).select(inventory);
    engine::Engine engine(*selection.device, {host::ProgramCache::open()});
    engine::Engine judge(*inventory.native());
    const host::DeviceInfo& device = engine.device();

    ProgressBar bar(!options.quiet);
    const std::vector<Row> rows = run(engine, judge, options.algorithms, [&bar](const std::string& what, double done) { bar.show(what, done); });
    bar.clear();

    const bool sound = passed(rows);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (options.json) {
        Json list = Json::array();
        for (const Row& row : rows) list.push_back(row.to_json());
        fmt::print("{}\n", text_of({{"device", engine::to_json(device)}, {"passed", sound}, {"seconds", seconds}, {"rows", std::move(list)}}));
    } else {
        fmt::print("{} ({}, driver {})\n\n", device.name, device.platform, device.driver);
        print_rows(rows, false);
        if (std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.peer; })) {
            fmt::print("\nothers' libraries\n");
            print_rows(rows, true);
        }
        fmt::print("\n{} passed, {} refused, {} failed, in {:.1f} s\n", count(rows, Outcome::pass), count(rows, Outcome::refused), count(rows, Outcome::failed), seconds);
    }
    return sound ? 0 : 1;
}

}  // namespace

void add_selftest(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("selftest", "Hold every algorithm and variant on a device against its reference");
    auto options = std::make_shared<Options>();
    sub->add_option("--device", options->device, "Which device: gpu, cpu, an index, part of a name, JSON, or a .json file");
    sub->add_option("--algorithm", options->algorithms, "Only these algorithms");
    sub->add_flag("--quiet", options->quiet, "No progress");
    sub->add_flag("--json", options->json, "Print JSON");
    sub->footer("Exit status: 0 all passed or refused, 1 a variant failed, 2 the request was wrong.");
    sub->callback([options, &command] { command.run = [options] { return selftest(*options); }; });
}

}  // namespace parallax::cli
