// One row on one device, in this process: a job whose inputs are at hand is run, held against the reference, and timed.
#pragma once

#include "agreement/agreement.hpp"
#include "cases/inputs.hpp"
#include "core/session.hpp"
#include "job/job.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace parallax::engine::compare {

/// Inputs of a point: in pinned host memory and on the device.
struct BoundInputs {
    HostArrays host;
    std::map<std::string, DeviceArray> device;
};
/// Copies to pinned memory of the context and uploads.
BoundInputs bind_inputs(const HostArrays&, Session&);

/// One run. Seconds; negative where the driver does not say.
struct Sample {
    double device = -1;                         ///< sum of the kernels' event times
    double wall = 0;                            ///< from the first enqueue to the end of the last
    std::map<std::string, double> stages;       ///< event times by name
};
/// One run from host memory to host memory.
struct EndToEnd {
    double wall = 0, upload = 0, run = 0, download = 0;   ///< by the host's clock, one after another
    double device = -1;
};

class Bench {
public:
    /// The pipeline and the inputs outlive this.
    Bench(Engine&, const Pipeline&, const BoundInputs&);
    ~Bench();

    /// The first run: compiles, allocates, computes. Seconds and kernels as CallResult has them.
    struct First {
        double plan_seconds = 0, wall = 0;
        std::vector<std::string> variants;      ///< a step each
        std::vector<Policy> policies;
        std::vector<std::string> policies_from; ///< "job", "default", or where they were tuned
        std::vector<PlanBuilder::Built> built;
        std::vector<std::string> warnings;
        std::uint64_t allocated = 0, workspace = 0;
    };
    First first();
    /// `cold`: as if another program had just used the device's caches: a copy of what fits into none of them goes before it,
    /// apart from the time.
    enum class Caches { as_they_are, cold };
    Sample run(Caches = Caches::as_they_are);
    /// Reading the events of many launches takes as long as some of them; who counts runs a second leaves them.
    enum class EventTimes { read, leave };
    EndToEnd run_from_end_to_end(EventTimes = EventTimes::read);
    /// Goes on with other inputs of the same shapes, and outputs in other memory; the plans stay. Runs once.
    void move(const BoundInputs&);

    /// What came out, by the pipeline's names.
    HostArrays arrays();
    Json records() const;

private:
    void compute();
    void chill();
    double run_unread();
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace parallax::engine::compare
