#include "support/file_state.hpp"
#include "support/folder.hpp"

#include <chrono>

#if !defined(_WIN32)
#include <cerrno>
#include <sys/stat.h>
#endif
#if defined(__linux__)
#include <sys/vfs.h>
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
    if (file.changed == no_time_of_change) return true;
    if (file.changed != 0 && file.changed % second == 0) return true;
    const std::int64_t step = file.modified % second == 0 ? 2 * second + second / 10 : second / 50;
    return file.modified > now_in_files() - step;
}

bool may_change_unseen(const FileIdentity& file) noexcept {
    constexpr std::int64_t until_written = 40;   // Linux: pages wait for up to 30 s, and are looked for every 5
    return may_keep_its_time(file) || file.modified > now_in_files() - until_written * second;
}

bool may_be_one_time(std::int64_t a, std::int64_t b) noexcept {
    const bool coarse = a % second == 0 || b % second == 0;
    return a == b || (coarse && a - b < 2 * second && b - a < 2 * second);
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

#if defined(__linux__)
int system_of(const fs::path& file, struct statfs& where) noexcept { return ::statfs(file.c_str(), &where); }
int system_of(int descriptor, struct statfs& where) noexcept { return ::fstatfs(descriptor, &where); }

/// Asks of what the file, a path or a descriptor, lies on, once a device.
template <class File>
bool may_keep_no_time_of_change(std::uint64_t device, const File& file) noexcept {
    struct Known {
        std::uint64_t device;
        bool answer;
    };
    static thread_local std::optional<Known> last;
    if (last && last->device == device) return last->answer;
    struct statfs where{};
    if (system_of(file, where) != 0) return false;
    const auto kind = static_cast<std::uint32_t>(where.f_type);
    const std::uint32_t fat = 0x4d44, exfat = 0x2011bab0, fuse = 0x65735546, cifs = 0xff534d42, smb = 0xfe534d42;
    last = {device, kind == fat || kind == exfat || kind == fuse || kind == cifs || kind == smb};
    return last->answer;
}
#endif

template <class File>
FileIdentity identity_in(const struct stat& state, [[maybe_unused]] const File& file) noexcept {
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
#if defined(__linux__)
    if (identity.changed == identity.modified && may_keep_no_time_of_change(identity.device, file)) identity.changed = no_time_of_change;
#endif
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
    return identity_in(state, file);
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
    return {type, identity_in(state, file)};
}

std::optional<FileIdentity> identity_of(int descriptor) noexcept {
    struct stat state{};
    if (fstat(descriptor, &state) != 0) return std::nullopt;
    return identity_in(state, descriptor);
}

#endif

}  // namespace parallax::host
