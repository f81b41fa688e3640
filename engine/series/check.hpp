// What is there of a series, and whether it is whole: for people who find a folder after a crash.
#pragma once

#include "parallax/host/json.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine::series {

struct Check {
    std::size_t done = 0, failed = 0;    ///< of items whose outputs later ones have not replaced
    std::size_t gone = 0;                ///< that have failed, and whose files are not there any more beside those of others
    std::size_t damaged_lines = 0;       ///< records that do not count
    bool makes_of_all = false;           ///< the job has tables or combined arrays
    std::optional<std::size_t> made;     ///< how many of them are recorded; nothing: not written yet, or by an earlier version
    std::string moved_from;              ///< where the folder was when that was recorded, if it was copied or moved since
    std::vector<std::string> problems;   ///< a sentence each: what is missing, changed or damaged, and what to do
    bool whole() const noexcept { return failed == 0 && problems.empty(); }
};
Json to_json(const Check&);

/// Looks at a manifest's folder (manifest.hpp) and at all outputs that it has on record, of items and of all of them; `hashes`: reads each of them whole.
/// Changes nothing. Throws ConfigError where the folder is no manifest.
Check check(const std::filesystem::path& manifest, bool hashes);

}  // namespace parallax::engine::series
