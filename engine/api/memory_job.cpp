// A job whose inputs and outputs are arrays of the host application: the same text, no files.
#include "api/impl.hpp"
#include "api/job_impl.hpp"
#include "exec/memory_plan.hpp"
#include "exec/walk.hpp"
#include "job/job.hpp"

namespace parallax {

Result Session::run(const Job& text, const Inputs& inputs, const CancelToken& cancel) {
    const std::lock_guard lock(impl_->mutex);
    std::vector<std::string> given;
    for (const auto& [name, input] : inputs) given.push_back(name);
    const engine::Pipeline pipeline = engine::parse_pipeline(text.impl().json, impl_->core().registry().algorithms(), given);

    return impl_->with_memory_of_the_caller([&] {
        if (impl_->borrowed) impl_->session.queue().barrier({}, "job");
        std::map<engine::Source, DeviceArray> arrays;
        for (const auto& [name, input] : inputs) arrays.emplace(engine::Source{std::nullopt, name}, impl_->take(input, name));

        std::vector<Pending> pending;
        CallOptions options;
        const auto pace = cancel.shared() ? Impl::Pace::few_ahead : Impl::Pace::at_once;
        options.cancel = cancel;
        const auto submit = [&](std::size_t i, std::map<std::string, DeviceArray, std::less<>> taken) {
            const engine::Step& step = pipeline.steps[i];
            engine::Call call = engine::call_of(pipeline, i);
            call.inputs = std::move(taken);
            engine::in_terms_of(pipeline, step, [&] { pending.push_back(impl_->submit(call, options, pace)); });
            engine::check_limit(pipeline.limits,
                                impl_->context().allocated());   // on the device as a whole: nothing to be cut
            std::map<std::string, DeviceArray, std::less<>> made;
            for (const auto& [port, array] : pending.back().arrays()) made.emplace(port, impl_->own(array));
            return made;
        };
        engine::walk(pipeline, std::move(arrays), submit, [](const engine::Source&, DeviceArray) {});

        std::vector<Result> done;
        for (Pending& step : pending) done.push_back(step.get());
        Result result;
        Json reports = Json::array();
        for (std::size_t i = 0; i < done.size(); ++i) {
            Json report = Json::parse(done[i].report);
            report["id"] = pipeline.steps[i].id;
            reports.push_back(std::move(report));
            for (const std::string& warning : done[i].warnings) result.warnings.push_back(pipeline.steps[i].id + ": " + warning);
        }
        for (const engine::PipelineOutput& output : pipeline.outputs) {
            Result& step = done[*output.source.step];
            if (output.is_array) result.arrays.emplace(output.name, step.array(output.source.port));
            else result.records.emplace(output.name, step.record(output.source.port));
        }
        result.report = Json{{"steps", std::move(reports)}}.dump();
        return result;
    });
}

}  // namespace parallax
