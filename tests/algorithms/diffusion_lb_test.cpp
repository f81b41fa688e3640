// Lattice-Boltzmann diffusion: the reference against what is known in closed form and against numbers computed elsewhere,
// then every variant on every device against the reference.
#include "algorithms/diffusion_lb/reference.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"
#include "seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::engine::diffusion_lb;

namespace parallax::engine {
Algorithm make_diffusion_lb();
}

namespace {

LbParameters model(Lattice lattice, double step, int iterations) {
    LbParameters p;
    p.lattice = lattice;
    p.step = step;
    p.iterations = iterations;
    return p;
}

/// What the source papers take; in fewer steps than the defaults.
const Json eight{{"step", 2}, {"iterations", 8}};
LbParameters paper() { return model(Lattice::d2q9, 2, 8); }
Json with(Json parameters, const Json& more) {
    parameters.update(more);
    return parameters;
}

/// No image data: edges, waves, nothing symmetric.
std::vector<double> waves(int width, int height) {
    std::vector<double> image;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            image.push_back(100 + (x >= width / 2 ? 50 : 0) + 20 * std::sin(.7 * x) * std::cos(.5 * y));
    return image;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

TEST_CASE("diffusion_lb: the reference spreads a point as the lattice has it in closed form") {
    for (const Lattice lattice : {Lattice::d2q5, Lattice::d2q9})
        for (const auto& [step, iterations] : {std::pair{.2, 30}, std::pair{2.0, 8}}) {
            LbParameters p = model(lattice, step, iterations);
            p.threshold = 1e12;   // g = 1 everywhere
            const int n = 101, middle = 50;
            std::vector<double> image(n * n);
            image[middle * n + middle] = 1;
            diffuse(p, n, n, image.data());
            double along_x = 0, along_y = 0;
            for (int y = 0; y < n; ++y)
                for (int x = 0; x < n; ++x) {
                    along_x += image[static_cast<std::size_t>(y * n + x)] * (x - middle) * (x - middle);
                    along_y += image[static_cast<std::size_t>(y * n + x)] * (y - middle) * (y - middle);
                }
            const double cs2 = lattice == Lattice::d2q5 ? .4 : 1.0 / 3, omega = 2 / (1 + coupling(p));
            const double variance =
                2 * step * iterations - 2 * cs2 * (1 - omega) / (omega * omega) * (1 - std::pow(1 - omega, iterations));
            CHECK(std::abs(along_x - variance) < 1e-9);
            CHECK(std::abs(along_y - variance) < 1e-9);
            if (lattice == Lattice::d2q5) CHECK(std::abs(variance - (step == 2 ? 16.176159 : 12.0)) < 1e-6);
        }
}

TEST_CASE("diffusion_lb: the reference widens a Gaussian as the heat equation does") {
    LbParameters p = model(Lattice::d2q9, .2, 80);
    p.threshold = 1e12;
    const int n = 81;
    std::vector<double> image;
    const auto bell = [](double x, double y, double variance) { return std::exp(-(x * x + y * y) / (2 * variance)) / variance; };
    for (int i = 0; i < n * n; ++i) image.push_back(bell(i % n - 40, i / n - 40, 9));
    diffuse(p, n, n, image.data());
    double error = 0, norm = 0;
    for (int i = 0; i < n * n; ++i) {
        const double exact = bell(i % n - 40, i / n - 40, 9 + 2 * 16);
        error += (image[static_cast<std::size_t>(i)] - exact) * (image[static_cast<std::size_t>(i)] - exact);
        norm += exact * exact;
    }
    CHECK(std::sqrt(error / norm) < 5e-3);
}

TEST_CASE("diffusion_lb: the reference gives the pinned numbers, and loses nothing") {
    std::vector<double> image = waves(48, 32);
    diffuse(model(Lattice::d2q5, 2, 8), 48, 32, image.data());
    const auto at = [&](std::size_t y, std::size_t x) { return image[y * 48 + x]; };
    CHECK(std::abs(sum(image) - 192014.521091) < 1e-6);
    CHECK(std::abs(at(0, 0) - 99.369036) < 1e-6);
    CHECK(std::abs(at(16, 23) - 118.701350) < 1e-6);
    CHECK(std::abs(at(16, 24) - 131.659934) < 1e-6);
    CHECK(std::abs(at(31, 47) - 151.482973) < 1e-6);
    // The defaults (docs/diffusion_lb.md#steps).
    const std::array<double, 4> by_default[] = {{100.590055, 118.772519, 131.589508, 149.927146},
                                                {100.820192, 118.836694, 131.598826, 149.851308}};
    for (const Lattice lattice : {Lattice::d2q5, Lattice::d2q9}) {
        image = waves(48, 32);
        LbParameters p;
        p.lattice = lattice;
        diffuse(p, 48, 32, image.data());
        const auto& want = by_default[lattice == Lattice::d2q5 ? 0 : 1];
        CHECK(std::abs(sum(image) - 192014.521091) < 1e-6);
        CHECK(std::abs(at(0, 0) - want[0]) < 1e-6);
        CHECK(std::abs(at(16, 23) - want[1]) < 1e-6);
        CHECK(std::abs(at(16, 24) - want[2]) < 1e-6);
        CHECK(std::abs(at(31, 47) - want[3]) < 1e-6);
    }

    for (const Lattice lattice : {Lattice::d2q5, Lattice::d2q9}) {
        std::vector<double> kept = waves(37, 23), threaded = kept;
        const double before = sum(kept);
        diffuse(model(lattice, 2, 50), 37, 23, kept.data());
        diffuse(model(lattice, 2, 50), 37, 23, threaded.data(), 0);
        CHECK(std::abs(sum(kept) / before - 1) < 1e-14);
        CHECK(kept == threaded);
    }
}

TEST_CASE("diffusion_lb: the defaults fade what steps of 2 leave: white noise, as docs/diffusion_lb.md has it") {
    struct Row { double step; int iterations; double d2q5, d2q9, left; };
    const Row rows[] = {{2, 8, .1742, .2656, .51},           {1, 16, .0563, .0744, .068},    {.8, 20, .0525, .0584, .015},
                        {2.0 / 3, 24, .0514, .0544, 2.2e-3}, {.5, 32, .0506, .0521, 1.5e-5}, {.25, 64, .0499, .0502, 4e-23}};
    for (const Row& row : rows) {
        CAPTURE(row.step);
        for (const Lattice lattice : {Lattice::d2q5, Lattice::d2q9}) {
            LbParameters p = model(lattice, row.step, row.iterations);
            p.threshold = 1e12;   // g = 1: then white noise comes out with the root of the sum of squares of what a point becomes
            const int n = 2 * row.iterations + 3;   // no further than a pixel a step
            std::vector<double> point(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
            point[point.size() / 2] = 1;
            diffuse(p, n, n, point.data());
            const double sd = std::sqrt(std::inner_product(point.begin(), point.end(), point.begin(), 0.0));
            CHECK(std::abs(sd - (lattice == Lattice::d2q5 ? row.d2q5 : row.d2q9)) < 6e-5);
        }
        CHECK(left_of_finest(model(Lattice::d2q9, row.step, row.iterations)) == doctest::Approx(row.left).epsilon(.05));
    }
    const LbParameters standard;
    CHECK(standard.step == .5);
    CHECK(standard.iterations == 32);
    CHECK(step_warnings(standard).empty());
    CHECK(step_warnings(model(Lattice::d2q5, .5, 32)).empty());
}

TEST_CASE("diffusion_lb: steps that leave stripes are told, with steps that do not") {
    const auto text_of = [](const LbParameters& p) {
        const std::vector<std::string> warnings = step_warnings(p);
        return warnings.size() == 1 ? warnings.front() : std::string();
    };
    const std::string nine = text_of(paper()), five = text_of(model(Lattice::d2q5, 2, 8));
    CHECK(nine.find("leave 0.51 of the finest patterns") != std::string::npos);
    CHECK(nine.find("64 iterations of that step are enough") != std::string::npos);
    CHECK(nine.find("23 of step 0.709") != std::string::npos);
    CHECK(five.find("21 of step 0.777") != std::string::npos);
    CHECK(text_of(model(Lattice::d2q9, .16, 8)).empty());   // explicit: no step remembers
    CHECK(text_of(model(Lattice::d2q9, 2, 0)).empty());
    for (const Lattice lattice : {Lattice::d2q5, Lattice::d2q9})   // what it says is true, wherever it is said
        for (const double step : {.25, .3, .5, 1.0, 2.0, 3.7, 5.0, 40.0})
            for (const int iterations : {1, 2, 5, 8, 20, 50, 200}) {
                const LbParameters p = model(lattice, step, iterations);
                CAPTURE(step);
                CAPTURE(iterations);
                const std::string text = text_of(p);
                CHECK(text.empty() == !(coupling(p) > 1 && left_of_finest(p) > .005));
                if (text.empty()) continue;
                int enough = 0, fewer = 0;
                double small = 0;
                const std::size_t colon = text.find("checkerboards: ");
                REQUIRE(colon != std::string::npos);
                REQUIRE(std::sscanf(text.c_str() + colon,
                                    "checkerboards: %d iterations of that step are enough, and %d of step %lf", &enough, &fewer,
                                    &small) == 3);
                CHECK(step_warnings(model(lattice, step, enough)).empty());
                CHECK(step_warnings(model(lattice, small, fewer)).empty());
                CHECK(small * fewer >= step * iterations * (1 - 1e-12));
                CHECK(small * (fewer - 1) < step * iterations);
            }
    const Algorithm algorithm = make_diffusion_lb();
    const Problem problem{
        {{"image", ArrayDesc::dense(ElementType::u8, {{'y', 4}, {'x', 4}})}}, algorithm.parameters.parse(eight, ""), {"image"}};
    CHECK(algorithm.warnings(problem) == step_warnings(paper()));
}

TEST_CASE("diffusion_lb: the diffusivities") {
    CHECK(diffusivity(EdgeFunction::perona_malik_1, 2) == std::exp(-2.0));
    CHECK(diffusivity(EdgeFunction::perona_malik_2, 3) == .25);
    CHECK(diffusivity(EdgeFunction::charbonnier, 3) == .5);
    CHECK(diffusivity(EdgeFunction::weickert, 2) == 1 - std::exp(-3.31488 / 16));
    CHECK(diffusivity(EdgeFunction::weickert, 0) == 1);
    CHECK(diffusivity(EdgeFunction::weickert, 1e-90) == 1);   // r^4 underflows
}

namespace {

class Bench {
public:
    explicit Bench(const tests::DevicePtr& device)
        : engine_(*device, registry_with_peers(), {host::ProgramCache::open()}), session_(engine_) {}

    struct Result {
        HostArray image;
        Json iterations;
        std::vector<Stage> stages;   ///< of the run
    };

    Result run(const std::string& variant, const Json& parameters, const HostArray& image, Json policy = Json::object()) {
        Call call;
        call.algorithm = &algorithm_;
        call.parameters = algorithm_.parameters.parse(parameters, "");
        call.variant = variant;
        call.policy = std::move(policy);
        call.inputs["image"] = session_.upload(image);
        call.outputs = {"image", "iterations"};
        session_.profiler().clear();
        const CallResult result = session_.run(call);
        std::vector<Stage> stages = session_.profiler().collect();
        return {session_.download(result.outputs.at("image")), result.records.at("iterations"), std::move(stages)};
    }

    bool times_events() { return engine_.context().capabilities().event_times; }
    bool native() const { return engine_.device().backend == host::Backend::native; }
    /// Those that can do it here.
    std::vector<std::string> variants(const Json& parameters, const HostArray& image) {
        std::vector<std::string> names;
        const Problem problem{{{"image", image.desc}}, algorithm_.parameters.parse(parameters, ""), {"image"}};
        for (const Variant& v : algorithm_.variants)
            if (std::find(v.backends.begin(), v.backends.end(), engine_.device().backend) != v.backends.end() &&
                v.supports(problem, engine_.context()))
                names.push_back(v.name);
        return names;
    }

private:
    Engine engine_;
    Session session_;
    Algorithm algorithm_ = make_diffusion_lb();
};

template <class Body> void each_device(const Body& body) {
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        Bench bench(device);
        body(bench);
    }
}

template <class T> HostArray image_of(const ArrayDesc& desc, const std::vector<double>& values) {
    HostArray image = HostArray::make(desc);
    for (std::size_t i = 0; i < values.size(); ++i) image.as<T>()[i] = static_cast<T>(values[i]);
    return image;
}

HostArray grey(int width, int height) {
    return image_of<float>(ArrayDesc::dense(ElementType::f32, {{'y', height}, {'x', width}}), waves(width, height));
}

/// The plane of channel `c`, slice `z`, diffused by the reference.
std::vector<double> wanted(const LbParameters& p, const HostArray& image, std::int64_t z = 0, std::int64_t c = 0) {
    const Planes planes = planes_of(image.desc);
    std::vector<double> plane;
    for (std::int64_t i = 0; i < planes.pixels(); ++i) {
        const std::int64_t at = (z * planes.pixels() + i) * planes.channels + c;
        plane.push_back(planes.type == ElementType::u8    ? image.as<std::uint8_t>()[at]
                        : planes.type == ElementType::u16 ? image.as<std::uint16_t>()[at]
                                                          : image.as<float>()[at]);
    }
    diffuse(p, planes.width, planes.height, plane.data());
    return plane;
}

double worst(const HostArray& got, const std::vector<double>& want) {
    double most = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        const double difference = std::abs(got.as<float>()[i] - want[i]);
        if (!(difference <= most)) most = difference;   // NaN counts
    }
    return most;
}

/// Grey levels: what single precision comes to in 8 steps, and what docs/diffusion_lb.md allows half storage.
double tolerance(const std::string& variant) { return variant == "half" ? .02 : 1e-3; }

/// Every variant on both lattices.
void check_sizes(std::initializer_list<std::pair<int, int>> sizes) {
    each_device([&](Bench& bench) {
        for (const char* lattice : {"D2Q9", "D2Q5"})
            for (const auto& [width, height] : sizes) {
                const HostArray image = grey(width, height);
                const Json parameters = with(eight, {{"lattice", lattice}});
                const std::vector<double> want = wanted(model(lattice[3] == '9' ? Lattice::d2q9 : Lattice::d2q5, 2, 8), image);
                for (const std::string& variant : bench.variants(parameters, image)) {
                    if (variant == "half" && lattice[3] == '5') continue;   // below, with edges from elsewhere
                    CAPTURE(variant);
                    CAPTURE(std::string(lattice));
                    CAPTURE(width);
                    CAPTURE(height);
                    CHECK(worst(bench.run(variant, parameters, image).image, want) < tolerance(variant));
                }
            }
    });
}

}  // namespace

TEST_CASE("diffusion_lb: small images by every variant") {
    check_sizes({{1, 1}, {1, 7}, {7, 1}, {2, 3}, {13, 11}});
}   // fit for a simulator

TEST_CASE("diffusion_lb: images of several work-groups by every variant") {
    check_sizes({{48, 32}, {131, 67}, {257, 41}, {512, 19}});
}

TEST_CASE("diffusion_lb: the defaults by the variant that is chosen") {
    each_device([](Bench& bench) {
        const HostArray image = grey(75, 41);
        CHECK(worst(bench.run("", Json::object(), image).image, wanted({}, image)) < 1e-3);
    });
}

TEST_CASE("diffusion_lb: every shape of work-group, radius, edge function and rhythm") {
    each_device([](Bench& bench) {
        if (bench.native()) return;
        const HostArray image = grey(131, 67);
        const auto check = [&](const std::string& variant, const Json& given, const LbParameters& p, const Json& policy) {
            const Json parameters = with(eight, given);
            CAPTURE(variant);
            CAPTURE(parameters.dump());
            CAPTURE(policy.dump());
            CHECK(worst(bench.run(variant, parameters, image, policy).image, wanted(p, image)) < tolerance(variant));
        };
        const Json policy = Json::object();
        LbParameters p = paper();
        p.lattice = Lattice::d2q5;
        check("fused", {{"lattice", "D2Q5"}}, p,
              {{"work_group_size", 32}, {"items_per_work_item", 4}, {"rows_per_group", 16}, {"rows_ahead", 1}});
        p = paper();
        p.update_edges_every = 3;
        if (bench.variants(Json::object(), image).front() == "simd") check("simd", {{"update_edges_every", 3}}, p, policy);
        p.sigma = 4;   // a radius of 12, more than the image's own strip has room for
        p.lattice = Lattice::d2q5;
        check("half", {{"lattice", "D2Q5"}, {"update_edges_every", 3}, {"sigma", 4}}, p, policy);
        p.lattice = Lattice::d2q9;
        for (const auto& [name, function] :
             {std::pair{"perona_malik_1", EdgeFunction::perona_malik_1}, std::pair{"charbonnier", EdgeFunction::charbonnier},
              std::pair{"weickert", EdgeFunction::weickert}}) {
            p.edge_function = function;
            check("fused", {{"update_edges_every", 3}, {"sigma", 4}, {"edge_function", name}}, p, policy);
        }
    });
}

TEST_CASE("diffusion_lb: tiles give what strips give, to the bit") {
    const auto seed = tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    each_device([&](Bench& bench) {
        if (bench.native()) return;
        std::mt19937_64 random(seed);
        const auto between = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
        for (const char* const lattice : {"D2Q5", "D2Q9"}) {
            for (const double sigma : {0.0, 1.0, 2.0}) {   // radii of 0, 3 and 6
                // The last: more tiles, one below the other, than a launch may have.
                for (const auto& [width, height] : {std::pair{1, 1},
                                                    {between(1, 6), between(1, 40)},
                                                    {between(7, 140), between(7, 90)},
                                                    {1, sigma == 0 ? 400003 : 2}}) {
                    const HostArray image = grey(width, height);
                    const Json parameters{{"lattice", lattice}, {"sigma", sigma}, {"step", .5}, {"iterations", between(1, 6)}};
                    CAPTURE(parameters.dump());
                    CAPTURE(width);
                    CAPTURE(height);
                    const HostArray by_strips = bench.run("fused", parameters, image, {{"tile_rows", 1}}).image;
                    const std::vector<double> strips(by_strips.as<float>(), by_strips.as<float>() + by_strips.desc.count());
                    for (const int rows : {8, 16})
                        CHECK(worst(bench.run("fused", parameters, image, {{"tile_rows", rows}}).image, strips) == 0);
                }
            }
        }
    });
}

namespace {

/// What a run's report says of a stage, wherever it stands.
void sum_stages(const std::vector<Stage>& stages, const std::string& name, Stage& sum) {
    for (const Stage& stage : stages) {
        sum_stages(stage.children, name, sum);
        if (stage.name != name) continue;
        sum.calls += stage.calls;
        sum.seconds += stage.seconds;
        sum.measured = sum.measured && stage.measured;
    }
}

}  // namespace

TEST_CASE("diffusion_lb: steps that are timed as one are all counted") {
    each_device([](Bench& bench) {
        if (bench.native()) return;
        const HostArray image = grey(90, 70);
        for (const int iterations : {1, 2, 3, 9}) {
            for (const int at_once : {1, 2}) {
                const auto stages = bench.run("fused", {{"iterations", iterations}}, image, {{"steps_at_once", at_once}}).stages;
                Stage one, two, other;
                sum_stages(stages, "step", one);
                sum_stages(stages, "two steps", two);
                CAPTURE(iterations);
                CAPTURE(at_once);
                CHECK(one.calls + 2 * two.calls == iterations);
                if (!bench.times_events()) continue;
                CHECK((one.calls == 0 || (one.measured && one.seconds > 0)));
                CHECK((two.calls == 0 || (two.measured && two.seconds > 0)));
            }
        }
    });
}

TEST_CASE("diffusion_lb: two steps at once, by the same edges and each by its own") {
    each_device([](Bench& bench) {
        if (bench.native()) return;
        const auto check = [&](int width, int height, const LbParameters& p, Json policy) {
            const HostArray image = grey(width, height);
            const Json parameters{{"lattice", p.lattice == Lattice::d2q5 ? "D2Q5" : "D2Q9"},
                                  {"step", p.step},
                                  {"iterations", p.iterations},
                                  {"update_edges_every", p.update_edges_every},
                                  {"sigma", p.sigma}};
            CAPTURE(parameters.dump());
            CAPTURE(policy.dump());
            CAPTURE(width);
            CHECK(worst(bench.run("fused", parameters, image, std::move(policy)).image, wanted(p, image)) < tolerance("fused"));
        };
        const auto check_sizes = [&](const LbParameters& p, const Json& policy) {
            for (const auto& [width, height] :
                 {std::pair{1, 1}, std::pair{1, 7}, std::pair{7, 1}, std::pair{13, 11}, std::pair{131, 67}})
                check(width, height, p, policy);
        };
        LbParameters p = model(Lattice::d2q5, 2, 9);   // four pairs and one more
        check_sizes(p, {{"steps_at_once", 2}, {"rows_per_group", 24}});
        p = model(Lattice::d2q5, 2, 8);
        p.update_edges_every = 4;
        check(131, 67, p, {{"items_per_work_item", 2}, {"rows_ahead", 1}, {"rows_per_group", 24}});
        p.update_edges_every = 2;
        p.sigma = 0;
        check_sizes(p, {{"rows_per_group", 16}});
    });
}

TEST_CASE("diffusion_lb: one array of populations, streamed in place") {
    each_device([](Bench& bench) {
        if (bench.native()) return;
        for (const Lattice lattice : {Lattice::d2q5, Lattice::d2q9})
            for (const auto& [iterations, every] :
                 {std::pair{0, 2}, std::pair{1, 2}, std::pair{8, 2}, std::pair{9, 3}, std::pair{8, 100}})
                for (const auto& [width, height] :
                     {std::pair{1, 1}, std::pair{1, 7}, std::pair{7, 1}, std::pair{2, 3}, std::pair{131, 67}}) {
                    LbParameters p = model(lattice, 2, iterations);
                    p.update_edges_every = every;
                    const HostArray image = grey(width, height);
                    const Json parameters{{"lattice", lattice == Lattice::d2q5 ? "D2Q5" : "D2Q9"},
                                          {"step", 2},
                                          {"iterations", iterations},
                                          {"update_edges_every", every}};
                    CAPTURE(parameters.dump());
                    CAPTURE(width);
                    CAPTURE(height);
                    CHECK(worst(bench.run("in_place", parameters, image).image, wanted(p, image)) < tolerance("in_place"));
                }
        CHECK_THROWS_WITH_AS(bench.run("in_place", Json::object(), grey(8, 8)), doctest::Contains("update_edges_every above 1"),
                             UnsupportedError);
    });
}

TEST_CASE("diffusion_lb: a thousand steps lose less than a millionth") {
    each_device([](Bench& bench) {
        const HostArray image = grey(48, 32);
        const std::vector<double> values = waves(48, 32);
        const auto check = [&](const std::string& variant) {
            CAPTURE(variant);
            const HostArray out = bench
                                      .run(variant,
                                           {{"iterations", variant == "global" ? 200 : 1000},
                                            {"update_edges_every", variant == "in_place" ? 4 : 1}},
                                           image)
                                      .image;
            double total = 0;
            for (std::size_t i = 0; i < values.size(); ++i) total += out.as<float>()[i];
            CHECK(std::abs(total / sum(values) - 1) < 1e-6);
        };
        for (const std::string& variant : bench.variants(Json::object(), image))
            if (variant != "image" && variant != "local") check(variant);   // they sum as global does
        if (!bench.native()) check("in_place");
    });
}

TEST_CASE("diffusion_lb: stacks and channels are diffused plane by plane, and rounded to their type") {
    each_device([](Bench& bench) {
        const std::vector<double> plane = waves(37, 29);
        std::vector<double> values;
        for (int z = 0; z < 3; ++z)
            for (const double v : plane)
                for (int c = 0; c < 2; ++c) values.push_back(std::floor(v / (1 + z) + 40 * c));
        const ArrayDesc desc = ArrayDesc::dense(ElementType::u8, {{'z', 3}, {'y', 29}, {'x', 37}, {'c', 2}});
        const auto check = [&]<class T>(const T*, ElementType type) {
            const HostArray image = image_of<T>(desc.with_type(type), values);
            for (const std::string& variant : bench.variants(eight, image)) {
                CAPTURE(variant);
                const Bench::Result result = bench.run(variant, eight, image);
                CHECK(result.iterations == Json(std::vector<int>(6, 8)));
                for (int z = 0; z < 3; ++z)
                    for (int c = 0; c < 2; ++c) {
                        const std::vector<double> want = wanted(paper(), image, z, c);
                        double most = 0;
                        for (std::size_t i = 0; i < plane.size(); ++i)
                            most = std::max(most,
                                            std::abs(result.image.as<T>()[(static_cast<std::size_t>(z) * plane.size() + i) * 2 +
                                                                          static_cast<std::size_t>(c)] -
                                                     want[i]));
                        CHECK(most < .5 + tolerance(variant));
                    }
            }
        };
        check(static_cast<const std::uint8_t*>(nullptr), ElementType::u8);
        check(static_cast<const std::uint16_t*>(nullptr), ElementType::u16);
    });
}

TEST_CASE("diffusion_lb: a plane that has come to rest stops by itself") {
    each_device([](Bench& bench) {
        const Json parameters{
            {"step", 2}, {"iterations", 60}, {"stop_below", 4e-3}, {"sigma", 2}};   // 6: the largest radius on the way
        LbParameters p = model(Lattice::d2q9, 2, 60);
        p.stop_below = 4e-3;
        p.sigma = 2;
        HostArray image = image_of<float>(ArrayDesc::dense(ElementType::f32, {{'z', 2}, {'y', 32}, {'x', 48}}), waves(48, 64));
        std::fill_n(image.as<float>(), 48 * 32, 7.0f);   // the first slice has nothing to do
        std::vector<double> second = waves(48, 64);
        second.erase(second.begin(), second.begin() + 48 * 32);
        const int steps = diffuse(p, 48, 32, second.data());
        REQUIRE(steps > 3);
        REQUIRE(steps < 60);
        for (const std::string& variant : bench.variants(parameters, image)) {
            if (variant == "half") continue;   // stops by the same lines as fused
            CAPTURE(variant);
            const Bench::Result result = bench.run(variant, parameters, image);
            CHECK(result.iterations == Json{1, steps});
            double most = 0;
            for (std::size_t i = 0; i < second.size(); ++i)
                most = std::max(most, std::abs(result.image.as<float>()[48 * 32 + i] - second[i]));
            CHECK(most < 5 * tolerance(variant));
        }
        const HostArray untouched = bench.run("", {{"iterations", 0}}, image).image;
        CHECK(std::memcmp(untouched.data(), image.data(), image.desc.dense_bytes()) == 0);
    });
}

TEST_CASE("diffusion_lb: what has no planes of grey levels is refused") {
    const Algorithm algorithm = make_diffusion_lb();
    const auto refused = [&](const ArrayDesc& image) {
        CHECK_THROWS_AS(algorithm.infer({{{"image", image}}, algorithm.parameters.defaults(), {"image"}}), ConfigError);
    };
    refused(ArrayDesc::dense(ElementType::f64, {{'y', 3}, {'x', 4}}));
    refused(ArrayDesc::dense(ElementType::u8, {{'y', 0}, {'x', 4}}));
    refused(ArrayDesc::dense(ElementType::u8, {{'x', 4}}));
    refused(ArrayDesc::dense(ElementType::u8, {{'c', 3}, {'x', 4}, {'y', 4}}));
}
