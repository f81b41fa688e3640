// A plan: compiled kernels for one problem on one device. Making it compiles and allocates; running it does neither.
#pragma once

#include "core/algorithm.hpp"
#include "core/device_array.hpp"
#include "core/profiler.hpp"
#include "core/recordings.hpp"
#include "parallax/host/context.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::engine {

/// A piece of workspace, by number: which memory it is, the execution says. Two executions in flight have two sets.
struct Scratch {
    int slot = -1;
};

/// What a plan is made with. Scratch is lent by lifetime: after release() a later scratch() may get the same memory.
class PlanBuilder {
public:
    PlanBuilder(host::Context&, host::Queue&);
    /// For a device of these limits, lower than it reports where kernels or the job's memory have lower ones: see make_plan().
    PlanBuilder(host::Context&, host::Queue&, host::DeviceInfo limits);

    host::Context& context() noexcept { return context_; }
    /// What kernels are planned for: its local memory and work-groups as kernels have them, its memory as the job may take of it.
    const host::DeviceInfo& device() const noexcept { return device_; }

    /// Builds (or fetches) the program and makes a kernel of it, to be launched in work-groups of `group` work-items; 0: of the
    /// program's define GROUP, where it has one. Throws KernelMisfit where the device does not run what was built.
    std::unique_ptr<host::Kernel> kernel(const host::ProgramSpec&, const std::string& name, std::size_t group = 0);
    /// Device memory that lives as long as the plan. Uninitialised.
    host::Buffer state(std::size_t bytes);
    /// The same, filled now from host memory.
    host::Buffer constant(const void* data, std::size_t bytes);
    template <class T>
    host::Buffer constant(const std::vector<T>& values) {
        return constant(values.data(), values.size() * sizeof(T));
    }

    Scratch scratch(std::size_t bytes);
    void release(Scratch);
    /// Memory that C++ on the native device takes by itself while it runs, and gives back: it is counted, and not allocated here.
    void takes(std::int64_t bytes) noexcept { taken_ = static_cast<std::size_t>(bytes); }

    /// What was built, for the report.
    struct Built {
        std::string file, kernel, hash, origin;
        double seconds;
        std::uint64_t local_memory;       ///< bytes that a work-group takes
        std::size_t max_work_group;       ///< work-items of a group that the driver allows it
    };
    const std::vector<Built>& built() const noexcept { return built_; }
    const std::vector<std::size_t>& slots() const noexcept { return slots_; }
    /// Bytes of the same, and of what is taken beside them, for whoever plans memory.
    std::vector<std::size_t> workspace() const;
    std::size_t state_bytes() const noexcept { return state_bytes_; }
    host::Queue& queue() noexcept { return queue_; }

private:
    host::Context& context_;
    host::Queue& queue_;
    host::DeviceInfo device_;
    std::vector<Built> built_;
    std::vector<std::size_t> slots_;
    std::vector<bool> slot_free_;
    std::size_t state_bytes_ = 0, taken_ = 0;
};

/// Arrays that an execution works on, by port.
struct Bindings {
    std::map<std::string, DeviceArray, std::less<>> inputs;
    std::map<std::string, DeviceArray, std::less<>> outputs;

    bool has_input(std::string_view port) const { return inputs.find(port) != inputs.end(); }
    bool has_output(std::string_view port) const { return outputs.find(port) != outputs.end(); }
    const host::Buffer& input(std::string_view port) const { return inputs.find(port)->second.buffer; }
    const host::Buffer& output(std::string_view port) const { return outputs.find(port)->second.buffer; }
};

/// Lends host memory of so many bytes, for instance pinned memory: some drivers wait for the queue before they read into any
/// other.
using RecordMemory = std::function<std::shared_ptr<std::byte[]>(std::size_t bytes)>;

/// One run of a plan: commands go to its queue in order, each under a stage's name.
class Execution {
public:
    Execution(host::Queue&, Profiler&, std::span<const host::Buffer> workspace, RecordMemory = {});
    /// Waits for records that are still on their way when an error has ended the run.
    ~Execution();
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    /// Asked before each command; true ends the execution with CancelledError.
    void cancel_when(std::function<bool()> cancelled) { cancelled_ = std::move(cancelled); }
    /// Commands are not queued far ahead of the device, so that little is left to run when the execution is cancelled. Commands
    /// then wait for older ones: not for who wants to go on while the device works.
    void keep_pace() { paced_ = true; }
    /// Launches are collected and enqueued together: chains that were seen before, of the same kernels, sizes and arguments, by one
    /// call. Whoever enqueues ends with end_of_launches().
    void replay(Recordings& recordings, Replay which) {
        recordings_ = &recordings;
        replay_ = which;
    }
    /// Enqueues what is collected.
    void end_of_launches();

    /// For commands that are not this class's: they come behind all launches so far.
    host::Queue& queue() {
        end_of_launches();
        return queue_;
    }
    const host::Buffer& buffer(Scratch s) const { return workspace_[static_cast<std::size_t>(s.slot)]; }

    void launch(std::string_view stage, host::Kernel&, host::NDRange groups, host::NDRange local,
                std::initializer_list<host::Arg>);
    void copy(std::string_view stage, const host::Buffer& from, const host::Buffer& to, std::size_t bytes);
    /// A few constants to the device, as they are now.
    void upload(std::string_view stage, const host::Buffer&, const void* data, std::size_t bytes);
    /// Commands that others enqueue (VkFFT): the caller hands over the event that ends them, or none.
    void external(std::string_view stage, host::Event);
    /// C++ on the native device, in another thread: what it needs it holds itself, the plan apart.
    void host_task(std::string_view stage, const std::function<void()>&);
    /// Small values to host memory when everything is done; `convert` then makes the record of that port.
    void record(std::string port, const host::Buffer&, std::size_t bytes,
                std::function<Json(std::span<const std::byte>)> convert);
    /// A record that needs no device memory (native variants, constants); called after the queue has finished.
    void record(std::string port, std::function<Json()> make);

    /// Stages launched while it lives stand below `name` in the report.
    class Scope {
    public:
        Scope(Profiler& p, std::string_view name) : profiler_(p) { profiler_.enter(name); }
        ~Scope() { profiler_.leave(); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
    private:
        Profiler& profiler_;
    };
    Scope scope(std::string_view name) {
        if (chaining_) end_chain();
        return Scope(profiler_, name);
    }

    /// Launches of one stage that follow each other while it lives are timed as one, from the start of the first to the end of the
    /// last, where the driver makes that cheaper: events of each would take as long as a short kernel. Whoever makes one calls
    /// before_last() before the last launch of a stage: no driver times an event well that is no launch's.
    class Chain {
    public:
        explicit Chain(Execution& x, bool wanted) : x_(x) {
            x.end_of_launches();
            x.chaining_ = wanted && !x.paced_;
            x.chain_depth_ = x.profiler_.depth();
        }
        ~Chain() {
            x_.chaining_ = false;
            x_.chain_ = {};
        }
        Chain(const Chain&) = delete;
        Chain& operator=(const Chain&) = delete;
        void before_last() {
            x_.end_of_launches();
            x_.chain_.last = true;
        }
        /// With what is left of it when no launch was the last.
        void close() { x_.end_chain(); }
    private:
        Execution& x_;
    };
    Chain chain(bool wanted = true) { return Chain(*this, wanted); }

    /// Waits for the C++ that host_task() got, and throws what that threw.
    void wait_for_tasks() const;
    /// After the queue has finished: every record by port.
    Json finish_records();

private:
    struct Pending {
        Pending(std::string p, std::shared_ptr<std::byte[]> m, std::size_t b, std::function<Json(std::span<const std::byte>)> c)
            : port(std::move(p)), memory(std::move(m)), bytes(b), convert(std::move(c)) {}
        std::string port;
        std::shared_ptr<std::byte[]> memory;
        std::size_t bytes;
        std::function<Json(std::span<const std::byte>)> convert;
    };
    struct Chained {
        std::string stage;
        host::Event first;
        int calls = 0, commands = 0;       ///< launches, and what they were enqueued by
        bool last = false;                 ///< the next command ends it
    };
    void check_cancelled(std::string_view stage) const;
    void launch_now(host::Launch);
    std::vector<host::Event> enqueue_each(const LaunchChain&);
    void replay(const KnownChain&, host::Recording&);
    /// One command of a stage, timed by itself or as part of a chain. `enqueue` is told whether an event is wanted.
    template <class Enqueue>
    void add_command(std::string_view stage, int calls, const Enqueue& enqueue);
    /// Adds what is chained to the report.
    void end_chain();
    void add_chain(const Chained&, host::Event last, int more);
    /// Adds a command to the report; with keep_pace() waits until few are queued.
    void follow(std::string_view stage, StageKind, host::Event, int calls = 1);

    host::Queue& queue_;
    Profiler& profiler_;
    std::span<const host::Buffer> workspace_;
    RecordMemory record_memory_;
    std::function<bool()> cancelled_;
    Recordings* recordings_ = nullptr;
    Replay replay_ = Replay::one_stage;
    LaunchChain collected_;
    bool chaining_ = false;
    std::size_t chain_depth_ = 0;          ///< of scopes: launches in further ones go by themselves
    Chained chain_;                        ///< what is not in the report yet
    bool paced_ = false;
    std::deque<host::Event> queued_;       ///< paced: the latest commands
    std::size_t most_queued_ = 2;          ///< more for commands that are short
    std::vector<std::unique_ptr<Pending>> pending_;
    std::vector<host::Event> tasks_;
};

class Plan {
public:
    virtual ~Plan() = default;
    /// Enqueues everything; must not build, allocate or wait.
    virtual void enqueue(Execution&, const Bindings&) = 0;
    /// For a problem with `slab`, of variants with `slabs`: how often the input has to come.
    virtual int slab_passes() const { return 1; }
    /// The work of pass 0, 1 ... on `count` slices of the input, from `first` on, that lie densely in `slices`. Calls go through
    /// the input in order, once a pass; then enqueue() does what remains, without the input. May wait between passes only.
    virtual void enqueue_slab(Execution&, const host::Buffer& /*slices*/, int /*pass*/, std::int64_t /*first*/,
                              std::int64_t /*count*/) {}
    /// Values of the fields that are marked runtime(), for the next enqueue(). Must not build, allocate or wait: what is enqueued
    /// already goes on with those of before.
    virtual void update(const Parameters&) {}
};

}  // namespace parallax::engine
