// The folder of a Zarr store: its JSON files, and where its arrays lie.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/readers/serve.hpp"

namespace parallax::io::readers::zarr {

inline constexpr const char* again = "the folder is incomplete or damaged: write or copy it again";

/// Empty where there is no such file. Throws Problem for one of more than `most` bytes.
std::string read_file(const std::filesystem::path&, std::uint64_t most);
/// Null where there is no such file. Throws Problem for what is no JSON object of a bounded size and depth.
Json json_file(const std::filesystem::path&);
/// A path in the folder, that leads nowhere else. Throws Problem where nothing is there.
std::filesystem::path below(const std::filesystem::path& folder, const std::string& name);
/// Some of the arrays in a folder, where they are many.
std::vector<std::string> names_of_arrays(const std::filesystem::path& folder);
/// For messages: "it holds a, b".
std::string arrays_in(const std::filesystem::path& folder);

}   // namespace parallax::io::readers::zarr
