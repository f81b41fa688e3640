// Where a job's files are: inputs against the job's folder or a named root, outputs below one folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "parallax/host/error.hpp"

namespace parallax::engine {

class Confinement;
class InputFolders;

/// No file is there, or none that a pattern matches, which may come.
struct NoSuchFile : ConfigError {
    using ConfigError::ConfigError;
};

/// UTF-8 on every system.
std::filesystem::path path_from(const std::string& utf8);
std::string to_utf8(const std::filesystem::path&);

/// A file that the caller has read for a job, or in place of it: nothing that the job writes may replace it.
struct OwnFile {
    std::filesystem::path path;
    std::string what;   ///< "the job"
};

struct Locations {
    std::filesystem::path job_folder = ".";                  ///< what relative inputs are relative to
    std::map<std::string, std::filesystem::path> roots;      ///< "NAME:path" in a job, --root NAME=DIR
    std::filesystem::path out = ".";                         ///< what outputs are below
    bool synced = true;                                      ///< outputs outlast a power cut before they count as done
    bool confined = false;   ///< see confinement.hpp; no link is followed on the way to `out`, either
    std::vector<OwnFile> own{};
};

/// Throws ConfigError for the name of a root that no "NAME:path" could begin with.
void check_root_name(const std::string& name, const std::string& pointer);
/// A path that was made of names of files: "./" stands before what else would be below a root.
std::string without_root(const std::string& path);

/// The path from the root on. Throws IoError where it starts at a working folder that is gone.
std::filesystem::path whole_path(const std::filesystem::path&);
/// Throws what whole_path() throws of each, and ConfigError where ".." in one of them follows a link.
void check_locations(const Locations&);
/// Throws ConfigError where ".." in a path follows a symbolic link: the system goes on from where that leads, and who shortens the
/// path by its text does not.
void refuse_dots_behind_link(const std::filesystem::path&, const std::string& pointer);

/// The same folders by paths that mean them from wherever they are looked at; outputs stay relative to where the caller stands.
Locations absolute(Locations);

/// Throws ConfigError for an unknown root, a file that is not there or, where inputs are confined, one that lies elsewhere. What
/// is left half done where it lies is finished or undone before. Whoever has many to resolve gives the confinement that he holds
/// and the folders that he has been in.
std::filesystem::path resolve_input(const std::string& text, const Locations&, const std::string& pointer,
                                    const Confinement* held = nullptr, InputFolders* folders = nullptr);
/// The same of a confined one that is opened by its confinement before anything else: only then it is looked at.
std::filesystem::path locate_input(const std::string& text, const Locations&, const std::string& pointer, const Confinement&,
                                   InputFolders&);
/// resolve_input() for a pattern with * and ? in any of its parts (pattern.hpp), in order of their names; those in the names of the
/// job's folder and of roots are none. No match is a ConfigError.
std::vector<std::filesystem::path> resolve_inputs(const std::string& pattern, const Locations&, const std::string& pointer,
                                                  const Confinement* held = nullptr, InputFolders* folders = nullptr);
/// Throws ConfigError where an input has the name of a file that a run has not finished, which recovery could remove.
void check_input_name(const std::string& text, const std::string& pointer);
/// The folder in which such a file, or the first of a pattern's, is looked for; empty where the text names none.
std::filesystem::path folder_of_input(const std::string& text, const Locations&);

/// Finishes or undoes what processes that are no more have left beside an output (io::recover()).
void recover_beside(const std::filesystem::path& output, const Locations&);

/// Throws ConfigError where a link is at a path or on the way to it, the same wherever that leads: of a confined job.
void refuse_links(const std::filesystem::path&, const std::string& pointer);
/// Throws ConfigError where a path has a name of a transaction's own files: whoever cleans up would remove it.
void check_names(const std::filesystem::path&, const std::string& pointer);
/// The same, and where something stands that no file of ours may replace (io::check_replaceable()).
void check_place(const std::filesystem::path&, const std::string& pointer);

/// A hint for a file that is not there: a link, a closed folder, the nearest name beside it, or nothing. JSON is no input's name.
enum class Among { all, inputs };
std::string near_file(const std::filesystem::path& missing, Among among = Among::all);

/// The nearest folder on the way to `file` that exists; throws ConfigError if it is no folder or cannot be written.
std::filesystem::path writable_ancestor(const std::filesystem::path& file, const std::string& pointer);

}  // namespace parallax::engine
