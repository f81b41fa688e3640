// `radix2`: the source paper's transform (Luo et al. 2021), for comparison: bit reversal, then a launch for each of
// the log2 n stages, a work-item a butterfly, the work-group's twiddles in local memory.
#include "algorithms/fft/libraries.hpp"
#include "algorithms/fft/radices.hpp"

#include <fmt/format.h>

#include <bit>
#include <complex>
#include <vector>

namespace parallax::engine::fft {
namespace {

constexpr std::int64_t longest_radix2 = std::int64_t{1} << 20;   // work-groups along y stay below 65536

bool is_power_of_two(std::int64_t n) { return n >= 1 && std::has_single_bit(static_cast<std::uint64_t>(n)); }

/// One axis of [images][n][unit].
class SeedAxis {
public:
    SeedAxis(PlanBuilder& builder, std::int64_t images, std::int64_t n, std::int64_t unit)
        : images_(images), n_(n), unit_(unit), across_(unit > 1 ? 16 : 1), along_(unit > 1 ? 16 : 256) {
        host::ProgramSpec spec{"fft/radix2.cl", {}};
        spec.defines.add("SEED_ACROSS", across_).add("SEED_ALONG", along_);
        reverse_ = builder.kernel(spec, "radix2_reverse", 256);
        butterflies_ = builder.kernel(spec, "radix2_butterflies", 256);
        std::vector<std::complex<float>> roots;
        for (std::int64_t k = 0; k < std::max<std::int64_t>(n / 2, 1); ++k)
            roots.emplace_back(std::complex<float>(unit_root(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(n))));
        roots_ = builder.constant(roots);
    }

    void enqueue(Execution& execution, std::string_view stage, const host::Buffer& in, const host::Buffer& out,
                 Direction direction) {
        const auto scope = execution.scope(stage);
        const auto images = static_cast<std::uint64_t>(images_), unit = static_cast<std::uint64_t>(unit_);
        const auto n = static_cast<std::uint32_t>(n_);
        const auto groups = [this](std::int64_t points) {
            return host::NDRange{static_cast<std::size_t>((unit_ + across_ - 1) / across_ * images_),
                                 static_cast<std::size_t>((points + along_ - 1) / along_)};
        };
        const host::NDRange local{static_cast<std::size_t>(across_), static_cast<std::size_t>(along_)};
        const auto bits = static_cast<std::uint32_t>(std::countr_zero(static_cast<std::uint64_t>(n_)));
        execution.launch("bit reversal", *reverse_, groups(n_), local,
                         {in, out, images, unit, n, bits, static_cast<std::int32_t>(in == out)});
        const auto inverse = static_cast<std::int32_t>(direction == Direction::inverse);
        for (std::uint32_t half = 1; half < n; half *= 2) {
            const float scale = inverse && half * 2 == n ? static_cast<float>(1.0 / static_cast<double>(n_)) : 1.0f;
            execution.launch("butterflies", *butterflies_, groups(n_ / 2), local,
                             {out, roots_, images, unit, n, half, inverse, scale});
        }
    }

private:
    std::int64_t images_, n_, unit_, across_, along_;
    std::unique_ptr<host::Kernel> reverse_, butterflies_;
    host::Buffer roots_;
};

class SeedTransform final : public Transform {
public:
    SeedTransform(PlanBuilder& builder, const TransformSpec& spec)
        : spec_(spec),
          rows_(builder, spec.batch * spec.height, spec.width, 1),
          columns_(builder, spec.batch, spec.height, spec.width) {}

    void enqueue(Execution& execution, const host::Buffer& in, const host::Buffer& out, Direction direction) override {
        rows_.enqueue(execution, "fft rows", in, out, direction);
        if (spec_.height > 1) columns_.enqueue(execution, "fft columns", out, out, direction);
    }

    std::string describe() const override { return fmt::format("radix2 ({} x {})", spec_.width, spec_.height); }

private:
    TransformSpec spec_;
    SeedAxis rows_, columns_;
};

}  // namespace

std::string radix2_why_not(const TransformSpec& spec, host::Context& context) {
    if (context.info().backend == host::Backend::native) return "needs an OpenCL or CUDA device";
    if (context.info().max_work_group < 256)
        return fmt::format("needs work-groups of 256; the device has {}", context.info().max_work_group);
    if (spec.kind != Kind::c2c) return "transforms complex arrays only (kind c2c)";
    for (const std::int64_t n : {spec.width, spec.height}) {
        if (!is_power_of_two(n)) return fmt::format("takes powers of two only; {} is none", n);
        if (n > longest_radix2) return fmt::format("takes lengths up to {}; this is {}", longest_radix2, n);
    }
    return {};
}

std::unique_ptr<Transform> make_radix2(PlanBuilder& builder, const TransformSpec& spec) {
    return std::make_unique<SeedTransform>(builder, spec);
}

}  // namespace parallax::engine::fft
