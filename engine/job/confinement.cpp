#include "job/confinement.hpp"

#include "job/pattern.hpp"
#include "parallax/host/error.hpp"
#include "support/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace parallax::engine {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const fs::path& file, const std::string& pointer) {
    throw ConfigError(pointer, fmt::format("the file {}, outside the job's folder and every root", to_utf8(file)),
                      "an input below one of them", "name its folder with --root NAME=DIR, or leave --confined out");
}

}  // namespace

Confinement::Confinement(const Locations& where) {
    const auto add = [this](const fs::path& path, const char* what) {
        const fs::path absolute = fs::absolute(path.empty() ? fs::path(".") : path).lexically_normal();
        try {
            tops_.push_back({absolute.has_filename() ? absolute : absolute.parent_path(), host::Folder::open_strictly(absolute)});
        } catch (const std::system_error& error) {
            const bool link =
                error.code() == std::errc::too_many_symbolic_link_levels || error.code() == std::errc::not_a_directory;
            throw ConfigError("", fmt::format("{} {}: {}", what, to_utf8(path), error.code().message()),
                              "a folder, and no link on the way to it, where a job is confined",
                              link ? "name the folder itself (realpath tells it)" : "");
        }
    };
    add(where.job_folder, "the job's folder");
    for (const auto& [name, folder] : where.roots) add(folder, "the root");
#if defined(__linux__)
    if (!tops_.front().folder.is_held())
        throw UnsupportedError("a job cannot be confined here",
                               {"/proc is not there, through which files are opened in a folder"});
#endif
}

std::optional<Confinement::Place> Confinement::place_of(const fs::path& path) const {
    // Where the path leads at this moment; what is opened is held against that.
    std::error_code error;
    const fs::path real = fs::weakly_canonical(fs::absolute(path), error);
    if (error) return std::nullopt;
    for (const Top& top : tops_) {
        const auto [t, r] = std::mismatch(top.path.begin(), top.path.end(), real.begin(), real.end());
        if (t != top.path.end()) continue;
        fs::path relative;
        for (auto part = r; part != real.end(); ++part) relative /= *part;
        return Place{&top, relative};
    }
    return std::nullopt;
}

host::OpenedFile Confinement::open(const fs::path& file, const std::string& pointer) const {
    std::optional<host::OpenedFile> opened = open_if_there(file, pointer);
    if (!opened) throw ConfigError(pointer, fmt::format("no file {}", to_utf8(file)), "a file that is there");
    return std::move(*opened);
}

std::optional<host::OpenedFile> Confinement::open_if_there(const fs::path& file, const std::string& pointer) const {
    const std::optional<Place> place = place_of(file);
    if (!place) refuse(file, pointer);
    try {
        return place->top->folder.file(place->relative);
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::no_such_file_or_directory) return std::nullopt;
        if (error.code() == std::errc::is_a_directory)
            throw ConfigError(pointer, fmt::format("{}, which is a folder, a device or a pipe", to_utf8(file)),
                              "a file: a confined job reads no folder (DICOM, Zarr)");
        if (error.code() == std::errc::permission_denied)
            throw ConfigError(pointer, fmt::format("the file {}, which may not be read", to_utf8(file)),
                              "a file that may be read");
        refuse(file, pointer);
    }
}

std::vector<fs::path> Confinement::expand(const fs::path& pattern, const std::string& pointer) const {
    const auto [fixed, parts] = split_pattern(pattern);
    const std::optional<Place> place = place_of(fixed);
    if (!place) refuse(pattern, pointer);
    std::vector<fs::path> found;
    try {
        PatternBudget budget(pointer);
        std::vector<std::pair<host::Folder, fs::path>> level{{place->top->folder.below(place->relative), fixed}};
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const bool last = p + 1 == parts.size();
            std::vector<std::pair<host::Folder, fs::path>> next;
            for (const auto& [folder, path] : level) {
                std::error_code ignored;
                for (const fs::path& entry : host::entries_of(folder / "", ignored)) {
                    budget.count();
                    const std::string name = to_utf8(entry.filename());
                    if (name.front() == '.' || !matches(parts[p], name)) continue;
                    if (last) {
                        if (fs::is_regular_file(entry, ignored)) found.push_back(path / entry.filename());
                    } else if (fs::is_directory(fs::symlink_status(entry, ignored))) {
                        next.emplace_back(folder.below(entry.filename()), path / entry.filename());
                        budget.hold();
                    }
                }
            }
            level = std::move(next);
        }
    } catch (const std::system_error&) {   // it has changed meanwhile, or is not there
    }
    std::sort(found.begin(), found.end());
    for (const fs::path& file : found) open(file, pointer);   // a link may lead elsewhere
    return found;
}

}  // namespace parallax::engine
