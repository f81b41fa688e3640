// Whether the names of a report are free.
#pragma once

#include <filesystem>

namespace parallax::engine::compare {

/// Throws ConfigError ("--out", of `resume` "--resume") where such a file is in a folder and is not to be replaced, and IoError
/// where it never could be: a folder, a pipe.
void check_name(const std::filesystem::path& folder, const std::filesystem::path& name, bool replace, bool resume);
/// Finishes or undoes what a study that was killed has half put in its place.
void finish_earlier(const std::filesystem::path& folder);

}   // namespace parallax::engine::compare
