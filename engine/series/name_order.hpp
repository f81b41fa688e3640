// Names whose numbers are not padded: by their letters 10 comes before 2.
#pragma once

#include "job/job.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parallax::engine::series {

using NamePair = std::pair<std::filesystem::path, std::filesystem::path>;

/// The first two of files sorted by name whose names differ in numbers alone, and by these are the other way round. Digits behind
/// a point that follows a digit are a fraction, and in their order.
std::optional<NamePair> out_of_number(const std::vector<std::filesystem::path>& sorted);

/// Whether the order of the items shows in what the series gives: a film, a table, neighbours, numbers in names.
bool order_shows(const Job&);

/// What to say of two such files of a variable. `watched`: what is put together by name at the end, whatever its patterns.
std::string told_of_order(const std::string& variable, const NamePair&, bool watched);

}   // namespace parallax::engine::series
