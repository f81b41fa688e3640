// What bounds a kernel besides the memory and f32: other arithmetic, caches, local memory, latency.
#include "timing/peak.hpp"
#include "timing/rates.hpp"
#include "timing/timed.hpp"
#include "core/threads.hpp"
#include "support/platform.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

namespace parallax::engine::compare {

namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib;
constexpr std::size_t line = 128;   // bytes: no cache of 2026 has longer ones

void fill_buffer(host::Context& context, host::Queue& queue, const host::Buffer& buffer, const void* from, std::size_t bytes) {
    if (context.info().backend == host::Backend::native) {
        std::memcpy(buffer.host_pointer(), from, bytes);
        return;
    }
    queue.write(buffer, 0, from, bytes, "rates");
    queue.finish();
}

double read_on_host(const float* from, std::size_t bytes, std::size_t wanted, int count) {
    const std::size_t numbers = bytes / sizeof(float), rounds = std::max<std::size_t>(wanted / bytes, 1);
    const auto threads = static_cast<std::int64_t>(host::platform::processors());
    std::vector<float> sums(static_cast<std::size_t>(threads));
    const double seconds = median_of(count, [&] {
        const auto start = Clock::now();
        parallel_ranges(threads, 0, [&](std::int64_t first, std::int64_t end) {
            float lanes[32] = {};
            for (std::size_t r = 0; r < rounds * static_cast<std::size_t>(end - first); ++r)
                for (std::size_t i = 0; i + 32 <= numbers; i += 32)
                    for (std::size_t k = 0; k < 32; ++k) lanes[k] += from[i + k];
            sums[static_cast<std::size_t>(first)] = std::accumulate(lanes, lanes + 32, 0.0f);
        });
        return seconds_since(start);
    });
    const volatile float used = sums.front();
    static_cast<void>(used);
    return static_cast<double>(bytes * rounds) * static_cast<double>(threads) / seconds;
}

double read_again(host::Context& context, host::Queue& queue, std::size_t bytes, bool quick) {
    const host::Buffer in = context.allocate(bytes);
    const std::vector<float> ones(bytes / sizeof(float), 1);
    fill_buffer(context, queue, in, ones.data(), bytes);
    const bool cpu = context.info().type == host::DeviceType::cpu;
    if (context.info().backend == host::Backend::native)
        return read_on_host(reinterpret_cast<const float*>(in.host_pointer()), bytes, (quick ? 4 : 64) * mib, quick ? 1 : 5);
    host::Defines defines;
    defines.add("LANES", std::int64_t{cpu ? 16 : 1});
    const auto kernel = context.build({"benchmark/read_again.cl", defines})->kernel("read_again");
    const std::size_t local = cpu ? 1 : std::min<std::size_t>(256, kernel->max_work_group());
    const std::size_t groups = std::size_t{context.info().compute_units} * (cpu ? 4 : 16);
    const std::size_t a_read = cpu ? 256 : 16, a_vector = cpu ? 64 : 16;   // bytes
    const auto vectors = static_cast<std::uint32_t>(bytes / a_vector);
    const std::uint32_t rounds = (quick ? 16 : 512) * (cpu ? 64 : 1);
    const host::Buffer out = context.allocate(groups * local * 64);
    const host::Arg args[]{in, out, vectors, rounds};
    const double seconds = median_of(quick ? 1 : 5, [&] {
        return timed(queue, [&] {
            return queue.launch({.kernel = *kernel, .groups = {groups}, .local = {local}, .args = args, .step = "read"});
        });
    });
    return static_cast<double>(a_read * rounds) * static_cast<double>(groups * local) / seconds;
}

double local_reads(host::Context& context, host::Queue& queue, bool quick) {
    if (context.info().type == host::DeviceType::cpu || context.info().backend == host::Backend::native)
        return 0;   // theirs is a cache
    std::size_t local = 256;
    while (local > context.info().max_work_group) local /= 2;
    host::Defines defines;
    defines.add("GROUP", static_cast<std::int64_t>(local));
    const auto kernel = context.build({"benchmark/local_reads.cl", defines})->kernel("local_reads");
    const std::size_t groups = std::size_t{context.info().compute_units} * 32;
    const std::uint32_t rounds = quick ? 4 : 512;
    const host::Buffer out = context.allocate(groups * local * sizeof(float));
    const host::Arg args[]{out, rounds};
    const double seconds = median_of(quick ? 1 : 5, [&] {
        return timed(queue, [&] {
            return queue.launch({.kernel = *kernel, .groups = {groups}, .local = {local}, .args = args, .step = "local"});
        });
    });
    return 16.0 * 8 * rounds * static_cast<double>(groups * local) / seconds;
}

/// One cycle through all lines of so many bytes, in an order that no prefetcher guesses.
std::vector<std::uint32_t> cycle_of(std::size_t bytes) {
    const std::size_t lines = bytes / line, step = line / sizeof(std::uint32_t);
    std::vector<std::uint32_t> order(lines), next(bytes / sizeof(std::uint32_t));
    std::iota(order.begin(), order.end(), 0);
    std::mt19937_64 random(20261123);
    for (std::size_t i = lines - 1; i > 0; --i) std::swap(order[i], order[random() % i]);   // Sattolo's: a single cycle
    for (std::size_t i = 0; i < lines; ++i) next[i * step] = static_cast<std::uint32_t>(order[i] * step);
    return next;
}

double latency_of(host::Context& context, host::Queue& queue, std::size_t wanted, bool quick) {
    const std::size_t bytes = std::min<std::size_t>(wanted, context.info().max_allocation / 2) / line * line;
    const std::vector<std::uint32_t> next = cycle_of(bytes);
    const std::uint32_t steps = quick ? 1000 : 20000;
    if (context.info().backend == host::Backend::native) {
        volatile std::uint32_t end = 0;
        return median_of(quick ? 1 : 5,
                         [&] {
                             const auto start = Clock::now();
                             std::uint32_t at = 0;
                             for (std::uint32_t s = 0; s < steps; ++s) at = next[at];
                             end = at;
                             return seconds_since(start);
                         }) /
               steps;
    }
    const host::Buffer in = context.allocate(bytes), out = context.allocate(sizeof(std::uint32_t));
    fill_buffer(context, queue, in, next.data(), bytes);
    const auto kernel = context.build({"benchmark/chase.cl", {}})->kernel("chase");
    const host::Arg args[]{in, out, steps};
    return median_of(
               quick ? 1 : 5,
               [&] {
                   return timed(queue, [&] {
                       return queue.launch({.kernel = *kernel, .groups = {1}, .local = {1}, .args = args, .step = "latency"});
                   });
               }) /
           steps;
}

Json or_null(double value, double scale) { return value > 0 ? Json(value * scale) : Json(); }

}  // namespace

Json Roofs::to_json() const {
    Json by_size = Json::object();
    for (const auto& [bytes, rate] : read) by_size[std::to_string(bytes)] = rate * 1e-9;
    return {{"peak_f64_gflops", or_null(peak_f64, 1e-9)},
            {"peak_i32_gops", or_null(peak_i32, 1e-9)},
            {"read_gbs", std::move(by_size)},
            {"local_gbs", or_null(local, 1e-9)},
            {"cache_latency_ns", or_null(cache_latency, 1e9)},
            {"memory_latency_ns", or_null(memory_latency, 1e9)}};
}

Roofs measure_roofs(host::Context& context, host::Queue& queue, bool quick) {
    Roofs roofs;
    roofs.peak_f64 = peak_of(context, queue, Arithmetic::f64, quick ? 1 : 5);
    roofs.peak_i32 = peak_of(context, queue, Arithmetic::i32, quick ? 1 : 5);
    for (const std::size_t bytes : {32 * kib, 256 * kib, 2 * mib, 16 * mib, 128 * mib}) {
        if ((quick && bytes > 2 * mib) || bytes > context.info().max_allocation / 2) continue;
        roofs.read.emplace_back(bytes, read_again(context, queue, bytes, quick));
    }
    roofs.local = local_reads(context, queue, quick);
    roofs.cache_latency = latency_of(context, queue, 32 * kib, quick);
    roofs.memory_latency = latency_of(context, queue, (quick ? 4 : 256) * mib, quick);
    return roofs;
}

}  // namespace parallax::engine::compare
