#include "modes/ranks.hpp"

#include "parallax/host/enumerate.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace parallax::engine {

void prepare_together(distributed::Communicator& ranks, const std::function<void()>& prepare) {
    std::exception_ptr error;
    std::string problem;
    try {
        prepare();
    } catch (const std::exception& found) {
        error = std::current_exception();
        problem = found.what();
        if (problem.empty()) problem = "an error without words";
    }
    const std::vector<std::string> problems = distributed::gather_everywhere(ranks, problem);
    const auto first = std::find_if(problems.begin(), problems.end(), [](const std::string& p) { return !p.empty(); });
    if (first == problems.end()) return;
    const auto rank = first - problems.begin();
    if (rank == ranks.rank()) std::rethrow_exception(error);
    throw ToldByAnother(fmt::format("rank {} cannot begin: {}", rank, *first), error);
}

RankJob::RankJob(Job job, const Locations& where, bool overwrite, const Registry& registry,
                 const distributed::Communicator& ranks, std::shared_ptr<host::ProgramCache> cache, const MemoryLimits& limits,
                 const std::function<void(const Prepared&)>& check) {
    distributed::check_divisible(job, ranks.size());
    prepared = prepare(std::move(job), where, overwrite);
    check_places(prepared);
    if (check) check(prepared);
    opening = std::chrono::steady_clock::now();
    const auto devices = prepared.job.device.select_equals(host::enumerate(prepared.job.device));
    const auto& device = devices[static_cast<std::size_t>(ranks.local_rank()) % devices.size()];
    engine = std::make_unique<Engine>(*device, registry, host::ContextOptions{std::move(cache)}, limits);
}

}  // namespace parallax::engine
