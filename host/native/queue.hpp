#pragma once

#include "parallax/host/queue.hpp"

#include <functional>
#include <memory>

namespace parallax::host::native {

/// Tasks run in a thread of the queue's own, one after another, so that whoever enqueues goes on meanwhile; transfers, too, while
/// tasks are before them. Where a task throws, what comes after it is left out up to the next barrier without events, which ends
/// the call, or up to finish(): the event of that barrier, or finish(), throws it again.
class NativeQueue final : public Queue {
public:
    explicit NativeQueue(bool profiled);
    /// Waits for what was enqueued.
    ~NativeQueue() override;
    Event launch(const Launch&) override;
    Event write(const Buffer&, std::size_t offset, const void* data, std::size_t bytes, std::string_view step) override;
    Event read(const Buffer&, std::size_t offset, void* data, std::size_t bytes, std::string_view step) override;
    Event copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset, std::size_t bytes,
               std::string_view step) override;
    Event host_task(const std::function<void()>& task, std::string_view step) override;
    Event barrier(std::span<const Event> wait, std::string_view step) override;
    void flush() override {}
    void set_limit(std::chrono::duration<double>) override {}
    void finish(std::string_view step) override;

private:
    class Worker;
    /// Memory that is copied, which must stay until then.
    Event transfer(std::function<void()> work);

    std::unique_ptr<Worker> worker_;
};

}  // namespace parallax::host::native
