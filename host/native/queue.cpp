#include "native/queue.hpp"

#include "parallax/host/error.hpp"
#include "support/float_environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace parallax::host::native {
namespace {

std::uint64_t now() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

std::byte* range(const Buffer& buffer, std::size_t offset, std::size_t bytes, const char* call, std::string_view step) {
    if (!buffer) throw DeviceError(call, 0, "", std::string(step), "the buffer is empty");
    if (buffer.host_pointer() == nullptr)
        throw DeviceError(call, 0, "", std::string(step), "the buffer belongs to another device");
    if (offset > buffer.bytes() || bytes > buffer.bytes() - offset)
        throw DeviceError(
            call, 0, "", std::string(step),
            fmt::format("{} bytes at offset {} do not lie within the buffer's {} bytes", bytes, offset, buffer.bytes()));
    return buffer.host_pointer() + offset;
}

/// A command's end.
class Ending final : public EventState {
public:
    explicit Ending(bool profiled) : profiled_(profiled) { times_.queued = times_.submitted = now(); }
    void wait() override {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return over_; });
        if (problem_) std::rethrow_exception(problem_);
    }
    bool complete() const override {
        const std::lock_guard lock(mutex_);
        return over_;
    }
    std::optional<EventTimes> times() const override {
        const std::lock_guard lock(mutex_);
        return over_ && profiled_ ? std::optional(times_) : std::nullopt;
    }
    void reach(std::uint64_t started, std::exception_ptr problem) {
        const std::lock_guard lock(mutex_);
        times_.started = started;
        times_.ended = now();
        problem_ = std::move(problem);
        over_ = true;
        changed_.notify_all();
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    EventTimes times_;
    bool profiled_, over_ = false;
    std::exception_ptr problem_;
};

}  // namespace

/// The thread, which is made when there is the first task. Commands come from one thread at a time.
class NativeQueue::Worker {
public:
    explicit Worker(bool profiled) : profiled_(profiled) {}
    ~Worker() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
    }

    struct Command {
        std::function<void()> work;
        bool ends_call = false;
        std::shared_ptr<Ending> ending = {};
    };

    /// `here`: by the caller, where nothing is before it.
    Event put(Command command, bool here) {
        command.ending = std::make_shared<Ending>(profiled_);
        Event event(command.ending);
        std::unique_lock lock(mutex_);
        const bool is_first = !busy_ && commands_.empty();
        if ((here && is_first) || (!thread_.joinable() && !start())) {   // without a thread there has been nothing before it
            lock.unlock();
            run(command);
            return event;
        }
        commands_.push_back(std::move(command));
        lock.unlock();
        changed_.notify_all();
        return event;
    }

    /// Waits for all, and ends the call at hand. Asks for no memory: so ends what stopped where there was none.
    void finish() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !busy_ && commands_.empty(); });
        const std::exception_ptr problem = std::exchange(problem_, nullptr);
        lock.unlock();
        if (problem) std::rethrow_exception(problem);
    }

private:
    /// False where the system gives no thread.
    bool start() {
        try {
            thread_ = std::thread([this] { serve(); });
        } catch (const std::system_error&) {
            return false;
        }
        return true;
    }

    void serve() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return closed_ || !commands_.empty(); });
            if (commands_.empty()) return;
            busy_ = true;
            {
                Command command = std::move(commands_.front());
                commands_.pop_front();
                lock.unlock();
                run(command);
            }   // what it holds goes before the lock is taken again
            lock.lock();
            busy_ = false;
            if (commands_.empty()) changed_.notify_all();
        }
    }

    /// By one thread at a time.
    void run(Command& command) {
        const FloatEnvironment ours;   // its own thread's, or the caller's where there is none
        const std::uint64_t started = now();
        if (!problem_) {
            try {
                if (command.work) command.work();
            } catch (...) {
                problem_ = std::current_exception();
            }
        }
        command.work = nullptr;   // before others hear of the end: they may want its memory to have gone
        std::exception_ptr problem = problem_;
        if (command.ends_call) problem_ = nullptr;
        command.ending->reach(started, std::move(problem));
    }

    bool profiled_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Command> commands_;
    bool busy_ = false, closed_ = false;
    std::exception_ptr problem_;   ///< of the call at hand
    std::thread thread_;
};

NativeQueue::NativeQueue(bool profiled) : worker_(std::make_unique<Worker>(profiled)) {}
NativeQueue::~NativeQueue() = default;

Event NativeQueue::transfer(std::function<void()> work) { return worker_->put({std::move(work)}, true); }

Event NativeQueue::launch(const Launch& launch) {
    throw DeviceError("launch", 0, "", launch.step.empty() ? launch.kernel.name() : std::string(launch.step),
                      "the native device runs C++ variants and no kernels; use host_task()");
}

Event NativeQueue::write(const Buffer& buffer, std::size_t offset, const void* data, std::size_t bytes, std::string_view step) {
    std::byte* const to = range(buffer, offset, bytes, "write", step);
    return transfer([buffer, to, data, bytes] { if (bytes != 0) std::memcpy(to, data, bytes); });
}

Event NativeQueue::read(const Buffer& buffer, std::size_t offset, void* data, std::size_t bytes, std::string_view step) {
    const std::byte* const from = range(buffer, offset, bytes, "read", step);
    return transfer([buffer, from, data, bytes] { if (bytes != 0) std::memcpy(data, from, bytes); });
}

Event NativeQueue::copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset, std::size_t bytes,
                        std::string_view step) {
    const std::byte* const source = range(from, from_offset, bytes, "copy", step);
    std::byte* const target = range(to, to_offset, bytes, "copy", step);
    const std::less<> before;
    if (bytes != 0 && before(source, target + bytes) && before(static_cast<const std::byte*>(target), source + bytes))
        throw DeviceError("copy", 0, "", std::string(step), "source and target overlap");
    return transfer([from, to, source, target, bytes] { if (bytes != 0) std::memcpy(target, source, bytes); });
}

Event NativeQueue::host_task(const std::function<void()>& task, std::string_view) { return worker_->put({task}, false); }

Event NativeQueue::barrier(std::span<const Event> wait, std::string_view) {
    if (wait.empty()) return worker_->put({{}, true}, true);
    const auto waiting = [events = std::vector<Event>(wait.begin(), wait.end())] {
        for (const Event& event : events) event.wait();
    };
    const bool none_is_left = std::all_of(wait.begin(), wait.end(), [](const Event& event) { return event.complete(); });
    return worker_->put({waiting}, none_is_left);
}

void NativeQueue::finish(std::string_view) { worker_->finish(); }

}  // namespace parallax::host::native
