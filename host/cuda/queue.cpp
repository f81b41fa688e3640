#include "cuda/queue.hpp"

#include "cuda/buffer.hpp"
#include "cuda/context.hpp"
#include "cuda/graph.hpp"
#include "cuda/launch.hpp"
#include "parallax/host/error.hpp"
#include "watchdog.hpp"

#include <fmt/format.h>

namespace parallax::host::cuda {
namespace {

// A float of up to 2000 ms resolves 120 ns, less than CUDA's timer does.
constexpr std::chrono::seconds origin_lifetime{2};

}  // namespace

CudaQueue::CudaQueue(std::shared_ptr<CudaContext> context, bool profiled) : context_(std::move(context)), profiled_(profiled) {
    const std::string step = "open a queue on " + context_->info().name;
    const Current current = context_->current(step);
    check(context_->driver(), context_->driver().stream_create(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate", step);
}

CudaQueue::CudaQueue(std::shared_ptr<CudaContext> context, CUstream borrowed)
    : context_(std::move(context)), profiled_(true), borrowed_(true), stream_(borrowed) {}

CudaQueue::~CudaQueue() {
    if (borrowed_) return;   // the stream may be gone; whoever handed memory to it has waited for the events
    const Current current = context_->current_or_gone();
    if (!current) return;
    context_->driver().stream_synchronize(stream_);   // transfers still under way use the caller's memory, which may go next
    context_->driver().stream_destroy(stream_);
}

CUdeviceptr CudaQueue::range(const Buffer& buffer, std::size_t offset, std::size_t bytes, const char* call,
                             std::string_view step) const {
    const Driver& driver = context_->driver();
    if (!buffer) fail(driver, call, CUDA_ERROR_INVALID_VALUE, step, "the buffer is empty");
    const auto* storage = dynamic_cast<const CudaBuffer*>(buffer.storage());
    if (storage == nullptr || &storage->context() != context_.get())
        fail(driver, call, CUDA_ERROR_INVALID_CONTEXT, step, "the buffer belongs to another device or context");
    if (offset > storage->bytes() || bytes > storage->bytes() - offset)
        fail(driver, call, CUDA_ERROR_INVALID_VALUE, step,
             fmt::format("{} bytes at offset {} do not lie within the buffer's {} bytes", bytes, offset, storage->bytes()));
    return storage->address() + offset;
}

std::shared_ptr<Origin> CudaQueue::current_origin(std::string_view step) {
    const auto now = std::chrono::steady_clock::now();
    if (!origin_ || now - origin_age_ > origin_lifetime) {
        auto handle = std::make_unique<EventHandle>(context_, true, step);
        handle->record(stream_, step);
        if (origin_) origin_->nanoseconds();   // adds up what is known, so that origins do not pile up
        origin_ = std::make_shared<Origin>(std::move(handle), origin_);
        origin_age_ = now;
    }
    return origin_;
}

Event CudaQueue::enqueue(std::string_view step, const std::function<void(CUstream)>& work) {
    const Current current = context_->current(step);
    std::shared_ptr<Origin> origin;
    std::unique_ptr<EventHandle> start;
    auto end = std::make_unique<EventHandle>(context_, profiled_, step);
    if (profiled_) {
        origin = current_origin(step);
        start = std::make_unique<EventHandle>(context_, true, step);
        start->record(stream_, step);
    }
    work(stream_);
    end->record(stream_, step);
    Event event(std::make_shared<CudaEvent>(std::move(start), std::move(end), std::move(origin), step, limit_));
    if (borrowed_) last_ = event;
    return event;
}

Event CudaQueue::enqueue_if_wanted(bool event, std::string_view step, const std::function<void(CUstream)>& work) {
    if (event || borrowed_) return enqueue(step, work);
    const Current current = context_->current(step);
    work(stream_);
    return {};
}

void CudaQueue::wait_for(std::span<const Event> events, std::string_view step) {
    for (const Event& event : events) {
        if (!event) continue;
        if (const auto* state = dynamic_cast<const CudaEvent*>(event.state()))
            check(context_->driver(), context_->driver().stream_wait_event(stream_, state->handle(), 0), "cuStreamWaitEvent",
                  step);
        else
            event.wait();
    }
}

Event CudaQueue::launch(const Launch& launch) {
    PreparedLaunch prepared = prepare(launch, *context_);
    if (prepared.empty && launch.wait.empty()) return finished_event();
    {
        const Current current = context_->current(prepared.step);
        wait_for(launch.wait, prepared.step);
    }
    const auto start = [&](CUstream stream) {
        if (prepared.empty) return;   // commands after this one still come after what it would have waited for
        const CUresult status = context_->driver().launch_kernel(
            prepared.kernel, prepared.groups[0], prepared.groups[1], prepared.groups[2], prepared.local[0], prepared.local[1],
            prepared.local[2], 0, stream, prepared.arguments.data(), nullptr);
        if (status != CUDA_SUCCESS) fail_launch(launch, *context_, status);
    };
    return enqueue_if_wanted(launch.event, prepared.step, start);
}

std::unique_ptr<Recording> CudaQueue::record(std::span<const Launch> launches) { return make_graph(context_, launches); }

Event CudaQueue::replay(Recording& recording, std::string_view step, bool event) {
    auto& graph = dynamic_cast<Graph&>(recording);
    return enqueue_if_wanted(event, step, [&](CUstream stream) { graph.launch(stream, step); });
}

Event CudaQueue::write(const Buffer& buffer, std::size_t offset, const void* data, std::size_t bytes, std::string_view step) {
    const CUdeviceptr to = range(buffer, offset, bytes, "cuMemcpyHtoDAsync", step);
    if (bytes == 0) return finished_event();
    return enqueue(step, [&](CUstream stream) {
        check(context_->driver(), context_->driver().memcpy_htod_async(to, data, bytes, stream), "cuMemcpyHtoDAsync", step);
    });
}

Event CudaQueue::read(const Buffer& buffer, std::size_t offset, void* data, std::size_t bytes, std::string_view step) {
    const CUdeviceptr from = range(buffer, offset, bytes, "cuMemcpyDtoHAsync", step);
    if (bytes == 0) return finished_event();
    return enqueue(step, [&](CUstream stream) {
        check(context_->driver(), context_->driver().memcpy_dtoh_async(data, from, bytes, stream), "cuMemcpyDtoHAsync", step);
    });
}

Event CudaQueue::copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset, std::size_t bytes,
                      std::string_view step) {
    const CUdeviceptr source = range(from, from_offset, bytes, "cuMemcpyDtoDAsync", step);
    const CUdeviceptr target = range(to, to_offset, bytes, "cuMemcpyDtoDAsync", step);
    if (bytes == 0) return finished_event();
    if (source < target + bytes && target < source + bytes)
        fail(context_->driver(), "cuMemcpyDtoDAsync", CUDA_ERROR_INVALID_VALUE, step, "source and target overlap");
    return enqueue(step, [&](CUstream stream) {
        check(context_->driver(), context_->driver().memcpy_dtod_async(target, source, bytes, stream), "cuMemcpyDtoDAsync", step);
    });
}

Event CudaQueue::host_task(const std::function<void()>&, std::string_view step) {
    throw DeviceError("host_task", 0, "", std::string(step),
                      fmt::format("{} runs kernels; C++ variants run on the native device", context_->info().name));
}

Event CudaQueue::barrier(std::span<const Event> wait, std::string_view step) {
    {
        const Current current = context_->current(step);
        wait_for(wait, step);
    }
    return enqueue(step, [](CUstream) {});
}

void CudaQueue::flush() {
    constexpr const char* step = "send the commands to the device";
    const Current current = context_->current(step);
    const CUresult status = context_->driver().stream_query(stream_);   // Windows collects commands until somebody asks
    if (status != CUDA_ERROR_NOT_READY) check(context_->driver(), status, "cuStreamQuery", step);
}

void CudaQueue::finish(std::string_view step) {
    if (step.empty()) step = "wait for the device";
    if (borrowed_) {   // the host application's commands behind ours are not ours to wait for
        if (last_) last_.wait();
        return;
    }
    const Current current = context_->current(step);
    const Driver& driver = context_->driver();
    if (limit_.count() <= 0) return check(driver, driver.stream_synchronize(stream_), "cuStreamSynchronize", step);
    watch(*context_, limit_, "cuStreamQuery", step, [&] {
        const CUresult status = driver.stream_query(stream_);
        if (status != CUDA_ERROR_NOT_READY) check(driver, status, "cuStreamQuery", step);
        return status == CUDA_SUCCESS;
    });
}

}  // namespace parallax::host::cuda
