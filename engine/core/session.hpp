// Engine: one opened device, shared by threads. Session: one thread's queue, workspace and plans on it.
#pragma once

#include "core/algorithm.hpp"
#include "core/choice.hpp"
#include "core/plan.hpp"
#include "core/plan_cache.hpp"
#include "core/profiler.hpp"
#include "core/tuning.hpp"
#include "parallax/host/context.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace parallax::engine {

/// How much of a device's memory an engine may take.
struct MemoryLimits {
    std::uint64_t bytes = 0;   ///< in all; 0: what the device has
    std::uint64_t plans = 0;   ///< of plans that are kept for calls to come; 0: a quarter of the above

    /// What a job may take whose own limit is `most`: the smaller of the two, 0 where none is set.
    std::uint64_t within(std::uint64_t most) const noexcept {
        return most == 0 ? bytes : bytes == 0 ? most : std::min(most, bytes);
    }
};

class Engine {
public:
    /// Opens the device. `registry`: the algorithms that it can run.
    Engine(const host::Device&, Registry registry, const host::ContextOptions& = {}, const MemoryLimits& = {});
    /// On a device that is open already.
    Engine(std::shared_ptr<host::Context>, Registry registry, const MemoryLimits& = {});
    host::Context& context() noexcept { return *shared_context(); }
    std::shared_ptr<host::Context> shared_context() const;
    const host::DeviceInfo& device() const noexcept { return device_; }
    const Registry& registry() const noexcept { return registry_; }
    /// Opens the device anew if its context has failed: sessions made from now on work there, older ones are lost.
    /// False where the context is sound again already or cannot be opened anew (see host::Context::reopen()).
    bool renew();
    const Tuning& tuning() const noexcept { return tuning_; }
    const MemoryLimits& limits() const noexcept { return limits_; }
    /// Of all sessions.
    PlanCache& plans() noexcept { return *plans_; }

private:
    void hold_to_limits(host::Context&);

    mutable std::mutex mutex_;                                   ///< guards the two members below
    std::shared_ptr<host::Context> context_;
    std::vector<std::shared_ptr<host::Context>> failed_;         ///< references that context() gave out stay good
    host::DeviceInfo device_;
    Registry registry_;
    MemoryLimits limits_;
    std::shared_ptr<PlanCache> plans_ = std::make_shared<PlanCache>();
    Tuning tuning_;
};

/// One algorithm on arrays that are on the device already.
struct Call {
    std::string id;                          ///< name of the step in reports; empty: the algorithm's
    const Algorithm* algorithm = nullptr;
    Parameters parameters;
    std::string variant;                     ///< empty: the one tuned fastest, else the first that supports the problem
    Json policy = Json::object();            ///< empty: the tuned one, else the defaults
    std::map<std::string, DeviceArray, std::less<>> inputs;
    std::vector<std::string> outputs;        ///< ports wanted; empty: all required ones
    std::string pointer;                     ///< where the step stands in the job, for errors
    std::int64_t slab = 0;                   ///< as in Problem; for plan() alone
    std::uint64_t slab_workspace = 0;
    std::uint64_t memory = 0;                ///< see Problem; 0: what the engine was given
    const Choice* choice = nullptr;          ///< that was made before, in place of variant and policy; for plan() alone
};

struct CallResult {
    std::map<std::string, DeviceArray, std::less<>> outputs;
    Json records = Json::object();           ///< by port
    std::string variant;
    Policy policy;
    std::string policy_from;                 ///< see Choice
    std::vector<Refusal> refusals;           ///< variants that were preferred and could not
    std::vector<std::string> warnings;
    std::vector<PlanBuilder::Built> built;   ///< kernels of the plan
    double plan_seconds = 0;                 ///< 0: the plan was there
    std::size_t workspace_bytes = 0;
    // Times of its stages are in Session::profiler(), below the id of the call.
};

/// A call whose kernels are built and whose workspace is there: enqueue it as often as wanted, on arrays of the same shapes.
struct PlannedCall {
    std::string id;
    Parameters parameters;   ///< travel with each launch: calls that differ in values for runtime() alone share a plan
    std::shared_ptr<Plan> plan;
    std::shared_ptr<Recordings> recordings;  ///< of the plan
    ArrayDescs shapes;                       ///< of its array outputs
    CallResult about;                        ///< without outputs and records
};

/// A call that has been enqueued, with all that its commands use. It may go before they have ended.
class Running {
public:
    virtual ~Running() = default;
    virtual const host::Event& done() const noexcept = 0;
    /// What is known already: all but the records.
    virtual const CallResult& result() const noexcept = 0;
    /// Waits, reads the records, and gives the result; once.
    virtual CallResult finish() = 0;
    /// Times of its stages, after finish().
    virtual std::vector<Stage> stages() = 0;
};

class Session {
public:
    explicit Session(Engine&);
    /// On a queue that is there, of `context`.
    Session(Engine&, std::shared_ptr<host::Context> context, std::unique_ptr<host::Queue>);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Engine& engine() noexcept { return engine_; }
    host::Context& context() noexcept { return *context_; }
    host::Queue& queue() noexcept { return *queue_; }
    Profiler& profiler() noexcept { return profiler_; }

    /// Asked before each command of a call; true: CancelledError. `prompt`: also while a step of many commands runs, for which
    /// enqueue() then waits (see Execution::keep_pace()).
    void cancel_when(std::function<bool()> cancelled, bool prompt) {
        cancelled_ = std::move(cancelled);
        prompt_ = prompt && cancelled_;
    }

    /// Which launches of calls that come again are started together: see Replay.
    void replay(Replay which) noexcept { replay_ = which; }

    DeviceArray upload(const HostArray&, std::string_view stage = "upload");
    HostArray download(const DeviceArray&, std::string_view stage = "download");
    DeviceArray allocate(const ArrayDesc&);

    /// Throws ConfigError for an unknown variant or policy, UnsupportedError with every reason.
    Choice choose(const Algorithm&, const Problem&, const std::string& variant, const Json& policy, const std::string& pointer);
    /// Plans (or reuses the plan), allocates outputs, enqueues, waits, and reads the records. `into` may hold
    /// output arrays to be reused.
    CallResult run(const Call&, const std::map<std::string, DeviceArray, std::less<>>& into = {});
    /// The same without waiting: commands begin once `wait` is complete.
    std::shared_ptr<Running> submit(const Call&, const std::map<std::string, DeviceArray, std::less<>>& into = {},
                                    std::span<const host::Event> wait = {});
    /// submit() in two halves: what takes plans, workspace and arrays, and then the commands, which another thread may enqueue
    /// while nobody else uses the session.
    std::shared_ptr<Running> stage(const Call&, const std::map<std::string, DeviceArray, std::less<>>& into = {});
    void hand_over(Running&, std::span<const host::Event> wait = {});
    /// Makes the plan that a call on such inputs needs; false where it was there.
    bool prepare(const Call&, const ArrayDescs& inputs);
    /// Lets go of plans that nobody has, and of workspace: the next plan() makes them again, and comes before the next enqueue().
    void trim();
    /// Where submit() reads records to, instead of pageable memory, for which some drivers wait.
    void read_records_to(RecordMemory memory) { record_memory_ = std::move(memory); }

    /// The first half of run(): what does not depend on the arrays themselves. Of the call's inputs only their names matter.
    PlannedCall plan(const Call&, const ArrayDescs& inputs);
    /// The second half, without the waiting: commands go to queue(), times to `profiler`. Once the queue has got past them
    /// finish_records() of what is returned has the records. Calls that are in flight together share the workspace: the
    /// queue works in order.
    std::unique_ptr<Execution> enqueue(const PlannedCall&, const Bindings&, Profiler& profiler, RecordMemory = {});
    /// Of a call with `slab`: slices of its input, in order, as often as the plan's slab_passes(); enqueue(), without that input,
    /// ends it.
    void enqueue_slab(const PlannedCall&, const host::Buffer& slices, int pass, std::int64_t first, std::int64_t count,
                      Profiler&);

private:
    /// What commands under way may use is given back first, which waits for them; else it goes when they have ended, and nobody
    /// waits unless memory is short.
    enum class Widening { first_give_back, beside_the_work };
    class Submitted;
    Bindings bind(const Call&, const PlannedCall&, const std::map<std::string, DeviceArray, std::less<>>& into);
    /// choose(), once for each key: a variant's word on whether it can may take as long as its kernels.
    const Choice& choice_of(const Call&, const Problem&, const std::string& key);
    std::shared_ptr<CachedPlan> planned(const Call&, const Problem&, const ArrayDescs& shapes, CallResult&, Widening);
    std::shared_ptr<CachedPlan> make(const Problem&, Choice);
    void widen_workspace(const std::vector<std::size_t>& slots, Widening);
    void let_go(host::Buffer&);
    PlannedCall plan(const Call&, const ArrayDescs& inputs, Widening);

    Engine& engine_;
    std::shared_ptr<host::Context> context_;
    std::unique_ptr<host::Queue> queue_;
    Profiler profiler_;
    std::function<bool()> cancelled_;
    bool prompt_ = false;
    Replay replay_ = Replay::one_stage;
    RecordMemory record_memory_;
    std::unique_ptr<host::Queue> planning_;          ///< plans are made beside the work, which need not end for that
    host::Event last_;                               ///< the end of what was submitted last
    std::vector<host::Buffer> workspace_;            ///< shared by all plans: they run one after another
    static constexpr std::size_t most_choices = 256;
    std::map<std::string, Choice> choices_;
};

}  // namespace parallax::engine
