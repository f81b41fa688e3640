// FFTW as a peer on CPUs: its shared libraries are opened at run time (GPL: nothing of Parallax links them).
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <string>

namespace parallax::bench {

class Fftw {
public:
    enum class Sign : int { forward = -1, inverse = 1 };
    using Complex = std::complex<float>;
    template <class T> using Array = std::unique_ptr<T[], void (*)(void*)>;

    /// Null where it is not installed; `problem` says why.
    static std::unique_ptr<Fftw> open(int threads, std::string& problem);

    /// Aligned for its SIMD code.
    template <class T> Array<T> array(std::int64_t count) const {
        return {static_cast<T*>(malloc_(static_cast<std::size_t>(count) * sizeof(T))), free_};
    }

    class Plan {
    public:
        Plan(const Fftw& library, void* plan) : library_(library), plan_(plan) {}
        ~Plan() { library_.destroy_(plan_); }
        Plan(const Plan&) = delete;
        Plan& operator=(const Plan&) = delete;
        void run() const { library_.execute_(plan_); }

    private:
        const Fftw& library_;
        void* plan_;
    };

    /// FFTW_MEASURE: overwrites both arrays.
    std::unique_ptr<Plan> c2c(std::int64_t width, std::int64_t height, Complex* in, Complex* out, Sign) const;
    std::unique_ptr<Plan> r2c(std::int64_t width, std::int64_t height, float* in, Complex* out) const;

private:
    Fftw() = default;

    void* (*malloc_)(std::size_t) = nullptr;
    void (*free_)(void*) = nullptr;
    void* (*plan_c2c_)(int, int, Complex*, Complex*, int, unsigned) = nullptr;
    void* (*plan_r2c_)(int, int, float*, Complex*, unsigned) = nullptr;
    void (*execute_)(void*) = nullptr;
    void (*destroy_)(void*) = nullptr;
};

}  // namespace parallax::bench
