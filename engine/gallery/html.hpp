// Pieces of a page: text that means nothing else, data inside a link, curves.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parallax/host/json.hpp"

namespace parallax::engine::gallery {

/// "data:image/png;base64,..."
std::string data_link(std::string_view type, std::string_view bytes);

/// A line of numbers over others, as a drawing with its ends named. NaN and infinities are gaps.
struct Curve {
    std::string name, of;   ///< "value", "distance_um"; of: empty for places
    std::vector<double> x, y;
};
std::string drawn(const Curve&);

/// The lists of numbers of a record as curves over the first of them that only rises, else over their places.
std::vector<Curve> curves_of(const Json& record);
/// Its scalars as rows of a table.
std::string scalars_of(const Json& record);
/// Text of a .csv file as a table of at most `most_rows`, and its columns of numbers as a record of lists.
std::string table_of(std::string_view csv, std::size_t most_rows, Json& columns);

}   // namespace parallax::engine::gallery
