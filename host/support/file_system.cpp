#include "support/file_system.hpp"

#if defined(__linux__)
#include <sys/vfs.h>
#endif

namespace parallax::host {

bool is_in_memory(const std::filesystem::path& path) noexcept {
#if defined(__linux__)
    constexpr unsigned long tmpfs = 0x01021994, ramfs = 0x858458f6;   // of linux/magic.h
    struct statfs state{};
    if (::statfs(path.c_str(), &state) != 0) return false;
    const auto type = static_cast<unsigned long>(state.f_type) & 0xffffffffUL;
    return type == tmpfs || type == ramfs;
#else
    static_cast<void>(path);
    return false;
#endif
}

}   // namespace parallax::host
