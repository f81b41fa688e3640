// OpenCL's functions, found in its loader when one is called for the first time: the program and the library start where
// there is no loader (libOpenCL.so.1), and compute on the native device there. Included in place of CL/cl.h by what calls OpenCL.
#pragma once

#include "support/late.hpp"

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>
#include <type_traits>

namespace parallax::host::opencl {

/// Why there is no loader, in the system's own words; empty where there is one.
const std::string& loader_problem();
/// A function that the process has already (a linked loader's, or one in its place by LD_PRELOAD), else that of the loader which
/// the system finds. Null where there is none.
void* loader_function(const char* name) noexcept;

/// What a call answers where the loader has no such function.
struct NoLoader {
    static void* find(const char* name) noexcept { return loader_function(name); }
    template <class Result> static Result answer(const char* name) {
        if constexpr (std::is_same_v<Result, cl_int>) return CL_PLATFORM_NOT_FOUND_KHR;
        else missing(name);
    }
    [[noreturn]] static void missing(const char* name);
};

}  // namespace parallax::host::opencl

// Every function of OpenCL 1.2 that is not deprecated there. Global, since CL/opencl.hpp says ::clFinish and &::clGetDeviceInfo.
#define PARALLAX_LATE(name) \
    inline constexpr auto& parallax_##name = parallax::host::Late<parallax::host::opencl::NoLoader, #name, decltype(::name)>::call
PARALLAX_LATE(clBuildProgram);
PARALLAX_LATE(clCompileProgram);
PARALLAX_LATE(clCreateBuffer);
PARALLAX_LATE(clCreateCommandQueue);
PARALLAX_LATE(clCreateContext);
PARALLAX_LATE(clCreateContextFromType);
PARALLAX_LATE(clCreateImage);
PARALLAX_LATE(clCreateKernel);
PARALLAX_LATE(clCreateKernelsInProgram);
PARALLAX_LATE(clCreateProgramWithBinary);
PARALLAX_LATE(clCreateProgramWithBuiltInKernels);
PARALLAX_LATE(clCreateProgramWithSource);
PARALLAX_LATE(clCreateSampler);
PARALLAX_LATE(clCreateSubBuffer);
PARALLAX_LATE(clCreateSubDevices);
PARALLAX_LATE(clCreateUserEvent);
PARALLAX_LATE(clEnqueueBarrierWithWaitList);
PARALLAX_LATE(clEnqueueCopyBuffer);
PARALLAX_LATE(clEnqueueCopyBufferRect);
PARALLAX_LATE(clEnqueueCopyBufferToImage);
PARALLAX_LATE(clEnqueueCopyImage);
PARALLAX_LATE(clEnqueueCopyImageToBuffer);
PARALLAX_LATE(clEnqueueFillBuffer);
PARALLAX_LATE(clEnqueueFillImage);
PARALLAX_LATE(clEnqueueMapBuffer);
PARALLAX_LATE(clEnqueueMapImage);
PARALLAX_LATE(clEnqueueMarkerWithWaitList);
PARALLAX_LATE(clEnqueueMigrateMemObjects);
PARALLAX_LATE(clEnqueueNDRangeKernel);
PARALLAX_LATE(clEnqueueNativeKernel);
PARALLAX_LATE(clEnqueueReadBuffer);
PARALLAX_LATE(clEnqueueReadBufferRect);
PARALLAX_LATE(clEnqueueReadImage);
PARALLAX_LATE(clEnqueueTask);
PARALLAX_LATE(clEnqueueUnmapMemObject);
PARALLAX_LATE(clEnqueueWriteBuffer);
PARALLAX_LATE(clEnqueueWriteBufferRect);
PARALLAX_LATE(clEnqueueWriteImage);
PARALLAX_LATE(clFinish);
PARALLAX_LATE(clFlush);
PARALLAX_LATE(clGetCommandQueueInfo);
PARALLAX_LATE(clGetContextInfo);
PARALLAX_LATE(clGetDeviceIDs);
PARALLAX_LATE(clGetDeviceInfo);
PARALLAX_LATE(clGetEventInfo);
PARALLAX_LATE(clGetEventProfilingInfo);
PARALLAX_LATE(clGetExtensionFunctionAddressForPlatform);
PARALLAX_LATE(clGetImageInfo);
PARALLAX_LATE(clGetKernelArgInfo);
PARALLAX_LATE(clGetKernelInfo);
PARALLAX_LATE(clGetKernelWorkGroupInfo);
PARALLAX_LATE(clGetMemObjectInfo);
PARALLAX_LATE(clGetPlatformIDs);
PARALLAX_LATE(clGetPlatformInfo);
PARALLAX_LATE(clGetProgramBuildInfo);
PARALLAX_LATE(clGetProgramInfo);
PARALLAX_LATE(clGetSamplerInfo);
PARALLAX_LATE(clGetSupportedImageFormats);
PARALLAX_LATE(clLinkProgram);
PARALLAX_LATE(clReleaseCommandQueue);
PARALLAX_LATE(clReleaseContext);
PARALLAX_LATE(clReleaseDevice);
PARALLAX_LATE(clReleaseEvent);
PARALLAX_LATE(clReleaseKernel);
PARALLAX_LATE(clReleaseMemObject);
PARALLAX_LATE(clReleaseProgram);
PARALLAX_LATE(clReleaseSampler);
PARALLAX_LATE(clRetainCommandQueue);
PARALLAX_LATE(clRetainContext);
PARALLAX_LATE(clRetainDevice);
PARALLAX_LATE(clRetainEvent);
PARALLAX_LATE(clRetainKernel);
PARALLAX_LATE(clRetainMemObject);
PARALLAX_LATE(clRetainProgram);
PARALLAX_LATE(clRetainSampler);
PARALLAX_LATE(clSetEventCallback);
PARALLAX_LATE(clSetKernelArg);
PARALLAX_LATE(clSetMemObjectDestructorCallback);
PARALLAX_LATE(clSetUserEventStatus);
PARALLAX_LATE(clUnloadPlatformCompiler);
PARALLAX_LATE(clWaitForEvents);
#undef PARALLAX_LATE

#define clBuildProgram parallax_clBuildProgram
#define clCompileProgram parallax_clCompileProgram
#define clCreateBuffer parallax_clCreateBuffer
#define clCreateCommandQueue parallax_clCreateCommandQueue
#define clCreateContext parallax_clCreateContext
#define clCreateContextFromType parallax_clCreateContextFromType
#define clCreateImage parallax_clCreateImage
#define clCreateKernel parallax_clCreateKernel
#define clCreateKernelsInProgram parallax_clCreateKernelsInProgram
#define clCreateProgramWithBinary parallax_clCreateProgramWithBinary
#define clCreateProgramWithBuiltInKernels parallax_clCreateProgramWithBuiltInKernels
#define clCreateProgramWithSource parallax_clCreateProgramWithSource
#define clCreateSampler parallax_clCreateSampler
#define clCreateSubBuffer parallax_clCreateSubBuffer
#define clCreateSubDevices parallax_clCreateSubDevices
#define clCreateUserEvent parallax_clCreateUserEvent
#define clEnqueueBarrierWithWaitList parallax_clEnqueueBarrierWithWaitList
#define clEnqueueCopyBuffer parallax_clEnqueueCopyBuffer
#define clEnqueueCopyBufferRect parallax_clEnqueueCopyBufferRect
#define clEnqueueCopyBufferToImage parallax_clEnqueueCopyBufferToImage
#define clEnqueueCopyImage parallax_clEnqueueCopyImage
#define clEnqueueCopyImageToBuffer parallax_clEnqueueCopyImageToBuffer
#define clEnqueueFillBuffer parallax_clEnqueueFillBuffer
#define clEnqueueFillImage parallax_clEnqueueFillImage
#define clEnqueueMapBuffer parallax_clEnqueueMapBuffer
#define clEnqueueMapImage parallax_clEnqueueMapImage
#define clEnqueueMarkerWithWaitList parallax_clEnqueueMarkerWithWaitList
#define clEnqueueMigrateMemObjects parallax_clEnqueueMigrateMemObjects
#define clEnqueueNDRangeKernel parallax_clEnqueueNDRangeKernel
#define clEnqueueNativeKernel parallax_clEnqueueNativeKernel
#define clEnqueueReadBuffer parallax_clEnqueueReadBuffer
#define clEnqueueReadBufferRect parallax_clEnqueueReadBufferRect
#define clEnqueueReadImage parallax_clEnqueueReadImage
#define clEnqueueTask parallax_clEnqueueTask
#define clEnqueueUnmapMemObject parallax_clEnqueueUnmapMemObject
#define clEnqueueWriteBuffer parallax_clEnqueueWriteBuffer
#define clEnqueueWriteBufferRect parallax_clEnqueueWriteBufferRect
#define clEnqueueWriteImage parallax_clEnqueueWriteImage
#define clFinish parallax_clFinish
#define clFlush parallax_clFlush
#define clGetCommandQueueInfo parallax_clGetCommandQueueInfo
#define clGetContextInfo parallax_clGetContextInfo
#define clGetDeviceIDs parallax_clGetDeviceIDs
#define clGetDeviceInfo parallax_clGetDeviceInfo
#define clGetEventInfo parallax_clGetEventInfo
#define clGetEventProfilingInfo parallax_clGetEventProfilingInfo
#define clGetExtensionFunctionAddressForPlatform parallax_clGetExtensionFunctionAddressForPlatform
#define clGetImageInfo parallax_clGetImageInfo
#define clGetKernelArgInfo parallax_clGetKernelArgInfo
#define clGetKernelInfo parallax_clGetKernelInfo
#define clGetKernelWorkGroupInfo parallax_clGetKernelWorkGroupInfo
#define clGetMemObjectInfo parallax_clGetMemObjectInfo
#define clGetPlatformIDs parallax_clGetPlatformIDs
#define clGetPlatformInfo parallax_clGetPlatformInfo
#define clGetProgramBuildInfo parallax_clGetProgramBuildInfo
#define clGetProgramInfo parallax_clGetProgramInfo
#define clGetSamplerInfo parallax_clGetSamplerInfo
#define clGetSupportedImageFormats parallax_clGetSupportedImageFormats
#define clLinkProgram parallax_clLinkProgram
#define clReleaseCommandQueue parallax_clReleaseCommandQueue
#define clReleaseContext parallax_clReleaseContext
#define clReleaseDevice parallax_clReleaseDevice
#define clReleaseEvent parallax_clReleaseEvent
#define clReleaseKernel parallax_clReleaseKernel
#define clReleaseMemObject parallax_clReleaseMemObject
#define clReleaseProgram parallax_clReleaseProgram
#define clReleaseSampler parallax_clReleaseSampler
#define clRetainCommandQueue parallax_clRetainCommandQueue
#define clRetainContext parallax_clRetainContext
#define clRetainDevice parallax_clRetainDevice
#define clRetainEvent parallax_clRetainEvent
#define clRetainKernel parallax_clRetainKernel
#define clRetainMemObject parallax_clRetainMemObject
#define clRetainProgram parallax_clRetainProgram
#define clRetainSampler parallax_clRetainSampler
#define clSetEventCallback parallax_clSetEventCallback
#define clSetKernelArg parallax_clSetKernelArg
#define clSetMemObjectDestructorCallback parallax_clSetMemObjectDestructorCallback
#define clSetUserEventStatus parallax_clSetUserEventStatus
#define clUnloadPlatformCompiler parallax_clUnloadPlatformCompiler
#define clWaitForEvents parallax_clWaitForEvents
