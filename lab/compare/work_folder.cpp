#include "compare/work_folder.hpp"

#include <string>
#include <string_view>
#include <system_error>

#include "job/paths.hpp"
#include "parallax/host/error.hpp"
#include "support/entries.hpp"
#include "support/platform.hpp"

namespace parallax::engine::compare {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = ".parallax-work-";

/// The whole shape of such a name: what only begins like one is somebody else's.
bool is_ours(const std::string& name) {
    if (!name.starts_with(prefix)) return false;
    const std::string_view rest = std::string_view(name).substr(prefix.size());
    return host::platform::is_unique_suffix(rest);
}

}   // namespace

WorkFolder::WorkFolder(const fs::path& out) {
    std::error_code error;
    do {   // what has the name already is not ours, nor what a link of that name leads to
        path_ = fs::absolute(out / (std::string(prefix) + host::platform::unique_suffix()));
    } while (!host::platform::create_private_folder(path_, error) && !error);
    if (error)
        throw IoError(to_utf8(path_), "cannot be made: " + error.message(), "look at the room and the permissions of its folder");
}

WorkFolder::~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

void WorkFolder::sweep(const fs::path& out) {
    std::error_code ignored;
    for (const fs::path& entry : host::entries_of(out, ignored)) {
        const bool folder = fs::is_directory(fs::symlink_status(entry, ignored));
        if (folder && is_ours(to_utf8(entry.filename()))) fs::remove_all(entry, ignored);
    }
}

}   // namespace parallax::engine::compare
