// PoCL compiles a kernel when its launch begins, and then looks up the function in what it has compiled, by dlsym. This program
// is asked before the C library is, and can answer with a function that does nothing: the kernel is compiled, and not run.
#pragma once

namespace driver {

/// While one lives, kernels that PoCL looks up do nothing.
class IdleKernels {
public:
    IdleKernels();
    ~IdleKernels();
    IdleKernels(const IdleKernels&) = delete;
    IdleKernels& operator=(const IdleKernels&) = delete;
};

}  // namespace driver
