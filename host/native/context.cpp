#include "native/context.hpp"

#include "native/memory.hpp"
#include "native/queue.hpp"
#include "parallax/host/error.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

namespace parallax::host::native {
namespace {

class NativePinned final : public PinnedMemory {
public:
    explicit NativePinned(std::shared_ptr<BufferStorage> storage) : storage_(std::move(storage)) {}
    std::span<std::byte> bytes() noexcept override { return {storage_->host_pointer(), storage_->bytes()}; }

private:
    std::shared_ptr<BufferStorage> storage_;
};

}  // namespace

NativeContext::NativeContext(DeviceInfo info) : info_(std::move(info)), usage_(std::make_shared<std::atomic<std::uint64_t>>(0)) {
    capabilities_.fp64 = true;
    capabilities_.int64_atomics = true;
    capabilities_.event_times = true;
}

std::unique_ptr<Queue> NativeContext::create_queue(const QueueOptions& options) {
    return std::make_unique<NativeQueue>(options.profiled);
}

Buffer NativeContext::allocate_now(std::size_t bytes) {
    // Linux hands out more than there is and kills the process later: refuse with the numbers instead.
    const std::uint64_t used = *usage_;
    if (info_.global_memory != 0 && (bytes > info_.global_memory || used > info_.global_memory - bytes))
        throw DeviceError("allocation", 0, "", fmt::format("allocate {}", human_bytes(bytes)),
                          fmt::format("this machine has {} of memory, {} are in use already; use smaller tiles",
                                      human_bytes(info_.global_memory), human_bytes(used)));
    return Buffer(allocate_storage(bytes, usage_));
}

std::shared_ptr<PinnedMemory> NativeContext::allocate_pinned(std::size_t bytes) {
    // Counted apart: allocated() speaks of what allocate() handed out.
    return std::make_shared<NativePinned>(allocate_storage(bytes, std::make_shared<std::atomic<std::uint64_t>>(0)));
}

std::shared_ptr<Program> NativeContext::build(const ProgramSpec& spec) {
    throw DeviceError("build", 0, "", "build " + spec.file,
                      "the native device runs C++ variants and compiles no kernels; choose an OpenCL device or a native variant");
}

}  // namespace parallax::host::native
