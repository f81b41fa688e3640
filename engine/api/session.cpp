#include "api/impl.hpp"
#include "exec/step_report.hpp"
#include "job/load.hpp"
#include "opencl/borrow.hpp"
#if defined(PARALLAX_HAS_CUDA)
#include "cuda/borrow.hpp"
#endif

#include <fmt/format.h>

#include <utility>

namespace parallax {

namespace {

/// Runs `work`; an error in the parameters of a call speaks of "parameters", not of a step of a job.
engine::Parameters parse_parameters(const engine::Algorithm& algorithm, const std::string& text) {
    return algorithm.parameters.parse(engine::parse_json(text.empty() ? "{}" : text, "parameters of " + algorithm.name), "");
}

/// A device that has failed is opened anew for those who come after; a host application's context is not ours to open.
engine::Engine& sound(Engine::Impl& impl) {
    const std::string failure = impl.engine.shared_context()->failure();
    if (failure.empty()) return impl.engine;
    impl.say(LogLevel::error, fmt::format("{} has failed: {}", impl.engine.device().name, failure));
    const bool opened = impl.engine.renew();
    impl.say(LogLevel::warning, fmt::format("{} {}", impl.engine.device().name,
                                            opened ? "was opened anew" : "cannot be opened anew by this process"));
    return impl.engine;
}

}  // namespace

Session::Impl::Impl(const Engine& e) : engine(e), borrowed(false), session(sound(*engine.impl())), records(session.context()) {
    read_records_to_pinned_memory();
}

Session::Impl::Impl(const Engine& e, std::shared_ptr<host::Context> context, std::unique_ptr<host::Queue> queue)
    : engine(e),
      borrowed(true),
      session(engine.impl()->engine, std::move(context), std::move(queue)),
      records(session.context()) {
    read_records_to_pinned_memory();
}

void Session::Impl::read_records_to_pinned_memory() {
    session.replay(engine::Replay::short_ones);
    session.read_records_to([this](std::size_t bytes) {
        return records.make(ArrayDesc::dense(ElementType::u8, {{'n', static_cast<std::int64_t>(bytes)}})).memory;
    });
}

Session::Impl::~Impl() {
    try {
        const std::lock_guard lock(mutex);
        last.wait();   // commands use memory of plans, which go now
        if (uploads) uploads->finish();
        if (downloads) downloads->finish();
    } catch (const std::exception&) {   // whoever waits for their events is told
    }
}

engine::Call Session::Impl::resolve(const Call& call) {
    const CallOptions& options = call.options;
    engine::Call core;
    core.algorithm = &engine.impl()->engine.registry().get(call.algorithm, "/algorithm");
    core.parameters = parse_parameters(*core.algorithm, call.parameters);
    core.variant = options.variant;
    if (!options.policy.empty()) core.policy = engine::parse_json(options.policy, "policy of " + call.algorithm);
    if (options.variant.empty() && !core.policy.empty())
        throw ConfigError("/policy", "a policy without a variant", "a variant beside the policy",
                          "policies belong to one variant");
    core.outputs = options.outputs;
    for (const std::string& output : options.outputs) {
        if (core.algorithm->output(output)) continue;
        std::vector<std::string> known;
        for (const engine::Port& port : core.algorithm->outputs) known.push_back(port.name);
        throw ConfigError("/outputs/" + output, fmt::format("\"{}\", which {} does not make", output, call.algorithm),
                          fmt::format("one of {}", fmt::join(known, ", ")), did_you_mean(output, known));
    }
    return core;
}

void Session::Impl::let_go_of_what_has_ended() {
    session.queue().let_go_of_what_has_ended();
    while (!held.empty() && held.front().running->done().ended()) held.pop_front();
}

void Session::Impl::note_end(const engine::Running& running, const std::map<std::string, DeviceArray, std::less<>>& inputs) {
    if (!running.done()) return;
    last = running.done();
    for (const auto& [name, input] : inputs) order.after(session.queue(), input, Order::Use::read, last);
    for (const auto& [name, output] : running.result().outputs) order.after(session.queue(), output, Order::Use::write, last);
}

Pending Session::Impl::submit(const engine::Call& call, const CallOptions& options, Pace pace) {
    std::map<std::string, DeviceArray, std::less<>> into;
    if (!options.into.empty()) {
        engine::ArrayDescs inputs;
        for (const auto& [name, array] : call.inputs) inputs.emplace(name, array.desc);
        engine::Problem problem{std::move(inputs), call.parameters, call.outputs};
        if (problem.outputs.empty()) {
            for (const engine::Port& port : call.algorithm->outputs) {
                if (port.required) problem.outputs.push_back(port.name);
            }
        }
        const engine::ArrayDescs shapes = call.algorithm->infer(problem);
        for (const auto& [name, array] : options.into) {
            const DeviceArray& target = own(array);
            const auto shape = shapes.find(name);
            if (shape == shapes.end())
                throw ConfigError("/into/" + name, fmt::format("an array for \"{}\"", name),
                                  "arrays for outputs that are wanted");
            if (!target.desc.is_dense() || !fits(target.desc, shape->second)) {
                throw ConfigError("/into/" + name, target.desc.describe() + (target.desc.is_dense() ? "" : " with gaps"),
                                  "a dense array of " + shape->second.describe());
            }
            order.before(session.queue(), target, Order::Use::write);
            into.emplace(name, target);
        }
    }
    std::vector<host::Event> wait = to_host(options.wait);
    for (host::Event& making : std::exchange(makings, {})) wait.push_back(std::move(making));
    let_go_of_what_has_ended();
    session.cancel_when([cancel = options.cancel] { return cancel.cancelled(); }, pace != Pace::at_once);
    auto pending = std::make_shared<Pending::Impl>();
    pending->running = session.stage(call, into);
    pending->algorithm = call.algorithm;
    pending->session = shared_from_this();
    held.push_back({pending->running, call.inputs});
    if (pace == Pace::by_thread) {
        const auto handed = std::make_shared<std::promise<host::Event>>();   // a function's members can be copied
        pending->done = to_public(host::Event(std::make_shared<Handover>(handed->get_future().share())));
        mutex.hand_over(
            [this, handed, wait, running = pending->running] {
                try {
                    session.hand_over(*running, wait);
                    handed->set_value(running->done());
                } catch (...) {
                    handed->set_exception(std::current_exception());
                }
            },
            [this, running = pending->running, inputs = call.inputs] { note_end(*running, inputs); });
    } else {
        const auto failed = options.into.empty() ? nullptr : std::make_shared<Failed>();   // now: later there may be no memory
        try {
            session.hand_over(*pending->running, wait);
        } catch (...) {   // half of it may have been done
            if (failed) failed->set(std::current_exception());
            for (const auto& [name, target] : options.into) target.impl()->making.set(host::Event(failed));
            throw;
        }
        note_end(*pending->running, call.inputs);
        pending->done = to_public(last);
    }
    for (const auto& [name, output] : pending->running->result().outputs) {
        const Array& made = pending->arrays.emplace(name, array(output)).first->second;
        made.impl()->making.set(pending->done.impl()->event);
    }
    for (const auto& [name, target] : options.into) target.impl()->making.set(pending->done.impl()->event);
    const engine::CallResult& result = pending->running->result();
    const auto& log = *engine.impl();
    if (result.plan_seconds > 0)
        log.say(LogLevel::info, fmt::format("{}: {} on {}, planned in {:.3f} s", call.algorithm->name, result.variant,
                                            engine.device().name, result.plan_seconds));
    if (result.plan_seconds > 0) {
        for (const engine::Refusal& refusal : result.refusals)
            log.say(LogLevel::debug, fmt::format("{}: not {}: {}", call.algorithm->name, refusal.variant, refusal.reason));
        for (const std::string& warning : result.warnings)
            log.say(LogLevel::warning, fmt::format("{}: {}", call.algorithm->name, warning));
    }
    return Pending(std::move(pending));
}

Session::Session(Made, std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(const Engine& engine) {
    const host::FloatEnvironment ours;
    impl_ = std::make_shared<Impl>(engine);
}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Session Session::from_queue(const Engine& engine, _cl_command_queue* queue) {
    const std::shared_ptr<host::Context> context = engine.impl()->engine.shared_context();
    return Session(Made{}, std::make_shared<Impl>(engine, context, host::opencl::borrow_queue(*context, queue)));
}

Session Session::from_stream([[maybe_unused]] const Engine& engine, [[maybe_unused]] CUstream_st* stream) {
#if defined(PARALLAX_HAS_CUDA)
    const std::shared_ptr<host::Context> context = engine.impl()->engine.shared_context();
    return Session(Made{}, std::make_shared<Impl>(engine, context, host::cuda::borrow_stream(*context, stream)));
#else
    throw UnsupportedError("this build has no CUDA backend", {"configure with PARALLAX_CUDA=ON and the CUDA toolkit's headers"});
#endif
}

const Engine& Session::engine() const { return impl_->engine; }

void Session::trim() {
    const std::lock_guard lock(impl_->mutex);
    impl_->let_go_of_what_has_ended();
    impl_->session.trim();
}

void Session::time_each_launch(bool each) {
    const std::lock_guard lock(impl_->mutex);
    impl_->session.replay(each ? engine::Replay::one_stage : engine::Replay::short_ones);
}

Pending Session::submit(const Call& call) {
    // Nobody else's commands may come between on a queue of the host application's; the native device has a thread by itself.
    const bool by_thread = call.options.cancel.shared() && !impl_->borrowed &&
                           impl_->engine.device().backend != host::Backend::native;
    return impl_->submit(call, by_thread ? Impl::Pace::by_thread : Impl::Pace::at_once);
}

Result Session::run(const Call& call) {
    return impl_->submit(call, call.options.cancel.shared() ? Impl::Pace::few_ahead : Impl::Pace::at_once).get();
}

Pending Session::Impl::submit(const Call& call, Pace pace) {
    const host::FloatEnvironment ours;
    const std::lock_guard lock(mutex);
    if (call.options.cancel.cancelled()) throw CancelledError("stopped on request, before " + call.algorithm);
    engine::Call core = resolve(call);
    CallOptions options = call.options;
    const bool packs = [&] {   // inputs are copied before the call's own commands: they, too, wait
        for (const Inputs* inputs : {&call.inputs, &call.options.inputs}) {
            for (const auto& [name, input] : *inputs) {
                if (!std::holds_alternative<Array>(input) || !own(std::get<Array>(input)).desc.is_dense()) return true;
            }
        }
        return false;
    }();
    if (packs || borrowed) {   // a borrowed queue may be one that is tied in here
        session.queue().barrier(to_host(options.wait), call.algorithm);
        options.wait.clear();
    }
    return with_memory_of_the_caller([&] {
        for (const Inputs* inputs : {&call.inputs, &call.options.inputs}) {
            for (const auto& [name, input] : *inputs) core.inputs.insert_or_assign(name, take(input, name));
        }
        return submit(core, options, pace);
    });
}

const Event& Pending::done() const {
    if (!impl_) throw ConfigError("", "a call that was not submitted", "what Session::submit returned");
    return impl_->done;
}

const std::map<std::string, Array>& Pending::arrays() const {
    done();
    return impl_->arrays;
}

Result Pending::get() {
    done();
    if (impl_->taken.exchange(true))
        throw ConfigError("", "a result that was taken already", "one get() for each submitted call");
    const host::FloatEnvironment ours;
    impl_->done.wait();   // without the session, which others may use meanwhile
    const std::lock_guard lock(impl_->session->mutex);
    const std::size_t known = impl_->running->result().warnings.size();   // what the data gave cause for comes now
    engine::CallResult core = impl_->running->finish();
    const auto& log = *impl_->session->engine.impl();
    for (std::size_t i = known; i < core.warnings.size(); ++i)
        log.say(LogLevel::warning, impl_->algorithm->name + ": " + core.warnings[i]);
    impl_->session->let_go_of_what_has_ended();
    Result result;
    result.arrays = impl_->arrays;
    for (const auto& [name, record] : core.records.items()) result.records.emplace(name, record.dump());
    Json report = to_json(engine::report_of(impl_->algorithm->name, *impl_->algorithm, core));
    report["stages"] = Json::array();
    for (const engine::Stage& stage : impl_->running->stages()) report["stages"].push_back(stage.to_json());
    result.report = report.dump();
    result.warnings = std::move(core.warnings);
    return result;
}

namespace {

template <class T>
const T& named(const std::map<std::string, T>& items, const std::string& name, const char* what) {
    if (const auto found = items.find(name); found != items.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [key, item] : items) known.push_back(key);
    throw ConfigError(
        "", fmt::format("the {} \"{}\"", what, name),
        known.empty() ? fmt::format("no {}: there is none", what) : fmt::format("one of {}", fmt::join(known, ", ")),
        did_you_mean(name, known));
}

}  // namespace

const Array& Result::array(const std::string& name) const { return named(arrays, name, "array"); }
const std::string& Result::record(const std::string& name) const { return named(records, name, "record"); }

}  // namespace parallax
