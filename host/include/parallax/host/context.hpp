// An opened device: memory, queues and programs.
#pragma once

#include "parallax/host/buffer.hpp"
#include "parallax/host/device.hpp"
#include "parallax/host/program.hpp"
#include "parallax/host/queue.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace parallax::host {

/// Found out by compiling and running small kernels, once for each driver version (kept in the program cache).
struct Capabilities {
    bool fp64 = false;             ///< double compiles and computes
    bool int64_atomics = false;    ///< cl_khr_int64_base_atomics works
    bool inline_ptx = false;       ///< asm("...") compiles and runs (NVIDIA)
    bool images = false;
    bool event_times = false;      ///< profiling events measure something
    bool grid_exchange =
        false;   ///< a work-group a compute unit run at once and see each other's writes (OpenCL promises neither)
    bool cuts_loops = false;       ///< a work-item's loops end after 65535 rounds, counted together (Mesa 22's llvmpipe)
    bool recordings = false;       ///< Queue::record() works
    int warp_width = 1;            ///< work-items that run in lock step, 1 where that cannot be told
};

/// Who keeps device memory for later.
class MemoryKeeper {
public:
    virtual ~MemoryKeeper() = default;
    /// Frees about so many bytes of what nobody uses, the least recently used first. False: there is nothing left to free. Any
    /// thread may ask.
    virtual bool give_back(std::uint64_t bytes) = 0;
};

/// All of it may be used from several threads; what it hands out belongs to one at a time.
class Context {
public:
    virtual ~Context() = default;
    virtual const DeviceInfo& info() const noexcept = 0;
    virtual const Capabilities& capabilities() = 0;

    virtual std::unique_ptr<Queue> create_queue(const QueueOptions& = {}) = 0;
    /// Uninitialised device memory. Where it does not fit, keepers are asked to give back first. Throws DeviceError naming the
    /// size.
    Buffer allocate(std::size_t bytes);
    /// No more than so many bytes by allocate() at any one time; 0: as many as the device has.
    void limit_memory(std::uint64_t bytes) noexcept { memory_limit_ = bytes; }
    void add_keeper(std::weak_ptr<MemoryKeeper>);
    virtual std::shared_ptr<PinnedMemory> allocate_pinned(std::size_t bytes) = 0;
    /// Builds or fetches from memory or disk. Throws BuildError. Native: DeviceError.
    virtual std::shared_ptr<Program> build(const ProgramSpec&) = 0;
    /// Bytes handed out by allocate() and not yet returned.
    virtual std::uint64_t allocated() const noexcept = 0;

    /// Empty while the device can be trusted, else what happened first. A context that has failed takes no more work:
    /// whatever is asked of it throws DeviceError with these words.
    virtual std::string failure() const { return {}; }
    /// Declares it failed and lets go of it: nothing of it is waited for any more, and what its commands may still use
    /// is left to the driver for good.
    virtual void abandon(const std::string& why) { static_cast<void>(why); }
    /// The device opened anew. Null where that cannot help or is not ours to do: the native device, CUDA's primary
    /// context, which the whole process shares, and a context of the host application's.
    virtual std::shared_ptr<Context> reopen() const { return nullptr; }

protected:
    virtual Buffer allocate_now(std::size_t bytes) = 0;

private:
    Buffer allocate_within_limit(std::size_t bytes);
    bool give_back(std::uint64_t bytes);

    std::atomic<std::uint64_t> memory_limit_{0};
    std::mutex keepers_mutex_;
    std::vector<std::weak_ptr<MemoryKeeper>> keepers_;
};

}  // namespace parallax::host
