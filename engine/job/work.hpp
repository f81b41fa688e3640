// A job on its way from files to files. The same three stages run one job after the other, or many jobs at once:
//
//   read_work()        files -> host memory           any thread
//   Stream (stream.hpp)  host memory -> device -> host memory
//   write_work()       host memory -> files           any thread
#pragma once

#include "core/profiler.hpp"
#include "job/hashing.hpp"
#include "job/prepare.hpp"
#include "job/report.hpp"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace parallax::engine {

/// Where the memory of an array comes from.
using HostMemory = std::function<HostArray(const ArrayDesc&)>;

struct Work {
    std::shared_ptr<const Prepared> prepared;
    std::size_t number = 0;                      ///< of the item in its series
    int lane = 0, reader = 0, writer = 0;        ///< who had it, for timelines
    std::vector<HostArray> inputs;               ///< in the job's order; one without memory is kept by the stream
    std::map<Source, HostArray> arrays;          ///< that came down from the device
    std::map<Source, Json> records;
    std::map<std::size_t, std::vector<std::string>> warnings;   ///< by step, that only its finished work could give
    std::vector<InputReport> input_reports;      ///< after finish_reading()
    std::vector<Hashing> hashing;
    std::vector<OutputReport> output_reports;
    Profiler profiler;
    /// Called when a stage such as "read hologram" begins; may throw to end the work. May be empty.
    std::function<void(const std::string& stage)> begin_stage;
    /// Called in a long stage with the share of it that is done, 0 to 1; may throw to end the work. May be empty.
    std::function<void(double)> advance;

    /// What the stream holds for it between submit() and finish().
    struct Flight;
    std::shared_ptr<Flight> flight;

    void begin(const std::string& stage) const {
        if (begin_stage) begin_stage(stage);
    }
};

/// How the inputs of some work are read; both may be empty.
struct ReadHooks {
    HostMemory memory;
    /// Arrays to combine for an input that is "running": the item's own file and its neighbours'.
    std::function<std::vector<HostArray>(std::size_t input)> neighbours;
    /// Inputs that need not be read: the stream has them.
    std::function<bool(std::size_t input)> kept;
    /// Inputs that the stream reads itself, slab by slab.
    std::function<bool(std::size_t input)> in_slabs;
};

/// Reads the files of every input, and begins to hash them. Throws IoError.
void read_work(Work&, const ReadHooks&);
/// Waits for the hashes. Throws IoError.
void finish_reading(Work&);

/// Writes the array of an output, of which the work itself need hold no array.
using WriteArray = std::function<void(const OutputSpec&, const std::filesystem::path&)>;

/// Writes what is not gathered; all files appear, or none. `write_array` may be empty. Throws IoError.
void write_work(Work&, const WriteArray& write_array = {});

/// A record that the job puts out. Throws Error if the step did not make it.
const Json& record_of(const Work&, const OutputSpec&);

}  // namespace parallax::engine
