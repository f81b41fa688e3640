#include "job/output_paths.hpp"

#include "io/io.hpp"
#include "io/known_status.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace parallax::engine {

namespace fs = std::filesystem;

namespace {

constexpr const char* below_out = "outputs are relative to --out and stay below it";

bool lies_below(const fs::path& file, const fs::path& folder) {
    std::error_code ignored;   // what does not exist leads nowhere
    const fs::path top = fs::weakly_canonical(fs::absolute(folder), ignored),
                   real = fs::weakly_canonical(fs::absolute(file), ignored);
    const auto [t, r] = std::mismatch(top.begin(), top.end(), real.begin(), real.end());
    return t == top.end() || t->empty();
}

/// What is at a path of which no part is a link: of a job that is confined no output is or lies behind one, wherever that leads.
fs::file_status status_without_links(const fs::path& out, const fs::path& relative, const std::string& text,
                                     const std::string& pointer) {
    fs::path at = out;
    fs::file_status there;
    for (const fs::path& part : relative) {
        at /= part;
        std::error_code error;
        there = fs::symlink_status(at, error);
        if (fs::is_symlink(there))
            throw ConfigError(pointer, fmt::format("a symbolic link behind \"{}\"", text), "a path below --out",
                              "a confined job writes through no link");
        if (error == std::errc::permission_denied) writable_ancestor(at, pointer);   // says which folder
    }
    return there;
}

/// What lies behind a link that leads out, or behind a folder that may not be entered.
void check_way(const fs::path& path, const Locations& where, const std::string& text, const std::string& pointer) {
    std::error_code closed, ignored;   // what does not exist yet leads nowhere
    const fs::path whole = whole_path(path);
    static_cast<void>(fs::status(whole, closed));
    if (closed == std::errc::permission_denied) writable_ancestor(path, pointer);   // says which folder
    if (closed == std::errc::filename_too_long)
        throw ConfigError(pointer,
                          fmt::format("a path of {} bytes, or a name in it, which the system does not take", whole.native().size()),
                          "a path to a folder that is there or can be made",
                          "systems have a longest path: give folders and file shorter names");
    if (closed && !io::leads_nowhere(closed) && closed != std::errc::permission_denied)   // for the moment nobody knows where it leads
        throw IoError(to_utf8(path), "cannot be looked at: " + closed.message(), "see whether the disk or the network drive is well");
    if (lies_below(path, where.out)) return;
    const fs::path target = fs::weakly_canonical(whole, ignored);   // of links in a circle there is none
    throw ConfigError(pointer,
                      target.empty() ? fmt::format("a symbolic link behind \"{}\"", text)
                                     : fmt::format("a symbolic link to {} behind \"{}\"", to_utf8(target), text),
                      "a path below --out", below_out);
}

}  // namespace

fs::path written_output(const std::string& text, const fs::path& out, const std::string& pointer) {
    if (text.empty()) throw ConfigError(pointer, "an empty path", "the path of a file");
    const fs::path relative = path_from(text);
    if (relative.is_absolute() || relative.has_root_path()) {
        throw ConfigError(pointer, fmt::format("the absolute path \"{}\"", text), "a relative path", below_out);
    }
    constexpr std::size_t longest = 255;   // bytes, of every file system in use
    constexpr std::ptrdiff_t deepest = 64;   // each folder is looked at by its whole path
    if (std::distance(relative.begin(), relative.end()) > deepest)
        throw ConfigError(pointer, fmt::format("a path of more than {} folders", deepest), "fewer folders in each other");
    for (const fs::path& part : relative) {
        if (part == "..")
            throw ConfigError(pointer, fmt::format("\"..\" in the path \"{}\"", text), "a path below --out", below_out);
        if (const std::size_t bytes = to_utf8(part).size(); bytes > longest)
            throw ConfigError(pointer, fmt::format("a name of {} bytes in a path", bytes),
                              fmt::format("at most {} bytes", longest), "systems take no longer names of files and folders");
    }
    if (!relative.has_filename() || relative.filename() == ".") {
        throw ConfigError(pointer, fmt::format("the path \"{}\" of a folder", text), "the path of a file");
    }
    check_names(relative, pointer);
    return (out / relative).lexically_normal();
}

fs::path resolve_output(const std::string& text, const Locations& where, const std::string& pointer) {
    return OutputPaths(where).resolve(text, pointer);
}

bool OutputPaths::is_plain(const fs::path& path, const fs::file_status& there) {
    // Of a kind that this standard has no name for the system may follow it, as it does Windows' junctions.
    if (fs::exists(there) && !fs::is_regular_file(there) && !fs::is_directory(there)) return false;
    if (!fs::status_known(there)) return false;
    const fs::path folder = path.parent_path();
    const auto [known, fresh] = below_.try_emplace(folder.native(), false);
    if (fresh) known->second = lies_below(folder.empty() ? "." : folder, where_.out);
    return known->second;
}

fs::file_status OutputPaths::status_of(const fs::path& path, const std::string& text, const std::string& pointer) {
    std::error_code ignored;
    if (where_.confined) return status_without_links(where_.out, path_from(text).lexically_normal(), text, pointer);
    const fs::file_status there = fs::symlink_status(path, ignored);
    if (is_plain(path, there)) return there;
    check_way(path, where_, text, pointer);
    return fs::symlink_status(path, ignored);
}

fs::path OutputPaths::resolve(const std::string& text, const std::string& pointer) {
    const fs::path path = written_output(text, where_.out, pointer);
    const fs::file_status there = status_of(path, text, pointer);
    if (fs::is_symlink(there)) {
        throw ConfigError(pointer, fmt::format("the symbolic link \"{}\"", text), "a file, or nothing", "remove the link first");
    }
    if (fs::is_directory(there)) {
        if (!io::writes_folder(path))
            throw ConfigError(pointer, fmt::format("the folder {}", to_utf8(path)), "the path of a file");
        if (!io::is_store(path))
            throw ConfigError(pointer, fmt::format("the folder {}", to_utf8(path)), "a Zarr store, or nothing of that name",
                              "choose another name: what is in that folder is not removed");
    }
    return path;
}

void OutputPaths::recover_beside(const fs::path& output) {
    if (recovered_.insert(output.parent_path().native()).second) engine::recover_beside(output, where_);
}

}  // namespace parallax::engine
