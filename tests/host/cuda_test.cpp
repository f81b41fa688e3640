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
    inventory.devices = {std::make_shared<Listed>(Backend::opencl, "NVIDIA CUDA", 0), std::make_shared<Listed>(Backend::cuda, "CUDA", 1),
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
    CHECK(opencl_only(flatten_source("fft/lanes_rows.cl")));
    CHECK_FALSE(opencl_only(flatten_source("hologram/transfer.cl")));
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
    return compiler.compile({source.files, source.text, compiler.options(defines)});
}

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
            FAIL_CHECK(error.what());
        }
    }
    CHECK(compiled >= 10);
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
    const KernelFolder folder({{"test/float.cl", "#include \"prelude/prelude.clh\"\nKERNEL void f(GLOBAL float* x) {\n    x[0] = x[1] * x[2] + x[3];\n"
                                                 "    x[4] = x[5] / x[6];\n    x[7] = sqrt(x[8]);\n    x[9] = fma(x[10], x[11], x[12]);\n}\n"}});
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
    const KernelFolder folder({{"test/bad.cl", "#include \"prelude/prelude.clh\"\n\n#include \"test/part.clh\"\nKERNEL void a(GLOBAL float* x) { x[0] = part(); }\n"},
                               {"test/part.clh", "// a comment\nINLINE float part() {\n    return undeclared_name;\n}\n"},
                               {"test/need.cl", "#include \"prelude/prelude.clh\"\n#ifndef N\n#error N is missing\n#endif\nKERNEL void a(GLOBAL int* x) { x[0] = N; }\n"}});
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
