// What errors say of JSON: what a value is, where it stands, and which word was meant.
#pragma once

#include "parallax/host/json.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace parallax {

/// The candidate nearest to `word` by letters, or what it is called here that is called `word` elsewhere; empty: none is near
/// enough.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);
/// `did you mean "x"?`, or nothing if no candidate is near: for ConfigError::hint.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);
/// `{"a": 1}` -> "an object", `"x"` -> "the string \"x\"": for ConfigError::found.
std::string describe(const Json&);
/// JSON pointer of a member or an element: "/steps" and "a/b" -> "/steps/a~1b".
std::string pointer_to(const std::string& parent, const std::string& key);
std::string pointer_to(const std::string& parent, std::size_t index);
/// True for keys that hold comments: they begin with "//".
bool is_comment(const std::string& key) noexcept;
/// "mean | median".
std::string list(const std::vector<std::string>& words);

}  // namespace parallax
