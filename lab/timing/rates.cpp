#include "timing/rates.hpp"

#include "timing/peak.hpp"
#include "timing/timed.hpp"
#include "core/clock.hpp"
#include "core/threads.hpp"
#include "support/platform.hpp"

#include <algorithm>
#include <cstring>

namespace parallax::engine::compare {

namespace {

double copy_by_threads(const host::Buffer& from, const host::Buffer& to, std::size_t bytes) {
    const auto start = Clock::now();
    parallel_ranges(static_cast<std::int64_t>(bytes), 0, [&](std::int64_t first, std::int64_t end) {
        std::memcpy(to.host_pointer() + first, from.host_pointer() + first, static_cast<std::size_t>(end - first));
    });
    return seconds_since(start);
}

double copy_of(host::Context& context, host::Queue& queue, std::size_t wanted, int count) {
    const std::size_t bytes = std::min<std::size_t>(wanted, context.info().max_allocation / 2) / 4096 * 4096;
    const host::Buffer a = context.allocate(bytes), b = context.allocate(bytes);
    const double moved = 2.0 * static_cast<double>(bytes);
    if (context.info().backend == host::Backend::native)
        return moved / median_of(count, [&] { return copy_by_threads(a, b, bytes); });
    const auto kernel = context.build({"benchmark/copy.cl", {}})->kernel("copy");
    const std::uint64_t vectors = bytes / 16;
    const std::size_t local = std::min<std::size_t>(256, kernel->max_work_group());
    const host::Arg args[]{a, b, vectors};
    const double by_driver =
        median_of(count, [&] { return timed(queue, [&] { return queue.copy(a, 0, b, 0, bytes, "copy"); }); });
    const double by_kernel = median_of(count, [&] {
        return timed(queue, [&] {
            return queue.launch(
                {.kernel = *kernel, .groups = {(vectors + local - 1) / local}, .local = {local}, .args = args, .step = "copy"});
        });
    });
    return moved / std::min(by_driver, by_kernel);
}

void transfers(host::Context& context, host::Queue& queue, std::size_t bytes, int count, Rates& rates) {
    const host::Buffer buffer = context.allocate(bytes);
    const auto pinned = context.allocate_pinned(bytes);
    std::memset(pinned->bytes().data(), 1, bytes);
    rates.upload = static_cast<double>(bytes) / median_of(count, [&] {
                       return timed(queue, [&] { return queue.write(buffer, 0, pinned->bytes().data(), bytes, "upload"); });
                   });
    rates.download = static_cast<double>(bytes) / median_of(count, [&] {
                         return timed(queue, [&] { return queue.read(buffer, 0, pinned->bytes().data(), bytes, "download"); });
                     });
}

double launch_of(host::Context& context, host::Queue& queue) {
    if (context.info().backend == host::Backend::native) return 0;
    const auto kernel = context.build({"benchmark/copy.cl", {}})->kernel("copy");
    const host::Buffer buffer = context.allocate(256);
    const host::Arg args[]{buffer, buffer, std::uint64_t{0}};
    return median_of(20, [&] {
        const auto start = Clock::now();
        queue.launch({.kernel = *kernel, .groups = {1}, .local = {1}, .args = args, .step = "launch"});
        queue.finish();
        return seconds_since(start);
    });
}

}  // namespace

double copy_bandwidth(host::Context& context, host::Queue& queue) { return copy_of(context, queue, std::size_t{512} << 20, 10); }

Json Rates::to_json() const {
    return {{"copy_gbs", copy * 1e-9},
            {"upload_gbs", upload * 1e-9},
            {"download_gbs", download * 1e-9},
            {"peak_gflops", peak_f32 * 1e-9},
            {"launch_us", launch * 1e6}};
}

Rates measure_rates(host::Context& context, host::Queue& queue, bool quick) {
    Rates rates;
    rates.copy = quick ? copy_of(context, queue, std::size_t{16} << 20, 3) : copy_bandwidth(context, queue);
    transfers(context, queue, std::size_t{quick ? 4u : 128u} << 20, quick ? 3 : 10, rates);
    rates.peak_f32 = peak_of(context, queue, Arithmetic::f32, quick ? 1 : 5);
    rates.launch = launch_of(context, queue);
    return rates;
}

}  // namespace parallax::engine::compare
