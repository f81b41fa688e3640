#pragma once

#include "opencl/event.hpp"
#include "parallax/host/queue.hpp"

namespace parallax::host::opencl {

class ClContext;

class ClQueue final : public Queue {
public:
    ClQueue(std::shared_ptr<ClContext>, bool profiled);
    /// Of the host application, retained. One that is out of order is not used itself: an own queue in order is tied to it
    /// at every barrier(), before and after.
    ClQueue(std::shared_ptr<ClContext>, cl_command_queue hosts, cl_command_queue_properties);
    ~ClQueue() override;
    ClQueue(const ClQueue&) = delete;
    ClQueue& operator=(const ClQueue&) = delete;

    Event launch(const Launch&) override;
    std::unique_ptr<Recording> record(std::span<const Launch>) override;
    Event replay(Recording&, std::string_view step, bool event) override;
    Event write(const Buffer&, std::size_t offset, const void* data, std::size_t bytes, std::string_view step) override;
    Event read(const Buffer&, std::size_t offset, void* data, std::size_t bytes, std::string_view step) override;
    Event copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset, std::size_t bytes,
               std::string_view step) override;
    Event host_task(const std::function<void()>& task, std::string_view step) override;
    Event barrier(std::span<const Event> wait, std::string_view step) override;
    void flush() override;
    void finish(std::string_view step) override;
    void set_limit(std::chrono::duration<double> limit) override { limit_ = limit; }

    cl_command_queue handle() const noexcept { return (*queue_)(); }
    const std::shared_ptr<ClContext>& context() const noexcept { return context_; }
    /// Takes over one reference to the event of a command of this queue.
    Event event(cl_event, std::string_view step) const;

private:
    cl_mem range(const Buffer&, std::size_t offset, std::size_t bytes, const char* call, std::string_view step) const;

    std::shared_ptr<ClContext> context_;
    SharedQueue queue_;
    std::chrono::duration<double> limit_{0};
    bool profiled_;
    bool borrowed_ = false;             ///< other commands than ours may be in it: only ours are waited for
    cl::CommandQueue tied_;             ///< the host's, where it is out of order
    mutable cl::Event last_;            ///< our last command in a borrowed queue
};

}  // namespace parallax::host::opencl
