#pragma once

#include "parallax/host/queue.hpp"

namespace parallax::host::native {

/// Every command is done when its call returns.
class NativeQueue final : public Queue {
public:
    explicit NativeQueue(bool profiled) : profiled_(profiled) {}
    Event launch(const Launch&) override;
    Event write(const Buffer&, std::size_t offset, const void* data, std::size_t bytes, std::string_view step) override;
    Event read(const Buffer&, std::size_t offset, void* data, std::size_t bytes, std::string_view step) override;
    Event copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset, std::size_t bytes,
               std::string_view step) override;
    Event host_task(const std::function<void()>& task, std::string_view step) override;
    Event barrier(std::span<const Event> wait, std::string_view step) override;
    void flush() override {}
    void set_limit(std::chrono::duration<double>) override {}
    void finish(std::string_view) override {}

private:
    template <class Work>
    Event timed(Work&&) const;
    bool profiled_;
};

}  // namespace parallax::host::native
