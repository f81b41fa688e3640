// Ranks that are processes, started by mpirun, mpiexec or srun, on one machine or on many.
#pragma once

#include "core/communicator.hpp"

#include <memory>

namespace parallax::engine::distributed {

/// What the launcher told this process, before MPI begins: Open MPI, MPICH and its kin, Slurm. 1 and 0 where none did.
struct Launched {
    int processes = 1, rank = 0;
};
Launched launched();

/// Begins MPI, by the module that is built where MPI is found, unless it is begun; what was begun here ends with what is
/// returned. Throws UnsupportedError where there is no such module, Error with MPI's own words.
std::unique_ptr<Communicator> join_mpi();

}  // namespace parallax::engine::distributed
