// All that differs between operating systems. Everything else in the runtime is standard C++.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace parallax::host::platform {

/// Empty variables count as unset.
std::optional<std::string> environment(const char* name);
/// Where a program may keep what it can compute again; empty if the user has no such place.
std::filesystem::path cache_folder();
/// Different for every call in every process of this machine.
std::string unique_suffix();
/// Takes the group's and others' rights to a folder away. False where that fails.
bool make_private(const std::filesystem::path& folder) noexcept;

/// The processor's name as the system tells it, else "processor".
std::string processor_name();
std::string system_version();
/// Bytes of physical memory, 0 if unknown.
std::uint64_t physical_memory();

/// Empty if the shared library can be loaded, else the system's own words why not.
std::string library_problem(const std::string& library);
/// Folder in which OpenCL drivers register; empty where they do so elsewhere (Windows: registry, macOS: framework).
std::filesystem::path opencl_vendor_folder();
/// Whether the kernel module of an NVIDIA driver is there.
bool has_nvidia_device();

}  // namespace parallax::host::platform
