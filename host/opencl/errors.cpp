#include "opencl/errors.hpp"

#include "parallax/host/error.hpp"

#include <utility>

namespace parallax::host::opencl {
namespace {

constexpr std::pair<cl_int, const char*> names[] = {
    {0, "CL_SUCCESS"},
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {-8, "CL_MEM_COPY_OVERLAP"},
    {-9, "CL_IMAGE_FORMAT_MISMATCH"},
    {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-12, "CL_MAP_FAILURE"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-15, "CL_COMPILE_PROGRAM_FAILURE"},
    {-16, "CL_LINKER_NOT_AVAILABLE"},
    {-17, "CL_LINK_PROGRAM_FAILURE"},
    {-18, "CL_DEVICE_PARTITION_FAILED"},
    {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
    {-30, "CL_INVALID_VALUE"},
    {-31, "CL_INVALID_DEVICE_TYPE"},
    {-32, "CL_INVALID_PLATFORM"},
    {-33, "CL_INVALID_DEVICE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-37, "CL_INVALID_HOST_PTR"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"},
    {-40, "CL_INVALID_IMAGE_SIZE"},
    {-41, "CL_INVALID_SAMPLER"},
    {-42, "CL_INVALID_BINARY"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-47, "CL_INVALID_KERNEL_DEFINITION"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-53, "CL_INVALID_WORK_DIMENSION"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-56, "CL_INVALID_GLOBAL_OFFSET"},
    {-57, "CL_INVALID_EVENT_WAIT_LIST"},
    {-58, "CL_INVALID_EVENT"},
    {-59, "CL_INVALID_OPERATION"},
    {-60, "CL_INVALID_GL_OBJECT"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-62, "CL_INVALID_MIP_LEVEL"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-64, "CL_INVALID_PROPERTY"},
    {-65, "CL_INVALID_IMAGE_DESCRIPTOR"},
    {-66, "CL_INVALID_COMPILER_OPTIONS"},
    {-67, "CL_INVALID_LINKER_OPTIONS"},
    {-68, "CL_INVALID_DEVICE_PARTITION_COUNT"},
    {-69, "CL_INVALID_PIPE_SIZE"},
    {-70, "CL_INVALID_DEVICE_QUEUE"},
    {-71, "CL_INVALID_SPEC_ID"},
    {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    {-9999, "NVIDIA: illegal read or write to a buffer"},
};

}  // namespace

const char* code_name(cl_int code) noexcept {
    for (const auto& [value, name] : names)
        if (value == code) return name;
    return "unknown code";
}

std::string hint_for(cl_int code) {
    switch (code) {
        case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        case CL_INVALID_BUFFER_SIZE:
            return "the device has too little memory: use smaller tiles or a device with more memory";
        case CL_OUT_OF_RESOURCES:
            return "the device ran out of memory, registers or time, or a kernel before this one touched memory that is not its "
                   "own: "
                   "use smaller tiles or a smaller work_group_size";
        case CL_OUT_OF_HOST_MEMORY: return "this machine has too little memory: use smaller tiles or close other programs";
        case CL_DEVICE_NOT_AVAILABLE: return "another program may hold the device for itself";
        case CL_COMPILER_NOT_AVAILABLE: return "the driver has no compiler for OpenCL C: install its complete package";
        case CL_INVALID_WORK_GROUP_SIZE:
        case CL_INVALID_WORK_ITEM_SIZE: return "use a smaller work_group_size";
        case CL_INVALID_GLOBAL_WORK_SIZE: return "the launch is too large for this device: use smaller tiles";
        case CL_INVALID_KERNEL_NAME: return "the program has no kernel of that name";
        case CL_INVALID_ARG_SIZE:
        case CL_INVALID_ARG_VALUE: return "the argument is of another type than the kernel's";
        case CL_INVALID_KERNEL_ARGS: return "not every argument of the kernel was given";
        case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: return "a command before this one failed";
        case CL_PLATFORM_NOT_FOUND_KHR: return "install a driver, such as pocl-opencl-icd for this machine's processor";
        case -9999: return "a kernel went out of the bounds of a buffer: this is a bug of Parallax";
        case CL_INVALID_CONTEXT:
        case CL_INVALID_COMMAND_QUEUE:
        case CL_INVALID_EVENT:
            return "a command before this one may have brought the device down: look at the system's log, and run parallax "
                   "selftest";
        default:
            return "this is a fault of the driver or of Parallax: run parallax selftest, and try another driver version or "
                   "device";
    }
}

bool is_fatal(cl_int code) noexcept {
    switch (code) {
        case CL_DEVICE_NOT_AVAILABLE:
        case CL_OUT_OF_RESOURCES:   // NVIDIA says so of kernels that crashed
        case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
        case CL_INVALID_CONTEXT:
        case CL_INVALID_COMMAND_QUEUE: return true;
        default: return code < -1001;   // vendors' own codes
    }
}

void fail(const char* call, cl_int code, std::string_view step, std::string hint) {
    throw DeviceError(call, code, code_name(code), std::string(step), hint.empty() ? hint_for(code) : std::move(hint));
}

}  // namespace parallax::host::opencl
