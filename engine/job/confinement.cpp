#include "job/confinement.hpp"

#include "io/hints.hpp"
#include "io/transaction.hpp"
#include "job/pattern.hpp"
#include "parallax/host/error.hpp"
#include "support/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>

namespace parallax::engine {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const fs::path& file, const std::string& pointer) {
    throw ConfigError(pointer, fmt::format("the file {}, outside the job's folder and every root", to_utf8(file)),
                      "an input below one of them", "name its folder with --root NAME=DIR, or leave --confined out");
}

/// Throws IoError where it is not the path that is wrong.
void tell_of_trouble(const fs::path& path, const char* what, const std::error_code& error) {
    if (io::is_of_the_path(error)) return;
    throw IoError(to_utf8(path), fmt::format("{}: {}", what, error.message()), io::open_hint_for(error.value()));
}

template <class Iterator>
fs::path joined(Iterator part, Iterator end) {
    fs::path::string_type text;
    for (; part != end; ++part) (text.empty() ? text : text += fs::path::preferred_separator) += part->native();
    return text;
}

/// What a link says; nothing: it is none, or nothing is there.
std::optional<fs::path> link_at(const host::Folder& top, const fs::path& relative) {
    try {
        const host::Folder folder = top.below(relative.parent_path());
        std::error_code error;
        if (!fs::is_symlink(fs::symlink_status(folder / relative.filename(), error))) return std::nullopt;
        fs::path target = fs::read_symlink(folder / relative.filename(), error);
        return error ? std::nullopt : std::optional(std::move(target));
    } catch (const std::system_error&) {
        return std::nullopt;
    }
}

}  // namespace

Confinement::Confinement(const Locations& where, PassedOver passed_over) : passed_over_(std::move(passed_over)) {
    std::error_code gone;   // then whole paths are left
    here_ = fs::current_path(gone);
    const auto add = [this](const fs::path& path, const char* what) {
        const fs::path absolute = (here_ / (path.empty() ? fs::path(".") : path)).lexically_normal();
        try {
            tops_.push_back({parts_of(absolute), host::Folder::open_strictly(absolute)});
        } catch (const std::system_error& error) {
            tell_of_trouble(path.empty() ? "." : path, "the folder cannot be opened", error.code());
            throw ConfigError("", fmt::format("{} {}: {}", what, to_utf8(path), error.code().message()),
                              "a folder, and no link on the way to it, where a job is confined",
                              io::meets_link_or_file(error.code()) ? "name the folder itself (realpath tells it)" : "");
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

Confinement::Parts Confinement::parts_of(const fs::path& path) {
    Parts parts;
    for (const fs::path& part : path)
        if (!part.empty() && part != "." && part != path.root_directory()) parts.push_back(part);
    return parts;
}

const Confinement::Top* Confinement::top_of(const Parts& parts) const {
    for (const Top& top : tops_)
        if (top.parts.size() <= parts.size() && std::equal(top.parts.begin(), top.parts.end(), parts.begin())) return &top;
    return nullptr;
}

bool Confinement::leads_to_top(const Parts& parts) const {
    return std::any_of(tops_.begin(), tops_.end(), [&](const Top& top) {
        return parts.size() <= top.parts.size() && std::equal(parts.begin(), parts.end(), top.parts.begin());
    });
}

/// Where the path leads at this moment; what is opened is held against that. Elsewhere nothing is looked at: the folders above a
/// top are known by their names, as no link is among them, and whoever goes anywhere else has left.
std::optional<Confinement::Place> Confinement::place_of(const fs::path& path) const {
    constexpr int most_links = 40;   // as the system
    Parts here, ahead = parts_of((here_ / path).lexically_normal());
    std::reverse(ahead.begin(), ahead.end());
    for (int links = 0; !ahead.empty();) {
        const fs::path part = std::move(ahead.back());
        ahead.pop_back();
        if (part == "..") {
            if (!here.empty()) here.pop_back();
            continue;
        }
        here.push_back(part);
        const Top* const top = top_of(here);
        if (top == nullptr && !leads_to_top(here)) return std::nullopt;
        if (top == nullptr || here.size() == top->parts.size()) continue;
        const std::optional<fs::path> target = link_at(top->folder, joined(here.begin() + std::ssize(top->parts), here.end()));
        if (!target) continue;
        if (++links > most_links) return std::nullopt;
        here.pop_back();
        if (target->is_absolute()) here.clear();
        const Parts parts = parts_of(*target);
        ahead.insert(ahead.end(), parts.rbegin(), parts.rend());
    }
    const Top* const top = top_of(here);
    if (top == nullptr) return std::nullopt;
    return Place{top, joined(here.begin() + std::ssize(top->parts), here.end())};
}

bool Confinement::holds(const fs::path& path) const { return place_of(path).has_value(); }

void Confinement::check(const fs::path& path, const std::string& pointer) const {
    if (!holds(path)) refuse(path, pointer);
}

std::optional<host::Folder> Confinement::folder(const fs::path& path) const {
    const std::optional<Place> place = place_of(path.empty() ? "." : path);
    if (!place) return std::nullopt;
    try {
        return place->top->folder.below(place->relative);
    } catch (const std::system_error&) {
        return std::nullopt;
    }
}

bool Confinement::is_link(const fs::path& path) const {
    const std::optional<Place> folder = place_of(path.has_parent_path() ? path.parent_path() : ".");
    return folder && link_at(folder->top->folder, folder->relative / path.filename());
}

void Confinement::recover(const fs::path& folder) const {
    if (const std::optional<Place> place = place_of(folder.empty() ? "." : folder))
        io::recover_below(place->top->folder, place->relative, folder);
}

/// Not: a link to a folder or to nothing, below the tops. What may not be read, lies elsewhere or has become a link meanwhile is
/// refused or told.
bool Confinement::is_readable(const fs::path& file, const std::string& pointer) const {
    if (open_as_written(file)) return true;
    try {
        if (is_link(file)) {
            const std::optional<Place> place = place_of(file);
            if (!place) refuse(file, pointer);
            io::recover_below(place->top->folder, place->relative.parent_path(), file.parent_path());
            try {
                place->top->folder.file(place->relative);
                return true;
            } catch (const std::system_error& error) {
                if (error.code() != std::errc::permission_denied) return false;
            }
        }
        open(file, pointer);
        return true;
    } catch (const ConfigError& error) {
        if (!passed_over_) throw;
        passed_over_(file, error);
        return false;
    }
}

host::OpenedFile Confinement::open(const fs::path& file, const std::string& pointer) const {
    std::optional<host::OpenedFile> opened = open_if_there(file, pointer);
    if (!opened) throw NoSuchFile(pointer, fmt::format("no file {}", to_utf8(file)), "a file that is there");
    return std::move(*opened);
}

/// Nothing where a link is on the way, among others. Most ways have none, and a job may name files by the hundred thousand.
std::optional<host::OpenedFile> Confinement::open_as_written(const fs::path& file) const {
    const Parts parts = parts_of((here_ / file).lexically_normal());
    const Top* const top = top_of(parts);
    if (top == nullptr || parts.size() == top->parts.size()) return std::nullopt;
    try {
        return top->folder.file(joined(parts.begin() + std::ssize(top->parts), parts.end()));
    } catch (const std::system_error&) {
        return std::nullopt;
    }
}

std::optional<host::OpenedFile> Confinement::open_if_there(const fs::path& file, const std::string& pointer) const {
    if (std::optional<host::OpenedFile> opened = open_as_written(file)) return opened;
    const std::optional<Place> place = place_of(file);
    if (!place) refuse(file, pointer);
    // A link may lead to where nobody has looked yet.
    io::recover_below(place->top->folder, place->relative.parent_path(), file.parent_path());
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
        tell_of_trouble(file, "cannot be opened", error.code());
        refuse(file, pointer);
    }
}

std::vector<fs::path> Confinement::expand(const fs::path& pattern, const std::string& pointer, PatternBudget& patterns) const {
    const auto [fixed, parts] = split_pattern(pattern);
    const std::optional<Place> place = place_of(fixed);
    if (!place) refuse(path_from(plain(to_utf8(pattern))), pointer);
    std::vector<fs::path> found, doubtful;
    try {
        PatternBudget::Look look(patterns, pointer);
        std::vector<std::pair<host::Folder, fs::path>> level{{place->top->folder.below(place->relative), fixed}};
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const bool last = p + 1 == parts.size();
            std::vector<std::pair<host::Folder, fs::path>> next;
            for (const auto& [folder, path] : level) {
                recover(path);
                std::error_code unseen;
                const std::vector<fs::path> entries = host::entries_of(folder / "", unseen);
                tell_of_unseen(unseen, path, path);
                for (const fs::path& entry : entries) {
                    look.count();
                    const std::string name = to_utf8(entry.filename());
                    if (name.front() == '.' || !matches(parts[p], name)) continue;
                    const fs::file_status is = fs::symlink_status(entry, unseen);
                    tell_of_unseen(fs::status_known(is) ? std::error_code() : unseen, path / entry.filename(), path);
                    if (last) {
                        // One of a hundred thousand files is opened when it is read: unless somebody asks now which may be.
                        if (fs::is_regular_file(is) && !passed_over_) found.push_back(path / entry.filename());
                        else if (fs::is_regular_file(is) || fs::is_symlink(is)) doubtful.push_back(path / entry.filename());
                    } else if (fs::is_directory(is)) {
                        try {
                            next.emplace_back(folder.below(entry.filename()), path / entry.filename());
                            look.hold();
                        } catch (const std::system_error& error) {   // or it has changed meanwhile, or is not there
                            tell_of_unseen(error.code(), path / entry.filename(), path / entry.filename());
                        }
                    }
                }
            }
            level = std::move(next);
        }
    } catch (const std::system_error& error) {   // or it has changed meanwhile, or is not there
        tell_of_unseen(error.code(), fixed, fixed);
    }
    std::sort(doubtful.begin(), doubtful.end());
    std::copy_if(doubtful.begin(), doubtful.end(), std::back_inserter(found),
                 [&](const fs::path& file) { return is_readable(file, pointer); });
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace parallax::engine
