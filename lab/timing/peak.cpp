#include "timing/peak.hpp"

#include "core/threads.hpp"
#include "support/platform.hpp"
#include "timing/timed.hpp"

#include <cstdint>
#include <type_traits>

namespace parallax::engine::compare {

namespace {

/// Chains of multiply-adds in plain C++, as this program's own native code is compiled.
template <class T>
double peak_of_host() {
    constexpr std::int64_t rounds = 4000000;
    constexpr int lanes = 32;
    const T slope = std::is_integral_v<T> ? T(3) : T(0.999), offset = std::is_integral_v<T> ? T(1) : T(0.5);
    const auto threads = static_cast<std::int64_t>(host::platform::processors());
    std::vector<T> sums(static_cast<std::size_t>(threads));
    const auto start = Clock::now();
    parallel_ranges(threads, 0, [&](std::int64_t first, std::int64_t end) {
        T x[lanes];
        for (int k = 0; k < lanes; ++k) x[k] = static_cast<T>(k);
        for (std::int64_t r = 0; r < rounds * (end - first); ++r)
            for (int k = 0; k < lanes; ++k) x[k] = x[k] * slope + offset;
        T sum = 0;
        for (int k = 0; k < lanes; ++k) sum += x[k];
        sums[static_cast<std::size_t>(first)] = sum;
    });
    const double seconds = seconds_since(start);
    const volatile T used = sums.front();
    static_cast<void>(used);
    return 2.0 * lanes * static_cast<double>(rounds * threads) / seconds;
}

}  // namespace

double peak_of(host::Context& context, host::Queue& queue, Arithmetic of, int count) {
    if (context.info().backend == host::Backend::native)
        return of == Arithmetic::f64   ? peak_of_host<double>()
               : of == Arithmetic::i32 ? peak_of_host<std::uint32_t>()
                                       : peak_of_host<float>();
    if (of == Arithmetic::f64 && !context.capabilities().fp64) return 0;
    const bool cpu = context.info().type == host::DeviceType::cpu;
    const std::size_t lanes = cpu ? 16 : 1;
    host::Defines defines;
    defines.add("ELEMENT", static_cast<std::int64_t>(of));
    defines.add("LANES", static_cast<std::int64_t>(lanes));
    const auto kernel = context.build({"benchmark/peak.cl", defines})->kernel("peak");
    const std::size_t local = std::min<std::size_t>(256, kernel->max_work_group());
    const std::size_t groups = std::size_t{context.info().compute_units} * (cpu ? 4 : 32);
    const std::uint32_t rounds = cpu ? 200 : 4096;
    const host::Buffer out = context.allocate(groups * local * lanes * sizeof(double));
    const host::Arg args[]{out, of == Arithmetic::i32 ? 3.0f : 0.999f, of == Arithmetic::i32 ? 1.0f : 0.5f, rounds};
    const double seconds = median_of(count, [&] {
        return timed(queue, [&] {
            return queue.launch({.kernel = *kernel, .groups = {groups}, .local = {local}, .args = args, .step = "peak"});
        });
    });
    return 2.0 * 64 * rounds * static_cast<double>(groups * local * lanes) / seconds;
}

}  // namespace parallax::engine::compare
