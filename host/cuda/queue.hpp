#pragma once

#include "cuda/event.hpp"
#include "parallax/host/queue.hpp"

#include <chrono>

namespace parallax::host::cuda {

/// A stream of its own, which no other stream of the process waits for by itself.
class CudaQueue final : public Queue {
public:
    CudaQueue(std::shared_ptr<CudaContext>, bool profiled);
    /// A stream of the host application, which it keeps alive.
    CudaQueue(std::shared_ptr<CudaContext>, CUstream borrowed);
    ~CudaQueue() override;
    CudaQueue(const CudaQueue&) = delete;
    CudaQueue& operator=(const CudaQueue&) = delete;

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

    /// Enqueues what `work` enqueues on the stream, between the two events that time it.
    Event enqueue(std::string_view step, const std::function<void(CUstream)>& work);
    /// The same; without events where nobody asks for them.
    Event enqueue_if_wanted(bool event, std::string_view step, const std::function<void(CUstream)>& work);
    CUstream handle() const noexcept { return stream_; }

private:
    CUdeviceptr range(const Buffer&, std::size_t offset, std::size_t bytes, const char* call, std::string_view step) const;
    void wait_for(std::span<const Event>, std::string_view step);
    std::shared_ptr<Origin> current_origin(std::string_view step);

    std::shared_ptr<CudaContext> context_;
    bool profiled_, borrowed_ = false;
    Event last_;                         ///< our last command in a borrowed stream, which may be gone before us
    std::chrono::duration<double> limit_{0};
    CUstream stream_ = nullptr;
    std::shared_ptr<Origin> origin_;
    std::chrono::steady_clock::time_point origin_age_{};
};

}  // namespace parallax::host::cuda
