// Files that jobs read: arrays of any type and shape, in every format that is written here, and two that are not.
#pragma once

#include "parallax/array.hpp"
#include "parallax/host/json.hpp"
#include "sizes/random.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace parallax::tests::whole_jobs {

/// An array with values, spacing and, now and then, a place in space. `seed` of the values alone.
HostArray draw_array(sizes::Random&, std::int64_t most_elements);
/// The same shape, spacing and place, and other values.
HostArray like(const HostArray&, std::uint64_t seed);

/// The endings of files that can hold the array. `in`: a folder that can be written.
std::vector<std::string> endings_for(const HostArray&, const std::filesystem::path& in);
/// Writes it; of ".raw" the description is what comes back, for the input's key "raw", else null.
Json write_input(const std::filesystem::path&, const HostArray&);

}  // namespace parallax::tests::whole_jobs
