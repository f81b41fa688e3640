// Rows that an item or a claim of a study names, and what a row's numbers are called.
#pragma once

#include <optional>
#include <string>

#include "parallax/host/json.hpp"

namespace parallax::engine::compare {

/// Whether a value is the one that is wanted, or in the list of those.
bool is_one_of(const Json& wanted, const std::string& value);
/// Whether a row is one of those that a selector names: case, variant, device, backend, type, grid.
bool selected(const Json& selector, const Json& row, const Json& device);
/// "evaluation.NAME.KEY" and "record.NAME.KEY", a variable of the point, a metric; nothing where the row has no such number.
std::optional<double> number_of(const Json& row, const std::string& name);
/// Three digits, whole numbers from a hundred on.
std::string short_number(double value);
/// How sure an interval is where that is less than usual: "87.5%", "one process"; else nothing.
std::string confidence_text(double confidence);
/// "[1.43 to 1.46]", "[1.43 to 1.46, 87.5%]"
std::string interval_text(double low, double high, double confidence);
/// "size 1024, shape cube"
std::string grid_text(const Json& grid);

}   // namespace parallax::engine::compare
