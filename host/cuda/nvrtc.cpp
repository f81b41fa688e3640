#include "cuda/nvrtc.hpp"

#include "cuda/toolkit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::host::cuda {
namespace {

// NVRTC's ABI is one a major version from 11.2 on, and its file names are its own.
std::string library_name(int major) {
#if defined(_WIN32)
    return major == 11 ? "nvrtc64_112_0.dll" : fmt::format("nvrtc64_{}0_0.dll", major);
#else
    return major == 11 ? "libnvrtc.so.11.2" : toolkit_library_name("nvrtc", major);
#endif
}

template <class Function>
bool look_up(const platform::SharedLibrary& library, Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(library.symbol(symbol));
    return function != nullptr;
}

}  // namespace

std::shared_ptr<const Nvrtc> Nvrtc::load(int major, std::string& problem) {
    const platform::SharedLibrary library = open_toolkit_library(library_name(major), problem);
    if (!library) return nullptr;
    auto nvrtc = std::make_shared<Nvrtc>();
    const bool complete =
        look_up(library, nvrtc->get_version, "nvrtcVersion") &&
        look_up(library, nvrtc->get_error_string, "nvrtcGetErrorString") &&
        look_up(library, nvrtc->get_num_supported_archs, "nvrtcGetNumSupportedArchs") &&
        look_up(library, nvrtc->get_supported_archs, "nvrtcGetSupportedArchs") &&
        look_up(library, nvrtc->create_program, "nvrtcCreateProgram") &&
        look_up(library, nvrtc->destroy_program, "nvrtcDestroyProgram") &&
        look_up(library, nvrtc->compile_program, "nvrtcCompileProgram") &&
        look_up(library, nvrtc->get_ptx_size, "nvrtcGetPTXSize") && look_up(library, nvrtc->get_ptx, "nvrtcGetPTX") &&
        look_up(library, nvrtc->get_cubin_size, "nvrtcGetCUBINSize") && look_up(library, nvrtc->get_cubin, "nvrtcGetCUBIN") &&
        look_up(library, nvrtc->get_program_log_size, "nvrtcGetProgramLogSize") &&
        look_up(library, nvrtc->get_program_log, "nvrtcGetProgramLog");
    if (!complete || nvrtc->get_version(&nvrtc->major, &nvrtc->minor) != NVRTC_SUCCESS) {
        problem = fmt::format("the NVRTC of CUDA {} lacks functions of version 11.2", major);
        return nullptr;
    }
    int count = 0;
    if (nvrtc->get_num_supported_archs(&count) == NVRTC_SUCCESS && count > 0) {
        nvrtc->architectures.resize(static_cast<std::size_t>(count));
        if (nvrtc->get_supported_archs(nvrtc->architectures.data()) != NVRTC_SUCCESS) nvrtc->architectures.clear();
    }
    if (nvrtc->architectures.empty()) {
        problem = fmt::format("NVRTC {}.{} does not tell which devices it compiles for", nvrtc->major, nvrtc->minor);
        return nullptr;
    }
    std::sort(nvrtc->architectures.begin(), nvrtc->architectures.end());
    return nvrtc;
}

}  // namespace parallax::host::cuda
