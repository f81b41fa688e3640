// {"table": "focus.csv"}: the scalars of every item as a row, in the order of the items, whoever did them and when.
#pragma once

#include "job/outputs.hpp"
#include "series/manifest.hpp"
#include "series/series.hpp"

#include <map>
#include <string>

namespace parallax::engine::series {

/// The scalars of a record by their columns, "best.index" for nested ones.
Json row_of(const Json& record);

/// Rows for the outputs that share the table's file. Columns: index, item, then each output's scalars (with its name in front
/// where several share the file), then times where an output asks for them. Items that failed have no row.
Table make_table(const PreparedSeries&, const std::filesystem::path& file, const std::map<std::string, Record>&);

}  // namespace parallax::engine::series
