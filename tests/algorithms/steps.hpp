// Runs one step of a pipeline with its arrays between guards: those must stay as they are.
#pragma once

#include "core/session.hpp"
#include "devices.hpp"
#include "peers/peers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace parallax::tests {

using namespace engine;

using Bytes = std::vector<std::byte>;

struct Values {
    ArrayDesc desc;
    Bytes bytes;

    template <class T> const T* as() const { return reinterpret_cast<const T*>(bytes.data()); }
    template <class T> std::vector<T> list() const { return std::vector<T>(as<T>(), as<T>() + desc.count()); }
};
using NamedValues = std::map<std::string, Values>;

template <class T>
Values values_of(const ArrayDesc& desc, const std::vector<T>& list) {
    Values v{desc, Bytes(list.size() * sizeof(T))};
    if (!list.empty()) std::memcpy(v.bytes.data(), list.data(), v.bytes.size());
    return v;
}

/// Every bit pattern of integers; normal f32 around 0 with a few NaN, infinities and zeros if asked for.
inline Values random_values(const ArrayDesc& desc, bool special = false, unsigned seed = 3) {
    std::mt19937 random(seed);
    Values v{desc, Bytes(desc.dense_bytes())};
    if (desc.type != ElementType::f32) {
        for (std::byte& b : v.bytes) b = static_cast<std::byte>(random());
        return v;
    }
    std::normal_distribution<float> normal(1, 300);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float rare[] = {
        std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, 0.0f, -0.0f, 0.5f, 2.5f, 1e30f, -1e30f, 1e-42f};
    for (std::int64_t i = 0; i < desc.count(); ++i) {
        const float x = special && random() % 5 == 0 ? rare[random() % 10] : normal(random);
        std::memcpy(v.bytes.data() + 4 * i, &x, 4);
    }
    return v;
}

class StepBench {
public:
    explicit StepBench(const DevicePtr& device)
        : engine_(*device, registry_with_peers(), {host::ProgramCache::open()}), session_(engine_) {}
    bool native() const { return engine_.device().backend == host::Backend::native; }

    struct Result {
        NamedValues arrays;
        Json records;
        const std::vector<float> floats() const { return arrays.at("image").list<float>(); }
    };

    /// `outputs` empty: the required ones.
    Result run(const Algorithm& algorithm, const Json& parameters, const NamedValues& inputs,
               std::vector<std::string> outputs = {}, const Json& policy = Json::object()) {
        Call call;
        call.algorithm = &algorithm;
        call.parameters = algorithm.parameters.parse(parameters, "");
        call.variant = native() ? "reference" : "device";
        call.policy = policy;
        call.outputs = outputs;
        Problem problem{{}, call.parameters, outputs};
        if (outputs.empty())
            for (const Port& port : algorithm.outputs)
                if (port.required) problem.outputs.push_back(port.name);
        std::map<std::string, Guarded> in, out;
        for (const auto& [name, values] : inputs) {
            in.emplace(name, guarded(values.bytes));
            call.inputs[name].desc = values.desc;
            call.inputs[name].buffer = in.at(name).part;
            problem.inputs.emplace(name, values.desc);
        }
        std::map<std::string, DeviceArray, std::less<>> into;
        const ArrayDescs shapes = algorithm.infer(problem);
        for (const auto& [name, desc] : shapes) {
            out.emplace(name, guarded(Bytes(desc.dense_bytes(), std::byte{0x5a})));
            into[name].desc = desc;
            into[name].buffer = out.at(name).part;
        }
        session_.run(call, into);
        Result result;
        result.records = session_.run(call, into).records;   // a second run must not depend on what the first left
        for (const auto& [name, g] : in) CHECK(read(g) == inputs.at(name).bytes);
        for (const auto& [name, desc] : shapes) result.arrays[name] = {desc, read(out.at(name))};
        return result;
    }

private:
    static constexpr std::size_t guard = 4096;
    struct Guarded { host::Buffer whole, part; };

    Guarded guarded(const Bytes& bytes) {
        Bytes all(bytes.size() + 2 * guard, std::byte{0x7b});
        if (!bytes.empty()) std::memcpy(all.data() + guard, bytes.data(), bytes.size());
        Guarded g;
        g.whole = engine_.context().allocate(all.size());
        session_.queue().write(g.whole, 0, all.data(), all.size()).wait();
        g.part = g.whole.sub(guard, bytes.size());
        return g;
    }
    Bytes read(const Guarded& g) {
        Bytes all(g.whole.bytes());
        session_.queue().read(g.whole, 0, all.data(), all.size()).wait();
        const auto is_guard = [](std::byte b) { return b == std::byte{0x7b}; };
        CHECK(std::all_of(all.begin(), all.begin() + guard, is_guard));
        CHECK(std::all_of(all.end() - guard, all.end(), is_guard));
        return Bytes(all.begin() + guard, all.end() - guard);
    }

    Engine engine_;
    Session session_;
};

/// What the reference on the native device gives.
inline StepBench::Result reference_of(const Algorithm& algorithm, const Json& parameters, const NamedValues& inputs,
                                      const std::vector<std::string>& outputs = {}) {
    for (const DevicePtr& device : host::enumerate().devices)
        if (device->info().backend == host::Backend::native) return StepBench(device).run(algorithm, parameters, inputs, outputs);
    throw std::runtime_error("there is no native device");
}

template <class Body> void each_kernel_device(const Body& body) {
    for (const auto& device : kernel_devices_under_test()) {
        INFO(device_label(*device));
        StepBench bench(device);
        body(bench);
    }
}

/// Same bits, NaN being NaN; `tolerance`: of f32 elements, as a part of the wanted value, where devices may flush denormals.
inline bool same(const Values& got, const Values& want, double tolerance = 0) {
    if (got.desc != want.desc) return false;
    if (got.desc.type != ElementType::f32) return got.bytes == want.bytes;
    for (std::int64_t i = 0; i < got.desc.count(); ++i) {
        const float a = got.as<float>()[i], b = want.as<float>()[i];
        if (std::isnan(a) && std::isnan(b)) continue;
        const double allowed =
            tolerance == 0 ? 0 : tolerance * std::abs(static_cast<double>(b)) + std::numeric_limits<float>::min();
        if (a != b && !(std::abs(static_cast<double>(a) - b) <= allowed)) return false;
    }
    return true;
}

inline ArrayDesc row_of(ElementType type, std::int64_t size) { return ArrayDesc::dense(type, {{'y', 1}, {'x', size}}); }

}  // namespace parallax::tests
