// The commands of the program, a file each. add_<command>() describes its options to CLI11 and says what it does.
#pragma once

#include "core/algorithm.hpp"
#include "job/prepare.hpp"
#include "parallax/host/selector.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
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
void add_devices(CLI::App&, Command&);
void add_algorithms(CLI::App&, Command&);
void add_init(CLI::App&, Command&);
void add_info(CLI::App&, Command&);
void add_schema(CLI::App&, Command&);

/// Options that `run` and `plan` share: which job, with what changed, where its files are.
struct JobOptions {
    std::string file;
    std::vector<std::string> settings, inputs, roots;
    std::string device;
    std::string out = ".";
    bool confined = false;

    void add_to(CLI::App&);
    /// Reads, changes, parses and prepares the job. `registry` must outlive it.
    engine::Prepared prepare(const engine::Registry&, bool overwrite) const;
};

/// A device specification: "gpu", an index, part of a name, JSON text, or a .json file.
host::DeviceSelector device_from(const std::string& spec);
/// The device that the job asks for, or UnsupportedError with the reason for every device.
host::Selection select_device(const host::DeviceSelector&);

}  // namespace parallax::cli
