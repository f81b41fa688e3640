// A CUDA context, stream and memory of the host application's. The driver is opened at run time, as Parallax does: without one
// there is nothing to test, and the tests say so.
#include "api/support.hpp"

#if defined(__unix__)
#include <dlfcn.h>

using namespace parallax;
using namespace parallax::tests;

namespace {

/// The few functions of the driver that a host application would call.
struct Driver {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = nullptr;
    int (*device_get)(int*, int) = nullptr;
    int (*retain)(CUctx_st**, int) = nullptr;
    int (*release)(int) = nullptr;
    int (*create)(CUctx_st**, unsigned, int) = nullptr;
    int (*destroy)(CUctx_st*) = nullptr;
    int (*set_current)(CUctx_st*) = nullptr;
    int (*stream_create)(CUstream_st**, unsigned) = nullptr;
    int (*stream_synchronize)(CUstream_st*) = nullptr;
    int (*stream_destroy)(CUstream_st*) = nullptr;
    int (*allocate)(unsigned long long*, std::size_t) = nullptr;
    int (*free)(unsigned long long) = nullptr;
    int (*to_device)(unsigned long long, const void*, std::size_t, CUstream_st*) = nullptr;
    int (*to_host)(void*, unsigned long long, std::size_t, CUstream_st*) = nullptr;

    bool open() {
        if (library == nullptr) return false;
        const auto find = [this](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
        return find(init, "cuInit") && find(device_get, "cuDeviceGet") && find(retain, "cuDevicePrimaryCtxRetain") &&
               find(release, "cuDevicePrimaryCtxRelease_v2") && find(create, "cuCtxCreate_v2") &&
               find(destroy, "cuCtxDestroy_v2") && find(set_current, "cuCtxSetCurrent") &&
               find(stream_create, "cuStreamCreate") && find(stream_synchronize, "cuStreamSynchronize") &&
               find(stream_destroy, "cuStreamDestroy_v2") && find(allocate, "cuMemAlloc_v2") && find(free, "cuMemFree_v2") &&
               find(to_device, "cuMemcpyHtoDAsync_v2") && find(to_host, "cuMemcpyDtoHAsync_v2") && init(0) == 0;
    }
};

}  // namespace

TEST_CASE("CUDA: between the host's own commands, in its stream, on its memory") {
    constexpr std::size_t width = 64, height = 48;
    Driver cuda;
    int device = 0;
    if (!cuda.open() || cuda.device_get(&device, 0) != 0) {
        MESSAGE("SKIPPED: no CUDA driver, or no device");
        return;
    }
    const auto image = ramp(width * height);
    const ArrayDesc layout = ArrayDesc::dense(ElementType::u8, {{'y', height}, {'x', width}});
    std::vector<std::uint8_t> expected;
    {
        Session native(Engine({.device = "native"}));
        expected = values<std::uint8_t>(native, native.box_filter({.radius = {3}}, View(layout, image.data())).array("image"));
    }
    for (const bool primary : {true, false}) {
        CAPTURE(primary);
        CUctx_st* context = nullptr;
        CUstream_st* stream = nullptr;
        unsigned long long in = 0, out = 0;
        REQUIRE((primary ? cuda.retain(&context, device) : cuda.create(&context, 0, device)) == 0);
        REQUIRE(cuda.set_current(context) == 0);
        REQUIRE(cuda.stream_create(&stream, 1) == 0);   // that does not wait for the default one
        REQUIRE(cuda.allocate(&in, image.size()) == 0);
        REQUIRE(cuda.allocate(&out, image.size()) == 0);
        std::vector<std::uint8_t> result(image.size());
        {
            Engine engine = Engine::from_cuda(context);
            Session session = Session::from_stream(engine, stream);
            const Array source = session.wrap_cuda(in, layout), target = session.wrap_cuda(out, layout);
            CHECK(source.cuda() == in);
            for (int turn = 0; turn < 20; ++turn) {   // nothing is waited for but the stream, at the end
                REQUIRE(cuda.to_device(in, image.data(), image.size(), stream) == 0);
                session.submit(call(BoxFilterParameters{.radius = {3}}, {{"image", source}}, {.into = {{"image", target}}}));
                REQUIRE(cuda.to_host(result.data(), out, result.size(), stream) == 0);
            }
            REQUIRE(cuda.stream_synchronize(stream) == 0);
            CHECK(result == expected);
            // The engine goes before the session and its arrays.
            engine = Engine({.device = "native"});
            CHECK(values<std::uint8_t>(session, session.box_filter({.radius = {3}}, source).array("image")) == expected);
        }
        // What is the host's is as it was.
        std::fill(result.begin(), result.end(), std::uint8_t{0});
        REQUIRE(cuda.to_host(result.data(), out, result.size(), stream) == 0);
        REQUIRE(cuda.stream_synchronize(stream) == 0);
        CHECK(result == expected);
        CHECK(cuda.free(in) == 0);
        CHECK(cuda.free(out) == 0);
        CHECK(cuda.stream_destroy(stream) == 0);
        CHECK((primary ? cuda.release(device) : cuda.destroy(context)) == 0);
    }
}
#endif
