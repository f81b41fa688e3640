#include "job/paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "core/parameters.hpp"
#include "io/file.hpp"
#include "io/io.hpp"
#include "io/journal.hpp"
#include "io/transaction.hpp"
#include "job/confinement.hpp"
#include "job/input_folders.hpp"
#include "job/pattern.hpp"
#include "support/text.hpp"

namespace parallax::engine {

namespace fs = std::filesystem;

namespace {

/// "data:holo/a.tif" -> "data". A single letter is a drive of Windows.
std::string root_of(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon < 2) return {};
    const std::string name = text.substr(0, colon);
    const bool word = std::all_of(name.begin(), name.end(),
                                  [](char c) { return host::is_word(c) || c == '-'; });
    return word ? name : std::string();
}

template <class IsLink>
void refuse_dots(const fs::path& path, const std::string& pointer, const IsLink& is_link) {
    fs::path at;
    for (const fs::path& part : path) {
        if (part == "." || part.empty()) continue;
        if (part != ".." || !at.has_filename() || at.filename() == "..") {
            at /= part;
            continue;
        }
        if (is_link(at))
            throw ConfigError(pointer, fmt::format("\"..\" behind the symbolic link {}", to_utf8(at)),
                              "a path without \"..\" behind a link", "name the folder itself (realpath tells it)");
        at = at.parent_path();
    }
}

/// And what is above the folder where it leads is another than what is above itself.
bool is_a_link_elsewhere(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_symlink(fs::symlink_status(path, ignored))) return false;
    return !fs::equivalent(path / "..", path.has_parent_path() ? path.parent_path() : ".", ignored);
}

/// A path as it is written, and what it is relative to.
struct Written {
    fs::path base, rest;
};

Written written(const std::string& text, const Locations& where, const std::string& pointer) {
    if (text.empty()) throw ConfigError(pointer, "an empty path", "the path of a file");
    if (text.find("://") != std::string::npos)
        throw ConfigError(pointer, fmt::format("the address \"{}\"", text), "the path of a file on this machine");
    const bool of_job = pointer.starts_with('/');   // a command's own argument has no roots
    const std::string root = of_job || !where.roots.empty() ? root_of(text) : std::string();
    check_input_name(text, pointer);
    if (root.empty()) return {where.job_folder, path_from(text)};
    const auto found = where.roots.find(root);
    if (found == where.roots.end()) {
        std::vector<std::string> known;
        for (const auto& [name, folder] : where.roots) known.push_back(name);
        std::string hint = did_you_mean(root, known);
        if (hint.empty()) hint = fmt::format("say where it is with --root {}=DIR", root);
        hint += fmt::format(", or write \"./{}\" for a file of that name", text);
        throw ConfigError(
            pointer, fmt::format("the unknown root \"{}:\"", root),
            known.empty() ? "a path, as no root is given" : fmt::format("one of the roots {}", fmt::join(known, ", ")), hint);
    }
    return {found->second, path_from(text.substr(root.size() + 1))};
}

/// With marks before * and ? of the base, which are no pattern. operator/ keeps an absolute path as it is.
fs::path as_pattern(const Written& written) { return path_from(literally(to_utf8(written.base))) / written.rest; }

fs::path locate(const std::string& text, const Locations& where, const std::string& pointer, const Confinement* confinement) {
    const auto [base, rest] = written(text, where, pointer);
    const fs::path path = base / rest;
    refuse_dots(path, pointer,
                [&](const fs::path& at) { return confinement ? confinement->is_link(at) : is_a_link_elsewhere(at); });
    return path.lexically_normal();
}

/// Of a confined job's inputs; the one that is held already, where there is one.
class Held {
public:
    Held(const Locations& where, const Confinement* held) : confinement_(held) {
        if (where.confined && !held) confinement_ = &own_.emplace(where);
    }
    const Confinement* get() const noexcept { return confinement_; }

private:
    std::optional<Confinement> own_;
    const Confinement* confinement_;
};

void expand(const fs::path& base, const std::vector<std::string>& parts, std::size_t at, PatternBudget::Look& look,
            InputFolders& folders, std::vector<fs::path>& found) {
    std::error_code error;
    if (at == parts.size()) {
        if (fs::is_regular_file(folders.status_of(base, error))) found.push_back(base);
        return tell_of_unseen(error, base, base.parent_path());
    }
    if (!has_wildcard(parts[at])) return expand(base / path_from(plain(parts[at])), parts, at + 1, look, folders, found);
    folders.recover(base);   // before it is listed
    std::vector<fs::path> entries;
    for (fs::directory_iterator it(base.empty() ? fs::path(".") : base, error), end; !error && it != end; it.increment(error)) {
        look.count();
        const std::string name = to_utf8(it->path().filename());
        if (name.front() != '.' && matches(parts[at], name)) entries.push_back(it->path());
    }
    tell_of_unseen(error, base, base);
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries) expand(entry, parts, at + 1, look, folders, found);
}

/// Why a path that somebody wrote may name no file.
std::string advice_on_missing(const std::string& text, const fs::path& path, const std::string& pointer) {
    if (text == "-")
        return "frames on standard input are for `parallax run`: write them to a file first, or \"./-\" for a file of that name";
    if (has_wildcard(text)) return R"(a pattern stands as {"files": "*.tif", "combine": "mean"}, or in "for_each")";
    if (text.find('[') != std::string::npos) return "patterns have * and ?, and a list has several patterns";
    if (text.starts_with('~') || text.find('$') != std::string::npos) return "~ and $NAME are a shell's: write the path in full";
    if (const std::string near = near_file(path, Among::inputs); !near.empty()) return near;
    std::error_code ignored;
    const fs::path folder = path.parent_path();
    if (!folder.empty() && !fs::is_directory(folder, ignored)) return fmt::format("there is no folder {}", to_utf8(folder));
#if !defined(_WIN32)
    if (text.find('\\') != std::string::npos) return "folders are separated by / here";
#endif
    const bool of_job = pointer.starts_with('/');   // else of a command's own
    return of_job && (path.is_relative() || text.front() != '/') ? "paths are relative to the folder of the job" : "";
}

/// The job itself, a report, a study: no input, and no hint for one.
bool is_json(const fs::path& file) { return file.extension() == ".json"; }

/// What is where a pattern looked.
std::string near_pattern(const fs::path& pattern) {
    std::error_code ignored;
    fs::path folder;
    for (const fs::path& part : pattern.parent_path()) {
        const std::string name = to_utf8(part);
        if (has_wildcard(name)) break;
        folder /= path_from(plain(name));
        if (fs::is_directory(folder, ignored)) continue;
        const std::string like = near_file(folder, Among::inputs);
        return fmt::format("there is no folder {}{}", to_utf8(folder), like.empty() ? "" : ": " + like);
    }
    std::size_t count = 0, json = 0;
    std::string first;
    for (fs::directory_iterator it(folder.empty() ? fs::path(".") : folder, ignored), end; !ignored && it != end && count < 10000;
         it.increment(ignored)) {
        if (it->is_directory(ignored)) continue;
        if (is_json(it->path())) {
            ++json;
            continue;
        }
        const std::string name = to_utf8(it->path().filename());
        if (count++ == 0 || name < first) first = name;
    }
    if (ignored == std::errc::permission_denied) return fmt::format("this user may not look into the folder {}", to_utf8(folder));
    if (count == 0) return json > 0 ? "there are no files but .json in that folder" : "there are no files in that folder";
    return count == 1 ? fmt::format("in that folder is another, {}", first)
                      : fmt::format("in that folder are {} others, such as {}", count, first);
}

}  // namespace

std::string near_file(const fs::path& missing, Among among) {
    std::error_code ignored, denied;
    if (fs::is_symlink(fs::symlink_status(missing, ignored)))
        return fmt::format("it is a link to {}, where nothing is", to_utf8(fs::read_symlink(missing, ignored)));
    if (!fs::exists(missing, denied) && denied == std::errc::permission_denied) {
        fs::path folder = fs::absolute(missing, ignored).parent_path();
        while (folder.has_relative_path() && !fs::exists(folder, denied)) folder = folder.parent_path();
        return fmt::format("this user may not enter the folder {}", to_utf8(folder));
    }
    std::vector<std::string> names;
    for (fs::directory_iterator it(missing.has_parent_path() ? missing.parent_path() : fs::path("."), ignored), end;
         !ignored && it != end && names.size() < 10000; it.increment(ignored)) {
        if (among == Among::all || !is_json(it->path()) || is_json(missing)) names.push_back(to_utf8(it->path().filename()));
    }
    return did_you_mean(to_utf8(missing.filename()), names);
}

fs::path path_from(const std::string& utf8) { return fs::path(std::u8string(utf8.begin(), utf8.end())); }

std::string to_utf8(const fs::path& path) {
    const std::u8string text = path.generic_u8string();
    return std::string(text.begin(), text.end());
}

void check_root_name(const std::string& name, const std::string& pointer) {
    if (root_of(name + ':') == name && !name.empty()) return;
    throw ConfigError(pointer, fmt::format("the root \"{}\"", name), "a name of two and more of the letters a to z, digits, _ and -",
                      "with another no \"NAME:path\" in a job would begin");
}

std::string without_root(const std::string& path) { return root_of(path).empty() ? path : "./" + path; }

void refuse_dots_behind_link(const fs::path& path, const std::string& pointer) { refuse_dots(path, pointer, is_a_link_elsewhere); }

void check_locations(const Locations& where) {
    const auto check = [](const fs::path& folder, const std::string& pointer) {
        whole_path(folder.empty() ? "." : folder);
        refuse_dots_behind_link(folder, pointer);
    };
    check(where.job_folder, "the job's folder");
    if (where.out.empty()) throw ConfigError("--out", "an empty path", "a folder");
    check(where.out, "--out");
    if (where.confined) refuse_links(where.out, "--out");
    for (const auto& [name, folder] : where.roots) {
        check_root_name(name, "--root");
        check(folder, "--root " + name);
    }
}

fs::path whole_path(const fs::path& path) {
    std::error_code gone;
    fs::path whole = fs::absolute(path, gone);
    if (gone)
        throw IoError("the working folder", "is gone: " + gone.message(),
                      "go to one that is there, or name inputs, the job and --out by absolute paths");
    return whole;
}

Locations absolute(Locations where) {
    where.job_folder = fs::absolute(where.job_folder).lexically_normal();
    for (auto& [name, folder] : where.roots) folder = fs::absolute(folder).lexically_normal();
    for (OwnFile& file : where.own) file.path = fs::absolute(file.path);
    return where;
}

fs::path resolve_input(const std::string& text, const Locations& where, const std::string& pointer, const Confinement* held,
                       InputFolders* folders) {
    const Held confinement(where, held);
    const fs::path path = locate(text, where, pointer, confinement.get());
    InputFolders own(confinement.get());
    InputFolders& known = folders != nullptr ? *folders : own;
    if (confinement.get() != nullptr) {   // not even whether a file elsewhere is there is told
        known.recover_of(path);
        confinement.get()->open(path, pointer);
        return path;
    }
    std::error_code error;
    const fs::file_status status = known.status_of(path, error);
    if (fs::is_directory(status)) {
        if (io::is_readable_folder(path)) return path;
        const std::string files = fmt::format("\"{}{}*\"", text, text.ends_with('/') ? "" : "/");
        const bool takes_one = pointer.starts_with("/inputs/") && !pointer.ends_with("/files");
        throw ConfigError(
            pointer, fmt::format("the folder {}", to_utf8(path)), "a file",
            takes_one ? fmt::format("{{\"files\": {}, \"combine\": \"mean\"}} makes one array of its files, and \"for_each\" "
                                    "goes through them",
                                    files)
                      : fmt::format("its files are {}", files));
    }
    if (!fs::exists(status)) {
        throw NoSuchFile(pointer, fmt::format("no file {}", to_utf8(path)), "a file that is there",
                         advice_on_missing(text, path, pointer));
    }
    return path;
}

fs::path locate_input(const std::string& text, const Locations& where, const std::string& pointer, const Confinement& held,
                      InputFolders& folders) {
    fs::path path = locate(text, where, pointer, &held);
    folders.recover_of(path);
    return path;
}

std::vector<fs::path> resolve_inputs(const std::string& pattern, const Locations& where, const std::string& pointer,
                                     const Confinement* held, InputFolders* folders) {
    if (!has_wildcard(pattern)) return {resolve_input(plain(pattern), where, pointer, held, folders)};
    const Held confinement(where, held);
    const fs::path path = locate(plain(pattern), where, pointer, confinement.get()),
                   marked = as_pattern(written(pattern, where, pointer)).lexically_normal();
    InputFolders own(confinement.get());
    if (folders == nullptr) folders = &own;
    if (confinement.get() != nullptr) {
        const std::vector<fs::path> found = confinement.get()->expand(marked, pointer, folders->patterns());
        if (found.empty()) throw NoSuchFile(pointer, fmt::format("no file that matches {}", to_utf8(path)), "at least one file");
        return found;
    }
    const auto [fixed, parts] = split_pattern(marked);
    std::vector<fs::path> found;
    PatternBudget::Look look(folders->patterns(), pointer);
    expand(fixed, parts, 0, look, *folders, found);
    if (found.empty())
        throw NoSuchFile(pointer, fmt::format("no file that matches {}", to_utf8(path)), "at least one file",
                          near_pattern(marked));
    return found;
}

void check_input_name(const std::string& text, const std::string& pointer) {
    const std::string root = root_of(text);
    const fs::path file = path_from(root.empty() ? text : text.substr(root.size() + 1));
    if (!io::is_transaction_name(to_utf8(file.filename()))) return;
    throw ConfigError(pointer, fmt::format("{}, a file that a run of Parallax has not finished", text), "a whole file",
                      "the next run in that folder finishes or removes what one that was ended has left: rename it to keep it");
}

fs::path folder_of_input(const std::string& text, const Locations& where) {
    const std::string root = root_of(text);
    if (!root.empty() && !where.roots.contains(root)) return {};
    const fs::path path = as_pattern(root.empty() ? Written{where.job_folder, path_from(text)}
                                                  : Written{where.roots.at(root), path_from(text.substr(root.size() + 1))});
    fs::path folder;
    for (const fs::path& part : path.parent_path()) {
        const std::string name = to_utf8(part);
        if (has_wildcard(name)) break;
        folder /= path_from(plain(name));
    }
    return folder;
}

void recover_beside(const fs::path& output, const Locations& where) {
    if (!where.confined) return io::recover(output.parent_path());
    const auto absolute = [](const fs::path& path) { return fs::absolute(path.empty() ? "." : path).lexically_normal(); };
    const fs::path out = absolute(where.out), folder = absolute(output).parent_path();
    try {
        io::recover_below(host::Folder::open_strictly(out), folder.lexically_relative(out), output.parent_path());
    } catch (const std::system_error&) {   // there is no such folder yet, or a link is on the way, which is told of later
    }
}

void refuse_links(const fs::path& path, const std::string& pointer) {
    fs::path at;
    for (const fs::path& part : whole_path(path).lexically_normal()) {
        at /= part;
        std::error_code ignored;
        if (!part.empty() && fs::is_symlink(fs::symlink_status(at, ignored)))
            throw ConfigError(pointer, fmt::format("{}, a link, which a confined job does not follow", to_utf8(at)),
                              "a path without links", "name the file or the folder itself (realpath tells it)");
    }
}

void check_names(const fs::path& path, const std::string& pointer) {
    for (const fs::path& part : path) {
        if (!io::is_transaction_name(to_utf8(part))) continue;
        throw ConfigError(pointer, fmt::format("the name {}", to_utf8(part)),
                          "a name unlike those of files that a run has not finished",
                          fmt::format("choose another name: what begins with \"{}\" and numbers may be removed by the next run",
                                      io::transaction_prefix));
    }
}

void check_place(const fs::path& path, const std::string& pointer) {
    check_names(path, pointer);
    try {
        io::check_replaceable(path, io::writes_folder(path));
    } catch (const IoError& error) {
        throw ConfigError(pointer, fmt::format("{}, which {}", to_utf8(path), error.problem),
                          "a file that can be replaced, or nothing", error.hint);
    }
}

fs::path writable_ancestor(const fs::path& file, const std::string& pointer) {
    fs::path folder = fs::absolute(file).parent_path(), below;
    std::error_code error;
    bool closed = false;   // to this user: whether there is anything below it nobody can tell
    while (!fs::exists(folder, error) && folder.has_relative_path()) {
        closed = error == std::errc::permission_denied;
        below = folder;
        folder = folder.parent_path();
    }
    const bool through_link = closed && fs::is_symlink(fs::symlink_status(below, error));
    if (through_link) folder = below;
    const std::string problem = through_link                       ? "leads through a folder that may not be entered by this user"
                                : !fs::is_directory(folder, error) ? "is not a folder"
                                : closed                           ? "may not be entered by this user"
                                                                   : io::why_none_is_made_in(folder);
    if (problem.empty()) return folder;
    throw ConfigError(pointer, fmt::format("the file {}, although {} {}", to_utf8(file), to_utf8(folder), problem),
                      "a place that can be written", "choose another folder");
}

}  // namespace parallax::engine
