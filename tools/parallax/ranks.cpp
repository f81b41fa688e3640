#include "ranks.hpp"

#include "console.hpp"
#include "distributed/run.hpp"
#include "parallax/host/enumerate.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>

namespace parallax::cli {

namespace {

/// Everything that can be wrong before the work begins. Null: some rank cannot begin; the first of them has told why, and
/// `status` is what this one ends with.
std::unique_ptr<RankWork> prepare_rank(const JobOptions& options, const RankRules& rules, engine::distributed::Communicator& ranks, int& status) {
    std::unique_ptr<RankWork> work;
    std::exception_ptr error;
    std::string problem;
    try {
        work = std::make_unique<RankWork>(options, rules, ranks);
    } catch (const std::exception& found) {
        error = std::current_exception();
        problem = found.what();
        status = dynamic_cast<const ConfigError*>(&found) != nullptr ? 2 : 1;
    }
    const std::vector<std::string> problems = engine::distributed::gather_everywhere(ranks, problem);
    const auto first = std::find_if(problems.begin(), problems.end(), [](const std::string& p) { return !p.empty(); });
    if (first == problems.end()) return work;
    if (problem.empty()) status = 1;
    if (first - problems.begin() == ranks.rank()) {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& found) {
            report_error(found, options.file);
        }
    }
    return nullptr;
}

}  // namespace

RankWork::RankWork(const JobOptions& options, const RankRules& rules, const engine::distributed::Communicator& ranks) {
    engine::Job job = options.parse(registry);
    engine::distributed::check_divisible(job, ranks.size());
    prepared = engine::prepare(std::move(job), options.locations(), rules.overwrite);
    if (rules.check) rules.check(prepared);
    opening = std::chrono::steady_clock::now();
    const auto devices = prepared.job.device.select_equals(host::enumerate(prepared.job.device));
    engine.emplace(*devices[static_cast<std::size_t>(ranks.local_rank()) % devices.size()], registry, host::ContextOptions{host::ProgramCache::open()});
}

int work_as_rank(const JobOptions& options, const engine::distributed::Launched& launched, const RankRules& rules,
                 const std::function<void(RankWork&, engine::distributed::Communicator&)>& work) {
    std::unique_ptr<engine::distributed::Communicator> ranks;
    try {
        ranks = engine::distributed::join_mpi();
        int status = 0;
        const std::unique_ptr<RankWork> mine = prepare_rank(options, rules, *ranks, status);
        if (mine) work(*mine, *ranks);
        return status;
    } catch (const std::exception& error) {
        const bool told_by_another = launched.rank != 0 && (!ranks || dynamic_cast<const CancelledError*>(&error) != nullptr);
        if (ranks && !told_by_another) tell("rank {} of {}: ", ranks->rank(), ranks->size());
        const int status = told_by_another ? 1 : report_error(error, options.file);
        std::fflush(nullptr);
        if (ranks) ranks->give_up(status);   // nobody waits for this one
        return status;
    }
}

}  // namespace parallax::cli
