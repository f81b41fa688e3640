// What a verdict on a driver depends on beside the driver: where one of these changes, the driver is tried again.
#pragma once

#include <filesystem>
#include <string>

namespace parallax::host {

/// What tells a file from another in its place, links followed: its size and times, and its number. Empty where there is none.
std::string file_state(const std::filesystem::path&);
/// Of the system since it was started, of the container, and of the environment but for variables that no driver reads.
std::string machine_state();

}  // namespace parallax::host
