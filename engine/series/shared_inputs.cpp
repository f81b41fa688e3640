#include "series/shared_inputs.hpp"

#include "io/io.hpp"
#include "job/hashing.hpp"
#include "job/paths.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <span>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

/// Of a file, and of others that hold its elements; of a folder, of what is read of it. `reports`: report_input_file() of it.
std::string hash_of(std::span<const FileReport> reports, bool has_parts, const std::string& file) {
    if (!has_parts) return reports.front().hash;
    std::string hash;
    for (const FileReport& report : reports)
        hash += report.path == file ? report.hash : fmt::format(" {} {}", report.hash, to_utf8(path_from(report.path).filename()));
    return io::hash_text(hash);
}

std::vector<FileState> states_of(const PreparedInput& input, std::span<const FileReport> reports) {
    std::vector<FileState> states;
    for (std::size_t i = 0; i < input.files.size(); ++i) {
        const std::string file = to_utf8(fs::absolute(input.files[i]));
        const std::size_t parts = input.infos[i].parts.size();
        const std::size_t count = parts + (reports.front().path == file ? 1 : 0);   // of a folder its parts alone
        states.push_back({to_utf8(input.files[i]), 0, 0, hash_of(reports.first(count), parts > 0, file)});
        reports = reports.subspan(count);
    }
    return states;
}

}  // namespace

SharedInputs::SharedInputs(const PreparedSeries& series) : series_(series) {
    for (const auto& [name, input] : series.shared) {
        std::vector<FileReport> reports;
        for (std::size_t i = 0; i < input.files.size(); ++i)
            for (FileReport& report : report_input_file(input, i, input.open(input.files[i]))) reports.push_back(std::move(report));
        states_[name] = states_of(input, reports);
    }
}

std::vector<FileState> SharedInputs::states() const {
    std::vector<FileState> all;
    for (const auto& [name, states] : states_) all.insert(all.end(), states.begin(), states.end());
    return all;
}

void SharedInputs::check(const std::string& input, const std::vector<FileReport>& read) const {
    const std::vector<FileState>& then = states_.at(input);
    const std::vector<FileState> now = states_of(series_.shared.at(input), read);
    for (std::size_t i = 0; i < then.size(); ++i) {
        if (now[i] == then[i]) continue;
        throw IoError(then[i].path, fmt::format("has changed since the series began, of which all items have it as \"{}\"", input),
                      "leave files alone while a series runs; with the file as it was --resume goes on");
    }
}

}  // namespace parallax::engine::series
