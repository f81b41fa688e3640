// A timeline of who did what when, as chrome://tracing and ui.perfetto.dev show it.
#pragma once

#include "core/profiler.hpp"
#include "parallax/host/device.hpp"
#include "parallax/host/json.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace parallax::engine::series {

/// Host steps by their own clock. Commands of a device carry times of the device's clock, a different zero for each queue; they
/// are put on the host's by what must hold: no command starts before it was enqueued.
class Trace {
public:
    /// Not wanted: add() does nothing.
    explicit Trace(bool wanted) : wanted_(wanted) {}

    struct Who {
        int belt = 0, reader = 0, writer = 0;
        host::Backend backend = host::Backend::native;
    };
    /// Takes what one item's profiler has collected. All events are complete.
    void add(const std::string& item, const Profiler&, const Who&);
    void name_device(int belt, const std::string& name);
    /// {"traceEvents": [...]}.
    Json to_json() const;

private:
    struct Span {
        std::string name, item;
        int belt = 0, row = 0;
        StageKind kind = StageKind::host;
        std::int64_t start = 0, end = 0;       ///< nanoseconds; of the device's clock for its commands
        std::int64_t enqueued = 0;             ///< of the host's clock
        std::int64_t queued = 0;               ///< of the device's
        bool device = false, same_clock = false;
    };
    bool wanted_;
    mutable std::mutex mutex_;
    std::vector<Span> spans_;
    std::vector<std::string> devices_;
};

}  // namespace parallax::engine::series
