// The functions of libnvrtc that are used, and where to look for the library.
#pragma once

#include <nvrtc.h>

#include <memory>
#include <string>
#include <vector>

namespace parallax::host::cuda {

struct Nvrtc {
    decltype(&nvrtcVersion) get_version = nullptr;
    decltype(&nvrtcGetErrorString) get_error_string = nullptr;
    decltype(&nvrtcGetNumSupportedArchs) get_num_supported_archs = nullptr;
    decltype(&nvrtcGetSupportedArchs) get_supported_archs = nullptr;
    decltype(&nvrtcCreateProgram) create_program = nullptr;
    decltype(&nvrtcDestroyProgram) destroy_program = nullptr;
    decltype(&nvrtcCompileProgram) compile_program = nullptr;
    decltype(&nvrtcGetPTXSize) get_ptx_size = nullptr;
    decltype(&nvrtcGetPTX) get_ptx = nullptr;
    decltype(&nvrtcGetCUBINSize) get_cubin_size = nullptr;
    decltype(&nvrtcGetCUBIN) get_cubin = nullptr;
    decltype(&nvrtcGetProgramLogSize) get_program_log_size = nullptr;
    decltype(&nvrtcGetProgramLog) get_program_log = nullptr;

    int major = 0, minor = 0;
    std::vector<int> architectures;   ///< ascending

    /// The first of a major version's library names that loads. Null where none does; `problem` says why.
    static std::shared_ptr<const Nvrtc> load(int major, std::string& problem);
};

}  // namespace parallax::host::cuda
