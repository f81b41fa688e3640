// The CUDA backend: what needs no device here, every kernel file through NVRTC included; the rest where there is one. The
// tables of the other files cover CUDA devices as they cover all.
#include "devices.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/selector.hpp"
#include "program/backends.hpp"
#include "program/source.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#if defined(PARALLAX_HAS_CUDA)
#include "cuda/compiler.hpp"
#endif

#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <regex>

using namespace parallax;
using namespace parallax::host;
using namespace parallax::tests;

namespace {

std::vector<DevicePtr> cuda_devices() {
    std::vector<DevicePtr> devices = devices_under_test();
    std::erase_if(devices, [](const DevicePtr& device) { return device->info().backend != Backend::cuda; });
    if (devices.empty()) MESSAGE("skipped: there is no CUDA device");
    return devices;
}

// Every word that kernels may use, so that a compiler that lacks one or reads it differently is found. One result a line.
const std::map<std::string, std::string> words_kernel{{"test/words.cl", R"(#include "prelude/prelude.clh"
CONSTANT int offsets[] = {3, 5};
INLINE float twice(LOCAL const float* x) { return 2.0f * x[1]; }
KERNEL REQUIRED_GROUP(2, 2, 1)
void words(GLOBAL const float* RESTRICT in, GLOBAL uint* out, float2 pair, float4 quad, uchar small, ulong64 large) {
    LOCAL_ARRAY(float, line, 4);
    LOCAL_ARRAY2(uint, table, 2, 2);
    LOCAL_ARRAY(uint, counter, 1);
    const uint x = (uint)get_local_id(0), y = (uint)get_local_id(1);
    line[2 * y + x] = in[2 * y + x];
    table[y][x] = 10 * y + x;
    if (x + y == 0) counter[0] = 0;
    BARRIER_LOCAL();
    atomic_add(&counter[0], x + 1);
    atomic_max(&out[63], 40 + x);
    atomic_inc(&out[62]);
    BARRIER_ALL();
    if (get_global_id(0) != 2 || get_global_id(1) != 1 || get_group_id(0) != 1) return;
    out[0] = (uint)get_global_size(0) + 100 * (uint)get_num_groups(0) + 1000 * (uint)get_local_size(1);
    out[1] = counter[0];
    out[2] = table[1][0];
    out[3] = as_uint(twice(line));
    out[4] = (uint)offsets[1];
    out[5] = small;
    out[6] = (uint)(large >> 40);
    float2 p = pair * 2.0f + pair;
    p -= 1.0f;
    out[7] = as_uint(p.x) ^ as_uint(p.y);
    const float4 q = -quad / make_float4(2.0f, 4.0f, 8.0f, 16.0f);
    out[8] = as_uint(q.x + q.y + q.z + q.w);
    out[9] = popcount(0xF0F0u) + 100 * clz(1u);
    out[10] = rotate(0x80000001u, 4u);
    out[11] = mul_hi(0xFFFFFFFFu, 16u);
    out[12] = (uint)clamp(-5, 0, 9) + 10 * (uint)clamp(50, 0, 9);
    out[13] = as_uint(clamp(in[3], 0.0f, 1.0f));
    out[14] = select(7u, 8u, (uint)(in[0] > 0.0f));
    out[15] = convert_uchar_sat(in[3] * 1000.0f) + 1000 * convert_uchar_sat_rte(in[1] * 1.25f);
    out[16] = as_uint(round(-2.5f) + rint(-2.5f) * 10.0f + floor(-2.5f) * 100.0f + ceil(-2.5f) * 1000.0f);
    out[17] = as_uint(fmin(fmax(in[0], in[1]), in[2]));
    out[18] = min(3u, 9u) + 10 * max(3u, 9u);
    out[19] = as_uint(in[1] * in[1] + in[2]);        // two roundings
    out[20] = as_uint(fma(in[1], in[1], in[2]));     // one
    const uint before = atomic_cmpxchg(&out[61], 0u, 5u);
    out[21] = before + 10 * atomic_add(&out[61], 0u);
    out[22] = as_uint(as_float(0x3F800000u));
    out[23] = abs_diff(3u, 8u) + 10 * add_sat(0xFFFFFFF0u, 0x20u) + sub_sat(3u, 8u);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    vstore_half(in[1], 96, (GLOBAL half*)out);       // at word 48
    out[24] = as_uint(vload_half(96, (GLOBAL const half*)out));
    vstore4(make_float4(1.0f, 2.0f, 3.0f, 4.0f), 13, (GLOBAL float*)out);   // at word 52
    out[25] = as_uint(vload2(27, (GLOBAL const float*)out).y);              // word 55
    out[26] = INT_MAX == 2147483647 && FLT_MAX > 3.4e38f && isinf(INFINITY) && isnan(NAN) ? 1u : 0u;
    out[27] = as_uint(in[4] * 0.5f);                 // a denormal
    const int2 step = make_int2(3, -4) * 2;
    out[28] = (uint)(step.x + step.y + 100);
    out[29] = sizeof(long64) + 10 * sizeof(ulong64) + 100 * sizeof(uint) + 1000 * sizeof(ushort);
}
)"}};

/// A device of a made-up machine.
class Listed final : public Device {
public:
    Listed(Backend backend, std::string platform, int index) {
        info_.backend = backend;
        info_.type = backend == Backend::native ? DeviceType::cpu : DeviceType::gpu;
        info_.name = backend == Backend::native ? "native (a processor)" : "NVIDIA H200";
        info_.vendor = backend == Backend::native ? "native" : "NVIDIA Corporation";
        info_.platform = std::move(platform);
        info_.index = index;
    }
    const DeviceInfo& info() const noexcept override { return info_; }
    std::shared_ptr<Context> open(const ContextOptions&) const override { return nullptr; }

private:
    DeviceInfo info_;
};

}  // namespace

TEST_CASE("of one GPU under two backends the OpenCL device is met first, the CUDA device by name of its backend") {
    Inventory inventory;
    inventory.devices = {std::make_shared<Listed>(Backend::opencl, "NVIDIA CUDA", 0),
                         std::make_shared<Listed>(Backend::cuda, "CUDA", 1),
                         std::make_shared<Listed>(Backend::native, "native", 2)};
    const auto chosen = [&](const DeviceSelector& selector) { return selector.select(inventory).device->info().index; };
    CHECK(chosen(DeviceSelector()) == 0);
    CHECK(chosen(DeviceSelector::parse(Json::parse(R"({"type": "gpu"})"))) == 0);
    CHECK(chosen(DeviceSelector::parse(Json::parse(R"({"vendor": "nvidia"})"))) == 0);
    CHECK(chosen(DeviceSelector::parse(Json::parse(R"({"backend": "cuda"})"))) == 1);
    CHECK(chosen(DeviceSelector::parse(Json::parse(R"({"backend": "cuda", "name": "h200"})"))) == 1);
    CHECK(chosen(DeviceSelector::parse_spec("cuda")) == 1);
    CHECK(chosen(DeviceSelector::parse_spec("opencl")) == 0);
    CHECK(chosen(DeviceSelector::parse_spec("1")) == 1);
}

TEST_CASE("backends are listed in their order, and a missing CUDA driver is no problem") {
    const Inventory inventory = enumerate();
    int last = 0;
    bool any = false;
    for (const DevicePtr& device : inventory.devices) {
        CHECK(static_cast<int>(device->info().backend) >= last);
        last = static_cast<int>(device->info().backend);
        any = any || device->info().backend == Backend::cuda;
    }
    if (any || platform::has_nvidia_device() || platform::library_problem("libcuda.so.1").empty()) return;
    for (const PlatformProblem& problem : inventory.problems) CHECK(problem.platform != "CUDA");
}

TEST_CASE("the banner of a kernel file says where it runs") {
    CHECK(opencl_only("// A file.\n// backends: opencl\n#include \"x\"\n"));
    CHECK(opencl_only("#line 1 \"fft/a.cl\"\n// backends: opencl\nint x;\n"));
    CHECK_FALSE(opencl_only(""));
    CHECK_FALSE(opencl_only("// A file.\n#include \"x\"\n// backends: opencl\n"));
    CHECK_FALSE(opencl_only("\n// backends: opencl\n"));
    CHECK_FALSE(opencl_only("// says backends: opencl in passing\n"));
    CHECK(opencl_only(flatten_source("fft/simd_rows.cl")));
    CHECK_FALSE(opencl_only(flatten_source("hologram/transfer.cl")));
}

TEST_CASE("the prelude's words mean the same on every device") {
    const KernelFolder folder(words_kernel);
    struct alignas(8) Pair { float x, y; };
    struct alignas(16) Quad { float x, y, z, w; };
    for (const DevicePtr& device : kernel_devices_under_test()) {
        CAPTURE(device_label(*device));
        const auto context = open_for_test(device);
        const auto queue = context->create_queue();
        const auto kernel = context->build({"test/words.cl", {}})->kernel("words");
        const float third = 1.0f / 3.0f, tiny = 3e-39f;
        const std::array<float, 5> in{0.5f, third, -third * third, 0.75f, tiny};
        const Buffer input = context->allocate(sizeof in), output = context->allocate(64 * 4);
        std::array<std::uint32_t, 64> out{};
        queue->write(input, 0, in.data(), sizeof in);
        queue->write(output, 0, out.data(), sizeof out);
        queue->launch({.kernel = *kernel,
                       .groups = {2, 1, 1},
                       .local = {2, 2, 1},
                       .args = std::array<Arg, 6>{input, output, Pair{1.5f, -2.0f}, Quad{1, 2, 3, 4}, std::uint8_t{200},
                                                  std::uint64_t{77} << 40}});
        queue->read(output, 0, out.data(), sizeof out).wait();

        const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
        const volatile float product = third * third;   // rounded before the sum
        const std::uint32_t expected[] = {4 + 200 + 2000,
                                          6,
                                          10,
                                          bits(2 * third),
                                          5,
                                          200,
                                          77,
                                          bits(3.5f) ^ bits(-7.0f),
                                          bits(-1 - 0.375f - 0.25f),
                                          8 + 3100,
                                          0x18u,
                                          15,
                                          90,
                                          bits(0.75f),
                                          8,
                                          255 + 0,
                                          bits(-3.0f - 20.0f - 300.0f - 2000.0f),
                                          bits(std::fmin(std::fmax(in[0], in[1]), in[2])),
                                          93,
                                          bits(product + in[2]),
                                          bits(std::fma(third, third, in[2])),
                                          0 + 50,
                                          0x3F800000u,
                                          5u + 10u * 0xFFFFFFFFu,
                                          bits(0.333251953125f),
                                          bits(4.0f),
                                          1,
                                          bits(tiny * 0.5f),
                                          98,
                                          8 + 80 + 400 + 2000};
        for (std::size_t i = 0; i < std::size(expected); ++i) {
            if (i == 27 && out[i] == 0) continue;   // OpenCL leaves denormals to the device
            CAPTURE(i);
            CHECK(out[i] == expected[i]);
        }
        CHECK(out[63] == 41);
        CHECK(out[62] == 8);
        if (device->info().backend == Backend::cuda) CHECK(out[27] == expected[27]);
    }
}

TEST_CASE("a CUDA device is described as its OpenCL twin is") {
    const Inventory inventory = enumerate();
    for (const DevicePtr& device : cuda_devices()) {
        const DeviceInfo& info = device->info();
        CAPTURE(info.name);
        CHECK(info.platform == "CUDA");
        CHECK(info.version.starts_with("compute capability "));
        CHECK(info.uuid.size() == 36);
        CHECK(info.pci.size() == 12);
        CHECK(info.has("fp64"));
        for (const DevicePtr& other : inventory.devices) {
            if (other->info().backend != Backend::opencl || other->info().uuid != info.uuid) continue;
            CHECK(other->info().pci == info.pci);
            CHECK(other->info().vendor == info.vendor);
            CHECK(other->info().name == info.name);
            CHECK(other->info().compute_units == info.compute_units);
        }
    }
}

TEST_CASE("what CUDA promises holds: doubles, 64-bit atomics, PTX, lock step, event times") {
    for (const DevicePtr& device : cuda_devices()) {
        CAPTURE(device->info().name);
        const auto context = open_for_test(device);
        const Capabilities& promised = context->capabilities();
        CHECK((promised.fp64 && promised.int64_atomics && promised.inline_ptx && promised.event_times));
        CHECK_FALSE(promised.images);
        const auto queue = context->create_queue();
        std::optional<EventTimes> times;
        const auto probe = [&](const std::string& file, std::vector<std::uint32_t> words, std::size_t items,
                               const Defines& defines = {}) {
            const auto kernel = context->build({file, defines})->kernel("probe");
            const Buffer buffer = context->allocate(words.size() * 4);
            queue->write(buffer, 0, words.data(), words.size() * 4);
            const Event event = queue->launch(
                {.kernel = *kernel, .groups = {}, .local = {items}, .args = std::array<Arg, 1>{buffer}, .step = file});
            queue->read(buffer, 0, words.data(), words.size() * 4).wait();
            times = event.times();
            return words;
        };
        const auto number = std::bit_cast<std::array<std::uint32_t, 2>>(1.0 + 0x1p-26);
        const auto square = probe("probe/fp64.cl", {number[0], number[1]}, 1);
        CHECK(std::bit_cast<double>(square[0] | std::uint64_t{square[1]} << 32) == 1.0 + 0x1p-25 + 0x1p-52);
        CHECK(probe("probe/int64_atomics.cl", {0, 0}, 64) == std::vector<std::uint32_t>{64, 32});
        CHECK(probe("probe/inline_ptx.cl", {0x12345678u, 0}, 1)[1] == 0x1E6A2C48u);
        const int width = promised.warp_width, items = 4 * width;
        CHECK(width == 32);
        const auto errors = probe("probe/lockstep.cl", std::vector<std::uint32_t>(static_cast<std::size_t>(items), 1),
                                  static_cast<std::size_t>(items), Defines().add("WIDTH", width).add("ITEMS", items));
        CHECK(std::all_of(errors.begin(), errors.end(), [](std::uint32_t count) { return count == 0; }));
        probe("probe/event_times.cl", std::vector<std::uint32_t>(64, 1), 64);
        REQUIRE(times);
        CHECK(times->seconds() > 2e-6);   // 13 us on an H200
        CHECK(times->seconds() < 1);
    }
}

TEST_CASE("CUDA's own limits are refused with their numbers") {
    for (const DevicePtr& device : cuda_devices()) {
        CAPTURE(device->info().name);
        const auto context = open_for_test(device);
        const auto queue = context->create_queue();
        const auto kernel = context->build({"probe/inline_ptx.cl", {}})->kernel("probe");
        const Buffer buffer = context->allocate(8);
        for (const NDRange groups : {NDRange{1, 65536, 1}, NDRange{1, 1, 65536}, NDRange{std::size_t{1} << 31, 1, 1}}) {
            try {
                queue->launch({.kernel = *kernel,
                               .groups = groups,
                               .local = {},
                               .args = std::array<Arg, 1>{buffer},
                               .step = "demo/limits"});
                FAIL("no DeviceError");
            } catch (const DeviceError& error) {
                CHECK(error.code_name == "CUDA_ERROR_INVALID_VALUE");
                CHECK(error.step == "demo/limits (kernel probe)");
                CHECK(error.hint.find("at most") != std::string::npos);
            }
        }
        queue->launch({.kernel = *kernel, .groups = {1, 65535, 1}, .local = {}, .args = std::array<Arg, 1>{buffer}}).wait();
        try {
            context->build({"fft/simd_rows.cl", {}});
            FAIL("no DeviceError");
        } catch (const DeviceError& error) {
            CHECK(error.hint.find("OpenCL devices only") != std::string::npos);
        }
    }
}

#if defined(PARALLAX_HAS_CUDA)

namespace {

constexpr int hopper = 90;

std::shared_ptr<const cuda::Compiler> compiler_for(int architecture) {
    std::string problem, hint;
    auto compiler = cuda::Compiler::open(0, architecture, problem, hint);
    if (!compiler) MESSAGE("skipped: ", problem, "; ", hint);
    return compiler;
}

cuda::CompiledProgram compile(const cuda::Compiler& compiler, const std::string& file, const Defines& defines = {}) {
    const FlatSource source = flatten(file);
    return compiler.compile({source.files, source.text, compiler.options({file, defines})});
}

const std::map<std::string, std::string> float_kernel{{"test/float.cl", R"(#include "prelude/prelude.clh"
KERNEL void f(GLOBAL float* x) {
    x[0] = x[1] * x[2] + x[3];
    x[4] = x[5] / x[6];
    x[7] = sqrt(x[8]);
    x[9] = fma(x[10], x[11], x[12]);
}
)"}};

// Warnings without those about variables that only some defines use.
std::string warnings_that_matter(const std::string& log) {
    static const std::regex line("[^\\n]*warning #([0-9]+)-D[^\\n]*");
    std::string found;
    for (std::sregex_iterator match(log.begin(), log.end(), line), end; match != end; ++match)
        if (const std::string number = (*match)[1]; number != "177" && number != "550") found += match->str() + "\n";
    return found;
}

}  // namespace

TEST_CASE("every kernel file that is not for OpenCL only compiles as CUDA") {
    const auto compiler = compiler_for(hopper);
    if (!compiler) return;
    int compiled = 0;
    for (const std::string& file : kernel_files()) {
        if (!file.ends_with(".cl") || opencl_only(flatten_source(file))) continue;
        CAPTURE(file);
        try {
            const cuda::CompiledProgram program = compile(*compiler, file);
            CHECK(warnings_that_matter(program.log) == "");
            CHECK(program.binary.size() > 64);
            ++compiled;
        } catch (const Error& error) {
            FAIL_CHECK(std::string(error.what()));
        }
    }
    CHECK(compiled >= 10);
}

TEST_CASE("the branches that defaults leave out compile as CUDA") {
    const auto compiler = compiler_for(hopper);
    if (!compiler) return;
    struct Row {
        const char* file;
        std::vector<std::pair<const char*, const char*>> defines;
    };
    const Row rows[] = {
        {"fft/stockham_columns.cl", {{"FFT_TWIDDLED", "1"}}},
        {"fft/stockham_columns.cl", {{"FFT_WHOLE", "1"}}},
        {"fft/stockham_columns.cl", {{"FFT_TWIDDLED", "1"}, {"FFT_WIDE", "1"}}},
        {"fft/stockham_columns.cl", {{"FFT_TWIDDLED", "1"}, {"FFT_COARSE", "0"}, {"FFT_LINES", "4"}, {"FFT_SHARES", "2"}}},
        {"hologram/finish.cl", {{"WANT_PHASE", "1"}, {"WANT_INTENSITY", "1"}, {"WANT_FIELD", "1"}}},
        {"hologram/focus.cl", {{"METRIC", "1"}}},
        {"hologram/focus.cl", {{"METRIC", "2"}}},
        {"hologram/focus.cl", {{"METRIC", "3"}}},
        {"hologram/focus.cl", {{"METRIC", "4"}}},
        {"hologram/fused_columns.cl", {{"METHOD", "1"}}},
        {"hologram/fused_rows_forward.cl", {{"HOLOGRAM_TYPE", "float"}, {"HAS_BACKGROUND", "1"}, {"HAS_DARK", "1"}}},
        {"hologram/fused_rows_inverse.cl", {{"WANT_PHASE", "1"}, {"WANT_INTENSITY", "1"}, {"WANT_FIELD", "1"}}},
        {"hologram/prepare.cl",
         {{"HOLOGRAM_TYPE", "ushort"}, {"HAS_BACKGROUND", "1"}, {"HAS_DARK", "1"}, {"PADDING", "0"}, {"COMPLEX_FRAME", "0"}}},
        {"hologram/prepare.cl", {{"PADDING", "1"}}},
        {"hologram/prepare.cl", {{"PADDING", "0"}, {"COMPLEX_INPUT", "1"}}},
        {"hologram/prepare.cl", {{"PADDING", "1"}, {"COMPLEX_INPUT", "1"}}},
        {"hologram/prepare.cl", {{"PADDING", "2"}}},
        {"hologram/transfer.cl", {{"METHOD", "1"}}},
        {"hologram/transfer.cl", {{"METHOD", "3"}, {"CENTRED", "1"}}},
        {"hologram_simulate/beads.cl", {{"PHASE", "1"}}},
        {"hologram_simulate/expose.cl", {{"LEVELS", "255"}, {"HAS_NOISE", "1"}}},
    };
    for (const Row& row : rows) {
        Defines defines;
        for (const auto& [name, value] : row.defines) defines.add(name, value);
        CAPTURE(row.file);
        const std::string list = defines.options();
        CAPTURE(list);
        try {
            CHECK(warnings_that_matter(compile(*compiler, row.file, defines).log) == "");
        } catch (const Error& error) {
            FAIL_CHECK(std::string(error.what()));
        }
    }
}

TEST_CASE("NVRTC compiles for the device itself, or for the newest that it knows") {
    const auto compiler = compiler_for(hopper);
    if (!compiler) return;
    CHECK(compiler->version().starts_with("NVRTC 1"));
    CHECK(compiler->target() == "sm_90");
    const auto cubin = compile(*compiler, "probe/fp64.cl").binary;
    CHECK(std::string(cubin.begin(), cubin.begin() + 4) == "\x7f" "ELF");

    const auto newer = compiler_for(999);   // a device of years to come: the driver compiles the rest
    REQUIRE(newer);
    CHECK(newer->target().starts_with("compute_"));
    const auto ptx = compile(*newer, "probe/fp64.cl").binary;
    CHECK(ptx.back() == 0);
    CHECK(std::string(ptx.begin(), ptx.end()).find(".entry probe") != std::string::npos);

    std::string problem, hint;
    CHECK(cuda::Compiler::open(0, 10, problem, hint) == nullptr);   // no NVRTC compiles for the first GPUs any more
    CHECK(problem.find("compute capability 1.0") != std::string::npos);
    CHECK(hint.find("install") != std::string::npos);
}

TEST_CASE("arithmetic is compiled as written: nothing contracted, nothing approximate, no denormal flushed") {
    const KernelFolder folder(float_kernel);
    const auto compiler = compiler_for(999);   // PTX can be read
    if (!compiler) return;
    const auto binary = compile(*compiler, "test/float.cl").binary;
    const std::string ptx(binary.begin(), binary.end());
    const auto count = [&](const std::string& word) {
        int n = 0;
        for (std::size_t at = ptx.find(word); at != std::string::npos; at = ptx.find(word, at + 1)) ++n;
        return n;
    };
    CHECK(count("fma.rn.f32") == 1);
    CHECK(count("mul.rn.f32") + count("mul.f32") == 1);
    CHECK(count("div.rn.f32") == 1);
    CHECK(count("sqrt.rn.f32") == 1);
    CHECK(count(".ftz") == 0);
    CHECK(count(".approx") == 0);
}

TEST_CASE("a kernel that is not CUDA is a build error with file, line, options and log") {
    const KernelFolder folder(
        {{"test/bad.cl",
          "#include \"prelude/prelude.clh\"\n\n#include \"test/part.clh\"\nKERNEL void a(GLOBAL float* x) { x[0] = part(); }\n"},
         {"test/part.clh", "// a comment\nINLINE float part() {\n    return undeclared_name;\n}\n"},
         {"test/need.cl",
          "#include \"prelude/prelude.clh\"\n#ifndef N\n#error N is missing\n#endif\nKERNEL void a(GLOBAL int* x) { x[0] = N; "
          "}\n"}});
    const auto compiler = compiler_for(hopper);
    if (!compiler) return;
    try {
        compile(*compiler, "test/bad.cl", Defines().add("N", 7));
        FAIL("no BuildError");
    } catch (const BuildError& error) {
        CAPTURE(error.what());
        CHECK(error.file == "test/part.clh");
        CHECK(error.line == 3);
        CHECK(error.options.find("-DN=7") != std::string::npos);
        CHECK(error.options.find("--fmad=false") != std::string::npos);
        CHECK(error.log.find("undeclared_name") != std::string::npos);
    }
    CHECK_THROWS_AS(compile(*compiler, "test/need.cl"), BuildError);
    CHECK(compile(*compiler, "test/need.cl", Defines().add("N", 7)).binary.size() > 64);
}

#else

TEST_CASE("CUDA") { MESSAGE("skipped: built without CUDA (PARALLAX_CUDA)"); }

#endif
