// FFTW (GPL) in single precision with threads, behind C functions. Built into a library of its own for tests and benchmarks.
#include "peers/fftw_module.h"

#include <fftw3.h>

#include <cstring>
#include <memory>
#include <mutex>

namespace {

struct Free {
    void operator()(void* memory) const { fftwf_free(memory); }
};
using Memory = std::unique_ptr<void, Free>;

// FFTW's planner is one a process.
std::mutex& planner() {
    static std::mutex mutex;
    return mutex;
}

std::size_t bytes_in(const plx_fftw_spec& s) {
    const auto rows = static_cast<std::size_t>(s.batch * s.height), width = static_cast<std::size_t>(s.width);
    return s.kind == PLX_FFTW_R2C ? rows * width * sizeof(float)
                                  : rows * (s.kind == PLX_FFTW_C2C ? width : width / 2 + 1) * sizeof(fftwf_complex);
}
std::size_t bytes_out(const plx_fftw_spec& s) {
    const auto rows = static_cast<std::size_t>(s.batch * s.height), width = static_cast<std::size_t>(s.width);
    return s.kind == PLX_FFTW_C2R ? rows * width * sizeof(float)
                                  : rows * (s.kind == PLX_FFTW_C2C ? width : width / 2 + 1) * sizeof(fftwf_complex);
}

fftwf_plan make(const plx_fftw_spec& s, void* in, void* out) {
    const int rank = s.height > 1 ? 2 : 1, half = static_cast<int>(s.width / 2 + 1), height = static_cast<int>(s.height),
              width = static_cast<int>(s.width);
    const int sizes[] = {height, width}, spectrum[] = {height, half};
    const int* const n = rank == 2 ? sizes : sizes + 1;
    const int* const h = rank == 2 ? spectrum : spectrum + 1;
    const int reals = height * width, complexes = height * half, batch = static_cast<int>(s.batch);
    auto* const complex_in = static_cast<fftwf_complex*>(in);
    auto* const complex_out = static_cast<fftwf_complex*>(out);
    if (s.kind == PLX_FFTW_C2C)
        return fftwf_plan_many_dft(rank, n, batch, complex_in, n, 1, reals, complex_out, n, 1, reals,
                                   s.inverse != 0 ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_MEASURE);
    if (s.kind == PLX_FFTW_R2C)
        return fftwf_plan_many_dft_r2c(rank, n, batch, static_cast<float*>(in), n, 1, reals, complex_out, h, 1, complexes,
                                       FFTW_MEASURE);
    return fftwf_plan_many_dft_c2r(rank, n, batch, complex_in, h, 1, complexes, static_cast<float*>(out), n, 1, reals,
                                   FFTW_MEASURE);
}

}  // namespace

struct plx_fftw_plan {
    plx_fftw_spec spec{};
    fftwf_plan apart = nullptr, in_place = nullptr;
    Memory copy;   ///< c2r overwrites its input
};

int plx_fftw_abi(void) { return PLX_FFTW_ABI; }

plx_fftw_plan* plx_fftw_make(const plx_fftw_spec* spec) {
    Memory in(fftwf_malloc(bytes_in(*spec))), out(fftwf_malloc(bytes_out(*spec)));
    if (in == nullptr || out == nullptr) return nullptr;
    auto plan = std::make_unique<plx_fftw_plan>();
    plan->spec = *spec;
    {
        const std::scoped_lock lock(planner());
        fftwf_init_threads();
        fftwf_plan_with_nthreads(spec->threads);
        plan->apart = make(*spec, in.get(), out.get());
        if (spec->kind == PLX_FFTW_C2C) plan->in_place = make(*spec, in.get(), in.get());
    }
    if (spec->kind == PLX_FFTW_C2R) plan->copy = std::move(in);
    if (plan->apart == nullptr || (spec->kind == PLX_FFTW_C2C && plan->in_place == nullptr)) {
        plx_fftw_free(plan.release());
        return nullptr;
    }
    return plan.release();
}

void plx_fftw_free(plx_fftw_plan* plan) {
    if (plan == nullptr) return;
    {
        const std::scoped_lock lock(planner());
        if (plan->apart != nullptr) fftwf_destroy_plan(plan->apart);
        if (plan->in_place != nullptr) fftwf_destroy_plan(plan->in_place);
    }
    delete plan;
}

void plx_fftw_run(plx_fftw_plan* plan, const void* in, void* out) {
    void* from = const_cast<void*>(in);   // FFTW has no const arrays, but c2c and r2c apart leave theirs alone
    auto* const complex_out = static_cast<fftwf_complex*>(out);
    switch (plan->spec.kind) {
        case PLX_FFTW_C2C:
            fftwf_execute_dft(from == out ? plan->in_place : plan->apart, static_cast<fftwf_complex*>(from), complex_out);
            return;
        case PLX_FFTW_R2C: fftwf_execute_dft_r2c(plan->apart, static_cast<float*>(from), complex_out); return;
        default:
            std::memcpy(plan->copy.get(), in, bytes_in(plan->spec));
            fftwf_execute_dft_c2r(plan->apart, static_cast<fftwf_complex*>(plan->copy.get()), static_cast<float*>(out));
    }
}
