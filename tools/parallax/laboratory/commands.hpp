// The commands that need the laboratory, a file each.
#pragma once

#include "../commands.hpp"

namespace parallax::cli {

void add_compare(CLI::App&, Command&);
void add_report(CLI::App&, Command&);
void add_history(CLI::App&, Command&);
void add_results(CLI::App&, Command&);
void add_rates(CLI::App&, Command&);
void add_tune(CLI::App&, Command&);
void add_selftest(CLI::App&, Command&);
void add_schema(CLI::App&, Command&);
/// Hidden: what compare starts for each device.
void add_worker(CLI::App&, Command&);
/// Hidden: what tools/generate calls.
void add_bindings(CLI::App&, Command&);

/// A report of compare: the file, or report.json or report.json.gz of a folder. Throws ConfigError.
std::filesystem::path report_file(const std::string& given);
/// The same, read and checked.
Json load_report(const std::string& given);
/// Throws ConfigError where a report stands in the list a second time.
void refuse_twice(const std::vector<std::string>& files);

}  // namespace parallax::cli
