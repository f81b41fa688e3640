#include "ranks.hpp"

#include "console.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <memory>

namespace parallax::cli {

namespace {

const char* const left_over = "variables that another program's start has left over: unset OMPI_COMM_WORLD_SIZE, PMI_SIZE, PMIX_RANK and "
                              "SLURM_NTASKS";

/// What a process ends with that has nothing to say, since another has said it.
int status_of(const std::exception_ptr& own) {
    try {
        if (own) std::rethrow_exception(own);
    } catch (const ConfigError&) {
        return 2;
    } catch (const std::exception&) {
    }
    return 1;
}

}  // namespace

RankWork::RankWork(const JobOptions& options, const RankRules& rules, const engine::distributed::Communicator& ranks)
    : job(options.parse(registry), options.locations(), rules.overwrite, registry, ranks, host::ProgramCache::open(), {},
          rules.check) {}

int work_as_rank(const JobOptions& options, const engine::distributed::Launched& launched, const RankRules& rules,
                 const std::function<void(RankWork&, engine::distributed::Communicator&)>& work) {
    std::unique_ptr<engine::distributed::Communicator> ranks;
    try {
        ranks = engine::distributed::join_mpi();
    } catch (const std::exception& error) {   // told by each: there may be no other
        return report_error(UnsupportedError(fmt::format("the environment speaks of {} processes, and this one, rank {}, cannot join them",
                                                         launched.processes, launched.rank),
                                             {error.what(), left_over}),
                            options.file);
    }
    try {
        if (ranks->size() == 1)   // each of them would do the whole job, into the same files
            return report_error(
                UnsupportedError(
                    fmt::format("the environment speaks of {} processes, and MPI knows this one alone", launched.processes),
                    {"by the mpirun of another MPI than the program is built with, processes do not find each other: "
                     "start it by that one's",
                     left_over}),
                options.file);
        std::unique_ptr<RankWork> mine;
        try {
            engine::prepare_together(*ranks, [&] { mine = std::make_unique<RankWork>(options, rules, *ranks); });
        } catch (const engine::ToldByAnother& told) {
            return status_of(told.own);
        } catch (const std::exception& error) {   // the others know, and end
            return report_error(error, options.file);
        }
        work(*mine, *ranks);
        return 0;
    } catch (const std::exception& error) {
        const bool told_by_another = ranks->rank() != 0 && dynamic_cast<const CancelledError*>(&error) != nullptr;
        if (!told_by_another) tell("rank {} of {}: ", ranks->rank(), ranks->size());
        const int status = told_by_another ? 1 : report_error(error, options.file);
        std::fflush(nullptr);
        ranks->give_up(status);   // nobody waits for this one
        return status;
    }
}

}  // namespace parallax::cli
