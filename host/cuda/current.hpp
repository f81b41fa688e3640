// CUDA calls work on the calling thread's current context.
#pragma once

#include "cuda/errors.hpp"

#include <new>
#include <string_view>

namespace parallax::host::cuda {

/// Makes a context the thread's own for as long as this lives, and brings back the one before.
class Current {
public:
    Current(const Driver& driver, CUcontext context, std::string_view step) : driver_(driver), pushed_(true) {
        check(driver, driver.ctx_push_current(context), "cuCtxPushCurrent", step);
    }
    /// For destructors: where it fails, or without a context, there is nothing left to free.
    Current(const Driver& driver, CUcontext context, std::nothrow_t) noexcept
        : driver_(driver), pushed_(context != nullptr && driver.ctx_push_current(context) == CUDA_SUCCESS) {}
    ~Current() {
        CUcontext popped = nullptr;
        if (pushed_) driver_.ctx_pop_current(&popped);
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    explicit operator bool() const noexcept { return pushed_; }

private:
    const Driver& driver_;
    bool pushed_;
};

}  // namespace parallax::host::cuda
