// The program cache in a folder.
#pragma once

#include "parallax/host/program.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace parallax::host {

/// Entries take about `limit` bytes: one store in sixteen makes room where they take more, until they take nine tenths. Those
/// that were not used for longest go.
std::shared_ptr<ProgramCache> open_disk_cache(std::filesystem::path folder, std::uint64_t limit);

/// Programs cannot be kept in that folder: told once for each folder in a process, since the next process compiles everything
/// again, which takes seconds and may take minutes. `folder` empty: there is none.
void warn_unusable(const std::string& folder, const char* problem) noexcept;

}  // namespace parallax::host
