// The paths of a job's outputs, or of a series': below one folder, whatever links are there. There may be a hundred thousand, and
// what is so of a folder is asked for once.
#pragma once

#include "job/paths.hpp"

#include <filesystem>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace parallax::engine {

/// Throws ConfigError for absolute paths, for "..", and for symbolic links that lead out of `out`.
std::filesystem::path resolve_output(const std::string& text, const Locations&, const std::string& pointer);
/// The path of an output as it is written, with no look at what is there. Throws ConfigError for what is none below `out`.
std::filesystem::path written_output(const std::string& text, const std::filesystem::path& out, const std::string& pointer);

/// For one look at all outputs before anything runs: folders that become links later are not noticed here, but by what writes. In a
/// job that is confined every part of every path is looked at.
class OutputPaths {
public:
    explicit OutputPaths(const Locations& where) : where_(where) {}
    /// As resolve_output() does.
    std::filesystem::path resolve(const std::string& text, const std::string& pointer);
    /// As the function of that name does, once for each folder.
    void recover_beside(const std::filesystem::path& output);

private:
    using Text = std::filesystem::path::string_type;

    std::filesystem::file_status status_of(const std::filesystem::path&, const std::string& text, const std::string& pointer);
    /// Whether it is no link, by what is `there`, and its folder lies below `out`: so does it then.
    bool is_plain(const std::filesystem::path&, const std::filesystem::file_status& there);

    const Locations& where_;
    std::unordered_map<Text, bool> below_;   ///< folders, as they are written: whether they lie below `out`
    std::unordered_set<Text> recovered_;
};

}  // namespace parallax::engine
