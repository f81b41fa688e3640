#include "devices.hpp"

#include "core/session.hpp"
#include "parallax/host/enumerate.hpp"
#include "registry/registry.hpp"

#include <doctest/doctest.h>

using namespace parallax;
using namespace parallax::engine;

TEST_CASE("plans: a session that goes leaves none behind, although somebody still holds one") {
    engine::Engine engine(*host::enumerate().native(), Registry(all_algorithms()));
    PlannedCall held;
    {
        Session session(engine);
        Call call;
        call.algorithm = &engine.registry().get("box_filter");
        call.parameters = call.algorithm->parameters.defaults();
        const ArrayDescs image{{"image", ArrayDesc::dense(ElementType::u8, {{'y', 8}, {'x', 8}})}};
        held = session.plan(call, image);
        CHECK(engine.plans().size() == 1);
        CHECK(engine.plans().trim() == 0);   // it is held
        CHECK(engine.plans().size() == 1);
    }
    // Another session may come to the same place in memory, on a device that was opened anew.
    CHECK(engine.plans().size() == 0);
    CHECK(engine.plans().bytes() == 0);
}
