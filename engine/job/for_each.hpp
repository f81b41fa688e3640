// The part of a job that makes a series of it: "for_each", and the placeholders that its variables fill.
//
//   "for_each": { "frame": "run7/*.tif", "dark": { "files": "dark/*.tif", "range": [0, 500], "stride": 5 }, "on_error":
//   "continue" }
#pragma once

#include "job/job.hpp"
#include "support/json_reader.hpp"

#include <functional>
#include <string>

namespace parallax::engine {

ForEach read_for_each(const JsonValue&);

/// "{frame.stem}" of a text by what `value` says for ("frame", "stem"). Braces that hold no name stay as they are.
std::string fill_placeholders(const std::string& text,
                              const std::function<std::string(const std::string& variable, const std::string& part)>& value);

/// Whether there are any. Throws ConfigError for one that no variable of the series fills; without for_each, for any.
bool check_placeholders(const std::string& text, const ForEach*, const std::string& pointer, bool output);

/// What an output must be and an input may be in a series, and what only a series has.
void check_series_keys(const Job&);

}  // namespace parallax::engine
