// Commands in order on one device. A launch carries all its arguments; nothing is left set between launches.
#pragma once

#include "parallax/host/buffer.hpp"
#include "parallax/host/event.hpp"
#include "parallax/host/program.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace parallax::host {

struct NDRange {
    std::size_t x = 1, y = 1, z = 1;
    std::size_t count() const noexcept { return x * y * z; }
    bool operator==(const NDRange&) const = default;
};

/// A kernel argument: a buffer, which it holds, or a trivially copyable value of up to 16 bytes.
class Arg {
public:
    Arg(const Buffer& buffer) : buffer_(buffer) {
        const std::uint64_t number = buffer ? buffer.storage()->number() : 0;
        std::memcpy(value_.data(), &number, sizeof number);
    }
    template <class T>
        requires(std::is_trivially_copyable_v<T> && sizeof(T) <= 16 && !std::is_pointer_v<T> && !std::is_same_v<T, bool>)
    Arg(const T& value) : size_(sizeof(T)) { std::memcpy(value_.data(), &value, sizeof(T)); }

    bool is_buffer() const noexcept { return size_ == 0; }
    BufferStorage* buffer() const noexcept { return buffer_.storage(); }
    /// Holds its buffer no longer; what it is equal to stays.
    void let_go() noexcept { buffer_ = {}; }
    const void* value() const noexcept { return value_.data(); }
    std::size_t size() const noexcept { return size_; }
    /// The same value, or the same memory: not another that has its address now.
    bool operator==(const Arg& other) const noexcept { return size_ == other.size_ && value_ == other.value_; }

private:
    Buffer buffer_;
    alignas(16) std::array<std::byte, 16> value_{};   ///< of a buffer: its number
    std::size_t size_ = 0;
};

struct Launch {
    Kernel& kernel;
    NDRange groups;                 ///< number of work-groups in each dimension
    NDRange local;                  ///< work-items of a group
    std::span<const Arg> args;
    std::span<const Event> wait = {};
    std::string_view step = {};     ///< for errors: "hologram/transfer"
    /// false: nobody waits for this launch by itself, nor wants its times. An empty event comes back where a driver makes
    /// launches cheaper without one, and reports what fails by later commands, too.
    bool event = true;
};

/// A chain of launches that a driver keeps: see Queue::record().
class Recording {
public:
    virtual ~Recording() = default;
};

struct QueueOptions {
    bool profiled = true;
};

class Queue {
public:
    Queue() = default;
    virtual ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    virtual Event launch(const Launch&) = 0;
    /// Launches, to be enqueued again and again in this order by replay(), at little more than the cost of one. What their `wait`
    /// and `event` say does not count; kernels and buffers must outlive the recording. Null where the device has no such thing
    /// or refuses it: CUDA has graphs, OpenCL cl_khr_command_buffer, where a trial of it succeeds. Throws DeviceError as launch() does.
    virtual std::unique_ptr<Recording> record(std::span<const Launch>) { return nullptr; }
    /// Enqueues a recording of this queue, which must live until it is done. `event` as in Launch.
    virtual Event replay(Recording&, std::string_view step, bool event = true);
    /// Asynchronous; `data` must live until the event is complete.
    virtual Event write(const Buffer&, std::size_t offset, const void* data, std::size_t bytes, std::string_view step = {}) = 0;
    virtual Event read(const Buffer&, std::size_t offset, void* data, std::size_t bytes, std::string_view step = {}) = 0;
    virtual Event copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset, std::size_t bytes,
                       std::string_view step = {}) = 0;
    /// Runs C++ on the native device, as a stage with times of its own. DeviceError on any other.
    virtual Event host_task(const std::function<void()>& task, std::string_view step = {}) = 0;

    /// Commands after it begin once every command before it and all of `wait` are complete; so is then the event.
    virtual Event barrier(std::span<const Event> wait, std::string_view step = {}) = 0;

    virtual void flush() = 0;
    /// Waits for all commands; `step` is for the error.
    virtual void finish(std::string_view step = {}) = 0;
    /// A watchdog: from now on who waits for this queue or for its events asks the device now and then, instead of sleeping
    /// in the driver, which no one could end. When a wait has lasted `limit`, the context is abandoned and the wait throws
    /// DeviceError. 0: no limit.
    virtual void set_limit(std::chrono::duration<double> limit) = 0;

    /// Holds memory that a command uses until its event is complete, and for good where that cannot be known any more: a leak
    /// does less harm than a device that reads what has another owner.
    void keep(std::shared_ptr<const void> memory, Event until);
    /// What keep() holds for commands that have ended goes now, and not with the next keep().
    void let_go_of_what_has_ended();

private:
    std::vector<std::pair<std::shared_ptr<const void>, Event>> kept_;
};

}  // namespace parallax::host
