// A host application: every kernel must come from the library itself.
#include <parallax/parallax.hpp>

#include <cstdio>
#include <exception>
#include <vector>

int main() {
    try {
        parallax::Engine engine;
        parallax::Session session(engine);
        const std::vector<std::uint8_t> image(64 * 64, 7);
        const parallax::View view(image, {{'y', 64}, {'x', 64}});
        const parallax::HostArray blurred = session.download(session.box_filter({.radius = {2}}, view).array("image"));
        const bool right = blurred.as<std::uint8_t>()[64 * 32 + 32] == 7;
        std::printf("%s %s: %s\n", parallax::version(), engine.device().name.c_str(), right ? "right" : "wrong");
        return right ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
