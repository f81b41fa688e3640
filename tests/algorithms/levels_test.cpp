// Levels that an algorithm takes for others than they are: every device tells so, and of sound images says nothing.
#include "core/session.hpp"
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <limits>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace {

/// 256 levels from `low` to `high`.
HostArray slope(float low, float high) {
    HostArray image = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', 16}, {'x', 16}}));
    for (std::int64_t i = 0; i < 256; ++i) image.as<float>()[i] = low + (high - low) * static_cast<float>(i) / 255;
    return image;
}

struct Row {
    const char* algorithm;
    Json parameters;
    std::vector<std::pair<const char*, HostArray>> inputs;
    const char* told;   ///< part of the only warning; empty: there is none
};

}  // namespace

TEST_CASE("levels beyond what an algorithm takes for full scale or range are told") {
    const HostArray with_nan = slope(0, 1);
    with_nan.as<float>()[77] = std::numeric_limits<float>::quiet_NaN();
    const HostArray of_one = slope(0, 1), of_bytes = slope(20, 220), shifted = slope(300, 500);
    const Json range = {{"low", 0}, {"high", 1}};
    const std::vector<Row> rows{
        {"noise", Json::object(), {{"image", of_one}}, ""},
        {"noise", Json::object(), {{"image", of_bytes}}, "levels outside 0 to 1"},
        {"noise", {{"full_scale", 100}}, {{"image", of_bytes}}, "levels outside 0 to 100"},
        {"noise", {{"full_scale", 255}}, {{"image", of_bytes}}, ""},
        {"noise", {{"clip", false}}, {{"image", of_bytes}}, ""},
        {"noise", {{"kind", "salt_and_pepper"}}, {{"image", of_bytes}}, ""},
        {"metrics", Json::object(), {{"image", of_one}, {"reference", slope(0, .5f)}}, ""},
        {"metrics", Json::object(), {{"image", shifted}, {"reference", of_bytes}}, "differ by more than their range, 1"},
        {"metrics", Json::object(), {{"image", slope(0, 0)}, {"reference", slope(1, 1)}}, ""},
        {"metrics", Json::object(), {{"image", with_nan}, {"reference", with_nan}}, "NaN or infinity"},
        {"metrics", {{"range", 500}}, {{"image", shifted}, {"reference", of_bytes}}, ""},
        {"histogram", {{"range", range}}, {{"image", of_one}}, ""},
        {"histogram", {{"range", range}}, {{"image", of_bytes}}, "no element lies within the range, 0 to 1"},
        {"histogram", {{"range", {{"low", 0}, {"high", 30}}}}, {{"image", of_bytes}}, ""},
        {"histogram", {{"range", range}, {"bins", 65536}}, {{"image", of_bytes}}, "no element lies within the range, 0 to 1"},
        {"histogram", {{"range", range}, {"bins", 65536}}, {{"image", slope(1, 1)}}, ""},   // in the last bin
        {"histogram", {{"range", range}, {"bins", 65001}}, {{"image", slope(0, 0)}}, ""},   // in the first
    };
    for (const DevicePtr& device : devices_under_test()) {
        INFO(device_label(*device));
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        for (const Row& row : rows) {
            CAPTURE(std::string(row.algorithm));
            CAPTURE(row.parameters.dump());
            Session session(engine);
            Call call;
            call.algorithm = &engine.registry().get(row.algorithm);
            call.parameters = call.algorithm->parameters.parse(row.parameters, "");
            for (const auto& [port, image] : row.inputs) call.inputs.emplace(port, session.upload(image));
            for (int time = 0; time < 2; ++time) {   // nothing is left over from the time before
                const std::vector<std::string> warnings = session.run(call).warnings;
                const std::string told = row.told;
                CAPTURE(time);
                REQUIRE(warnings.size() == (told.empty() ? 0 : 1));
                if (!told.empty()) {
                    CAPTURE(warnings.front());
                    CHECK(warnings.front().find(told) != std::string::npos);
                }
            }
        }
    }
}
