// All that differs between operating systems. Everything else in the runtime is standard C++.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace parallax::host::platform {

/// Empty variables count as unset.
std::optional<std::string> environment(const char* name);
/// Where a program may keep what it can compute again; empty if the user has no such place.
std::filesystem::path cache_folder();
/// Different for every call in every process of this machine.
std::string unique_suffix();
/// Whether a text begins with what that has given to some process; the length of it, or 0.
std::size_t unique_suffix_in(std::string_view) noexcept;
/// Whether that is all of it.
inline bool is_unique_suffix(std::string_view text) noexcept { return !text.empty() && unique_suffix_in(text) == text.size(); }
/// As std::filesystem::create_directory, with all rights for its user and none for others, whatever umask there is: one that takes
/// the user's own rights would leave it closed for every later process, and one that takes none would let everybody in.
bool create_private_folder(const std::filesystem::path&, std::error_code&);
/// With those above it that are not there, into which others may look as the umask has it, and write nothing. True where the last
/// one is new.
bool create_private_folders(const std::filesystem::path&, std::error_code&);
/// Takes the group's and others' rights to a folder away. False where that fails.
bool make_private(const std::filesystem::path& folder) noexcept;

/// Has the system put a file's bytes where a power cut does not reach them. False where that fails.
bool sync(std::FILE*) noexcept;

/// The processor's name as the system tells it, else "processor".
std::string processor_name();
std::string system_version();
/// What this machine, its user and the user's folder are called, as far as the system tells: what no report that is given away
/// may hold.
std::vector<std::string> private_names();
/// Bytes of physical memory, 0 if unknown.
std::uint64_t physical_memory();
/// Threads that can run at once if the calling one starts them, at least 1: the processors it is bound to (taskset, a container's
/// cpuset), or what a container's quota of processor time comes to (cgroup v2), whichever is less. Where neither is known, all of
/// the machine's.
int processors();

/// Folder of the program or library that this code is in; empty if the system does not tell.
std::filesystem::path own_folder();
/// Whether the process has loaded this shared library.
bool library_is_loaded(const std::string& library);
/// Empty if the shared library can be loaded, else the system's own words why not. It stays loaded: drivers that carry
/// LLVM do not survive being loaded twice.
std::string library_problem(const std::string& library);
/// A shared library opened at run time. It stays loaded to the end of the process, since drivers keep threads of their
/// own that must not lose their code; copies are handles of the same library.
class SharedLibrary {
public:
    /// Empty where it cannot be loaded; `problem` then holds the system's own words.
    static SharedLibrary open(const std::string& name, std::string& problem);
    explicit operator bool() const noexcept { return handle_ != nullptr; }
    /// Null if the library has no such function.
    void* symbol(const char* name) const noexcept;

private:
    void* handle_ = nullptr;
};

/// A function that the process has without opening a library for it: linked, or loaded before all (LD_PRELOAD). Null if there is
/// none.
void* function_of_process(const char* name) noexcept;
/// Lets all of the process find the functions of a library that it has loaded, as if it were linked.
void show_to_all(const char* library) noexcept;

/// Folder in which OpenCL drivers register; empty where they do so elsewhere (Windows: registry, macOS: framework).
std::filesystem::path opencl_vendor_folder();
/// Whether the kernel module of an NVIDIA driver is there.
bool has_nvidia_device();
/// "580.95.05", empty where the system does not tell.
std::string nvidia_driver_version();

}  // namespace parallax::host::platform
