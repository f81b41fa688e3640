// How many numbers a row may have, so that the report of all of them is one that can be read.
#pragma once

#include <cstddef>

#include "study/study.hpp"

namespace parallax::engine::compare {

struct RowRoom {
    std::size_t device = 0, end_to_end = 0;   ///< of its samples in a round
};

/// Of a study of so many rows on so many devices. Throws ConfigError where they are too many for a report.
RowRoom room_of_rows(std::size_t rows, std::size_t devices, const Study&);

}   // namespace parallax::engine::compare
