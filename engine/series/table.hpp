// {"table": "focus.csv"}: the scalars of every item as a row, or as one for each label, in the order of the items, whoever did
// them and when.
#pragma once

#include "job/table.hpp"
#include "series/manifest.hpp"
#include "series/series.hpp"

#include <map>
#include <string>

namespace parallax::engine::series {

/// Rows for the outputs that share the table's file. Columns: index (as {frame.index} of the first variable), item, then each output's scalars (with its name in front
/// where several share the file), then times where an output asks for them. An item has a row, or one for each of a record's rows
/// (job/table.hpp): then an output with one row repeats it in all. Items that failed have no row.
Table make_table(const PreparedSeries&, const std::filesystem::path& file, const std::map<std::string, Record>&);

}  // namespace parallax::engine::series
