// The completion of what was enqueued, and the wish to end it early.
#pragma once

#include "parallax/export.hpp"
#include "parallax/handles.hpp"

#include <atomic>
#include <cstddef>
#include <memory>

namespace parallax {

/// Copies are the same event. One that was made by default is complete.
class PARALLAX_API Event {
public:
    struct Impl;

    Event() = default;
    explicit Event(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
    /// Throws DeviceError if the command failed.
    void wait() const;
    bool complete() const;
    /// The event itself, borrowed: retain it to keep it longer than this. Null where it is not of an OpenCL device.
    _cl_event* opencl() const noexcept;
    const Impl* impl() const noexcept { return impl_.get(); }

private:
    std::shared_ptr<const Impl> impl_;
};

/// Copies are the same token. Asked between two launches; what it ends throws CancelledError and leaves nothing behind.
class CancelToken {
public:
    CancelToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
    /// One that nobody can cancel.
    static CancelToken none() noexcept { return CancelToken(nullptr); }

    /// By any thread, at any time.
    void cancel() const noexcept { if (flag_) flag_->store(true); }
    bool cancelled() const noexcept { return flag_ && flag_->load(); }
    /// Whether there are copies, so that somebody may cancel.
    bool shared() const noexcept { return flag_.use_count() > 1; }

private:
    explicit CancelToken(std::nullptr_t) noexcept {}
    std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace parallax
