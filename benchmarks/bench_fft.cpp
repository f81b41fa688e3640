// Every FFT library on one device, c2c in two dimensions, out of place; FFTW beside it where the device is the processor.
// A row is verified before it is timed.
#include "algorithms/fft/libraries.hpp"
#include "core/kernel_fit.hpp"
#include "fftw.hpp"
#include "measure.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <random>

namespace {

using namespace parallax;
using namespace parallax::bench;
using namespace parallax::engine;
using Complex = std::complex<float>;

struct Library {
    std::string name;
    std::string (*why_not)(const fft::TransformSpec&, host::Context&);
    std::unique_ptr<fft::Transform> (*make)(PlanBuilder&, const fft::TransformSpec&);
};

const std::vector<Library>& libraries() {
    static const std::vector<Library> all{
        {"radix", fft::radix_why_not, fft::make_radix},
        {"simd", fft::simd_why_not, fft::make_simd},
#ifdef PARALLAX_HAS_VKFFT
        {"vkfft", fft::vkfft_why_not, fft::make_vkfft},
#endif
#ifdef PARALLAX_HAS_CLFFT
        {"clfft", fft::clfft_why_not, fft::make_clfft},
#endif
#ifdef PARALLAX_HAS_CUFFT
        {"cufft", fft::cufft_why_not, fft::make_cufft},
#endif
    };
    return all;
}

std::vector<Complex> noise(std::int64_t count) {
    std::minstd_rand random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<Complex> x(static_cast<std::size_t>(count));
    for (Complex& v : x) v = {uniform(random), uniform(random)};
    return x;
}

/// Largest error of a few bins, summed directly in double, relative to the root mean square of all bins.
double spot_error(const std::vector<Complex>& in, const std::vector<Complex>& out, Size size) {
    const auto wave = [](std::int64_t k, std::int64_t n) {
        std::vector<std::complex<double>> w(static_cast<std::size_t>(n));
        for (std::int64_t j = 0; j < n; ++j)
            w[static_cast<std::size_t>(j)] =
                std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k * j % n) / static_cast<double>(n));
        return w;
    };
    std::minstd_rand random(2);
    double worst = 0;
    for (int bin = 0; bin < 6; ++bin) {
        const std::int64_t kx = static_cast<std::int64_t>(random()) % size.width,
                           ky = static_cast<std::int64_t>(random()) % size.height;
        const auto wx = wave(kx, size.width), wy = wave(ky, size.height);
        std::complex<double> sum = 0;
        for (std::int64_t y = 0; y < size.height; ++y) {
            std::complex<double> row = 0;
            for (std::int64_t x = 0; x < size.width; ++x)
                row += std::complex<double>(in[static_cast<std::size_t>(y * size.width + x)]) * wx[static_cast<std::size_t>(x)];
            sum += row * wy[static_cast<std::size_t>(y)];
        }
        worst = std::max(worst, std::abs(sum - std::complex<double>(out[static_cast<std::size_t>(ky * size.width + kx)])));
    }
    double energy = 0;
    for (const Complex v : in) energy += std::norm(v);
    return worst / std::sqrt(energy);   // Parseval: sqrt(energy) is the bins' root mean square
}

struct Planned {
    std::unique_ptr<PlanBuilder> builder;
    std::unique_ptr<fft::Transform> transform;
};

/// As the engine plans: smaller where the device does not run what was built.
Planned plan(host::Context& context, host::Queue& queue, const Library& library, Size size) {
    host::DeviceInfo limits = context.info();
    for (int attempt = 0;; ++attempt) {
        try {
            auto builder = std::make_unique<PlanBuilder>(context, queue, limits);
            auto transform = library.make(*builder, {size.width, size.height, 1, fft::Kind::c2c});
            return {std::move(builder), std::move(transform)};
        } catch (const KernelMisfit& misfit) {
            if (attempt == 8) throw;
            limits = narrowed(limits, misfit, attempt);
        }
    }
}

Row run_library(const Options& options, host::Context& context, host::Queue& queue, const Library& library, Size size) {
    const std::int64_t count = size.width * size.height;
    const auto bytes = static_cast<std::size_t>(count) * sizeof(Complex);
    const auto start = std::chrono::steady_clock::now();
    const Planned planned = plan(context, queue, library, size);
    fft::Transform* const transform = planned.transform.get();
    Row row{to_string(size), library.name, transform->describe(), {}, 32.0 * static_cast<double>(count)};
    row.plan_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    std::vector<host::Buffer> workspace;
    for (const std::size_t slot : planned.builder->slots()) workspace.push_back(context.allocate(slot));
    const host::Buffer in = context.allocate(bytes), out = context.allocate(bytes);
    const std::vector<Complex> x = noise(count);
    std::vector<Complex> y(x.size());
    queue.write(in, 0, x.data(), bytes).wait();
    Profiler profiler;
    Execution execution(queue, profiler, workspace);
    Recordings recordings;
    if (options.replay && context.capabilities().recordings) execution.replay(recordings, Replay::short_ones);
    const auto run = [&] {
        profiler.clear();
        transform->enqueue(execution, in, out, fft::Direction::forward);
        execution.end_of_launches();
        queue.finish();
        return kernel_seconds(profiler);
    };
    run();
    queue.read(out, 0, y.data(), bytes).wait();
    row.error = spot_error(x, y, size);
    if (!(row.error < 1e-4))
        throw Error(fmt::format("{} at {} is wrong by {:.1e}: no time without agreement", library.name, row.size, row.error));
    row.timing = measure(options, run);
    row.kernels = kernel_milliseconds(profiler);
    return row;
}

Row run_fftw(const Options& options, const Fftw& fftw, Size size) {
    const std::int64_t count = size.width * size.height;
    auto in = fftw.array<Complex>(count), out = fftw.array<Complex>(count);
    const auto start = std::chrono::steady_clock::now();
    const auto plan = fftw.c2c(size.width, size.height, in.get(), out.get(), Fftw::Sign::forward);
    Row row{
        to_string(size), "fftw", fmt::format("{} threads, FFTW_MEASURE", options.threads), {}, 32.0 * static_cast<double>(count)};
    row.plan_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::vector<Complex> x = noise(count);
    std::copy(x.begin(), x.end(), in.get());
    plan->run();
    row.error = spot_error(x, {out.get(), out.get() + count}, size);
    row.timing = measure(options, [&] {
        plan->run();
        return -1.0;
    });
    return row;
}

int run(const Options& options) {
    const std::vector<Size> sizes = options.chosen_sizes();
    Bench bench(options);
    host::Context& context = bench.engine.context();
    fmt::print("copy {:.1f} GB/s; copy %: 32 bytes an element at that speed\n", bench.bandwidth * 1e-9);
    std::string problem;
    const auto fftw =
        bench.device().type == host::DeviceType::cpu && options.wants("fftw") ? Fftw::open(options.threads, problem) : nullptr;
    if (!problem.empty()) fmt::print("no FFTW beside it: {}\n", problem);

    print_header();
    for (const Size size : sizes) {
        for (const Library& library : libraries()) {
            if (!options.wants(library.name)) continue;
            const std::string reason = library.why_not({size.width, size.height, 1, fft::Kind::c2c}, context);
            if (!reason.empty()) {
                print_refusal(to_string(size), library.name, reason);
                continue;
            }
            try {
                bench.add(run_library(options, context, bench.session.queue(), library, size));
            } catch (const UnsupportedError& error) {
                print_refusal(to_string(size), library.name, error, "");
            }
        }
        if (fftw) bench.add(run_fftw(options, *fftw, size));
    }
    write_json(options.json, bench.report);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Times Fourier transforms on one device.");
    Options options;
    options.add_to(app);
    return run_main(app, argc, argv, [&] { return run(options); });
}
