// NaN and infinity in an input: propagated, refused or masked as the job says, in the same way on every device.
#include "devices.hpp"
#include "jobs.hpp"
#include "peers/peers.hpp"

#include <cmath>
#include <limits>

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::tests::faults;

namespace {

constexpr std::int64_t width = 40, height = 30, radius = 2;
constexpr std::int64_t at_nan = 12 * width + 7, at_infinity = 20 * width + 30;

HostArray image(float first, float second) {
    HostArray array = floats(width, height, {});
    for (std::int64_t i = 0; i < width * height; ++i) array.as<float>()[i] = static_cast<float>(i % 17);
    array.as<float>()[at_nan] = first;
    array.as<float>()[at_infinity] = second;
    return array;
}

bool near(std::int64_t i, std::int64_t centre) {
    return std::abs(i % width - centre % width) <= radius && std::abs(i / width - centre / width) <= radius;
}

}  // namespace

TEST_CASE("non_finite: propagate, reject and mask mean the same on every device") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    const TempFolder folder;
    io::write(folder / "bad.npy", image(nan, infinity));
    io::write(folder / "masked.npy", image(0, 0));
    const engine::Registry registry = engine::registry_with_peers();
    engine::Locations where;
    where.job_folder = folder.path();
    where.out = folder / "out";
    const auto run = [&](engine::Engine& engine, const char* file, const char* policy) {
        fs::remove_all(folder / "out");
        const Json job{{"parallax", 1},
                       {"non_finite", policy},
                       {"inputs", {{"image", file}}},
                       {"steps", {{{"run", "box_filter"}, {"radius", radius}, {"out", {{"image", "blurred"}}}},
                                  {{"run", "reduce"}, {"op", "max"}, {"in", {{"array", "image"}}}}}},
                       {"outputs", {{"blurred", "blurred.npy"}, {"value", "value.json"}}}};
        engine::run(engine::prepare(engine::parse_job(job, registry.algorithms()), where, false), engine);
        return std::pair(io::read(folder / "out/blurred.npy"), read_text(folder / "out/value.json"));
    };
    for (const DevicePtr& device : devices_under_test()) {
        CAPTURE(device_label(*device));
        engine::Engine engine(*device, engine::registry_with_peers(), {host::ProgramCache::open()});
        const auto clean = run(engine, "masked.npy", "reject");

        const auto spoilt = run(engine, "bad.npy", "propagate");
        CHECK_MESSAGE(contains(spoilt.second, R"("nan")"), spoilt.second);   // JSON has no NaN: a word stands for it
        for (std::int64_t i = 0; i < width * height; ++i) {
            const float value = spoilt.first.as<float>()[i];
            const bool right = near(i, at_nan)        ? std::isnan(value)
                               : near(i, at_infinity) ? std::isinf(value) && value > 0
                                                      : value == clean.first.as<float>()[i];
            if (!right) FAIL_CHECK("element " << i << " is " << value);
        }

        const auto masked = run(engine, "bad.npy", "mask");
        CHECK(io::hash_array(masked.first) == io::hash_array(clean.first));
        CHECK(masked.second == clean.second);

        const auto error = error_of<IoError>([&] { run(engine, "bad.npy", "reject"); });
        CHECK(contains(error.what(), "nan at [12, 7] (y, x)"));
        CHECK(!fs::exists(folder / "out"));
    }
}
