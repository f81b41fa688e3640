#include "cuda/nvrtc.hpp"

#include "platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace parallax::host::cuda {
namespace {
namespace fs = std::filesystem;

// NVRTC's ABI is one a major version from 11.2 on.
std::vector<std::string> library_names(int major) {
#if defined(_WIN32)
    if (major == 11) return {"nvrtc64_112_0.dll"};
    return {fmt::format("nvrtc64_{}0_0.dll", major)};
#else
    if (major == 11) return {"libnvrtc.so.11.2"};
    return {fmt::format("libnvrtc.so.{}", major)};
#endif
}

// Beside the system's own search path: toolkits are often unpacked and never registered.
std::vector<fs::path> toolkit_folders() {
    std::vector<fs::path> folders;
#if defined(_WIN32)
    if (const auto root = platform::environment("CUDA_PATH"))
        for (const char* bin : {"bin/x64", "bin"}) folders.push_back(fs::path(*root) / bin);
#else
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
        if (const auto root = platform::environment(variable))
            for (const char* lib : {"lib64", "lib"}) folders.push_back(fs::path(*root) / lib);
    folders.emplace_back("/usr/local/cuda/lib64");
#endif
    return folders;
}

platform::SharedLibrary open_library(int major, std::string& problem) {
    const std::vector<std::string> names = library_names(major);
    for (const std::string& name : names)
        if (const auto library = platform::SharedLibrary::open(name, problem)) return library;
    std::string ignored;
    for (const fs::path& folder : toolkit_folders())
        for (const std::string& name : names) {
            std::error_code missing;
            if (!fs::exists(folder / name, missing)) continue;
            if (const auto library = platform::SharedLibrary::open((folder / name).string(), ignored)) return library;
        }
    return {};
}

template <class Function>
bool look_up(const platform::SharedLibrary& library, Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(library.symbol(symbol));
    return function != nullptr;
}

}  // namespace

std::shared_ptr<const Nvrtc> Nvrtc::load(int major, std::string& problem) {
    const platform::SharedLibrary library = open_library(major, problem);
    if (!library) return nullptr;
    auto nvrtc = std::make_shared<Nvrtc>();
    const bool complete = look_up(library, nvrtc->get_version, "nvrtcVersion") &&
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
