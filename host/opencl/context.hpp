#pragma once

#include "opencl/api.hpp"
#include "health.hpp"
#include "opencl/child_build.hpp"
#include "opencl/event.hpp"
#include "opencl/program.hpp"
#include "parallax/host/context.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <optional>

namespace parallax::host::opencl {

/// Buffers, queues, programs and events each hold a reference to their context, so that it goes last.
class ClContext final : public Context, public std::enable_shared_from_this<ClContext> {
public:
    ClContext(DeviceInfo, cl_platform_id, cl_device_id, const ContextOptions&);
    /// On a context that is there; context and device are retained. One that is `borrowed` is the host application's.
    ClContext(DeviceInfo, cl_platform_id, cl_device_id, cl::Context, bool borrowed, const ContextOptions&);

    const DeviceInfo& info() const noexcept override { return info_; }
    const Capabilities& capabilities() override;
    std::unique_ptr<Queue> create_queue(const QueueOptions&) override;
    std::shared_ptr<PinnedMemory> allocate_pinned(std::size_t bytes) override;
    std::shared_ptr<Program> build(const ProgramSpec&) override;
    std::uint64_t allocated() const noexcept override { return allocated_.load(); }
    std::string failure() const override { return health_.failure(); }
    void abandon(const std::string& why) override;
    std::shared_ptr<Context> reopen() const override {
        if (borrowed_) return nullptr;
        return std::make_shared<ClContext>(info_, platform_, device_, ContextOptions{cache_});
    }

    /// Throws where the context has failed before.
    void require_sound(const char* call, std::string_view step) const;
    /// Like opencl::check(), for commands: what only a broken device answers marks the context as failed.
    void check_command(cl_int code, const char* call, std::string_view step, std::string_view hint = {});
    /// The same for waiting: commands whose end cannot be seen have failed, whatever the code.
    void check_wait(cl_int code, const char* call, std::string_view step);
    bool abandoned() const noexcept { return health_.abandoned(); }

    /// Builds text that is not one of kernels_cl (an FFT library's) through the same caches.
    std::shared_ptr<Program> build_text(const std::string& name, const std::string& text, const std::string& options);

    /// Before a kernel that a library made of such a program is launched: see first_launch.hpp.
    void meet_first_launch(cl_kernel, cl_uint dimensions, const std::size_t* global, const std::size_t* local);

    cl_context handle() const noexcept { return context_(); }
    cl_device_id device() const noexcept { return device_; }
    cl_platform_id platform() const noexcept { return platform_; }
    ProgramCache* cache() const noexcept { return cache_.get(); }
    /// Where a child finds this device.
    const DevicePlace& place() const;
    const std::array<std::size_t, 3>& max_items() const noexcept { return max_items_; }
    /// Largest global size in one dimension.
    std::uint64_t max_global() const noexcept { return max_global_; }
    void add_allocated(std::uint64_t bytes) noexcept { allocated_ += bytes; }
    void remove_allocated(std::uint64_t bytes) noexcept { allocated_ -= bytes; }
    /// For mapping pinned memory; in order. Stays the same once it is made.
    const SharedQueue& transfer_queue();

private:
    Buffer allocate_now(std::size_t bytes) override;
    void note_failure(cl_int code, const char* call, std::string_view step);

    DeviceInfo info_;
    cl_platform_id platform_;
    cl_device_id device_;
    std::shared_ptr<ProgramCache> cache_;
    std::array<std::size_t, 3> max_items_{1, 1, 1};
    std::uint64_t max_global_;
    bool rounds_correctly_ = false;                 ///< division and square root of f32, where it is asked to
    cl::Device retained_;                           ///< counts for sub-devices only
    cl::Context context_;
    std::mutex mutex_;                              ///< guards the two members below
    SharedQueue transfer_queue_;
    std::optional<Capabilities> capabilities_;
    std::atomic<std::uint64_t> allocated_{0};
    bool borrowed_ = false;
    mutable std::once_flag place_known_;
    mutable DevicePlace place_;
    Health health_;
    ProgramStore programs_;
};

}  // namespace parallax::host::opencl
