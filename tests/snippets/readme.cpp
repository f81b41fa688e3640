// What README.md shows.
#include "snippets.hpp"

#include <parallax/parallax.hpp>

#include <vector>

#include "readme/count.inc"
static_assert(snippets == 1, "a block of README.md that no function here has");

bool readme() {
#include "readme/1.inc"
    const parallax::HostArray amplitude = session.download(result.array("amplitude"));
    return amplitude.desc.size('y') == 480 && amplitude.desc.size('x') == 640 && amplitude.as<float>()[0] > 0;
}

// What else one may write for an engine by default, or with options.
[[maybe_unused]] static void engines() {
    const parallax::Engine plain, empty{}, braces({}), nested{{}}, options(parallax::EngineOptions{}),
        device({.device = "native"}), copy(braces);
    parallax::Session of_temporary(parallax::Engine({})), of_braces({}), of_engine(copy),
        of_options(parallax::Engine({.device = "native"}));
    parallax::Job job;
    job.step("noise", {}).step("noise", "{}", {.id = "again"});
}
static_assert(!std::is_constructible_v<parallax::Engine, int> &&
              !std::is_convertible_v<parallax::EngineOptions, parallax::Engine>);
