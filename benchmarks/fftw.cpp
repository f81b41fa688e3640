#include "fftw.hpp"

#include "support/platform.hpp"

namespace parallax::bench {
namespace {

constexpr unsigned measure = 0;   // FFTW_MEASURE

template <class F>
bool find(const host::platform::SharedLibrary& library, const char* name, F*& function, std::string& problem) {
    function = reinterpret_cast<F*>(library.symbol(name));
    if (function == nullptr) problem = std::string("FFTW has no ") + name;
    return function != nullptr;
}

}  // namespace

std::unique_ptr<Fftw> Fftw::open(int threads, std::string& problem) {
    const auto library = host::platform::SharedLibrary::open("libfftw3f.so.3", problem);
    if (!library) return nullptr;
    const auto threaded = host::platform::SharedLibrary::open("libfftw3f_threads.so.3", problem);
    if (!threaded) return nullptr;
    std::unique_ptr<Fftw> fftw(new Fftw);
    int (*init_threads)() = nullptr;
    void (*plan_with_threads)(int) = nullptr;
    const bool found =
        find(library, "fftwf_malloc", fftw->malloc_, problem) && find(library, "fftwf_free", fftw->free_, problem) &&
        find(library, "fftwf_plan_dft_2d", fftw->plan_c2c_, problem) &&
        find(library, "fftwf_plan_dft_r2c_2d", fftw->plan_r2c_, problem) &&
        find(library, "fftwf_execute", fftw->execute_, problem) && find(library, "fftwf_destroy_plan", fftw->destroy_, problem) &&
        find(threaded, "fftwf_init_threads", init_threads, problem) &&
        find(threaded, "fftwf_plan_with_nthreads", plan_with_threads, problem);
    if (!found) return nullptr;
    init_threads();
    plan_with_threads(threads);
    return fftw;
}

std::unique_ptr<Fftw::Plan> Fftw::c2c(std::int64_t width, std::int64_t height, Complex* in, Complex* out, Sign sign) const {
    return std::make_unique<Plan>(
        *this, plan_c2c_(static_cast<int>(height), static_cast<int>(width), in, out, static_cast<int>(sign), measure));
}

std::unique_ptr<Fftw::Plan> Fftw::r2c(std::int64_t width, std::int64_t height, float* in, Complex* out) const {
    return std::make_unique<Plan>(*this, plan_r2c_(static_cast<int>(height), static_cast<int>(width), in, out, measure));
}

}  // namespace parallax::bench
