// A job on its way from files to files. The same three stages run one job after the other, or many jobs at once:
//
//   read_work()          files -> host memory           any thread
//   an executor (exec/)  host memory -> device -> host memory
//   stage_work()         host memory -> files           any thread
#pragma once

#include "exec/device_work.hpp"
#include "job/hashing.hpp"
#include "job/prepare.hpp"
#include "job/read.hpp"
#include "job/report.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace parallax::engine {

struct Work : DeviceWork {
    /// What it has to do. The prepared job lives as long as the work.
    void take(std::shared_ptr<const Prepared>);

    std::shared_ptr<const Prepared> prepared;
    std::size_t number = 0;                      ///< of the item in its series
    int belt = 0, reader = 0, writer = 0;        ///< who had it, for timelines
    std::string window{};                        ///< what its running inputs took with it, by names and contents
    std::vector<InputReport> input_reports;      ///< after finish_reading()
    InputWarnings input_warnings;
    std::vector<Hashing> hashing;
    std::vector<OutputReport> output_reports;
};

/// How the inputs of some work are read; both may be empty.
struct ReadHooks {
    HostMemory memory;
    /// Arrays to combine for an input that is "running": the item's own file and its neighbours'.
    std::function<std::vector<HostArray>(std::size_t input)> neighbours;
    /// Inputs that need not be read: the executor has them.
    std::function<bool(std::size_t input)> on_device;
    /// Inputs that the executor reads itself, slab by slab.
    std::function<bool(std::size_t input)> in_slabs;
};

/// Reads the files of every input, and begins to hash them. Throws IoError.
void read_work(Work&, const ReadHooks&);
/// Waits for the hashes. Throws IoError.
void finish_reading(Work&);

/// Writes an array as its output wants it; what the format could not hold goes to the report. Throws IoError.
void write_array(const std::filesystem::path&, const OutputSpec&, const HostArray&, OutputReport&);
/// Writes the array of an output, of which the work itself need hold no array.
using WriteArray = std::function<void(const OutputSpec&, const std::filesystem::path&, OutputReport&)>;

/// Writes what is not gathered, synced; commit() puts it in its place. `write_elsewhere` may be empty. Throws IoError.
void stage_work(Work&, io::Transaction&, const WriteArray& write_elsewhere = {});
/// The transaction of a job's outputs, empty.
io::Transaction transaction_of(const Prepared&);

/// A record that the job puts out. Throws Error if the step did not make it.
const Json& record_of(const Work&, const OutputSpec&);

}  // namespace parallax::engine
