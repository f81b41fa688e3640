// A command in one of several processes that mpirun or srun started.
#pragma once

#include "commands.hpp"
#include "modes/ranks.hpp"
#include "peers/peers.hpp"

#include <functional>

namespace parallax::cli {

/// What is asked of the job before the work begins, besides that ranks can share it.
struct RankRules {
    bool overwrite = false;
    std::function<void(const engine::Prepared&)> check;   ///< throws what is wrong; may be empty
};

/// What one process works with.
struct RankWork {
    RankWork(const JobOptions&, const RankRules&, const engine::distributed::Communicator&);

    engine::Registry registry = engine::registry_with_peers();
    engine::RankJob job;
};

/// Joins the others and works, once all of them can begin. What is wrong is told once, by the first who found it. Returns the
/// exit status.
int work_as_rank(const JobOptions&, const engine::distributed::Launched&, const RankRules&,
                 const std::function<void(RankWork&, engine::distributed::Communicator&)>& work);

}  // namespace parallax::cli
