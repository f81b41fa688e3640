#include "cuda/errors.hpp"

#include "parallax/host/error.hpp"

namespace parallax::host::cuda {
namespace {

constexpr const char* lost = "the context is lost: nothing more can be computed on this device in this process; start it again";

std::string hint_before_loss(CUresult code) {
    switch (code) {
        case CUDA_ERROR_INVALID_VALUE: return "a size or an address is outside what the device takes";
        case CUDA_ERROR_OUT_OF_MEMORY: return "the device has too little memory: use smaller tiles or a device with more memory";
        case CUDA_ERROR_DEINITIALIZED:
            return "the process is ending, and CUDA has ended before the object that computes: compute before main() returns, or on "
                   "the native device";
        case CUDA_ERROR_STUB_LIBRARY:
            return "the toolkit's stub was loaded in place of the driver: take its folder out of the library path";
        case CUDA_ERROR_DEVICE_UNAVAILABLE: return "another program holds the device for itself";
        case CUDA_ERROR_NO_DEVICE:
            return "the NVIDIA driver sees no GPU: check nvidia-smi, CUDA_VISIBLE_DEVICES, and that the container or user may "
                   "open /dev/nvidia*";
        case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
            return "the driver's library and kernel module differ in version: restart the machine after an update";
        case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
            return "a compatibility package of CUDA does not support this GPU: use the driver's own libcuda";
        case CUDA_ERROR_INVALID_IMAGE:
        case CUDA_ERROR_NO_BINARY_FOR_GPU:
        case CUDA_ERROR_INVALID_PTX:
        case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
            return "NVRTC is newer than the driver: update the driver, or install NVRTC of the driver's CUDA version";
        case CUDA_ERROR_NOT_FOUND: return "the program has no kernel of that name";
        case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
            return "the kernel needs more registers than a work-group of this size has: use a smaller work_group_size";
        case CUDA_ERROR_ILLEGAL_ADDRESS:
        case CUDA_ERROR_MISALIGNED_ADDRESS:
        case CUDA_ERROR_INVALID_ADDRESS_SPACE: return "a kernel went out of the bounds of a buffer: this is a bug of Parallax";
        case CUDA_ERROR_ILLEGAL_INSTRUCTION:
        case CUDA_ERROR_INVALID_PC:
        case CUDA_ERROR_HARDWARE_STACK_ERROR:
        case CUDA_ERROR_ASSERT: return "a kernel crashed: this is a bug of Parallax or of the driver";
        case CUDA_ERROR_LAUNCH_FAILED:
            return "a kernel before this one crashed, most likely by touching memory that is not its own";
        case CUDA_ERROR_LAUNCH_TIMEOUT:
            return "the kernel ran longer than the system allows on a GPU that drives a display: use smaller tiles";
        case CUDA_ERROR_ECC_UNCORRECTABLE:
        case CUDA_ERROR_NVLINK_UNCORRECTABLE: return "the hardware reported an error that cannot be corrected: check nvidia-smi";
        default: return {};
    }
}

}  // namespace

std::string code_name(const Driver& driver, CUresult code) {
    const char* name = nullptr;
    if (code == CUDA_ERROR_DEINITIALIZED) return "CUDA_ERROR_DEINITIALIZED";   // when the driver tells no names any more
    return driver.get_error_name(code, &name) == CUDA_SUCCESS && name != nullptr ? name : "unknown code";
}

bool is_sticky(CUresult code) noexcept {
    switch (code) {
        case CUDA_ERROR_ECC_UNCORRECTABLE:
        case CUDA_ERROR_NVLINK_UNCORRECTABLE:
        case CUDA_ERROR_ILLEGAL_ADDRESS:
        case CUDA_ERROR_LAUNCH_TIMEOUT:
        case CUDA_ERROR_CONTEXT_IS_DESTROYED:
        case CUDA_ERROR_ASSERT:
        case CUDA_ERROR_HARDWARE_STACK_ERROR:
        case CUDA_ERROR_ILLEGAL_INSTRUCTION:
        case CUDA_ERROR_MISALIGNED_ADDRESS:
        case CUDA_ERROR_INVALID_ADDRESS_SPACE:
        case CUDA_ERROR_INVALID_PC:
        case CUDA_ERROR_LAUNCH_FAILED: return true;
        default: return false;
    }
}

std::string hint_for(CUresult code) {
    std::string hint = hint_before_loss(code);
    if (is_sticky(code)) hint += (hint.empty() ? "" : "; ") + std::string(lost);
    return hint;
}

void fail(const Driver& driver, const char* call, CUresult code, std::string_view step, std::string hint) {
    throw DeviceError(call, static_cast<int>(code), code_name(driver, code), std::string(step),
                      hint.empty() ? hint_for(code) : std::move(hint));
}

}  // namespace parallax::host::cuda
