// On what files lie.
#pragma once

#include <filesystem>

namespace parallax::host {

/// Whether what is written there stays in memory (Linux's tmpfs and ramfs). False where that is not known, and for what is not there.
bool is_in_memory(const std::filesystem::path&) noexcept;

}   // namespace parallax::host
