// What a study's report shows: tables and figures, and the quantities that they can show.
//
// A quantity is a time ("device_ms", "wall_ms", "end_to_end_ms", ...), "rate", "copy_share", "speed_up" against a baseline, an
// axis of the grid ("grid.size", or its name alone), a property of the device ("rates.peak_gflops"), a stage's time
// ("stage.sort") or a number of an evaluation or a record ("evaluation.quality.psnr_db", "record.counts.dimension").
#pragma once

#include "core/parameters.hpp"

#include <string>
#include <vector>

namespace parallax::engine::compare {

/// Throws ConfigError. `cases` are the ids that an item may name.
void check_report_items(const Json& items, const std::string& pointer, const std::vector<std::string>& cases);
Json report_items_schema();

}  // namespace parallax::engine::compare
