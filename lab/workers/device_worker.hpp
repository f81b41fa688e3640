// The worker process of one device, as the study sees it: requests go out, answers come back, and a process that dies or does not
// answer becomes an exception here and a fresh process with the next request.
#pragma once

#include "support/child.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/json.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace parallax::engine::compare {

/// The worker is no more. `outcome` is "crashed" or "hung".
class WorkerLost : public Error {
public:
    WorkerLost(std::string what_happened, const std::string& message, bool others = false)
        : Error(message), outcome(std::move(what_happened)), by_others(others) {}
    std::string outcome;
    bool by_others;   ///< host::Child::was_killed(), or it was not run at all: it says nothing of what was asked
};

struct WorkerOptions {
    std::vector<std::string> command;                               ///< program and arguments
    std::vector<std::pair<std::string, std::string>> environment;
    std::filesystem::path messages;                                 ///< where its standard error goes
    std::string cache;                                              ///< folder of compiled programs; empty: the user's
    bool quick = false;
    std::function<bool()> cancelled{};                              ///< asked while an answer is waited for; true ends the worker
    bool roofs = false;                                             ///< rates are more than copy, transfers and f32
};

class DeviceWorker {
public:
    DeviceWorker(Json device, WorkerOptions);

    /// Answers "open": what the device is, and its rates. Throws like ask().
    Json open(double limit_s, bool rates);
    /// Throws WorkerLost, and CancelledError; {"error": ...} is an answer like any other. A worker that has been lost is started
    /// anew first.
    Json ask(const Json& request, double limit_s);
    /// How many processes there have been: what one of them was told the next does not know.
    int starts() const noexcept { return starts_; }
    bool is_open() const noexcept { return child_ != nullptr; }
    /// Three losses one after another: it is not started again.
    bool given_up() const noexcept { return losses_ >= 3; }
    /// The last loss was no fault of its own: it was asked for more than there was time for.
    void excuse() noexcept { losses_ = 0; }
    /// Lets it go; a later request starts another.
    void close();

private:
    Json exchange(const Json& request, double limit_s);
    std::string last_message() const;

    Json device_;
    WorkerOptions options_;
    std::unique_ptr<host::Child> child_;
    int losses_ = 0, starts_ = 0;
};

}  // namespace parallax::engine::compare
