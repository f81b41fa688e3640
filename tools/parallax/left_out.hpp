// What run says of tables.
#pragma once

#include "job/report.hpp"

#include <vector>

namespace parallax::cli {

/// A table has rows of scalars: which lists of the records are elsewhere, or nowhere.
void say_what_tables_leave_out(const std::vector<engine::OutputReport>&);

}  // namespace parallax::cli
