// Phantoms: every kind has the same voxels on every device, and as many as theory says.
#include "algorithms/phantom/phantom.hpp"
#include "core/session.hpp"
#include "devices.hpp"
#include "peers/peers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

using namespace parallax;
using namespace parallax::engine;

namespace parallax::engine {
Algorithm make_phantom();
}

TEST_CASE("phantom: the same voxels on every device, as many as theory says") {
    const Algorithm algorithm = make_phantom();
    struct Row {
        const char* json;
        std::int64_t expected;   // set voxels; -1: those of the reference
    };
    const Row rows[] = {{R"({"kind": "menger", "size": 27})", 20 * 20 * 20},
                        {R"({"kind": "cube", "size": 17})", 17 * 17 * 17},
                        {R"({"kind": "carpet", "size": 81})", 8 * 8 * 8 * 8},
                        {R"({"kind": "triangle", "size": 64})", 729},
                        {R"({"kind": "tetrahedron", "size": 32})", 1024},
                        {R"({"kind": "cantor", "size": 27})", 512},
                        {R"({"kind": "random", "size": 40, "density": 0.2, "seed": 2147483647})", -1},
                        {R"({"kind": "vessel_tree", "size": 40, "seed": 3})", -1}};
    for (const auto& device : tests::devices_under_test()) {
        INFO(tests::device_label(*device));
        Engine engine(*device, registry_with_peers(), {host::ProgramCache::open()});
        Session session(engine);
        for (const Row& row : rows) {
            CAPTURE(std::string(row.json));
            Call call;
            call.algorithm = &algorithm;
            call.parameters = algorithm.parameters.parse(Json::parse(row.json), "");
            const HostArray out = session.download(session.run(call).outputs.at("volume"));
            const auto& p = call.parameters.as<phantom::PhantomParameters>();
            const std::vector<phantom::Vessel> vessels = phantom::vessels_of(p);
            std::int64_t set = 0, wrong = 0;
            for (std::int64_t i = 0; i < out.desc.count(); ++i) {
                const int value = out.as<std::uint8_t>()[i];
                const bool wanted = phantom::is_set(p, vessels, i % p.size, i / p.size % p.size, i / p.size / p.size);
                wrong += value != (wanted ? phantom::set_voxel : 0);
                set += value != 0;
            }
            CHECK(wrong == 0);
            if (row.expected >= 0) CHECK(set == row.expected);
            else {
                CHECK(set > 300);
                CHECK(set < out.desc.count() / 2);
            }
            if (p.kind == phantom::Kind::random)
                CHECK(std::abs(static_cast<double>(set) - 64000 * .2) < 5 * std::sqrt(64000 * .2 * .8));
        }
    }
}
