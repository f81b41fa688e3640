#pragma once

#include "cuda/current.hpp"
#include "cuda/program.hpp"
#include "health.hpp"
#include "parallax/host/context.hpp"

#include <array>
#include <atomic>

namespace parallax::host::cuda {

/// A reference to the device's primary context, the one that cuFFT and CUB work in; or the host application's context.
class PrimaryContext {
public:
    PrimaryContext(std::shared_ptr<const Driver>, CUdevice, const std::string& name);
    /// Another than the primary one, which the host application keeps alive.
    PrimaryContext(std::shared_ptr<const Driver> driver, CUcontext borrowed)
        : driver_(std::move(driver)), borrowed_(true), context_(borrowed) {}
    ~PrimaryContext();
    PrimaryContext(const PrimaryContext&) = delete;
    PrimaryContext& operator=(const PrimaryContext&) = delete;
    const Driver& driver() const noexcept { return *driver_; }
    CUcontext handle() const noexcept { return context_; }
    CUdevice device() const noexcept { return device_; }
    /// For the lifetime of what is returned, CUDA calls of this thread work on this context. `step` is for the error.
    [[nodiscard]] Current current(std::string_view step) const {
        if (health_.failed())
            fail(*driver_, "cuCtxPushCurrent", CUDA_ERROR_CONTEXT_IS_DESTROYED, step,
                 "the device was given up (" + health_.failure() + "): start the process again");
        return Current(*driver_, context_, step);
    }
    /// The same for destructors: false where the context is gone, or given up, and nothing is to be freed.
    [[nodiscard]] Current current_or_gone() const noexcept {
        return Current(*driver_, health_.abandoned() ? nullptr : context_, std::nothrow);
    }
    /// Shared by all that work in the context: CUDA's own errors stay by themselves, a watchdog's are kept here.
    Health& health() const noexcept { return health_; }

private:
    std::shared_ptr<const Driver> driver_;
    CUdevice device_ = 0;
    bool borrowed_ = false;
    CUcontext context_ = nullptr;
    mutable Health health_;
};

/// Buffers, queues, programs and events each hold a reference to their context, so that it goes last.
class CudaContext final : public Context, public std::enable_shared_from_this<CudaContext> {
public:
    CudaContext(DeviceInfo, std::shared_ptr<const PrimaryContext>, CUdevice, std::shared_ptr<const Compiler>,
                const ContextOptions&);

    const DeviceInfo& info() const noexcept override { return info_; }
    const Capabilities& capabilities() override { return capabilities_; }
    std::unique_ptr<Queue> create_queue(const QueueOptions&) override;
    std::shared_ptr<PinnedMemory> allocate_pinned(std::size_t bytes) override;
    std::shared_ptr<Program> build(const ProgramSpec&) override;
    std::uint64_t allocated() const noexcept override { return allocated_.load(); }

    const Driver& driver() const noexcept { return primary_->driver(); }
    const std::shared_ptr<const PrimaryContext>& primary() const noexcept { return primary_; }
    const Compiler& compiler() const noexcept { return *compiler_; }
    ProgramCache* cache() const noexcept { return cache_.get(); }
    /// Largest work-group and largest number of groups in each dimension.
    const std::array<std::size_t, 3>& max_local() const noexcept { return max_local_; }
    const std::array<std::size_t, 3>& max_groups() const noexcept { return max_groups_; }

    std::string failure() const override { return primary_->health().failure(); }
    void abandon(const std::string& why) override { primary_->health().abandon(why); }
    [[nodiscard]] Current current(std::string_view step) const { return primary_->current(step); }
    [[nodiscard]] Current current_or_gone() const noexcept { return primary_->current_or_gone(); }

    void add_allocated(std::uint64_t bytes) noexcept { allocated_ += bytes; }
    void remove_allocated(std::uint64_t bytes) noexcept { allocated_ -= bytes; }

private:
    Buffer allocate_now(std::size_t bytes) override;
    DeviceInfo info_;
    std::shared_ptr<const Compiler> compiler_;
    std::shared_ptr<ProgramCache> cache_;
    std::shared_ptr<const PrimaryContext> primary_;
    Capabilities capabilities_;
    std::array<std::size_t, 3> max_local_{1, 1, 1}, max_groups_{1, 1, 1};
    std::atomic<std::uint64_t> allocated_{0};
    ProgramStore programs_;
};

}  // namespace parallax::host::cuda
