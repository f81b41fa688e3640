#pragma once

#include "parallax/host/context.hpp"

#include <atomic>

namespace parallax::host::native {

/// Bytes in use; outlives the context as long as a buffer does.
using Usage = std::shared_ptr<std::atomic<std::uint64_t>>;

class NativeContext final : public Context {
public:
    explicit NativeContext(DeviceInfo info);
    const DeviceInfo& info() const noexcept override { return info_; }
    const Capabilities& capabilities() override { return capabilities_; }
    std::unique_ptr<Queue> create_queue(const QueueOptions&) override;
    std::shared_ptr<PinnedMemory> allocate_pinned(std::size_t bytes) override;
    std::shared_ptr<Program> build(const ProgramSpec&) override;
    std::uint64_t allocated() const noexcept override { return usage_->load(); }

private:
    Buffer allocate_now(std::size_t bytes) override;
    DeviceInfo info_;
    Capabilities capabilities_;
    Usage usage_;
};

}  // namespace parallax::host::native
