// An array in a device's memory.
#pragma once

#include "parallax/array.hpp"
#include "parallax/handles.hpp"

#include <cstdint>
#include <memory>

namespace parallax {

/// Copies are the same memory, which lives as long as one of them, whatever becomes of session and engine.
class PARALLAX_API Array {
public:
    struct Impl;

    Array() = default;
    explicit Array(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
    explicit operator bool() const noexcept { return impl_ != nullptr; }
    /// Throws ConfigError where there is no array.
    const ArrayDesc& desc() const;
    const Metadata& metadata() const;
    /// The memory itself, borrowed; null (0) where it is not of such a device.
    _cl_mem* opencl() const noexcept;
    std::uint64_t cuda() const noexcept;
    /// Which of the CUDA devices that the process sees has it, as cuDeviceGet and DLPack count them; -1: none.
    int cuda_device() const noexcept;
    const Impl* impl() const noexcept { return impl_.get(); }

private:
    std::shared_ptr<const Impl> impl_;
};

}  // namespace parallax
