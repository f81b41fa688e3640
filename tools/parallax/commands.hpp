// The commands of the program, a file each. add_<command>() describes its options to CLI11 and says what it does.
#pragma once

#include "core/algorithm.hpp"
#include "job/prepare.hpp"
#include "parallax/host/selector.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parallax::cli {

/// What main() runs once the command line is read.
struct Command {
    std::function<int()> run;     ///< returns the exit status
    std::string origin;           ///< the file that JSON pointers in errors point into
};

void add_run(CLI::App&, Command&);
void add_plan(CLI::App&, Command&);
void add_series(CLI::App&, Command&);
void add_devices(CLI::App&, Command&);
void add_algorithms(CLI::App&, Command&);
void add_init(CLI::App&, Command&);
void add_info(CLI::App&, Command&);
/// The commands that need the laboratory (laboratory/), which a build may lack: then each of them says so.
void add_laboratory(CLI::App&, Command&);

/// Options that `run` and `plan` share: which job, with what changed, where its files are.
struct JobOptions {
    std::string file;
    std::vector<std::string> settings, inputs, roots;
    std::string device;
    std::string out = ".";
    bool confined = false, no_sync = false;
    std::string limit;        ///< see limits.hpp
    std::string manifest;     ///< of a series; empty: the job's name with ".series", below `out`

    void add_to(CLI::App&);
    /// Reads, changes and parses the job. `registry` must outlive it.
    engine::Job parse(const engine::Registry&) const;
    engine::Locations locations() const;
    /// Parses and prepares.
    engine::Prepared prepare(const engine::Registry&, bool overwrite) const;
};

/// What relative paths of the job or study in `file` start from: its folder, or the current one where it comes through a pipe.
std::filesystem::path folder_of(const std::filesystem::path& file);
/// "NAME=DIR" of --root -> folders. Throws ConfigError.
std::map<std::string, std::filesystem::path> roots_from(const std::vector<std::string>&);
/// A device specification: "gpu", an index, part of a name, JSON text, or a .json file, which may be no link where a job is confined.
host::DeviceSelector device_from(const std::string& spec, bool confined = false);
/// Whether a --device is the name of a file with a rule.
bool names_file(const std::string& device);
/// Options of `run` for a job with for_each.
struct SeriesRunOptions {
    std::string shard, trace;
    int readers = 0, writers = 0;     ///< 0: not given
    std::optional<int> in_flight;
    bool watch = false;
    std::optional<double> idle;
    bool overwrite = false, resume = false, quiet = false, json = false;
    std::string report, gallery;

    void add_to(CLI::App&);
};
/// Tells where the page is that --gallery has asked for.
void name_gallery(const SeriesRunOptions&);
/// Where a series remembers what is done.
std::filesystem::path manifest_of(const JobOptions&);

/// The device that the job asks for, or UnsupportedError with the reason for every device.
host::Selection select_device(const host::DeviceSelector&);

}  // namespace parallax::cli
