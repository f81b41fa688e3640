#include "cuda/native.hpp"

#include "cuda/buffer.hpp"
#include "cuda/context.hpp"
#include "cuda/queue.hpp"
#include "parallax/host/error.hpp"

namespace parallax::host::cuda {

CUcontext context_handle(Context& context) {
    const auto* own = dynamic_cast<CudaContext*>(&context);
    return own != nullptr ? own->primary()->handle() : nullptr;
}

CUstream stream_handle(Queue& queue) {
    const auto* own = dynamic_cast<CudaQueue*>(&queue);
    return own != nullptr ? own->handle() : nullptr;
}

CUdeviceptr memory_handle(const Buffer& buffer) {
    const auto* own = dynamic_cast<const CudaBuffer*>(buffer.storage());
    return own != nullptr ? own->address() : 0;
}

Event enqueue(Queue& queue, std::string_view step, const std::function<void(CUstream)>& work) {
    auto* own = dynamic_cast<CudaQueue*>(&queue);
    if (own == nullptr) throw DeviceError("enqueue", 0, "", std::string(step), "the queue is not of a CUDA device");
    return own->enqueue(step, work);
}

}  // namespace parallax::host::cuda
