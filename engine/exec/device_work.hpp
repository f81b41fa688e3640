// What a device has to do once with a pipeline: arrays in, arrays and records out. Files are the caller's.
#pragma once

#include "core/profiler.hpp"
#include "core/slabs.hpp"
#include "pipeline/resolve.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace parallax::engine {

/// Where the memory of an array comes from.
using HostMemory = std::function<HostArray(const ArrayDesc&)>;

/// What the data of a step gave cause to tell.
struct DataWarning {
    std::size_t step;
    std::string text;
};

struct DeviceWork {
    std::shared_ptr<const Resolved> pipeline;
    std::vector<HostArray> inputs;   ///< in the pipeline's order; one without memory is kept by the executor, or comes in slabs
    std::map<Source, HostArray> arrays;          ///< that came down from the device
    std::map<Source, Json> records;
    std::vector<DataWarning> warnings;           ///< of the steps
    Profiler profiler;
    /// The slices of an input that comes in slabs. Needed where the memory plan has such inputs.
    std::function<ReadSlices(std::size_t input)> slices;
    /// Called when a stage such as "compute recon" begins; may throw to end the work. May be empty.
    std::function<void(const std::string& stage)> begin_stage;
    /// Called in a long stage with the share of it that is done, 0 to 1; may throw to end the work. May be empty.
    std::function<void(double)> advance;

    /// What an executor holds for it between submit() and finish().
    struct Flight;
    std::shared_ptr<Flight> flight;

    void begin(const std::string& stage) const {
        if (begin_stage) begin_stage(stage);
    }
};

}  // namespace parallax::engine
