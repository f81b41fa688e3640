// A library before all others (LD_PRELOAD) that makes CUDA slower, as the fault layer does OpenCL: PARALLAX_FAULTS_SLOWER=0.05
// lets waits take a twentieth longer (layer/waits.hpp); PARALLAX_FAULTS_SLOWER_KERNELS=0.05 puts a kernel behind each launch, on
// its stream, that spins for a twentieth of the time since one before it, so that the events around them tell of both. Time
// really passes.
//
// The program asks dlsym for the driver's functions by name, and gets some of them from here.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "../layer/waits.hpp"

namespace {

using parallax_slower::waits;

// CUDA's types, as its driver has them.
using Result = int;
using Stream = void*;
using Kernel = void*;
using Module = void*;
using Address = std::uint64_t;
constexpr Result success = 0;

using FindSymbol = void* (*)(void*, const char*);
FindSymbol real_dlsym() {
    static const FindSymbol found = [] {
        for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"})
            if (void* const symbol = dlvsym(RTLD_NEXT, "dlsym", version); symbol != nullptr)
                return reinterpret_cast<FindSymbol>(symbol);
        std::fputs("slower_cuda: this C library has no dlsym that it knows\n", stderr);
        std::abort();
    }();
    return found;
}

void* driver = nullptr;   ///< the library in which the program looked
template <class Function>
Function real(const char* name) {
    return reinterpret_cast<Function>(real_dlsym()(driver, name));
}

constexpr const char* spinning = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry mark(.param .u64 slot) {
    .reg .u64 %a, %t;
    ld.param.u64 %a, [slot];
    mov.u64 %t, %globaltimer;
    st.volatile.global.u64 [%a], %t;
    ret;
}
.visible .entry spin(.param .u64 slot, .param .f32 share) {
    .reg .u64 %a, %began, %until, %t;
    .reg .f32 %f, %s;
    .reg .pred %p;
    ld.param.u64 %a, [slot];
    ld.param.f32 %s, [share];
    ld.volatile.global.u64 %began, [%a];
    mov.u64 %until, %globaltimer;
    sub.u64 %t, %until, %began;
    cvt.rn.f32.u64 %f, %t;
    mul.f32 %f, %f, %s;
    cvt.rzi.u64.f32 %t, %f;
    add.u64 %until, %until, %t;
again:
    mov.u64 %t, %globaltimer;
    setp.lt.u64 %p, %t, %until;
    @%p bra again;
    ret;
}
)";

Result launch(Kernel kernel, Stream stream, void** arguments) {
    using Launch =
        Result (*)(Kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**);
    static const auto call = real<Launch>("cuLaunchKernel");
    return call(kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
}

/// The two kernels of the context that is current, of which a program has one, and a place in memory for each stream.
class Longer {
public:
    bool wanted() const { return share_ > 0; }
    void mark(Stream stream) {
        const std::lock_guard lock(mutex_);
        if (!loaded_) load();
        Address& slot = slots_[stream];
        if (slot == 0) check(real<Result (*)(Address*, std::size_t)>("cuMemAlloc_v2")(&slot, sizeof slot), "cuMemAlloc");
        void* arguments[] = {&slot};
        check(launch(mark_, stream, arguments), "mark");
    }
    void spin(Stream stream) {
        const std::lock_guard lock(mutex_);
        void* arguments[] = {&slots_[stream], &share_};
        check(launch(spin_, stream, arguments), "spin");
    }

private:
    static void check(Result status, const char* what) {
        if (status == success) return;
        std::fprintf(stderr, "slower_cuda: %s failed with %d\n", what, status);
        std::abort();
    }
    void load() {
        Module module = nullptr;
        check(real<Result (*)(Module*, const void*)>("cuModuleLoadData")(&module, spinning), "cuModuleLoadData");
        const auto find = real<Result (*)(Kernel*, Module, const char*)>("cuModuleGetFunction");
        check(find(&mark_, module, "mark"), "cuModuleGetFunction");
        check(find(&spin_, module, "spin"), "cuModuleGetFunction");
        loaded_ = true;
    }

    float share_ = static_cast<float>(parallax_slower::share_of("PARALLAX_FAULTS_SLOWER_KERNELS"));
    std::mutex mutex_;
    bool loaded_ = false;
    Kernel mark_ = nullptr, spin_ = nullptr;
    std::map<Stream, Address> slots_;
};
Longer& longer() {
    static Longer one;
    return one;
}

/// Kernels, alone or as a graph.
template <class Call>
Result lengthened(Stream stream, const Call& call) {
    waits().begin();
    if (!longer().wanted()) return call();
    longer().mark(stream);
    const Result status = call();
    longer().spin(stream);
    return status;
}

Result launch_kernel(Kernel kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                     Stream stream, void** arguments, void** extra) {
    static const auto call = real<decltype(&launch_kernel)>("cuLaunchKernel");
    return lengthened(stream, [&] { return call(kernel, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra); });
}
Result graph_launch(void* graph, Stream stream) {
    static const auto call = real<decltype(&graph_launch)>("cuGraphLaunch");
    return lengthened(stream, [&] { return call(graph, stream); });
}
Result copy_in(Address to, const void* from, std::size_t bytes, Stream stream) {
    static const auto call = real<decltype(&copy_in)>("cuMemcpyHtoDAsync_v2");
    waits().begin();
    return call(to, from, bytes, stream);
}
Result copy_out(void* to, Address from, std::size_t bytes, Stream stream) {
    static const auto call = real<decltype(&copy_out)>("cuMemcpyDtoHAsync_v2");
    waits().begin();
    return call(to, from, bytes, stream);
}
Result copy_within(Address to, Address from, std::size_t bytes, Stream stream) {
    static const auto call = real<decltype(&copy_within)>("cuMemcpyDtoDAsync_v2");
    waits().begin();
    return call(to, from, bytes, stream);
}
Result wait_for_stream(Stream stream) {
    static const auto call = real<decltype(&wait_for_stream)>("cuStreamSynchronize");
    const Result status = call(stream);
    waits().end();
    return status;
}
Result wait_for_event(void* event) {
    static const auto call = real<decltype(&wait_for_event)>("cuEventSynchronize");
    const Result status = call(event);
    waits().end();
    return status;
}

struct Entry {
    const char* name;
    void* ours;
};
const Entry entries[] = {{"cuLaunchKernel", reinterpret_cast<void*>(&launch_kernel)},
                         {"cuGraphLaunch", reinterpret_cast<void*>(&graph_launch)},
                         {"cuMemcpyHtoDAsync_v2", reinterpret_cast<void*>(&copy_in)},
                         {"cuMemcpyDtoHAsync_v2", reinterpret_cast<void*>(&copy_out)},
                         {"cuMemcpyDtoDAsync_v2", reinterpret_cast<void*>(&copy_within)},
                         {"cuStreamSynchronize", reinterpret_cast<void*>(&wait_for_stream)},
                         {"cuEventSynchronize", reinterpret_cast<void*>(&wait_for_event)}};

}   // namespace

extern "C" void* dlsym(void* handle, const char* name) noexcept {
    void* const theirs = real_dlsym()(handle, name);
    if (theirs == nullptr || std::strncmp(name, "cu", 2) != 0) return theirs;
    for (const Entry& entry : entries) {
        if (std::strcmp(entry.name, name) != 0) continue;
        driver = handle;
        return entry.ours;
    }
    return theirs;
}
