#include "support/control_group.hpp"

#include "support/mounts.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::host::platform {

namespace fs = std::filesystem;

namespace {

/// The files of one kind of groups. What `dropped` counts the system gives up before a process fails.
struct Kind {
    std::string_view type;   ///< of its file system
    std::array<const char*, 2> limits;
    const char* used;
    std::array<std::string_view, 2> dropped;
    const char* inherits;   ///< "0" in it: the groups below count for themselves
};

constexpr Kind kinds[] = {
    // Above `memory.high` a process is slowed down until it stands nearly still: a limit, too.
    {"cgroup2", {"memory.max", "memory.high"}, "memory.current", {"inactive_file", "active_file"}, nullptr},
    {"cgroup",
     {"memory.limit_in_bytes", nullptr},
     "memory.usage_in_bytes",
     {"total_inactive_file", "total_active_file"},
     "memory.use_hierarchy"},
};

constexpr std::uint64_t no_limit = std::uint64_t{1} << 62;   // the first kind says so by the largest number of whole pages

std::optional<std::uint64_t> number_in(const fs::path& file) {
    std::ifstream stream(file);
    std::uint64_t value = 0;
    if (stream >> value) return value;
    return std::nullopt;   // "max", or no such file
}

bool lists(std::string_view all, std::string_view word) {
    while (!all.empty()) {
        const std::string_view first = all.substr(0, all.find(','));
        if (first == word) return true;
        all.remove_prefix(std::min(all.size(), first.size() + 1));
    }
    return false;
}

/// Where groups of a kind are mounted.
std::optional<Mount> mount_of(const fs::path& root, const Kind& kind) {
    for (Mount& mount : mounts(root)) {
        if (mount.type != kind.type || (kind.inherits != nullptr && !lists(mount.options, "memory"))) continue;
        mount.point = root / mount.point.relative_path();
        return std::move(mount);
    }
    return std::nullopt;
}

std::optional<fs::path> group_of(const fs::path& root, const Kind& kind) {
    std::ifstream lines(root / "proc/self/cgroup");
    for (std::string line; std::getline(lines, line);) {   // number:controllers:path
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
        if (kind.inherits != nullptr ? lists(controllers, "memory") : line.starts_with("0::")) return line.substr(second + 1);
    }
    return std::nullopt;
}

std::uint64_t held_in(const fs::path& folder, const Kind& kind, std::uint64_t used) {
    std::ifstream parts(folder / "memory.stat");
    std::string name;
    for (std::uint64_t value = 0; parts >> name >> value;)
        if (std::count(kind.dropped.begin(), kind.dropped.end(), name) > 0) used -= std::min(used, value);
    return used;
}

std::optional<std::uint64_t> left_in(const fs::path& folder, const Kind& kind) {
    const auto used = number_in(folder / kind.used);
    std::optional<std::uint64_t> least;
    for (const char* const name : kind.limits) {
        const auto limit = name != nullptr && used ? number_in(folder / name) : std::nullopt;
        if (!limit || *limit >= no_limit) continue;
        const std::uint64_t left = *limit - std::min(*limit, held_in(folder, kind, *used));
        least = std::min(left, least.value_or(left));
    }
    return least;
}

}  // namespace

std::optional<std::uint64_t> left_by_control_groups(const fs::path& root) {
    std::optional<std::uint64_t> least;
    for (const Kind& kind : kinds) {
        const auto mount = mount_of(root, kind);
        const auto group = group_of(root, kind);
        if (!mount || !group) continue;
        // A group that lies outside what is mounted cannot be looked at: then what is mounted stands for those above it.
        const fs::path below = group->lexically_relative(mount->top);
        const bool outside = below.empty() || *below.begin() == "..";
        for (fs::path at = outside ? fs::path(".") : below;; at = at.parent_path()) {
            const fs::path folder = (mount->point / at).lexically_normal();
            if (const auto left = left_in(folder, kind)) least = std::min(*left, least.value_or(*left));
            if (at.empty() || at == ".") break;
            const fs::path above = (mount->point / at.parent_path()).lexically_normal();
            if (kind.inherits != nullptr && number_in(above / kind.inherits) == 0) break;
        }
    }
    return least;
}

}  // namespace parallax::host::platform
