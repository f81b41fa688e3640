// Whether a context can still be trusted. The first failure counts: what comes after it is mostly its consequence.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

namespace parallax::host {

class Health {
public:
    /// Empty: sound.
    std::string failure() const {
        const std::lock_guard lock(mutex_);
        return failure_;
    }
    bool failed() const noexcept { return failed_; }
    /// Nothing of it may be waited for any more.
    bool abandoned() const noexcept { return abandoned_; }

    void fail(const std::string& why) {
        const std::lock_guard lock(mutex_);
        if (failure_.empty()) failure_ = why;
        failed_ = true;
    }
    void abandon(const std::string& why) {
        fail(why);
        abandoned_ = true;
    }

private:
    mutable std::mutex mutex_;
    std::string failure_;
    std::atomic<bool> failed_{false}, abandoned_{false};
};

}  // namespace parallax::host
