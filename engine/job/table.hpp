// Records as tables, in two ways:
//
//   {"metric": "m", "best": {"um": 2}, "um": [1, 2, 3], "value": [.1, .9, .2]}
//
//   to_csv()    long: lists are columns, scalars stand in every row, nothing is left out
//                 metric,best.um,um,value
//                 m,2,1,0.1
//                 m,2,2,0.9
//                 m,2,3,0.2
//   to_rows()   short: the scalars are one row, for tables of many items; lists are left out, and named
//                 metric,best.um
//                 m,2
//
// A record may have a list `labels` of sets that were measured each by itself, as box_count's: then each way has rows for each of
// them.
#pragma once

#include "parallax/host/json.hpp"

#include <string>
#include <vector>

namespace parallax::engine {

struct Table {
    std::vector<std::string> header;
    std::vector<std::vector<Json>> rows;
};

/// A list within a row is columns "edge.0", "edge.1".
Table to_csv(const Json& record);

/// Scalars by their columns, "best.um" for nested ones: an object for each row.
struct Rows {
    Json rows = Json::array();
    std::vector<std::string> left_out{};   ///< names of lists
};
Rows to_rows(const Json& record);

}  // namespace parallax::engine
