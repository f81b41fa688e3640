// An end of waiting for calls that have none: MPI's own beginning and end wait for every rank, for as long as it takes.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace parallax::engine::distributed {

/// While it lives, `late` is called once after `seconds`, in a thread of its own. 0: never.
class Deadline {
public:
    Deadline(double seconds, std::function<void()> late);
    ~Deadline();
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::thread thread_;
};

}  // namespace parallax::engine::distributed
