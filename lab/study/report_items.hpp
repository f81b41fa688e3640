// What a study's report shows: tables and figures, and the quantities that they can show.
//
// A quantity is a time ("device_ms", "wall_ms", "end_to_end_ms", ...), "rate", "copy_share", "speed_up" against a baseline, an
// axis of the grid ("grid.size", or its name alone), a property of the device ("rates.peak_gflops"), a stage's time
// ("stage.sort") or a number of an evaluation or a record ("evaluation.quality.psnr_db", "record.counts.dimension").
#pragma once

#include <string>
#include <vector>

#include "core/parameters.hpp"
#include "support/json_reader.hpp"

namespace parallax::engine::compare {

/// Which rows are meant, if `key` is there: case, variant, device, backend, type, grid.
void check_selector(const JsonObject& item, const std::string& key);
/// Throws ConfigError. `cases` are the ids that an item may name.
void check_report_items(const Json& items, const std::string& pointer, const std::vector<std::string>& cases);
Json report_items_schema();

}  // namespace parallax::engine::compare
