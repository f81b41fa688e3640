// What a run may cost, enforced in this process: for jobs of strangers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace parallax::cli {

struct Limits {
    std::optional<std::uint64_t> memory;   ///< bytes of this process
    std::optional<std::uint64_t> output;   ///< bytes of all files that it writes
    std::optional<double> seconds;

    /// "memory=2GiB,time=60s,output=1GiB". Throws ConfigError.
    static Limits from(const std::string&);
};

/// Keeps to limits from now on; those of memory and files for good.
class Enforced {
public:
    /// Throws UnsupportedError where the system cannot, and Error where it gives no thread to watch the time in.
    explicit Enforced(const Limits&);
    ~Enforced();
    Enforced(const Enforced&) = delete;
    Enforced& operator=(const Enforced&) = delete;

    /// Whether there is a limit on time.
    bool has_time() const noexcept { return seconds_ > 0; }
    /// Work is to end. What does not hear of it within some seconds is ended with the process.
    bool time_is_up() const noexcept { return up_; }
    /// Runs `work`; what it throws because time is up is told as that.
    template <class Work>
    auto told(const Work& work) const;
    [[noreturn]] void tell_time() const;

private:
    void start_watch(double seconds);
    void watch();
    double seconds_ = 0;
    std::atomic<bool> up_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::thread watcher_;
};

template <class Work>
auto Enforced::told(const Work& work) const {
    try {
        return work();
    } catch (...) {
        if (time_is_up()) tell_time();
        throw;
    }
}

}  // namespace parallax::cli
