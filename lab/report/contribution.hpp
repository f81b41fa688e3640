// A report that may be given away: how fast what is, and nothing of whose machine it was.
#pragma once

#include "parallax/host/json.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace parallax::engine {
class FilesOfRun;
}

namespace parallax::engine::compare {

/// Devices, drivers, processor, samples and agreement stay. Gone are names in `private_names`, paths, serial numbers (UUID, PCI
/// address), the time of day, pictures, files' names and what was computed of files. The same again of what it returned.
Json contribution_of(const Json& report, const std::vector<std::string>& private_names);
/// Before anything is done. Throws ConfigError ("--contribute") where the file is there and is not to be replaced, with `advice`, where
/// it would take the place of one that is read, and where it would be among the files of the report in `folder`, which appears with it.
void check_contribution(const std::filesystem::path& file, bool overwrite, FilesOfRun& read, const std::filesystem::path& folder,
                        const std::string& advice);
/// Writes it, packed where the name ends in .gz. Throws ConfigError ("--contribute") where the file is there and is not to be
/// replaced.
void write_contribution(const Json& report, const std::filesystem::path& file, bool overwrite);
/// How to hand it in, for people.
std::string how_to_contribute(const std::filesystem::path& file);

}  // namespace parallax::engine::compare
