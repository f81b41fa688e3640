// Arrays that processes hand to each other in files.
#pragma once

#include "io/io.hpp"

#include <filesystem>
#include <string>

namespace parallax::engine::compare {

/// A .npy file, and beside it what such a file does not say: names and spacings of the axes. Throws IoError.
void save_array(const std::filesystem::path& folder, const std::string& name, const HostArray&);
/// As it was kept. Throws IoError.
HostArray fetch_array(const std::filesystem::path& folder, const std::string& name);

}  // namespace parallax::engine::compare
