// A job in one of several processes that mpirun or srun started.
#pragma once

#include "core/communicator.hpp"
#include "distributed/mpi.hpp"
#include "distributed/run.hpp"
#include "modes/run.hpp"

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace parallax::engine {

/// Another process has found what is in the way, and says it; this one has no part in it.
class ToldByAnother : public CancelledError {
public:
    ToldByAnother(const std::string& what, std::exception_ptr own) : CancelledError(what), own(std::move(own)) {}
    std::exception_ptr own;   ///< what would have been thrown here; null: nothing
};

/// Runs `prepare` in every process; none goes on before all have come through. The first in whom it throws throws that, the
/// others ToldByAnother.
void prepare_together(distributed::Communicator&, const std::function<void()>& prepare);

/// What one process works with: the job, and of the devices that it admits the one that the process's number on its machine
/// gives.
struct RankJob {
    /// `check` may throw before the device is opened, and may be empty. The registry must outlive it.
    RankJob(Job, const Locations&, bool overwrite, const Registry&, const distributed::Communicator&,
            std::shared_ptr<host::ProgramCache>, const MemoryLimits& = {},
            const std::function<void(const Prepared&)>& check = {});

    Prepared prepared;
    std::chrono::steady_clock::time_point opening;
    std::unique_ptr<Engine> engine;
};

}  // namespace parallax::engine
