// Times of stages, kept apart by kind. Events are collected while commands are enqueued and read once they are done.
#pragma once

#include "parallax/host/event.hpp"
#include "parallax/host/json.hpp"

#include <chrono>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::engine {

enum class StageKind { host, compile, upload, kernel, download };
std::string_view to_string(StageKind) noexcept;

/// A node of the report. A parent's seconds are the sum of its children's.
struct Stage {
    std::string name;
    StageKind kind = StageKind::kernel;
    double seconds = 0;
    int calls = 0;
    bool measured = true;            ///< false: the driver gave no times for some of it
    std::vector<Stage> children;

    Json to_json() const;
};

/// Adds up what has the same name below the same parent.
void merge(std::vector<Stage>& into, const std::vector<Stage>& more);

class Profiler {
public:
    void enter(std::string_view name);
    void leave();
    std::size_t depth() const noexcept { return path_.size(); }
    const std::vector<std::string>& path() const noexcept { return path_; }
    /// calls: commands that the event stands for.
    void add(std::string_view name, StageKind, host::Event, int calls = 1);
    /// The same below `path`, wherever one is now.
    void add(std::vector<std::string> path, std::string_view name, StageKind, host::Event, int calls = 1);
    void add(std::string_view name, StageKind, double seconds);

    /// One command or host step, for timelines. `at` is when it was enqueued, or when the host step ended.
    struct Entry {
        std::vector<std::string> path;
        StageKind kind;
        host::Event event;
        double seconds;                  ///< where there is no event
        std::chrono::steady_clock::time_point at;
        int calls = 1;
    };
    const std::vector<Entry>& entries() const noexcept { return entries_; }

    /// Reads the events (all must be complete) and sums calls of the same name within the same parent.
    std::vector<Stage> collect();
    void clear();

private:
    std::vector<std::string> path_;
    std::vector<Entry> entries_;
};

/// Wall time of a host step from construction to destruction.
class HostTimer {
public:
    HostTimer(Profiler& profiler, std::string name, StageKind kind = StageKind::host)
        : profiler_(profiler), name_(std::move(name)), kind_(kind), start_(std::chrono::steady_clock::now()) {}
    ~HostTimer() {
        try {
            profiler_.add(name_, kind_, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
        } catch (const std::bad_alloc&) {   // it stays untimed
        }
    }
    HostTimer(const HostTimer&) = delete;
    HostTimer& operator=(const HostTimer&) = delete;

private:
    Profiler& profiler_;
    std::string name_;
    StageKind kind_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace parallax::engine
