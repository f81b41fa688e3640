// Whether two arrays have the same elements in the same places.
#pragma once

#include "parallax/array.hpp"

#include <string>

namespace parallax::tests::whole_jobs {

/// Empty: the file's elements are the array's, whatever order its axes have; else what differs. Formats without a bool have 0 and
/// any other number.
std::string why_not_same(const HostArray& from_file, const HostArray& array);

}  // namespace parallax::tests::whole_jobs
