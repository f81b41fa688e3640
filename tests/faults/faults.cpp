#include "faults.hpp"

#include "support/platform.hpp"

#include <CL/cl.h>

#include <cstdlib>
#include <stdexcept>

namespace parallax::tests::faults {

namespace {

std::string library() { return (host::platform::own_folder() / "libparallax_fault_layer.so").string(); }

// The loader looks for layers at the first OpenCL call of the process: before main() is early enough.
const bool layer_is_named = [] { return setenv("OPENCL_LAYERS", library().c_str(), 1) == 0; }();

template <class F> F find(const host::platform::SharedLibrary& from, const char* name) {
    void* const symbol = from.symbol(name);
    if (symbol == nullptr) throw std::runtime_error("the fault layer has no " + std::string(name));
    return reinterpret_cast<F>(symbol);
}

}  // namespace

std::string describe(const Live& live) {
    static constexpr std::array<const char*, parallax_faults_kinds> kinds{"contexts", "queues",  "memory",
                                                                          "programs", "kernels", "events"};
    std::string text;
    for (std::size_t i = 0; i < kinds.size(); ++i)
        text += std::string(i > 0 ? ", " : "") + kinds[i] + " " + std::to_string(live[i]);
    return text;
}

Layer::Layer() {
    std::string problem = layer_is_named ? "" : "OPENCL_LAYERS cannot be set";
    const auto opened = host::platform::SharedLibrary::open(library(), problem);
    if (!opened) throw std::runtime_error("the fault layer: " + problem);
    arm_ = find<decltype(arm_)>(opened, "parallax_faults_arm");
    calls_ = find<decltype(calls_)>(opened, "parallax_faults_calls");
    failed_ = find<decltype(failed_)>(opened, "parallax_faults_failed");
    live_ = find<decltype(live_)>(opened, "parallax_faults_live");
    limit_ = find<decltype(limit_)>(opened, "parallax_faults_limit");
    refused_ = find<decltype(refused_)>(opened, "parallax_faults_refused");
    stall_ = find<decltype(stall_)>(opened, "parallax_faults_stall");
    disarm();
    cl_uint platforms = 0;
    clGetPlatformIDs(0, nullptr, &platforms);
    if (calls() != 1)
        throw std::runtime_error(
            "the OpenCL loader took no layer: ocl-icd 2.3 or a loader of Khronos of 2021 or later is needed");
}

Live Layer::live() const {
    Live counts{};
    for (int kind = 0; kind < parallax_faults_kinds; ++kind) counts[static_cast<std::size_t>(kind)] = live_(kind);
    return counts;
}

}  // namespace parallax::tests::faults
