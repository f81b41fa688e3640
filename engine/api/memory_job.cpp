// A job whose inputs and outputs are arrays of the host application: the same text, no files.
#include <fmt/format.h>

#include "api/impl.hpp"
#include "api/job_impl.hpp"
#include "exec/memory_plan.hpp"
#include "exec/walk.hpp"
#include "job/job.hpp"
#include "job/prepare.hpp"
#include "job/read.hpp"

namespace parallax {

namespace {

/// What the job would have chosen of a file, where the array still has all of it.
std::vector<std::string> not_chosen(const engine::InputSpec& input, const ArrayDesc& array) {
    std::vector<std::string> keys;
    if (input.read.pages) {
        const std::int64_t pages = input.read.pages->second - input.read.pages->first;
        const std::int64_t t = array.size('t'), z = array.size('z');   // pages are planes; of 4-D files they are volumes
        if (t * z != pages && (pages == 1 || (t != pages && z != pages))) keys.emplace_back(pages == 1 ? "page" : "pages");
    }
    if (input.read.volume && array.size('t') > 1) keys.emplace_back("volume");
    if (!input.read.channel.empty() && array.size('c') > 1) keys.emplace_back("channel");
    if (input.read.grey && array.size('c') > 1) keys.emplace_back("grey");
    if (input.read.level.value_or(0) > 0) keys.emplace_back("level");
    if (!input.combine.empty() && array.size('t') * array.size('n') > 1) keys.emplace_back("combine");
    const char other = input.read.page_axis == 't' ? 'z' : 't';
    if (input.read.page_axis != '\0' && array.find(other) && !array.find(input.read.page_axis)) keys.emplace_back("page_axis");
    return keys;
}

}   // namespace

/// An input as the job wants it: with the spacing that it states, and with "non_finite" held to.
DeviceArray Session::Impl::take_for(const engine::InputSpec& spec, engine::NonFinite policy, const Input& input,
                                    std::vector<std::string>& warnings) {
    DeviceArray array = take(input, spec.name);
    const auto tell = [&](std::string text) { warnings.push_back(engine::InputWarning{spec.name, std::move(text)}.in_words()); };
    for (const std::string& key : not_chosen(spec, array.desc))
        tell(fmt::format("\"{}\" is of files; the array that was given, {}, is taken as it is", key, array.desc.describe()));
    const bool has_others = is_floating(array.desc.type) || is_complex(array.desc.type);
    if (policy != engine::NonFinite::propagate && has_others && array.desc.count() > 0) {
        const std::size_t bytes = array.desc.dense_bytes();
        HostArray values = HostArray::make(array.desc);
        for (const host::Event& making : std::exchange(makings, {})) making.wait();
        session.queue().read(array.buffer, 0, values.data(), bytes, spec.name).wait();
        engine::apply_non_finite(values, policy, fmt::format("input \"{}\"", spec.name));
        DeviceArray finite = session.allocate(array.desc);   // the caller's own array stays as it is
        finite.metadata = array.metadata;
        session.queue().write(finite.buffer, 0, values.data(), bytes, spec.name).wait();
        array = std::move(finite);
    }
    for (std::string& told : engine::told_of_spacing(array.desc, spec)) tell(std::move(told));
    array.desc = engine::with_stated_spacing(std::move(array.desc), spec);
    array.metadata = engine::with_stated_spacing(std::move(array.metadata), array.desc, spec);
    return array;
}

Result Session::run(const Job& text, const Inputs& inputs, const CancelToken& cancel) {
    const host::FloatEnvironment ours;
    const std::lock_guard lock(impl_->mutex);
    std::vector<std::string> given;
    for (const auto& [name, input] : inputs) given.push_back(name);
    const engine::Job job = engine::parse_job_on_arrays(text.impl().json, impl_->core().registry().algorithms(), given);
    const engine::Pipeline pipeline = job.pipeline();
    std::vector<std::string> told;

    return impl_->with_memory_of_the_caller([&] {
        if (impl_->borrowed) impl_->session.queue().barrier({}, "job");
        std::map<engine::Source, DeviceArray> arrays;
        for (const auto& [name, input] : inputs)
            arrays.emplace(engine::Source{std::nullopt, name}, impl_->take_for(*job.input(name), job.non_finite, input, told));

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
        result.warnings = std::move(told);
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
        result.report = Json{{"steps", std::move(reports)}, {"warnings", result.warnings}}.dump(-1, ' ', false, Json::error_handler_t::replace);
        return result;
    });
}

}  // namespace parallax
