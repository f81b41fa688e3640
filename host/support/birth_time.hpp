// When a file or folder was made, in ns since 1970, by which a number that has come again is told from the one before. 0: the system
// or the file system does not know.
#pragma once

#include <cstdint>
#include <filesystem>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/stat.h>
#endif

namespace parallax::host {

#if defined(__linux__) && defined(STATX_BTIME)

inline std::int64_t birth_time(int folder, const char* path, int flags) noexcept {
    struct statx state{};
    const bool known = ::statx(folder, path, flags, STATX_BTIME, &state) == 0 && (state.stx_mask & STATX_BTIME) != 0;
    return known ? state.stx_btime.tv_sec * 1000000000 + state.stx_btime.tv_nsec : 0;
}

/// Links followed.
inline std::int64_t birth_time(const std::filesystem::path& path) noexcept { return birth_time(AT_FDCWD, path.c_str(), 0); }
/// Of what a descriptor stands for.
inline std::int64_t birth_time(int descriptor) noexcept { return birth_time(descriptor, "", AT_EMPTY_PATH); }

#else

inline std::int64_t birth_time(const std::filesystem::path&) noexcept { return 0; }
inline std::int64_t birth_time(int) noexcept { return 0; }

#endif

}  // namespace parallax::host
