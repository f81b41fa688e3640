// OpenCL's codes as typed errors.
#pragma once

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>
#include <string_view>

namespace parallax::host::opencl {

/// "CL_OUT_OF_RESOURCES"; "unknown code" for what no header lists.
const char* code_name(cl_int) noexcept;
/// What a person may try.
std::string hint_for(cl_int);

/// Whether a command that gives this code leaves a device behind that cannot be trusted; other codes say that the
/// command was refused, and nothing happened.
bool is_fatal(cl_int) noexcept;

[[noreturn]] void fail(const char* call, cl_int code, std::string_view step, std::string hint = {});
/// Throws DeviceError unless `code` is CL_SUCCESS; an empty `hint` means the general one for the code.
inline void check(cl_int code, const char* call, std::string_view step, std::string_view hint = {}) {
    if (code != CL_SUCCESS) fail(call, code, step, std::string(hint));
}

}  // namespace parallax::host::opencl
