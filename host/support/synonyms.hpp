// Words of other programs for ours: what a user of those would write.
#pragma once

#include <string>
#include <vector>

namespace parallax {

/// The candidate that `word` means elsewhere; empty: none. A unit behind the word ("lambda_nm") stays.
std::string synonym(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace parallax
