// What only the compiler of a kernel knows.
#pragma once

#include "parallax/host/program.hpp"

#include <cstdint>

namespace parallax::host {

/// What every Program of a device that compiles makes.
class BuiltKernel : public Kernel {
public:
    /// Bytes of local memory that a work-group takes, with what the driver adds of its own.
    virtual std::uint64_t local_memory() const = 0;
    /// Bytes that each work-item keeps in memory because the compiler had too few registers for them; 0 where that is not told.
    virtual std::uint64_t spilled() const = 0;
};

}  // namespace parallax::host
