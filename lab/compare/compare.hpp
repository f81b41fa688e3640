// Runs a study: a worker process a device, devices taking turns, every result held against the reference before it is timed.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "job/paths.hpp"
#include "study/expand.hpp"

namespace parallax::io {
class Transaction;
}

namespace parallax::engine::compare {

/// A device of a study under the name that reports use.
struct StudyDevice {
    std::string label;
    host::DeviceInfo info;
    std::vector<std::string> command = {};   ///< of a program that is no Parallax; empty: our own worker
};
/// A program that serves the worker's protocol (compare/worker.hpp, docs/peers.md) as a device more: a row a point, by its own
/// means. Started once to hear what it is. Throws ConfigError ("--worker") where it does not answer, or where another device has
/// its name, whose rows could not be told from its own.
void add_program(std::vector<StudyDevice>&, const std::string& label, const std::string& command);

struct CompareOptions {
    std::filesystem::path out;                  ///< folder of the report, and of what the study keeps until then
    std::vector<std::string> worker;            ///< program and arguments that serve() runs under
    Locations where;                            ///< of inputs that are files
    std::optional<host::DeviceSelector> only;   ///< takes devices away that it does not admit
    bool resume = false, overwrite = false;
    double minutes = 0;   ///< 0: as long as the study says
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();   ///< from when `minutes` are counted
    std::string note;     ///< what a reader should know of the machine: "two cores, shared"
    std::function<void(const std::string& what, double done)> progress;
    std::function<bool()> cancelled;            ///< true: stop; what was done can be resumed
    /// Adds what is to appear with the report, or not at all.
    std::function<void(const Json& report, io::Transaction&)> along;
};

/// Devices of this machine that the study names. Throws UnsupportedError where there is none, ConfigError where they are more than
/// a report may have.
std::vector<StudyDevice> devices_of(const Study&, const host::Inventory&, const std::optional<host::DeviceSelector>& only);

/// The folder of a report, by its whole path; made where it is missing, and what a killed study has half put there is finished or
/// undone. Throws ConfigError ("--out", of `resume` "--resume") where there is a report that is not to be replaced, and where
/// nothing can be written.
std::filesystem::path make_report_folder(const std::string& out, bool overwrite, bool resume = false);

/// The comparison as report.json has it (see report.hpp), which is in `out` when this returns. Rows that cannot be timed say why;
/// only a request that is wrong, a folder that cannot be written, one in which another study is at work, and a stop on request
/// throw.
Json run(const Study&, const std::vector<Point>&, const std::vector<StudyDevice>&, const std::vector<Algorithm>&,
         const CompareOptions&);

}  // namespace parallax::engine::compare
