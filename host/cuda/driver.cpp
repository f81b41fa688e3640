#include "cuda/driver.hpp"

#include "cuda/errors.hpp"
#include "support/platform.hpp"

#include <fmt/format.h>

namespace parallax::host::cuda {
namespace {

#if defined(_WIN32)
constexpr const char* driver_library = "nvcuda.dll";
#else
constexpr const char* driver_library = "libcuda.so.1";
#endif

class Loader {
public:
    explicit Loader(platform::SharedLibrary library) : library_(library) {}

    template <class Function>
    void optional(Function& function, const char* symbol) const {
        function = reinterpret_cast<Function>(library_.symbol(symbol));
    }
    template <class Function>
    void required(Function& function, const char* symbol) {
        optional(function, symbol);
        if (function == nullptr && missing_ == nullptr) missing_ = symbol;
    }
    /// The first required function that is not there, or null.
    const char* missing() const noexcept { return missing_; }

private:
    platform::SharedLibrary library_;
    const char* missing_ = nullptr;
};

const char* look_up(Driver& driver, platform::SharedLibrary library) {
    Loader load(library);
    load.required(driver.init, "cuInit");
    load.required(driver.driver_get_version, "cuDriverGetVersion");
    load.required(driver.get_error_name, "cuGetErrorName");
    load.required(driver.get_error_string, "cuGetErrorString");
    load.required(driver.device_get_count, "cuDeviceGetCount");
    load.required(driver.device_get, "cuDeviceGet");
    load.required(driver.device_get_name, "cuDeviceGetName");
    load.optional(driver.device_get_uuid, "cuDeviceGetUuid_v2");   // tells the parts of a divided GPU apart
    if (driver.device_get_uuid == nullptr) load.required(driver.device_get_uuid, "cuDeviceGetUuid");
    load.required(driver.device_get_pci_bus_id, "cuDeviceGetPCIBusId");
    load.required(driver.device_total_mem, "cuDeviceTotalMem_v2");
    load.required(driver.device_get_attribute, "cuDeviceGetAttribute");
    load.required(driver.primary_ctx_retain, "cuDevicePrimaryCtxRetain");
    load.optional(driver.primary_ctx_release, "cuDevicePrimaryCtxRelease_v2");
    if (driver.primary_ctx_release == nullptr) load.required(driver.primary_ctx_release, "cuDevicePrimaryCtxRelease");
    load.required(driver.ctx_push_current, "cuCtxPushCurrent_v2");
    load.required(driver.ctx_pop_current, "cuCtxPopCurrent_v2");
    load.required(driver.ctx_get_current, "cuCtxGetCurrent");
    load.required(driver.ctx_get_device, "cuCtxGetDevice");
    load.required(driver.mem_alloc, "cuMemAlloc_v2");
    load.required(driver.mem_free, "cuMemFree_v2");
    load.required(driver.mem_get_info, "cuMemGetInfo_v2");
    load.required(driver.mem_host_alloc, "cuMemHostAlloc");
    load.required(driver.mem_free_host, "cuMemFreeHost");
    load.optional(driver.mem_host_register, "cuMemHostRegister_v2");
    load.optional(driver.mem_host_unregister, "cuMemHostUnregister");
    load.required(driver.memcpy_htod_async, "cuMemcpyHtoDAsync_v2");
    load.required(driver.memcpy_dtoh_async, "cuMemcpyDtoHAsync_v2");
    load.required(driver.memcpy_dtod_async, "cuMemcpyDtoDAsync_v2");
    load.required(driver.module_load_data_ex, "cuModuleLoadDataEx");
    load.required(driver.module_unload, "cuModuleUnload");
    load.required(driver.module_get_function, "cuModuleGetFunction");
    load.required(driver.func_get_attribute, "cuFuncGetAttribute");
    load.required(driver.launch_kernel, "cuLaunchKernel");
    load.required(driver.stream_create, "cuStreamCreate");
    load.required(driver.stream_destroy, "cuStreamDestroy_v2");
    load.required(driver.stream_synchronize, "cuStreamSynchronize");
    load.required(driver.stream_query, "cuStreamQuery");
    load.required(driver.stream_wait_event, "cuStreamWaitEvent");
    load.required(driver.event_create, "cuEventCreate");
    load.required(driver.event_destroy, "cuEventDestroy_v2");
    load.required(driver.event_record, "cuEventRecord");
    load.required(driver.event_query, "cuEventQuery");
    load.required(driver.event_synchronize, "cuEventSynchronize");
    load.required(driver.event_elapsed_time, "cuEventElapsedTime");
    load.optional(driver.func_get_param_info, "cuFuncGetParamInfo");
    load.optional(driver.func_get_name, "cuFuncGetName");
    load.optional(driver.module_get_function_count, "cuModuleGetFunctionCount");
    load.optional(driver.module_enumerate_functions, "cuModuleEnumerateFunctions");
    load.optional(driver.graph_create, "cuGraphCreate");
    load.optional(driver.graph_add_kernel_node, "cuGraphAddKernelNode");
    load.optional(driver.graph_instantiate, "cuGraphInstantiateWithFlags");
    load.optional(driver.graph_launch, "cuGraphLaunch");
    load.optional(driver.graph_destroy, "cuGraphDestroy");
    load.optional(driver.graph_exec_destroy, "cuGraphExecDestroy");
    return load.missing();
}

}  // namespace

std::shared_ptr<const Driver> Driver::load(std::string& problem, std::string& hint) {
    std::string reason;
    const platform::SharedLibrary library = platform::SharedLibrary::open(driver_library, reason);
    if (!library) {
        if (platform::has_nvidia_device()) {
            problem = fmt::format("there is an NVIDIA device, but its CUDA driver cannot be loaded ({})", reason);
            hint = "install the driver's CUDA part (Debian: libcuda1; containers: NVIDIA_DRIVER_CAPABILITIES=compute,utility)";
        }
        return nullptr;
    }
    auto driver = std::make_shared<Driver>();
    if (const char* missing = look_up(*driver, library); missing != nullptr) {
        problem = fmt::format("{} has no {}", driver_library, missing);
        hint = "the driver is older than CUDA 11: install a newer one";
        return nullptr;
    }
    CUresult status = driver->init(0);
    const char* call = "cuInit";
    if (status == CUDA_SUCCESS) {
        status = driver->driver_get_version(&driver->version);
        call = "cuDriverGetVersion";
    }
    if (status != CUDA_SUCCESS) {
        problem = fmt::format("{} failed with {} ({})", call, code_name(*driver, status), static_cast<int>(status));
        hint = hint_for(status);
        if (hint.empty()) hint = "check nvidia-smi, and that the container or user may open /dev/nvidia*";
        return nullptr;
    }
    return driver;
}

}  // namespace parallax::host::cuda
