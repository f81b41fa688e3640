// Whether a report would take the place of a file that goes into it.
#pragma once

#include <filesystem>
#include <string>

namespace parallax::engine {
class FilesOfRun;
}

namespace parallax::engine::compare {

/// Throws ConfigError ("--out") where a file of a report in this folder would take the place of one that is read, but for what is
/// `called` so in words.
void check_unread(const std::filesystem::path& folder, FilesOfRun& read, const std::string& called = {});

}   // namespace parallax::engine::compare
