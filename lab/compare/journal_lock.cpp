#include "compare/journal_lock.hpp"

#include <fmt/format.h>

#include <optional>

#include "job/paths.hpp"
#include "support/file_identity.hpp"
#include "support/warnings.hpp"

namespace parallax::engine::compare {

namespace fs = std::filesystem;

namespace {

bool is_same_file(const std::optional<host::FileIdentity>& a, const std::optional<host::FileIdentity>& b) {
    return a && b && a->device == b->device && a->inode == b->inode;
}

}   // namespace

host::FileLock lock_journal(const fs::path& path) {
    for (;;) {
        std::error_code error;
        const fs::file_status status = fs::symlink_status(path, error);
        if (fs::exists(status) && !fs::is_regular_file(status)) throw no_journal(path);
        const auto before = host::identity_of(path);
        std::optional<host::FileLock> lock = host::FileLock::take(path, host::FileLock::Kind::exclusive);
        if (!lock)
            throw ConfigError("--out", fmt::format("{}, in which another study is at work", to_utf8(path.parent_path())),
                              "a folder in which none is", "wait for it, or choose another --out");
        // A study that came to its end meanwhile has removed the file: a lock on that keeps nobody out.
        if (!lock->is_held() || is_same_file(before, host::identity_of(path))) return std::move(*lock);
    }
}

void warn_of_no_lock(const fs::path& path, const std::error_code& trouble) {
    host::warn_once(
        fmt::format("{} cannot be locked: {}. Nothing keeps another process from writing the same report: see that no other "
                    "does, or let --out name a folder on a file system that has locks",
                    to_utf8(path), trouble.message()));
}

ConfigError no_journal(const fs::path& path) {
    return {"--out", fmt::format("{}, which is no study's journal", to_utf8(path)), "a folder without it, or with a study's own",
            "choose another --out, or give it another name"};
}

}   // namespace parallax::engine::compare
