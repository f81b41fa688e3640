// cuFFT as one more implementation of a transform, so that whatever takes a library of transforms (fft, hologram) can be
// compared with it. The library is opened at run time under the major version that it was compiled for.
#include "algorithms/fft/libraries.hpp"

#include "cuda/native.hpp"
#include "cuda/toolkit.hpp"
#include "parallax/host/error.hpp"

#include <cufft.h>
#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::fft {
namespace {

/// cuFFT's functions. Throws UnsupportedError where the library is not there.
struct Cufft {
    Cufft() {
        const std::string file = host::cuda::toolkit_library_name("cufft", CUFFT_VER_MAJOR);
        std::string problem;
        const auto library = host::cuda::open_toolkit_library(file, problem);
        if (!library)
            throw UnsupportedError("cuFFT is not there",
                                   {fmt::format("{}; it is part of the CUDA toolkit: CUDA_PATH says where that is", problem)});
        const auto find = [&]<class Function>(Function*& function, const char* name) {
            function = reinterpret_cast<Function*>(library.symbol(name));
            if (function == nullptr) throw UnsupportedError("cuFFT cannot be used", {fmt::format("{} has no {}", file, name)});
        };
        find(create, "cufftCreate");
        find(destroy, "cufftDestroy");
        find(set_auto_allocation, "cufftSetAutoAllocation");
        find(make_plan_many, "cufftMakePlanMany64");
        find(set_work_area, "cufftSetWorkArea");
        find(set_stream, "cufftSetStream");
        find(c2c, "cufftExecC2C");
        find(r2c, "cufftExecR2C");
        find(c2r, "cufftExecC2R");
    }

    decltype(cufftCreate)* create = nullptr;
    decltype(cufftDestroy)* destroy = nullptr;
    decltype(cufftSetAutoAllocation)* set_auto_allocation = nullptr;
    decltype(cufftMakePlanMany64)* make_plan_many = nullptr;
    decltype(cufftSetWorkArea)* set_work_area = nullptr;
    decltype(cufftSetStream)* set_stream = nullptr;
    decltype(cufftExecC2C)* c2c = nullptr;
    decltype(cufftExecR2C)* r2c = nullptr;
    decltype(cufftExecC2R)* c2r = nullptr;
};

void check(cufftResult result, const char* call) {
    if (result != CUFFT_SUCCESS)
        throw DeviceError(call, result, fmt::format("cufftResult {}", static_cast<int>(result)), "cufft",
                          "use \"fft\": \"auto\"");
}

cufftType type_of(Kind kind) { return kind == Kind::c2c ? CUFFT_C2C : kind == Kind::r2c ? CUFFT_R2C : CUFFT_C2R; }

class CufftTransform final : public Transform {
public:
    CufftTransform(PlanBuilder& builder, const TransformSpec& spec) : spec_(spec), context_(builder.context()) {
        std::size_t work = 0;
        try {
            host::cuda::enqueue(builder.queue(), "cufft: plan", [&](CUstream stream) { make(stream, work); });
        } catch (...) {
            destroy();
            throw;
        }
        work_ = builder.scratch(std::max<std::size_t>(work, 1));
        if (spec.kind == Kind::c2r) copy_ = builder.scratch(spectrum_bytes());
        scale_ = builder.kernel({"fft/scale.cl", {}}, "scale");
    }
    ~CufftTransform() override { destroy(); }
    CufftTransform(const CufftTransform&) = delete;
    CufftTransform& operator=(const CufftTransform&) = delete;

    void enqueue(Execution& x, const host::Buffer& in, const host::Buffer& out, Direction direction) override {
        const bool inverse = direction == Direction::inverse;
        host::Buffer from = in;
        if (spec_.kind == Kind::c2r) {   // it overwrites its input
            from = x.buffer(copy_);
            x.copy("fft cufft copy", in, from, spectrum_bytes());
        }
        x.external("fft cufft", host::cuda::enqueue(x.queue(), "fft cufft", [&](CUstream stream) {
                       check(cufft_.set_stream(plan_, stream), "cufftSetStream");
                       check(cufft_.set_work_area(plan_, pointer(x.buffer(work_))), "cufftSetWorkArea");
                       run(pointer(from), pointer(out), inverse);
                   }));
        if (inverse) scale(x, out);
    }

    std::string describe() const override { return fmt::format("cufft ({} x {})", spec_.width, spec_.height); }

private:
    static void* pointer(const host::Buffer& buffer) { return reinterpret_cast<void*>(host::cuda::memory_handle(buffer)); }
    std::int64_t half() const { return spec_.width / 2 + 1; }
    std::size_t spectrum_bytes() const {
        return static_cast<std::size_t>(spec_.batch * spec_.height * half()) * sizeof(cufftComplex);
    }

    void make(CUstream stream, std::size_t& work) {
        check(cufft_.create(&plan_), "cufftCreate");
        made_ = true;
        check(cufft_.set_stream(plan_, stream), "cufftSetStream");
        check(cufft_.set_auto_allocation(plan_, 0), "cufftSetAutoAllocation");   // the workspace is the session's
        long long lengths[] = {spec_.height, spec_.width};
        const int rank = spec_.height > 1 ? 2 : 1;
        check(cufft_.make_plan_many(plan_, rank, rank == 2 ? lengths : lengths + 1, nullptr, 1, 0, nullptr, 1, 0,
                                    type_of(spec_.kind), spec_.batch, &work),
              "cufftMakePlanMany64");
    }

    void destroy() noexcept {
        if (made_) context_.run([this] { cufft_.destroy(plan_); });
    }

    void run(void* in, void* out, bool inverse) {
        auto *complex_in = static_cast<cufftComplex*>(in), *complex_out = static_cast<cufftComplex*>(out);
        if (spec_.kind == Kind::c2c)
            check(cufft_.c2c(plan_, complex_in, complex_out, inverse ? CUFFT_INVERSE : CUFFT_FORWARD), "cufftExecC2C");
        else if (spec_.kind == Kind::r2c) check(cufft_.r2c(plan_, static_cast<cufftReal*>(in), complex_out), "cufftExecR2C");
        else check(cufft_.c2r(plan_, complex_in, static_cast<cufftReal*>(out)), "cufftExecC2R");
    }

    /// cuFFT leaves out the inverse's 1/N.
    void scale(Execution& x, const host::Buffer& out) {
        const std::int64_t floats = spec_.batch * spec_.height * spec_.width * (spec_.kind == Kind::c2c ? 2 : 1);
        const auto factor = static_cast<float>(1.0 / (static_cast<double>(spec_.width) * static_cast<double>(spec_.height)));
        x.launch("fft cufft scale", *scale_, {static_cast<std::size_t>((floats + group - 1) / group)}, {group},
                 {out, static_cast<std::uint64_t>(floats), factor});
    }

    static constexpr int group = 256;

    TransformSpec spec_;
    Cufft cufft_;
    host::cuda::ContextHold context_;
    cufftHandle plan_ = 0;
    bool made_ = false;
    Scratch work_, copy_;
    std::unique_ptr<host::Kernel> scale_;
};

}  // namespace

std::string cufft_why_not(const TransformSpec& spec, host::Context& context) {
    if (context.info().backend != host::Backend::cuda)
        return "cuFFT runs on CUDA devices; the same device may be there as backend cuda";
    if (spec.kind == Kind::dct) return "cuFFT has no cosine transforms";
    try {
        Cufft();
        return {};
    } catch (const UnsupportedError& error) {
        return error.reasons.empty() ? error.what() : error.reasons.front();
    }
}

std::unique_ptr<Transform> make_cufft(PlanBuilder& builder, const TransformSpec& spec) {
    return std::make_unique<CufftTransform>(builder, spec);
}

}  // namespace parallax::engine::fft
