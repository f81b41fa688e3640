// A host's object that computes once more in its destructor, after main(): objects go in any order. What OpenCL's drivers would
// have to compile then is refused, since their own objects have gone.
#include "support.hpp"

#if defined(_WIN32)
#include <process.h>
#else
#include <unistd.h>
#endif

#include <cstdio>
#include <exception>
#include <optional>

using namespace parallax;
using namespace parallax::tests;

namespace {

/// Made before main(), so that whatever the library makes at a first call would go before it.
struct Camera {
    std::optional<Engine> engine;
    std::optional<Session> session;
    std::vector<std::uint8_t> pixels = ramp(64 * 64);

    void open(const std::string& spec) {
        engine.emplace(EngineOptions{.device = spec});
        session.emplace(*engine);
    }
    std::size_t frame(const char* run, const char* parameters) {
        const View view(ArrayDesc::dense(ElementType::u8, {{'y', 64}, {'x', 64}}), pixels.data());
        return session->run({run, parameters, {{"image", view}}}).arrays.size();
    }
    ~Camera() {
        if (!session) return;
        last("box_filter", R"({"radius": 5})");
        last("convert", R"({"type": "u16", "window": {"low": 1, "high": 200}})");
        last("histogram", "{}");   // which is compiled for it
        if (engine->device().backend == host::Backend::native) last_job();
    }
    /// A job, in files and in memory, and what there is to choose from.
    void last_job() {
        try {
            const std::filesystem::path out = std::filesystem::temp_directory_path() / ("parallax-last-" + std::to_string(getpid()));
            const Job job = Job::parse(R"({"parallax": 1, "steps": [{"run": "phantom", "kind": "carpet", "size": 27}, {"run": "reduce", "in": {"array": "volume"}}],
                                           "outputs": {"volume": "volume.png", "value": "value.csv"}})");
            run(job, {.out = out.string()}, {.device = "native"});
            const Engine fresh({.device = "native"});
            Session(fresh).run(job, {});
            fresh.algorithms_json();
            std::filesystem::remove_all(out);
        } catch (const std::exception& error) {
            std::fprintf(stderr, "the last job: %s\n", error.what());
            std::_Exit(1);
        }
    }
    void last(const char* run, const char* parameters) {
        try {
            frame(run, parameters);
        } catch (const std::exception& error) {
            if (std::string(error.what()).find("the process is ending") != std::string::npos) return;
            std::fprintf(stderr, "the last frame, %s: %s\n", run, error.what());
            std::_Exit(1);
        }
    }
};

std::vector<Camera>& cameras() {
    static std::vector<Camera> all(16);
    return all;
}
std::vector<Camera>& before_main = cameras();

}  // namespace

TEST_CASE("an object of the host's computes in its destructor after main(): the status of this program tells") {
    std::size_t next = 0;
    for (const std::string& spec : specs()) {
        if (next == before_main.size()) break;
        Camera& camera = before_main[next++];
        camera.open(spec);
        CHECK(camera.frame("box_filter", R"({"radius": 3})") == 1);
        CHECK(camera.frame("convert", R"({"type": "u16", "window": {"low": 0, "high": 255}})") == 1);
    }
}
