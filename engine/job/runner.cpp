#include "job/runner.hpp"

#include "exec/execute.hpp"
#include "io/transaction.hpp"
#include "job/progress.hpp"
#include "job/result.hpp"

#include <fmt/format.h>

namespace parallax::engine {

namespace {

/// `retried`: what failed before; empty: nothing did.
JobResult attempt(const Prepared& prepared, Engine& engine, const RunOptions& options, const std::string& retried) {
    Progress progress(prepared, options);
    progress.begin("plan");
    Work work;
    work.take(std::shared_ptr<const Prepared>(std::shared_ptr<const Prepared>(), &prepared));   // the caller's, who waits
    progress.follow(work);
    // Pinned memory would cost more to make than one upload gains.
    const auto read = [&](const std::function<bool(std::size_t)>& in_slabs) {
        read_work(work, {HostArray::make, {}, {}, in_slabs});
    };
    Executed done = execute(work, engine, {read, options.cancelled});
    finish_reading(work);
    io::Transaction files = transaction_of(prepared);
    stage_work(work, files);

    JobResult result = result_of(work, engine, std::move(done), options);
    if (prepared.job.device.to_json().contains("use"))   // several devices that were there have gone another way, or were refused
        result.warnings.insert(
            result.warnings.begin(),
            fmt::format("\"use\" asks for several devices, and {} did all of the job alone: no other was found, or the engine "
                        "has but this one. "
                        "Several share the items of a series (for_each), one diffusion_lb or one box_count",
                        engine.device().name));
    result.retried = retried;
    if (options.along) options.along(to_json(result), files);
    files.commit();
    progress.end();
    return result;
}

}  // namespace

JobResult run(const Prepared& prepared, Engine& engine, const RunOptions& options) {
    try {
        return attempt(prepared, engine, options, {});
    } catch (const DeviceError& error) {
        if (!prepared.job.retry || !engine.renew()) throw;
        return attempt(prepared, engine, options, error.what());
    }
}

}  // namespace parallax::engine
