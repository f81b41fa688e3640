// Text -> JSON, with errors for people; changes of a job from the command line.
#pragma once

#include "core/algorithm.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace parallax::engine {

/// Parses text strictly: no comments, no key twice in one object, no more than 64 levels.
/// Throws ConfigError that names `origin`, line and column.
Json parse_json(const std::string& text, const std::string& origin);
/// The same from a file. A missing or unreadable file is a ConfigError too: the request was wrong.
/// Of a name that ends in .gz, what is packed in it; IoError where that is damaged.
Json load_json(const std::filesystem::path&);

/// Without the keys that begin with "//", at any depth: for readers that know no comments.
Json without_comments(const Json&);

/// Applies "step.key=value" to a job. `value` is JSON, or else a string; further dots reach into objects
/// ("recon.autofocus.metric=variance"). Another unit of the same quantity is replaced. "non_finite=mask" sets a key of
/// the job itself. Returns what it has set, by one name for all units of a quantity. Throws ConfigError for a step or a key that does
/// not exist.
std::string apply_setting(Json& job, const std::string& setting, const std::vector<Algorithm>&);
/// Replaces the file of an input, "name=file"; its other options stay. The file is made absolute, as it is relative to
/// where the user stands, not to the job. Throws ConfigError for an input that nothing can use.
void apply_input(Json& job, const std::string& setting, const std::vector<Algorithm>&);

}  // namespace parallax::engine
