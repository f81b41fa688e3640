// A file appears complete or not at all: written under another name in the same folder, then renamed.
#include <fmt/format.h>
#include <xxhash.h>

#include <system_error>

#include "io/file.hpp"
#include "io/io.hpp"
#include "parallax/host/error.hpp"
#include "support/platform.hpp"

namespace fs = std::filesystem;

namespace parallax::io {
namespace {

/// Folders that the output needs, made now; those that stayed empty go again.
class Folders {
public:
    explicit Folders(const fs::path& target) {
        std::error_code code;
        for (fs::path folder = fs::absolute(target, code).parent_path(); !fs::exists(folder, code);
             folder = folder.parent_path()) {
            if (folder == folder.parent_path()) break;
            made_.push_back(folder);
        }
        for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) {
            // Another process may have been faster: that is no failure.
            if (!fs::create_directory(*folder, code) && !fs::is_directory(*folder)) {
                remove();
                throw IoError(show(target), fmt::format("its folder {} cannot be made: {}", show(*folder), code.message()),
                              "choose another folder");
            }
        }
    }
    void remove() noexcept {
        std::error_code code;
        for (const fs::path& folder : made_) fs::remove(folder, code);  // innermost first; refuses where something is inside
    }

private:
    std::vector<fs::path> made_;
};

/// A name beside `path` that nobody else has.
fs::path temporary_beside(const fs::path& path) {
    const std::string unique = host::platform::unique_suffix();
    fs::path name = fs::path(".");
    name += path.filename();
    name += fmt::format(".{:016x}.part", XXH3_64bits(unique.data(), unique.size()));
    return path.parent_path() / name;
}

/// Gives the finished file its name; `overwrite` false: only where the name is free.
void publish(const fs::path& temporary, const fs::path& path, bool overwrite) {
    std::error_code code;
    if (!overwrite) {
        // A second name for the file is made in one step, and fails where the name exists: no gap for another process.
        fs::create_hard_link(temporary, path, code);
        if (!code) {
            fs::remove(temporary, code);
            return;
        }
        // Some file systems know no such links: then check and rename.
        if (code == std::errc::file_exists || fs::exists(fs::symlink_status(path))) {
            throw IoError(show(path), "appeared while it was being written", "choose another name, or allow overwriting");
        }
    }
    fs::rename(temporary, path, code);
    if (code)
        throw IoError(show(path), fmt::format("cannot be put in place: {}", code.message()),
                      "look at the permissions of its folder");
}

}  // namespace

void check_target(const fs::path& path, bool overwrite) {
    const std::string name = show(path);
    if (!path.has_filename()) throw IoError(name, "names no file", "give a file name behind the folder");
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (fs::is_directory(status)) throw IoError(name, "is a folder", "give a file name inside it");
    if (fs::exists(status)) {
        if (!fs::is_regular_file(status)) throw IoError(name, "is a device or a pipe, not a regular file", "choose another name");
        if (!overwrite) throw IoError(name, "exists already", "choose another name, or allow overwriting");
    }
    fs::path folder = fs::absolute(path, code).parent_path();
    while (!fs::exists(folder, code) && folder != folder.parent_path()) folder = folder.parent_path();
    if (!fs::is_directory(folder, code))
        throw IoError(name, fmt::format("{} is a file, not a folder", show(folder)), "choose another folder");
    if (!can_create_in(folder))
        throw IoError(name, fmt::format("the folder {} may not be written", show(folder)), "look at its permissions");
}

void write_atomically(const fs::path& path, bool overwrite, const std::function<void(const fs::path&)>& produce) {
    check_target(path, overwrite);
    Folders folders(path);
    const fs::path temporary = temporary_beside(path);
    try {
        produce(temporary);
        publish(temporary, path, overwrite);
    } catch (...) {
        std::error_code code;
        fs::remove(temporary, code);
        folders.remove();
        throw;
    }
}

}  // namespace parallax::io
