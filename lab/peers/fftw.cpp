#include "peers/fftw.hpp"

#include "algorithms/fft/parameters.hpp"
#include "core/plan.hpp"
#include "core/threads.hpp"
#include "parallax/host/error.hpp"
#include "peers/fftw_module.h"
#include "peers/row.hpp"
#include "support/module.hpp"
#include "support/platform.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

namespace parallax::engine::peers {
namespace {

using fft::Direction;
using fft::Kind;
using fft::TransformSpec;

/// The module's functions.
struct Fftw {
    Fftw() {
        const host::Module module("fftw", PLX_FFTW_ABI, "for tests and benchmarks where FFTW is found (libfftw3-dev)");
        module.find(make, "plx_fftw_make");
        module.find(free, "plx_fftw_free");
        module.find(run, "plx_fftw_run");
    }

    decltype(plx_fftw_make)* make = nullptr;
    decltype(plx_fftw_free)* free = nullptr;
    decltype(plx_fftw_run)* run = nullptr;
};

class FftwPlan final : public Plan {
public:
    FftwPlan(const TransformSpec& spec, Direction direction)
        : spec_(spec), inverse_(direction == Direction::inverse), plan_(nullptr, fftw_.free) {
        const int kind = spec.kind == Kind::c2c ? PLX_FFTW_C2C : spec.kind == Kind::r2c ? PLX_FFTW_R2C : PLX_FFTW_C2R;
        const plx_fftw_spec asked{kind, inverse_ ? 1 : 0, host::platform::processors(), spec.width, spec.height, spec.batch};
        plan_.reset(fftw_.make(&asked));
        if (!plan_)
            throw DeviceError("fftwf_plan_many_dft", -1, "no plan", "plan fftw",
                              "the transform may be too large for FFTW's 32-bit sizes");
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer from = arrays.input("array"), to = arrays.output("array");
        const std::byte* const in = from.host_pointer();
        std::byte* const out = to.host_pointer();
        for (const std::byte* pointer : {in, static_cast<const std::byte*>(out)})
            if (reinterpret_cast<std::uintptr_t>(pointer) % 16 != 0)
                throw UnsupportedError("the variant fftw",
                                       {"an array of the caller's is not aligned to 16 bytes, as FFTW's plan has it"});
        x.host_task("fft fftw", [this, from, to, in, out] { fftw_.run(plan_.get(), in, out); });
        if (inverse_) x.host_task("fft fftw scale", [this, to, out] { scale(reinterpret_cast<float*>(out)); });
    }

private:
    /// FFTW leaves out the inverse's 1/N.
    void scale(float* out) const {
        const auto factor = static_cast<float>(1.0 / (static_cast<double>(spec_.width) * static_cast<double>(spec_.height)));
        parallel_ranges(
            spec_.batch * spec_.height * spec_.width * (spec_.kind == Kind::c2c ? 2 : 1), 0,
            [=](std::int64_t first, std::int64_t end) {
                for (std::int64_t i = first; i < end; ++i) out[i] *= factor;
            },
            elements_worth_a_thread);
    }

    TransformSpec spec_;
    bool inverse_;
    Fftw fftw_;
    std::unique_ptr<plx_fftw_plan, decltype(plx_fftw_free)*> plan_;
};

std::string why_not(const Problem& problem) {
    const auto& p = problem.parameters.as<fft::FftParameters>();
    if (p.fft != fft::Library::automatic) return "the parameter fft asks for another library";
    const TransformSpec spec = fft::spec_of(p, problem.inputs.at("array"));
    if (spec.kind == Kind::dct) return "this peer makes no cosine transforms";
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (spec.width * spec.height > most || spec.batch > most) return "FFTW counts elements in 32 bits";
    return {};
}

}  // namespace

void add_fftw(Algorithm& algorithm) {
    if (algorithm.name != "fft") return;
    algorithm.variants.push_back(peer_variant(
        "fftw", "FFTW on every thread of the host, for comparison; runs where it is asked for", host::Backend::native, why_not,
        [] { Fftw(); },
        [](PlanBuilder&, const Problem& problem, const Policy&) -> std::unique_ptr<Plan> {
            const auto& p = problem.parameters.as<fft::FftParameters>();
            return std::make_unique<FftwPlan>(fft::spec_of(p, problem.inputs.at("array")), fft::direction_of(p));
        }));
}

}  // namespace parallax::engine::peers
