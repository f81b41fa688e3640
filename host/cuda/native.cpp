#include "cuda/native.hpp"

#include "cuda/buffer.hpp"
#include "cuda/context.hpp"
#include "cuda/info.hpp"
#include "cuda/queue.hpp"
#include "parallax/host/error.hpp"

namespace parallax::host::cuda {
namespace {

const std::shared_ptr<const PrimaryContext>& primary_of(Context& context) {
    const auto* own = dynamic_cast<CudaContext*>(&context);
    if (own == nullptr) throw DeviceError("context", 0, "", "ask for the primary context", "the context is not of a CUDA device");
    return own->primary();
}

}  // namespace

CUcontext context_handle(Context& context) {
    const auto* own = dynamic_cast<CudaContext*>(&context);
    return own != nullptr ? own->primary()->handle() : nullptr;
}

CUdeviceptr memory_handle(const Buffer& buffer) {
    const auto* own = dynamic_cast<const CudaBuffer*>(buffer.storage());
    return own != nullptr ? own->address() : 0;
}

int device_number(Context& context) { return static_cast<int>(primary_of(context)->device()); }

int device_attribute(Context& context, CUdevice_attribute attribute) {
    const auto& primary = primary_of(context);
    return device_value(primary->driver(), primary->device(), attribute, 0);
}

ContextHold::ContextHold(Context& context) : primary_(primary_of(context)) {}

void ContextHold::run(const std::function<void()>& work) const noexcept {
    if (const Current current = primary_->current_or_gone()) work();
}

Event enqueue(Queue& queue, std::string_view step, const std::function<void(CUstream)>& work) {
    auto* own = dynamic_cast<CudaQueue*>(&queue);
    if (own == nullptr) throw DeviceError("enqueue", 0, "", std::string(step), "the queue is not of a CUDA device");
    return own->enqueue(step, work);
}

}  // namespace parallax::host::cuda
