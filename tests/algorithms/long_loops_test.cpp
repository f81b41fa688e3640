// Long arrays and lines on every device: a work-item's loops are long there, and drivers may end them early
// (see Capabilities::cuts_loops). A variant may refuse what such a driver would cut.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/session.hpp"
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

using namespace parallax;
using namespace parallax::engine;

namespace parallax::engine {
Algorithm make_box_filter();
Algorithm make_diffusion_lb();
Algorithm make_hologram_simulate();
Algorithm make_sort();
}  // namespace parallax::engine

namespace {

HostArray random_array(ElementType type, std::initializer_list<ArrayDesc::Extent> extents) {
    std::mt19937 random(7);
    HostArray array = HostArray::make(ArrayDesc::dense(type, extents));
    for (std::size_t i = 0; i < array.desc.dense_bytes(); ++i) array.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(random());
    return array;
}

struct Runner {
    Engine engine;
    Session session;
    explicit Runner(const host::Device& device)
        : engine(device, registry_with_peers(), {host::ProgramCache::open()}), session(engine) {}

    /// `variant` empty: the engine's choice.
    HostArray run(const Algorithm& algorithm, const Json& parameters, const std::optional<HostArray>& array,
                  const std::string& variant) {
        Call call;
        call.algorithm = &algorithm;
        call.parameters = algorithm.parameters.parse(parameters, "");
        call.variant = variant;
        if (array) call.inputs[algorithm.inputs[0].name] = session.upload(*array);
        return session.download(session.run(call).outputs.at(algorithm.outputs[0].name));
    }
};

/// Integers that differ by more than `tolerance`.
template <class T>
std::int64_t count_wrong(const HostArray& got, const HostArray& want, int tolerance) {
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < want.desc.count(); ++i)
        wrong += std::llabs(static_cast<long long>(got.as<T>()[i]) - static_cast<long long>(want.as<T>()[i])) > tolerance;
    return wrong;
}

struct Case {
    Algorithm algorithm;
    Json parameters;
    std::optional<HostArray> array;
    int tolerance;      ///< of u8, where results are rounded
    bool each_variant;  ///< else the engine's choice alone: others take their time
};

std::vector<Case> cases() {
    std::vector<Case> all;
    const auto add = [&](Algorithm algorithm, Json parameters, std::optional<HostArray> array, int tolerance,
                         bool each_variant = false) {
        all.push_back({std::move(algorithm), std::move(parameters), std::move(array), tolerance, each_variant});
    };
    add(make_sort(), Json::object(), random_array(ElementType::u32, {{'x', 700001}}), 0, true);
    add(make_diffusion_lb(), {{"iterations", 1}}, random_array(ElementType::u8, {{'y', 21}, {'x', 20011}}), 1);
    add(make_diffusion_lb(), {{"iterations", 1}}, random_array(ElementType::u8, {{'y', 70001}, {'x', 3}}), 1);
    add(make_box_filter(), {{"size", {70001, 1}}}, random_array(ElementType::u8, {{'y', 2}, {'x', 301}}), 0, true);
    add(make_hologram_simulate(),
        {{"width", 96}, {"height", 64}, {"pixel_um", 1}, {"radius_um", 2000}, {"distance_um", 0}, {"type", "u8"}}, std::nullopt,
        1);
    return all;
}

}  // namespace

TEST_CASE("long loops: what is made is right, or refused where a driver would cut them") {
    std::vector<Case> all = cases();
    std::vector<HostArray> wanted;
    for (const tests::DevicePtr& device : host::enumerate().devices) {
        if (device->info().backend != host::Backend::native) continue;
        Runner runner(*device);
        for (const Case& c : all) wanted.push_back(runner.run(c.algorithm, c.parameters, c.array, ""));
    }
    for (const tests::DevicePtr& device : tests::kernel_devices_under_test()) {
        INFO(tests::device_label(*device));
        Runner runner(*device);
        for (std::size_t i = 0; i < all.size(); ++i) {
            CAPTURE(all[i].algorithm.name);
            CAPTURE(i);
            std::vector<std::string> variants{""};
            for (const Variant& variant : all[i].algorithm.variants) {
                const auto& backends = variant.backends;
                if (all[i].each_variant && variant.role != Role::peer &&
                    std::find(backends.begin(), backends.end(), device->info().backend) != backends.end())
                    variants.push_back(variant.name);
            }
            for (const std::string& variant : variants) {
                CAPTURE(variant);
                try {
                    const HostArray got = runner.run(all[i].algorithm, all[i].parameters, all[i].array, variant);
                    CHECK((got.desc.type == ElementType::u8 ? count_wrong<std::uint8_t>(got, wanted[i], all[i].tolerance)
                                                            : count_wrong<std::uint32_t>(got, wanted[i], 0)) == 0);
                } catch (const UnsupportedError&) {
                    CHECK((variant != "" || runner.engine.context().capabilities().cuts_loops));
                }
            }
        }
    }
}
