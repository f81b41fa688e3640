// Kernels that take longer: with PARALLAX_FAULTS_SLOWER_KERNELS=0.05 each launch is followed by a kernel that spins for a
// twentieth of the time since one before it. Who asks for the launch's times gets the beginning of the kernel and the end of the
// spinning: the device was busy for all of that, and no figure is made up.
#pragma once

#include <CL/cl_layer.h>

namespace parallax_slower {

class Longer {
public:
    explicit Longer(const cl_icd_dispatch& driver) : driver_(driver) {}

    static bool wanted();
    cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t* offset,
                  const std::size_t* global, const std::size_t* local, cl_uint waits, const cl_event* wait, cl_event* event);
    /// The event that tells when the launch behind `event` began; `event` itself where it is not one of ours.
    cl_event first_of(cl_event event);
    /// Before a reference is given back.
    void let_go(cl_event event);

private:
    const cl_icd_dispatch& driver_;
};

}   // namespace parallax_slower
