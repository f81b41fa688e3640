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

/// Of others that hold a file's elements, or lie in a folder. `reports`: report_input_file() of it.
std::string hash_of_parts(std::span<const FileReport> reports, const std::string& file) {
    std::string text;
    for (const FileReport& report : reports)
        text += report.path == file ? report.hash : fmt::format(" {} {}", report.hash, to_utf8(path_from(report.path).filename()));
    return io::hash_text(text);
}

/// Where they are beside it: of chunks of an array the last names may be those of others.
std::string hash_of_names(std::span<const FileReport> reports, const std::string& file) {
    std::string text;
    for (const FileReport& report : reports)
        if (report.path != file) text += to_utf8(path_from(report.path).lexically_relative(path_from(file))) + '\n';
    return io::hash_text(text);
}

std::vector<SharedFile> files_of(const std::string& name, const PreparedInput& input, std::span<const FileReport> reports) {
    std::vector<SharedFile> files;
    for (std::size_t i = 0; i < input.files.size(); ++i) {
        const std::string file = to_utf8(fs::absolute(input.files[i]));
        const std::size_t parts = input.infos[i].parts.size();
        const std::size_t count = parts + (reports.front().path == file ? 1 : 0);   // of a folder its parts alone
        const auto its = reports.first(count);
        files.push_back({name, to_utf8(input.files[i]), parts > 0 ? hash_of_parts(its, file) : its.front().hash,
                         parts > 0 ? hash_of_names(its, file) : std::string()});
        reports = reports.subspan(count);
    }
    return files;
}

}  // namespace

SharedInputs::SharedInputs(const PreparedSeries& series) : series_(series) {
    for (const auto& [name, input] : series.shared) {
        std::vector<FileReport> reports;
        for (std::size_t i = 0; i < input.files.size(); ++i)
            for (FileReport& report : report_input_file(input, i, input.open(input.files[i]))) reports.push_back(std::move(report));
        files_[name] = files_of(name, input, reports);
    }
}

std::vector<SharedFile> SharedInputs::files() const {
    std::vector<SharedFile> all;
    for (const auto& [name, files] : files_) all.insert(all.end(), files.begin(), files.end());
    return all;
}

void SharedInputs::check(const std::string& input, const std::vector<FileReport>& read) const {
    const std::vector<SharedFile>& then = files_.at(input);
    const std::vector<SharedFile> now = files_of(input, series_.shared.at(input), read);
    for (std::size_t i = 0; i < then.size(); ++i) {
        if (now[i] == then[i]) continue;
        throw IoError(then[i].path, fmt::format("has changed since the series began, of which all items have it as \"{}\"", input),
                      "leave files alone while a series runs; with the file as it was --resume goes on");
    }
}

}  // namespace parallax::engine::series
