// What tests of hologram's device variants share: frames, the double-precision reference, and runs of every variant on every
// device.
#pragma once

#include "algorithms/hologram/physics.hpp"
#include "algorithms/hologram/reference.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "peers/peers.hpp"
#include "seed.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <vector>

namespace parallax::tests::holograms {

using namespace parallax::engine;
using namespace parallax::engine::hologram;

struct Image {
    std::int64_t width, height;
    std::vector<std::uint8_t> pixels;
};

/// A few rings on a noisy background: structure at all scales, no symmetry.
inline Image rings(std::int64_t width, std::int64_t height, unsigned seed = 1) {
    std::mt19937 random(seed);
    Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height))};
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            const double r = std::hypot(static_cast<double>(x) - 0.4 * static_cast<double>(width),
                                        static_cast<double>(y) - 0.55 * static_cast<double>(height));
            const double v = 120 + 60 * std::cos(0.02 * r * r) * std::exp(-r / 40) + static_cast<double>(random() % 17);
            image.pixels[static_cast<std::size_t>(y * width + x)] = static_cast<std::uint8_t>(v);
        }
    }
    return image;
}

inline HostArray host_array(const Image& image) {
    HostArray a = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', image.height}, {'x', image.width}}));
    std::memcpy(a.data(), image.pixels.data(), image.pixels.size());
    return a;
}

inline std::vector<double> to_double(const Image& image) { return {image.pixels.begin(), image.pixels.end()}; }

struct Reference {
    std::vector<std::vector<std::complex<double>>> planes;
    Geometry geometry;
};

inline Reference reference(const Parameters& parameters, const Image& image) {
    const auto& p = parameters.as<HologramParameters>();
    Reference r;
    r.geometry = resolve(p, image.width, image.height);
    reference_reconstruct(p, r.geometry, to_double(image), 0,
                          [&](std::size_t, const std::vector<std::complex<double>>& field) { r.planes.push_back(field); });
    return r;
}

inline double relative_error(const HostArray& amplitude, const std::vector<std::vector<std::complex<double>>>& planes) {
    double error = 0, norm = 0;
    const float* a = amplitude.as<float>();
    for (const auto& plane : planes) {
        for (const auto& u : plane) {
            const double expected = std::abs(u);
            error += std::pow(*a++ - expected, 2);
            norm += expected * expected;
        }
    }
    return norm > 0 ? std::sqrt(error / norm) : std::sqrt(error);
}

inline double relative_field_error(const HostArray& field, const std::vector<std::complex<double>>& plane) {
    double error = 0, norm = 0;
    const auto* u = field.as<std::complex<float>>();
    for (const auto& expected : plane) {
        error += std::norm(std::complex<double>(*u++) - expected);
        norm += std::norm(expected);
    }
    return std::sqrt(error / norm);
}

/// With the light, camera and distance of these tests where the text has none.
inline Parameters parse(const Algorithm& algorithm, const std::string& text) {
    Json all = Json::parse(text);
    const auto has = [&](const char* name) {
        for (const auto& [key, value] : all.items()) {
            if (key.starts_with(name)) return true;
        }
        return false;
    };
    if (!has("wavelength_")) all["wavelength_nm"] = 532;
    if (!has("pixel_")) all["pixel_um"] = 1.4;
    if (!has("distance_")) all["distance_um"] = 1000;
    return algorithm.parameters.parse(all, "");
}

/// Runs `check` on every device that runs kernels.
template <class F>
void on_each_device(F check) {
    for (const auto& device : parallax::tests::devices_under_test()) {
        if (device->info().backend == host::Backend::native) continue;
        CAPTURE(device->info().name);
        Engine engine(*device, registry_with_peers());
        Session session(engine);
        check(session);
    }
}

inline CallResult run(Session& session, const Parameters& parameters, const Image& image, const std::string& variant,
               std::vector<std::string> outputs = {}, const Json& policy = Json::object()) {
    Call call;
    call.policy = policy;
    call.algorithm = &session.engine().registry().get("hologram");
    call.parameters = parameters;
    call.variant = variant;
    call.outputs = std::move(outputs);
    call.inputs.emplace("hologram", session.upload(host_array(image)));
    return session.run(call);
}

/// The same; by another variant, which the engine chooses, where the driver's compiler ends the process that tries this one's
/// kernels (PoCL 6 does for some lengths of lines, docs/drivers.md).
inline CallResult run_or_another(Session& session, const Parameters& parameters, const Image& image, const std::string& variant,
                          const std::vector<std::string>& outputs, const Json& policy = Json::object()) {
    try {
        return run(session, parameters, image, variant, outputs, policy);
    } catch (const UnsupportedError& error) {
        if (std::string(error.what()).find("the driver's compiler ended the process") == std::string::npos) throw;
        MESSAGE(variant, ": ", std::string(error.what()));
        CallResult result = run(session, parameters, image, "", outputs);
        CHECK(result.variant != variant);
        return result;
    }
}

/// Variants of hologram on kernels that support the problem; checks that at least one does.
inline std::vector<std::string> device_variants(Session& session, const Parameters& parameters, const Image& image,
                                         std::vector<std::string> outputs) {
    const Algorithm& algorithm = session.engine().registry().get("hologram");
    Problem problem{{{"hologram", host_array(image).desc}}, parameters, std::move(outputs)};
    std::vector<std::string> names;
    for (const Variant& v : algorithm.variants) {
        if (std::find(v.backends.begin(), v.backends.end(), session.engine().device().backend) == v.backends.end()) continue;
        if (v.supports(problem, session.engine().context())) names.push_back(v.name);
    }
    CHECK_FALSE(names.empty());
    return names;
}

/// Of a step by that name, since the profiler was cleared.
inline std::size_t launches_of(const Profiler& profiler, const std::string& name) {
    const auto is_one = [&](const Profiler::Entry& entry) { return !entry.path.empty() && entry.path.back() == name; };
    return static_cast<std::size_t>(std::count_if(profiler.entries().begin(), profiler.entries().end(), is_one));
}

/// Ways of one variant that differ in what is kept from frame to frame.
inline std::vector<Json> ways_of(const Algorithm& algorithm, const std::string& variant) {
    const PolicyTable& table = algorithm.variant(variant)->policy;
    const auto keeps = [](const PolicyField& field) { return field.name == "keep_transfer"; };
    if (std::none_of(table.begin(), table.end(), keeps)) return {Json::object()};
    return {Json{{"keep_transfer", 1}}, Json{{"keep_transfer", 0}}};
}

/// A policy of one variant, half of its fields drawn from what they may be.
inline Json drawn_policy(const Algorithm& algorithm, const std::string& variant, std::mt19937& random) {
    Json policy = Json::object();
    for (const PolicyField& field : algorithm.variant(variant)->policy)
        if (random() % 2 == 0) policy[field.name] = field.choices[random() % field.choices.size()];
    return policy;
}

}  // namespace parallax::tests::holograms
