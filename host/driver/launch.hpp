// Launches on trial: PoCL compiles a kernel for a size of work-groups when it is launched.
#pragma once

#include "build.hpp"

#include <array>

namespace driver {

struct Launch {
    std::vector<unsigned char> binary;   ///< of the program, as build_object() or build() made it
    std::string options, kernel;
    std::array<std::size_t, 3> local{}, global{};
};

class Launcher {
public:
    explicit Launcher(const Device& device) : device_(device) {}
    /// Has the kernel compiled as for this launch, and does not run it. False where that cannot be had: with arguments of other
    /// kinds than buffers, local memory and numbers, and where kernels would run.
    bool compile(const Launch&);

private:
    bool idles();
    bool enqueue(cl_kernel, const Launch&);

    Device device_;
    cl_command_queue queue_ = nullptr;
    enum class Idles { unknown, yes, no } idles_ = Idles::unknown;
};

}  // namespace driver
