// `reference`: the same integers and the same single operations as the kernel, on the native device.
#include "algorithms/noise/normal.hpp"
#include "algorithms/noise/parameters.hpp"
#include "core/make_variant.hpp"
#include "core/observation.hpp"
#include "core/plan.hpp"
#include "core/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <type_traits>

namespace parallax::engine::noise {
namespace {

float noisy_of(const NoiseSpec& s, float v, std::uint64_t i) {
    if (s.kind == Kind::salt_and_pepper) {
        if (splitmix64(2 * i + (s.seed << 32)) >> 11 >= s.threshold) return v;
        return splitmix64(2 * i + 1 + (s.seed << 32)) >> 63 != 0 ? s.full : 0.0f;
    }
    const float deviation = s.scale * (static_cast<float>(normal(i, s.seed)) * 0x1p-27f);
    const float noisy = v + (s.kind == Kind::speckle ? v * deviation : deviation);
    if (!s.clip) return noisy;
    return noisy < 0 ? 0.0f : noisy > s.full ? s.full : noisy;
}

/// Whether levels lie outside 0 to full scale.
template <class T>
bool add_noise(const NoiseSpec& s, const host::Buffer& in, const host::Buffer& out) {
    std::atomic<bool> beyond = false;
    const auto* from = reinterpret_cast<const T*>(in.host_pointer());
    auto* to = reinterpret_cast<T*>(out.host_pointer());
    parallel_ranges(static_cast<std::int64_t>(s.count), 0, [&](std::int64_t first, std::int64_t end) {
        bool outside = false;
        for (std::int64_t i = first; i < end; ++i) {
            const auto level = static_cast<float>(from[i]);
            outside |= level < 0 || level > s.full;
            const float noisy = noisy_of(s, level, static_cast<std::uint64_t>(i));
            if constexpr (std::is_floating_point_v<T>) to[i] = noisy;
            else to[i] = static_cast<T>(std::clamp(std::nearbyint(noisy), 0.0f, static_cast<float>(s.levels())));
        }
        if (outside) beyond = true;
    }, elements_worth_a_thread);
    return beyond;
}

class ReferencePlan final : public Plan {
public:
    explicit ReferencePlan(const Problem& problem) : spec_(spec_of(problem)) {}
    void enqueue(Execution& x, const Bindings& arrays) override {
        const auto beyond = std::make_shared<bool>(false);
        x.host_task("noise", [this, beyond, in = arrays.input("image"), out = arrays.output("image")] {
            *beyond = spec_.type == ElementType::u8    ? add_noise<std::uint8_t>(spec_, in, out)
                      : spec_.type == ElementType::u16 ? add_noise<std::uint16_t>(spec_, in, out)
                                                       : add_noise<float>(spec_, in, out);
        });
        if (spec_.may_cut()) x.record(observed, [beyond, spec = spec_] { return told(*beyond, spec); });
    }

private:
    NoiseSpec spec_;
};

}  // namespace

Variant reference_variant() {
    return make_variant<ReferencePlan>(native_row("reference", "on the host, the kernel's arithmetic"));
}

}  // namespace parallax::engine::noise
