#include "native/queue.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <string>

namespace parallax::host::native {
namespace {

class DoneEvent final : public EventState {
public:
    explicit DoneEvent(std::optional<EventTimes> times) : times_(times) {}
    void wait() override {}
    bool complete() const override { return true; }
    std::optional<EventTimes> times() const override { return times_; }

private:
    std::optional<EventTimes> times_;
};

std::uint64_t now() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

std::byte* range(const Buffer& buffer, std::size_t offset, std::size_t bytes, const char* call, std::string_view step) {
    if (!buffer) throw DeviceError(call, 0, "", std::string(step), "the buffer is empty");
    if (buffer.host_pointer() == nullptr) throw DeviceError(call, 0, "", std::string(step), "the buffer belongs to another device");
    if (offset > buffer.bytes() || bytes > buffer.bytes() - offset)
        throw DeviceError(call, 0, "", std::string(step),
                          fmt::format("{} bytes at offset {} do not lie within the buffer's {} bytes", bytes, offset, buffer.bytes()));
    return buffer.host_pointer() + offset;
}

}  // namespace

template <class Work>
Event NativeQueue::timed(Work&& work) const {
    EventTimes times;
    times.queued = times.submitted = times.started = now();
    work();
    times.ended = now();
    return Event(std::make_shared<DoneEvent>(profiled_ ? std::optional(times) : std::nullopt));
}

Event NativeQueue::launch(const Launch& launch) {
    throw DeviceError("launch", 0, "", launch.step.empty() ? launch.kernel.name() : std::string(launch.step),
                      "the native device runs C++ variants and no kernels; use host_task()");
}

Event NativeQueue::write(const Buffer& buffer, std::size_t offset, const void* data, std::size_t bytes, std::string_view step) {
    std::byte* to = range(buffer, offset, bytes, "write", step);
    return timed([&] { if (bytes != 0) std::memcpy(to, data, bytes); });
}

Event NativeQueue::read(const Buffer& buffer, std::size_t offset, void* data, std::size_t bytes, std::string_view step) {
    const std::byte* from = range(buffer, offset, bytes, "read", step);
    return timed([&] { if (bytes != 0) std::memcpy(data, from, bytes); });
}

Event NativeQueue::copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset, std::size_t bytes,
                        std::string_view step) {
    const std::byte* source = range(from, from_offset, bytes, "copy", step);
    std::byte* target = range(to, to_offset, bytes, "copy", step);
    const std::less<> before;
    if (bytes != 0 && before(source, target + bytes) && before(static_cast<const std::byte*>(target), source + bytes))
        throw DeviceError("copy", 0, "", std::string(step), "source and target overlap");
    return timed([&] { if (bytes != 0) std::memcpy(target, source, bytes); });
}

Event NativeQueue::host_task(const std::function<void()>& task, std::string_view) { return timed(task); }

Event NativeQueue::barrier(std::span<const Event> wait, std::string_view) {
    return timed([&] {
        for (const Event& event : wait) event.wait();
    });
}

}  // namespace parallax::host::native
