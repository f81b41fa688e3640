// What the public classes hold. Shared by the files of this folder only.
#pragma once

#include "api/handover.hpp"
#include "api/local.hpp"
#include "api/making.hpp"
#include "api/order.hpp"
#include "core/session.hpp"
#include "exec/pools.hpp"
#include "job/job.hpp"
#include "registry/registry.hpp"
#include "parallax/call.hpp"
#include "parallax/engine.hpp"
#include "parallax/session.hpp"
#include "support/float_environment.hpp"

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

/// The log callback, which is nobody's concern when it fails.
using Log = std::function<void(LogLevel, const std::string&)>;

struct PARALLAX_LOCAL Engine::Impl {
    Impl(std::shared_ptr<host::Context> context, const EngineOptions& options)
        : engine(std::move(context), engine::Registry(engine::all_algorithms()), limits_of(options)), log(options.log) {}
    static engine::MemoryLimits limits_of(const EngineOptions& options) { return {options.memory_limit, options.plan_memory}; }
    void say(LogLevel, const std::string&) const noexcept;

    engine::Engine engine;
    Log log;
};

struct PARALLAX_LOCAL Event::Impl {
    host::Event event;
};

/// `layout` is what the caller says; in `array` it is dense and starts at the buffer's first byte, or is `layout` itself.
struct PARALLAX_LOCAL Array::Impl {
    std::shared_ptr<Engine::Impl> engine;   ///< keeps the device open
    DeviceArray array;
    mutable Making making = {};

    Impl(std::shared_ptr<Engine::Impl> of, DeviceArray elements) : engine(std::move(of)), array(std::move(elements)) {}
};

struct PARALLAX_LOCAL Pending::Impl {
    std::shared_ptr<Session::Impl> session;   ///< keeps queue and workspace
    std::shared_ptr<engine::Running> running;
    const engine::Algorithm* algorithm = nullptr;
    Event done;
    std::map<std::string, Array> arrays;
    std::atomic<bool> taken = false;
};

struct PARALLAX_LOCAL Session::Impl : std::enable_shared_from_this<Session::Impl> {
    explicit Impl(const Engine&);
    /// On a queue of the host application's.
    Impl(const Engine&, std::shared_ptr<host::Context>, std::unique_ptr<host::Queue>);
    ~Impl();

    engine::Engine& core() noexcept { return engine.impl()->engine; }
    host::Context& context() noexcept { return session.context(); }
    Array array(DeviceArray) const;
    /// Throws ConfigError for an array of another engine.
    const DeviceArray& own(const Array&) const;
    /// The same to read from: what `queue` gets from now on comes behind its making. Throws what its making ended with; what may yet
    /// end badly is put into `makings`.
    const DeviceArray& made(const Array&, host::Queue& queue);
    /// As kernels take it: packed on the device where it has gaps.
    DeviceArray dense(const DeviceArray&);
    /// Enqueued on the queue of the work; the memory must live until the next event of that queue.
    DeviceArray upload(const View&, std::string_view stage);
    DeviceArray take(const Input&, const std::string& name);
    DeviceArray take_for(const engine::InputSpec&, engine::NonFinite, const Input&, std::vector<std::string>& warnings);
    engine::Call resolve(const Call&);
    void read_records_to_pinned_memory();
    /// How a call's commands go to the device: at once, a few ahead of it, or so by a thread (api/handover.hpp).
    enum class Pace { at_once, few_ahead, by_thread };
    Pending submit(const Call&, Pace);
    Pending submit(const engine::Call&, const CallOptions&, Pace);
    /// What comes after a call that is with the device, or has failed on the way there.
    void note_end(const engine::Running&, const std::map<std::string, DeviceArray, std::less<>>& inputs);
    /// Runs `work`, which enqueues transfers; should it throw, they have ended before the caller hears of it, and neither what they ended
    /// with nor `makings` is the next call's.
    template <class Work>
    auto ended_on(host::Queue& queue, Work&& work) {
        try {
            return work();
        } catch (...) {
            makings.clear();
            try {
                queue.finish();
            } catch (const std::exception&) {   // the first error is the one to tell
            }
            throw;
        }
    }
    template <class Work>
    auto with_memory_of_the_caller(Work&& work) {
        return ended_on(session.queue(), std::forward<Work>(work));
    }
    /// Queues for transfers, made when they are first needed; the host application's where the session is on that.
    host::Queue& upload_queue();
    host::Queue& download_queue();

    Engine engine;
    bool borrowed;
    Turns mutex;
    engine::Session session;
    engine::HostPool records;     ///< where submitted calls read theirs
    std::unique_ptr<host::Queue> uploads, downloads;
    Order order{engine.impl()->engine.device().backend == host::Backend::native};
    std::vector<host::Event> makings;   ///< which the next call waits for, so that it fails as they do
    host::Event last;             ///< the end of what was submitted last
    /// What commands under way use, in the order of their submission: not every driver keeps it for them (rusticl 22.3).
    struct Held {
        std::shared_ptr<engine::Running> running;
        std::map<std::string, DeviceArray, std::less<>> inputs;
    };
    std::deque<Held> held;
    void let_go_of_what_has_ended();
};

/// Throws ConfigError for views without memory or with a layout that makes no sense.
void check_view(const ArrayDesc&, const void* data, const std::string& name);
/// Elements from the start of the memory to behind the last one.
std::int64_t extent_of(const ArrayDesc&) noexcept;
/// Whether memory of the first description can take the second's elements: of the same type and as many along each axis, axes of one
/// element left out; or a single row of as many. Axes may be called otherwise, but not by the same names in another order.
bool fits(const ArrayDesc& memory, const ArrayDesc& array);
std::vector<host::Event> to_host(std::span<const Event>);
Event to_public(host::Event);
/// The device that a specification names. Throws ConfigError, UnsupportedError.
std::shared_ptr<const host::Device> find_device(const std::string& spec);
host::ContextOptions context_options(const EngineOptions&);

}  // namespace parallax
