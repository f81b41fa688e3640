// A job without for_each that several devices do together, each a part: of one process, or of many that mpirun started.
// What comes out is bit for bit what one device makes of it.
//
//   engine = {&gpu0, &gpu1};
//   const JobResult result = distributed::run_on_devices(prepared, engines, {});
#pragma once

#include "core/communicator.hpp"
#include "job/runner.hpp"

#include <optional>
#include <vector>

namespace parallax::engine::distributed {

/// Throws UnsupportedError, with the step that is in the way and what to do instead, for a job that `ranks` devices cannot do
/// together.
void check_divisible(const Job&, int ranks);

/// This rank's part. Rank 0 writes the outputs and has the result; the others have none. Throws what run() throws; then the
/// caller must let the other ranks know (Communicator::give_up()).
std::optional<JobResult> run_rank(const Prepared&, Engine&, Communicator&, const RunOptions& = {});

/// All ranks, one for each engine, in threads of this process. An engine may be there more than once.
JobResult run_on_devices(const Prepared&, const std::vector<Engine*>&, const RunOptions& = {});

/// What these would do, as `parallax plan` prints it: "ranks" says of each its device, its share and the memory that it takes.
std::optional<Json> describe_rank(const Prepared&, Engine&, Communicator&);
Json describe_on_devices(const Prepared&, const std::vector<Engine*>&);

}  // namespace parallax::engine::distributed
