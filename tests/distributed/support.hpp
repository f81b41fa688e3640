// One job on one device, and on as many ranks as wanted, which share what devices there are.
#pragma once

#include "devices.hpp"
#include "distributed/run.hpp"
#include "job/load.hpp"
#include "jobs/support.hpp"
#include "peers/peers.hpp"

namespace parallax::tests {

/// A device that runs kernels: one for all ranks, which are threads.
inline engine::Engine& shared_engine() {
    static engine::Engine engine(open_for_test(kernel_devices_under_test().front()), engine::registry_with_peers());
    return engine;
}

/// Runs a job file's text in `folder`, on one device (ranks 1) or on so many; outputs go to `folder`.
inline engine::JobResult run_job(const TempFolder& folder, const Json& json, int ranks) {
    engine::Locations where;
    where.job_folder = where.out = folder.path();
    const engine::Prepared prepared =
        engine::prepare(engine::parse_job(json, shared_engine().registry().algorithms()), where, true);
    if (ranks == 1) return engine::run(prepared, shared_engine());
    engine::distributed::check_divisible(prepared.job, ranks);
    return engine::distributed::run_on_devices(prepared,
                                               std::vector<engine::Engine*>(static_cast<std::size_t>(ranks), &shared_engine()));
}

}  // namespace parallax::tests
