// A job in one of several processes that mpirun or srun started.
#pragma once

#include "core/communicator.hpp"
#include "distributed/mpi.hpp"
#include "distributed/run.hpp"
#include "modes/run.hpp"

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

/// Runs `prepare` in every process; none goes on before all have come through. The first in whom it throws throws that, the others
/// ToldByAnother.
void prepare_together(distributed::Communicator&, const std::function<void()>& prepare);

/// The device of a process: of those that the job admits the one that its number on its machine gives.
std::unique_ptr<Engine> open_device_of_rank(const Job&, const Registry&, std::shared_ptr<host::ProgramCache>, const distributed::Communicator&,
                                            const MemoryLimits& = {});

}  // namespace parallax::engine
