// NPP, NVIDIA's library of image primitives: box filters of planes, with the one border that it has (replicate). The library
// is opened at run time under the major version that it was compiled for.
#include "peers/npp.hpp"

#include "algorithms/box_filter/parameters.hpp"
#include "core/plan.hpp"
#include "cuda/native.hpp"
#include "cuda/toolkit.hpp"
#include "parallax/host/error.hpp"
#include "peers/row.hpp"

#include <npp.h>

#include <fmt/format.h>

#include <limits>

namespace parallax::engine::peers {
namespace {

using box_filter::BoxSpec;

/// How many channels NPP's functions take, in the order of their names.
int layout_of(std::int64_t channels) { return channels == 1 ? 0 : channels == 3 ? 1 : channels == 4 ? 2 : -1; }

/// NPP's box filters of one type for 1, 3 and 4 channels.
template <class T>
using Box = NppStatus (*)(const T*, Npp32s, NppiSize, NppiPoint, T*, Npp32s, NppiSize, NppiSize, NppiPoint, NppiBorderType,
                          NppStreamContext);

/// NPP's functions. Throws UnsupportedError where the library is not there.
struct Npp {
    Npp() {
        const std::string file = host::cuda::toolkit_library_name("nppif", NPP_VER_MAJOR);
        std::string problem;
        const auto library = host::cuda::open_toolkit_library(file, problem);
        if (!library)
            throw UnsupportedError("NPP is not there",
                                   {fmt::format("{}; it is part of the CUDA toolkit: CUDA_PATH says where that is", problem)});
        const auto find = [&]<class T>(Box<T>(&functions)[3], const char* type) {
            for (const int i : {0, 1, 2}) {
                const std::string name = fmt::format("nppiFilterBoxBorder_{}_C{}R_Ctx", type, i == 0 ? 1 : i + 2);
                functions[i] = reinterpret_cast<Box<T>>(library.symbol(name.c_str()));
                if (functions[i] == nullptr)
                    throw UnsupportedError("NPP cannot be used", {fmt::format("{} has no {}", file, name)});
            }
        };
        find(u8, "8u");
        find(u16, "16u");
        find(f32, "32f");
    }

    Box<Npp8u> u8[3] = {};
    Box<Npp16u> u16[3] = {};
    Box<Npp32f> f32[3] = {};
};

std::int64_t row_bytes(const BoxSpec& s) { return s.width * s.channels * static_cast<std::int64_t>(bytes_of(s.type)); }

std::string why_not(const Problem& problem) {
    const BoxSpec s = box_filter::spec_of(problem);
    if (s.window[2] > 1) return "NPP filters planes, no volumes";
    if (s.border != box_filter::Border::replicate) return "NPP's filter knows the border replicate only";
    if (s.window[0] % 2 == 0 || s.window[1] % 2 == 0) return "windows of even sizes may stand elsewhere in NPP";
    if (layout_of(s.channels) < 0) return fmt::format("NPP filters 1, 3 or 4 channels; there are {}", s.channels);
    if (row_bytes(s) > std::numeric_limits<Npp32s>::max() || s.height > std::numeric_limits<Npp32s>::max())
        return "NPP counts the bytes of a row, and rows, in 32 bits";
    return {};
}

class NppPlan final : public Plan {
public:
    NppPlan(PlanBuilder& builder, const BoxSpec& spec) : spec_(spec) {
        host::Context& context = builder.context();
        const auto attribute = [&](CUdevice_attribute a) { return host::cuda::device_attribute(context, a); };
        device_.nCudaDeviceId = host::cuda::device_number(context);
        device_.nMultiProcessorCount = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
        device_.nMaxThreadsPerMultiProcessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
        device_.nMaxThreadsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
        device_.nSharedMemPerBlock = static_cast<std::size_t>(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
        device_.nCudaDevAttrComputeCapabilityMajor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
        device_.nCudaDevAttrComputeCapabilityMinor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        device_.nStreamFlags = CU_STREAM_NON_BLOCKING;
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        x.external("npp", host::cuda::enqueue(x.queue(), "npp", [&](CUstream stream) {
                       device_.hStream = stream;
                       if (spec_.type == ElementType::u8) filter(npp_.u8, arrays);
                       else if (spec_.type == ElementType::u16) filter(npp_.u16, arrays);
                       else filter(npp_.f32, arrays);
                   }));
    }

private:
    template <class T>
    void filter(const Box<T>(&functions)[3], const Bindings& arrays) const {
        const auto* in = reinterpret_cast<const T*>(host::cuda::memory_handle(arrays.input("image")));
        auto* out = reinterpret_cast<T*>(host::cuda::memory_handle(arrays.output("image")));
        const NppiSize size{static_cast<int>(spec_.width), static_cast<int>(spec_.height)};
        const NppiSize window{static_cast<int>(spec_.window[0]), static_cast<int>(spec_.window[1])};
        const auto step = static_cast<Npp32s>(row_bytes(spec_));
        const std::int64_t plane = spec_.width * spec_.channels * spec_.height;
        for (std::int64_t i = 0; i < spec_.outer * spec_.depth * spec_.middle; ++i) {
            const NppStatus status =
                functions[layout_of(spec_.channels)](in + i * plane, step, size, {0, 0}, out + i * plane, step, size, window,
                                                     {window.width / 2, window.height / 2}, NPP_BORDER_REPLICATE, device_);
            if (status != NPP_SUCCESS)
                throw DeviceError("nppiFilterBoxBorder", status, fmt::format("NppStatus {}", static_cast<int>(status)), "npp",
                                  "");
        }
    }

    BoxSpec spec_;
    Npp npp_;
    NppStreamContext device_{};
};

}  // namespace

void add_npp(Algorithm& algorithm) {
    if (algorithm.name != "box_filter") return;
    algorithm.variants.push_back(peer_variant(
        "npp", "NVIDIA's NPP, for comparison; runs where it is asked for", host::Backend::cuda, why_not, [] { Npp(); },
        [](PlanBuilder& builder, const Problem& problem, const Policy&) -> std::unique_ptr<Plan> {
            return std::make_unique<NppPlan>(builder, box_filter::spec_of(problem));
        }));
}

}  // namespace parallax::engine::peers
