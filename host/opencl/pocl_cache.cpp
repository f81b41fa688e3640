#include "opencl/pocl_cache.hpp"

#include "support/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

#if !defined(_WIN32)
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace parallax::host::opencl {

#if defined(_WIN32)
void place_pocl_cache(const std::vector<Registration>&) {}
std::string pocl_cache_trouble() { return {}; }
#else
namespace {
namespace fs = std::filesystem;

/// Less than a few kernels take.
constexpr std::uintmax_t least_bytes = 4u << 20;

/// As PoCL looks for it, which takes a relative path as well: a folder of whatever folder the program is called in.
fs::path folder_of_pocl() {
    if (const auto cache = platform::environment("XDG_CACHE_HOME")) return fs::path(*cache) / "pocl/kcache";
    if (const auto home = platform::environment("HOME")) return fs::path(*home) / ".cache/pocl/kcache";
    return "/tmp/pocl/kcache";
}

/// As the XDG specification has it: a relative path is ignored. Empty where the user has no such folder.
fs::path folder_of_user() {
    if (const fs::path folder = folder_of_pocl(); folder.is_absolute()) return folder;
    const auto home = platform::environment("HOME");
    return home && fs::path(*home).is_absolute() ? fs::path(*home) / ".cache/pocl/kcache" : fs::path();
}

bool is_usable(const fs::path& folder) {
    std::error_code problem;
    platform::create_private_folders(folder, problem);
    if (problem || access(folder.c_str(), W_OK | X_OK) != 0) return false;
    const fs::space_info space = fs::space(folder, problem);
    return problem || space.available >= least_bytes;
}

/// What lies there is run: nobody else may have made it, or may write to it. Empty where that cannot be.
fs::path temporary_folder() {
    std::error_code problem;
    fs::path folder = fs::temp_directory_path(problem);
    if (problem) folder = "/tmp";
    folder /= "parallax-pocl-" + std::to_string(geteuid());
    mkdir(folder.c_str(), S_IRWXU);
    struct stat found {};
    const bool own = lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
                     (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    if (own && (found.st_mode & S_IRWXU) != S_IRWXU) chmod(folder.c_str(), S_IRWXU);   // made under a umask that takes all
    return own && is_usable(folder) ? folder : fs::path();
}

}  // namespace

void place_pocl_cache(const std::vector<Registration>& registered) {
    const bool is_there = std::any_of(registered.begin(), registered.end(), [](const Registration& entry) {
        return entry.library.find("pocl") != std::string::npos;
    });
    if (!is_there || platform::environment("POCL_CACHE_DIR")) return;
    fs::path folder = folder_of_user();
    if (folder.empty() || !is_usable(folder)) folder = temporary_folder();
    if (!folder.empty() && folder != folder_of_pocl()) setenv("POCL_CACHE_DIR", folder.c_str(), 1);
}

std::string pocl_cache_trouble() {
    const auto given = platform::environment("POCL_CACHE_DIR");
    const fs::path folder = given ? fs::path(*given) : folder_of_pocl();
    if (rlimit longest{}; getrlimit(RLIMIT_FSIZE, &longest) == 0 && longest.rlim_cur < least_bytes)
        return fmt::format(
            "PoCL keeps what it compiles in files, which may be no longer than {} bytes here: let ulimit -f or --limit "
            "output=SIZE admit {} MiB",
            static_cast<std::uintmax_t>(longest.rlim_cur), least_bytes >> 20);
    if (is_usable(folder)) return {};
    return fmt::format(
        "PoCL keeps what it compiles in {}, which cannot be written or has less than {} MiB left: let POCL_CACHE_DIR name "
        "another folder",
        folder.string(), least_bytes >> 20);
}
#endif

}  // namespace parallax::host::opencl
