// What a folder holds.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace parallax::host {

/// The names of its entries, in no order. Nothing, and a code, where it cannot be read. As std::filesystem::directory_iterator
/// tells it; but that, of libstdc++ 12, ends the process where memory runs out on its way.
std::vector<std::filesystem::path> names_of(const std::filesystem::path& folder, std::error_code&);

/// Their paths, which for a hundred thousand take three times as long.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, std::error_code&);

}   // namespace parallax::host
