// Values of a job file, read one by one: each is what it has to be, or a ConfigError that says what it is instead.
#pragma once

#include "core/parameters.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::engine {

/// "mean | median".
std::string list(const std::vector<std::string>& words);

void check_object(const Json&, const std::string& pointer, const std::string& what);
/// Comments aside, no key but the known ones.
void check_keys(const Json& object, const std::string& pointer, const std::vector<std::string>& known);
std::string read_string(const Json&, const std::string& pointer, const std::string& what);
std::int64_t read_count(const Json&, const std::string& pointer, std::int64_t least = 0);
bool read_flag(const Json&, const std::string& pointer);
std::string read_word(const Json&, const std::string& pointer, const std::vector<std::string>& words);
/// Of a file or a folder: a string of at most 4096 bytes, more than systems take.
std::string read_path(const Json&, const std::string& pointer);
/// A path or a list of them.
std::vector<std::string> read_paths(const Json&, const std::string& pointer);
/// A letter or _, then letters, digits, _ and -.
bool is_name(std::string_view) noexcept;
/// Names of arrays and ids of steps, of at most 100 characters: they stand in --set, in placeholders and in reports.
std::string read_name(const std::string& name, const std::string& pointer);

}  // namespace parallax::engine
