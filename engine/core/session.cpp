#include "core/session.hpp"

#include "core/carry.hpp"
#include "core/clock.hpp"
#include "core/judge.hpp"
#include "core/overlap.hpp"
#include "core/verdicts.hpp"
#include "parallax/host/in_flight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace parallax::engine {

namespace {

using Clock = std::chrono::steady_clock;

ArrayDescs descs_of(const std::map<std::string, DeviceArray, std::less<>>& arrays) {
    ArrayDescs descs;
    for (const auto& [name, array] : arrays) descs.emplace(name, array.desc);
    return descs;
}

/// What a choice and a plan depend on beside variant, policy and parameters.
std::string problem_key(const Call& call, const Problem& problem, const ArrayDescs& shapes) {
    std::string key = call.algorithm->name;
    const auto add = [&key](const auto& arrays) {
        for (const auto& [name, desc] : arrays) {
            key += '|' + name + '=' + desc.describe() + '@' + std::to_string(desc.offset);
            // A hologram's pixel and a box's edge are of the spacing, which frames of one shape need not share.
            for (const Axis& axis : desc.axes) key += fmt::format(",{} {}", axis.stride, axis.spacing);
            key += desc.unit;
        }
    };
    add(problem.inputs);
    key += "|>";
    add(shapes);
    if (call.algorithm->plan_key) key += "|" + call.algorithm->plan_key(problem);
    for (const std::string& output : problem.outputs) key += "|>" + output;
    if (problem.slab > 0) key += "|slab " + std::to_string(problem.slab) + ',' + std::to_string(problem.slab_workspace);
    if (problem.memory > 0) key += "|memory " + std::to_string(problem.memory);
    return key;
}

/// Two calls with the same key can share a plan.
std::string plan_key(const std::string& problem, const Call& call, const Choice& choice) {
    return problem + "|." + choice.variant->name + '|' + choice.policy.to_json().dump() + '|' +
           call.parameters.to_json_for_plan().dump();
}

/// Two calls with the same key get the same choice.
std::string choice_key(const std::string& problem, const Call& call) {
    return problem + "|." + call.variant + '|' + call.policy.dump() + '|' + call.parameters.to_json().dump();
}

template <class Inputs>
void check_inputs(const Call& call, const Inputs& inputs) {
    for (const Port& port : call.algorithm->inputs) {
        if (port.required && !inputs.count(port.name)) {
            throw ConfigError(call.pointer + "/in", "no input \"" + port.name + "\"", port.doc);
        }
    }
    for (const auto& [name, array] : inputs) {
        if (call.algorithm->input(name)) continue;
        std::vector<std::string> known;
        for (const Port& port : call.algorithm->inputs) known.push_back(port.name);
        const std::string near = nearest(name, known);
        throw ConfigError(call.pointer + "/in/" + name, "an input that " + call.algorithm->name + " does not have",
                          "one of its inputs", near.empty() ? "" : "did you mean \"" + near + "\"?");
    }
}

std::vector<std::string> wanted_outputs(const Call& call) {
    if (!call.outputs.empty()) return call.outputs;
    std::vector<std::string> wanted;
    for (const Port& port : call.algorithm->outputs) {
        if (port.required) wanted.push_back(port.name);
    }
    return wanted;
}

/// Records without what was observed and judged, which becomes warnings.
void take_records(Execution& execution, const Parameters& parameters, CallResult& result) {
    result.records = execution.finish_records();
    for (std::string& words : take_words(result.records, parameters)) result.warnings.push_back(std::move(words));
}

}  // namespace

/// Declared in the order in which things may go: the plan outlives what its commands use.
class Session::Submitted final : public Running {
public:
    const host::Event& done() const noexcept override { return done_; }
    const CallResult& result() const noexcept override { return result_; }
    CallResult finish() override {
        done_.wait();
        take_records(*execution_, ready_.parameters, result_);
        return std::move(result_);
    }
    std::vector<Stage> stages() override { return times_.collect(); }

    PlannedCall ready_;
    Bindings bindings_;
    Profiler times_;
    std::unique_ptr<Execution> execution_;
    CallResult result_;
    host::Event done_;
};

Engine::Engine(const host::Device& device, Registry registry, const host::ContextOptions& options, const MemoryLimits& limits)
    : Engine(device.open(options), std::move(registry), limits) {}

Engine::Engine(std::shared_ptr<host::Context> context, Registry registry, const MemoryLimits& limits)
    : context_(std::move(context)), device_(context_->info()), registry_(std::move(registry)), limits_(limits),
      tuning_(Tuning::load(registry_.algorithms())) {
    const std::uint64_t all = limits.bytes > 0 ? limits.bytes : device_.global_memory;
    if (limits.plans > 0 || all > 0) plans_->set_budget(limits.plans > 0 ? limits.plans : all / 4);
    hold_to_limits(*context_);
}

void Engine::hold_to_limits(host::Context& context) {
    if (limits_.bytes > 0) context.limit_memory(limits_.bytes);
    context.add_keeper(plans_);
}

std::shared_ptr<host::Context> Engine::shared_context() const {
    const std::lock_guard lock(mutex_);
    return context_;
}

bool Engine::renew() {
    const std::lock_guard lock(mutex_);
    if (context_->failure().empty()) return false;
    std::shared_ptr<host::Context> fresh = context_->reopen();
    if (!fresh) return false;
    hold_to_limits(*fresh);
    failed_.push_back(std::exchange(context_, std::move(fresh)));
    return true;
}

Session::Session(Engine& engine) : engine_(engine), context_(engine.shared_context()), queue_(context_->create_queue()) {}

Session::Session(Engine& engine, std::shared_ptr<host::Context> context, std::unique_ptr<host::Queue> queue)
    : engine_(engine), context_(std::move(context)), queue_(std::move(queue)) {}

Session::~Session() {
    try {
        queue_->finish();   // plans and their memory go next
    } catch (const std::exception&) {   // whoever waited before has been told
    }
    engine_.plans().leave(this);
}

DeviceArray Session::allocate(const ArrayDesc& desc) {
    return {desc.to_dense(), {}, context_->allocate(desc.dense_bytes())};
}

DeviceArray Session::upload(const HostArray& array, std::string_view stage) {
    HostArray from = array.to_dense();
    DeviceArray result = allocate(from.desc);
    result.metadata = from.metadata;
    host::InFlight<HostArray> dense(*queue_, std::move(from));
    const host::Event done = queue_->write(result.buffer, 0, dense->data(), dense->desc.dense_bytes(), stage);
    profiler_.add(stage, StageKind::upload, done);
    done.wait();
    dense.landed();
    return result;
}

HostArray Session::download(const DeviceArray& array, std::string_view stage) {
    host::InFlight<HostArray> result(*queue_, HostArray::make(array.desc.to_dense()));
    result->metadata = array.metadata;
    const host::Event done = queue_->read(array.buffer, 0, result->data(), result->desc.dense_bytes(), stage);
    profiler_.add(stage, StageKind::download, done);
    done.wait();
    result.landed();
    return *result;
}

std::string why_not(const Algorithm& algorithm, const Variant& variant, const Problem& problem, host::Context& context) {
    const host::Backend backend = context.info().backend;
    if (std::find(variant.backends.begin(), variant.backends.end(), backend) == variant.backends.end()) {
        return "does not run on the " + std::string(host::to_string(backend)) + " backend";
    }
    if (problem.slab > 0 && !variant.slabs)
        return "needs its input as a whole, of which slabs alone fit into memory: raise memory_limit, or take a device with more";
    if (problem.ranks > 1 && !variant.part) return "runs on one device";
    std::string reason = variant.supports(problem, context).why_not;
    return reason.empty() ? verdict_on(context.info(), algorithm.name, variant, WorkClass::of(algorithm, problem).type) : reason;
}

Choice Session::choose(const Algorithm& algorithm, const Problem& problem, const std::string& wanted, const Json& policy,
                       const std::string& pointer) {
    host::Context& context = *context_;
    const WorkClass work = WorkClass::of(algorithm, problem);

    Choice choice;
    if (!wanted.empty()) {
        choice.variant = algorithm.variant(wanted);
        if (!choice.variant) {
            std::vector<std::string> names;
            std::string expected = "a variant of " + algorithm.name + ":";
            for (const Variant& v : algorithm.variants) {
                names.push_back(v.name);
                expected += " " + v.name;
            }
            const std::string near = nearest(wanted, names);
            throw ConfigError(pointer + "/variant", "\"" + wanted + "\"", expected,
                              near.empty() ? "" : "did you mean \"" + near + "\"?");
        }
        if (const std::string reason = why_not(algorithm, *choice.variant, problem, context); !reason.empty()) {
            throw UnsupportedError(algorithm.name + " variant \"" + wanted + "\" cannot run on " + context.info().name, {reason});
        }
    } else {
        choice.algorithm = &algorithm;
        const auto fastest = engine_.tuning().best(algorithm.name, context.info(), work);
        const Variant* const tuned = fastest ? algorithm.variant(fastest->entry->variant) : nullptr;
        if (tuned != nullptr && tuned->role != Role::peer && why_not(algorithm, *tuned, problem, context).empty())
            choice.variant = tuned;
        for (const Variant& variant : algorithm.variants) {
            if (choice.variant != nullptr) break;
            if (variant.role == Role::peer) continue;
            const std::string reason = why_not(algorithm, variant, problem, context);
            if (reason.empty()) choice.variant = &variant;
            else choice.refusals.push_back({variant.name, reason});
        }
        if (!choice.variant) {
            std::vector<std::string> reasons;
            for (const Refusal& r : choice.refusals) reasons.push_back(r.variant + ": " + r.reason);
            if (problem.slab > 0)
                reasons.push_back(
                    std::string("the input comes in slabs, since it does not fit memory_limit or the device's memory, or since "
                                "the job states \"slab\": allow more memory, or leave \"slab\" out") +
                    (context.info().backend == host::Backend::native ? ", or take an OpenCL device" : ""));
            throw UnsupportedError("no variant of " + algorithm.name + " can do this on " + context.info().name, reasons);
        }
    }
    choice.policy = Policy::parse(choice.variant->policy, policy, pointer + "/policy");
    choice.policy_from = policy.empty() ? "default" : "job";
    if (policy.empty() && !choice.variant->policy.empty()) {
        if (const auto match = engine_.tuning().policy(algorithm.name, choice.variant->name, context.info(), work)) {
            try {
                choice.policy = Policy::parse(choice.variant->policy, match->entry->policy, "");
                choice.policy_from = match->describe();
                choice.is_tuned = true;
            } catch (const ConfigError& error) {   // the variant's table has changed since
                choice.policy_from = "default, because the policy " + match->describe() + " has " + error.found + " at " +
                                     error.pointer + ", not " + error.expected;
            }
        }
    }
    return choice;
}

const Choice& Session::choice_of(const Call& call, const Problem& problem, const std::string& key) {
    const auto known = choices_.find(key);
    if (known != choices_.end()) return known->second;
    Choice choice = choose(*call.algorithm, problem, call.variant, call.policy, call.pointer);
    if (choices_.size() == most_choices) choices_.clear();
    return choices_.emplace(key, std::move(choice)).first->second;
}

std::shared_ptr<CachedPlan> Session::planned(const Call& call, const Problem& problem, const ArrayDescs& shapes,
                                             CallResult& result, Widening widening) {
    const std::string about = problem_key(call, problem, shapes);
    Choice choice = call.choice ? *call.choice : choice_of(call, problem, choice_key(about, call));
    const std::string key = plan_key(about, call, choice);
    const auto start = Clock::now();
    std::shared_ptr<CachedPlan> plan = engine_.plans().find(this, key);
    const bool is_new = !plan;
    if (is_new) plan = make(problem, std::move(choice));
    widen_workspace(plan->slots, widening);   // of a plan that was there, too: trim() may have been called
    if (!is_new) return plan;
    result.plan_seconds = seconds_since(start);
    engine_.plans().add(this, key, plan);
    return plan;
}

std::shared_ptr<CachedPlan> Session::make(const Problem& problem, Choice choice) {
    if (!planning_) planning_ = context_->create_queue();
    PlanMade fresh = make_plan(*context_, *planning_, problem, choice);
    planning_->finish("plan");
    auto made = std::make_shared<CachedPlan>();
    made->plan = std::move(fresh.plan);
    made->choice = std::move(choice);
    made->built = fresh.builder->built();
    made->slots = fresh.builder->slots();
    made->state_bytes = fresh.builder->state_bytes();
    return made;
}

void Session::let_go(host::Buffer& buffer) {
    if (!buffer) return;
    if (last_.ended()) buffer = {};
    else
        queue_->keep(std::make_shared<host::Buffer>(std::exchange(buffer, {})),
                     queue_->barrier({}, "end of what uses workspace"));
}

void Session::widen_workspace(const std::vector<std::size_t>& slots, Widening widening) {
    if (workspace_.size() < slots.size()) workspace_.resize(slots.size());
    const auto is_large = [&](std::size_t i) { return workspace_[i] && workspace_[i].bytes() >= slots[i]; };
    bool ended = false;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (is_large(i)) continue;
        if (widening == Widening::first_give_back && !std::exchange(ended, true)) queue_->finish("wait for workspace");
        if (ended) workspace_[i] = {};   // the peak is the larger one, not the sum
        else let_go(workspace_[i]);
        try {
            workspace_[i] = context_->allocate(slots[i]);
        } catch (const DeviceError& error) {
            if (!error.is_shortage() || std::exchange(ended, true)) throw;
            queue_->finish("wait for workspace");
            queue_->let_go_of_what_has_ended();
            workspace_[i] = context_->allocate(slots[i]);
        }
    }
}

void Session::trim() {
    engine_.plans().trim(this);
    for (host::Buffer& buffer : workspace_) let_go(buffer);
    workspace_.clear();
}

PlannedCall Session::plan(const Call& call, const ArrayDescs& inputs) { return plan(call, inputs, Widening::first_give_back); }

PlannedCall Session::plan(const Call& call, const ArrayDescs& inputs, Widening widening) {
    Problem problem{inputs, call.parameters, wanted_outputs(call), call.slab, call.slab_workspace};
    problem.memory = engine_.limits().within(call.memory);
    PlannedCall ready;
    ready.id = call.id.empty() ? call.algorithm->name : call.id;
    ready.parameters = call.parameters;
    ready.shapes = call.algorithm->infer(problem);
    if (call.algorithm->warnings)
        for (const std::string& words : call.algorithm->warnings(problem))
            ready.about.warnings.push_back(call.parameters.in_written_keys(words));
    const auto made = planned(call, problem, ready.shapes, ready.about, widening);
    ready.plan = made->plan;
    ready.recordings = made->recordings;
    ready.about.variant = made->choice.variant->name;
    ready.about.policy = made->choice.policy;
    ready.about.policy_from = made->choice.policy_from;
    ready.about.refusals = made->choice.refusals;
    ready.about.built = made->built;
    ready.about.workspace_bytes = made->state_bytes;
    for (const std::size_t bytes : made->slots) ready.about.workspace_bytes += bytes;
    return ready;
}

std::unique_ptr<Execution> Session::enqueue(const PlannedCall& call, const Bindings& bindings, Profiler& profiler,
                                            RecordMemory record_memory) {
    auto execution = std::make_unique<Execution>(*queue_, profiler, workspace_, std::move(record_memory));
    execution->cancel_when(cancelled_);
    if (prompt_) execution->keep_pace();
    const bool processor = context_->info().type == host::DeviceType::cpu;   // whose drivers replay no faster than they launch
    const bool wanted = call.recordings && (!processor || replay_ == Replay::everywhere);
    if (wanted && context_->capabilities().recordings) execution->replay(*call.recordings, replay_);
    const auto scope = execution->scope(call.id);
    call.plan->update(call.parameters);
    call.plan->enqueue(*execution, bindings);
    execution->end_of_launches();
    return execution;
}

void Session::enqueue_slab(const PlannedCall& call, const host::Buffer& slices, int pass, std::int64_t first, std::int64_t count,
                           Profiler& profiler) {
    Execution execution(*queue_, profiler, workspace_, {});
    execution.cancel_when(cancelled_);
    if (prompt_) execution.keep_pace();
    const auto scope = execution.scope(call.id);
    call.plan->update(call.parameters);
    call.plan->enqueue_slab(execution, slices, pass, first, count);
}

Bindings Session::bind(const Call& call, const PlannedCall& ready, const std::map<std::string, DeviceArray, std::less<>>& into) {
    Bindings bindings{call.inputs, {}};
    for (const auto& [name, desc] : ready.shapes) {
        const auto given = into.find(name);
        bindings.outputs.emplace(name, given != into.end() ? given->second : allocate(desc));
        bindings.outputs[name].desc = desc;
        if (call.inputs.empty()) continue;
        const DeviceArray& first = call.inputs.begin()->second;
        bindings.outputs[name].metadata = carry(*call.algorithm, call.parameters, first.desc, first.metadata);
    }
    if (!into.empty()) check_overlaps(*call.algorithm, bindings.inputs, bindings.outputs, into, call.pointer);
    return bindings;
}

CallResult Session::run(const Call& call, const std::map<std::string, DeviceArray, std::less<>>& into) {
    check_inputs(call, call.inputs);
    PlannedCall ready = plan(call, descs_of(call.inputs));
    CallResult result = std::move(ready.about);
    if (result.plan_seconds > 0) profiler_.add(ready.id, StageKind::compile, result.plan_seconds);

    Bindings bindings = bind(call, ready, into);
    const auto execution = enqueue(ready, bindings, profiler_);
    queue_->finish(ready.id);
    take_records(*execution, ready.parameters, result);
    result.outputs = std::move(bindings.outputs);
    return result;
}

std::shared_ptr<Running> Session::stage(const Call& call, const std::map<std::string, DeviceArray, std::less<>>& into) {
    check_inputs(call, call.inputs);
    auto submitted = std::make_shared<Submitted>();
    PlannedCall& ready = submitted->ready_;
    ready = plan(call, descs_of(call.inputs), Widening::beside_the_work);
    submitted->result_ = std::move(ready.about);
    if (submitted->result_.plan_seconds > 0) submitted->times_.add(ready.id, StageKind::compile, submitted->result_.plan_seconds);
    submitted->bindings_ = bind(call, ready, into);
    submitted->result_.outputs = submitted->bindings_.outputs;
    return submitted;
}

void Session::hand_over(Running& staged, std::span<const host::Event> wait) {
    auto& submitted = static_cast<Submitted&>(staged);
    const PlannedCall& ready = submitted.ready_;
    if (!wait.empty()) queue_->barrier(wait, ready.id);
    try {
        submitted.execution_ = enqueue(ready, submitted.bindings_, submitted.times_, record_memory_);
    } catch (...) {
        // Half an execution may have left a plan's state anywhere: it is not used again.
        engine_.plans().forget(*ready.plan);
        try {
            queue_->finish();
        } catch (const std::exception&) {   // the first error is the one to tell
        }
        throw;
    }
    submitted.done_ = queue_->barrier({}, ready.id);
    engine_.plans().in_use(*ready.plan, submitted.done_);
    last_ = submitted.done_;
    queue_->flush();
}

std::shared_ptr<Running> Session::submit(const Call& call, const std::map<std::string, DeviceArray, std::less<>>& into,
                                         std::span<const host::Event> wait) {
    std::shared_ptr<Running> submitted = stage(call, into);
    hand_over(*submitted, wait);
    return submitted;
}

bool Session::prepare(const Call& call, const ArrayDescs& inputs) {
    check_inputs(call, inputs);
    return plan(call, inputs, Widening::beside_the_work).about.plan_seconds > 0;
}

}  // namespace parallax::engine
