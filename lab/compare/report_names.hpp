// What a report is called, and whether its names are free.
#pragma once

#include <filesystem>
#include <vector>

namespace parallax::engine::compare {

/// report.json, report.csv and report.html, as write_report() makes them.
std::vector<std::filesystem::path> report_names();
/// Throws ConfigError ("--out", of `resume` "--resume") where such a file is in a folder and is not to be replaced, and IoError
/// where it never could be: a folder, a pipe.
void check_name(const std::filesystem::path& folder, const std::filesystem::path& name, bool replace, bool resume);
/// Finishes or undoes what a study that was killed has half put in its place.
void finish_earlier(const std::filesystem::path& folder);

}   // namespace parallax::engine::compare
