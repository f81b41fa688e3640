#include "algorithms/fft/transform.hpp"

#include "algorithms/fft/libraries.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

namespace parallax::engine::fft {
namespace {

struct Implementation {
    std::string name;
    std::string why_not;
    std::unique_ptr<Transform> (*make)(PlanBuilder&, const TransformSpec&) = nullptr;
};

Implementation radix(const TransformSpec& spec, host::Context& context) {
    return {"radix", radix_why_not(spec, context), make_radix};
}

/// What `automatic` means. CPUs: simd, which fills SIMD registers that work-groups with barriers leave empty. Others:
/// radix, which takes any size, builds in one small program, and does not fall to Bluestein at factors up to 31.
Implementation best(const TransformSpec& spec, host::Context& context) {
    if (context.info().type == host::DeviceType::cpu) {
        Implementation simd{"simd", simd_why_not(spec, context), make_simd};
        if (simd.why_not.empty()) return simd;
    }
    return radix(spec, context);
}

Implementation implementation(Library library, const TransformSpec& spec, host::Context& context) {
    if (spec.width < 1 || spec.height < 1 || spec.batch < 1)
        return {"fft", fmt::format("an array of {} x {} x {} has no elements", spec.batch, spec.height, spec.width)};
    switch (library) {
    case Library::radix: return radix(spec, context);
    case Library::vkfft:
#ifdef PARALLAX_HAS_VKFFT
        return {"vkfft", vkfft_why_not(spec, context), make_vkfft};
#else
        return {"vkfft", "this build is without VkFFT (install libvkfft-dev and build again)"};
#endif
    case Library::clfft:
#ifdef PARALLAX_HAS_CLFFT
        return {"clfft", clfft_why_not(spec, context), make_clfft};
#else
        return {"clfft", "this build is without clFFT (install libclfft-dev and build again)"};
#endif
    case Library::cufft:
#ifdef PARALLAX_HAS_CUFFT
        return {"cufft", cufft_why_not(spec, context), make_cufft};
#else
        return {"cufft", "this build is without cuFFT (install the CUDA toolkit and build again)"};
#endif
    case Library::automatic: break;
    }
    return best(spec, context);
}

}  // namespace

std::string why_not(Library library, const TransformSpec& spec, host::Context& context) {
    return implementation(library, spec, context).why_not;
}

std::unique_ptr<Transform> make_transform(PlanBuilder& builder, const TransformSpec& spec, Library library) {
    const Implementation chosen = implementation(library, spec, builder.context());
    if (!chosen.why_not.empty())
        throw UnsupportedError(fmt::format("a Fourier transform of {} x {} x {} (batch x height x width) on {}", spec.batch,
                                           spec.height, spec.width, builder.device().name),
                               {chosen.name + ": " + chosen.why_not});
    return chosen.make(builder, spec);
}

}  // namespace parallax::engine::fft
