#include "series/trace.hpp"

#include "io/io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace parallax::engine::series {

namespace {

constexpr std::size_t most_spans = 1000000;

enum Row { upload_row = 1, work_row = 2, download_row = 3, reader_rows = 100, writer_rows = 200 };

std::int64_t nanoseconds(std::chrono::steady_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace

void Trace::name_device(int belt, const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (devices_.size() <= static_cast<std::size_t>(belt)) devices_.resize(static_cast<std::size_t>(belt) + 1);
    devices_[static_cast<std::size_t>(belt)] = name;
}

void Trace::add(const std::string& item, const Profiler& profiler, const Who& who) {
    if (!wanted_) return;
    std::vector<Span> spans;
    for (const Profiler::Entry& entry : profiler.entries()) {
        Span span;
        span.item = item;
        span.belt = who.belt;
        span.kind = entry.kind;
        for (const std::string& part : entry.path) span.name += (span.name.empty() ? "" : "/") + part;
        if (entry.event) {
            const auto times = entry.event.times();
            if (!times) continue;
            span.device = true;
            span.same_clock = who.backend == host::Backend::native;
            span.start = static_cast<std::int64_t>(times->started);
            span.end = static_cast<std::int64_t>(times->ended);
            span.queued = static_cast<std::int64_t>(times->queued);
            span.enqueued = nanoseconds(entry.at);
            // Records come down on the queue of the steps.
            const bool own_queue = entry.path.front() == "upload" || entry.path.front() == "download";
            span.row = !own_queue ? work_row : entry.kind == StageKind::upload ? upload_row : download_row;
        } else {
            span.end = nanoseconds(entry.at);
            span.start = span.end - static_cast<std::int64_t>(entry.seconds * 1e9);
            const bool writing = entry.path.front() == "write";
            span.row = entry.kind == StageKind::compile ? work_row
                       : writing                        ? writer_rows + who.writer
                                                        : reader_rows + who.reader;
        }
        spans.push_back(std::move(span));
    }
    const std::lock_guard lock(mutex_);
    if (spans_.size() >= most_spans) return;
    spans_.insert(spans_.end(), std::make_move_iterator(spans.begin()), std::make_move_iterator(spans.end()));
}

Json Trace::to_json() const {
    const std::lock_guard lock(mutex_);
    // Device clock -> host clock for each queue. Where the driver tells when a command was queued (OpenCL), that moment lies
    // just before the host noted it: the smallest difference. Where it does not (CUDA), a start cannot lie before the
    // enqueueing: the largest.
    std::map<std::pair<int, int>, std::int64_t> offsets;
    for (const Span& span : spans_) {
        if (!span.device || span.same_clock) continue;
        const bool tells = span.queued < span.start;
        const std::int64_t offset = span.enqueued - (tells ? span.queued : span.start);
        const auto [known, fresh] = offsets.emplace(std::pair(span.belt, span.row), offset);
        if (!fresh) known->second = tells ? std::min(known->second, offset) : std::max(known->second, offset);
    }
    const auto begin_of = [&](const Span& span) {
        return span.start + (span.device && !span.same_clock ? offsets.at({span.belt, span.row}) : 0);
    };
    std::int64_t zero = std::numeric_limits<std::int64_t>::max();
    for (const Span& span : spans_) zero = std::min(zero, begin_of(span));

    Json events = Json::array();
    std::set<std::pair<int, int>> rows;
    for (const Span& span : spans_) {
        rows.emplace(span.belt, span.row);
        events.push_back({{"name", span.name},
                          {"cat", to_string(span.kind)},
                          {"ph", "X"},
                          {"pid", span.belt},
                          {"tid", span.row},
                          {"ts", static_cast<double>(begin_of(span) - zero) * 1e-3},
                          {"dur", static_cast<double>(span.end - span.start) * 1e-3},
                          {"args", {{"item", span.item}}}});
    }
    const auto name = [&](const char* what, int belt, int row, const std::string& text) {
        events.push_back({{"name", what}, {"ph", "M"}, {"pid", belt}, {"tid", row}, {"args", {{"name", text}}}});
    };
    for (std::size_t belt = 0; belt < devices_.size(); ++belt) name("process_name", static_cast<int>(belt), 0, devices_[belt]);
    for (const auto& [belt, row] : rows) {
        name("thread_name", belt, row,
             row == upload_row     ? "upload"
             : row == work_row     ? "steps"
             : row == download_row ? "download"
             : row >= writer_rows  ? fmt::format("writer {}", row - writer_rows + 1)
                                   : fmt::format("reader {}", row - reader_rows + 1));
        events.push_back({{"name", "thread_sort_index"},
                          {"ph", "M"},
                          {"pid", belt},
                          {"tid", row},
                          {"args",
                           {{"sort_index", row >= writer_rows   ? row
                                           : row >= reader_rows ? row - 1000
                                                                : row}}}});
    }
    return {{"parallax_series_trace", 1}, {"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
}

}  // namespace parallax::engine::series
