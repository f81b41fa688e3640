#include "support/file_state.hpp"
#include "support/folder.hpp"

#include <chrono>

#if !defined(_WIN32)
#include <cerrno>
#include <sys/stat.h>
#endif

namespace parallax::host {

namespace fs = std::filesystem;

namespace {

/// As FileIdentity::modified has it.
std::int64_t now_in_files() noexcept {
#if defined(_WIN32)
    return static_cast<std::int64_t>(fs::file_time_type::clock::now().time_since_epoch().count());
#else
    return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
#endif
}

#if defined(_WIN32)
constexpr std::int64_t second = 10'000'000;
#else
constexpr std::int64_t second = 1'000'000'000;
#endif

}  // namespace

bool may_keep_its_time(const FileIdentity& file) noexcept {
    const std::int64_t step = file.modified % second == 0 ? 2 * second + second / 10 : second / 50;
    return file.modified > now_in_files() - step;
}

#if defined(_WIN32)

std::optional<FileIdentity> identity_of(const std::filesystem::path& file) noexcept {
    FileIdentity identity;
    std::error_code error;
    identity.bytes = std::filesystem::file_size(file, error);
    if (error) return std::nullopt;
    identity.modified = static_cast<std::int64_t>(std::filesystem::last_write_time(file, error).time_since_epoch().count());
    if (error) return std::nullopt;
    return identity;
}

FileState state_of(const fs::path& file, std::error_code& error) noexcept {
    FileState state;
    state.type = fs::status(file, error).type();
    if (fs::exists(fs::file_status(state.type))) state.identity = identity_of(file);
    return state;
}

#else

namespace {

/// Beyond the year 2262 it goes round, and still differs.
std::int64_t nanoseconds(const timespec& time) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(time.tv_sec) * 1000000000u + static_cast<std::uint64_t>(time.tv_nsec));
}

FileIdentity identity_in(const struct stat& state) noexcept {
    FileIdentity identity;
    identity.device = static_cast<std::uint64_t>(state.st_dev);
    identity.inode = static_cast<std::uint64_t>(state.st_ino);
    identity.bytes = static_cast<std::uint64_t>(state.st_size);
#if defined(__APPLE__)
    const timespec &modified = state.st_mtimespec, &changed = state.st_ctimespec;
#else
    const timespec &modified = state.st_mtim, &changed = state.st_ctim;
#endif
    identity.modified = nanoseconds(modified);
    identity.changed = nanoseconds(changed);
    return identity;
}

/// As stat(); of a held file without the way through /proc, which takes longer than all else that is asked of a small one.
int look_at(const fs::path& file, struct stat& state) noexcept {
    const std::optional<int> descriptor = descriptor_of(file);
    return descriptor ? fstat(*descriptor, &state) : stat(file.c_str(), &state);
}

}   // namespace

std::optional<FileIdentity> identity_of(const std::filesystem::path& file) noexcept {
    struct stat state{};
    if (look_at(file, state) != 0) return std::nullopt;
    return identity_in(state);
}

FileState state_of(const fs::path& file, std::error_code& error) noexcept {
    struct stat state{};
    error.clear();
    if (look_at(file, state) != 0) {
        error.assign(errno, std::generic_category());
        const bool nothing = errno == ENOENT || errno == ENOTDIR;
        return {nothing ? fs::file_type::not_found : fs::file_type::none};
    }
    const fs::file_type type = S_ISREG(state.st_mode)   ? fs::file_type::regular
                               : S_ISDIR(state.st_mode) ? fs::file_type::directory
                                                        : fs::file_type::unknown;
    return {type, identity_in(state)};
}

std::optional<FileIdentity> identity_of(int descriptor) noexcept {
    struct stat state{};
    if (fstat(descriptor, &state) != 0) return std::nullopt;
    return identity_in(state);
}

#endif

}  // namespace parallax::host
