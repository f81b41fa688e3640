// What tests of box counts share: arrays, a device with the variants, and the reference's record.
#pragma once

#include "algorithms/box_count/box_count.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "io/io.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <random>

namespace parallax::engine {
Algorithm make_box_count();
}

namespace parallax::tests::boxes {

using namespace parallax::engine;
using namespace parallax::engine::box_count;

using Shape = std::array<std::int64_t, 3>;   // x, y, z; z 0: an image
using Inside = std::function<bool(std::int64_t, std::int64_t, std::int64_t)>;

inline ArrayDesc desc_of(ElementType type, const Shape& s) {
    if (s[2] == 0) return ArrayDesc::dense(type, {{'y', s[1]}, {'x', s[0]}});
    return ArrayDesc::dense(type, {{'z', s[2]}, {'y', s[1]}, {'x', s[0]}});
}

template <class T> HostArray filled(ElementType type, const Shape& s, const std::function<T(std::int64_t)>& value) {
    HostArray array = HostArray::make(desc_of(type, s));
    for (std::int64_t i = 0; i < array.desc.count(); ++i) array.as<T>()[i] = value(i);
    return array;
}

inline HostArray shape_of(const Shape& s, const Inside& inside) {
    return filled<std::uint8_t>(ElementType::u8, s, [&](std::int64_t i) {
        return static_cast<std::uint8_t>(inside(i % s[0], i / s[0] % s[1], i / s[0] / s[1]) ? 255 : 0);
    });
}

/// Black and occupied boxes of a record, by m.
inline std::vector<Boxes> boxes_in(const Json& record) {
    std::vector<Boxes> boxes;
    for (const Json& level : record.at("levels")) {
        const auto black = level.at("black").get<std::uint64_t>();
        boxes.push_back({black + level.at("grey").get<std::uint64_t>(), black});
    }
    return boxes;
}

/// Every box by itself.
inline std::vector<Boxes> one_by_one(const HostArray& array) {
    const ArrayDesc& d = array.desc;
    const bool flat = d.find('z') == nullptr;
    const std::int64_t nx = d.size('x'), ny = d.size('y'), nz = d.size('z');
    std::vector<Boxes> all;
    for (std::int64_t edge = 1;; edge *= 2) {
        Boxes b;
        const std::int64_t deep = flat ? 1 : edge;
        for (std::int64_t z = 0; z < nz; z += deep)
            for (std::int64_t y = 0; y < ny; y += edge)
                for (std::int64_t x = 0; x < nx; x += edge) {
                    std::int64_t set = 0;
                    for (std::int64_t w = z; w < std::min(z + deep, nz); ++w)
                        for (std::int64_t v = y; v < std::min(y + edge, ny); ++v)
                            for (std::int64_t u = x; u < std::min(x + edge, nx); ++u)
                                set += array.as<std::uint8_t>()[(w * ny + v) * nx + u] > 0;
                    b.any += set > 0;
                    b.all += set == edge * edge * deep;
                }
        all.push_back(b);
        if (edge >= std::max({nx, ny, flat ? 1 : nz})) return all;
    }
}

class Bench {
public:
    explicit Bench(const tests::DevicePtr& device)
        : engine_(*device, registry_with_peers(), {host::ProgramCache::open()}), session_(engine_) {}

    Json count(const HostArray& array, const std::string& variant, const Json& parameters = Json::object(),
               const Json& policy = Json::object()) {
        Call call = call_of(variant, parameters, policy);
        call.inputs["volume"] = session_.upload(array);
        return session_.run(call).records.at("counts");
    }
    /// The same, `height` slices at a time. passes: how many that was to take; 0: any number.
    Json count_in_slabs(const HostArray& array, const std::string& variant, std::int64_t height,
                        const Json& parameters = Json::object(), std::uint64_t workspace = 0, int passes = 0,
                        const Json& policy = Json::object()) {
        Call call = call_of(variant, parameters, policy);
        call.slab = height;
        call.slab_workspace = workspace;
        const PlannedCall ready = session_.plan(call, {{"volume", array.desc}});
        if (passes > 0) CHECK(ready.plan->slab_passes() == passes);
        const std::int64_t slices = array.desc.axes.front().size;
        const std::size_t slice = array.desc.dense_bytes() / static_cast<std::size_t>(slices);
        const host::Buffer slab = session_.context().allocate(static_cast<std::size_t>(height) * slice);
        for (int pass = 0; pass < ready.plan->slab_passes(); ++pass)
            for (std::int64_t first = 0; first < slices; first += height) {
                const std::int64_t count = std::min(height, slices - first);
                session_.queue()
                    .write(slab, 0, array.data() + static_cast<std::size_t>(first) * slice,
                           static_cast<std::size_t>(count) * slice, "slab")
                    .wait();
                session_.enqueue_slab(ready, slab, pass, first, count, session_.profiler());
            }
        const auto execution = session_.enqueue(ready, {}, session_.profiler());
        session_.queue().finish("slabs");
        return execution->finish_records().at("counts");
    }
    /// Bytes of device memory that a plan takes beside the array.
    std::size_t workspace(const Shape& s, const std::string& variant, const Json& parameters) {
        const Call call = call_of(variant, parameters);
        return session_.plan(call, {{"volume", desc_of(ElementType::u8, s)}}).about.workspace_bytes;
    }
    std::vector<std::string> variants() {
        std::vector<std::string> names;
        const Problem problem{{{"volume", desc_of(ElementType::u8, {4, 4, 4})}}, algorithm_.parameters.defaults(), {"counts"}};
        for (const Variant& v : algorithm_.variants) {
            const bool listed = std::find(v.backends.begin(), v.backends.end(), engine_.device().backend) != v.backends.end();
            if (listed && v.supports(problem, engine_.context())) names.push_back(v.name);
        }
        return names;
    }
    const host::DeviceInfo& device() const { return engine_.device(); }

private:
    Call call_of(const std::string& variant, const Json& parameters, const Json& policy = Json::object()) const {
        Call call;
        call.algorithm = &algorithm_;
        call.parameters = algorithm_.parameters.parse(parameters, "");
        call.variant = variant;
        call.policy = policy;
        return call;
    }

    Engine engine_;
    Session session_;
    Algorithm algorithm_ = make_box_count();
};

inline Json reference_record(const HostArray& array, const Json& parameters = Json::object()) {
    const Algorithm algorithm = make_box_count();
    const Problem problem{{{"volume", array.desc}}, algorithm.parameters.parse(parameters, ""), {"counts"}};
    const BoxCountSpec spec = spec_of(problem);
    return record_of(problem.parameters.as<BoxCountParameters>(), spec, counts_of(spec, array.data(), pyramid_counts, 1));
}

/// Random blobs: boxes of several sizes are full, empty and in between.
inline HostArray blobs(const Shape& s, unsigned seed) {
    std::mt19937 random(seed);
    const auto shift = static_cast<int>(random() % 4);
    const unsigned share = 20 + random() % 75;
    return shape_of(s, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const auto cell =
            static_cast<unsigned>((x >> shift) * 73856093 ^ (y >> shift) * 19349663 ^ (z >> shift) * 83492791) * 2654435761u +
            seed * 40503u;
        return (cell >> 8) % 100 < share;
    });
}

}   // namespace parallax::tests::boxes
