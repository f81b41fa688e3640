// Every variant of `hologram` on one device: u8 image on the device -> amplitude on the device, angular spectrum, the paddings
// that are asked for, the transfer function kept from frame to frame. On the processor the same steps on FFTW beside it: real to
// half spectrum, product, complex inverse, modulus, all on the same number of threads.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <complex>
#include <numbers>
#include <thread>

#include "fftw.hpp"
#include "measure.hpp"
#include "parallax/host/error.hpp"

namespace {

using namespace parallax;
using namespace parallax::bench;
using namespace parallax::engine;
using Complex = std::complex<float>;

constexpr double wavelength = 532e-9, pixel = 1.4e-6, distance = 500e-6;

/// Rings with fine and coarse structure, the same for every row of the table.
std::vector<std::uint8_t> image(Size size) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size.width * size.height));
    for (std::int64_t y = 0; y < size.height; ++y)
        for (std::int64_t x = 0; x < size.width; ++x) {
            const double r = std::hypot(static_cast<double>(x) - 0.4 * static_cast<double>(size.width),
                                        static_cast<double>(y) - 0.55 * static_cast<double>(size.height));
            pixels[static_cast<std::size_t>(y * size.width + x)] =
                static_cast<std::uint8_t>(120 + 60 * std::cos(0.02 * r * r) * std::exp(-r / 40));
        }
    return pixels;
}

/// A pixel, none: 1 byte in, half spectrum out and in, two products out and in at 8 bytes each, 4 bytes out. reflect: cosines of
/// 4 bytes out and in, 8 bytes of the field out and in. mean, zero: the transforms that know their zeros (FORMULAS 5.2). Planes
/// share what comes before the columns.
double floor_bytes(Size size, const std::string& padding, int planes) {
    const double pixels = static_cast<double>(size.width * size.height);
    const double shared = padding == "none" ? 8 : padding == "reflect" ? 5 : 9;
    const double a_plane = padding == "none" || padding == "reflect" ? 24 : 44;
    return pixels * (shared + planes * a_plane);
}

/// `planes` distances around the one that single frames have.
Json distances_um(int planes) {
    if (planes == 1) return distance * 1e6;
    Json all = Json::array();
    for (int i = 0; i < planes; ++i) all.push_back(distance * 1e6 * (0.8 + 0.4 * i / (planes - 1)));
    return all;
}

class FftwHologram {
public:
    FftwHologram(const Fftw& fftw, Size size, int threads, const std::vector<std::uint8_t>& pixels)
        : size_(size),
          threads_(threads),
          half_(size.width / 2 + 1),
          h_(fftw.array<float>(count())),
          half_spectrum_(fftw.array<Complex>(half_ * size.height)),
          transfer_(fftw.array<Complex>(count())),
          field_(fftw.array<Complex>(count())),
          amplitude_(fftw.array<float>(count())),
          forward_(fftw.r2c(size.width, size.height, h_.get(), half_spectrum_.get())),
          inverse_(fftw.c2c(size.width, size.height, field_.get(), field_.get(), Fftw::Sign::inverse)) {
        for (std::int64_t i = 0; i < count(); ++i) h_[static_cast<std::size_t>(i)] = pixels[static_cast<std::size_t>(i)];
        make_transfer();
    }

    void run() {
        forward_->run();
        rows([this](std::int64_t y) {
            const std::int64_t mirrored = y == 0 ? 0 : size_.height - y;
            const Complex* f = half_spectrum_.get() + y * half_;
            const Complex* g = half_spectrum_.get() + mirrored * half_;
            const Complex* t = transfer_.get() + y * size_.width;
            Complex* u = field_.get() + y * size_.width;
            for (std::int64_t x = 0; x < half_; ++x) u[x] = product(f[x], t[x]);
            for (std::int64_t x = half_; x < size_.width; ++x) u[x] = product(std::conj(g[size_.width - x]), t[x]);
        });
        inverse_->run();
        rows([this](std::int64_t y) {
            for (std::int64_t i = y * size_.width; i < (y + 1) * size_.width; ++i) {
                const Complex u = field_[static_cast<std::size_t>(i)];
                amplitude_[static_cast<std::size_t>(i)] = std::sqrt(u.real() * u.real() + u.imag() * u.imag());
            }
        });
    }

    const float* amplitude() const { return amplitude_.get(); }

private:
    std::int64_t count() const { return size_.width * size_.height; }
    // std::complex's own product checks for infinities.
    static Complex product(Complex a, Complex b) {
        return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    }

    template <class Body>
    void rows(const Body& body) const {
        std::vector<std::jthread> helpers;
        const auto part = [&](int i) {
            for (std::int64_t y = size_.height * i / threads_; y < size_.height * (i + 1) / threads_; ++y) body(y);
        };
        for (int i = 1; i < threads_; ++i) helpers.emplace_back(part, i);
        part(0);
    }

    // angular_spectrum with its band limit (docs/theory/holography.md#transfer-functions), and 1 / (M N).
    void make_transfer() {
        const auto frequency = [](std::int64_t k, std::int64_t n) {
            return static_cast<double>(k <= n / 2 ? k : k - n) / (static_cast<double>(n) * pixel);
        };
        const auto limit = [](std::int64_t n) {
            return 1 / (wavelength * std::sqrt(std::pow(2 * distance / (static_cast<double>(n) * pixel), 2) + 1));
        };
        const double limit_x = limit(size_.width), limit_y = limit(size_.height);
        rows([&](std::int64_t y) {
            for (std::int64_t x = 0; x < size_.width; ++x) {
                const double fx = frequency(x, size_.width), fy = frequency(y, size_.height);
                const double under = 1 / (wavelength * wavelength) - fx * fx - fy * fy;
                const bool kept = under > 0 && std::abs(fx) < limit_x && std::abs(fy) < limit_y;
                transfer_[static_cast<std::size_t>(y * size_.width + x)] =
                    kept ? Complex(std::polar(1.0 / static_cast<double>(count()),
                                              -2 * std::numbers::pi * std::remainder(distance * std::sqrt(under), 1.0)))
                         : Complex(0);
            }
        });
    }

    Size size_;
    int threads_;
    std::int64_t half_;
    Fftw::Array<float> h_;
    Fftw::Array<Complex> half_spectrum_, transfer_, field_;
    Fftw::Array<float> amplitude_;
    std::unique_ptr<Fftw::Plan> forward_, inverse_;
};

double relative_error(const float* a, const float* b, std::int64_t count) {
    double error = 0, norm = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        error += std::pow(static_cast<double>(a[i]) - b[i], 2);
        norm += std::pow(static_cast<double>(b[i]), 2);
    }
    return std::sqrt(error / norm);
}

int run(const Options& options, const std::vector<std::string>& paddings, int planes, const std::string& policy) {
    const std::vector<Size> sizes = options.chosen_sizes();
    Bench bench(options);
    fmt::print("copy {:.1f} GB/s; copy %: 32 bytes a pixel at that speed\n", bench.bandwidth * 1e-9);
    std::string problem;
    const auto fftw =
        bench.device().type == host::DeviceType::cpu && options.wants("fftw") ? Fftw::open(options.threads, problem) : nullptr;
    if (!problem.empty()) fmt::print("no FFTW beside it: {}\n", problem);

    const Algorithm& hologram = bench.engine.registry().get("hologram");
    print_header();
    for (const Size size : sizes) {
        const std::vector<std::uint8_t> pixels = image(size);
        HostArray host = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', size.height}, {'x', size.width}}));
        std::copy(pixels.begin(), pixels.end(), reinterpret_cast<std::uint8_t*>(host.data()));
        const std::int64_t count = size.width * size.height * planes;
        const DeviceArray input = bench.session.upload(host);
        for (const std::string& padding : paddings) {
            std::vector<float> first;   // what the first row computed: the others must agree
            const auto agree = [&](const float* amplitude) {
                if (first.empty()) {
                    first.assign(amplitude, amplitude + count);
                    return 0.0;
                }
                return relative_error(amplitude, first.data(), count);
            };
            const auto check = [&](const Row& row) {
                if (!(row.error < 1e-3))
                    throw Error(
                        fmt::format("{} at {} differs by {:.1e}: no time without agreement", row.name, row.size, row.error));
            };
            if (fftw && padding == "none" && planes == 1) {
                const auto start = std::chrono::steady_clock::now();
                FftwHologram steps(*fftw, size, options.threads, pixels);
                Row row{to_string(size),
                        "fftw",
                        fmt::format("none: {} threads, FFTW_MEASURE", options.threads),
                        {},
                        floor_bytes(size, padding, planes)};
                row.plan_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                steps.run();
                row.error = agree(steps.amplitude());
                row.timing = measure(options, [&] {
                    steps.run();
                    return -1.0;
                });
                bench.add(row, {{"padding", padding}});
            }
            for (const Variant& variant : hologram.variants) {
                if (!options.wants(variant.name)) continue;
                Call call;
                call.algorithm = &hologram;
                call.parameters = hologram.parameters.parse({{"method", "angular_spectrum"},
                                                             {"wavelength_nm", wavelength * 1e9},
                                                             {"pixel_um", pixel * 1e6},
                                                             {"distance_um", distances_um(planes)},
                                                             {"padding", padding}},
                                                            "");
                call.variant = variant.name;
                if (!policy.empty()) call.policy = Json::parse(policy);
                call.inputs = {{"hologram", input}};
                call.outputs = {"amplitude"};
                CallResult result;
                try {
                    result = bench.session.run(call);
                } catch (const UnsupportedError& error) {
                    print_refusal(to_string(size), variant.name, error, padding + ": ");
                    continue;
                }
                Row row{to_string(size), variant.name, padding + ": " + variant.summary, {}, floor_bytes(size, padding, planes)};
                row.plan_seconds = result.plan_seconds;
                row.error = agree(bench.session.download(result.outputs.at("amplitude")).as<float>());
                check(row);
                row.timing = bench.time(call, result);
                row.kernels = kernel_milliseconds(bench.session.profiler());
                bench.add(row, {{"padding", padding}});
            }
        }
    }
    write_json(options.json, bench.report);
    return 0;
}

}   // namespace

int main(int argc, char** argv) {
    CLI::App app("Times hologram reconstruction on one device.");
    Options options;
    options.add_to(app);
    std::vector<std::string> paddings{"none", "reflect"};
    app.add_option("--padding", paddings, "none, reflect, mean, zero")->delimiter(',')->capture_default_str();
    int planes = 1;
    app.add_option("--planes", planes, "distances of a frame")->check(CLI::Range(1, 1000))->capture_default_str();
    std::string policy;
    app.add_option("--policy", policy, "JSON; of the variants that are asked for");
    return run_main(app, argc, argv, [&] { return run(options, paddings, planes, policy); });
}
