// A host's object that computes once more in its destructor, after main(): objects go in any order. What OpenCL's drivers would
// have to compile then is refused, since their own objects have gone.
#include "support.hpp"

#include <parallax/parallax.h>

#include <cstdio>
#include <exception>
#include <optional>

using namespace parallax;
using namespace parallax::tests;

namespace {

/// The words of an error of the C interface, which go with the thread.
std::string error_of_c() {
    const std::string none(400, '?');
    plx_engine_options options{};
    options.struct_size = sizeof options;
    options.device = none.c_str();
    plx_engine* engine = nullptr;
    plx_engine_open(&options, &engine);
    return plx_last_error();
}

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
            const Folder out;
            const Job job = Job::parse(R"({"parallax": 1, "steps": [{"run": "phantom", "kind": "carpet", "size": 27},
                                                                   {"run": "reduce", "in": {"array": "volume"}}],
                                           "outputs": {"volume": "volume.png", "value": "value.csv"}})");
            run(job, {.out = out.text()}, {.device = "native"});
            const Engine fresh({.device = "native"});
            Session(fresh).run(job, {});
            fresh.algorithms_json();
            if (error_of_c().size() < 400) throw Error("the C interface does not tell an error");
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
    CHECK(error_of_c().size() > 400);
    std::size_t next = 0;
    for (const std::string& spec : specs()) {
        if (next == before_main.size()) break;
        Camera& camera = before_main[next++];
        camera.open(spec);
        CHECK(camera.frame("box_filter", R"({"radius": 3})") == 1);
        CHECK(camera.frame("convert", R"({"type": "u16", "window": {"low": 0, "high": 255}})") == 1);
    }
}
