// What an array's contents come from, so that nobody takes what a call has left that was stopped or has failed.
#pragma once

#include "api/local.hpp"
#include "parallax/host/event.hpp"

#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace parallax {

/// What never came to its end: told to whoever waits.
class PARALLAX_LOCAL Failed final : public host::EventState {
public:
    void set(std::exception_ptr problem) { problem_ = std::move(problem); }
    void wait() override { std::rethrow_exception(problem_); }
    bool complete() const override { return true; }
    std::optional<host::EventTimes> times() const override { return std::nullopt; }

private:
    std::exception_ptr problem_;
};

/// The end of the last call or transfer that writes all of an array. For several threads at once.
class PARALLAX_LOCAL Making {
public:
    void set(host::Event last) {
        const std::lock_guard lock(mutex_);
        last_ = std::move(last);
    }
    /// What has yet to end. Empty: the array is made. Throws what its making ended with.
    host::Event check() {
        const host::Event last = get();
        if (!last.ended()) return last;
        last.wait();
        set({}, last);
        return {};
    }

private:
    host::Event get() const {
        const std::lock_guard lock(mutex_);
        return last_;
    }
    void set(host::Event now, const host::Event& before) {
        const std::lock_guard lock(mutex_);
        if (last_.state() == before.state()) last_ = std::move(now);
    }

    mutable std::mutex mutex_;
    host::Event last_;
};

}  // namespace parallax
