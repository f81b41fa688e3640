// report.json: what a study found, with every sample and with where it was found. report.csv and report.html are made of it
// alone.
//
//   { "parallax_comparison": 1, "study": {...}, "quick": false,
//     "devices":  [{ "label", "info" }],
//     "sessions": [{ "started", "environment", "rates": [one a device], "problems" }],
//     "rows":     [{ "id", "case", "grid", "way", "device", "session", "outcome", "reason", "agreement", "samples", "times",
//     "metrics", ... }], "pairs":    [{ "title", "rows": [{ "of", "to", "ratio", "low", "high", "verdict" }] }], "summary":  ["24
//     rows, 23 timed", ...] }
//
// Outcomes: ok, refused (the variant or device cannot, and says why), disagrees (with the reference: no time), failed, crashed,
// hung, no reference, too long (expected to take longer than the study allows), left out (no time for it in --minutes), not run.
#pragma once

#include "study/study.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace parallax::io {
class Transaction;
}

namespace parallax::engine::compare {

/// Of a report, and so of a study: each is held against each other.
inline constexpr std::size_t most_devices = 128;
/// In a report that a collection made, and not whoever asked for one of several machines.
inline constexpr const char* collected_key = "collected";

Json assemble(const Study&, Json devices, const std::vector<Json>& sessions, const std::vector<Json>& rows);
/// Times, metrics, pairs and summary from what was sampled; what was there of them is replaced.
Json derive(Json report);
/// What must be equal for numbers of two reports to be comparable: devices, sampling and what is wanted of a device may differ.
Json cases_of(const Json& report);
/// Throws ConfigError where rows of `later` may be others than those of `earlier` under the same names: another study, other
/// sizes, a case that is another one. A case that came or went is none of these.
void check_same_study(const Json& earlier, const Json& later, const std::string& earlier_name, const std::string& later_name);
/// Several machines' reports of one study as one. Throws ConfigError where the studies differ, and where there
/// are too many devices.
Json merge(const std::vector<Json>& reports, const std::vector<std::string>& names);
/// JSON Schema 2020-12; configs/schema/report.schema.json is its text.
Json report_schema();
/// Throws ConfigError where `json`, which came from the file `name`, is no comparison or not a whole one.
void check_report(const Json&, const std::string& name);

/// report.json, report.csv and report.html.
std::vector<std::filesystem::path> report_names();
/// Those files, which appear together.
void write_report(const Json& report, const std::filesystem::path& folder, bool overwrite);
/// The same among other files that do.
void add_report(const Json& report, const std::filesystem::path& folder, io::Transaction&);
std::string html_of(const Json& report);

}  // namespace parallax::engine::compare
