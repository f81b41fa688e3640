// One rank's part of a problem that several devices solve together. The problem is cut along the slowest axis of its input:
// rows of an image, slices of a volume.
#pragma once

#include "core/plan.hpp"
#include "core/slabs.hpp"
#include "core/communicator.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace parallax::engine::distributed {

/// The share of one rank, as even as whole multiples of `unit` allow; the last share ends with the whole.
Slices share_of(std::int64_t slices, int ranks, int rank, std::int64_t unit = 1);

/// "rows 0 to 4095", "nothing".
std::string in_words(const char* slices, Slices);

/// What a part runs with.
struct PartRun {
    std::string step;                     ///< name in reports
    host::Context& context;
    Execution& execution;                 ///< of the queue that computes
    host::Queue& transfers;               ///< another of the same device
    Profiler& profiler;
    Communicator& ranks;
    ReadSlices read;                      ///< of the input
    /// Called now and then with the share that is done; throws to end the work.
    std::function<void(double)> advance;
};

struct PartResult {
    std::map<std::string, HostArray, std::less<>> slices;   ///< of each array output those that this rank has made
    Json records = Json::object();                          ///< by port; on rank 0 alone
    Json report = Json::object();                           ///< what is worth telling of this rank
};

class Part {
public:
    virtual ~Part() = default;
    /// What this rank has of the input, for people: "rows 0 to 4095".
    virtual std::string share() const = 0;
    virtual PartResult run(PartRun&) = 0;
};

}  // namespace parallax::engine::distributed
