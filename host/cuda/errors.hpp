// CUDA's codes as typed errors.
#pragma once

#include "cuda/driver.hpp"

#include <string>
#include <string_view>

namespace parallax::host::cuda {

/// "CUDA_ERROR_ILLEGAL_ADDRESS"; "unknown code" for what the driver does not know.
std::string code_name(const Driver&, CUresult);
/// What a person may try.
std::string hint_for(CUresult);
/// Whether the error stays: each later call on the same context gives it again.
bool is_sticky(CUresult) noexcept;

[[noreturn]] void fail(const Driver&, const char* call, CUresult, std::string_view step, std::string hint = {});
/// Throws DeviceError unless `code` is CUDA_SUCCESS; an empty `hint` means the general one for the code.
inline void check(const Driver& driver, CUresult code, const char* call, std::string_view step, std::string_view hint = {}) {
    if (code != CUDA_SUCCESS) fail(driver, call, code, step, std::string(hint));
}

}  // namespace parallax::host::cuda
