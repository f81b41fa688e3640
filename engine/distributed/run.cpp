#include "distributed/run.hpp"

#include "distributed/agree.hpp"
#include "distributed/output.hpp"
#include "distributed/threads.hpp"
#include "exec/shared.hpp"
#include "io/transaction.hpp"
#include "job/progress.hpp"
#include "job/result.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace parallax::engine::distributed {
namespace {

/// Bytes of each rank's slices of each array output; on rank 0.
std::map<std::string, std::vector<std::size_t>> gather_sizes(const PartResult& made, Communicator& ranks) {
    Json mine = Json::object();
    for (const auto& [port, slices] : made.slices) mine[port] = slices.desc.dense_bytes();
    std::map<std::string, std::vector<std::size_t>> all;
    for (const std::string& text : gather(ranks, mine.dump())) {
        const Json there = Json::parse(text);
        for (const auto& [port, bytes] : there.items()) all[port].push_back(bytes.get<std::size_t>());
    }
    return all;
}

/// Arrays and records of the step -> files that commit() puts in their places, by rank 0; the others send it what they have made.
void stage_outputs(Work& work, const PartResult& made, Communicator& ranks, io::Transaction& files) {
    const auto sizes = gather_sizes(made, ranks);
    if (ranks.rank() != 0) {
        for (const OutputSpec& output : work.prepared->job.outputs)
            if (output.form == OutputForm::array) send_slices(ranks, made.slices.at(output.source.port));
        return;
    }
    const std::map<Source, Metadata> metadata = metadata_of(*work.prepared);
    stage_work(work, files, [&](const OutputSpec& output, const std::filesystem::path& path, OutputReport& report) {
        const std::string& port = output.source.port;
        write_slices(path, output, work.prepared->resolved.desc(output.source), metadata.at(output.source),
                     Pieces(ranks, made.slices.at(port), sizes.at(port)), report);
    });
}

}  // namespace

void check_divisible(const Job& job, int ranks) {
    const auto refuse = [&](std::string why) {
        throw UnsupportedError(fmt::format("{} devices cannot do this job together", ranks), {std::move(why)});
    };
    if (job.for_each) refuse("it has for_each: its items are shared among devices by \"use\", among processes by --shard i/n");
    engine::check_divisible(job.pipeline(), ranks);
    const InputSpec& input = job.inputs.front();
    if (input.globs || input.running > 0) refuse(fmt::format("input \"{}\" is combined from several files", input.name));
}

std::optional<JobResult> run_rank(const Prepared& prepared, Engine& engine, Communicator& ranks, const RunOptions& options) {
    check_divisible(prepared.job, ranks.size());
    agree(prepared, ranks);
    ranks.set_limit(prepared.job.limits.step_timeout_s);
    Progress progress(prepared, options, ranks.rank() == 0);
    progress.begin("plan");
    Shared shared(engine, prepared.resolved, ranks);
    shared.cancel_when(options.cancelled);
    Work work;
    work.take(std::shared_ptr<const Prepared>(std::shared_ptr<const Prepared>(), &prepared));   // the caller's, who waits
    progress.follow(work);
    // Each reads its own slices; one reads all of the file, for its hash.
    if (ranks.rank() == 0) read_work(work, {HostArray::make, {}, {}, [](std::size_t) { return true; }});
    const PartResult made = shared.compute(work);
    if (ranks.rank() == 0) finish_reading(work);

    // Whoever fails has failed by now: from here on nothing is left to go wrong but the writing.
    Json about{{"rank", ranks.rank()},
               {"device", to_json(engine.device())},
               {"device_bytes", engine.context().allocated()},
               {"share", shared.share()}};
    about.update(made.report);
    ranks.set_limit(longest_wait_s);   // a disk's time is not a step's
    const std::vector<std::string> abouts = gather(ranks, about.dump(-1, ' ', false, Json::error_handler_t::replace));
    io::Transaction files = transaction_of(prepared);
    stage_outputs(work, made, ranks, files);
    std::optional<JobResult> result;
    if (ranks.rank() == 0) {
        result = result_of(work, engine, shared.executed(), options);
        for (const std::string& text : abouts) result->ranks.push_back(Json::parse(text));
        if (options.along) options.along(to_json(*result), files);
        files.commit();
    }
    barrier(ranks);
    if (result) progress.end();
    return result;
}

JobResult run_on_devices(const Prepared& prepared, const std::vector<Engine*>& engines, const RunOptions& options) {
    std::optional<JobResult> result;
    run_in_threads(static_cast<int>(engines.size()), [&](Communicator& ranks) {
        std::optional<JobResult> mine = run_rank(prepared, *engines[static_cast<std::size_t>(ranks.rank())], ranks, options);
        if (mine) result = std::move(mine);
    });
    return std::move(*result);
}

}  // namespace parallax::engine::distributed
