// Lattice-Boltzmann diffusion on one device: every variant that runs there, both lattices, in millions of lattice updates a
// second (MLUPS). The variants' results are compared with each other before they are timed.
#include "core/session.hpp"
#include "measure.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <random>

namespace {

using namespace parallax;
using namespace parallax::bench;
using namespace parallax::engine;

/// Blocks of different grey, and noise: edges that hold and speckle that goes.
HostArray picture(Size size) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', size.height}, {'x', size.width}}));
    auto* values = reinterpret_cast<float*>(array.data());
    std::minstd_rand random(1);
    for (std::int64_t y = 0; y < size.height; ++y)
        for (std::int64_t x = 0; x < size.width; ++x)
            values[y * size.width + x] =
                ((x / 64 + y / 64) % 2 == 0 ? 80.0f : 160.0f) + static_cast<float>(random() % 1024) * (20.0f / 1024);
    return array;
}

double largest_difference(const HostArray& a, const HostArray& b) {
    const auto *x = reinterpret_cast<const float*>(a.data()), *y = reinterpret_cast<const float*>(b.data());
    double worst = 0;
    for (std::int64_t i = 0; i < a.desc.count(); ++i) worst = std::max(worst, std::abs(double{x[i]} - double{y[i]}));
    return worst;
}

struct Wishes {
    int iterations = 100, every = 1;
    std::vector<std::string> lattices{"D2Q9", "D2Q5"};
    Json policy = Json::object();
};

int run(const Options& options, const Wishes& wishes) {
    Bench bench(options);
    Session& session = bench.session;
    fmt::print("copy {:.1f} GB/s; {} iterations, edges every {}; copy %: 72 B a pixel and step for D2Q9, 40 for D2Q5\n",
               bench.bandwidth * 1e-9, wishes.iterations, wishes.every);
    bench.report["iterations"] = wishes.iterations;
    fmt::print("{:>10} {:<5} {:<10} {:>10} {:>12} {:>7} {:>9}\n", "size", "", "row", "us a step", "MLUPS", "copy %", "differs");
    const Algorithm& algorithm = bench.engine.registry().get("diffusion_lb");
    for (const std::string& text : options.sizes) {
        const Size size = parse_size(text);
        const auto pixels = static_cast<double>(size.width) * static_cast<double>(size.height);
        Call call;
        call.algorithm = &algorithm;
        call.inputs["image"] = session.upload(picture(size));
        for (const std::string& lattice : wishes.lattices) {
            call.parameters = algorithm.parameters.parse(
                {{"lattice", lattice}, {"iterations", wishes.iterations}, {"update_edges_every", wishes.every}}, "");
            std::optional<HostArray> first;
            for (const Variant* const variant : bench.variants(algorithm)) {
                call.variant = variant->name;
                call.policy = wishes.policy;
                try {
                    const CallResult result = session.run(call);
                    const HostArray out = session.download(result.outputs.at("image"));
                    const double differs = first ? largest_difference(*first, out) : 0;
                    if (!first) first = out;
                    if (!(differs < 0.5))
                        throw Error(fmt::format("{} differs by {} grey levels from the first row: no time without agreement",
                                                call.variant, differs));
                    const Timing timing = bench.time(call, result);
                    // Between kernels a device does nothing, so the wall's time counts: a step is a launch.
                    const double step = timing.wall / wishes.iterations;
                    const double bytes = lattice == "D2Q9" ? 72 : 40;
                    fmt::print("{:>10} {:<5} {:<10} {:>10.2f} {:>12.0f} {:>7.1f} {:>9.1e}  kernels {:.2f} us\n", text, lattice,
                               call.variant, step * 1e6, pixels / step * 1e-6, 100 * bytes * pixels / bench.bandwidth / step,
                               differs, timing.device.value_or(0) / wishes.iterations * 1e6);
                    bench.report["rows"].push_back(
                        {{"size", text},
                         {"lattice", lattice},
                         {"row", call.variant},
                         {"step_s", step},
                         {"kernel_step_s", timing.device ? Json(*timing.device / wishes.iterations) : Json(nullptr)},
                         {"mlups", pixels / step * 1e-6},
                         {"difference", differs},
                         {"walls_s", timing.walls}});
                } catch (const UnsupportedError& error) {
                    print_refusal(text, call.variant, error);
                }
            }
        }
    }
    write_json(options.json, bench.report);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Times lattice-Boltzmann diffusion on one device.");
    Options options;
    options.sizes = {"256x256", "512x512", "1024x1024", "2048x2048", "4096x4096", "8192x8192"};
    options.add_to(app);
    Wishes wishes;
    std::string policy = "{}";
    app.add_option("--iterations", wishes.iterations, "time steps of a run");
    app.add_option("--every", wishes.every, "steps that share their edges");
    app.add_option("--lattices", wishes.lattices, "D2Q9, D2Q5")->delimiter(',');
    app.add_option("--policy", policy, "policy of the variant that --only names, as JSON");
    return run_main(app, argc, argv, [&] {
        wishes.policy = Json::parse(policy);
        return run(options, wishes);
    });
}
