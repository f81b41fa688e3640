// parallax history: the reports of many nights, drivers and versions, and since when a row is slower.
#include "compare/history.hpp"

#include "console.hpp"
#include "laboratory/commands.hpp"

#include <fmt/format.h>

#include <map>

namespace parallax::cli {

namespace {

struct HistoryOptions {
    std::vector<std::string> files;
    std::string by;
    bool json = false, all = false;
};

std::string word_of(const Json& value) { return value.is_string() ? value.get<std::string>() : std::string("unknown"); }

/// A line a report, by its number: what it was made with.
void print_reports(const Json& history) {
    int number = 0;
    for (const Json& report : history["reports"]) {
        std::map<std::string, bool> drivers;
        const Json& named = report["drivers"];
        for (const auto& [device, driver] : named.items()) drivers[word_of(driver)] = true;
        std::vector<std::string> words;
        for (const auto& [driver, there] : drivers) words.push_back(driver);
        say("{:>3}  {:<20}  engine {} {}  drivers {}  {}\n", number++, word_of(report["started"]), word_of(report["engine"]),
            word_of(report["revision"]), fmt::join(words, ", "), word_of(report["name"]));
    }
}

void print_rows(const Json& history, bool all) {
    for (const Json& row : history["rows"]) {
        const std::string verdict = row["verdict"].get<std::string>();
        if (!all && verdict == "same") continue;
        std::vector<std::string> ratios;
        for (const Json& point : row["points"])
            ratios.push_back(point["ratio"].is_null() ? std::string("-") : fmt::format("{:.3f}", point["ratio"].get<double>()));
        const std::string since = row["since"].is_null() ? std::string() : fmt::format("since {}", row["since"].dump());
        say("{:<16} {:<9} {}  {}{}\n", verdict, since, row["row"].get<std::string>(), fmt::join(ratios, " "),
            row["why"] == "" ? std::string() : "  " + row["why"].get<std::string>());
    }
    std::map<std::string, int> counts;
    for (const Json& row : history["rows"]) ++counts[row["verdict"].get<std::string>()];
    for (const auto& [verdict, count] : counts) tell("{} {}\n", count, verdict);
}

int show_history(const HistoryOptions& options) {
    std::vector<Json> reports;
    for (const std::string& file : options.files) reports.push_back(load_report(file));
    refuse_twice(options.files);
    const Json history = engine::compare::history_of(reports, options.files, engine::compare::span_named(options.by));
    if (options.json) {
        fmt::print("{}\n", text_of(history));
    } else {
        print_reports(history);
        say("\n");
        print_rows(history, options.all);
        for (const Json& warning : history["warnings"]) tell("warning: {}\n", warning.get<std::string>());
    }
    return engine::compare::has_worsened(history) ? 1 : 0;
}

}  // namespace

void add_history(CLI::App& app, Command& command) {
    CLI::App* sub =
        app.add_subcommand("history", "Hold later reports of a study against the first: what is slower, and since when");
    auto options = std::make_shared<HistoryOptions>();
    sub->add_option("REPORT", options->files, "report.json, report.json.gz or folders that have one, the oldest first")
        ->required();
    sub->add_option("--by", options->by, "Times that count, device or end_to_end; without it those by which the study ranks")
        ->check(CLI::IsMember({"device", "end_to_end"}));
    sub->add_flag("--all", options->all, "Rows that are the same, too");
    sub->add_flag("--json", options->json, "Print JSON");
    sub->footer(
        "Exit status: 0 nothing is worse, 1 a row of the last report is slower, gone or has another result, 2 the request was "
        "wrong.");
    sub->callback([options, &command] { command.run = [options] { return show_history(*options); }; });
}

}  // namespace parallax::cli
