#include "cuda/compiler.hpp"

#include "cuda/nvrtc.hpp"
#include "parallax/host/error.hpp"
#include "program/build_log.hpp"
#include "support/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace parallax::host::cuda {
namespace {

// Majors that may be installed side by side; the driver's own and older ones first, newest of these before older.
std::vector<int> majors(int driver_version) {
    constexpr std::array newest_first{13, 12, 11};
    std::vector<int> order;
    for (const int major : newest_first)
        if (driver_version == 0 || major <= driver_version / 1000) order.push_back(major);
    for (const int major : newest_first)   // minor features apart, a newer one often works all the same
        if (std::find(order.begin(), order.end(), major) == order.end()) order.push_back(major);
    return order;
}

// "sm_90", "compute_90", or empty where this NVRTC is too new for the device.
std::string target_for(const Nvrtc& nvrtc, int architecture) {
    const auto& known = nvrtc.architectures;
    if (std::find(known.begin(), known.end(), architecture) != known.end()) return fmt::format("sm_{}", architecture);
    const auto newer = std::upper_bound(known.begin(), known.end(), architecture);
    return newer == known.begin() ? std::string() : fmt::format("compute_{}", *(newer - 1));
}

class ProgramHandle {
public:
    ProgramHandle(const Nvrtc& nvrtc, const ProgramText& source) : nvrtc_(nvrtc) {
        check(nvrtc.create_program(&program_, source.text.c_str(), source.files.front().c_str(), 0, nullptr, nullptr),
              "nvrtcCreateProgram", source);
    }
    ~ProgramHandle() { nvrtc_.destroy_program(&program_); }
    ProgramHandle(const ProgramHandle&) = delete;
    ProgramHandle& operator=(const ProgramHandle&) = delete;

    void check(nvrtcResult code, const char* call, const ProgramText& source) const {
        if (code != NVRTC_SUCCESS)
            throw DeviceError(call, static_cast<int>(code), nvrtc_.get_error_string(code), "build " + source.files.front());
    }
    nvrtcProgram get() const noexcept { return program_; }

    std::string log() const {
        std::size_t size = 0;
        if (nvrtc_.get_program_log_size(program_, &size) != NVRTC_SUCCESS || size == 0) return {};
        std::string text(size, '\0');
        return nvrtc_.get_program_log(program_, text.data()) == NVRTC_SUCCESS ? trim(text) : std::string();
    }

private:
    const Nvrtc& nvrtc_;
    nvrtcProgram program_ = nullptr;
};

}  // namespace

std::string ProgramText::option_line() const { return fmt::format("{}", fmt::join(options, " ")); }

std::shared_ptr<const Compiler> Compiler::open(int driver_version, int architecture, std::string& problem, std::string& hint) {
    std::shared_ptr<const Nvrtc> second;   // compiles for an older device: good enough through PTX
    std::string first_problem;
    for (const int major : majors(driver_version)) {
        std::string reason;
        const auto nvrtc = Nvrtc::load(major, reason);
        if (!nvrtc) {
            if (first_problem.empty()) first_problem = reason;
            continue;
        }
        const std::string target = target_for(*nvrtc, architecture);
        if (target.starts_with("sm_")) return std::shared_ptr<const Compiler>(new Compiler(nvrtc, target));
        if (!target.empty() && !second) second = nvrtc;
        if (target.empty())
            first_problem = fmt::format("NVRTC {}.{} compiles for compute capability {}.{} and up", nvrtc->major, nvrtc->minor,
                                        nvrtc->architectures.front() / 10, nvrtc->architectures.front() % 10);
    }
    if (second) return std::shared_ptr<const Compiler>(new Compiler(second, target_for(*second, architecture)));
    problem = fmt::format("there is no NVRTC that compiles for compute capability {}.{} ({})", architecture / 10,
                          architecture % 10, first_problem);
    hint = fmt::format(
        "install the CUDA toolkit's NVRTC, version 11.2 to 13 (Debian: nvidia-cuda-toolkit; NVIDIA's packages: cuda-nvrtc-{}), "
        "or set CUDA_PATH",
        driver_version == 0 ? "13-0" : fmt::format("{}-{}", driver_version / 1000, driver_version % 1000 / 10));
    return nullptr;
}

Compiler::Compiler(std::shared_ptr<const Nvrtc> nvrtc, std::string target)
    : nvrtc_(std::move(nvrtc)), target_(std::move(target)), version_(fmt::format("NVRTC {}.{}", nvrtc_->major, nvrtc_->minor)) {}

std::vector<std::string> Compiler::options(const ProgramSpec& spec) const {
    std::vector<std::string> list = {
        "--gpu-architecture=" + target_,
        "--std=c++17",
        "--fmad=false",        // as FP_CONTRACT OFF: kernels say fma() where they mean it
        "--ftz=false",         // denormals count
        "--prec-div=true",     // division and square root rounded correctly
        "--prec-sqrt=true",
        "--device-as-default-execution-space",
    };
    if (spec.resident_items > 0) list.push_back(fmt::format("-DRESIDENT_ITEMS={}", spec.resident_items));
    for (const auto& [name, value] : spec.defines.list()) list.push_back(fmt::format("-D{}={}", name, value));
    return list;
}

CompiledProgram Compiler::compile(const ProgramText& source) const {
    const Nvrtc& nvrtc = *nvrtc_;
    const ProgramHandle program(nvrtc, source);
    std::vector<const char*> options;
    for (const std::string& option : source.options) options.push_back(option.c_str());
    const nvrtcResult compiled = nvrtc.compile_program(program.get(), static_cast<int>(options.size()), options.data());
    CompiledProgram result;
    result.log = program.log();
    if (compiled == NVRTC_ERROR_COMPILATION || compiled == NVRTC_ERROR_INVALID_OPTION) {
        const LogPlace place = first_error(result.log, source.text, source.files);
        throw BuildError(place.file, place.line, source.option_line(), result.log);
    }
    program.check(compiled, "nvrtcCompileProgram", source);

    const bool cubin = target_.starts_with("sm_");
    const char* call = cubin ? "nvrtcGetCUBIN" : "nvrtcGetPTX";
    std::size_t size = 0;
    program.check(cubin ? nvrtc.get_cubin_size(program.get(), &size) : nvrtc.get_ptx_size(program.get(), &size), call, source);
    result.binary.resize(size);
    char* const bytes = reinterpret_cast<char*>(result.binary.data());
    program.check(cubin ? nvrtc.get_cubin(program.get(), bytes) : nvrtc.get_ptx(program.get(), bytes), call, source);
    return result;
}

}  // namespace parallax::host::cuda
