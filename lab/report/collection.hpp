// Many machines' reports as pages: one of each study, with every device that anybody measured, and an index of them.
#pragma once

#include "parallax/host/json.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace parallax::engine::compare {

/// A report and where it came from.
struct Collected {
    std::string name;   ///< for the reader: its path below the folder that was given
    std::filesystem::path file;
    Json report;
};

/// Reports are files report.json and report.json.gz, anywhere below a folder, or named one by one. In the order of their names.
/// A file counts once, and what an earlier collection made of reports, wherever it lies, is none: below a folder it is left out with a
/// warning, as is silently all in the folder `pages`, and named by itself it is refused. Throws ConfigError where there is none, or one
/// cannot be read, and ("--out") where that folder is one that is given.
std::vector<Collected> collect(const std::vector<std::filesystem::path>& where, const std::filesystem::path& pages = {});
/// index.html, and for each study STUDY/report.json, .csv and .html with all machines. Throws ConfigError ("--out") where one of them
/// would take the place of a report that was collected.
void write_collection(const std::vector<Collected>&, const std::filesystem::path& folder, bool overwrite);

}  // namespace parallax::engine::compare
