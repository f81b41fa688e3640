// Python's lock and the library's threads: callbacks, work without the lock, Ctrl-C.
#pragma once

#include "text.hpp"

#include <parallax/parallax.hpp>

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

namespace parallax::python {

namespace nb = nanobind;

/// Threads of the library that use Python. Before the interpreter ends it waits for them and lets nobody in any more: a thread
/// that asks an interpreter which is ending for its lock is ended by it, in the midst of C++.
class Visits {
public:
    /// Runs `work` with the interpreter's lock, unless the interpreter is ending.
    template <class Work>
    void visit(const Work& work) {
        {
            const std::lock_guard lock(mutex_);
            if (closed_) return;
            ++inside_;
        }
        const Leaver leaver{*this};
        const nb::gil_scoped_acquire gil;
        work();
    }
    void close() {
        const nb::gil_scoped_release released;
        std::unique_lock lock(mutex_);
        closed_ = true;
        empty_.wait(lock, [this] { return inside_ == 0; });
    }

private:
    struct Leaver {
        Visits& visits;
        ~Leaver() {
            const std::lock_guard lock(visits.mutex_);
            if (--visits.inside_ == 0) visits.empty_.notify_all();
        }
    };

    std::mutex mutex_;
    std::condition_variable empty_;
    int inside_ = 0;
    bool closed_ = false;
};

inline Visits*& visits_of_this_process() {
    static Visits* all = new Visits;   // for ever: threads may end after everything else
    return all;
}
inline Visits& visits() { return *visits_of_this_process(); }

inline nb::object for_python(const std::string& value) { return text(value); }
template <class T>
const T& for_python(const T& value) {
    return value;
}

/// A Python function that C++ may call, copy and drop in any thread.
template <class... Args>
std::function<void(Args...)> callback(nb::object function) {
    if (function.is_none()) return {};
    auto held = std::shared_ptr<nb::object>(new nb::object(std::move(function)), [](nb::object* object) {
        visits().visit([&] { delete object; });
    });
    return [held](Args... args) {
        visits().visit([&] {
            try {
                (*held)(for_python(args)...);
            } catch (nb::python_error& error) {   // must not pass through the library: Python prints it
                error.discard_as_unraisable("a callback of parallax");
            }
        });
    };
}

/// Takes the interpreter's lock again. One that is ending ends the thread instead (before Python 3.14, which lets it wait), by
/// unwinding its frames, and nanobind's let nothing pass: such a thread, a daemon's, stays here until the process has ended.
inline void take_lock_again(PyThreadState* state) noexcept {
    try {
        PyEval_RestoreThread(state);
    } catch (...) {   // no exception, and never left
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
}

/// Without the interpreter's lock while it lives.
class LockReleased {
public:
    LockReleased() : state_(PyEval_SaveThread()) {}
    ~LockReleased() { take_lock_again(state_); }
    LockReleased(const LockReleased&) = delete;
    LockReleased& operator=(const LockReleased&) = delete;

private:
    PyThreadState* state_;
};

/// What Python holds of the library: it goes without the interpreter's lock. Destructors wait, for commands, for a thread, for a
/// lock, and whoever they wait for may be in a callback that wants that lock.
struct LockAfterwards {
    PyThreadState* state = nullptr;
    ~LockAfterwards() {
        if (state) take_lock_again(state);
    }
};
/// How often this process is a child of fork. What was opened before has no threads in it and would wait for them for ever: it is
/// dropped as it is, and its memory goes with the process.
inline unsigned forks = 0;

/// In the child: threads that were inside have not come along.
inline void after_fork() {
    ++forks;
    visits_of_this_process() = new Visits;
}

template <class T>
struct Unlocked : private LockAfterwards, T {
    Unlocked(T&& value) : T(std::move(value)) {}
    Unlocked(Unlocked&& other) noexcept : T(std::move(other)), born(other.born) {}
    ~Unlocked() {
        if (born != forks)
            new T(std::move(static_cast<T&>(*this)));   // for ever
        else if (PyGILState_Check())
            state = PyEval_SaveThread();   // until T, and then LockAfterwards, have been destroyed
    }
    unsigned born = forks;
};
using PyEngine = Unlocked<Engine>;
using PySession = Unlocked<Session>;
using PyArray = Unlocked<Array>;
using PyEvent = Unlocked<Event>;
using PyResult = Unlocked<Result>;

/// Runs `work` without the interpreter's lock: whatever takes a lock of the library, enqueues or waits.
template <class Work>
auto unlocked(const Work& work) {
    const LockReleased released;
    return work();
}

inline unsigned long main_thread = 0;   ///< as threading.main_thread().ident: Python hears of Ctrl-C there alone

/// Runs `work` in a thread of its own and hears of Ctrl-C meanwhile: `stop` is then called, and `work`, which should end soon, is
/// waited for before KeyboardInterrupt is raised. `stop` empty: it is left to itself, and must hold what it uses.
template <class Work>
auto interruptible(Work work, const std::function<void()>& stop) {
    using Value = decltype(work());
    if (PyThread_get_thread_ident() != main_thread) return unlocked(work);
    struct State {
        explicit State(Work w) : task(std::move(w)), value(task.get_future()) {}
        std::packaged_task<Value()> task;
        std::future<Value> value;
    };
    const auto state = std::make_shared<State>(std::move(work));
    std::thread([state] { state->task(); }).detach();
    for (;;) {
        const bool over =
            unlocked([&] { return state->value.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready; });
        if (over) return state->value.get();
        if (PyErr_CheckSignals() == 0) continue;
        nb::python_error interrupt;   // takes what has been set
        if (stop) {
            stop();
            unlocked([&] { state->value.wait(); });
        }
        throw interrupt;
    }
}

inline std::function<void()> stop_by(const CancelToken& cancel) {
    return [cancel] { cancel.cancel(); };
}

}   // namespace parallax::python
