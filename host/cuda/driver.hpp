// The CUDA driver, opened at run time, so that one binary runs with and without it.
#pragma once

#include "cuda/api.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace parallax::host::cuda {

/// Functions of libcuda under their names without "cu". Each is the oldest version that serves: newer drivers keep it.
struct Driver {
    decltype(&cuInit) init = nullptr;
    decltype(&cuDriverGetVersion) driver_get_version = nullptr;
    decltype(&cuGetErrorName) get_error_name = nullptr;
    decltype(&cuGetErrorString) get_error_string = nullptr;

    decltype(&cuDeviceGetCount) device_get_count = nullptr;
    decltype(&cuDeviceGet) device_get = nullptr;
    decltype(&cuDeviceGetName) device_get_name = nullptr;
    CUresult(CUDAAPI* device_get_uuid)(CUuuid*, CUdevice) = nullptr;
    decltype(&cuDeviceGetPCIBusId) device_get_pci_bus_id = nullptr;
    decltype(&cuDeviceTotalMem_v2) device_total_mem = nullptr;
    decltype(&cuDeviceGetAttribute) device_get_attribute = nullptr;

    decltype(&cuDevicePrimaryCtxRetain) primary_ctx_retain = nullptr;
    decltype(&cuDevicePrimaryCtxRelease_v2) primary_ctx_release = nullptr;
    decltype(&cuCtxPushCurrent_v2) ctx_push_current = nullptr;
    decltype(&cuCtxPopCurrent_v2) ctx_pop_current = nullptr;
    decltype(&cuCtxGetCurrent) ctx_get_current = nullptr;
    CUresult(CUDAAPI* ctx_get_device)(CUdevice*) = nullptr;

    decltype(&cuMemAlloc_v2) mem_alloc = nullptr;
    decltype(&cuMemFree_v2) mem_free = nullptr;
    decltype(&cuMemGetInfo_v2) mem_get_info = nullptr;
    decltype(&cuMemHostAlloc) mem_host_alloc = nullptr;
    decltype(&cuMemFreeHost) mem_free_host = nullptr;
    decltype(&cuMemHostRegister) mem_host_register = nullptr;       ///< may be null
    decltype(&cuMemHostUnregister) mem_host_unregister = nullptr;   ///< may be null
    decltype(&cuMemcpyHtoDAsync_v2) memcpy_htod_async = nullptr;
    decltype(&cuMemcpyDtoHAsync_v2) memcpy_dtoh_async = nullptr;
    decltype(&cuMemcpyDtoDAsync_v2) memcpy_dtod_async = nullptr;

    decltype(&cuModuleLoadDataEx) module_load_data_ex = nullptr;
    decltype(&cuModuleUnload) module_unload = nullptr;
    decltype(&cuModuleGetFunction) module_get_function = nullptr;
    decltype(&cuFuncGetAttribute) func_get_attribute = nullptr;
    decltype(&cuLaunchKernel) launch_kernel = nullptr;

    decltype(&cuStreamCreate) stream_create = nullptr;
    decltype(&cuStreamDestroy_v2) stream_destroy = nullptr;
    decltype(&cuStreamSynchronize) stream_synchronize = nullptr;
    decltype(&cuStreamQuery) stream_query = nullptr;
    decltype(&cuStreamWaitEvent) stream_wait_event = nullptr;

    decltype(&cuEventCreate) event_create = nullptr;
    decltype(&cuEventDestroy_v2) event_destroy = nullptr;
    decltype(&cuEventRecord) event_record = nullptr;
    decltype(&cuEventQuery) event_query = nullptr;
    decltype(&cuEventSynchronize) event_synchronize = nullptr;
    CUresult(CUDAAPI* event_elapsed_time)(float*, CUevent, CUevent) = nullptr;

    // Null in drivers before CUDA 12.4.
    CUresult(CUDAAPI* func_get_param_info)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;
    CUresult(CUDAAPI* func_get_name)(const char**, CUfunction) = nullptr;
    CUresult(CUDAAPI* module_get_function_count)(unsigned int*, CUmodule) = nullptr;
    CUresult(CUDAAPI* module_enumerate_functions)(CUfunction*, unsigned int, CUmodule) = nullptr;

    // Null in drivers before CUDA 11.4: see has_graphs().
    decltype(&cuGraphCreate) graph_create = nullptr;
    CUresult(CUDAAPI* graph_add_kernel_node)(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t,
                                             const CUDA_KERNEL_NODE_PARAMS_v1*) = nullptr;
    decltype(&cuGraphInstantiateWithFlags) graph_instantiate = nullptr;
    decltype(&cuGraphLaunch) graph_launch = nullptr;
    decltype(&cuGraphDestroy) graph_destroy = nullptr;
    decltype(&cuGraphExecDestroy) graph_exec_destroy = nullptr;
    bool has_graphs() const noexcept {
        return graph_create && graph_add_kernel_node && graph_instantiate && graph_launch && graph_destroy && graph_exec_destroy;
    }

    int version = 0;   ///< newest CUDA that the driver runs: 13000 for 13.0

    /// Null where there is no driver, which is no problem, or a broken one: `problem` then says what is wrong and
    /// `hint` what to try. Calls cuInit.
    static std::shared_ptr<const Driver> load(std::string& problem, std::string& hint);
};

}  // namespace parallax::host::cuda
