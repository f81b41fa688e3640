#include "core/plan.hpp"

#include "core/kernel_fit.hpp"
#include "core/stop.hpp"
#include "parallax/host/in_flight.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace parallax::engine {

PlanBuilder::PlanBuilder(host::Context& context, host::Queue& queue) : PlanBuilder(context, queue, context.info()) {}

PlanBuilder::PlanBuilder(host::Context& context, host::Queue& queue, host::DeviceInfo limits)
    : context_(context), queue_(queue), device_(std::move(limits)) {}

std::unique_ptr<host::Kernel> PlanBuilder::kernel(const host::ProgramSpec& spec, const std::string& name, std::size_t group) {
    const auto program = context_.build(spec);
    auto kernel = program->kernel(name);
    require_fit(*kernel, group, context_.info());
    const bool seen = std::any_of(built_.begin(), built_.end(),
                                  [&](const Built& b) { return b.hash == program->hash() && b.kernel == name; });
    if (!seen) {
        built_.push_back({spec.file, name, program->hash(), std::string(program->origin()), program->build_seconds(),
                          local_memory_of(*kernel), kernel->max_work_group()});
    }
    return kernel;
}

host::Buffer PlanBuilder::state(std::size_t bytes) {
    state_bytes_ += bytes;
    return context_.allocate(bytes);
}

host::Buffer PlanBuilder::constant(const void* data, std::size_t bytes) {
    host::Buffer buffer = state(bytes);
    const auto* const first = static_cast<const std::byte*>(data);
    host::InFlight<std::vector<std::byte>> copy(queue_, std::vector<std::byte>(first, first + bytes));
    queue_.write(buffer, 0, copy->data(), bytes, "plan constants").wait();
    copy.landed();
    return buffer;
}

std::vector<std::size_t> PlanBuilder::workspace() const {
    std::vector<std::size_t> all = slots_;
    if (taken_ > 0) all.push_back(taken_);
    return all;
}

Scratch PlanBuilder::scratch(std::size_t bytes) {
    // The smallest free slot that is large enough, else the largest free one grown, else a new one.
    int best = -1;
    for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
        if (!slot_free_[i]) continue;
        if (best < 0) { best = i; continue; }
        const bool fits = slots_[i] >= bytes, best_fits = slots_[best] >= bytes;
        if (fits != best_fits ? fits : (fits ? slots_[i] < slots_[best] : slots_[i] > slots_[best])) best = i;
    }
    if (best < 0) {
        best = static_cast<int>(slots_.size());
        slots_.push_back(0);
        slot_free_.push_back(false);
    }
    slots_[best] = std::max(slots_[best], bytes);
    slot_free_[best] = false;
    return {best};
}

void PlanBuilder::release(Scratch scratch) { slot_free_[static_cast<std::size_t>(scratch.slot)] = true; }

Execution::Execution(host::Queue& queue, Profiler& profiler, std::span<const host::Buffer> workspace, RecordMemory record_memory)
    : queue_(queue), profiler_(profiler), workspace_(workspace), record_memory_(std::move(record_memory)) {}

Execution::~Execution() {
    if (pending_.empty()) return;
    try {
        queue_.finish();
    } catch (const std::exception&) {   // the driver may still write there: see host::InFlight
        for (auto& pending : pending_) static_cast<void>(pending.release());
    }
}

void Execution::check_cancelled(std::string_view stage) const {
    if (cancelled_ && cancelled_()) throw CancelledError("stopped on request, before " + std::string(stage));
}

void Execution::follow(std::string_view stage, StageKind kind, host::Event event, int calls) {
    if (!paced_) return profiler_.add(stage, kind, std::move(event), calls);
    using namespace std::chrono_literals;
    profiler_.add(stage, kind, event, calls);
    queued_.push_back(std::move(event));
    while (queued_.size() > most_queued_) {
        constexpr std::size_t fewest = 2, most = 64;
        const auto start = std::chrono::steady_clock::now();
        queued_.front().wait();
        queued_.pop_front();
        const auto waited = std::chrono::steady_clock::now() - start;
        if (waited < 1ms) most_queued_ = std::min(2 * most_queued_, most);
        else if (waited > 20ms) most_queued_ = std::max(most_queued_ / 2, fewest);
        check_cancelled(stage);
    }
}

namespace {

/// From the start of one command to the end of another.
class SpanEvent final : public host::EventState {
public:
    SpanEvent(host::Event first, host::Event last) : first_(std::move(first)), last_(std::move(last)) {}
    void wait() override { last_.wait(); }
    bool complete() const override { return last_.complete(); }
    std::optional<host::EventTimes> times() const override {
        const auto first = first_.times(), last = last_.times();
        if (!first || !last || last->ended < first->started) return std::nullopt;
        return host::EventTimes{first->queued, first->submitted, first->started, last->ended};
    }

private:
    host::Event first_, last_;
};

}  // namespace

void Execution::launch(std::string_view stage, host::Kernel& kernel, host::NDRange groups, host::NDRange local,
                       std::initializer_list<host::Arg> args) {
    check_cancelled(stage);
    if (recordings_ != nullptr && !paced_ && (chaining_ || replay_ != Replay::one_stage)) {
        collected_.push_back({profiler_.path(), std::string(stage), &kernel, groups, local, args});
        if (collected_.size() == Recordings::longest) end_of_launches();
        return;
    }
    end_of_launches();   // what a chain that is over has left comes first
    const std::span<const host::Arg> span(args.begin(), args.size());
    launch_now({.kernel = kernel, .groups = groups, .local = local, .args = span, .wait = {}, .step = stage});
}

void Execution::launch_now(host::Launch launch) {
    add_command(launch.step, 1, [&](bool event) {
        launch.event = event;
        return queue_.launch(launch);
    });
}

template <class Enqueue>
void Execution::add_command(std::string_view stage, int calls, const Enqueue& enqueue) {
    if (!chaining_ || profiler_.depth() != chain_depth_) {
        return follow(stage, StageKind::kernel, enqueue(true), calls);
    }
    if (chain_.commands > 0 && chain_.stage != stage) {
        const bool is_last = chain_.last;
        end_chain();
        chain_.last = is_last;
    }
    host::Event event = enqueue(chain_.commands == 0 || chain_.last);
    if (chain_.commands == 0) {
        chain_ = {std::string(stage), std::move(event), calls, 1, chain_.last};
    } else if (!event) {
        chain_.calls += calls;
        ++chain_.commands;
    } else if (chain_.commands == 1) {   // a driver that gives every launch an event, or a chain of two
        const bool is_last = chain_.last;
        end_chain();
        chaining_ = is_last;
        profiler_.add(stage, StageKind::kernel, std::move(event), calls);
        return;
    } else {
        add_chain(std::exchange(chain_, {}), std::move(event), calls);
    }
    if (chain_.last) end_chain();
}

std::vector<host::Event> Execution::enqueue_each(const LaunchChain& launches) {
    std::vector<host::Event> events;
    for (const KeptLaunch& kept : launches) {
        if (chaining_ && kept.path.size() == chain_depth_) {
            launch_now(kept.launch());
        } else {
            events.push_back(queue_.launch(kept.launch()));
            profiler_.add(kept.path, kept.stage, StageKind::kernel, events.back());
        }
    }
    return events;
}

void Execution::replay(const KnownChain& known, host::Recording& recording) {
    const auto enqueue = [&](bool event) { return queue_.replay(recording, known.stage(), event); };
    if (chaining_ && known.one_stage() && known.path().size() == chain_depth_)
        return add_command(known.stage(), known.size(), enqueue);
    end_chain();
    profiler_.add(known.path(), known.stage(), StageKind::kernel, enqueue(true), known.size());
}

void Execution::end_of_launches() {
    if (collected_.empty()) return;
    const LaunchChain chain = std::exchange(collected_, {});
    if (chain.size() == 1) return static_cast<void>(enqueue_each(chain));
    bool is_new = false;
    KnownChain& known = recordings_->find(queue_, chain, is_new);
    host::Recording* const recording = is_new ? nullptr : known.recording(queue_, chain, replay_);
    if (recording != nullptr) replay(known, *recording);
    else known.ran(enqueue_each(chain));
}

void Execution::add_chain(const Chained& chain, host::Event last, int more) {
    profiler_.add(chain.stage, StageKind::kernel, host::Event(std::make_shared<SpanEvent>(chain.first, std::move(last))),
                  chain.calls + more);
}

void Execution::end_chain() {
    end_of_launches();
    if (chain_.commands == 0) return;
    const Chained chain = std::exchange(chain_, {});
    if (chain.commands == 1) return profiler_.add(chain.stage, StageKind::kernel, chain.first, chain.calls);
    add_chain(chain, queue_.barrier({}, chain.stage), 0);
}

void Execution::copy(std::string_view stage, const host::Buffer& from, const host::Buffer& to, std::size_t bytes) {
    check_cancelled(stage);
    end_chain();
    follow(stage, StageKind::kernel, queue_.copy(from, 0, to, 0, bytes, stage));
}

void Execution::upload(std::string_view stage, const host::Buffer& buffer, const void* data, std::size_t bytes) {
    end_chain();
    // A copy that outlives the plan: when an error comes between, nobody may wait for the device any more.
    const auto* first = static_cast<const std::byte*>(data);
    const auto constants = std::make_shared<const std::vector<std::byte>>(first, first + bytes);
    const host::Event done = queue_.write(buffer, 0, constants->data(), bytes, stage);
    queue_.keep(constants, done);
    profiler_.add(stage, StageKind::upload, done);
}

void Execution::external(std::string_view stage, host::Event event) {
    end_chain();
    if (event) follow(stage, StageKind::kernel, std::move(event));
}

void Execution::host_task(std::string_view stage, const std::function<void()>& task) {
    check_cancelled(stage);
    const auto unless_cancelled = [task, cancelled = cancelled_, name = std::string(stage)] {
        if (cancelled && cancelled()) throw CancelledError("stopped on request, before " + name);
        const StopScope scope(cancelled);
        task();
    };
    end_of_launches();
    tasks_.push_back(queue_.host_task(unless_cancelled, stage));
    profiler_.add(stage, StageKind::kernel, tasks_.back());
}

void Execution::wait_for_tasks() const {
    for (const host::Event& task : tasks_) task.wait();
}

void Execution::record(std::string port, const host::Buffer& buffer, std::size_t bytes,
                       std::function<Json(std::span<const std::byte>)> convert) {
    end_of_launches();
    std::shared_ptr<std::byte[]> memory = record_memory_ ? record_memory_(bytes) : std::make_shared<std::byte[]>(bytes);
    auto pending = std::make_unique<Pending>(std::move(port), std::move(memory), bytes, std::move(convert));
    profiler_.add(pending->port, StageKind::download, queue_.read(buffer, 0, pending->memory.get(), bytes, pending->port));
    pending_.push_back(std::move(pending));
}

void Execution::record(std::string port, std::function<Json()> make) {
    pending_.push_back(std::make_unique<Pending>(std::move(port), nullptr, 0,
                                                 [make = std::move(make)](std::span<const std::byte>) { return make(); }));
}

Json Execution::finish_records() {
    Json records = Json::object();
    for (const auto& pending : pending_) records[pending->port] = pending->convert({pending->memory.get(), pending->bytes});
    pending_.clear();
    return records;
}

}  // namespace parallax::engine
