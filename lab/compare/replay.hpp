// The same study, run again: what changed, row by row.
#pragma once

#include "parallax/host/json.hpp"

#include <string>
#include <vector>

namespace parallax::engine::compare {

struct Change {
    std::string row;          ///< id in the earlier report
    std::string device;       ///< of the later one
    std::string verdict;      ///< "same", "faster", "slower", "different result", "not there"
    double ratio = 0, low = 0, high = 0;   ///< later / earlier time; 0: not timed in both
    std::string why;
};

/// Each row of `earlier` against the row of `later` with the same case, grid and variant on the same device: by its label, else
/// by name and backend. Integers must have the same bits and rows the same outcome, else the result is different; reals must have
/// the same bits where driver and device are the same. Times differ as judge() says, with the practical margin.
std::vector<Change> changes_between(const Json& earlier, const Json& later);
Json to_json(const std::vector<Change>&);
/// The two rows alone.
Change change_of(const Json& earlier_row, const Json& later_row, bool same_driver);

}  // namespace parallax::engine::compare
