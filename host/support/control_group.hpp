// What control groups leave a process of memory, whichever of the two kinds of them the system has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace parallax::host::platform {

/// The least that the process's own group and those above it leave; a container sees them from its own root on. Nothing where
/// none has a limit. `root`: the folder in which proc and sys are.
std::optional<std::uint64_t> left_by_control_groups(const std::filesystem::path& root = "/");

}  // namespace parallax::host::platform
